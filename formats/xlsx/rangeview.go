package xlsx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// The bounds of a block that is shown at once, so that its texts can be read.
const (
	maxViewRows   = 200
	maxViewCols   = 50
	maxViewWidth  = 400  // in digits, about 2,800 pixels
	maxViewHeight = 4000 // points
)

// RangeView is a block of cells as a person looks at it.
type RangeView struct {
	Sheet, Range string
	// Rest is the range that begins behind the block where there was more to show
	// than fits, "" where the block is all that was asked for.
	Rest string
	// Facts say what cannot be seen, or not as it should: hidden sheets, rows and
	// columns, numbers that their columns are too narrow for. They are in the order
	// of the sheet, at most MaxFacts; Omitted counts the others.
	Facts   []string
	Omitted int

	sheet int // index in the workbook
	block cellref.Range
	wide  bool // wider than high
	small bool // fits on A5
}

// MaxFacts is the most facts that a RangeView has.
const MaxFacts = 20

// ViewRange finds the block of cells that a selection of a sheet, a range or both
// names and says what of it a picture does not show. A selection of several ranges is a
// CodeInvalid error.
func ViewRange(ctx context.Context, src formats.Source, sel formats.Selector) (RangeView, error) {
	wb, err := open(ctx, src)
	if err != nil {
		return RangeView{}, err
	}
	v, err := wb.viewRange(ctx, sel)
	return v, book.Typed(err, src.Name())
}

func (wb *workbook) viewRange(ctx context.Context, sel formats.Selector) (RangeView, error) {
	i, block, err := reader.OneRange(ctx, wb.Workbook, sel)
	if err != nil {
		return RangeView{}, err
	}
	info := wb.Sheets[i]
	if !info.Worksheet() {
		return RangeView{}, formats.Errorf(formats.CodeInvalid, "the sheet %s has no cells, so none of its ranges can be drawn", cellref.QuoteArg(info.Name))
	}
	s := &rangeScan{wb: wb, part: info.Part, v: RangeView{Sheet: info.Name, sheet: i, block: block}}
	if err := s.run(ctx); err != nil {
		return RangeView{}, err
	}
	s.finish(info.State)
	return s.v, nil
}

// rangeScan looks at the cells of a block once.
type rangeScan struct {
	wb   *workbook
	part string
	v    RangeView

	skel    sheetml.Skeleton
	widths  map[int]float64 // of columns, in digits; of those that say one
	normal  float64         // the width of the others
	hidden  map[int]bool    // columns
	rows    []int           // hidden rows
	heights map[int]float64 // points; of rows that say one
	used    cellref.Range
	display *book.Display
	styles  *stylesheet.Book
	faces   map[int]typeface
	narrow  []cellref.Cell
}

