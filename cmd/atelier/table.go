package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// table prints a list in aligned columns. Columns are as wide as the whole
// list needs, so it is printed by print.
type table struct{ w *tabwriter.Writer }

// newTable starts a table with a heading for each column; without headings it
// has no heading line.
func newTable(out io.Writer, headings ...any) *table {
	t := &table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	if len(headings) > 0 {
		t.addRow(headings...)
	}
	return t
}

func (t *table) addRow(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t.w, "\t")
		}
		fmt.Fprint(t.w, c)
	}
	fmt.Fprintln(t.w)
}

func (t *table) print() error { return t.w.Flush() }
