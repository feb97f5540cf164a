package workshop

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"atelier/formats"
)

// rebuild fills a new database with what can be read of the damaged one, what the
// conversation notes of the draft, and a checkpoint of the contents that nothing
// names any more.
func (r *repair) rebuild(ctx context.Context, db *sql.DB, old string) error {
	noted, entries, err := r.notedDraft()
	if err != nil {
		return err
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		names, err := tables(tx)
		if err != nil {
			return err
		}
		s, err := salvage(ctx, old, tx, names)
		if err != nil {
			return err
		}
		r.tellSalvaged(s)
		if err := r.missingRows(tx, entries); err != nil {
			return err
		}
		if err := r.missingContents(ctx, tx); err != nil {
			return err
		}
		if err := r.draft(ctx, tx, s, noted); err != nil {
			return err
		}
		if err := r.settle(tx); err != nil {
			return err
		}
		if err := r.nameContents(ctx, tx); err != nil {
			return err
		}
		return r.endUndo(tx, s)
	})
}

// missingContents finds the contents that rows name and that are not there, which
// could not be known while the rows could not be read.
func (r *repair) missingContents(ctx context.Context, tx *sql.Tx) error {
	now := examiner{used: map[string][]use{}, known: map[string]bool{}}
	if err := now.uses(tx); err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(now.used)) {
		if _, looked := r.sound[hash]; looked {
			continue
		}
		r.sound[hash] = false
		if where := r.whereElse(ctx, hash); where != "" {
			if err := r.mendContent(ctx, hash); err != nil {
				return err
			}
			r.sound[hash] = true
			r.Mended = append(r.Mended, fmt.Sprintf("the kept content %.12s… from %s", hash, where))
		} else if !now.known[hash] {
			r.Lost = append(r.Lost, fmt.Sprintf("the kept content %.12s… (%s), which is missing", hash, now.used[hash][0].what))
		}
	}
	return nil
}

// endUndo has no undo go back behind the repair when what undo steps rest on was
// hurt: it would take other states for those of the messages.
func (r *repair) endUndo(tx *sql.Tx, s salvaged) error {
	if !s.hurt("marks", "revisions", "revision_entries", "checkpoints", "checkpoint_entries") {
		return nil
	}
	m, err := momentIn(tx)
	if err != nil {
		return err
	}
	r.Lost = append(r.Lost, "undo to messages from before this repair; later ones can be undone")
	return raiseFloor(tx, m)
}

// tellSalvaged says what the new database has and lacks.
func (r *repair) tellSalvaged(s salvaged) {
	if s.nothing {
		r.Lost = append(r.Lost, "the state database: checkpoints, versions, the tool log, usage and settings; the draft is what the conversation notes of it")
		return
	}
	n := 0
	for _, rows := range s.rows {
		n += rows
	}
	r.Mended = append(r.Mended, fmt.Sprintf("the state database: %s could be read", formats.Count(n, "row", "rows")))
	for _, t := range slices.Sorted(maps.Keys(s.broken)) {
		r.Lost = append(r.Lost, fmt.Sprintf("rows of %s: %s could be read, not those between (%s)", t, formats.Count(s.rows[t], "row", "rows"), s.broken[t]))
	}
	if s.invalid > 0 {
		r.Lost = append(r.Lost, fmt.Sprintf("%s of the state database that named no valid content", formats.Count(s.invalid, "row", "rows")))
	}
}

