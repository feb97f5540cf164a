package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/rules"
)

// placed is a chart or picture of a drawing with its place.
type placed struct {
	part   string // of a chart; "": a picture
	name   string
	anchor anchor
}

// cells are the cells that the object covers, none when they are not known.
func (o placed) cells() cellref.Range {
	from, to := o.anchor.from, o.anchor.to
	if from.Row == 0 {
		return cellref.Range{}
	}
	if to.Row == 0 {
		to = from
	}
	return cellref.Block(from.Row, from.Col, max(from.Row, to.Row), max(from.Col, to.Col))
}

// eachPlaced calls f for the charts and pictures of a drawing part (20.5.2.35), in
// order.
func (wb reading) eachPlaced(ctx context.Context, part string, f func(placed) error) error {
	rels, err := wb.Package.Rels(ctx, part)
	if err != nil {
		return err
	}
	charts := map[string]string{}
	for _, r := range rels {
		if book.IsChartRel(r) && wb.Package.Has(r.Target) {
			charts[r.ID] = r.Target
		}
	}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	sc := xmlscan.New(doc)
	var at placed
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			at.anchor.end(t)
			continue
		}
		one := at
		switch t.Local {
		case "Fallback": // what older programs show instead
			sc.Skip()
			continue
		case "cNvPr":
			at.name = t.AttrLocal("name")
			continue
		case "pic":
		case "chart":
			if one.part = charts[book.RelIDOf(sc, t)]; one.part == "" {
				continue
			}
		default:
			at.anchor.start(doc, sc, t)
			continue
		}
		if err := f(one); err != nil {
			return err
		}
	}
	return book.CorruptPart(sc.Err(), part)
}

// drawings are the drawing parts of a sheet; tooLarge counts those that are not read.
func (wb reading) drawings(ctx context.Context, sheet string) (parts []string, tooLarge int, err error) {
	rels, err := wb.Package.Rels(ctx, sheet)
	for _, r := range rels {
		switch {
		case r.Type != book.RelDrawing || r.External || !wb.Package.Has(r.Target):
		case wb.Package.Size(r.Target) > book.MaxObjects:
			tooLarge++
		default:
			parts = append(parts, r.Target)
		}
	}
	return parts, tooLarge, err
}

// writeCharts lists the charts in the block with what they show.
func (p *page) writeCharts(ctx context.Context) error {
	parts, tooLarge, err := p.wb.drawings(ctx, p.sheet.Part)
	if err != nil {
		return err
	}
	list := p.list("Charts", maxChartsShown)
	for _, part := range parts {
		err := p.wb.eachPlaced(ctx, part, func(o placed) error {
			if o.part == "" || !p.touches(o.cells()) || !list.room() {
				return nil
			}
			return p.writeChart(ctx, o)
		})
		if err != nil {
			return err
		}
	}
	if tooLarge > 0 {
		fmt.Fprintf(p.sb, "\n(charts that are not shown: a drawing of this sheet is too large)")
	} else {
		list.end()
	}
	return p.writeSparklines(ctx)
}

// writeSparklines lists the groups of sparklines in the block.
func (p *page) writeSparklines(ctx context.Context) error {
	if !p.sheet.Worksheet() {
		return nil
	}
	doc, err := p.aroundXML(ctx)
	if err != nil || !bytes.Contains(doc, []byte("sparklineGroup")) {
		return err
	}
	list, listed := p.list("Sparklines", maxChartsShown), false
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "sparklineGroup" {
			continue
		}
		raw := doc[t.Start:max(t.End, sc.Skip())]
		s := rules.Sparklines(raw)
		touched := len(s.At) == 0 || slices.ContainsFunc(s.At, func(at string) bool { return p.touches(cellref.ParseAttr(at)) })
		if touched && list.room() {
			listed = true
			fmt.Fprintf(p.sb, "\n%s: %s", book.Clip(strings.Join(s.At, ", "), maxRuleChars), book.Clip(book.OneLine(s.Text), maxRuleChars))
		}
	}
	if listed {
		list.end()
	}
	return sc.Err()
}

func (p *page) writeChart(ctx context.Context, o placed) error {
	name := "(a chart)"
	if o.name != "" {
		name = book.Clip(book.OneLine(o.name), headChars)
	}
	if at := AnchorRange(o.anchor.from, o.anchor.to); at != "" {
		name += " at " + at
	}
	text := fmt.Sprintf("(not read: %d bytes, or too many charts before it; read it by its range)", p.wb.Package.Size(o.part))
	if p.sections.takes(p.wb.Package.Size(o.part)) {
		var err error
		if text, err = p.wb.chartText(ctx, o.part); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.sb, "\n%s: %s", name, strings.ReplaceAll(text, "\n", "\n  "))
	return nil
}

// chartText says what a chart part shows, or why that is not known.
func (wb reading) chartText(ctx context.Context, part string) (string, error) {
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return "", err
	}
	c, err := chart.Read(ctx, doc)
	switch {
	case errors.Is(err, chart.ErrNoChart):
		return "(" + err.Error() + ")", nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", book.CorruptPart(err, part)
	}
	return c.Text(func(v float64, format string, date1904 bool) string {
		return numfmt.Parse(format).Number(v, date1904)
	}), nil
}
