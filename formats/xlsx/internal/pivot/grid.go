package pivot

import (
	"context"
	"math"
	"slices"
	"strconv"

	"atelier/formats"
)

// Role is what a cell of a pivot table is, for its look.
type Role uint8

// The roles of cells.
const (
	HeaderCell Role = iota
	LabelCell
	ValueCell
	PageCell // the name of a page field, or what it keeps
)

// Cell is a cell of a pivot table. Row and Col count from the top left cell of its
// location; page fields are above it, at negative rows.
type Cell struct {
	Row, Col int
	V        Value
	Role     Role
	Bold     bool
	Grand    bool
	Indent   int
	Format   string // number format code, "" General
	Button   bool   // it opens the list of the items
}

// Grid is a calculated pivot table.
type Grid struct {
	Rows, Cols     int // of the location
	FirstHeaderRow int // these three as in 18.10.1.49
	FirstDataRow   int
	FirstDataCol   int
	Cells          []Cell
	RowLines       []Line
	ColLines       []Line
	Records        int // that filters let through

	t *Table
}

// Calculate calculates a pivot table from its source: it gives the fields their
// items and returns the cells.
func (t *Table) Calculate(ctx context.Context, d *Data) (*Grid, error) {
	t.Date1904 = d.Date1904
	if err := t.Intern(d); err != nil {
		return nil, err
	}
	for _, f := range t.Fields {
		if f.Group != nil && f.Group.Labels == nil {
			base := t.Fields[f.Group.Base]
			if err := f.Group.Fit(base, d.Columns[base.Column], d.Date1904); err != nil {
				return nil, err
			}
		}
	}
	present := t.present(d)
	for i, f := range t.Fields {
		f.UpdateItems(present[i])
	}
	c, err := t.filtered(ctx, d)
	if err != nil {
		return nil, err
	}
	g := &Grid{t: t}
	g.RowLines = t.linesOf(t.Rows, true, c.rows, c)
	g.ColLines = t.linesOf(t.Columns, false, c.cols, c)
	g.frame()
	if n := g.Rows * g.Cols; n > MaxOutput || g.Rows > 1<<20 || g.Cols > 1<<14 {
		return nil, formats.Errorf(formats.CodeTooLarge, "the pivot table would have %d rows and %d columns; the limit is %d cells. Use fewer fields in rows and columns, or group them", g.Rows, g.Cols, MaxOutput)
	}
	g.headers()
	g.rowLabels()
	g.colLabels()
	if err := g.values(ctx, c); err != nil {
		return nil, err
	}
	g.pages()
	return g, nil
}

// frame finds the size and where headers and values begin.
func (g *Grid) frame() {
	t := g.t
	g.FirstHeaderRow, g.FirstDataRow = 1, 1+len(t.Columns)
	switch {
	case len(t.Columns) == 0 && t.ClassicLayout:
		g.FirstDataRow = 2
	case t.onlyValues() && (t.compact() || !t.ValuesLine):
		g.FirstHeaderRow, g.FirstDataRow = 0, 1
	}
	for k := range t.Rows {
		if k == len(t.Rows)-1 || !t.sharesColumn(t.Rows[k]) {
			g.FirstDataCol++
		}
	}
	if len(t.Rows) == 0 && len(t.Columns) > 0 && !t.onlyValues() {
		g.FirstDataCol = 1
	}
	g.Rows, g.Cols = g.FirstDataRow+len(g.RowLines), g.FirstDataCol+len(g.ColLines)
	if len(t.Values) == 0 {
		g.Cols = max(1, g.FirstDataCol+len(g.ColLines)*boolInt(len(t.Columns) > 0))
	}
}

func (t *Table) onlyValues() bool { return len(t.Columns) == 1 && t.Columns[0] == ValuesField }

// compact reports whether the table has the compact layout.
func (t *Table) compact() bool {
	for _, f := range t.Fields {
		if f.Axis == RowAxis || f.Axis == ColAxis {
			return f.Compact
		}
	}
	return true
}

// sharesColumn reports whether the next field of the rows has its labels in the
// same column.
func (t *Table) sharesColumn(i int) bool {
	if i == ValuesField {
		return t.outlineValues() && t.compact()
	}
	return t.Fields[i].Compact && t.Fields[i].Outline
}

