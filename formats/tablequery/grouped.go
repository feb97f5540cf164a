package tablequery

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	columns "atelier/formats/tablequery/internal/column"
	"atelier/formats/tablequery/internal/lite"
	"atelier/internal/quote"
)

// grouped answers a question that groups and sums up one table, if it is plain
// enough, from the table's columns; done is false when SQLite has to. SQLite
// has prepared the question in either case: what it says of names and types
// holds.
func (s *Store) grouped(ctx context.Context, c *lite.Conn, r *lite.Rows, q Query, db *database, sh *tableShape, columnsOf func([]ResultColumn) error, row func(value func(i int) any) error) (done bool, err error) {
	if len(q.Tables) != 1 {
		return false, nil
	}
	plan, ok := columns.Parse(q.SQL, sh.names(), callNames(q.Tables[0], sh))
	if !ok {
		return false, nil
	}
	round, err := c.Rounder()
	if err != nil {
		return false, err
	}
	defer round.Close()
	rows, ok, err := db.columns.Run(ctx, plan, round.Round, expressions(ctx, c, q.Steps))
	if err != nil || !ok {
		return false, err
	}
	if e, err := s.acquire(ctx, q.Tables[0].key()); err == nil {
		s.release(e) // the columns read are counted
	}
	cols := resultColumns(r)
	if err := columnsOf(cols); err != nil {
		return false, err
	}
	for _, values := range rows {
		if err := row(func(i int) any { return shownValue(values[i], cols[i]) }); err != nil {
			return true, err
		}
	}
	return true, nil
}

// names are the names of the columns.
func (s *tableShape) names() []string {
	names := make([]string, len(s.cols))
	for i, c := range s.cols {
		names[i] = c.Name
	}
	return names
}

// expressions lets SQLite make the values of an expression for rows of the first table.
// It returns no values where SQLite refuses one of them: the question itself tells why.
func expressions(ctx context.Context, c *lite.Conn, steps int64) columns.Expression {
	return func(sql, called string, rows []int) (values []any, err error) {
		const atOnce = 5000 // a statement has a limited length
		for list := range slices.Chunk(rows, atOnce) {
			var ids []byte
			for i, row := range list {
				if i > 0 {
					ids = append(ids, ',')
				}
				ids = strconv.AppendInt(ids, int64(row)+1, 10)
			}
			r, err := c.Query(ctx, "SELECT "+sql+" FROM main.data AS "+quote.Double(called)+" WHERE "+quote.Double(called)+".rowid IN ("+string(ids)+") ORDER BY "+quote.Double(called)+".rowid", steps)
			for more := true; err == nil; {
				if more, err = r.Next(); !more {
					break
				}
				values = append(values, r.Value(0))
			}
			if r != nil {
				r.Close()
			}
			if err != nil {
				return nil, ctx.Err()
			}
		}
		return values, nil
	}
}

// callNames returns the names that SQL can call the first table by, in lower
// case.
func callNames(ref Ref, sh *tableShape) []string {
	base := path.Base(ref.Source.Name())
	out := []string{"data"}
	for _, n := range []string{ref.Name, sh.info.Table, sh.info.Sheet, strings.TrimSuffix(base, path.Ext(base))} {
		if n != "" {
			out = append(out, strings.ToLower(n))
		}
	}
	return out
}
