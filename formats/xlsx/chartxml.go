package xlsx

import (
	"context"
	"slices"
	"strconv"

	"atelier/formats/ooxml/chart"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/stylesheet"
)

// chartXML is the part of a chart with what its cells hold now.
func (w *sheetWork) chartXML(ctx context.Context, spec *chartSpec) (string, error) {
	out := chart.Spec{Title: spec.title, XTitle: spec.xTitle, YTitle: spec.yTitle, Date1904: w.f.wb.Date1904, Strict: w.f.wb.Strict}
	out.Of(spec.kind)
	for i, s := range spec.series {
		one, err := w.chartSeries(ctx, i, s)
		if err != nil {
			return "", err
		}
		if x := one.Categories; x != nil && !x.Numeric && len(x.Points) > 0 && (spec.kind.Name == "scatter" || spec.kind.Name == "bubble") {
			w.warn("series %d: not all x values in %s are numbers, so the points are at 1, 2, 3 and so on; line and column charts show texts as labels", i+1, x.Formula)
		}
		out.Series = append(out.Series, one)
	}
	return chart.XML(out), nil
}

// chartSeries is series number i, counted from 0, with what its cells hold now.
func (w *sheetWork) chartSeries(ctx context.Context, i int, s chartSeries) (one chart.Series, err error) {
	one.Name = s.name
	for _, d := range []struct {
		to   **chart.Data
		kind string
		at   *sheetRect
	}{{&one.NameRef, "str", s.nameRef}, {&one.Categories, "", s.cats}, {&one.Sizes, "num", s.sizes}} {
		if d.at == nil {
			continue
		}
		if *d.to, _, _, err = w.chartData(ctx, d.kind, *d.at); err != nil {
			return one, err
		}
	}
	vals, numbers, waiting, err := w.chartData(ctx, "num", s.vals)
	if err != nil {
		return one, err
	}
	w.warnOfNumbers(i, s.vals, numbers, waiting)
	one.Values = *vals
	return one, nil
}

// warnOfNumbers says when a series has nothing to draw yet.
func (w *sheetWork) warnOfNumbers(i int, r sheetRect, numbers int, waiting cellref.Range) {
	switch {
	case !waiting.Empty():
		w.warn("series %d: the formulas in %s have no values yet, so the chart shows them once they are calculated: when the file is opened, or by recalculate", i+1, waiting)
	case numbers == 0:
		w.warn("series %d: there are no numbers in %s", i+1, r.formula())
	}
}

// formatCode is the number format of a cell.
func (v cellView) formatCode(st *stylesheet.Formats) string {
	if v.code != "" || st == nil {
		return v.code
	}
	return st.Code(v.style)
}

// point is what a chart stores of a cell, "" for nothing.
func (v cellView) point(numeric bool) string {
	if !numeric {
		return v.shown
	}
	if _, err := strconv.ParseFloat(v.text, 64); err != nil || v.kind != valNumber {
		return ""
	}
	return v.text
}

// chartData is a block with what its cells hold now, as strings ("str"),
// numbers ("num") or whichever they are (""), how many are numbers, and the
// formulas among them that have no value yet.
func (w *sheetWork) chartData(ctx context.Context, kind string, r sheetRect) (_ *chart.Data, numbers int, waiting cellref.Range, err error) {
	wide := r.C2 - r.C1 + 1
	st, err := w.f.wb.Styles(ctx)
	if err != nil {
		return nil, 0, cellref.Range{}, err
	}
	cells := map[int]cellView{} // planned cells come last
	seen, code := 0, ""
	err = w.f.eachCell(ctx, r.sheet, r.Range, func(at cellref.Cell, v cellView) error {
		cells[(at.Row-r.R1)*wide+at.Col-r.C1] = v
		seen++
		switch v.kind {
		case valNumber:
			numbers++
			if code == "" {
				code = v.formatCode(st)
			}
		case valFormula:
			waiting.Add(at.Row, at.Col)
		}
		return nil
	})
	if err != nil {
		return nil, 0, cellref.Range{}, err
	}
	d := &chart.Data{Formula: r.formula(), Numeric: kind == "num" || kind == "" && numbers > 0 && numbers == seen, Format: code, Count: (r.R2 - r.R1 + 1) * wide}
	for i, v := range cells {
		if text := v.point(d.Numeric); text != "" {
			d.Points = append(d.Points, chart.Point{Index: i, Text: text})
		}
	}
	slices.SortFunc(d.Points, func(a, b chart.Point) int { return a.Index - b.Index })
	return d, numbers, waiting, nil
}