// column is the column of the labels of a field of the rows, and its indent.
func (g *Grid) column(level int) (col, indent int) {
	for _, i := range g.t.Rows[:level] {
		if g.t.sharesColumn(i) {
			indent++
		} else {
			col++
			indent = 0
		}
	}
	return col, indent
}

func (g *Grid) put(c Cell) {
	if c.V.Kind == Blank || c.V.Kind == Text && c.V.Text == "" {
		return
	}
	g.Cells = append(g.Cells, c)
}

func text(s string) Value { return Value{Kind: Text, Text: s} }

// headers writes the captions above labels.
func (g *Grid) headers() {
	t, last := g.t, g.FirstDataRow-1
	one := len(t.Values) == 1
	header := func(row, col int, s string, button bool) {
		if col < max(g.Cols, 1) {
			g.put(Cell{Row: row, Col: col, V: text(s), Role: HeaderCell, Bold: true, Button: button})
		}
	}
	switch {
	case len(t.Columns) == 0 && t.ClassicLayout:
		if one {
			header(0, 0, t.Values[0].Name, false)
		}
		header(last, g.FirstDataCol, t.Words.Total, false)
	case len(t.Columns) == 0 && one && len(t.Values) > 0:
		header(last, g.FirstDataCol, t.Values[0].Name, false)
	case len(t.Columns) > 0 && one:
		if len(t.Rows) > 0 {
			header(0, 0, t.Values[0].Name, false)
		} else if !t.onlyValues() {
			g.put(Cell{Row: g.FirstDataRow, V: text(t.Values[0].Name), Role: LabelCell})
		}
	}
	if g.FirstHeaderRow > 0 && len(t.Columns) > 0 && !t.HideHeaders {
		if t.compact() && !t.onlyValues() {
			header(0, g.FirstDataCol, t.Words.Columns, true)
		} else {
			for k, i := range t.Columns {
				header(0, g.FirstDataCol+k, t.caption(i), i != ValuesField)
			}
		}
	}
	if t.HideHeaders {
		return
	}
	for k, i := range t.Rows {
		col, indent := g.column(k)
		switch {
		case indent > 0:
		case t.sharesColumn(i) || k == len(t.Rows)-1 && t.compact() && i != ValuesField:
			header(last, col, t.Words.Rows, true)
		default:
			header(last, col, t.caption(i), i != ValuesField)
		}
	}
}

// label is what the table shows for an entry of a field.
func (t *Table) label(field, entry int) Cell {
	if field == ValuesField {
		return Cell{V: text(t.Values[entry].Name)}
	}
	f := t.Fields[field]
	if n, ok := f.place[entry]; ok && f.Items[n].Caption != "" {
		return Cell{V: text(f.Items[n].Caption)}
	}
	entries := f.entries()
	if entry < 0 || entry >= len(entries) || entries[entry].Kind == Blank {
		return Cell{V: text(t.Words.Blank)}
	}
	c := Cell{V: entries[entry]}
	if c.V.Kind == Text && c.V.Text == "" {
		c.V = text(t.Words.Blank)
	}
	return c
}

// shown is a label as text, for totals.
func (t *Table) shown(field, entry int) string {
	c := t.label(field, entry)
	if c.V.Kind != Text && field != ValuesField && t.Fields[field].label != nil {
		return t.Fields[field].label(c.V)
	}
	return c.V.Label(t.Date1904)
}

// totalLabel is the label of a total.
func (t *Table) totalLabel(l Line, fields []int) string {
	many := slices.Contains(fields, ValuesField) && !slices.Contains(fields[:len(l.Items)], ValuesField)
	if l.Kind == GrandLine {
		if many {
			return t.Words.Total + " " + t.Values[l.Value].Name
		}
		return t.Words.Grand
	}
	name := t.shown(fields[len(l.Items)-1], l.Items[len(l.Items)-1])
	if many {
		return name + " " + t.Values[l.Value].Name
	}
	return name + " " + t.Words.Total
}

