package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/chartdata"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// chartLookArgs are the members of operations on charts that say how one looks.
type chartLookArgs struct {
	Title  *string `json:"title" jsonschema:"{ops}: above it; an empty one removes it"`
	XTitle *string `json:"x_title" jsonschema:"{ops}: of the label axis"`
	YTitle *string `json:"y_title" jsonschema:"{ops}: of the value axis"`
	chart.Options
	Width  *lenient.Float `json:"width" jsonschema:"inches"`
	Height *lenient.Float `json:"height" jsonschema:"inches"`
}

// addChartArgs are the members of add_chart.
type addChartArgs struct {
	Type       string             `json:"type" usage:"type" jsonschema:"{ops}: bar, column, line, pie, area, doughnut, scatter, radar or stock, also stacked_bar, percent_stacked_column"`
	Categories []lenient.Text     `json:"categories" usage:"categories" jsonschema:"{ops}: the labels"`
	Series     []chartdata.Series `json:"series" usage:"series" jsonschema:"{ops}: what it shows"`
	placeArgs
	Alt string `json:"alt" jsonschema:"description of the picture"`
	chartLookArgs
	trackingArgs
}

// changeChartArgs are the members of change_chart.
type changeChartArgs struct {
	Chart      lenient.Text       `json:"chart" usage:"chart" jsonschema:"{ops}: which one: its title, its name such as Chart 1, or its number in the document from 1"`
	Type       string             `json:"type"`
	Categories []lenient.Text     `json:"categories"`
	Series     []chartdata.Series `json:"series" usage:"series? (all that it shall have; without values one keeps its own)"`
	chartLookArgs
}

// deleteChartArgs are the members of delete_chart.
type deleteChartArgs struct {
	Chart lenient.Text `json:"chart" usage:"chart" jsonschema:"{ops}: which one: its title, its name such as Chart 1, or its number in the document from 1"`
	trackingArgs
}

// labelTexts returns labels as texts; nil stays nil.
func labelTexts(list []lenient.Text) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}

// charts returns the editor of the data of charts.
func (e *editing) charts() *chartdata.Edit { return &chartdata.Edit{Package: e.ed, Dir: "word"} }

// addChart puts a chart in a paragraph of its own beside a block, or at the end,
// with the workbook in which Word edits its data (20.4.2.8, 21.2.2.63).
func (e *editing) addChart(ctx context.Context, op addChartArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	c := e.charts()
	kind, err := c.Check(op.Type, labelTexts(op.Categories), op.Series)
	if err != nil {
		return rep, err
	}
	body, pl, at, err := e.drawingPlace(ctx, op.placeArgs)
	if err != nil {
		return rep, err
	}
	cx, cy, err := op.size()
	if err != nil {
		return rep, err
	}
	if cx == 0 {
		cx = min(6*914400, int64(e.textWidth(body))*635)
	}
	if cy == 0 {
		cy = cx * 7 / 12
	}
	spec := chart.Spec{Strict: e.strict}
	for _, t := range []struct {
		to   *string
		from *string
	}{{&spec.Title, op.Title}, {&spec.XTitle, op.XTitle}, {&spec.YTitle, op.YTitle}} {
		if t.from != nil {
			*t.to = *t.from
		}
	}
	spec.Of(kind)
	id, err := c.Add(ctx, pl.name, spec, op.Options, labelTexts(op.Categories), op.Series)
	if err != nil {
		return rep, err
	}
	n := highestDocPr(pl.doc) + 1
	drawing := fmt.Sprintf(`<%[1]sdrawing><wp:inline%[2]s distT="0" distB="0" distL="0" distR="0"><wp:extent cx="%[3]d" cy="%[4]d"/><wp:docPr id="%[5]d" name="Chart %[5]d" descr="%[6]s"/><wp:cNvGraphicFramePr/><a:graphic%[7]s><a:graphicData uri="%[8]s"><c:chart%[9]s r:id="%[10]s"%[11]s/></a:graphicData></a:graphic></wp:inline></%[1]sdrawing>`,
		pl.prefix, e.namespaceDecl("wp", nsWP), cx, cy, n, escape(op.Alt), e.namespaceDecl("a", nsA), e.uri(chart.Namespace), e.namespaceDecl("c", chart.Namespace), id, e.namespaceDecl("r", nsR))
	rep.Cells = len(op.Categories) * len(op.Series)
	err = e.putDrawing(ctx, op.placeArgs, Layout{}, pl, at, drawing, &rep)
	rep.Warnings = append(rep.Warnings, c.Warnings...)
	return rep, err
}

