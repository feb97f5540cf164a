package xlsx

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/formats"
)

// The window of a read without a range, the chunk of W-42, and what
// bounds a read with a range.
const (
	windowRows   = 200
	windowCols   = 50
	chunkRows    = 50
	maxReadBytes = 4 << 20
)

// Read gives the selected cells as lines of "A1: value, B1: value" below
// "Sheet: name". Without a range each sheet is cut to a window of
// 200 rows × 50 columns; a range is given whole up to 4 MiB of text.
func (reader) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	wb, err := open(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	text, err := wb.read(ctx, sel)
	return text, typed(err, src.Name())
}

func (wb *workbook) read(ctx context.Context, sel formats.Selector) (formats.Text, error) {
	sheets, block, err := wb.selected(sel)
	if err != nil {
		return formats.Text{}, err
	}
	d, err := wb.display(ctx)
	if err != nil {
		return formats.Text{}, err
	}
	var out formats.Text
	var sb strings.Builder
	for i, sh := range sheets {
		if i > 0 {
			sb.WriteString("\n\n")
		}
		if sb.Len() > maxReadBytes {
			fmt.Fprintf(&sb, "... (truncated: %d more sheets; read them by name)", len(sheets)-i)
			break
		}
		p := &page{wb: wb, d: d, sheet: sh, block: block, ranged: sel.Range != "", sb: &sb}
		if err := p.read(ctx); err != nil {
			return formats.Text{}, err
		}
		if out.Chunk == nil {
			out.Chunk = p.chunk()
		}
	}
	out.Text = sb.String()
	return out, nil
}

// selected resolves W-37: which sheets, and which block of them.
func (wb *workbook) selected(sel formats.Selector) ([]sheetInfo, rect, error) {
	block := wholeSheet
	if strings.TrimSpace(sel.Range) != "" {
		name, rng, ok := cutSheet(sel.Range)
		if ok && (sel.Sheet == "" || strings.EqualFold(sel.Sheet, name)) {
			sel.Sheet, sel.Range = name, rng
		}
		var err error
		if block, err = parseRange(sel.Range); err != nil {
			return nil, block, err
		}
	}
	switch {
	case len(wb.sheets) == 0:
		return nil, block, formats.Errorf(formats.CodeCorrupt, "%s has no sheets", wb.pkg.Source().Name())
	case sel.Sheet != "":
		i := wb.find(sel.Sheet)
		if i < 0 {
			return nil, block, unknownSheet(sel.Sheet)
		}
		return wb.sheets[i : i+1], block, nil
	case sel.Range != "":
		for i, s := range wb.sheets {
			if s.worksheet() {
				return wb.sheets[i : i+1], block, nil
			}
		}
		return wb.sheets[:1], block, nil
	}
	return wb.sheets, block, nil
}

// cutSheet splits "Sales!A1:B2" and "'My sheet'!A1".
func cutSheet(s string) (sheet, rng string, ok bool) {
	i := strings.LastIndexByte(s, '!')
	if i < 0 {
		return "", s, false
	}
	sheet = strings.TrimSpace(s[:i])
	if len(sheet) > 1 && sheet[0] == '\'' && sheet[len(sheet)-1] == '\'' {
		sheet = strings.ReplaceAll(sheet[1:len(sheet)-1], "''", "'")
	}
	return sheet, s[i+1:], true
}

// page reads one sheet into text.
type page struct {
	wb     *workbook
	d      *display
	sheet  sheetInfo
	block  rect // what was asked for
	ranged bool // by a range
	sb     *strings.Builder

	dim      rect // what the sheet says of itself
	first    int  // first row with content in the block
	lastRow  int  // last row seen with content, also outside the window
	maxCol   int  // last column with content within the window rows
	cutRows  bool
	cutCols  bool
	cutBytes bool
	shownEnd int  // last row of the window
	complete bool // scanned to the end of the data
}

func (p *page) read(ctx context.Context) error {
	fmt.Fprintf(p.sb, "Sheet: %s", p.sheet.name)
	if !p.sheet.worksheet() {
		fmt.Fprintf(p.sb, "\n(a %s: it has no cells)", p.sheet.kind)
		return nil
	}
	s, rc, err := p.wb.openSheet(ctx, p.sheet.part)
	if err != nil {
		return err
	}
	defer rc.Close()
	head, err := s.head()
	if errors.Is(err, errNoData) {
		return nil
	}
	if err != nil {
		return err
	}
	p.dim = dimensionOf(head)
	p.d.shared = nil
	if err := p.rows(s); err != nil {
		return err
	}
	switch {
	case p.cutBytes:
		fmt.Fprintf(p.sb, "\n... (truncated at row %d)", p.shownEnd)
	case p.cutRows:
		fmt.Fprintf(p.sb, "\n... (truncated at %d rows)", windowRows)
	}
	if p.cutCols {
		fmt.Fprintf(p.sb, "\n... (truncated at %d columns)", windowCols)
	}
	return nil
}

