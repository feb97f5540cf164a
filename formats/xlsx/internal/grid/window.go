package grid

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// Bounds of one window.
const (
	maxRows, maxColumns  = 1000, 500
	rowsUsual, colsUsual = 100, 30
	maxCells             = 20_000
	maxText              = 1 << 20 // bytes
	maxShown             = 1000    // characters of a text, unless its cell is asked for alone
)

// Viewer implements formats.SheetViewer.
type Viewer struct{}

// SheetWindow returns a window of a sheet.
func (Viewer) SheetWindow(ctx context.Context, src formats.Source, req formats.SheetRequest) (*formats.SheetWindow, error) {
	if err := check(&req); err != nil {
		return nil, err
	}
	wb, err := book.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	w, err := readWindow(ctx, wb, req)
	return w, book.Typed(err, src.Name())
}

func check(req *formats.SheetRequest) error {
	for _, m := range []struct {
		name     string
		v        *int
		def, top int
	}{{"row", &req.Row, 1, cellref.MaxRow}, {"column", &req.Column, 1, cellref.MaxCol}, {"rows", &req.Rows, rowsUsual, maxRows}, {"columns", &req.Columns, colsUsual, maxColumns}} {
		if *m.v < 0 || *m.v > m.top {
			return formats.Errorf(formats.CodeInvalid, "%s is %d; it is 1 to %d", m.name, *m.v, m.top)
		}
		if *m.v == 0 {
			*m.v = m.def
		}
	}
	return nil
}

// window is a window that is being read.
type window struct {
	*formats.SheetWindow
	req    formats.SheetRequest
	last   cellref.Cell // of the window
	book   *bookFacts
	d      *book.Display
	styles map[int]int // places in Styles by the index of the file
	cells  int
	text   int // bytes
	full   bool
	wanted []wantedText
}

// wantedText is a cell whose text is in a large string table.
type wantedText struct{ row, cell, item, style int }

func readWindow(ctx context.Context, wb *book.Workbook, req formats.SheetRequest) (*formats.SheetWindow, error) {
	out := &formats.SheetWindow{Rows: []formats.SheetRow{}, Styles: []formats.CellStyle{}, ColumnSpans: []formats.ColumnSpan{}, Row: req.Row, Column: req.Column}
	at := -1
	for i, s := range wb.Sheets {
		out.Sheets = append(out.Sheets, formats.SheetTab{Name: s.Name, Kind: s.Kind, Hidden: s.State != ""})
		if at < 0 && s.State == "" && s.Worksheet() {
			at = i
		}
	}
	if req.Sheet != "" {
		if at = wb.Find(req.Sheet); at < 0 {
			return nil, book.UnknownSheet(req.Sheet)
		}
	}
	if at < 0 {
		at = 0
	}
	if len(wb.Sheets) == 0 {
		return nil, formats.Errorf(formats.CodeCorrupt, "the workbook has no sheets")
	}
	sheet := wb.Sheets[at]
	out.Sheet = sheet.Name
	if !sheet.Worksheet() {
		out.Exact, out.Notes = true, []string{"This is a " + sheet.Kind + ": it has no cells. The pages show it."}
		return out, nil
	}
	facts, err := readSheet(ctx, wb, sheet.Part, req.Measure)
	if err != nil {
		return nil, err
	}
	w := &window{SheetWindow: out, req: req, styles: map[int]int{}}
	if w.book, err = readBook(ctx, wb); err != nil {
		return nil, err
	}
	w.d = w.book.newDisplay()
	w.describe(facts)
	if w.RowCount > 0 && w.ColumnCount > 0 {
		err = w.read(ctx, wb, sheet.Part)
	}
	if err == nil {
		err = w.lookUp(ctx, wb)
	}
	return out, err
}

// describe says what is known of the sheet, and how far the window reaches.
func (w *window) describe(f *sheetFacts) {
	w.TotalRows, w.TotalColumns, w.Exact = f.rows, f.columns, f.exact
	w.DefaultWidth, w.DefaultHeight = f.width, f.height
	w.FrozenRows, w.FrozenColumns, w.RightToLeft = f.frozenRows, f.frozenCol, f.rightToLeft
	w.Notes = append(w.Notes, f.notes...)
	for _, s := range f.spans {
		s.Style = w.style(s.Style)
		w.ColumnSpans = append(w.ColumnSpans, s)
	}
	rows, columns := f.rows, f.columns
	if !f.exact { // what the file says of itself may be wrong
		rows, columns = cellref.MaxRow, cellref.MaxCol
	}
	w.RowCount = max(0, min(w.req.Rows, rows-w.req.Row+1))
	w.ColumnCount = max(0, min(w.req.Columns, columns-w.req.Column+1))
	w.last = cellref.At(w.req.Row+w.RowCount-1, w.req.Column+w.ColumnCount-1)
	block := cellref.Block(w.req.Row, w.req.Column, w.last.Row, w.last.Col)
	for _, m := range f.merged {
		if w.RowCount > 0 && w.ColumnCount > 0 && m.Meets(block) {
			w.Merged = append(w.Merged, m.String())
		}
	}
}

// style returns the place of a cell format in Styles, from 1; 0 for the plain one.
func (w *window) style(index int) int {
	if index < 0 || index >= len(w.book.styles) || *w.book.styles[index] == (formats.CellStyle{}) {
		return 0
	}
	n, ok := w.styles[index]
	if !ok {
		w.Styles = append(w.Styles, *w.book.styles[index])
		n = len(w.Styles)
		w.styles[index] = n
	}
	return n
}

