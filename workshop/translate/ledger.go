package translate

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"atelier/formats"
	"atelier/internal/groupcommit"
	"atelier/internal/sqlitedb"
	"atelier/workshop"
	"atelier/workshop/translate/check"
)

// State of a segment.
type State string

// The states. A segment that was left is in the source language.
const (
	StateTranslated State = "translated"
	StateLeft       State = "left"
)

// Origin of a target.
type Origin string

// The origins.
const (
	FromMachine Origin = "machine"
	FromMemory  Origin = "memory"
	FromPerson  Origin = "person"
)

// Unit is the translation of one text: a segment's wherever it stands.
type Unit struct {
	Target string
	State  State
	Origin Origin
	Flags  []check.Finding
	run    int64
}

// Row is one segment of a finished document, in document order.
type Row struct {
	formats.Segment
	Unit
}

// Ledger is what a job has done, in a SQLite database: every text that was
// paid for, every document that was written. It may be used by several
// goroutines.
type Ledger struct {
	db   *sql.DB
	run  int64 // number of this run
	lock *flock.Flock
	puts *groupcommit.Group[*ledgerPut]

	mu      sync.Mutex
	makings map[[2]string]int64 // ids by language and recipe
}

// LedgerName is the ledger's place below an output folder.
const LedgerName = ".atelier/job.db"

// OpenLedger opens or makes the ledger of an output folder and begins a run. One
// job at a time works in a folder.
func OpenLedger(ctx context.Context, path string) (*Ledger, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("the job's folder cannot be made: %w", err)
	}
	lock := flock.New(path + ".lock")
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, workshop.Faultf(workshop.Conflict, "another job is at work in %s; wait for it, or choose another --out", filepath.Dir(filepath.Dir(path)))
	}
	// What a job left that was killed while it wrote a document.
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.tmp"))
	for _, f := range left {
		_ = os.Remove(f)
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL", Cache: 8 << 10, Checkpoint: 32 << 10})
	if err != nil {
		lock.Unlock()
		return nil, err
	}
	db.SetMaxOpenConns(1)
	l := &Ledger{db: db, lock: lock, makings: map[[2]string]int64{}}
	l.puts = groupcommit.New(lookedUp.Segments, l.putAll)
	if err := l.begin(ctx); err != nil {
		l.Close()
		return nil, workshop.Faultf(workshop.Invalid, "the job's records in %s cannot be used (%w); move them away to begin anew", path, err)
	}
	return l, nil
}

func (l *Ledger) begin(ctx context.Context) error {
	return l.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, ledgerSchema); err != nil {
			return err
		}
		var version int
		err := tx.QueryRowContext(ctx, `INSERT INTO meta VALUES ('version', ?) ON CONFLICT DO UPDATE SET value = value RETURNING value`, ledgerVersion).Scan(&version)
		if err == nil && version == 1 {
			err, version = fromVersion1(ctx, tx), ledgerVersion
		}
		if err == nil && version != ledgerVersion {
			err = fmt.Errorf("they are of version %d, this program knows %d", version, ledgerVersion)
		}
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `INSERT INTO meta VALUES ('run', 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`).Scan(&l.run)
	})
}

// Close ends the use of the ledger.
func (l *Ledger) Close() error { return errors.Join(l.db.Close(), l.lock.Unlock()) }

func (l *Ledger) tx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // fails after Commit, as it should
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// key names a text to translate: equal text under another limit is another.
type key [16]byte

func keyOf(s formats.Segment) key {
	h := sha256.New()
	h.Write([]byte(strconv.Itoa(s.MaxLength) + "\x00" + s.Text))
	return key(h.Sum(nil))
}

// making returns the id of a language with a recipe; 0 if the ledger has none.
func (l *Ledger) making(ctx context.Context, language, recipe string) (id int64, err error) {
	l.mu.Lock()
	id = l.makings[[2]string{language, recipe}]
	l.mu.Unlock()
	if id != 0 {
		return id, nil
	}
	err = l.db.QueryRowContext(ctx, `SELECT id FROM making WHERE language = ? AND recipe = ?`, language, recipe).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err == nil {
		l.mu.Lock()
		l.makings[[2]string{language, recipe}] = id
		l.mu.Unlock()
	}
	return id, err
}

