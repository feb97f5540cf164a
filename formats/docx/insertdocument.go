package docx

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// insertDocumentArgs are the members of insert_document.
type insertDocumentArgs struct {
	Path    string `json:"path" usage:"path" jsonschema:"{ops}: document to copy from"`
	Section string `json:"section" usage:"section? (heading of a part of it; default all)" jsonschema:"{ops}: heading"`
	placeArgs
	PageBreakBefore *lenient.Bool `json:"page_break_before"`
}

// insertDocument copies the body of another document, or the part under one of
// its headings, beside a block or to the end: with styles, lists, pictures,
// charts, notes and links. A style that this document has by the same name keeps
// its look here. Page layout, headers, comments and bound data stay behind. It is
// not recorded as a tracked change.
func (e *editing) insertDocument(ctx context.Context, op insertDocumentArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if op.Path == "" {
		return rep, formats.Errorf(formats.CodeInvalid, "path is required: the document to insert")
	}
	from, closeOther, err := e.openOther(ctx, op.Path)
	if err != nil {
		return rep, err
	}
	defer closeOther()
	if from.strict != e.strict {
		return rep, formats.Errorf(formats.CodeUnsupported, "one of the documents is in the strict form of the format, the other is not; save both in the same form first")
	}
	whole, err := from.body(ctx)
	if err != nil {
		return rep, err
	}
	blocks, err := from.blocksOf(ctx, whole, op.Section)
	if err != nil {
		return rep, err
	}
	to, at, err := e.placeOf(ctx, op.placeArgs)
	if err != nil {
		return rep, err
	}
	c := newCarrier(e, from)
	xml, err := c.fragment(ctx, whole.name, e.main, whole.doc, blocks)
	if err != nil {
		return rep, err
	}
	if err := c.finish(ctx); err != nil {
		return rep, err
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the inserted document is not recorded as a tracked change")
	}
	return rep, e.putDocument(ctx, op, to, at, xml, &rep, c)
}

// placeOf returns where something goes in the body; the end without an address.
func (e *editing) placeOf(ctx context.Context, op placeArgs) (place, int, error) {
	if op.At == "" {
		p, err := e.body(ctx)
		if err != nil {
			return place{}, 0, err
		}
		return place{p, p.stories[0]}, bodyEnd(p), nil
	}
	pl, at, err := e.beside(ctx, besideArgs(op))
	if err == nil && pl.name != e.main {
		err = formats.Errorf(formats.CodeInvalid, "a document can be put into the body only; %s is in %s", op.At, pl.what)
	}
	return pl, at, err
}

// putDocument writes what was carried over and says what it is.
func (e *editing) putDocument(ctx context.Context, op insertDocumentArgs, to place, at int, xml string, rep *formats.OpReport, c *carrier) error {
	p, err := e.body(ctx) // its root may declare more namespaces now
	if err != nil {
		return err
	}
	grown := 0
	if len(p.doc) != len(to.doc) {
		grown = len(p.doc) - len(to.doc)
	}
	at += grown
	w := p.prefix
	if op.PageBreakBefore != nil && bool(*op.PageBreakBefore) {
		xml = "<" + w + "p><" + w + "r><" + w + "br " + w + `type="page"/></` + w + "r></" + w + "p>" + xml
	}
	if strings.HasSuffix(xml, "</"+w+"tbl>") && !bytes.HasPrefix(p.doc[at:], []byte("<"+w+"p>")) && !bytes.HasPrefix(p.doc[at:], []byte("<"+w+"p ")) {
		xml += "<" + w + "p/>" // two tables would become one; a body ends with a paragraph
	}
	before := len(p.stories[0].kids)
	story := p.stories[0]
	if op.At != "" {
		e.document.splice(p, xmlscan.Splice{Start: at, End: at, New: []byte(xml)})
	} else {
		e.put(p, story, at, at, xml)
	}
	now, err := e.body(ctx)
	if err != nil {
		return err
	}
	rep.Hits = len(now.stories[0].kids) - before
	i, _ := slices.BinarySearchFunc(now.nodes, at, func(n *node, at int) int { return n.start - at })
	for ; i < len(now.nodes) && now.nodes[i].start < at+len(xml); i++ {
		if now.nodes[i].parent == now.stories[0] {
			rep.Made = e.addressOf(ctx, place{now, now.nodes[i]})
			break
		}
	}
	c.tell(rep)
	return nil
}

// blocksOf returns the top elements of a body, or those from a heading to the
// next of its level or above.
func (d *document) blocksOf(ctx context.Context, p *part, heading string) ([]span, error) {
	var all []span
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Depth == 3 && t.Start >= p.stories[0].inner && t.Start < p.stories[0].innerEnd {
			if !t.Is(nsW, "sectPr") {
				all = append(all, span{t.Start, elementEnd(p.doc, t)})
			}
			sc.Skip()
		}
	}
	if len(all) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "the other document has no content")
	}
	if heading == "" {
		return all, nil
	}
	from, to, level := -1, len(p.doc), 0
	for i, n := range p.nodes {
		l := d.styles.level(n.style)
		if n.hidden || l < 0 || n.boxed() {
			continue
		}
		switch {
		case from < 0 && strings.EqualFold(strings.TrimSpace(p.paras[i].Text()), strings.TrimSpace(heading)):
			from, level = n.start, l
		case from >= 0 && l <= level:
			to = n.start
		}
		if to < len(p.doc) {
			break
		}
	}
	if from < 0 {
		return nil, formats.Errorf(formats.CodeNotFound, "section not found: %s (in the other document)", heading)
	}
	return slices.DeleteFunc(all, func(s span) bool { return s.end <= from || s.start >= to }), ctx.Err()
}

// tell says what came along and what stayed behind.
func (c *carrier) tell(rep *formats.OpReport) {
	var came []string
	for _, l := range []struct {
		n         int
		one, many string
	}{{len(c.newStyles), "style", "styles"}, {len(c.nums), "list", "lists"}, {c.notes, "note", "notes"}, {len(c.parts), "part (pictures, charts and what belongs to them)", "parts (pictures, charts and what belongs to them)"}} {
		if l.n > 0 {
			came = append(came, formats.Count(l.n, l.one, l.many))
		}
	}
	if len(came) > 0 {
		rep.Notes = append(rep.Notes, "brought along: "+strings.Join(came, ", "))
	}
	if len(c.differ) > 0 {
		slices.Sort(c.differ)
		names := strings.Join(c.differ[:min(8, len(c.differ))], ", ")
		if more := len(c.differ) - 8; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		rep.Warnings = append(rep.Warnings, "styles that look different in the two documents; the inserted text has the look they have here: "+names)
	}
	var left []string
	for _, what := range leftBehind {
		if n := c.left[what.one]; n > 0 {
			left = append(left, formats.Count(n, what.one, what.many))
		}
	}
	if len(left) > 0 {
		rep.Warnings = append(rep.Warnings, "not brought along: "+strings.Join(left, ", "))
	}
	if c.renamed > 0 {
		rep.Notes = append(rep.Notes, formats.Count(c.renamed, "bookmark has", "bookmarks have")+" another name here, since it was taken")
	}
}
