package lite

import "context"

// Reads returns what a query reads of the table of the main database: the columns that
// its compiled program reads, by place, and the names of all columns that the statement
// names, in lower case, read or not. The connection must be locked. The answer holds for
// every main database whose table has the same columns. ok is false where the statement
// cannot be compiled, or copies whole rows.
func (c *Conn) Reads(ctx context.Context, sql string) (places map[int]bool, names map[string]bool, ok bool) {
	c.guard.named = map[string]bool{}
	defer func() { c.guard.named = nil }()
	r, err := c.Query(ctx, "EXPLAIN "+sql, 1<<20)
	if err != nil {
		return nil, nil, false
	}
	defer r.Close()
	// The columns of EXPLAIN (sqlite.org/opcode.html): address, opcode, P1 to P5.
	const opcode, p1, p2, p3 = 1, 2, 3, 4
	cursors, places := map[int64]bool{}, map[int]bool{}
	for {
		more, err := r.Next()
		if err != nil {
			return nil, nil, false
		}
		if !more {
			return places, c.guard.named, true
		}
		cursor, _ := r.Value(p1).(int64)
		at, _ := r.Value(p2).(int64)
		switch r.Value(opcode) {
		case "OpenRead":
			// Page 1 of the main database, which has number 0, is the schema.
			if schema, _ := r.Value(p3).(int64); schema == 0 && at != 1 {
				cursors[cursor] = true
			}
		case "Column":
			if cursors[cursor] {
				places[int(at)] = true
			}
		case "RowData", "RowCell", "Offset":
			if cursors[cursor] {
				return nil, nil, false
			}
		case "OpenDup":
			if cursors[at] {
				return nil, nil, false
			}
		}
	}
}
