package docx

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// addCrossReferenceArgs are the members of add_cross_reference.
type addCrossReferenceArgs struct {
	At     string  `json:"at" usage:"at (the reference goes to its end)"`
	Search *string `json:"search" usage:"or search (text that becomes the reference)" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	To     string  `json:"to" usage:"to" jsonschema:"{ops}: address of the paragraph that is referred to"`
	Show   string  `json:"show" jsonschema:"{ops}: number (of its list), text or page; default number where it has one, else text"`
	matchArgs
	trackingArgs
}

// addCrossReference makes a REF or PAGEREF field to a paragraph, which gets a
// bookmark where it has none (17.16.5.42, 17.16.5.46). The field shows what it
// will when it is updated; a page shows "?", since pages are known to the
// application that lays them out.
func (e *editing) addCrossReference(ctx context.Context, op addCrossReferenceArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	target, err := e.want(ctx, op.To, paraNode)
	if err != nil {
		return rep, err
	}
	if target.empty {
		return rep, formats.Errorf(formats.CodeInvalid, "to: %s is empty", op.To)
	}
	if target.name != e.main {
		return rep, formats.Errorf(formats.CodeInvalid, "to: %s is in a %s; a reference leads to a paragraph of the body", op.To, strings.TrimSuffix(target.word, "s"))
	}
	instr, shown, err := e.referenceTo(ctx, op, target)
	if err != nil {
		return rep, err
	}
	if _, _, err = e.anchor(ctx, anchorArgs{op.At, op.Search, op.matchArgs}); err != nil {
		return rep, err
	}
	marks, err := e.newBookmarks(ctx, "_Ref")
	if err != nil {
		return rep, err
	}
	mark, splices := marks.over(target)
	e.document.splice(target.part, splices...)
	pl, m, err := e.anchor(ctx, anchorArgs{op.At, op.Search, op.matchArgs}) // again, as the bookmark may have moved it
	if err != nil {
		return rep, err
	}
	para := pl.paras[pl.para]
	if op.Search != nil && !para.SameContainer(m.Start, m.End) {
		return rep, formats.Errorf(formats.CodeInvalid, "%q reaches over the edge of a link or a content control; choose a shorter text", *op.Search)
	}
	rPr := ""
	para.Restyle([]paragraph.Range{{Start: max(0, m.Start-1), End: max(m.Start, m.End)}}, func(r string) string { rPr = cleanRun(r, pl.prefix); return r })
	field := fieldRuns(pl.prefix, rPr, fmt.Sprintf(instr, mark), shown, strings.Contains(instr, "PAGEREF"))
	if e.rev != nil {
		field = "<" + pl.prefix + "ins" + e.rev.Attrs(pl.prefix) + ">" + field + "</" + pl.prefix + "ins>"
	}
	rep.Made = e.addressOf(ctx, pl)
	if err := e.putInstead(ctx, pl, m, field); err != nil {
		return rep, err
	}
	rep.Notes = append(rep.Notes, fmt.Sprintf("shows %q", clip(shown, 60)))
	if strings.Contains(instr, "PAGEREF") {
		rep.Notes = append(rep.Notes, "the page is not known before the field is updated: Word does it on opening or with F9")
	}
	return rep, nil
}

// putInstead puts XML beside runs behind a stretch of text and deletes that text.
// The XML is recorded as an insertion by the caller.
func (e *editing) putInstead(ctx context.Context, pl place, m paragraph.Range, xml string) error {
	e.splice(pl.part, pl.paras[pl.para].InsertBetween([]paragraph.Insert{{Pos: m.End, XML: xml, After: true}})...)
	if m.End == m.Start {
		return nil
	}
	p, err := e.load(ctx, pl.textPart)
	if err != nil {
		return err
	}
	gone := []paragraph.Range{{Start: m.Start, End: m.End}}
	if e.rev != nil {
		e.splice(p, p.paras[pl.para].Track(gone, e.rev)...)
	} else {
		e.splice(p, p.paras[pl.para].Replace(gone)...)
	}
	return nil
}

// anchor returns the first text found, or the end of the paragraph at an address.
func (e *editing) anchor(ctx context.Context, a anchorArgs) (pl place, m paragraph.Range, err error) {
	if a.Search != nil {
		return e.firstMatch(ctx, a.Search, a.At, a.matchArgs)
	}
	if pl, err = e.want(ctx, a.At, paraNode); err == nil {
		end := len(pl.paras[pl.para].Text())
		m = paragraph.Range{Start: end, End: end}
	}
	return pl, m, err
}

// referenceTo returns the instruction of a reference, with %s for the bookmark,
// and what it shows.
func (e *editing) referenceTo(ctx context.Context, op addCrossReferenceArgs, target place) (instr, shown string, err error) {
	label, err := e.listLabels(ctx)
	if err != nil {
		return "", "", err
	}
	number := strings.TrimRight(label(target.part, target.node), ".")
	text := strings.TrimSpace(target.paras[target.para].Text())
	show := strings.ToLower(op.Show)
	if show == "" {
		show = "text"
		if strings.ContainsAny(number, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			show = "number"
		}
	}
	switch show {
	case "number":
		if number == "" {
			return "", "", formats.Errorf(formats.CodeInvalid, "%s has no list number to show; give show text or page, or number it with set_list first", op.To)
		}
		return " REF %s \\r \\h ", number, nil
	case "text":
		if text == "" {
			return "", "", formats.Errorf(formats.CodeInvalid, "%s has no text to show", op.To)
		}
		return " REF %s \\h ", text, nil
	case "page":
		return " PAGEREF %s \\h ", "?", nil
	}
	return "", "", formats.Errorf(formats.CodeInvalid, "show is %q; it is number, text or page", op.Show)
}

// fieldRuns writes a field as runs (17.16.18); a dirty one is updated when the
// document is opened.
func fieldRuns(w, rPr, instr, shown string, dirty bool) string {
	run := func(content string) string { return "<" + w + "r>" + rPr + content + "</" + w + "r>" }
	mark := ""
	if dirty {
		mark = " " + w + `dirty="true"`
	}
	char := func(kind, more string) string {
		return run("<" + w + "fldChar " + w + `fldCharType="` + kind + `"` + more + "/>")
	}
	return char("begin", mark) + run("<"+w+`instrText xml:space="preserve">`+escape(instr)+"</"+w+"instrText>") + char("separate", "") + run(paragraph.Content(paragraph.Word, w, shown)) + char("end", "")
}

// bookmarks makes bookmarks over whole paragraphs.
type bookmarks struct {
	*editing
	begins string // of their names
	base   int    // three digits that no name in use goes on with
}

func (e *editing) newBookmarks(ctx context.Context, begins string) (*bookmarks, error) {
	if err := e.findIDs(ctx); err != nil {
		return nil, err
	}
	p, err := e.body(ctx)
	if err != nil {
		return nil, err
	}
	b := &bookmarks{editing: e, begins: begins, base: 417}
	for b.base < 999 && bytes.Contains(p.doc, fmt.Appendf(nil, "%s%d", begins, b.base)) {
		b.base++
	}
	return b, nil
}

// over returns the name of the bookmark over a paragraph, and what makes it where
// there is none.
func (b *bookmarks) over(pl place) (name string, splices []xmlscan.Splice) {
	sc := xmlscan.New(pl.doc[pl.start:pl.end])
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Local == "bookmarkStart" && strings.HasPrefix(t.AttrLocal("name"), b.begins) {
			return t.AttrLocal("name"), nil
		}
		if t.Kind == xmlscan.Start && (t.Local == "t" || t.Local == "drawing") {
			break // one that begins later does not hold the paragraph
		}
	}
	b.nextID++
	w, name := pl.prefix, fmt.Sprintf("%s%d%06d", b.begins, b.base, b.nextID%1_000_000)
	start := fmt.Sprintf(`<%[1]sbookmarkStart %[1]sid="%[2]d" %[1]sname="%[3]s"/>`, w, b.nextID, name)
	end := fmt.Sprintf(`<%[1]sbookmarkEnd %[1]sid="%[2]d"/>`, w, b.nextID)
	at := max(pl.inner, pl.props.end)
	return name, []xmlscan.Splice{{Start: at, End: at, New: []byte(start)}, {Start: pl.innerEnd, End: pl.innerEnd, New: []byte(end)}}
}
