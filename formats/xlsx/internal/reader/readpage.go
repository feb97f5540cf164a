package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// pageOptions are what a read shows beside the values.
type pageOptions struct {
	formulas bool
	hidden   bool
	comments bool
	onLoad   bool         // the workbook waits to be calculated
	estimate *estimator   // nil: none
	mixed    map[int]bool // rows with a value that looks like another cell of the line; nil: not kept
	sections sections
	fit      int // > 0: rows end where they do, and reading ends behind the one that passes so many bytes
}

// page reads one pick into text.
type page struct {
	chosen
	pageOptions
	wb      reading
	d       *book.Display
	sb      *strings.Builder
	collect bool // look up shared strings only

	dim        cellref.Range // what the sheet says of itself
	covered    []cellref.Range
	first      int // first row with content in the block
	lastRow    int // last row seen with content, also outside the window
	maxCol     int // last column with content within the window rows
	cutRows    bool
	cutCols    bool
	cutBytes   bool
	shownEnd   int  // last row of the window
	complete   bool // scanned to the end of the data
	pairs      int  // of the current row
	pairsRow   int  // its number
	ends       []rowEnd
	filled     bool // no more rows are wanted
	rowHidden  bool
	uncached   int    // formulas shown that have no value
	around     []byte // see aroundXML
	alike      alikeFormulas
	arrays     book.ArrayBlocks
	arraysSaid []string // array formulas over several cells of the block
	arraysN    int
}

func (p *page) read(ctx context.Context) error {
	fmt.Fprintf(p.sb, "Sheet: %s", p.sheet.Name)
	if p.hidden && p.sheet.State != "" {
		p.sb.WriteString("\n(this sheet is hidden)")
	}
	if !p.sheet.Worksheet() {
		fmt.Fprintf(p.sb, "\n(a %s: it has no cells)", p.sheet.Kind)
		return p.writeSections(ctx)
	}
	if p.sections.only {
		return p.writeSections(ctx)
	}
	if err := p.cells(ctx); err != nil || p.collect {
		return err
	}
	switch {
	case p.cutBytes && p.fit > 0: // the chunk says so
	case p.cutBytes:
		fmt.Fprintf(p.sb, "\n... (truncated at row %d)", p.shownEnd)
	case p.cutRows:
		fmt.Fprintf(p.sb, "\n... (truncated at %d rows)", windowRows)
	}
	if p.cutCols {
		fmt.Fprintf(p.sb, "\n... (truncated at %d columns)", windowCols)
	}
	switch told := p.formulas || p.estimate != nil; {
	case p.uncached == 0:
	case p.onLoad && told:
		fmt.Fprintf(p.sb, "\n(no value yet for %d of the formulas here: the file is to be calculated when a spreadsheet program opens it)", p.uncached)
	case !told:
		fmt.Fprintf(p.sb, "\n(no value for %s here)", formats.Count(p.uncached, "formula"))
	}
	p.writeArrays()
	if n := p.estimate.note(); n != "" && p.uncached > 0 {
		p.sb.WriteString("\n" + n)
	}
	if p.comments {
		if err := p.writeComments(ctx); err != nil {
			return err
		}
	}
	return p.writeSections(ctx)
}

func (p *page) cells(ctx context.Context) error {
	var err error
	if p.covered, err = p.wb.covered(ctx, p.sheet.Part); err != nil {
		return err
	}
	head, err := p.wb.SheetHead(ctx, p.sheet.Part)
	if errors.Is(err, sheetml.ErrNoCells) {
		return nil
	}
	if err != nil {
		return err
	}
	p.dim = sheetml.Dimension(head)
	if p.hidden {
		p.hiddenColumns(head)
	}
	if err := p.findAlike(ctx); err != nil {
		return err
	}
	return p.rows(ctx)
}

// rows writes the lines of the sheet, and stops as soon as nothing behind can
// matter.
func (p *page) rows(ctx context.Context) error {
	defer p.endLine()
	last := p.block.R2
	if p.looksOn() {
		last = cellref.WholeSheet.R2
	}
	for s, err := range p.wb.Rows(ctx, p.sheet.Part, book.Window{First: p.block.R1, Last: last, Display: p.d}) {
		if err != nil {
			return err
		}
		switch s.Event {
		case sheetml.DataEnd:
			p.complete = true
		case sheetml.RowStart:
			p.endLine()
			p.rowHidden = p.hidden && rowHidden(s.Raw()[s.Start:])
		case sheetml.WholeCell:
			if stop, err := p.cell(s); err != nil || stop {
				return err
			}
		}
	}
	return nil
}

