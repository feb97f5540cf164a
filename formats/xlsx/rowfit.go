package xlsx

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// maxRowHeight is the greatest height of a row in points (18.3.1.73).
const maxRowHeight = 409

// lineHeight estimates the height of a line of text in points: programs round it up to
// quarters of three points.
func lineHeight(size float64) float64 { return math.Ceil(size*1.31/.75) * .75 }

// fitRows gives the rows of blocks the height that their text needs, as Excel does when
// a row has no height of its own: cells whose text wraps count with all their lines,
// others with one, and merged cells not at all. A row that holds nothing stays.
func (w *sheetWork) fitRows(ctx context.Context, blocks []cellref.Range) error {
	b, err := w.f.readStyles(ctx)
	if err != nil {
		return err
	}
	n := &narrowSearch{w: w}
	n.readColumns()
	merges := w.skel.Merges()
	fonts := map[int]typeface{}
	usual := newTypeface(b, 0)
	want := map[int]float64{}
	rotated := &placeList{}
	wanted := rowSet(blocks)
	var rows cellref.Range
	for _, r := range blocks {
		rows.Add(r.R1, 1)
		rows.Add(r.R2, cellref.MaxCol)
	}
	err = w.each(ctx, rows, func(at cellref.Cell, v cellView) error {
		if _, set := w.sheet.heights[at.Row]; set { // by a later operation
			return nil
		}
		width, known := n.widths[at.Col]
		if !known {
			width = n.common
		}
		if width == 0 || !wanted.Has(at.Row, 1) ||
			slices.ContainsFunc(merges, func(m cellref.Range) bool { return m.Has(at.Row, at.Col) }) {
			return nil
		}
		style := w.styleOf(at, v)
		f, known := fonts[style]
		if !known {
			f = newTypeface(b, style)
			fonts[style] = f
		}
		if f.rotated {
			rotated.add(w.sheet.name, at)
		}
		lines := 1
		if f.wraps {
			lines = wrappedLines(f.shown(v, w.f.wb.Date1904), (width-cellPadding)/f.scale)
		}
		want[at.Row] = max(want[at.Row], float64(lines)*lineHeight(f.size), lineHeight(usual.size))
		return nil
	})
	if err != nil {
		return err
	}
	w.setFits(want, rotated)
	return nil
}

// setFits takes the heights of rows into the sheet and says what could not be done.
func (w *sheetWork) setFits(want map[int]float64, rotated *placeList) {
	if len(want) == 0 {
		w.warn("the rows are empty, so their heights stay")
		return
	}
	capped := 0
	if w.fits == nil {
		w.fits = map[int]float64{}
	}
	for row, h := range want {
		if h > maxRowHeight {
			capped++
			h = maxRowHeight
		}
		w.fits[row] = h
	}
	if capped > 0 {
		w.warn("%s more than the %d points that a row can have; make their columns wider", formats.Count(capped, "row would need", "rows would need"), maxRowHeight)
	}
	if rotated.n > 0 {
		w.warn("text that is turned was measured as if it were not: %s", rotated.String())
	}
	w.rep.Hits = len(want)
}

// wrappedLines counts the lines of a text that wraps between words in a width, in
// digits. A word that is longer than a line is broken.
func wrappedLines(s string, width float64) int {
	width = max(width, 1)
	n := 0
	for par := range strings.SplitSeq(s, "\n") {
		n++
		line := 0.0
		for i, word := range strings.Split(par, " ") {
			need := textWidth(word)
			gap := 0.0
			if i > 0 {
				gap = textWidth(" ")
			}
			if line > 0 && line+gap+need > width {
				n++
				line, gap = 0, 0
			}
			line += gap + need
			if line > width {
				more := int(math.Ceil(line/width)) - 1
				n += more
				line -= float64(more) * width
			}
		}
	}
	return n
}

// fitAttrs is the height of a row that programs may fit again.
func fitAttrs(ht float64) string { return ` ht="` + strconv.FormatFloat(ht, 'f', -1, 64) + `"` }
