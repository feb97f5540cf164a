package memory

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Put stores entries, all or none. An entry replaces an older one of the same
// source, pair, origin and recipe (for imported entries: and target); one without a
// time is made now and replaces any, also one with a later time, which a machine whose clock
// is ahead had made. A person's entry also replaces a machine entry.
func (m *Memory) Put(ctx context.Context, entries []Entry) error {
	for _, e := range entries {
		if err := e.check(); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		return nil
	}
	if ctx.Done() != nil { // it may end in between
		return m.putNow(ctx, entries)
	}
	p := &entriesPut{entries: entries}
	_ = m.puts.Do(ctx, p, len(entries)) // ctx does not end
	return p.err
}

// entriesPut are the entries of one call of Put.
type entriesPut struct {
	entries []Entry
	err     error
}

// putGroup stores the entries of calls at the same time in one transaction, since each is
// a sync.
func (m *Memory) putGroup(all []*entriesPut) {
	entries := all[0].entries
	for _, p := range all[1:] {
		entries = append(entries[:len(entries):len(entries)], p.entries...)
	}
	err := m.putNow(context.Background(), entries)
	for _, p := range all {
		p.err = err
	}
}

func (m *Memory) putNow(ctx context.Context, entries []Entry) error {
	m.writing.Lock() // one goroutine of a process at a time; other processes wait for SQLite's lock
	defer m.writing.Unlock()
	for attempt := 1; ; attempt++ {
		err := m.putAll(ctx, entries)
		var busy *sqlite.Error
		if err == nil || attempt == maxWaits || !errors.As(err, &busy) || busy.Code()&0xff != sqlite3.SQLITE_BUSY {
			return err
		}
	}
}

// maxWaits is how often Put waits for other processes, five seconds each.
const maxWaits = 12

func (m *Memory) putAll(ctx context.Context, entries []Entry) error {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	w := &putter{ctx: ctx, tx: tx, langs: map[string]int64{}, recipes: map[string]int64{}}
	if err := w.prepare(); err != nil {
		return err
	}
	defer w.close()
	for _, e := range entries {
		e.Pair = e.Pair.Canonical()
		now := e.Changed.IsZero()
		if now {
			e.Changed = m.now()
		}
		if err := w.putEntry(e, now); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// putter writes entries in one transaction.
type putter struct {
	ctx            context.Context
	tx             *sql.Tx
	langs, recipes map[string]int64

	insert, update, index, supersede *sql.Stmt
}

func (w *putter) prepare() (err error) {
	for _, s := range []struct {
		to  **sql.Stmt
		sql string
	}{
		{&w.insert, `INSERT OR IGNORE INTO entries (key, src, dst, origin, recipe, variant, source, target, document, place, author, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.update, `UPDATE entries SET target = ?, document = ?, place = ?, author = ?, changed = max(changed, ?)
			WHERE key = ? AND src = ? AND dst = ? AND origin = ? AND recipe = ? AND variant = ? AND (changed <= ? OR ?)`},
		{&w.index, `INSERT INTO words (rowid, w) VALUES (?, ?)`},
		{&w.supersede, `DELETE FROM entries WHERE key = ? AND src = ? AND dst = ? AND origin = 3 AND source = ?`},
	} {
		if *s.to, err = w.tx.PrepareContext(w.ctx, s.sql); err != nil {
			return err
		}
	}
	return nil
}

func (w *putter) close() {
	for _, s := range []*sql.Stmt{w.insert, w.update, w.index, w.supersede} {
		s.Close()
	}
}

// putEntry stores an entry; now: it replaces any.
func (w *putter) putEntry(e Entry, now bool) error {
	n := numberingOf(e.Source)
	source, target := storedText(e.Source, n, e.Origin), storedText(e.Target, n, e.Origin)
	src, err := w.textID(w.langs, "languages", "tag", e.From)
	if err != nil {
		return err
	}
	dst, err := w.textID(w.langs, "languages", "tag", e.To)
	if err != nil {
		return err
	}
	if e.Origin != Machine {
		e.Recipe = ""
	}
	recipe, err := w.textID(w.recipes, "recipes", "text", e.Recipe)
	if err != nil {
		return err
	}
	var variant int64
	if e.Origin == Imported {
		variant = keyOf(target)
	}
	key, origin, changed := keyOf(source), slices.Index(origins, e.Origin), e.Changed.UnixMilli()
	res, err := w.insert.ExecContext(w.ctx, key, src, dst, origin, recipe, variant, source, target, e.Document, e.Place, e.By, changed)
	if err != nil {
		return err
	}
	added, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if added == 0 {
		if res, err = w.update.ExecContext(w.ctx, target, e.Document, e.Place, e.By, changed, key, src, dst, origin, recipe, variant, changed, now); err != nil {
			return err
		}
		if newer, err := res.RowsAffected(); err != nil || newer == 0 {
			return err
		}
	}
	if words := indexWords(source, e.To); words != "" && added > 0 && e.Origin != Machine { // machine entries are found only by the whole text
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		if _, err := w.index.ExecContext(w.ctx, id, words); err != nil {
			return err
		}
	}
	if e.Origin == Person {
		_, err = w.supersede.ExecContext(w.ctx, key, src, dst, source)
	}
	return err
}

// textID returns the id of a text in a table of texts and inserts the text if it
// is missing.
func (w *putter) textID(seen map[string]int64, table, column, text string) (int64, error) {
	if id, ok := seen[text]; ok {
		return id, nil
	}
	if _, err := w.tx.ExecContext(w.ctx, "INSERT OR IGNORE INTO "+table+" ("+column+") VALUES (?)", text); err != nil {
		return 0, err
	}
	var id int64
	err := w.tx.QueryRowContext(w.ctx, "SELECT id FROM "+table+" WHERE "+column+" = ?", text).Scan(&id)
	seen[text] = id
	return id, err
}
