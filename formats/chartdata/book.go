package chartdata

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx"
	"atelier/internal/lenient"
)

const bookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

const (
	maxSeries  = 255    // PowerPoint draws no more
	maxPoints  = 32_000 // of a series
	firstSheet = "Sheet1"
)

// Series is one series of a chart.
type Series struct {
	Name   string           `json:"name,omitempty" jsonschema:"what the legend calls it"`
	Values []*lenient.Float `json:"values" jsonschema:"a number for each category; null leaves a gap"`
}

// Edit edits charts of a package with the workbooks that hold their data.
type Edit struct {
	Package  *opc.Edit
	Dir      string   // of the parts, such as "ppt" or "word"
	Warnings []string // about what the edits did beside what was asked
	Cells    int      // of workbooks that were written
}

func (e *Edit) warn(format string, args ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
}

// Check reads the kind of a new chart and says what is missing in its data. The
// error has CodeInvalid, or CodeTooLarge.
func (e *Edit) Check(typ string, labels []string, series []Series) (chart.Kind, error) {
	k, err := chart.ParseKind(typ)
	switch {
	case err != nil:
		return k, err
	case k.Name == "bubble":
		return k, formats.Errorf(formats.CodeUnsupported, "a bubble chart can be made in workbooks only; use scatter")
	case len(labels) == 0:
		return k, formats.Errorf(formats.CodeInvalid, `categories is required: the labels, such as ["Q1","Q2"]`)
	case len(labels) > maxPoints:
		return k, formats.Errorf(formats.CodeTooLarge, "%d categories are too many; a chart shows at most %d", len(labels), maxPoints)
	case len(series) == 0:
		return k, formats.Errorf(formats.CodeInvalid, `series is required, such as [{"name":"Sales","values":[3,5]}]`)
	case len(series) > maxSeries:
		return k, formats.Errorf(formats.CodeTooLarge, "%d series are too many; a chart shows at most %d", len(series), maxSeries)
	case k.Name == "stock" && (len(series) < 3 || len(series) > 4):
		return k, formats.Errorf(formats.CodeInvalid, "a stock chart shows high, low and close, in this order, with open before them: three or four series, not %d", len(series))
	case k.Name == "scatter" && !allNumbers(labels):
		return k, formats.Errorf(formats.CodeInvalid, "categories are the x values of a scatter chart and must be numbers")
	}
	for i, s := range series {
		if len(s.Values) != len(labels) {
			return k, formats.Errorf(formats.CodeInvalid, "series %d has %d values for %d categories; use null where there is none", i+1, len(s.Values), len(labels))
		}
	}
	if k.Name == "pie" && len(series) > 1 {
		e.warn("a pie shows one series; only the first of %d is seen, use column or bar for all", len(series))
	}
	return k, nil
}

func allNumbers(labels []string) bool {
	for _, l := range labels {
		if _, ok := finite(l); !ok {
			return false
		}
	}
	return true
}

// Add adds a chart part that the part source refers to, with the workbook in which
// office programs edit its data (21.2.2.63). spec has all but the data; options are
// set afterwards. The arguments have passed Check.
func (e *Edit) Add(ctx context.Context, source string, spec chart.Spec, options chart.Options, labels []string, series []Series) (relID string, err error) {
	numeric := spec.Kind == "scatter"
	book, err := newBook(ctx, labels, series, numeric)
	if err != nil {
		return "", err
	}
	dir := strings.ReplaceAll(e.Dir, "%", "%%")
	part, relID, err := e.Package.AddPart(ctx, source, path.Join(dir, "charts", "chart")+"%d.xml", nsR+"/chart", chart.Type, []byte("<c/>"))
	if err != nil {
		return "", err
	}
	if _, spec.Workbook, err = e.Package.AddPart(ctx, part, path.Join(dir, "embeddings", "Microsoft_Excel_Worksheet")+"%d.xlsx", nsR+"/package", bookType, book); err != nil {
		return "", err
	}
	n := len(labels)
	texts := &chart.Data{Formula: fmt.Sprintf("%s!$A$2:$A$%d", firstSheet, n+1), Numeric: numeric, Count: n}
	for i, s := range labels {
		if s != "" {
			texts.Points = append(texts.Points, chart.Point{Index: i, Text: s})
		}
	}
	for i, s := range series {
		col := columnName(i + 1)
		one := chart.Series{Categories: texts, Values: chart.Data{Formula: fmt.Sprintf("%s!$%s$2:$%[2]s$%d", firstSheet, col, n+1), Numeric: true, Count: n}}
		one.NameRef = &chart.Data{Formula: fmt.Sprintf("%s!$%s$1", firstSheet, col), Count: 1, Points: []chart.Point{{Index: 0, Text: seriesName(s, i)}}}
		for k, v := range s.Values {
			if v != nil {
				one.Values.Points = append(one.Values.Points, chart.Point{Index: k, Text: strconv.FormatFloat(float64(*v), 'g', -1, 64)})
			}
		}
		spec.Series = append(spec.Series, one)
	}
	doc := []byte(chart.XML(spec))
	if !options.Empty() {
		var warnings []string
		if doc, warnings, err = chart.Edit(ctx, doc, chart.Change{Options: options, Slide: spec.Slide}); err != nil {
			return "", err
		}
		e.Warnings = append(e.Warnings, warnings...)
	}
	e.Package.Set(part, doc)
	return relID, nil
}

// newBook returns the workbook behind a chart: labels in the first column, a
// series in each of the others, its name on top.
func newBook(ctx context.Context, labels []string, series []Series, numeric bool) ([]byte, error) {
	head := []any{nil}
	for i, s := range series {
		head = append(head, seriesName(s, i))
	}
	rows := [][]any{head}
	for k, label := range labels {
		row := []any{label}
		if v, ok := finite(label); ok && numeric {
			row[0] = v
		}
		for _, s := range series {
			if s.Values[k] == nil {
				row = append(row, nil)
			} else {
				row = append(row, float64(*s.Values[k]))
			}
		}
		rows = append(rows, row)
	}
	op, err := json.Marshal(map[string]any{"op": "set_range", "sheet": firstSheet, "start": "A1", "values": rows, "literal": true})
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "the values of the chart cannot be written: %w", err)
	}
	var out bytes.Buffer
	_, err = xlsx.Format().Editor.Apply(ctx, nil, &out, []json.RawMessage{op}, formats.ApplyOptions{})
	return out.Bytes(), err
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
