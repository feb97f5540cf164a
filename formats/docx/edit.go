package docx

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"atelier/formats"
	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

// bodyExtent is where the body's content stands, by offset.
type bodyExtent struct {
	prefix     string // of its elements, with colon
	start, end int    // content, without the final section properties
	empty      bool   // <w:body/>: start and end are those of the element
	tables     int
	paragraphs int
	drawings   int
	sectPrs    int // of sections before the last
}

// findBody locates the body of a document part (ECMA-376-1, 17.2.2).
func findBody(doc []byte, part string) (bodyExtent, error) {
	b := bodyExtent{start: -1}
	sc := xmlscan.New(doc)
	last := -1 // start of the final sectPr
	for sc.Next() {
		t := sc.Token()
		if t.Space != nsW {
			continue
		}
		switch {
		case t.Kind == xmlscan.Start && t.Local == "body" && t.Depth == 2:
			if t.Prefix != "" {
				b.prefix = t.Prefix + ":"
			}
			b.start = t.End
			if t.Empty {
				b.start, b.end, b.empty = t.Start, t.End, true
			}
		case t.Kind == xmlscan.End && t.Local == "body" && t.Depth == 2:
			b.end = t.Start
		case t.Kind != xmlscan.Start || b.start < 0:
		case t.Local == "sectPr" && t.Depth == 3:
			last = t.Start
		case t.Local == "sectPr":
			b.sectPrs++
		case t.Local == "tbl":
			b.tables++
		case t.Local == "p":
			b.paragraphs++
		case t.Local == "drawing", t.Local == "pict", t.Local == "object":
			b.drawings++
		}
	}
	if err := sc.Err(); err != nil {
		return b, corrupt(part, err)
	}
	if b.start < 0 {
		return b, formats.Errorf(formats.CodeCorrupt, "%s has no body", part)
	}
	if last >= 0 {
		b.end = last
	}
	return b, nil
}

// put replaces doc[start:end] of the body by content.
func (e *editing) put(doc []byte, b bodyExtent, start int, content string) {
	if b.empty {
		content = "<" + b.prefix + "body>" + content + "</" + b.prefix + "body>"
		start = b.start
	}
	e.ed.Set(e.main, xmlscan.Apply(doc, []xmlscan.Splice{{Start: start, End: b.end, New: []byte(content)}}))
}

func (e *editing) setParagraphs(ctx context.Context, ps []Paragraph) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: len(ps)}
	doc, err := e.ed.ReadXML(ctx, e.main)
	if err != nil {
		return rep, err
	}
	b, err := findBody(doc, e.main)
	if err != nil {
		return rep, err
	}
	var sb strings.Builder
	for _, p := range ps {
		sb.WriteString(paragraphXML(b.prefix, e.styleID(p.Style, &rep), p.Text))
	}
	if len(ps) == 0 {
		sb.WriteString("<" + b.prefix + "p/>") // a body needs a paragraph to be edited in Word
	}
	var lost []string
	for _, l := range []struct {
		n    int
		what string
	}{{b.tables, "tables"}, {b.drawings, "pictures or drawings"}, {b.sectPrs, "section breaks"}} {
		if l.n > 0 {
			lost = append(lost, fmt.Sprintf("%d %s", l.n, l.what))
		}
	}
	if len(lost) > 0 {
		rep.Warnings = append(rep.Warnings, "the replaced content also had "+strings.Join(lost, ", ")+", which are gone; headers, footers and page layout of the last section stay")
	}
	e.put(doc, b, b.start, sb.String())
	return rep, nil
}

func (e *editing) appendParagraph(ctx context.Context, p Paragraph) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	doc, err := e.ed.ReadXML(ctx, e.main)
	if err != nil {
		return rep, err
	}
	b, err := findBody(doc, e.main)
	if err != nil {
		return rep, err
	}
	e.put(doc, b, b.end, paragraphXML(b.prefix, e.styleID(p.Style, &rep), p.Text))
	return rep, nil
}

// paragraphXML is a paragraph of plain text; prefix has its colon.
func paragraphXML(prefix, styleID, text string) string {
	var sb strings.Builder
	sb.WriteString("<" + prefix + "p>")
	if styleID != "" {
		sb.WriteString("<" + prefix + "pPr><" + prefix + `pStyle ` + prefix + `val="` + xmlscan.Escape(styleID) + `"/></` + prefix + "pPr>")
	}
	if text != "" {
		sb.WriteString("<" + prefix + "r>" + paragraph.Content(paragraph.Word, prefix, text) + "</" + prefix + "r>")
	}
	sb.WriteString("</" + prefix + "p>")
	return sb.String()
}

// replaceText replaces in every part with text.
func (e *editing) replaceText(ctx context.Context, search, replace string, matchCase bool) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if search == "" {
		rep.Warnings = append(rep.Warnings, "search is empty: nothing was replaced")
		return rep, nil
	}
	expr := regexp.QuoteMeta(search)
	if !matchCase {
		expr = "(?i)" + expr
	}
	find, err := regexp.Compile(expr)
	if err != nil {
		return rep, formats.Errorf(formats.CodeInvalid, "search cannot be used: %w", err)
	}
	parts, err := textParts(ctx, e.ed, e.main)
	if err != nil {
		return rep, err
	}
	for _, part := range parts {
		if part.dialect != paragraph.Word {
			continue
		}
		n, err := e.replaceInPart(ctx, part, find, replace)
		if err != nil {
			return rep, err
		}
		rep.Hits += n
	}
	if rep.Hits == 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%q was not found; nothing was replaced", search))
	}
	return rep, nil
}

func (e *editing) replaceInPart(ctx context.Context, part textPart, find *regexp.Regexp, replace string) (hits int, err error) {
	doc, err := e.ed.ReadXML(ctx, part.name)
	if err != nil {
		return 0, err
	}
	paras, err := paragraph.Parse(doc, part.dialect)
	if err != nil {
		return 0, corrupt(part.name, err)
	}
	var splices []xmlscan.Splice
	for i, p := range paras {
		if i%256 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		var ranges []paragraph.Range
		for _, m := range find.FindAllStringIndex(p.Text(), -1) {
			ranges = append(ranges, paragraph.Range{Start: m[0], End: m[1], New: replace})
		}
		hits += len(ranges)
		splices = append(splices, p.Replace(ranges)...)
	}
	if len(splices) > 0 {
		e.ed.Set(part.name, xmlscan.Apply(doc, splices))
	}
	return hits, nil
}