// addMaking returns the id of a language with a recipe, which it adds if it is new.
func addMaking(ctx context.Context, tx *sql.Tx, language, recipe string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO making (language, recipe) VALUES (?, ?) ON CONFLICT DO UPDATE SET recipe = recipe RETURNING id`, language, recipe).Scan(&id)
	return id, err
}

// shortKey is what the index has of a key: 8 bytes of the key and of its language and
// recipe. Among a million texts, two have the same with a probability of 1 to 37
// million; then the one that came first is asked for again, since rows are compared by
// their whole key.
func shortKey(making int64, k key) int64 {
	return int64(binary.BigEndian.Uint64(k[:8]) ^ uint64(making)*0x9E3779B97F4A7C15)
}

// units looks texts up, of a language and a recipe.
func (l *Ledger) units(ctx context.Context, language, recipe string, keys []key) (map[key]Unit, error) {
	found := make(map[key]Unit, len(keys))
	making, err := l.making(ctx, language, recipe)
	if err != nil || making == 0 {
		return found, err
	}
	const most = 500 // variables of one statement
	for len(keys) > 0 {
		n := min(most, len(keys))
		args := []any{making}
		for _, k := range keys[:n] {
			args = append(args, shortKey(making, k))
		}
		asked := make(map[key]bool, n)
		for _, k := range keys[:n] {
			asked[k] = true
		}
		q := `SELECT key, target, state, origin, flags, run FROM made WHERE making = ? AND short IN (?` + strings.Repeat(",?", n-1) + `)`
		rows, err := l.db.QueryContext(ctx, q, args...)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var b, flags sql.RawBytes
			var u Unit
			err := rows.Scan(&b, &u.Target, &u.State, &u.Origin, &flags, &u.run)
			if err == nil && string(flags) != "[]" {
				err = json.Unmarshal(flags, &u.Flags)
			}
			if err != nil {
				rows.Close()
				return nil, err
			}
			if k := key(b); asked[k] {
				found[k] = u
			}
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		keys = keys[n:]
	}
	return found, nil
}

const putUnit = `INSERT INTO made (short, key, making, target, state, origin, flags, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (short) DO UPDATE SET key = excluded.key, making = excluded.making, target = excluded.target, state = excluded.state,
		origin = excluded.origin, flags = excluded.flags, run = excluded.run`

// ledgerPut are the units of one call of put.
type ledgerPut struct {
	Made
	order []key
	units map[key]Unit
	err   error
}

// put records units at once, in an order of their keys; what is committed is never asked
// for again. Calls at the same time are one transaction, since each is a sync.
func (l *Ledger) put(ctx context.Context, language, recipe string, order []key, units map[key]Unit) error {
	if err := ctx.Err(); err != nil || len(units) == 0 {
		return err
	}
	p := &ledgerPut{Made: Made{language, recipe}, order: order, units: units}
	_ = l.puts.Do(context.WithoutCancel(ctx), p, len(order)) // it waits for its end
	return p.err
}

func (l *Ledger) putAll(all []*ledgerPut) {
	ctx := context.Background()
	err := l.tx(ctx, func(tx *sql.Tx) error {
		st, err := tx.PrepareContext(ctx, putUnit)
		if err != nil {
			return err
		}
		defer st.Close()
		for _, p := range all {
			making, err := addMaking(ctx, tx, p.Language, p.Recipe)
			if err != nil {
				return err
			}
			for _, k := range p.order {
				u := p.units[k]
				if _, err := st.ExecContext(ctx, shortKey(making, k), k[:], making, u.Target, u.State, u.Origin, jsonOf(u.Flags), l.run); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, p := range all {
		p.err = err
	}
}

func jsonOf[T any](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(list)
	return string(b)
}
