package xlsx

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	// cellPadding is what a column's width holds besides its digits: 5 pixels of 7 to a
	// digit (18.3.1.13).
	cellPadding = .71
	// narrowSlack is how much wider than its column a number is estimated to be before
	// that is told: fonts differ.
	narrowSlack = 1.1
	// scientificWidth is the least that a number in the General format takes: 1E+11.
	scientificWidth = 5
	// maxNarrowColumns is how many columns of a sheet a warning names.
	maxNarrowColumns = 6
	// maxNarrowScan is the size of the sheets whose other cells are looked at when
	// columns or formats change, in bytes.
	maxNarrowScan = 32 << 20
)

// narrowSearch finds numbers and dates that are too wide for their column, which
// programs show as ####.
type narrowSearch struct {
	w       *sheetWork
	widths  map[int]float64 // of the columns that say one; 0: hidden
	common  float64         // of the others
	merges  []cellref.Range // of several columns, whose widths add up
	faces   map[int]typeface
	codes   map[string]*numfmt.Format
	columns map[int]*narrowColumn
}

// narrowColumn is what is too wide in a column.
type narrowColumn struct {
	places placeList
	need   float64 // the width that would do
}

// saidOfNarrow warns of numbers that the operations write, format or squeeze so
// that they are shown as ####.
func (w *sheetWork) saidOfNarrow(ctx context.Context) error {
	if !w.f.typed {
		return nil
	}
	n := &narrowSearch{w: w, faces: map[int]typeface{}, codes: map[string]*numfmt.Format{}, columns: map[int]*narrowColumn{}}
	n.readColumns()
	if err := n.written(ctx); err != nil {
		return err
	}
	if err := n.formatted(ctx); err != nil {
		return err
	}
	if len(n.columns) > 0 {
		w.f.warn("too narrow, so numbers show as ####: %s", n.text())
	}
	return nil
}

// readColumns reads the widths of the columns as the edit leaves them.
func (n *narrowSearch) readColumns() {
	n.common, _ = strconv.ParseFloat(n.w.skel.DefaultWidth(), 64)
	cols, _, _ := sheetml.ReadColumns(n.w.skel)
	n.widths = sheetml.ColumnValues(cols, func(c sheetml.ColumnRange) (float64, bool) {
		if sheetml.IsTrue(sheetml.AttrOf(c.Tag, "hidden")) {
			return 0, true
		}
		width, err := strconv.ParseFloat(sheetml.AttrOf(c.Tag, "width"), 64)
		return width, err == nil
	})
	n.merges = slices.DeleteFunc(n.w.skel.Merges(), func(m cellref.Range) bool { return m.C1 == m.C2 })
}

// written looks at the numbers that the operations write.
func (n *narrowSearch) written(ctx context.Context) error {
	s := n.w.sheet
	for i, at := range planned(s.cells, cellref.WholeSheet) {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := s.cells[at]
		if v.kind != valNumber {
			continue
		}
		number, code := v.s, ""
		if d := s.dates[at]; d != nil && !d.kept {
			number, code = d.number, d.code
		}
		style, has := n.w.placeStyle(at)
		style, _ = n.w.newFormats.style(at.Row, at.Col, style, has)
		if err := n.see(ctx, at, number, style, code); err != nil {
			return err
		}
	}
	return nil
}

// placeStyle is the format that a written cell had, or that its row or column
// gives it.
func (w *sheetWork) placeStyle(at cellref.Cell) (style int, has bool) {
	i := slices.Index(w.f.keep, w.sheet)
	if i < 0 {
		return 0, false
	}
	if w.f.facts[i].exists[at] {
		return w.f.facts[i].cellStyles[at], true
	}
	if style, has = w.f.facts[i].rowStyles[at.Row]; has {
		return style, true
	}
	style, has = w.f.edits[i].colStyles[at.Col]
	return style, has
}

