package lite

import (
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Rows are the results of a query.
type Rows struct {
	c    *Conn
	stmt uintptr
}

// Column is one column of a result. Type is that of the table's column it
// shows, "" for an expression.
type Column struct{ Name, Type string }

// Columns lists the columns of the result.
func (r *Rows) Columns() []Column {
	n := sqlite3.Xsqlite3_column_count(r.c.tls, r.stmt)
	out := make([]Column, n)
	for i := range out {
		out[i].Name = strings.ToValidUTF8(libc.GoString(sqlite3.Xsqlite3_column_name(r.c.tls, r.stmt, int32(i))), "\uFFFD")
		if p := sqlite3.Xsqlite3_column_decltype(r.c.tls, r.stmt, int32(i)); p != 0 {
			out[i].Type = libc.GoString(p)
		}
	}
	return out
}

// Next moves to the next row; false at the end.
func (r *Rows) Next() (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(r.c.tls, r.stmt); rc & 0xff {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, r.c.guard.explain(r.c.check(rc))
	}
}

// Value is column i of the row: nil, int64, float64 or string. Bytes that are
// not text come as a string of hexadecimal digits.
func (r *Rows) Value(i int) any {
	tls, n := r.c.tls, int32(i)
	switch sqlite3.Xsqlite3_column_type(tls, r.stmt, n) {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(tls, r.stmt, n)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(tls, r.stmt, n)
	case sqlite3.SQLITE_TEXT:
		return strings.ToValidUTF8(string(r.bytes(n)), "\uFFFD")
	case sqlite3.SQLITE_BLOB:
		const digits = "0123456789abcdef"
		b := r.bytes(n)
		out := make([]byte, 0, 2*len(b))
		for _, c := range b {
			out = append(out, digits[c>>4], digits[c&15])
		}
		return string(out)
	}
	return nil
}

func (r *Rows) bytes(n int32) []byte {
	p := sqlite3.Xsqlite3_column_blob(r.c.tls, r.stmt, n)
	if size := sqlite3.Xsqlite3_column_bytes(r.c.tls, r.stmt, n); p != 0 && size > 0 {
		return libc.GoBytes(p, int(size))
	}
	return nil
}

// Close ends the query.
func (r *Rows) Close() {
	if r.stmt != 0 {
		sqlite3.Xsqlite3_finalize(r.c.tls, r.stmt)
		r.stmt = 0
	}
}

// Rounder is the function round of SQL.
type Rounder struct {
	c    *Conn
	stmt uintptr
}

// Rounder returns the function, which is to be closed before the connection.
func (c *Conn) Rounder() (*Rounder, error) {
	r := &Rounder{c: c}
	err := c.with("SELECT round(?1, ?2)", func(z uintptr) (err error) {
		r.stmt, _, err = c.prepare(z)
		return err
	})
	return r, err
}

// Round returns an int64 or float64 rounded to so many digits, and nil for nil.
func (r *Rounder) Round(v any, digits int) (any, error) {
	tls := r.c.tls
	sqlite3.Xsqlite3_reset(tls, r.stmt)
	switch v := v.(type) {
	case int64:
		sqlite3.Xsqlite3_bind_int64(tls, r.stmt, 1, v)
	case float64:
		sqlite3.Xsqlite3_bind_double(tls, r.stmt, 1, v)
	default:
		return nil, nil
	}
	sqlite3.Xsqlite3_bind_int64(tls, r.stmt, 2, int64(digits))
	row := Rows{r.c, r.stmt}
	if more, err := row.Next(); err != nil || !more {
		return nil, err
	}
	return row.Value(0), nil
}

// Close frees the function.
func (r *Rounder) Close() {
	if r.stmt != 0 {
		sqlite3.Xsqlite3_finalize(r.c.tls, r.stmt)
		r.stmt = 0
	}
}
