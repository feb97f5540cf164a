package workshop

import (
	"context"
	"database/sql"
)

// keepCopied puts the content that a file is copied from into the store, where
// it stays while a row names it.
func (v draftView) keepCopied(ctx context.Context, c *Copied) (copied, error) {
	if c == nil || v.live {
		return copied{}, nil // a live view has no draft to review
	}
	hash, _, err := v.wb.objects.put(ctx, c.Source.Size(), copyOf(c.Source)) // a file that is there is not too large
	return copied{hash, c.From}, err
}

// copiedFrom returns what a row for p, or for where p is moved to, was copied from:
// now, or before.
func (v draftView) copiedFrom(p Path, now copied) copied {
	if now.hash != "" {
		return now
	}
	if r, ok := v.overlay(p); ok && r.kind == rowFile {
		return r.copied
	}
	return copied{}
}

// copiedColumns returns the columns of a row's copied. A reader may see a state
// that an older program wrote, to which it cannot add them; migrate adds those
// of all tables.
func copiedColumns(tx *sql.Tx) (string, error) {
	var n int
	err := tx.QueryRow(`SELECT count(*) FROM pragma_table_info('revision_entries') WHERE name='copied_from'`).Scan(&n)
	if n == 0 {
		return `'' AS copied_hash, '' AS copied_from`, err
	}
	return `copied_hash, copied_from`, err
}