// formatted looks at the other numbers in columns whose width the operations set,
// and in cells that they format.
func (n *narrowSearch) formatted(ctx context.Context) error {
	s := n.w.sheet
	area := cellref.Range{}
	for col := range s.widths {
		area.Add(1, col)
		area.Add(cellref.MaxRow, col)
	}
	for _, a := range s.areas {
		if a.spec.Format != nil || a.spec.FontSize != nil || a.spec.Bold != nil {
			area.Add(a.R1, a.C1)
			area.Add(a.R2, a.C2)
		}
	}
	if area.Empty() || s.orig < 0 || n.w.f.wb.Package.Size(s.info.Part) > maxNarrowScan {
		return nil
	}
	return n.w.f.wb.eachCell(ctx, s.info.Part, area, func(at cellref.Cell, v cellView) error {
		if _, edited := s.cells[at]; edited || v.kind != valNumber {
			return nil
		}
		if _, sized := s.widths[at.Col]; !sized && (n.w.newFormats == nil || comboAt(n.w.newFormats.at(at.Row), at.Col) < 0) {
			return nil
		}
		return n.see(ctx, at, v.text, n.w.styleOf(at, v), "")
	})
}

// see looks at one number in a format; code is the number format of a date that
// the edit writes, "" for that of the style.
func (n *narrowSearch) see(ctx context.Context, at cellref.Cell, number string, style int, code string) error {
	width, ok := n.widths[at.Col]
	if !ok {
		width = n.common
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || width <= 0 {
		return nil
	}
	face, err := n.face(ctx, style)
	if err != nil || face.shrinks {
		return err
	}
	format := face.format
	if code != "" {
		if format = n.codes[code]; format == nil {
			format = numfmt.Parse(code)
			n.codes[code] = format
		}
	}
	need := shownWidth(format, v, n.w.f.wb.Date1904) * face.scale
	if need <= (width-cellPadding)*narrowSlack || slices.ContainsFunc(n.merges, func(m cellref.Range) bool { return m.Has(at.Row, at.Col) }) {
		return nil
	}
	c := n.columns[at.Col]
	if c == nil {
		c = &narrowColumn{}
		n.columns[at.Col] = c
	}
	c.places.add(n.w.sheet.name, at)
	c.need = max(c.need, need+cellPadding)
	return nil
}

func (n *narrowSearch) face(ctx context.Context, style int) (typeface, error) {
	f, known := n.faces[style]
	if !known {
		b, err := n.w.f.readStyles(ctx)
		if err != nil {
			return f, err
		}
		f = newTypeface(b, style)
		n.faces[style] = f
	}
	return f, nil
}

// shownWidth is how wide a number is in a format, in digits. The General format
// gives up decimals, then writes in scientific notation, before it shows ####.
func shownWidth(format *numfmt.Format, v float64, date1904 bool) float64 {
	if !format.General {
		s := format.Number(v, date1904)
		// Hyphens and strokes of dates are narrower than digits.
		return textWidth(s) - .4*float64(strings.Count(s, "-")) - .2*float64(strings.Count(s, "/"))
	}
	sign := 0.0
	if v < 0 {
		sign = .6
	}
	digits := 1.0
	if a := math.Abs(v); a >= 10 {
		digits = math.Floor(math.Log10(a)) + 1
	}
	return sign + min(digits, scientificWidth)
}

// text names the columns with their cells, their width and one that fits.
func (n *narrowSearch) text() string {
	var out []string
	cols := slices.Sorted(maps.Keys(n.columns))
	for _, col := range cols[:min(len(cols), maxNarrowColumns)] {
		c := n.columns[col]
		width, ok := n.widths[col]
		if !ok {
			width = n.common
		}
		out = append(out, fmt.Sprintf("%s (column %s is %s wide; %s fits)", c.places.String(), cellref.ColumnName(col), widthText(width), widthText(math.Ceil(c.need*2)/2)))
	}
	if more := len(cols) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more columns", more))
	}
	return strings.Join(out, "; ")
}

func widthText(w float64) string { return strconv.FormatFloat(math.Round(w*10)/10, 'f', -1, 64) }
