package docx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// addCommentArgs are the members of add_comment.
type addCommentArgs struct {
	contentArgs
	anchorArgs
	Author string `json:"author" jsonschema:"of comments and tracked changes"`
	Layout
	Font
}

// addComment anchors a comment to a paragraph or to the first text found
// (17.13.4).
func (e *editing) addComment(ctx context.Context, op addCommentArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	specs, err := op.specs(op.Layout, op.Font)
	if err != nil {
		return rep, err
	}
	pl, m, err := e.anchor(ctx, op.anchorArgs)
	if err != nil {
		return rep, err
	}
	if op.Search == nil {
		m.Start = 0
	}
	if pl.name != e.main {
		return rep, formats.Errorf(formats.CodeInvalid, "comments can be made in the body only, not in a %s", strings.TrimSuffix(pl.word, "s"))
	}
	id, err := e.writeComment(ctx, specs, op.Author, &rep)
	if err != nil {
		return rep, err
	}
	rep.Made = fmt.Sprintf("cm%d", id)
	w := pl.prefix
	mark := func(name string) string { return fmt.Sprintf(`<%[1]s%[2]s %[1]sid="%[3]d"/>`, w, name, id) }
	e.splice(pl.part, pl.paras[pl.para].InsertBetween([]paragraph.Insert{
		{Pos: m.Start, XML: mark("commentRangeStart")},
		{Pos: m.End, XML: mark("commentRangeEnd") + "<" + w + "r>" + e.commentStyle(w) + mark("commentReference") + "</" + w + "r>", After: true}})...)
	return rep, nil
}

// commentStyle returns the run properties of what refers to a comment.
func (e *editing) commentStyle(w string) string {
	if style, ok := e.styles.findKind("character", "annotation reference"); ok {
		return "<" + w + "rPr><" + w + "rStyle " + w + `val="` + escape(style) + `"/></` + w + "rPr>"
	}
	return ""
}

// writeComment adds the text of a comment and returns its id.
func (e *editing) writeComment(ctx context.Context, specs []Paragraph, author string, rep *formats.OpReport) (int, error) {
	e.rev = nil // the text of a comment is not itself a change
	name, doc, err := e.commentsPart(ctx)
	if err != nil {
		return 0, err
	}
	list, err := readCommentList(doc)
	if err != nil {
		return 0, corrupt(name, err)
	}
	w, id := list.prefix, list.next
	who, when := e.opt.Revisor()
	if author != "" {
		who = author
	}
	pPr := ""
	if style, ok := e.styles.find("annotation text"); ok {
		pPr = "<" + w + "pPr><" + w + "pStyle " + w + `val="` + escape(style) + `"/></` + w + "pPr>"
	}
	text, err := e.write(w, specs, pPr, "", rep)
	if err != nil {
		return 0, err
	}
	// The mark by which the pane shows the comment begins its text.
	if i := strings.Index(text, "<"+w+"r>"); i >= 0 {
		text = text[:i] + "<" + w + "r>" + e.commentStyle(w) + "<" + w + "annotationRef/></" + w + "r>" + text[i:]
	}
	comment := fmt.Sprintf(`<%[1]scomment %[1]sid="%[2]d" %[1]sauthor="%[3]s" %[1]sdate="%[4]s" %[1]sinitials="%[5]s">%[6]s</%[1]scomment>`,
		w, id, escape(who), when.Format("2006-01-02T15:04:05Z"), escape(initials(who)), text)
	s := xmlscan.Splice{Start: list.end, End: list.end, New: []byte(comment)}
	if tag := list.empty; tag.end > 0 {
		open := strings.TrimSuffix(string(doc[tag.start:tag.end]), "/>")
		s = xmlscan.Splice{Start: tag.start, End: tag.end, New: []byte(open + ">" + comment + "</" + w + "comments>")}
	}
	e.set(name, xmlscan.Apply(doc, []xmlscan.Splice{s}))
	return id, nil
}

