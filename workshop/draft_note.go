package workshop

import (
	"database/sql"
	"encoding/json"
)

// draftNote is what a line of the conversation notes of the draft: what a lost
// database can be rebuilt from, together with the contents. The first note of a
// process has the whole draft, the others what changed since the one before.
type draftNote struct {
	Whole bool       `json:"whole,omitempty"`
	Rows  []notedRow `json:"rows"`
}

// notedRow is a row of the draft.
type notedRow struct {
	Path     string   `json:"path"`
	Kind     string   `json:"kind,omitempty"` // "" where the row left the draft
	Hash     string   `json:"hash,omitempty"`
	Size     int64    `json:"size,omitempty"`
	Base     string   `json:"base,omitempty"`
	Identity Identity `json:"identity,omitzero"`
}

// maxNoted bounds how many rows one line notes.
const maxNoted = 1000

// noteDraft makes the note of the draft at the revision upTo. wb.conv.mu is held.
func (wb *Workbench) noteDraft(tx *sql.Tx, upTo int64) error {
	n := draftNote{Whole: wb.noted < 0}
	query, args := `SELECT path, kind, hash, size, base_hash, identity FROM draft_entries`, []any{}
	if !n.Whole {
		query = `SELECT path, kind, hash, size, base_hash, identity FROM revision_entries WHERE revision>? AND revision<=? ORDER BY revision, rowid`
		args = []any{wb.noted, upTo}
	}
	rs, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	defer rs.Close()
	at := map[string]int{}
	for rs.Next() {
		var r notedRow
		var identity string
		if err := rs.Scan(&r.Path, &r.Kind, &r.Hash, &r.Size, &r.Base, &identity); err != nil {
			return err
		}
		r.Identity = loadIdentity(identity)
		if i, ok := at[r.Path]; ok {
			n.Rows[i] = r
		} else if len(n.Rows) < maxNoted {
			at[r.Path] = len(n.Rows)
			n.Rows = append(n.Rows, r)
		}
	}
	if err := rs.Err(); err != nil {
		return err
	}
	wb.note, wb.noted = nil, upTo
	if len(n.Rows) > 0 || n.Whole {
		wb.note, err = json.Marshal(n)
	}
	return err
}

// takeNote gives the note of the last mark, once. wb.conv.mu is held.
func (wb *Workbench) takeNote() []byte {
	note := wb.note
	wb.note = nil
	return note
}
