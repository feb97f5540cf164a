package workshop

import (
	"database/sql"
	"fmt"
	"strings"
)

// settingLost begins the key of a content that a repair has said to be lost; the
// value is when.
const settingLost = "lost "

// uses collects what refers to which content.
func (x *examiner) uses(tx *sql.Tx) error {
	copied, err := copiedColumns(tx)
	if err != nil {
		return err
	}
	if err := queryRows(tx, func(key, _, _ string) { x.known[strings.TrimPrefix(key, settingLost)] = true },
		`SELECT key, '', '' FROM settings WHERE key LIKE '`+settingLost+`%'`); err != nil {
		return err
	}
	for _, q := range []struct{ what, query string }{
		{"the draft of PATH", `SELECT hash, path, '' FROM draft_entries`},
		{"what PATH was copied from", `SELECT copied_hash, path, '' FROM (SELECT path, ` + copied + ` FROM draft_entries)`},
		{"version ID of PATH", `SELECT hash, path, id FROM versions`},
		{"PATH in checkpoint ID", `SELECT hash, path, checkpoint_id FROM snapshot_entries`},
		{"PATH before checkpoint ID", `SELECT old_hash, path, checkpoint_id FROM checkpoint_entries`},
		{"PATH after checkpoint ID", `SELECT new_hash, path, checkpoint_id FROM checkpoint_entries`},
		{"PATH in an interrupted change", `SELECT new_hash, path, '' FROM intent_targets UNION ALL SELECT old_hash, path, '' FROM intent_targets`},
		{"an undo step of PATH", `SELECT hash, path, '' FROM revision_entries UNION ALL SELECT copied_hash, path, '' FROM (SELECT path, ` + copied + ` FROM revision_entries)`},
	} {
		err := queryRows(tx, func(hash, path, id string) {
			if hash == "" {
				return
			}
			if !validHash(hash) {
				x.find(Finding{Kind: FindReference, Paths: []Path{Path(path)}, Mendable: true,
					Message: fmt.Sprintf("a row of the database (%s) names the content %q, which is no hash", useOf(q.what, path, id), hash)})
				return
			}
			if us := x.used[hash]; len(us) < 50 {
				x.used[hash] = append(us, use{Path(path), useOf(q.what, path, id)})
			}
		}, q.query)
		if err != nil {
			return err
		}
	}
	return nil
}

// useOf puts path and id into a text of uses.
func useOf(what, path, id string) string {
	return strings.NewReplacer("PATH", path, "ID", id).Replace(what)
}

func validHash(hash string) bool {
	return len(hash) == 64 && strings.Trim(hash, "0123456789abcdef") == ""
}

// queryRows calls f with each row of three texts.
func queryRows(tx *sql.Tx, f func(a, b, c string), query string, args ...any) error {
	rs, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		var a, b, c sql.NullString
		if err := rs.Scan(&a, &b, &c); err != nil {
			return err
		}
		f(a.String, b.String, c.String)
	}
	return rs.Err()
}

// contradictions finds rows that refer to rows that are not there, and a draft that
// is not what its revisions made it.
func (x *examiner) contradictions(tx *sql.Tx) error {
	for _, q := range []struct{ message, query string }{
		{"the interrupted change %s has no checkpoint", `SELECT id, '', '' FROM intents WHERE checkpoint_id NOT IN (SELECT id FROM checkpoints)`},
		{"the checkpoint %s is not there, and rows refer to it", `SELECT DISTINCT checkpoint_id, '', '' FROM (SELECT checkpoint_id FROM checkpoint_entries UNION SELECT checkpoint_id FROM snapshot_entries) WHERE checkpoint_id NOT IN (SELECT id FROM checkpoints)`},
		{"revision %s of the draft is not there, and rows refer to it", `SELECT DISTINCT revision, '', '' FROM revision_entries WHERE revision NOT IN (SELECT id FROM revisions)`},
		{"the draft has rows and is not open (%s files)", `SELECT count(*), '', '' FROM draft_entries WHERE NOT EXISTS (SELECT 1 FROM draft) HAVING count(*)>0`},
		{"the draft has a row of an unknown kind (%s)", `SELECT path, '', '' FROM draft_entries WHERE kind NOT IN ('` + strings.Join([]string{rowFile, rowDir, rowGone, rowNoDir}, `','`) + `')`},
	} {
		err := queryRows(tx, func(a, _, _ string) {
			x.find(Finding{Kind: FindReference, Message: fmt.Sprintf(q.message, a), Mendable: true})
		}, q.query)
		if err != nil {
			return err
		}
	}
	draft, err := draftRows(tx)
	if err != nil {
		return err
	}
	made, err := rowsAt(tx, 1<<62)
	if err != nil {
		return err
	}
	for _, p := range pathsOf(draft) {
		if m, ok := made[p]; !ok || m.kind != draft[p].kind || m.hash != draft[p].hash || m.baseHash != draft[p].baseHash {
			x.find(Finding{Kind: FindReference, Paths: []Path{p}, Message: fmt.Sprintf("the draft of %s is not what its last change made it", p), Mendable: true})
		}
	}
	for _, p := range pathsOf(made) {
		if _, ok := draft[p]; !ok {
			x.find(Finding{Kind: FindReference, Paths: []Path{p}, Message: fmt.Sprintf("the draft lacks %s, which its last change left in it", p), Mendable: true})
		}
	}
	return nil
}