// looksOn reports whether to read on behind the block, to learn whether rows follow: the
// sheet does not say where it ends.
func (p *page) looksOn() bool { return p.fit == 0 && p.ranged && !p.collect && p.dim.R2 == 0 }

// rowEnd is where the line of a row ends in the text.
type rowEnd struct{ row, at int }

func (p *page) endLine() {
	if p.rowHidden && p.pairs > 0 {
		p.sb.WriteString(" (hidden row)")
	}
	if p.fit > 0 && p.pairs > 0 {
		p.ends = append(p.ends, rowEnd{p.pairsRow, p.sb.Len()})
		p.filled = p.sb.Len() > p.fit
	}
	p.pairs, p.rowHidden = 0, false
}

// cell writes one cell; stop says that the rest of the sheet is of no use.
func (p *page) cell(s *sheetml.RowScanner) (stop bool, err error) {
	c := &s.Cell
	p.noteArray(s)
	if c.Row > p.block.R2 && p.looksOn() && !c.Blank() {
		p.lastRow = c.Row
	}
	if c.Blank() || !p.block.Has(c.Row, c.Col) || p.under(c.Row, c.Col) {
		return false, nil
	}
	if p.first == 0 {
		p.first = c.Row
		p.shownEnd = p.block.R2
		if !p.ranged {
			p.shownEnd = min(p.block.R2, c.Row+windowRows-1)
		}
	}
	if p.filled && !p.cutBytes && c.Row > p.pairsRow {
		p.cutBytes, p.shownEnd = true, p.pairsRow
	}
	if c.Row > p.shownEnd && !p.cutBytes {
		p.cutRows = true
	}
	if p.cutRows || p.cutBytes {
		p.lastRow = max(p.lastRow, c.Row)
		// Where the sheet states its size there is no need to go on.
		return p.dim.R2 >= c.Row, nil
	}
	if !p.ranged && c.Col > windowCols && !c.HasFormula && (c.Type != sheetml.TypeShared || len(p.d.Strings.Raw(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value))))) > 0) {
		// Not shown, so not worked out either.
		p.lastRow, p.maxCol, p.cutCols = c.Row, max(p.maxCol, c.Col), true
		return false, nil
	}
	if p.collect && c.Type == sheetml.TypeShared {
		p.d.Strings.Wanted[sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))] = ""
	}
	v := p.show(s)
	if p.d.Strings.Missing && !p.collect {
		p.cutBytes, p.shownEnd, p.pairs = true, max(c.Row-1, 1), 0 // what the row has so far ends at no rowEnd
		return false, nil
	}
	if v == "" && !p.collect {
		return false, nil
	}
	p.lastRow = c.Row
	p.maxCol = max(p.maxCol, c.Col)
	if !p.ranged && c.Col > windowCols {
		p.cutCols = true
		return false, nil
	}
	p.write(c, v)
	return false, nil
}

func (p *page) write(c *sheetml.Cell, v string) {
	if p.pairs == 0 {
		p.sb.WriteByte('\n')
	} else {
		p.sb.WriteString(", ")
	}
	p.pairs++
	p.pairsRow = c.Row
	p.sb.WriteString(cellref.Name(c.Row, c.Col))
	p.sb.WriteString(": ")
	v = book.OneLine(v)
	p.sb.WriteString(v)
	if p.mixed != nil && holdsLabel(v, c.Row) {
		p.mixed[c.Row] = true
	}
	if p.sb.Len() > maxReadBytes {
		p.cutBytes, p.shownEnd = true, c.Row
	}
}

// show is what the read says of the cell.
func (p *page) show(s *sheetml.RowScanner) string {
	c := &s.Cell
	if !c.HasFormula || p.collect {
		return p.d.Show(s)
	}
	if c.NoValue() {
		p.uncached++
		v := p.formula(s)
		if e, ok := p.estimate.value(p.sheet.Name, c); ok {
			return v + " → ~" + e + " (estimate)"
		}
		return v
	}
	v := p.d.Show(s)
	if !p.formulas {
		return v
	}
	if f := p.formula(s); f != "" {
		return f + " → " + v
	}
	return v
}

// formula is the formula of the cell, as short as those beside it allow.
func (p *page) formula(s *sheetml.RowScanner) string {
	if p.alike.same[cellref.At(s.Cell.Row, s.Cell.Col)] {
		return "="
	}
	return p.alike.shown(p.d.ShowFormula(s), s.Cell.Row, s.Cell.Col)
}

// under reports whether the cell lies under another it is merged with.
func (p *page) under(row, col int) bool {
	for _, m := range p.covered {
		if m.Has(row, col) && (row != m.R1 || col != m.C1) {
			return true
		}
	}
	return false
}

