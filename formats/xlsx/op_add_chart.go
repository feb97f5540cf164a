package xlsx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// maxSeries and maxPoints bound a chart; Excel draws at most 255 series.
const (
	maxSeries = 255
	maxPoints = 32_000
)

type addChartArgs struct {
	cornerArgs
	Type   string        `json:"type" usage:"type" jsonschema:"add_chart: column, bar, line, pie, scatter, area, doughnut, bubble, radar, stock, also stacked_column, percent_stacked_column, scatter_lines"`
	Range  string        `json:"range" usage:"range"`
	Series []ChartSeries `json:"series" usage:"or series" jsonschema:"{ops}: instead of range, whose first row has the names and first column the labels"`
	Title  string        `json:"title" jsonschema:"{ops}"`
	XTitle string        `json:"x_title" jsonschema:"{ops}: of the label axis"`
	YTitle string        `json:"y_title" jsonschema:"{ops}: of the value axis"`
	sizeArgs
	altArgs
	chart.Options `as:"change_chart"`
}

// ChartSeries is one series of add_chart.
type ChartSeries struct {
	Name       string `json:"name,omitempty" jsonschema:"text, or a cell as =B1"`
	Categories string `json:"categories,omitempty" jsonschema:"range of the labels (scatter: of x)"`
	Values     string `json:"values" jsonschema:"range, such as B2:B9 or Data!B2:B9"`
	Sizes      string `json:"sizes,omitempty" jsonschema:"of bubbles"`
}

// chartSpec is a chart to make.
type chartSpec struct {
	kind           chart.Kind
	title          string
	xTitle, yTitle string
	series         []chartSeries
	options        chart.Options
}

// chartSeries is one series: where its values, labels and name stand.
type chartSeries struct {
	name    string     // literal
	nameRef *sheetRect // or a cell
	cats    *sheetRect // labels, nil none
	vals    sheetRect
	sizes   *sheetRect // of bubbles
}

// sheetRect is a block of a sheet.
type sheetRect struct {
	sheet *planSheet
	cellref.Range
}

func (r sheetRect) formula() string {
	return formula.QuoteSheet(r.sheet.name) + "!" + absolute(r.Range)
}

func (p *plan) addChart(ctx context.Context, op addChartArgs) (int, error) {
	spec := &chartSpec{title: op.Title, xTitle: op.XTitle, yTitle: op.YTitle, options: op.Options}
	kind, err := chart.ParseKind(op.Type)
	if err != nil {
		return 0, err
	}
	spec.kind = kind
	at, s, err := p.corner(op.cornerArgs)
	if err != nil {
		return 0, err
	}
	cx, cy, err := op.size()
	if err != nil {
		return 0, err
	}
	if len(op.Series) > 0 {
		p.unused("", givenMember{"range", op.Range != ""})
		spec.series, err = p.givenSeries(ctx, s, op.Series)
	} else {
		spec.series, err = p.rangeSeries(ctx, s, op.Range)
		if spec.kind.Name == "bubble" && len(spec.series) == 2 {
			spec.series[0].sizes = &spec.series[1].vals
			spec.series = spec.series[:1]
		}
	}
	if err != nil {
		return 0, err
	}
	if len(spec.series) > maxSeries {
		return 0, formats.Errorf(formats.CodeInvalid, "the chart would have %d series; the limit is %d", len(spec.series), maxSeries)
	}
	if err := p.checkKind(spec); err != nil {
		return 0, err
	}
	a := anchor{at: at, name: "Chart", alt: op.Alt, cx: cx, cy: cy}
	if cx == 0 {
		a.cx = 6 * emuPerInch
	}
	if cy == 0 {
		a.cy = 3.5 * emuPerInch
	}
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error { return w.addChart(ctx, spec, a) })
	return 0, nil
}

// checkKind says what a kind of chart lacks; of a range, a bubble chart takes the
// columns in threes: x, y and size.
func (p *plan) checkKind(spec *chartSpec) error {
	switch n := len(spec.series); spec.kind.Name {
	case "pie":
		if n > 1 {
			p.warnOp("a pie shows one series; only the first of %d is seen, use doughnut or column for all", n)
		}
	case "stock":
		if n < 3 || n > 4 {
			return formats.Errorf(formats.CodeInvalid, "a stock chart shows high, low and close, in this order, with open before them: three or four series, not %d", n)
		}
	case "bubble":
		for i, s := range spec.series {
			if s.sizes == nil {
				return formats.Errorf(formats.CodeInvalid, "series %d of a bubble chart has no sizes; give series with categories (x), values (y) and sizes, or a range of three columns: x, y, size", i+1)
			}
		}
	}
	return nil
}

// place reads Sheet!A1:B2 or A1:B2, on sheet s when it names none.
func (p *plan) place(ctx context.Context, s *planSheet, text, what string) (sheetRect, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "=")
	if name, rng, ok := cellref.CutSheet(text); ok {
		n := p.find(name)
		if n < 0 {
			return sheetRect{}, book.UnknownSheet(name)
		}
		s, text = p.sheets[n], rng
		if s.orig >= 0 && !s.info.Worksheet() {
			return sheetRect{}, formats.Errorf(formats.CodeUnsupported, "the sheet %q is a %s: it has no cells", s.name, s.info.Kind)
		}
	}
	if text == "" {
		return sheetRect{}, formats.Errorf(formats.CodeInvalid, "%s is required, such as B2:B9", what)
	}
	r, err := cellref.ParseRange(strings.ReplaceAll(text, "$", ""))
	if err != nil {
		return sheetRect{}, err
	}
	if r, err = p.trim(ctx, s, r); err != nil {
		return sheetRect{}, err
	}
	if n := (r.R2 - r.R1 + 1) * (r.C2 - r.C1 + 1); n > maxPoints*maxSeries {
		return sheetRect{}, formats.Errorf(formats.CodeTooLarge, "%s %s has %d cells, too many for a chart", what, r, n)
	}
	return sheetRect{s, r}, nil
}

