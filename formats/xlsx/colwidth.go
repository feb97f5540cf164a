package xlsx

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// columnRuns reads B, A:D or A:D,F.
func columnRuns(s string) ([]lineRun, error) {
	var runs []lineRun
	for _, part := range strings.Split(s, ",") {
		r, err := cellref.ParseRange(strings.ReplaceAll(strings.TrimSpace(part), "$", ""))
		if err != nil || r.R1 != 1 || r.R2 != cellref.MaxRow {
			return nil, formats.Errorf(formats.CodeInvalid, "invalid column: %s (expected a letter such as B, or A:D,F)", cellref.QuoteArg(s))
		}
		runs = append(runs, lineRun{r.C1, r.C2})
	}
	return runs, nil
}

// columnWidth reads a width: a number of characters, or auto.
func columnWidth(c ColumnWidth) (w float64, auto bool, err error) {
	switch v := c.Width.(type) {
	case json.Number:
		w, err = v.Float64()
	case string:
		if strings.EqualFold(strings.TrimSpace(v), "auto") {
			return 0, true, nil
		}
		w, err = strconv.ParseFloat(strings.TrimSpace(v), 64)
	default:
		err = fmt.Errorf("no number")
	}
	if err != nil || !(w >= 0 && w <= 255) {
		return 0, false, formats.Errorf(formats.CodeInvalid, "invalid width %s of column %s: expected 0 to 255, or auto", cellref.QuoteArg(fmt.Sprint(c.Width)), c.Column)
	}
	return w, false, nil
}

// setWidths takes widths into the plan. Those that depend on what cells show
// wait until all cells are known, and what comes behind them waits too.
func (s *planSheet) setWidths(p *plan, widths map[int]float64, auto []int) {
	if len(auto) > 0 {
		s.fitted = true
		p.deferEdit(s, func(ctx context.Context, w *sheetWork) error { return w.fit(ctx, auto) })
	}
	if s.fitted && len(widths) > 0 {
		p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
			w.edit(widthEdits(w.skel, widths, w.prefix)...)
			return nil
		})
		return
	}
	for c, w := range widths {
		if s.widths == nil {
			s.widths = map[int]float64{}
		}
		s.widths[c] = w
	}
}

// The bounds of an automatic width, in characters: columns are not made
// narrower than a short word, and long text is better wrapped.
const minAutoWidth, maxAutoWidth = 6, 80

// fit makes columns as wide as the longest line their cells show. Merged cells
// that span columns do not count, as in Excel.
func (w *sheetWork) fit(ctx context.Context, cols []int) error {
	want := map[int]float64{}
	area := cellref.Range{}
	for _, c := range cols {
		want[c] = 0
		area.Add(1, c)
		area.Add(cellref.MaxRow, c)
	}
	b, err := w.f.readStyles(ctx)
	if err != nil {
		return err
	}
	merges := slices.DeleteFunc(w.skel.Merges(), func(m cellref.Range) bool { return m.C1 == m.C2 })
	fonts := map[int]typeface{}
	err = w.each(ctx, area, func(at cellref.Cell, v cellView) error {
		have, ok := want[at.Col]
		if !ok || slices.ContainsFunc(merges, func(m cellref.Range) bool { return m.Has(at.Row, at.Col) }) {
			return nil
		}
		style := w.styleOf(at, v)
		f, known := fonts[style]
		if !known {
			f = newTypeface(b, style)
			fonts[style] = f
		}
		want[at.Col] = max(have, textWidth(f.shown(v, w.f.wb.Date1904))*f.scale)
		return nil
	})
	if err != nil {
		return err
	}
	for c, n := range want {
		if n == 0 {
			delete(want, c) // an empty column keeps its width
			continue
		}
		want[c] = math.Round(min(max(n+1.7, minAutoWidth), maxAutoWidth)*100) / 100
	}
	if len(want) == 0 {
		w.rep.Warnings = append(w.rep.Warnings, "the columns are empty, so their widths stay")
		return nil
	}
	w.edit(widthEdits(w.skel, want, w.prefix)...)
	return nil
}

// unknownResult is as wide as a formula's value is taken to be before it is
// calculated.
const unknownResult = "0000000"

// typeface is how a cell format writes.
type typeface struct {
	scale   float64 // how much wider than the default
	format  *numfmt.Format
	shrinks bool // to fit its column
	wraps   bool
	rotated bool
	size    float64 // in points
}

// shown is what a cell shows in a format, which may be one of this edit.
func (f typeface) shown(v cellView, date1904 bool) string {
	if v.kind == valFormula {
		return unknownResult
	}
	n, err := strconv.ParseFloat(v.text, 64)
	if v.kind != valNumber || err != nil {
		return v.shown
	}
	return f.format.Number(n, date1904)
}

// textWidth is the width of the longest line of s in digits: what a column
// width counts (18.3.1.13).
func textWidth(s string) float64 {
	longest, line := 0.0, 0.0
	for _, r := range s {
		if r == '\n' {
			line = 0
			continue
		}
		line += runeWidth(r)
		longest = max(longest, line)
	}
	return longest
}

func runeWidth(r rune) float64 {
	switch {
	case r >= '0' && r <= '9':
		return 1
	case r > 0x7f:
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			return 2
		}
		if unicode.Is(unicode.Mn, r) {
			return 0
		}
	case strings.IndexByte("iljtfI.,:;'|! ", byte(r)) >= 0:
		return .6
	case strings.IndexByte("MWmw@%", byte(r)) >= 0:
		return 1.5
	}
	if unicode.IsUpper(r) {
		return 1.2
	}
	return 1
}

func newTypeface(b *stylesheet.Book, style int) typeface {
	font := func(i int) *element.Element {
		return element.Parse(b.Item("fonts", sheetml.AttrOf(b.Item("cellXfs", strconv.Itoa(i)), "fontId")), "font", nil)
	}
	size := func(f *element.Element) float64 {
		n, _ := strconv.ParseFloat(sheetml.AttrOf([]byte(f.Get("sz")), "val"), 64)
		return n
	}
	f, normal := font(style), font(0)
	xf := element.Parse(b.Item("cellXfs", strconv.Itoa(style)), "xf", nil)
	t := typeface{scale: 1, shrinks: sheetml.IsTrue(sheetml.AttrOf([]byte(xf.Get("alignment")), "shrinkToFit")), format: numfmt.Parse(b.FormatCode(sheetml.AttrOf(b.Item("cellXfs", strconv.Itoa(style)), "numFmtId")))}
	if a, n := size(f), size(normal); a > 0 && n > 0 {
		t.scale = a / n
	}
	if t.size = size(f); t.size <= 0 {
		t.size = 11
	}
	alignment := []byte(xf.Get("alignment"))
	aligned := func(name string) bool {
		v := sheetml.AttrOf(alignment, name)
		return v == "justify" || v == "distributed"
	}
	t.wraps = sheetml.IsTrue(sheetml.AttrOf(alignment, "wrapText")) || aligned("horizontal") || aligned("vertical")
	turn := sheetml.AttrOf(alignment, "textRotation")
	t.rotated = turn != "" && turn != "0"
	if sheetml.IsOn(f.Get("b")) {
		t.scale *= 1.08
	}
	return t
}
