package workshop

import (
	"database/sql"
	"slices"
	"strings"
)

// bulkRows is how many rows or values one statement takes: a statement for each costs
// several times as much.
const bulkRows = 100

// bulk inserts rows into a table. flush ends it.
type bulk struct {
	tx     *sql.Tx
	insert string // up to VALUES
	args   []any
	rows   int
}

func newBulk(tx *sql.Tx, insert string) *bulk { return &bulk{tx: tx, insert: insert} }

// add inserts a row, now or later.
func (b *bulk) add(args ...any) error {
	b.args = append(b.args, args...)
	if b.rows++; b.rows < bulkRows {
		return nil
	}
	return b.flush()
}

// flush inserts what add was given.
func (b *bulk) flush() error {
	if b.rows == 0 {
		return nil
	}
	row := "(" + marks(len(b.args)/b.rows) + ")"
	_, err := b.tx.Exec(b.insert+" VALUES "+strings.Repeat(row+",", b.rows-1)+row, b.args...)
	b.args, b.rows = b.args[:0], 0
	return err
}

// marks returns n placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// inParts calls f with at most bulkRows values at a time and as many placeholders.
func inParts[S ~string](values []S, f func(marks string, args []any) error) error {
	for part := range slices.Chunk(values, bulkRows) {
		args := make([]any, len(part))
		for i, v := range part {
			args[i] = string(v)
		}
		if err := f(marks(len(args)), args); err != nil {
			return err
		}
	}
	return nil
}

// found adds to out what a query with one column, which ends with "IN (", finds for values.
func found[S ~string](tx *sql.Tx, query string, values []S, out map[string]bool) error {
	return inParts(values, func(marks string, args []any) error {
		rs, err := tx.Query(query+marks+")", args...)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var s string
			if err := rs.Scan(&s); err != nil {
				return err
			}
			out[s] = true
		}
		return rs.Err()
	})
}