// givenSeries reads the series member of an operation.
func (p *plan) givenSeries(ctx context.Context, s *planSheet, in []ChartSeries) ([]chartSeries, error) {
	var out []chartSeries
	for i, c := range in {
		one, err := p.givenOne(ctx, s, c)
		if err != nil {
			return nil, inSeries(err, i)
		}
		out = append(out, one)
	}
	return out, nil
}

// givenOne reads one of them.
func (p *plan) givenOne(ctx context.Context, s *planSheet, c ChartSeries) (chartSeries, error) {
	one := chartSeries{name: c.Name}
	var err error
	if one.vals, err = p.place(ctx, s, c.Values, "values"); err != nil {
		return one, err
	}
	if n := (one.vals.R2 - one.vals.R1 + 1) * (one.vals.C2 - one.vals.C1 + 1); n > maxPoints {
		return one, formats.Errorf(formats.CodeTooLarge, "%s has %d values; a series shows at most %d", one.vals.Range, n, maxPoints)
	}
	if c.Categories != "" {
		cats, err := p.place(ctx, s, c.Categories, "categories")
		if err != nil {
			return one, err
		}
		one.cats = &cats
	}
	if c.Sizes != "" {
		sizes, err := p.place(ctx, s, c.Sizes, "sizes")
		if err != nil {
			return one, err
		}
		one.sizes = &sizes
	}
	// A bare Q1 is a name far more often than a cell.
	if strings.HasPrefix(c.Name, "=") || strings.Contains(c.Name, "!$") {
		at, err := p.place(ctx, s, c.Name, "name")
		if err != nil {
			return one, err
		}
		one.name, one.nameRef = "", &at
	}
	return one, nil
}

func inSeries(err error, i int) error {
	return formats.Errorf(formats.CodeOf(err), "series %d: %w", i+1, err)
}

// rangeSeries makes a series of each column of a block: the first column holds
// the labels when there are more, the first row the names unless it has numbers.
func (p *plan) rangeSeries(ctx context.Context, s *planSheet, text string) ([]chartSeries, error) {
	b, err := p.place(ctx, s, text, "range (or series)")
	if err != nil {
		return nil, err
	}
	named, err := p.hasNames(ctx, b)
	if err != nil {
		return nil, err
	}
	top := b.R1
	if named {
		top++
	}
	if top > b.R2 {
		return nil, formats.Errorf(formats.CodeInvalid, "the range %s has no row of values", b.Range)
	}
	if b.R2-top >= maxPoints {
		return nil, formats.Errorf(formats.CodeTooLarge, "the range %s has %d rows; a series shows at most %d", b.Range, b.R2-top+1, maxPoints)
	}
	first := b.C1
	var cats *sheetRect
	if b.C2 > b.C1 {
		cats = &sheetRect{b.sheet, cellref.Block(top, b.C1, b.R2, b.C1)}
		first++
	}
	var out []chartSeries
	for c := first; c <= b.C2; c++ {
		one := chartSeries{cats: cats, vals: sheetRect{b.sheet, cellref.Block(top, c, b.R2, c)}}
		if named {
			one.nameRef = &sheetRect{b.sheet, cellref.Block(b.R1, c, b.R1, c)}
		}
		out = append(out, one)
	}
	return out, nil
}

// hasNames reports whether the first row of a block names its columns.
func (p *plan) hasNames(ctx context.Context, b sheetRect) (bool, error) {
	row := cellref.Block(b.R1, min(b.C1+1, b.C2), b.R1, b.C2)
	texts, numbers := 0, 0
	count := func(_ cellref.Cell, v cellView) error {
		if v.kind == valText {
			texts++
		} else {
			numbers++
		}
		return nil
	}
	if b.sheet.orig >= 0 {
		err := p.wb.eachCell(ctx, b.sheet.info.Part, row, func(at cellref.Cell, v cellView) error {
			if _, again := b.sheet.cells[at]; again {
				return nil
			}
			return count(at, v)
		})
		if err != nil {
			return false, err
		}
	}
	for _, at := range planned(b.sheet.cells, row) {
		if v := b.sheet.cells[at]; v.kind != valClear {
			_ = count(at, v.view(stylesheet.NewFormats(false)))
		}
	}
	return texts > 0 && numbers == 0, nil
}

// addChart makes the chart part and shows it on the sheet.
func (w *sheetWork) addChart(ctx context.Context, spec *chartSpec, a anchor) error {
	doc, err := w.chartXML(ctx, spec)
	if err != nil {
		return err
	}
	if !spec.options.Empty() {
		out, warnings, err := chart.Edit(ctx, []byte(doc), chart.Change{Options: spec.options})
		if err != nil {
			return err
		}
		for _, text := range warnings {
			w.warn("%s", text)
		}
		doc = string(out)
	}
	part, err := w.drawing(ctx)
	if err != nil {
		return err
	}
	_, id, err := w.f.ed.AddPart(ctx, part, "xl/charts/chart%d.xml", book.RelChart, chart.Type, []byte(doc))
	if err != nil {
		return err
	}
	return w.putAnchor(ctx, part, a, func(props string) string {
		return fmt.Sprintf(`<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr>%s<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="%[2]s"><c:chart xmlns:c="%[2]s" xmlns:r="%s" r:id="%s"/></a:graphicData></a:graphic></xdr:graphicFrame>`, props, w.f.ns(nsChart), w.f.ns(sheetml.RelNamespace), id)
	})
}