// size reads width and height in EMU; 0 for one that is not given.
func (a chartLookArgs) size() (cx, cy int64, err error) {
	if cx, err = emu("width", a.Width); err != nil {
		return 0, 0, err
	}
	cy, err = emu("height", a.Height)
	return cx, cy, err
}

// changeChart changes data, kind and look of a chart; all that it is not asked for
// stays.
func (e *editing) changeChart(ctx context.Context, op changeChartArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	f, err := e.chartNamed(ctx, string(op.Chart))
	if err != nil {
		return rep, err
	}
	cx, cy, err := op.size()
	if err != nil {
		return rep, err
	}
	change := chart.Change{Type: op.Type, Title: op.Title, XTitle: op.XTitle, YTitle: op.YTitle, Options: op.Options}
	data := len(op.Categories) > 0 || len(op.Series) > 0
	if !data && change.Empty() && cx == 0 && cy == 0 {
		return rep, formats.Errorf(formats.CodeInvalid, "nothing to change: give categories, series, type, title, legend, data_labels, axes, colors, series_options, width or another member")
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the changes of the chart are not recorded as tracked changes")
	}
	if data {
		c := e.charts()
		if err := c.Set(ctx, f.target, labelTexts(op.Categories), op.Series); err != nil {
			return rep, err
		}
		rep.Cells = c.Cells
		rep.Warnings = append(rep.Warnings, c.Warnings...)
	}
	if !change.Empty() {
		doc, err := e.ed.ReadXML(ctx, f.target)
		if err != nil {
			return rep, err
		}
		out, warnings, err := chart.Edit(ctx, doc, change)
		if err != nil {
			return rep, err
		}
		rep.Warnings = append(rep.Warnings, warnings...)
		if string(out) != string(doc) {
			e.ed.Set(f.target, out)
		}
	}
	delete(e.parsed, f.target)
	if cx > 0 || cy > 0 {
		e.resizeChart(f, cx, cy)
	}
	return rep, nil
}

// resizeChart sets the extent of a chart (20.4.2.7).
func (e *editing) resizeChart(f *foundChart, cx, cy int64) {
	n := f.frame.Child(nsWP, "extent")
	if n == nil {
		return
	}
	el := element.Parse(f.part.doc[n.Start:n.After], "", nil)
	if cx > 0 {
		el.SetAttr("cx", fmt.Sprint(cx))
	}
	if cy > 0 {
		el.SetAttr("cy", fmt.Sprint(cy))
	}
	e.splice(f.part, xmlscan.Splice{Start: n.Start, End: n.After, New: []byte(el.String())})
}

// deleteChart takes a chart away, with its paragraph when nothing else is in it,
// and with its data.
func (e *editing) deleteChart(ctx context.Context, op deleteChartArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	f, err := e.chartNamed(ctx, string(op.Chart))
	if err != nil {
		return rep, err
	}
	run := f.run
	if run == nil {
		return rep, formats.Errorf(formats.CodeUnsupported, "the chart is not in a run of text, so it cannot be deleted here")
	}
	raw := string(f.part.doc[run.Start:run.After])
	w := f.part.prefix
	if e.rev != nil {
		e.splice(f.part, xmlscan.Splice{Start: run.Start, End: run.After, New: []byte("<" + w + "del" + e.rev.Attrs(w) + ">" + raw + "</" + w + "del>")})
		return rep, nil
	}
	gone := f.drawing
	if onlyChild(run, gone, "rPr") {
		gone = run
		if p := run.Parent; p != nil && p.Local == "p" && onlyChild(p, run, "pPr") && !strings.Contains(string(f.part.doc[p.Start:p.After]), "sectPr") && removable(p) {
			gone = p
		}
	}
	e.splice(f.part, xmlscan.Splice{Start: gone.Start, End: gone.After})
	return rep, e.removeChartParts(ctx, f)
}