// rowLabels writes the labels of rows.
func (g *Grid) rowLabels() {
	t := g.t
	if len(t.Rows) == 0 {
		return
	}
	for n, l := range g.RowLines {
		row := g.FirstDataRow + n
		if l.Kind != ItemLine {
			col, indent := 0, 0
			if l.Kind == SubtotalLine {
				col, indent = g.column(len(l.Items) - 1)
			}
			g.put(Cell{Row: row, Col: col, V: text(t.totalLabel(l, t.Rows)), Role: LabelCell, Bold: true, Grand: l.Kind == GrandLine, Indent: indent})
			continue
		}
		for k := range l.Items {
			i := t.Rows[k]
			col, indent := g.column(k)
			repeat := i != ValuesField && t.Fields[i].RepeatLabels && !t.sharesColumn(i)
			if k < l.New && !repeat {
				continue
			}
			c := t.label(i, l.Items[k])
			c.Row, c.Col, c.Role, c.Indent = row, col, LabelCell, indent
			c.Bold = len(l.Items) < len(t.Rows) && indent == 0
			c.Format = t.format(i, c.V)
			g.put(c)
		}
	}
}

// format is the number format of a label.
func (t *Table) format(field int, v Value) string {
	if v.Kind != Date {
		return ""
	}
	if f := t.Fields[field]; f.dateFormat() != "" {
		return f.dateFormat()
	}
	return "yyyy-mm-dd"
}

// colLabels writes the labels of columns.
func (g *Grid) colLabels() {
	t := g.t
	first := g.FirstDataRow - len(t.Columns)
	for n, l := range g.ColLines {
		if len(t.Columns) == 0 {
			break
		}
		col := g.FirstDataCol + n
		if l.Kind != ItemLine {
			row := first
			if l.Kind == SubtotalLine {
				row += len(l.Items) - 1
			}
			g.put(Cell{Row: row, Col: col, V: text(t.totalLabel(l, t.Columns)), Role: HeaderCell, Bold: true})
			continue
		}
		for k := l.New; k < len(l.Items); k++ {
			c := t.label(t.Columns[k], l.Items[k])
			c.Row, c.Col, c.Role, c.Bold = first+k, col, HeaderCell, true
			c.Format = t.format(t.Columns[k], c.V)
			g.put(c)
		}
	}
}

// values writes the values.
func (g *Grid) values(ctx context.Context, c *cube) error {
	t := g.t
	if len(t.Values) == 0 {
		return nil
	}
	onRows := slices.Contains(t.Rows, ValuesField)
	var shows []*shower
	for k := range t.Values {
		shows = append(shows, t.newShower(c, k))
	}
	for n, row := range g.RowLines {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !row.Shows {
			continue
		}
		for k, col := range g.ColLines {
			if !col.Shows {
				continue
			}
			value := max(col.Value, 0)
			if onRows {
				value = max(row.Value, 0)
			}
			v := shows[value].value(row.node, col.node)
			if v.Kind == Blank && t.MissingText != "" {
				v = text(t.MissingText)
				if n, err := strconv.ParseFloat(t.MissingText, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
					v = Value{Kind: Number, Num: n}
				}
			}
			if v.Kind == Error && t.ErrorText != "" {
				v = text(t.ErrorText)
			}
			bold := row.Kind != ItemLine || col.Kind != ItemLine || len(row.Items) < len(t.Rows) && g.outermost(row)
			g.put(Cell{Row: g.FirstDataRow + n, Col: g.FirstDataCol + k, V: v, Role: ValueCell, Bold: bold, Grand: row.Kind == GrandLine, Format: t.Values[value].Format})
		}
	}
	return nil
}

// outermost reports whether the label of a row that heads a group is at the left
// edge of its column.
func (g *Grid) outermost(l Line) bool {
	_, indent := g.column(max(0, len(l.Items)-1))
	return indent == 0
}

// pages writes the page fields, which are above the location with a row between.
func (g *Grid) pages() {
	t := g.t
	for k, i := range t.Pages {
		f, row := t.Fields[i], k-len(t.Pages)-1
		g.put(Cell{Row: row, V: text(t.caption(i)), Role: PageCell, Bold: true})
		c := Cell{V: text(t.Words.All)}
		hidden := slices.ContainsFunc(f.Items, func(it Item) bool { return it.Hidden })
		switch {
		case f.Selected >= 0 && f.Selected < len(f.Items):
			c = t.label(i, f.Items[f.Selected].Index)
			c.Format = t.format(i, c.V)
		case hidden:
			c.V = text(t.Words.Several)
		}
		c.Row, c.Col, c.Role, c.Button = row, 1, PageCell, true
		g.put(c)
	}
}
