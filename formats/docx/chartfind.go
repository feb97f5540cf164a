package docx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
)

// foundChart is a chart in the text of the document.
type foundChart struct {
	part    *part      // that it is in
	drawing *tree.Node // w:drawing, or the AlternateContent around it
	run     *tree.Node // w:r
	frame   *tree.Node // wp:inline or wp:anchor
	relID   string
	target  string // part of the chart
	name    string
	title   string
}

// maxCharts bounds the charts that are looked through for one.
const maxCharts = 10_000

// keepCharts keeps the elements that lead to charts.
func keepCharts(_ *tree.Node, t xmlscan.Token) bool {
	switch t.Local {
	case "p", "r", "rPr", "pPr", "drawing", "AlternateContent", "Choice", "Fallback", "inline", "anchor", "docPr", "extent", "chart", "t", "ins", "del", "bookmarkStart", "bookmarkEnd", "tab", "br", "pict", "object", "fldChar", "instrText", "hyperlink", "sdt", "sdtContent", "tc", "tbl", "tr", "body", "hdr", "ftr", "tcPr", "tblPr", "sectPr", "commentReference", "footnoteReference":
		return true
	}
	return false
}

// chartsIn lists the charts of the body in their order, then those of headers and footers.
func (e *editing) chartsIn(ctx context.Context) ([]*foundChart, error) {
	texts, err := e.textParts(ctx)
	if err != nil {
		return nil, err
	}
	var out []*foundChart
	for _, tp := range texts {
		if tp.word != "" && tp.word != "header" && tp.word != "footer" {
			continue
		}
		found, err := e.chartsOfPart(ctx, tp)
		if err != nil {
			return nil, err
		}
		if out = append(out, found...); len(out) > maxCharts {
			return nil, formats.Errorf(formats.CodeTooLarge, "the document has more than %d charts", maxCharts)
		}
	}
	return out, nil
}

// chartsOfPart lists the charts of one part.
func (e *editing) chartsOfPart(ctx context.Context, tp textPart) ([]*foundChart, error) {
	rels, err := e.ed.Rels(ctx, tp.name)
	if err != nil {
		return nil, err
	}
	charts := map[string]opc.Relationship{}
	for _, r := range rels {
		if !r.External && (strings.HasSuffix(r.Type, "/chart") || strings.HasSuffix(r.Type, "/chartEx")) && e.ed.Has(r.Target) {
			charts[r.ID] = r
		}
	}
	if len(charts) == 0 {
		return nil, nil
	}
	p, err := e.load(ctx, tp)
	if err != nil {
		return nil, err
	}
	t, err := tree.Parse(ctx, p.doc, keepCharts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, corrupt(p.name, err)
	}
	var out []*foundChart
	for n := range t.Root.All() {
		r, ok := charts[n.RelValue("id")]
		if n.Local != "chart" || !ok {
			continue
		}
		f := &foundChart{part: p, relID: r.ID, target: r.Target}
		hidden := false
		for up := n.Parent; up != nil; up = up.Parent {
			switch {
			case up.Local == "Fallback":
				hidden = true
			case f.frame == nil && (up.Local == "inline" || up.Local == "anchor"):
				f.frame = up
			case f.run == nil && (up.Local == "drawing" || up.Local == "AlternateContent"):
				f.drawing = up
			case f.run == nil && up.Is(nsW, "r"):
				f.run = up
			}
		}
		if hidden || f.frame == nil || f.drawing == nil {
			continue
		}
		f.name = f.frame.Child(nsWP, "docPr").Value("name")
		if doc, err := e.ed.ReadXML(ctx, r.Target); err == nil {
			if c, err := chart.Read(ctx, doc); err == nil {
				f.title = c.Title
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if out = append(out, f); len(out) > maxCharts {
			return nil, formats.Errorf(formats.CodeTooLarge, "the document has more than %d charts", maxCharts)
		}
	}
	return out, nil
}

// chartNamed finds the chart that an operation means.
func (e *editing) chartNamed(ctx context.Context, ref string) (*foundChart, error) {
	if ref = strings.TrimSpace(ref); ref == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "chart is required: its title, its name such as Chart 1, or its number in the document")
	}
	all, err := e.chartsIn(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, formats.Errorf(formats.CodeNotFound, "the document has no charts in its body, headers and footers")
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []int
		for i, f := range all {
			if same(f.name, ref) || same(f.title, ref) {
				found = append(found, i)
			}
		}
		if len(found) == 1 {
			return all[found[0]], nil
		}
		if len(found) > 1 {
			return nil, formats.Errorf(formats.CodeInvalid, "%d charts are called %q; give the number, such as %d", len(found), ref, found[0]+1)
		}
	}
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(all) {
		return all[n-1], nil
	}
	var names []string
	for i, f := range all[:min(len(all), 20)] {
		s := fmt.Sprintf("%d (%s", i+1, f.name)
		if f.title != "" {
			s += ", “" + clip(f.title, 60) + "”"
		}
		names = append(names, s+")")
	}
	return nil, formats.Errorf(formats.CodeNotFound, "there is no chart %q; there are %s", ref, strings.Join(names, ", "))
}

// onlyChild reports whether an element has no other children than one, and
// properties.
func onlyChild(n, kid *tree.Node, props string) bool {
	for k := range n.Kids() {
		if k != kid && k.Local != props {
			return false
		}
	}
	return true
}

// removable reports whether a paragraph may go: a cell, and what is like it, needs
// its last one (17.4.65), a header or footer any (17.10.4).
func removable(p *tree.Node) bool {
	if p.Parent == nil {
		return false
	}
	last, paragraphs := p, 0
	for k := range p.Parent.Kids() {
		if k.Local == "p" {
			paragraphs++
		}
		if k.Local == "p" || k.Local == "tbl" || k.Local == "sdt" {
			last = k
		}
	}
	edge := p.Parent.Local == "hdr" || p.Parent.Local == "ftr"
	return p.Parent.Local == "body" || edge && paragraphs > 1 || last != p
}

// removeChartParts removes the parts of a chart to which nothing else leads.
func (e *editing) removeChartParts(ctx context.Context, f *foundChart) error {
	rest, err := e.chartsIn(ctx)
	if err != nil {
		return err
	}
	for _, other := range rest {
		if other.part.name == f.part.name && other.relID == f.relID {
			return nil
		}
	}
	uses, err := e.ed.Uses(ctx)
	if err != nil {
		return err
	}
	delete(e.parsed, f.target)
	return e.ed.RemoveRelated(ctx, f.part.name, f.relID, uses)
}