// missingRows adds rows that others refer to and that are lost, and has numbers
// that the conversation knows never given again.
func (r *repair) missingRows(tx *sql.Tx, entries int64) error {
	now := stamp(r.h.opt.Now())
	var ids, snapshots []string
	if err := queryRows(tx, func(id, reason, _ string) { ids, snapshots = append(ids, id), append(snapshots, reason) },
		`SELECT id, max(reason), '' FROM (SELECT checkpoint_id AS id, '' AS reason FROM checkpoint_entries UNION SELECT checkpoint_id, 'manual' FROM snapshot_entries UNION SELECT checkpoint_id, '' FROM intents)
			WHERE id NOT IN (SELECT id FROM checkpoints) GROUP BY id ORDER BY id`); err != nil {
		return err
	}
	for i, id := range ids {
		// Ids are in the order of time, as the numbers of rows are.
		var at int64
		if err := tx.QueryRow(`SELECT coalesce(max(rowid),0)+1 FROM checkpoints WHERE id<?`, id).Scan(&at); err != nil {
			return err
		}
		reason := first(snapshots[i], ReasonPublish)
		if _, err := tx.Exec(`INSERT INTO checkpoints (rowid,id,at,reason,description) SELECT CASE WHEN EXISTS (SELECT 1 FROM checkpoints WHERE rowid=?1) THEN NULL ELSE ?1 END,?2,?3,?4,'when it was made is lost'`, at, id, now, reason); err != nil {
			return err
		}
		r.Lost = append(r.Lost, "when and why checkpoint "+id+" was made; what it restores is there")
	}
	for _, q := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO revisions (id,draft_id,message_id,tool,author,at) SELECT DISTINCT revision,'','','repair','user',?1 FROM revision_entries WHERE revision NOT IN (SELECT id FROM revisions)`, []any{now}},
		{`INSERT INTO sqlite_sequence (name,seq) SELECT 'revisions',0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name='revisions')`, nil},
		{`UPDATE sqlite_sequence SET seq=max(seq, (SELECT coalesce(max(revision),0) FROM marks)) WHERE name='revisions'`, nil},
		{`INSERT INTO sqlite_sequence (name,seq) SELECT 'tool_log',0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name='tool_log')`, nil},
		{`UPDATE sqlite_sequence SET seq=max(seq,?1) WHERE name='tool_log'`, []any{entries}},
	} {
		if _, err := tx.Exec(q.query, q.args...); err != nil {
			return err
		}
	}
	return nil
}

// notedDraft returns the draft as the conversation notes it where it stands, and the
// highest number of a tool log entry that it names.
func (r *repair) notedDraft() (map[Path]row, int64, error) {
	c := &Conversation{path: filepath.Join(r.dir, "conversation.jsonl"), readOnly: true}
	notes := map[string]draftNote{}
	var entries int64
	err := c.scan(func(rec Record, line []byte) {
		if n, ok := rec.Metadata["entry_id"].(float64); ok {
			entries = max(entries, int64(n))
		}
		var noted struct{ Draft *draftNote }
		if json.Unmarshal(line, &noted) == nil && noted.Draft != nil {
			notes[rec.MessageID] = *noted.Draft
		}
	}, func(damagedLine) {})
	if err != nil {
		return nil, 0, err
	}
	live, err := c.Records()
	if err != nil {
		return nil, 0, err
	}
	draft := map[Path]row{}
	for _, rec := range live {
		n, ok := notes[rec.MessageID]
		if ok && n.Whole {
			clear(draft)
		}
		for _, x := range n.Rows {
			if x.Kind == rowAbsent {
				delete(draft, Path(x.Path))
				continue
			}
			draft[Path(x.Path)] = row{kind: x.Kind, hash: x.Hash, size: x.Size, baseHash: x.Base, modified: rec.CreatedAt, identity: x.Identity}
		}
	}
	return draft, entries, nil
}

// draft makes the draft what rows, their log and the conversation say it was.
func (r *repair) draft(ctx context.Context, tx *sql.Tx, s salvaged, noted map[Path]row) error {
	want, err := draftRows(tx)
	if err != nil {
		return err
	}
	made, err := rowsAt(tx, 1<<62)
	if err != nil {
		return err
	}
	lost := s.hurt("draft_entries") || r.wants(FindReference)
	logLost := s.hurt("revision_entries", "revisions")
	for _, p := range pathsOf(made) {
		m := made[p]
		w, ok := want[p]
		if !ok && lost || ok && !r.has(w) && r.has(m) {
			want[p] = m
			r.Mended = append(r.Mended, fmt.Sprintf("the draft of %s, from the log of its changes", p))
		}
	}
	for _, p := range pathsOf(noted) {
		n := noted[p]
		w, ok := want[p]
		if (!ok && lost && logLost || ok && !r.has(w) && r.has(n)) && !r.isPublished(ctx, p, n) {
			want[p] = n
			r.Mended = append(r.Mended, fmt.Sprintf("the draft of %s, as the conversation notes it", p))
		}
	}
	for _, p := range pathsOf(want) {
		w := want[p]
		if !validRowKind(w.kind) {
			delete(want, p)
			r.Lost = append(r.Lost, fmt.Sprintf("the draft of %s, whose row says %q", p, w.kind))
		}
	}
	return r.saveDraft(tx, want, made)
}

func validRowKind(kind string) bool {
	return slices.Contains([]string{rowFile, rowDir, rowGone, rowNoDir}, kind)
}

// has reports whether the content of a row is whole.
func (r *repair) has(w row) bool { return w.kind != rowFile || r.sound[w.hash] }

// isPublished reports whether a row changes nothing.
func (r *repair) isPublished(ctx context.Context, p Path, w row) bool {
	if r.wb == nil {
		return false
	}
	now, err := r.wb.hashNow(ctx, p)
	return err == nil && (w.kind == rowFile && now == w.hash || w.kind == rowGone && now == "")
}

// saveDraft makes want the draft, and the log of its changes agree.
func (r *repair) saveDraft(tx *sql.Tx, want, made map[Path]row) error {
	now := r.h.opt.Now().UTC()
	st, err := readDraft(tx)
	if err != nil {
		return err
	}
	if !st.HasDraft && len(want) > 0 {
		st.ID = r.h.opt.NewID()
		if _, err := tx.Exec(`INSERT INTO draft VALUES (?,?,?,?)`, st.ID, stamp(now), "workshop", "agent"); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`DELETE FROM draft_entries`); err != nil {
		return err
	}
	rev, err := newRevision(tx, st.ID, Cause{Tool: "repair", Author: "user"}, now)
	if err != nil {
		return err
	}
	for _, p := range pathsOf(want) {
		if err := saveRow(tx, rev, p, want[p]); err != nil {
			return err
		}
	}
	for _, p := range pathsOf(made) {
		if _, ok := want[p]; !ok {
			if err := saveRow(tx, rev, p, row{kind: rowAbsent}); err != nil {
				return err
			}
		}
	}
	return dropEmptyDraft(tx)
}

// settle takes files whose content is lost out of the draft, and remembers which
// contents are lost, so that they are told once.
func (r *repair) settle(tx *sql.Tx) error {
	now := r.h.opt.Now().UTC()
	draft, err := draftRows(tx)
	if err != nil {
		return err
	}
	st, err := readDraft(tx)
	if err != nil {
		return err
	}
	for _, p := range pathsOf(draft) {
		if r.has(draft[p]) {
			continue
		}
		rev, err := newRevision(tx, st.ID, Cause{Tool: "repair", Author: "user"}, now)
		if err == nil {
			err = saveRow(tx, rev, p, row{kind: rowAbsent})
		}
		if err != nil {
			return err
		}
		r.Lost = append(r.Lost, fmt.Sprintf("the draft of %s: it does not change that file any more", p))
	}
	for hash, whole := range r.sound {
		if whole {
			continue
		}
		if _, err := tx.Exec(`INSERT OR REPLACE INTO settings VALUES (?,?)`, settingLost+hash, stamp(now)); err != nil {
			return err
		}
	}
	return dropEmptyDraft(tx)
}

// nameContents makes a checkpoint of the whole contents that no row names and no
// published file has, or garbage collection would remove what only the lost rows
// named.
func (r *repair) nameContents(ctx context.Context, tx *sql.Tx) error {
	named := examiner{used: map[string][]use{}, known: map[string]bool{}}
	if err := named.uses(tx); err != nil {
		return err
	}
	published := r.published(ctx)
	var hashes []string
	for hash, whole := range r.sound {
		if _, same := published[hash]; whole && !same && named.used[hash] == nil {
			hashes = append(hashes, hash)
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	sort.Strings(hashes)
	id, at := r.h.opt.NewID(), stamp(r.h.opt.Now())
	if _, err := tx.Exec(`INSERT INTO checkpoints VALUES (?,?,?,?)`, id, at, ReasonManual, "contents that a repair found without a name"); err != nil {
		return err
	}
	for _, hash := range hashes {
		p, size := "recovered/"+hash[:12]+r.extension(hash), r.objects.size(hash)
		if _, err := tx.Exec(`INSERT INTO snapshot_entries VALUES (?,?,?,?)`, id, p, hash, size); err != nil {
			return err
		}
		v := version{Version{ID: r.h.opt.NewID(), Hash: hash, Size: size, Author: "user", CheckpointID: id, At: r.h.opt.Now()}, Path(p), ""}
		if err := v.insert(tx); err != nil {
			return err
		}
	}
	r.Mended = append(r.Mended, fmt.Sprintf("%s whose names are lost: checkpoint %s restores them as recovered/…", formats.Count(len(hashes), "content", "contents"), id))
	return nil
}

// extension returns what a content's name ends with, as far as its bytes tell.
func (r *repair) extension(hash string) string {
	f, st, err := r.objects.openRaw(hash)
	if err != nil {
		return ""
	}
	defer f.Close()
	kind, err := formats.KindOf(f, st.Size(), "")
	switch {
	case err != nil || kind == formats.KindBinary || kind == formats.KindImage:
		return ""
	case kind == formats.KindText:
		return ".txt"
	}
	return "." + strings.ToLower(string(kind))
}
