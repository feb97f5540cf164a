package xlsx

import (
	"context"
	"errors"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

type copyStylesArgs struct {
	rangeArgs
	Source string `json:"source" usage:"source" jsonschema:"{ops}: where the formats are, such as Sheet1!A1:C3"`
	Path   string `json:"path" jsonschema:"{ops}: another workbook"`
}

// openOther opens another workbook that an operation names.
func (p *plan) openOther(ctx context.Context, path string) (*workbook, func(), error) {
	if p.opt.Open == nil {
		return nil, nil, formats.Errorf(formats.CodeUnsupported, "other files cannot be used here: %s", path)
	}
	src, err := p.opt.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	wb, err := open(ctx, src)
	if err != nil {
		src.Close()
		return nil, nil, err
	}
	return wb, func() { src.Close() }, nil
}

// copyStyles puts the formats of a block on another one, repeating them where
// that is larger; the block may be in another workbook.
func (p *plan) copyStyles(ctx context.Context, op copyStylesArgs) (int, error) {
	to, err := cellref.ParseRange(op.Range)
	if err != nil {
		return 0, err
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	from, closer := p.wb, func() {}
	if op.Path != "" {
		if from, closer, err = p.openOther(ctx, op.Path); err != nil {
			return 0, err
		}
	}
	defer closer()
	sheet, rng, ok := cellref.CutSheet(strings.TrimSpace(op.Source))
	if !ok {
		return 0, formats.Errorf(formats.CodeInvalid, "source is required, with its sheet, such as Sheet1!A1:C3")
	}
	i := from.Find(sheet)
	if i < 0 || !from.Sheets[i].Worksheet() {
		return 0, book.UnknownSheet(sheet)
	}
	block, err := cellref.ParseRange(strings.ReplaceAll(rng, "$", ""))
	if err != nil {
		return 0, err
	}
	h, w := block.R2-block.R1+1, block.C2-block.C1+1
	if to.R1 == to.R2 && to.C1 == to.C2 {
		to.R2, to.C2 = min(to.R1+h-1, cellref.MaxRow), min(to.C1+w-1, cellref.MaxCol)
	}
	cells := (to.R2 - to.R1 + 1) * (to.C2 - to.C1 + 1)
	if h*w > maxStyledCells || h*w > 1 && cells > maxStyledCells {
		return 0, formats.Errorf(formats.CodeTooLarge, "more than %d cells of formats are too many; copy whole columns from a single cell instead", maxStyledCells)
	}
	look, err := from.looks(ctx, from.Sheets[i].Part, block)
	if err != nil {
		return 0, err
	}
	fixed, err := p.fixer(ctx, from, op.Path == "")
	if err != nil {
		return 0, err
	}
	if h*w == 1 {
		s.areas = append(s.areas, styleArea{to, fixed(look.at(block.R1, block.C1))})
		s.colFormats(p)
		return cells, nil
	}
	for r := to.R1; r <= to.R2; r++ {
		look.runs(block.R1+(r-to.R1)%h, func(c int) int { return block.C1 + (c-to.C1)%w }, to.C1, to.C2, func(c1, c2, style int) {
			s.areas = append(s.areas, styleArea{cellref.Block(r, c1, r, c2), fixed(style)})
		})
		if len(s.areas) > 1<<18 {
			return 0, formats.Errorf(formats.CodeTooLarge, "the formats differ too often to be copied at once; copy fewer rows")
		}
	}
	return cells, nil
}

// fixer gives the spec that makes a cell look exactly as a style of from.
func (p *plan) fixer(ctx context.Context, from *workbook, own bool) (func(style int) *stylesheet.Spec, error) {
	specs := map[int]*stylesheet.Spec{}
	var f *stylesheet.Foreign
	if !own {
		var err error
		if f, err = from.ForeignStyles(ctx, p.wb.Workbook); err != nil {
			return nil, err
		}
	}
	return func(style int) *stylesheet.Spec {
		if s := specs[style]; s != nil {
			return s
		}
		x := &stylesheet.CellFormat{Own: &style}
		if f != nil {
			x = f.Xf(style)
		}
		specs[style] = &stylesheet.Spec{Fixed: x}
		return specs[style]
	}, nil
}

// looks are the styles of a block of a sheet.
type looks struct {
	cells      map[cellref.Cell]int
	rows, cols map[int]int
}

func (wb *workbook) looks(ctx context.Context, part string, area cellref.Range) (*looks, error) {
	l := &looks{cells: map[cellref.Cell]int{}, rows: map[int]int{}}
	for s, err := range wb.Rows(ctx, part, book.Window{Last: area.R2}) {
		if err != nil && !errors.Is(err, sheetml.ErrNoCells) {
			return nil, err
		}
		switch {
		case s.Event == sheetml.HeadEnd:
			l.cols = sheetml.Skeleton{Doc: s.HeadXML, Cut: len(s.HeadXML)}.ColStyles()
		case s.Event == sheetml.RowStart && s.Row >= area.R1:
			if st := rowStyle(s.Raw()[s.Start:]); st >= 0 {
				l.rows[s.Row] = st
			}
		case s.Event == sheetml.WholeCell && area.Has(s.Cell.Row, s.Cell.Col):
			l.cells[cellref.At(s.Cell.Row, s.Cell.Col)] = s.Cell.Style
		}
	}
	return l, nil
}

// at is the style of a cell, there or not.
func (l *looks) at(row, col int) int {
	if s, ok := l.cells[cellref.At(row, col)]; ok {
		return s
	}
	if s, ok := l.rows[row]; ok {
		return s
	}
	return l.cols[col]
}

// runs gives the runs of columns from c1 to c2 that look the same, where col
// says which column of the source a column follows.
func (l *looks) runs(row int, col func(int) int, c1, c2 int, f func(c1, c2, style int)) {
	start, style := c1, l.at(row, col(c1))
	for c := c1 + 1; c <= c2+1; c++ {
		if c <= c2 && l.at(row, col(c)) == style {
			continue
		}
		f(start, c-1, style)
		if c <= c2 {
			start, style = c, l.at(row, col(c))
		}
	}
}
