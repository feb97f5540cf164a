package xlsx

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

// maxChartFrames bounds the charts that are looked through for one.
const maxChartFrames = 10_000

// whichChartArgs are the members of operations on a chart that there is.
type whichChartArgs struct {
	Sheet string       `json:"sheet" usage:"sheet? (where several sheets have it)"`
	Chart lenient.Text `json:"chart" usage:"chart" jsonschema:"{ops}: which one: its title, the name of its object such as Chart 2, or its number on the sheet from 1"`
}

// placedChart is a chart in a drawing.
type placedChart struct {
	sheet   int
	drawing string     // part
	t       *tree.Tree // of it
	anchor  *tree.Node // child of the root that holds it
	frame   *tree.Node // its graphic frame
	relID   string
	part    string
	name    string
	title   string
	number  int // on its sheet, from 1
}

// chartNamed finds the chart that an operation means.
func (e *structure) chartNamed(ctx context.Context, a whichChartArgs) (*placedChart, error) {
	ref := strings.TrimSpace(string(a.Chart))
	if ref == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "chart is required: its title, its name such as Chart 2, or its number on the sheet")
	}
	var all []*placedChart
	for i := range e.wb.Sheets {
		if a.Sheet != "" && e.wb.Find(a.Sheet) != i {
			continue
		}
		list, err := e.chartsOf(ctx, i)
		if err != nil {
			return nil, err
		}
		if all = append(all, list...); len(all) > maxChartFrames {
			return nil, formats.Errorf(formats.CodeTooLarge, "the workbook has more than %d charts; give the sheet", maxChartFrames)
		}
	}
	if a.Sheet != "" && e.wb.Find(a.Sheet) < 0 {
		return nil, book.UnknownSheet(a.Sheet)
	}
	for _, is := range []func(*placedChart) bool{
		func(c *placedChart) bool { return c.name == ref || c.title == ref },
		func(c *placedChart) bool { return strings.EqualFold(c.name, ref) || strings.EqualFold(c.title, ref) },
		func(c *placedChart) bool { n, err := strconv.Atoi(ref); return err == nil && n == c.number },
	} {
		var found []*placedChart
		for _, c := range all {
			if is(c) {
				found = append(found, c)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return nil, formats.Errorf(formats.CodeInvalid, "%d charts are %s: %s; give the sheet and the number", len(found), cellref.QuoteArg(ref), e.chartList(found))
		}
	}
	if len(all) == 0 {
		where := "the workbook"
		if a.Sheet != "" {
			where = fmt.Sprintf("the sheet %q", a.Sheet)
		}
		return nil, formats.Errorf(formats.CodeNotFound, "%s has no charts", where)
	}
	return nil, formats.Errorf(formats.CodeNotFound, "there is no chart %s; there are %s", cellref.QuoteArg(ref), e.chartList(all))
}

// chartList names charts for an error.
func (e *structure) chartList(list []*placedChart) string {
	var names []string
	for _, c := range list[:min(len(list), 20)] {
		s := fmt.Sprintf("%d on %s (%s", c.number, e.wb.Sheets[c.sheet].Name, c.name)
		if c.title != "" {
			s += ", “" + book.Clip(c.title, 60) + "”"
		}
		names = append(names, s+")")
	}
	return upTo20(names, len(list))
}

// chartsOf lists the charts of a sheet in the order of its drawings.
func (e *structure) chartsOf(ctx context.Context, sheet int) ([]*placedChart, error) {
	rels, err := e.ed.Rels(ctx, e.wb.Sheets[sheet].Part)
	if err != nil {
		return nil, err
	}
	var out []*placedChart
	for _, r := range rels {
		if r.Type != book.RelDrawing || r.External || !e.ed.Has(r.Target) {
			continue
		}
		if e.wb.Package.Size(r.Target) > book.MaxObjects {
			return nil, formats.Errorf(formats.CodeTooLarge, "the drawing of the sheet %q is too large to look for its charts", e.wb.Sheets[sheet].Name)
		}
		list, err := e.framesOf(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			c.sheet, c.number = sheet, len(out)+1
			out = append(out, c)
		}
	}
	return out, nil
}

// framesOf lists the charts of a drawing part (20.5.2.35).
func (e *structure) framesOf(ctx context.Context, part string) ([]*placedChart, error) {
	rels, err := e.ed.Rels(ctx, part)
	if err != nil {
		return nil, err
	}
	charts := map[string]opc.Relationship{}
	for _, r := range rels {
		if book.IsChartRel(r) && e.ed.Has(r.Target) {
			charts[r.ID] = r
		}
	}
	if len(charts) == 0 {
		return nil, nil
	}
	doc, err := e.ed.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	t, err := tree.Parse(ctx, doc, nil)
	if err != nil {
		return nil, book.CorruptPart(err, part)
	}
	var out []*placedChart
	for n := range t.Root.All() {
		r, ok := charts[n.RelValue("id")]
		if n.Local != "chart" || !ok {
			continue
		}
		c := &placedChart{drawing: part, t: t, relID: r.ID, part: r.Target}
		for up := n; up != nil && up.Parent != nil; up = up.Parent {
			if up.Local == "graphicFrame" && c.frame == nil {
				c.frame = up
			}
			c.anchor = up
		}
		if c.frame == nil {
			continue
		}
		c.name = c.frame.Child(nsXdr, "nvGraphicFramePr").Child(nsXdr, "cNvPr").Value("name")
		if c.title, err = e.chartTitle(ctx, c.part); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// chartTitle returns the title of a chart part, "" for one that cannot be read.
func (e *structure) chartTitle(ctx context.Context, part string) (string, error) {
	if e.wb.Package.Size(part) > maxChartPart {
		return "", nil
	}
	doc, err := e.ed.ReadXML(ctx, part)
	if err != nil {
		return "", err
	}
	c, err := chart.Read(ctx, doc)
	if err != nil {
		if ctx.Err() != nil || !errors.Is(err, chart.ErrNoChart) {
			return "", ctx.Err()
		}
		return "", nil
	}
	return c.Title, nil
}
