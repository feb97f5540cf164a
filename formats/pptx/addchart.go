package pptx

import (
	"context"
	"fmt"

	"atelier/formats/ooxml/chart"
)

// addChartArgs are the members of add_chart.
type addChartArgs struct {
	slideArgs
	Type       string   `json:"type" usage:"type" jsonschema:"{ops}: bar, column, line, pie, area, doughnut, scatter, radar or stock, also stacked_bar, percent_stacked_column"`
	Categories []Cell   `json:"categories" usage:"categories" jsonschema:"{ops}: the labels"`
	Series     []Series `json:"series" usage:"series" jsonschema:"{ops}: what it shows"`
	Title      *Lines   `json:"title" jsonschema:"{ops}: above it"`
	XTitle     string   `json:"x_title" jsonschema:"{ops}: of the label axis"`
	YTitle     string   `json:"y_title" jsonschema:"{ops}: of the value axis"`
	newObjectArgs
	chart.Options `as:"set_chart_options"`
}

// addChart puts a chart on a slide, with the workbook in which PowerPoint edits
// its data (21.2.2.63).
func (d *deckEdit) addChart(ctx context.Context, c *call, a addChartArgs) error {
	e := d.charts()
	kind, err := e.Check(a.Type, texts(a.Categories), a.Series)
	if err != nil {
		return err
	}
	if (kind.Name == "pie" || kind.Name == "doughnut") && a.XTitle+a.YTitle != "" {
		e.Warnings = append(e.Warnings, fmt.Sprintf("a %s has no axes; x_title and y_title are not shown", kind.Name))
	}
	c.r.Cells = len(a.Categories) * len(a.Series)
	defer func() { c.r.Warnings = append(c.r.Warnings, e.Warnings...) }()
	return d.addObject(ctx, c, a.newObjectArgs, newObject{
		placeholder: "chart", noun: "Chart",
		place: func(room frame, x, y, w, h float64) frame { return d.onSlide(room.moved(x, y, w, h), x, y, w, h) },
		xml: func(t *tree, s objectShell) (string, error) {
			spec := chart.Spec{XTitle: newlines(a.XTitle), YTitle: newlines(a.YTitle), Strict: t.Strict(), Slide: true}
			if a.Title != nil {
				spec.Title = newlines(string(*a.Title))
			}
			spec.Of(kind)
			relID, err := e.Add(ctx, t.part, spec, a.Options, texts(a.Categories), a.Series)
			if err != nil {
				return "", err
			}
			return s.graphicFrame(t.uri(nsC), fmt.Sprintf(`<c:chart xmlns:c="%s" xmlns:r="%s" r:id="%s"/>`, t.uri(nsC), t.uri(nsR), relID)), nil
		},
	})
}