func (w *window) read(ctx context.Context, wb *book.Workbook, part string) error {
	for s, err := range wb.Rows(ctx, part, book.Window{First: w.req.Row, Last: w.last.Row, Display: w.d}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		switch s.Event {
		case sheetml.RowStart:
			if s.Row < w.req.Row {
				continue
			}
			if w.full { // the window ends before this row
				w.RowCount = s.Row - w.req.Row
				w.Notes = append(w.Notes, "The window ends early, since it holds much text; ask for the rows that follow.")
				return nil
			}
			w.row(s)
		case sheetml.WholeCell:
			if c := &s.Cell; c.Row >= w.req.Row && c.Col >= w.req.Column && c.Col <= w.last.Col {
				w.cell(s)
			}
		}
	}
	return nil
}

// row begins a row.
func (w *window) row(s *sheetml.RowScanner) {
	r := formats.SheetRow{Row: s.Row}
	tag := s.Raw()[s.Start:]
	for i := sheetml.NameLen(tag); ; {
		name, a, b, next := sheetml.NextAttr(tag, i)
		if next < 0 {
			break
		}
		switch v := string(tag[a:b]); string(name) {
		case "ht":
			r.Height = positive(v, 0, 409.5)
		case "hidden":
			r.Hidden = sheetml.IsTrue(v)
		case "s":
			r.Style = w.style(count(v, 1<<17))
		}
		i = next
	}
	if n := len(w.Rows); n > 0 && len(w.Rows[n-1].Cells) == 0 && plain(w.Rows[n-1]) {
		w.Rows = w.Rows[:n-1]
	}
	w.Rows = append(w.Rows, r)
}

func plain(r formats.SheetRow) bool { return r.Height == 0 && !r.Hidden && r.Style == 0 }

// cell takes a cell of the window.
func (w *window) cell(s *sheetml.RowScanner) {
	c := &s.Cell
	if n := len(w.Rows); n == 0 || w.Rows[n-1].Row != c.Row {
		w.Rows = append(w.Rows, formats.SheetRow{Row: c.Row})
	}
	row := &w.Rows[len(w.Rows)-1]
	out := formats.SheetCell{Column: c.Col, Style: w.style(c.Style)}
	if c.Blank() && out.Style == 0 && row.Style == 0 && !w.styledColumn(c.Col) {
		return
	}
	if c.HasFormula {
		if out.Formula = w.d.ShowFormula(s); out.Formula == "" && w.d.NoRoom {
			out.Formula = "=…"
		}
	}
	switch {
	case c.Type == sheetml.TypeShared && w.book.big && !c.NoValue():
		w.wanted = append(w.wanted, wantedText{len(w.Rows) - 1, len(row.Cells), sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value))), c.Style})
	case !c.NoValue() && !c.Blank():
		out.Text = w.d.Show(s)
	}
	w.typed(s, &out)
	w.shorten(&out)
	row.Cells = append(row.Cells, out)
	w.cells++
	w.text += len(out.Text) + len(out.Formula)
	w.full = w.full || w.cells >= maxCells || w.text >= maxText
}

// styledColumn reports whether the cells of a column that are not there have a format,
// which one that is there then takes off.
func (w *window) styledColumn(col int) bool {
	for _, s := range w.ColumnSpans {
		if col <= s.Last {
			return col >= s.First && s.Style > 0
		}
	}
	return false
}

// typed says what kind of value a cell holds.
func (w *window) typed(s *sheetml.RowScanner, out *formats.SheetCell) {
	c := &s.Cell
	if c.NoValue() || c.Blank() {
		return
	}
	switch c.Type {
	case sheetml.TypeBool:
		out.Type = "boolean"
	case sheetml.TypeError:
		out.Type = "error"
	case sheetml.TypeNumber, sheetml.TypeDate:
		out.Type = "number"
		if c.Type == sheetml.TypeDate || w.d.Styles.Format(c.Style).IsDate() {
			out.Type = "date"
		}
		if v := string(sheetml.TrimSpace(s.Text(c.Value))); v != out.Text && len(v) < 64 {
			out.Value = sheetml.CharData([]byte(v))
		}
	}
}

// shorten cuts a long text, unless the window is this cell alone.
func (w *window) shorten(out *formats.SheetCell) {
	if len(out.Text) <= maxShown || w.req.Rows == 1 && w.req.Columns == 1 {
		return
	}
	n := 0
	for i := range out.Text {
		if n == maxShown {
			out.Text, out.Cut = out.Text[:i], true
			return
		}
		n++
	}
}

// lookUp fills in the texts of a large string table.
func (w *window) lookUp(ctx context.Context, wb *book.Workbook) error {
	if len(w.wanted) == 0 {
		return nil
	}
	need := map[int]string{}
	for _, k := range w.wanted {
		need[k.item] = ""
	}
	most := maxShown + 1 // one more, which says that there is more
	if w.req.Rows == 1 && w.req.Columns == 1 {
		most = 0
	}
	if err := wb.LookUp(ctx, need, most); err != nil {
		return err
	}
	for _, k := range w.wanted {
		cell := &w.Rows[k.row].Cells[k.cell]
		cell.Text = w.d.Styles.Format(k.style).Text(need[k.item])
		w.shorten(cell)
	}
	return nil
}
