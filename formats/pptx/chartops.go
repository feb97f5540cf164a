package pptx

import (
	"context"
	"path"

	"atelier/formats"
	"atelier/formats/chartdata"
	"atelier/formats/ooxml/chart"
)

// Series is one series of a chart.
type Series = chartdata.Series

// setChartDataArgs are the members of set_chart_data.
type setChartDataArgs struct {
	slideArgs
	tableArgs
	Categories []Cell   `json:"categories" usage:"categories?" jsonschema:"{ops}: the labels"`
	Series     []Series `json:"series" usage:"series? (all that the chart shall have; without values one keeps its own)" jsonschema:"{ops}: what it shows"`
}

// setChartOptionsArgs are the members of set_chart_options.
type setChartOptionsArgs struct {
	slideArgs
	tableArgs
	Title  *Lines  `json:"title" usage:"title?" jsonschema:"{ops}: above it"`
	XTitle *string `json:"x_title" usage:"x_title?" jsonschema:"{ops}: of the label axis"`
	YTitle *string `json:"y_title" usage:"y_title? (\"\" removes a title)" jsonschema:"{ops}: of the value axis"`
	chart.Options
}

// setChartTypeArgs are the members of set_chart_type.
type setChartTypeArgs struct {
	slideArgs
	tableArgs
	Type string `json:"type" usage:"type" jsonschema:"{ops}: bar, column, line, pie, area, doughnut, scatter, radar or stock, also stacked_bar, percent_stacked_column"`
}

// findChart returns the part of the chart that an operation names; the only one
// of a slide need not be named.
func (d *deckEdit) findChart(ctx context.Context, c *call, a tableArgs) (part string, err error) {
	slide, err := d.tree(ctx, c.part)
	if err != nil {
		return "", err
	}
	f, err := c.findShape(slide, shapeArgs(a), kindChart)
	if err != nil {
		return "", err
	}
	if f.chart == "" {
		return "", formats.Errorf(formats.CodeInvalid, "the shape %s is no chart but a %s", quote(f.name()), f.kind())
	}
	rels, err := d.Rels(ctx, c.part)
	if err != nil {
		return "", err
	}
	if part = relTarget(rels, f.chart); part == "" || !d.Has(part) {
		return "", formats.Errorf(formats.CodeCorrupt, "the chart %s is missing from the file", quote(f.name()))
	}
	return part, nil
}

// charts returns the editor of the data of charts.
func (d *deckEdit) charts() *chartdata.Edit {
	return &chartdata.Edit{Package: d.edit, Dir: path.Dir(d.main)}
}

// texts returns cells as texts; nil stays nil.
func texts(cells []Cell) []string {
	if cells == nil {
		return nil
	}
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = string(c)
	}
	return out
}

// setChartData replaces labels, values and series of a chart and the cells of
// its workbook; the looks stay.
func (d *deckEdit) setChartData(ctx context.Context, c *call, a setChartDataArgs) error {
	part, err := d.findChart(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	e := d.charts()
	if err := e.Set(ctx, part, texts(a.Categories), a.Series); err != nil {
		return err
	}
	c.r.Hits, c.r.Cells = 1, c.r.Cells+e.Cells
	c.r.Warnings = append(c.r.Warnings, e.Warnings...)
	return nil
}

// setChartOptions sets titles, axes, legend, labels and looks of a chart; all that it
// does not name stays.
func (d *deckEdit) setChartOptions(ctx context.Context, c *call, a setChartOptionsArgs) error {
	change := chart.Change{XTitle: a.XTitle, YTitle: a.YTitle, Slide: true, Options: a.Options}
	if a.Title != nil {
		text := newlines(string(*a.Title))
		change.Title = &text
	}
	if change.Empty() {
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give title, x_title, y_title, y_min, y_max, y_auto, number_format, legend, data_labels, axes, colors, series_options or another member")
	}
	return d.changeChart(ctx, c, a.tableArgs, change)
}

// setChartType shows the same series as another kind of chart; the colours of
// series, axes, titles and legend stay.
func (d *deckEdit) setChartType(ctx context.Context, c *call, a setChartTypeArgs) error {
	if _, err := chart.ParseKind(a.Type); err != nil {
		return err
	}
	return d.changeChart(ctx, c, a.tableArgs, chart.Change{Type: a.Type, Slide: true})
}

func (d *deckEdit) changeChart(ctx context.Context, c *call, a tableArgs, change chart.Change) error {
	part, err := d.findChart(ctx, c, a)
	if err != nil {
		return err
	}
	doc, err := d.edit.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	out, warnings, err := chart.Edit(ctx, doc, change)
	if err != nil {
		return err
	}
	c.r.Hits = 1
	c.r.Warnings = append(c.r.Warnings, warnings...)
	if string(out) != string(doc) {
		d.edit.Set(part, out)
	}
	return nil
}
