package xlsx

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

type changeChartArgs struct {
	whichChartArgs
	Type   string        `json:"type"`
	Range  string        `json:"range"`
	Series []ChartSeries `json:"series" usage:"or series? (all that it shall have)"`
	Title  *string       `json:"title" usage:"title? (\"\" removes a title)"`
	XTitle *string       `json:"x_title"`
	YTitle *string       `json:"y_title"`
	chart.Options
	Cell string `json:"cell" usage:"cell? (new top left corner)"`
	sizeArgs
	Alt *string `json:"alt"`
}

// changeChart changes data, kind, look and place of a chart; all that it is not
// asked for stays.
func changeChart(ctx context.Context, e *structure, op changeChartArgs) error {
	c, err := e.chartNamed(ctx, op.whichChartArgs)
	if err != nil {
		return err
	}
	if e.wb.Package.Size(c.part) > maxChartPart {
		return formats.Errorf(formats.CodeTooLarge, "the chart has %d MiB; it is too large to be changed", e.wb.Package.Size(c.part)>>20)
	}
	doc, err := e.ed.ReadXML(ctx, c.part)
	if err != nil {
		return err
	}
	change := chart.Change{Type: op.Type, Title: op.Title, XTitle: op.XTitle, YTitle: op.YTitle, Options: op.Options}
	if change.Data, err = e.chartData(ctx, c, doc, op); err != nil {
		return err
	}
	placed := op.Cell != "" || op.Width != nil || op.Height != nil || op.Alt != nil
	if change.Empty() && !placed {
		return formats.Errorf(formats.CodeInvalid, "nothing to change: give type, range or series, title, legend, data_labels, axes, colors, series_options, cell or another member")
	}
	e.rep.Hits = 1
	if !change.Empty() {
		out, warnings, err := chart.Edit(ctx, doc, change)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			e.warn("%s", w)
		}
		if !bytes.Equal(out, doc) {
			e.ed.Set(c.part, out)
		}
	}
	if placed {
		return e.placeChart(c, op)
	}
	return nil
}

// chartData returns the series that the chart shall have; nil for those that it
// has.
func (e *structure) chartData(ctx context.Context, c *placedChart, doc []byte, op changeChartArgs) ([]chart.NewSeries, error) {
	if op.Range == "" && op.Series == nil {
		return nil, nil
	}
	if op.Series != nil && len(op.Series) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "series is empty; give those that the chart shall have, or use delete_chart")
	}
	names, err := chart.SeriesNames(ctx, doc)
	if err != nil {
		return nil, err
	}
	p := newPlan(e.wb, false)
	s := p.sheets[c.sheet]
	w := &sheetWork{f: &finisher{plan: p, wb: e.wb, ed: e.ed, rw: &formula.Rewriter{}}, sheet: s, rep: &e.rep}
	given := op.Series
	var list []chartSeries
	if given == nil {
		if list, err = p.rangeSeries(ctx, s, op.Range); err != nil {
			return nil, err
		}
	} else if op.Range != "" {
		e.rep.Ignored = append(e.rep.Ignored, formats.Ignored{Name: "range"})
	}
	if len(given) > maxSeries || len(list) > maxSeries {
		return nil, formats.Errorf(formats.CodeInvalid, "the chart would have %d series; the limit is %d", max(len(given), len(list)), maxSeries)
	}
	var out []chart.NewSeries
	for i, g := range given {
		if strings.TrimSpace(g.Values) == "" {
			out = append(out, chart.NewSeries{Old: -1, Keep: true, Series: chart.Series{Name: strings.TrimSpace(g.Name)}})
			continue
		}
		one, err := p.givenOne(ctx, s, g)
		if err != nil {
			return nil, inSeries(err, i)
		}
		made, err := w.chartSeries(ctx, i, one)
		if err != nil {
			return nil, err
		}
		out = append(out, chart.NewSeries{Old: -1, Series: made})
	}
	for i, one := range list {
		made, err := w.chartSeries(ctx, i, one)
		if err != nil {
			return nil, err
		}
		out = append(out, chart.NewSeries{Old: -1, Series: made})
	}
	return out, e.matchSeries(out, names)
}

// matchSeries finds which series of the chart the new ones are: those with their
// names, else the next that are left.
func (e *structure) matchSeries(list []chart.NewSeries, names []string) error {
	label := func(s chart.NewSeries) string {
		if s.NameRef != nil && len(s.NameRef.Points) > 0 {
			return strings.Join(strings.Fields(s.NameRef.Points[0].Text), " ")
		}
		return strings.Join(strings.Fields(s.Name), " ")
	}
	taken := make([]bool, len(names))
	match := func(is func(s chart.NewSeries, name string) bool) {
		for i := range list {
			for k, name := range names {
				if list[i].Old < 0 && !taken[k] && is(list[i], name) {
					list[i].Old, taken[k] = k, true
				}
			}
		}
	}
	match(func(s chart.NewSeries, name string) bool { return name != "" && label(s) == name })
	match(func(s chart.NewSeries, name string) bool { return name != "" && strings.EqualFold(label(s), name) })
	for i := range list {
		if n, err := strconv.Atoi(label(list[i])); list[i].Keep && list[i].Old < 0 && err == nil && n >= 1 && n <= len(names) && !taken[n-1] {
			list[i].Old, taken[n-1] = n-1, true
		}
		if list[i].Keep && list[i].Old < 0 {
			return formats.Errorf(formats.CodeInvalid, "series %d: the chart has no series %s; give its values", i+1, cellref.QuoteArg(list[i].Name))
		}
	}
	match(func(s chart.NewSeries, name string) bool { return !s.Keep })
	for i := range list {
		if k := list[i].Old; k >= 0 && names[k] != "" && label(list[i]) != "" && !strings.EqualFold(label(list[i]), names[k]) && !list[i].Keep {
			e.warn("the series %q became %q and kept its looks", names[k], label(list[i]))
		}
	}
	for k, name := range names {
		if !taken[k] {
			if name == "" {
				name = strconv.Itoa(k + 1)
			}
			e.warn("the series %q is not among the new ones and was removed", name)
		}
	}
	return nil
}