// rows writes the lines of the sheet, and stops as soon as nothing behind can
// matter.
func (p *page) rows(s *rowScanner) error {
	pairs := 0 // of the current row
	for {
		ev, err := s.next()
		if err != nil {
			return err
		}
		switch ev {
		case evEnd:
			p.complete = true
			return nil
		case evRow:
			pairs = 0
			if s.row > p.block.r2 {
				return nil
			}
		case evCell:
			stop, err := p.cell(s, &pairs)
			if err != nil || stop {
				return err
			}
		}
	}
}

// cell writes one cell; stop says that the rest of the sheet is of no use.
func (p *page) cell(s *rowScanner, pairs *int) (stop bool, err error) {
	c := &s.cell
	if c.hasF {
		p.d.note(s)
	}
	if c.blank() || !p.block.has(c.row, c.col) {
		return false, nil
	}
	if p.first == 0 {
		p.first = c.row
		p.shownEnd = p.block.r2
		if !p.ranged {
			p.shownEnd = min(p.block.r2, c.row+windowRows-1)
		}
	}
	if c.row > p.shownEnd && !p.cutBytes {
		p.cutRows = true
	}
	if p.cutRows || p.cutBytes {
		p.lastRow = max(p.lastRow, c.row)
		// Where the sheet states its size there is no need to go on.
		return p.dim.r2 >= c.row, nil
	}
	v := p.d.show(s)
	if v == "" {
		return false, nil
	}
	p.lastRow = c.row
	p.maxCol = max(p.maxCol, c.col)
	if !p.ranged && c.col > windowCols {
		p.cutCols = true
		return false, nil
	}
	if *pairs == 0 {
		p.sb.WriteByte('\n')
	} else {
		p.sb.WriteString(", ")
	}
	*pairs++
	p.sb.WriteString(cellName(c.row, c.col))
	p.sb.WriteString(": ")
	p.sb.WriteString(oneLine(v))
	if p.sb.Len() > maxReadBytes {
		p.cutBytes, p.shownEnd = true, c.row
	}
	return false, nil
}

var lineBreaks = strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// oneLine keeps a value on its line: breaks in it show as \n.
func oneLine(v string) string {
	if strings.IndexByte(v, '\n') < 0 && strings.IndexByte(v, '\r') < 0 {
		return v
	}
	return lineBreaks.Replace(v)
}

// chunk says which part of the sheet was given when it was not all of it.
func (p *page) chunk() *formats.ChunkInfo {
	last := max(p.lastRow, p.dim.r2)
	if p.complete && (p.cutRows || p.cutBytes || p.lastRow > 0) {
		last = p.lastRow
	}
	more := p.cutRows || p.cutBytes || p.cutCols || p.ranged && p.block.r2 < last
	if !more || p.first == 0 && !p.ranged {
		return nil
	}
	lastCol := max(p.maxCol, p.dim.c2, 1)
	got := rect{p.block.r1, max(p.block.c1, 1), min(p.block.r2, last), min(p.block.c2, lastCol)}
	if p.cutRows || p.cutBytes || !p.ranged {
		got.r1, got.r2 = max(p.first, p.block.r1), min(p.shownEnd, last)
	}
	if !p.ranged {
		got.c2 = min(got.c2, windowCols)
	}
	ci := &formats.ChunkInfo{ChunkIndex: (got.r1 - 1) / chunkRows, TotalChunks: (last + chunkRows - 1) / chunkRows, HasMore: true, Range: got.String()}
	next := rect{got.r2 + 1, got.c1, min(got.r2+max(got.r2-got.r1+1, chunkRows), last), got.c2}
	if next.r1 > last {
		next = rect{got.r1, windowCols + 1, got.r2, lastCol}
		if !p.cutCols {
			return nil
		}
	}
	ci.Next = fmt.Sprintf("sheet=%q range=%q", p.sheet.name, next.String())
	return ci
}
