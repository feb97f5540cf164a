package main

import (
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// tableCell is a cell of a table, on one line.
type tableCell struct {
	text  string // with its styles
	plain string
	wide  int
}

// table writes a table in columns, or with one line for each cell if the
// columns do not fit.
func (d *laidOut) table(t *east.Table, first, rest string) {
	var rows [][]tableCell
	var widths []int
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		style := ""
		if r.Kind() == east.KindTableHeader {
			style = d.styles.head
		}
		row := d.cells(r, style)
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], c.wide)
		}
		rows = append(rows, row)
	}
	total := uniseg.StringWidth(first) - 2
	for _, w := range widths {
		total += w + 2
	}
	if total > d.width {
		d.narrowTable(rows, first, rest)
		return
	}
	for i, row := range rows {
		d.line(first + d.tableRow(t, row, widths))
		first = rest
		if i == 0 {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			d.line(rest + strings.Join(rule, "  "))
		}
	}
}

func (d *laidOut) cells(row ast.Node, style string) (list []tableCell) {
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		var cell tableCell
		spans := d.spans(c, style)
		cell.plain = plainSpans(spans)
		for _, s := range spans {
			cell.text += d.styled(strings.ReplaceAll(s.text, "\n", " "), s.style)
		}
		cell.wide = uniseg.StringWidth(cell.plain)
		list = append(list, cell)
	}
	return list
}

func (d *laidOut) tableRow(t *east.Table, row []tableCell, widths []int) string {
	var parts []string
	for i, c := range row {
		pad := strings.Repeat(" ", widths[i]-c.wide)
		if i < len(t.Alignments) && t.Alignments[i] == east.AlignRight {
			parts = append(parts, pad+c.text)
		} else {
			parts = append(parts, c.text+pad)
		}
	}
	return strings.TrimRight(strings.Join(parts, "  "), " ")
}

// narrowTable writes each cell on a separate line, after the heading of its
// column.
func (d *laidOut) narrowTable(rows [][]tableCell, first, rest string) {
	for r, row := range rows[1:] {
		if r > 0 {
			d.line(strings.TrimRight(rest, " "))
		}
		for i, c := range row {
			d.wrap([]span{{rows[0][i].plain + ":", d.styles.head}, {" " + c.plain, ""}}, first, rest+"  ")
			first = rest
		}
	}
	if len(rows) == 1 {
		for _, c := range rows[0] {
			d.wrap([]span{{c.plain, d.styles.head}}, first, rest)
			first = rest
		}
	}
}
