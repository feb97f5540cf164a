package translate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
)

// Record is a document in one language as the ledger knows it.
type Record struct {
	Output, Input, Language string
	SourceHash, Recipe      string
	OutputHash              string
	Status                  Status
	again                   int
	beforeHash              string
	id                      int64
}

// statusWriting is between the record and the file's being in place: a job that
// ends there finds out by the hashes.
const statusWriting Status = "writing"

// record of an output, nil when there is none.
func (l *Ledger) record(ctx context.Context, output string) (*Record, error) {
	r := Record{Output: output}
	err := l.db.QueryRowContext(ctx, `SELECT id, input, language, source_hash, recipe, output_hash, before_hash, status, again FROM document WHERE output = ?`, output).
		Scan(&r.id, &r.Input, &r.Language, &r.SourceHash, &r.Recipe, &r.OutputHash, &r.beforeHash, &r.Status, &r.again)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &r, err
}

// writing records a document that is about to be put into place, with its rows.
func (l *Ledger) writing(ctx context.Context, r *Record, rows iter.Seq2[workRow, error]) error {
	return l.tx(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `INSERT INTO document (output, input, language, source_hash, recipe, output_hash, before_hash, status, again) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (output) DO UPDATE SET input = excluded.input, language = excluded.language, source_hash = excluded.source_hash, recipe = excluded.recipe,
				output_hash = excluded.output_hash, before_hash = excluded.before_hash, status = excluded.status, again = excluded.again RETURNING id`,
			r.Output, r.Input, r.Language, r.SourceHash, r.Recipe, r.OutputHash, r.beforeHash, statusWriting, r.again).Scan(&r.id)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM segment WHERE document = ?`, r.id); err != nil {
			return err
		}
		st, err := tx.PrepareContext(ctx, `INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return err
		}
		defer st.Close()
		i := 0
		for s, err := range rows {
			if err != nil {
				return err
			}
			if _, err := st.ExecContext(ctx, r.id, i, s.ID, s.Place, s.Part, jsonOf(s.Notes), s.MaxLength, s.Text, s.Target, s.State, s.Origin, jsonOf(s.Flags)); err != nil {
				return err
			}
			i++
		}
		return nil
	})
}

// correcting records a document that is about to be put into place, with the rows at
// these positions, which changed.
func (l *Ledger) correcting(ctx context.Context, r *Record, rows []Row, touched []int) error {
	return l.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE document SET output_hash = ?, before_hash = ?, status = ?, again = ? WHERE id = ?`, r.OutputHash, r.beforeHash, statusWriting, r.again, r.id); err != nil {
			return err
		}
		st, err := tx.PrepareContext(ctx, `UPDATE segment SET target = ?, state = ?, origin = ?, flags = ? WHERE document = ? AND position = ?`)
		if err != nil {
			return err
		}
		defer st.Close()
		for _, i := range touched {
			if _, err := st.ExecContext(ctx, rows[i].Target, rows[i].State, rows[i].Origin, jsonOf(rows[i].Flags), r.id, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// written records that the document is in place.
func (l *Ledger) written(ctx context.Context, r *Record) error {
	_, err := l.db.ExecContext(ctx, `UPDATE document SET status = ? WHERE id = ?`, r.Status, r.id)
	return err
}

// Records lists the documents of the ledger by output.
func (l *Ledger) Records(ctx context.Context) ([]Record, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT id, output, input, language, source_hash, recipe, output_hash, status, again FROM document ORDER BY output`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Record
	for rows.Next() {
		var r Record
		if err := rows.Scan(&r.id, &r.Output, &r.Input, &r.Language, &r.SourceHash, &r.Recipe, &r.OutputHash, &r.Status, &r.again); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// flagged counts the segments of a document with flags.
func (l *Ledger) flagged(ctx context.Context, r Record) (n int, err error) {
	err = l.db.QueryRowContext(ctx, `SELECT count(*) FROM segment WHERE document = ? AND flags <> '[]'`, r.id).Scan(&n)
	return n, err
}

// Rows are the segments of a record in document order, a page at a time, so
// that memory stays flat. A row with an error ends them.
func (l *Ledger) Rows(ctx context.Context, r Record) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		const page = 500
		for at := 0; ; at += page {
			rows, err := l.page(ctx, r.id, at, page)
			if err != nil {
				yield(Row{}, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if len(rows) < page {
				return
			}
		}
	}
}

func (l *Ledger) page(ctx context.Context, id int64, at, n int) ([]Row, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT id, place, part, notes, max_length, source, target, state, origin, flags FROM segment
		WHERE document = ? AND position >= ? AND position < ? ORDER BY position`, id, at, at+n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Row
	for rows.Next() {
		var r Row
		var notes, flags string
		err := rows.Scan(&r.ID, &r.Place, &r.Part, &notes, &r.MaxLength, &r.Text, &r.Target, &r.State, &r.Origin, &flags)
		if err := errors.Join(err, json.Unmarshal([]byte(notes), &r.Notes), json.Unmarshal([]byte(flags), &r.Flags)); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}
