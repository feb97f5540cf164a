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
