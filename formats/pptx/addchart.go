package pptx

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/internal/lenient"
)

// Series is one series of a new chart.
type Series struct {
	Name   string           `json:"name,omitempty" jsonschema:"what the legend calls it"`
	Values []*lenient.Float `json:"values" jsonschema:"a number for each category; null leaves a gap"`
}

// chartKinds are the kinds of chart that add_chart makes; those of stackedKinds
// also as stacked_bar and so on.
var (
	chartKinds   = []string{"bar", "column", "line", "pie", "area", "doughnut"}
	stackedKinds = []string{"bar", "column", "line", "area"}
)

const (
	maxChartSeries = 255    // PowerPoint draws no more
	maxChartPoints = 32_000 // of a series
	chartSheet     = "Sheet1"
)

// addChartArgs are the members of add_chart.
type addChartArgs struct {
	slideArgs
	Type       string   `json:"type" usage:"type" jsonschema:"{ops}: bar, column, line, pie, area or doughnut, also stacked_bar, stacked_column, stacked_line, stacked_area"`
	Categories []Cell   `json:"categories" usage:"categories" jsonschema:"{ops}: the labels"`
	Series     []Series `json:"series" usage:"series" jsonschema:"{ops}: what it shows"`
	Title      *Lines   `json:"title" jsonschema:"{ops}: above it"`
	XTitle     string   `json:"x_title" jsonschema:"{ops}: of the label axis"`
	YTitle     string   `json:"y_title" jsonschema:"{ops}: of the value axis"`
	newObjectArgs
}

// addChart puts a chart on a slide, with the workbook in which PowerPoint edits
// its data (21.2.2.63).
func (d *deckEdit) addChart(ctx context.Context, c *call, a addChartArgs) error {
	kind := strings.ToLower(strings.TrimSpace(a.Type))
	kind, stacked := strings.CutPrefix(kind, "stacked_")
	if err := c.checkChart(a, kind, stacked); err != nil {
		return err
	}
	c.r.Cells = len(a.Categories) * len(a.Series)
	return d.addObject(ctx, c, a.newObjectArgs, newObject{
		placeholder: "chart", noun: "Chart",
		place: func(room frame, x, y, w, h float64) frame { return d.onSlide(room.moved(x, y, w, h), x, y, w, h) },
		xml: func(t *tree, s objectShell) (string, error) {
			relID, err := d.addChartPart(ctx, t, a, chart.Spec{Kind: kind, Stacked: stacked})
			if err != nil {
				return "", err
			}
			return s.graphicFrame(t.uri(nsC), fmt.Sprintf(`<c:chart xmlns:c="%s" xmlns:r="%s" r:id="%s"/>`, t.uri(nsC), t.uri(nsR), relID)), nil
		},
	})
}

// checkChart says what is missing in the data of a chart.
func (c *call) checkChart(a addChartArgs, kind string, stacked bool) error {
	switch {
	case !slices.Contains(chartKinds, kind), stacked && !slices.Contains(stackedKinds, kind):
		return formats.Errorf(formats.CodeInvalid, "type must be one of %s, or stacked_ with one of %s, not %s", strings.Join(chartKinds, ", "), strings.Join(stackedKinds, ", "), quote(a.Type))
	case len(a.Categories) == 0:
		return formats.Errorf(formats.CodeInvalid, `categories is required: the labels, such as ["Q1","Q2"]`)
	case len(a.Categories) > maxChartPoints:
		return formats.Errorf(formats.CodeTooLarge, "%d categories are too many; a chart shows at most %d", len(a.Categories), maxChartPoints)
	case len(a.Series) == 0:
		return formats.Errorf(formats.CodeInvalid, `series is required, such as [{"name":"Sales","values":[3,5]}]`)
	case len(a.Series) > maxChartSeries:
		return formats.Errorf(formats.CodeTooLarge, "%d series are too many; a chart shows at most %d", len(a.Series), maxChartSeries)
	}
	for i, s := range a.Series {
		if len(s.Values) != len(a.Categories) {
			return formats.Errorf(formats.CodeInvalid, "series %d has %d values for %d categories; use null where there is none", i+1, len(s.Values), len(a.Categories))
		}
	}
	round := kind == "pie" || kind == "doughnut"
	if round && a.XTitle+a.YTitle != "" {
		c.warn("a %s has no axes; x_title and y_title are not shown", kind)
	}
	if kind == "pie" && len(a.Series) > 1 {
		c.warn("a pie shows one series; only the first of %d is seen, use column or bar for all", len(a.Series))
	}
	return nil
}

// addChartPart adds the chart and its workbook, and relates the slide to it.
func (d *deckEdit) addChartPart(ctx context.Context, t *tree, a addChartArgs, spec chart.Spec) (relID string, err error) {
	book, err := chartBook(ctx, a.Categories, a.Series)
	if err != nil {
		return "", err
	}
	dir := strings.ReplaceAll(path.Dir(d.main), "%", "%%")
	part, relID, err := d.edit.AddPart(ctx, t.part, path.Join(dir, "charts", "chart")+"%d.xml", nsR+"/chart", chart.Type, []byte("<c/>"))
	if err != nil {
		return "", err
	}
	_, bookID, err := d.edit.AddPart(ctx, part, path.Join(dir, "embeddings", "Microsoft_Excel_Worksheet")+"%d.xlsx", nsR+"/package", bookType, book)
	if err != nil {
		return "", err
	}
	if a.Title != nil {
		spec.Title = newlines(string(*a.Title))
	}
	spec.XTitle, spec.YTitle = newlines(a.XTitle), newlines(a.YTitle)
	spec.Strict, spec.Workbook, spec.Slide = t.Strict(), bookID, true
	n := len(a.Categories)
	texts := &chart.Data{Formula: fmt.Sprintf("%s!$A$2:$A$%d", chartSheet, n+1), Count: n}
	for i, s := range a.Categories {
		if s != "" {
			texts.Points = append(texts.Points, chart.Point{Index: i, Text: string(s)})
		}
	}
	for i, s := range a.Series {
		col := columnName(i + 1)
		one := chart.Series{Categories: texts, Values: chart.Data{Formula: fmt.Sprintf("%s!$%s$2:$%[2]s$%d", chartSheet, col, n+1), Numeric: true, Count: n}}
		one.NameRef = &chart.Data{Formula: fmt.Sprintf("%s!$%s$1", chartSheet, col), Count: 1, Points: []chart.Point{{Index: 0, Text: seriesName(s, i)}}}
		for k, v := range s.Values {
			if v != nil {
				one.Values.Points = append(one.Values.Points, chart.Point{Index: k, Text: strconv.FormatFloat(float64(*v), 'g', -1, 64)})
			}
		}
		spec.Series = append(spec.Series, one)
	}
	d.edit.Set(part, []byte(chart.XML(spec)))
	return relID, nil
}

// seriesName returns the name of a series, which a legend needs.
func seriesName(s Series, i int) string {
	if s.Name == "" {
		return fmt.Sprintf("Series %d", i+1)
	}
	return s.Name
}

// columnName returns the letters of a sheet's column, counted from 0.
func columnName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnName(i/26-1) + columnName(i%26)
}