// run reads the sheet up to the end of what is shown.
func (s *rangeScan) run(ctx context.Context) error {
	asked := s.v.block
	objects, err := s.objects(ctx)
	if err != nil {
		return err
	}
	last := min(asked.R2, asked.R1+maxViewRows-1)
	if asked.R2 == cellref.MaxRow {
		last = cellref.MaxRow // begins at the first cell that holds something
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	for sc, err := range s.wb.Rows(ctx, s.part, book.Window{}) {
		if errors.Is(err, sheetml.ErrNoCells) {
			s.skel = sheetml.Skeleton{Doc: xmlscan.UTF8(sc.HeadXML), Cut: len(sc.HeadXML)}
			s.columns()
			break
		}
		if err != nil {
			return err
		}
		switch sc.Event {
		case sheetml.HeadEnd:
			s.skel = sheetml.Skeleton{Doc: sc.HeadXML, Cut: len(sc.HeadXML)}
			s.columns()
		case sheetml.RowStart:
			if sc.Row > last {
				continue // what is behind the block still says whether there is more
			}
			s.row(sc)
		case sheetml.WholeCell:
			if s.cell(sc); s.used.R1 > 0 && last == cellref.MaxRow {
				last = s.used.R1 + maxViewRows
			}
		case sheetml.DataEnd:
			if s.skel, err = sc.Skeleton(); err != nil {
				return err
			}
		}
	}
	s.clip(asked, objects)
	return nil
}

// prepare reads what numbers are shown with.
func (s *rangeScan) prepare(ctx context.Context) error {
	st, err := s.wb.Styles(ctx)
	if err != nil {
		return err
	}
	s.display = &book.Display{Styles: st}
	f := &finisher{wb: s.wb, ed: s.wb.Package.Edit()}
	s.faces = map[int]typeface{}
	s.styles, err = f.readStyles(ctx)
	return err
}

// objects returns the cells that pictures and charts of the sheet cover.
func (s *rangeScan) objects(ctx context.Context) (used cellref.Range, err error) {
	err = reader.EachObject(ctx, s.wb.Workbook, s.part, func(o reader.Object) error {
		for _, c := range []cellref.Cell{o.From, o.To} {
			if c.Row > 0 && c.Col > 0 {
				used.Add(c.Row, c.Col)
			}
		}
		return nil
	})
	return used, err
}

func (s *rangeScan) columns() {
	s.hidden, s.heights = s.skel.HiddenColumns(), map[int]float64{}
	s.normal, _ = strconv.ParseFloat(s.skel.DefaultWidth(), 64)
	cols, _, _ := sheetml.ReadColumns(s.skel)
	s.widths = sheetml.ColumnValues(cols, func(c sheetml.ColumnRange) (float64, bool) {
		w, err := strconv.ParseFloat(sheetml.AttrOf(c.Tag, "width"), 64)
		return w, err == nil && w >= 0
	})
}

func (s *rangeScan) row(sc *sheetml.RowScanner) {
	tag := sc.Raw()[sc.Start:]
	if sc.Row < s.v.block.R1 {
		return
	}
	if hiddenRow(tag) && len(s.rows) <= maxViewRows {
		s.rows = append(s.rows, sc.Row)
		s.heights[sc.Row] = 0
	} else if sp, ok := attrSpan(tag, "ht"); ok && len(s.heights) <= 2*maxViewRows {
		if h, err := strconv.ParseFloat(string(tag[sp.Start:sp.End]), 64); err == nil {
			s.heights[sc.Row] = h
		}
	}
}

// cell takes in the scanner's cell.
func (s *rangeScan) cell(sc *sheetml.RowScanner) {
	c := &sc.Cell
	if c.Blank() || !s.v.block.Has(c.Row, c.Col) {
		return
	}
	s.used.Add(c.Row, c.Col)
	if c.Type != sheetml.TypeNumber || c.NoValue() || len(s.narrow) > maxViewRows*maxViewCols || c.Row > s.used.R1+maxViewRows {
		return
	}
	face, known := s.faces[c.Style]
	if !known {
		face = newTypeface(s.styles, c.Style)
		s.faces[c.Style] = face
	}
	w := s.width(c.Col)
	if !face.format.General && w > 0 && !s.hidden[c.Col] && textWidth(s.display.Show(sc))*face.scale > w-narrowPadding {
		s.narrow = append(s.narrow, cellref.At(c.Row, c.Col))
	}
}

// digitWidth is the width of a digit of the usual font in points.
const digitWidth = 5.25

// narrowPadding is what a column keeps free beside a number, in digits.
const narrowPadding = 0.3

func (s *rangeScan) width(col int) float64 {
	if w, ok := s.widths[col]; ok {
		return w
	}
	return s.normal
}

// clip makes the block one that can be read: without what is empty at the edges of
// whole sheets, rows and columns, and as much as fits.
func (s *rangeScan) clip(asked, objects cellref.Range) {
	b := asked
	used := s.used
	if !objects.Empty() {
		used.Add(objects.R1, objects.C1)
		used.Add(objects.R2, objects.C2)
	}
	if b.R2 == cellref.MaxRow && !used.Empty() {
		b.R1, b.R2 = max(b.R1, min(used.R1, used.R2)), max(b.R1, used.R2)
	}
	if b.C2 == cellref.MaxCol && !used.Empty() {
		b.C1, b.C2 = max(b.C1, min(used.C1, used.C2)), max(b.C1, used.C2)
	}
	all := b
	b.R2, b.C2 = min(b.R2, b.R1+maxViewRows-1), min(b.C2, b.C1+maxViewCols-1)
	if used.Empty() {
		b.R2, b.C2 = min(b.R2, b.R1+9), min(b.C2, b.C1+9)
		all = b
	}
	wide, high := 0.0, 0.0
	for c := b.C1; c <= b.C2; c++ {
		if !s.hidden[c] {
			wide += s.width(c)
		}
		if wide > maxViewWidth && c > b.C1 {
			b.C2 = c - 1
		}
	}
	for r := b.R1; r <= b.R2; r++ {
		h, known := s.heights[r]
		if !known {
			h = 15
		}
		if high += h; high > maxViewHeight && r > b.R1 {
			b.R2 = r - 1
		}
	}
	wide *= digitWidth
	s.v.block, s.v.wide = b, wide > high
	s.v.small = max(wide, high) < 400 && min(wide, high) < 240
	s.v.Range = b.String()
	switch {
	case all.R2 > b.R2:
		s.v.Rest = cellref.Block(b.R2+1, all.C1, min(all.R2, b.R2+maxViewRows), all.C2).String()
	case all.C2 > b.C2:
		s.v.Rest = cellref.Block(b.R1, b.C2+1, b.R2, min(all.C2, b.C2+maxViewCols)).String()
	}
}

// finish writes the facts.
func (s *rangeScan) finish(state string) {
	b := s.v.block
	if state != "" {
		s.fact("the sheet %s is hidden; people do not see it", formula.QuoteSheet(s.v.Sheet))
	}
	rows := slices.DeleteFunc(s.rows, func(r int) bool { return r < b.R1 || r > b.R2 })
	eachRun(rows, func(from, to int) { s.fact("%s", lineFact("row", strconv.Itoa(from), strconv.Itoa(to))) })
	var cols []int
	for c := b.C1; c <= b.C2; c++ {
		if s.hidden[c] {
			cols = append(cols, c)
		}
	}
	eachRun(cols, func(from, to int) {
		s.fact("%s", lineFact("column", cellref.ColumnName(from), cellref.ColumnName(to)))
	})
	merges := s.skel.Merges()
	for _, at := range s.narrow {
		if !b.Has(at.Row, at.Col) || slices.ContainsFunc(merges, func(m cellref.Range) bool { return m.Has(at.Row, at.Col) }) {
			continue
		}
		s.fact("%s shows #### by estimate: column %s is too narrow for its number", cellref.Name(at.Row, at.Col), cellref.ColumnName(at.Col))
	}
}

func (s *rangeScan) fact(format string, args ...any) {
	if len(s.v.Facts) == MaxFacts {
		s.v.Omitted++
		return
	}
	s.v.Facts = append(s.v.Facts, fmt.Sprintf(format, args...))
}

func lineFact(what, from, to string) string {
	if from == to {
		return what + " " + from + " is hidden"
	}
	return what + "s " + from + " to " + to + " are hidden"
}

// eachRun gives the runs of consecutive numbers of a sorted list.
func eachRun(list []int, emit func(from, to int)) {
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		emit(list[i], list[k])
		i = k + 1
	}
}

// Name returns the block as ranges are written: Sales!A1:C9.
func (v RangeView) Name() string { return formula.SheetPrefix(v.Sheet) + v.Range }