// mergeScan is the inflated size up to which a sheet is read to its end for its
// merges, which stand behind the rows, and mergesKept how many are looked at.
const (
	mergeScan  = 4 << 20
	mergesKept = 2000
)

// covered are the merged blocks of a sheet. Cells under them hold values in
// odd files only; so a large sheet is not read twice for them.
func (wb reading) covered(ctx context.Context, part string) ([]cellref.Range, error) {
	if wb.Package.Size(part) > mergeScan {
		return nil, nil
	}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	i := bytes.LastIndex(doc, []byte("sheetData"))
	if i < 0 || !bytes.Contains(doc[i:], []byte("mergeCell")) {
		return nil, nil
	}
	var out []cellref.Range
	for tail := doc[i:]; len(out) < mergesKept; {
		i := bytes.Index(tail, []byte("mergeCell "))
		if i < 0 {
			break
		}
		e := bytes.IndexByte(tail[i:], '>')
		if e < 0 {
			break
		}
		if r := cellref.ParseAttr(sheetml.AttrOf(tail[i:i+e+1], "ref")); !r.Empty() {
			out = append(out, r)
		}
		tail = tail[i+e:]
	}
	return out, nil
}

func (p *page) hiddenColumns(head []byte) {
	hidden := &lines{}
	sheetml.EachStartTag(head, func(t xmlscan.Token) bool {
		hidden.column(t)
		return true
	})
	if hidden.count > 0 {
		fmt.Fprintf(p.sb, "\n(hidden columns: %s)", strings.Join(hidden.shown(cellref.ColumnName), ", "))
	}
}

// writeComments puts the comments of the block behind its cells.
func (p *page) writeComments(ctx context.Context) error {
	list, err := p.wb.Comments(ctx, p.sheet.Part)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range list {
		if !p.block.Has(c.At.Row, c.At.Col) || (p.cutRows || p.cutBytes) && c.At.Row > p.shownEnd {
			continue
		}
		if p.sb.Len() > maxReadBytes {
			p.sb.WriteString("\n... (truncated: more comments; read a smaller range)")
			return nil
		}
		if n++; n == 1 {
			p.sb.WriteString("\nComments:")
		}
		fmt.Fprintf(p.sb, "\n%s", cellref.Name(c.At.Row, c.At.Col))
		if by := c.By(); by != "" {
			fmt.Fprintf(p.sb, " (%s)", book.OneLine(by))
		}
		fmt.Fprintf(p.sb, ": %s", book.OneLine(c.Text))
	}
	return nil
}

// chunk says which part of the sheet was given when it was not all of it.
func (p *page) chunk() *formats.ChunkInfo {
	if p.whole && !p.cutBytes {
		return nil
	}
	last := max(p.lastRow, p.dim.R2)
	if p.complete && (p.cutRows || p.cutBytes || p.lastRow > 0) {
		last = p.lastRow
	}
	more := p.cutRows || p.cutBytes || p.cutCols || p.ranged && p.block.R2 < last
	if !more || p.first == 0 && !p.ranged {
		return nil
	}
	lastCol := max(p.maxCol, p.dim.C2, 1)
	got := cellref.Block(p.block.R1, max(p.block.C1, 1), min(p.block.R2, last), min(p.block.C2, lastCol))
	if p.cutRows || p.cutBytes || !p.ranged {
		got.R1, got.R2 = max(p.first, p.block.R1), min(p.shownEnd, last)
	}
	if !p.ranged {
		got.C2 = min(got.C2, windowCols)
	}
	ci := &formats.ChunkInfo{ChunkIndex: (got.R1 - 1) / chunkRows, TotalChunks: (last + chunkRows - 1) / chunkRows, HasMore: true, Range: got.String()}
	next := cellref.Block(got.R2+1, got.C1, min(got.R2+max(got.R2-got.R1+1, chunkRows), last), got.C2)
	if next.R1 > last {
		next = cellref.Block(got.R1, windowCols+1, got.R2, lastCol)
		if !p.cutCols {
			return nil
		}
	}
	ci.Next = fmt.Sprintf("sheet=%q range=%q", p.sheet.Name, next.String())
	return ci
}

// calcOnLoad reports whether values wait for a program to calculate them
// (18.2.2, fullCalcOnLoad).
func (wb reading) calcOnLoad() bool {
	on := false
	sheetml.EachStartTag(wb.XML, func(t xmlscan.Token) bool {
		if t.Local == "calcPr" {
			on, _ = strconv.ParseBool(t.AttrLocal("fullCalcOnLoad"))
		}
		return true
	})
	return on
}