// commentsPart returns the part with the comments; a document without one gets
// it.
func (e *editing) commentsPart(ctx context.Context) (name string, doc []byte, err error) {
	if name, doc, err = e.related(ctx, "comments"); err != nil || name != "" {
		return name, doc, err
	}
	content := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<w:comments xmlns:w="` + nsW + `"></w:comments>`
	if name, _, err = e.addRelated(ctx, "word/comments.xml", "comments", typePrefix+"comments+xml", content); err != nil {
		return "", nil, err
	}
	doc, err = e.ed.ReadXML(ctx, name)
	return name, doc, err
}

// commentList is where a comment can be added to the comments of a document.
type commentList struct {
	prefix string // of its elements, with colon
	end    int    // where its content ends
	empty  span   // of its only tag, when it is written as an empty element
	next   int    // the first id above all that are taken
}

func readCommentList(doc []byte) (commentList, error) {
	l := commentList{end: -1}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Depth == 1 && t.Kind == xmlscan.Start:
			if l.prefix = colon(t.Prefix); t.Empty {
				l.empty = span{t.Start, t.End}
			}
		case t.Depth == 1 && t.Kind == xmlscan.End:
			l.end = t.Start
		case t.Kind == xmlscan.Start && t.Is(nsW, "comment"):
			l.next = max(l.next, atoi(t.AttrLocal("id"))+1)
		}
	}
	return l, sc.Err()
}

func initials(name string) string {
	var sb strings.Builder
	for _, f := range strings.Fields(name) {
		sb.WriteString(string([]rune(f)[:1]))
	}
	return strings.ToUpper(sb.String())
}

// deleteCommentArgs are the members of delete_comment.
type deleteCommentArgs struct {
	ID *lenient.Int `json:"id" usage:"id" jsonschema:"{ops}: comment id"`
	At string       `json:"at" usage:"or at (cm3)"`
}

// deleteComment removes a comment with its anchor.
func (e *editing) deleteComment(ctx context.Context, op deleteCommentArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	var id string
	switch {
	case op.ID != nil:
		id = strconv.Itoa(int(*op.ID))
	case strings.HasPrefix(op.At, "cm"):
		id = strings.TrimPrefix(strings.SplitN(op.At, ".", 2)[0], "cm")
	default:
		return rep, formats.Errorf(formats.CodeInvalid, "id is required: the number of the comment")
	}
	name, doc, err := e.related(ctx, "comments")
	if err != nil {
		return rep, err
	}
	found := false
	if name != "" {
		now := dropElements(doc, func(t xmlscan.Token) bool {
			hit := t.Is(nsW, "comment") && t.AttrLocal("id") == id
			found = found || hit
			return hit
		})
		if found {
			e.set(name, now)
		}
	}
	if !found {
		return rep, formats.Errorf(formats.CodeNotFound, "there is no comment %s", id)
	}
	parts, err := e.textParts(ctx)
	if err != nil {
		return rep, err
	}
	for _, tp := range parts {
		if tp.dialect != paragraph.Word || tp.word == "comments" {
			continue
		}
		p, err := e.load(ctx, tp)
		if err != nil {
			return rep, err
		}
		if now := dropAnchor(p.doc, id); len(now) != len(p.doc) {
			e.set(p.name, now)
		}
	}
	return rep, e.dropThreads(ctx, name, doc, id)
}

// dropAnchor removes the range and the reference of a comment; a run that held
// the reference alone goes with it.
func dropAnchor(doc []byte, id string) []byte {
	var out []xmlscan.Splice
	run, kids := span{}, 0
	only := span{}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Space != nsW {
			continue
		}
		switch {
		case t.Kind == xmlscan.Start && t.Local == "r" && !t.Empty:
			run, kids, only = span{t.Start, 0}, 0, span{}
		case t.Kind == xmlscan.End && t.Local == "r":
			if only.end > 0 {
				if kids == 0 {
					only = span{run.start, t.End}
				}
				out = append(out, xmlscan.Splice{Start: only.start, End: only.end})
			}
			only = span{}
		case t.Kind != xmlscan.Start:
		case (t.Local == "commentRangeStart" || t.Local == "commentRangeEnd") && t.AttrLocal("id") == id:
			end := sc.Skip()
			out = append(out, xmlscan.Splice{Start: t.Start, End: end})
		case t.Local == "commentReference" && t.AttrLocal("id") == id:
			only = span{t.Start, sc.Skip()}
		case t.Local == "rPr":
			sc.Skip()
		default:
			kids++
		}
	}
	return xmlscan.Apply(doc, out)
}

// dropElements removes the elements for which hit says so.
func dropElements(doc []byte, hit func(xmlscan.Token) bool) []byte {
	var out []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && hit(t) {
			out = append(out, xmlscan.Splice{Start: t.Start, End: sc.Skip()})
		}
	}
	return xmlscan.Apply(doc, out)
}

// dropThreads removes what newer parts say of a comment, by the id of its
// paragraphs ([MS-DOCX] 2.5.3.5).
func (e *editing) dropThreads(ctx context.Context, name string, before []byte, id string) error {
	gone := map[string]bool{}
	in := false
	sc := xmlscan.New(before)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Is(nsW, "comment") {
			in = t.AttrLocal("id") == id
		}
		if t.Kind == xmlscan.Start && in && t.Is(nsW, "p") && t.AttrLocal("paraId") != "" {
			gone[t.AttrLocal("paraId")] = true
		}
	}
	rels, err := e.ed.Rels(ctx, e.main)
	if err != nil || len(gone) == 0 {
		return err
	}
	for _, r := range rels {
		if r.External || !strings.Contains(r.Type, "/relationships/comments") || r.Type == opc.RelPrefix+"comments" || !e.ed.Has(r.Target) {
			continue
		}
		doc, err := e.ed.ReadXML(ctx, r.Target)
		if err != nil {
			return err
		}
		if now := dropElements(doc, func(t xmlscan.Token) bool { return t.Depth == 2 && gone[t.AttrLocal("paraId")] }); len(now) != len(doc) {
			e.set(r.Target, now)
		}
	}
	return nil
}
