package workshop

import (
	"context"
	"database/sql"

	"atelier/formats"
)

// maxCalculated bounds the marks that a workbench keeps; the oldest go.
const maxCalculated = 20_000

// markCalculated notes that a content has values that Atelier calculated.
func (wb *Workbench) markCalculated(ctx context.Context, hash string) error {
	return wb.inTxLater(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT OR IGNORE INTO calculated (hash) VALUES (?)`, hash); err != nil {
			return err
		}
		_, err := tx.Exec(`DELETE FROM calculated WHERE id <= (SELECT max(id) FROM calculated) - ?`, maxCalculated)
		return err
	})
}

// isCalculated reports whether a content is marked by markCalculated.
func (wb *Workbench) isCalculated(ctx context.Context, hash string) (marked bool, err error) {
	if hash == "" {
		return false, nil
	}
	err = inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		var n int
		// A reader may see a state that an older program wrote.
		if err := tx.QueryRow(`SELECT count(*) FROM sqlite_master WHERE type='table' AND name='calculated'`).Scan(&n); err != nil || n == 0 {
			return err
		}
		err := tx.QueryRow(`SELECT count(*) FROM calculated WHERE hash=?`, hash).Scan(&n)
		marked = n > 0
		return err
	})
	return marked, err
}

// withCalculated sets Entry.Calculated.
func (wb *Workbench) withCalculated(ctx context.Context, e Entry, err error) (Entry, error) {
	if err == nil && e.Kind == formats.KindXlsx {
		e.Calculated, err = wb.isCalculated(ctx, e.Hash)
	}
	return e, err
}

// noteCalculated marks what was put, if values in it were calculated now or are from
// a file that is marked.
func (v draftView) noteCalculated(ctx context.Context, hash string, opt PutOptions, from copied) error {
	if opt.Calculated == nil {
		return nil
	}
	now := *opt.Calculated
	for _, base := range []string{opt.BaseHash, from.hash} {
		if now {
			break
		}
		var err error
		if now, err = v.wb.isCalculated(ctx, base); err != nil {
			return err
		}
	}
	if !now {
		return nil
	}
	return v.wb.markCalculated(ctx, hash)
}
