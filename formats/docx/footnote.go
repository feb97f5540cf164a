package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// addFootnoteArgs are the members of add_footnote.
type addFootnoteArgs struct {
	contentArgs
	anchorArgs
	Type string `json:"type" jsonschema:"{ops}: footnote (default) or endnote"`
	Layout
	Font
	trackingArgs
}

// noteWords are the names of a kind of notes in a document.
type noteWords struct{ one, step string }

func (n noteWords) many() string { return n.one + "s" }

// addFootnote puts a note behind the first text found, or at the end of a
// paragraph of the body (17.11). Its text is changed with set_paragraph at its
// address. With tracked changes the reference is recorded.
func (e *editing) addFootnote(ctx context.Context, op addFootnoteArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	kind := noteWords{"footnote", "fn"}
	switch strings.ToLower(op.Type) {
	case "", "footnote":
	case "endnote":
		kind = noteWords{"endnote", "en"}
	default:
		return rep, formats.Errorf(formats.CodeInvalid, "type %q is not footnote or endnote", op.Type)
	}
	specs, err := op.specs(op.Layout, op.Font)
	if err != nil {
		return rep, err
	}
	pl, m, err := e.anchor(ctx, op.anchorArgs)
	if err != nil {
		return rep, err
	}
	if pl.name != e.main {
		return rep, formats.Errorf(formats.CodeInvalid, "footnotes can be made in the body only, not in a %s", strings.TrimSuffix(pl.word, "s"))
	}
	rev := e.rev
	e.rev = nil // the text of the note is not itself a change
	id, err := e.writeNote(ctx, kind, specs, &rep)
	e.rev = rev
	if err != nil {
		return rep, err
	}
	rep.Made = fmt.Sprintf("%s%d", kind.step, id)
	w := pl.prefix
	run := "<" + w + "r>" + e.noteStyle(w, kind) + "<" + w + kind.one + "Reference " + w + fmt.Sprintf(`id="%d"/></`, id) + w + "r>"
	if rev != nil {
		run = "<" + w + "ins" + rev.Attrs(w) + ">" + run + "</" + w + "ins>"
	}
	e.splice(pl.part, pl.paras[pl.para].InsertBetween([]paragraph.Insert{{Pos: m.End, XML: run, After: true}})...)
	return rep, nil
}

// noteStyle returns the run properties of the number of a note.
func (e *editing) noteStyle(w string, kind noteWords) string {
	if id, ok := e.styles.findKind("character", kind.one+" reference"); ok {
		return "<" + w + "rPr><" + w + "rStyle " + w + `val="` + escape(id) + `"/></` + w + "rPr>"
	}
	return "<" + w + "rPr><" + w + "vertAlign " + w + `val="superscript"/></` + w + "rPr>"
}

// writeNote adds the text of a note, and the part with the lines above notes
// (17.11.1, 17.11.23) to a document that has none; it returns the id.
func (e *editing) writeNote(ctx context.Context, kind noteWords, specs []Paragraph, rep *formats.OpReport) (int, error) {
	name, doc, err := e.related(ctx, kind.many())
	if err != nil {
		return 0, err
	}
	if name == "" {
		if name, doc, err = e.newNotes(ctx, kind); err != nil {
			return 0, err
		}
	}
	list, err := readNoteList(doc, kind.one)
	if err != nil {
		return 0, corrupt(name, err)
	}
	w := list.prefix
	pPr := ""
	if style, ok := e.styles.find(kind.one + " text"); ok {
		pPr = "<" + w + "pPr><" + w + "pStyle " + w + `val="` + escape(style) + `"/></` + w + "pPr>"
	}
	text, err := e.write(w, specs, pPr, "", rep)
	if err != nil {
		return 0, err
	}
	number := "<" + w + "r>" + e.noteStyle(w, kind) + "<" + w + kind.one + "Ref/></" + w + "r><" + w + `r><` + w + `t xml:space="preserve"> </` + w + "t></" + w + "r>"
	switch i := strings.Index(text, "<"+w+"r>"); {
	case i >= 0:
		text = text[:i] + number + text[i:]
	default: // no text yet
		text = strings.Replace(text, "</"+w+"p>", number+"</"+w+"p>", 1)
	}
	note := fmt.Sprintf(`<%[1]s%[2]s %[1]sid="%[3]d">%[4]s</%[1]s%[2]s>`, w, kind.one, list.next, text)
	e.set(name, appendToRoot(doc, list, note, kind.many()))
	return list.next, nil
}

// readNoteList returns where a note can be added; ids of notes begin at 1, since
// the separators have 0 and -1 or 1.
func readNoteList(doc []byte, one string) (commentList, error) {
	l := commentList{end: -1, next: 1}
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
		case t.Kind == xmlscan.Start && t.Is(nsW, one):
			l.next = max(l.next, atoi(t.AttrLocal("id"))+1)
		}
	}
	return l, sc.Err()
}

// appendToRoot adds content at the end of a part.
func appendToRoot(doc []byte, l commentList, content, root string) []byte {
	s := xmlscan.Splice{Start: l.end, End: l.end, New: []byte(content)}
	if tag := l.empty; tag.end > 0 {
		open := strings.TrimRight(strings.TrimSuffix(string(doc[tag.start:tag.end]), "/>"), " ")
		s = xmlscan.Splice{Start: tag.start, End: tag.end, New: []byte(open + ">" + content + "</" + l.prefix + root + ">")}
	}
	return xmlscan.Apply(doc, []xmlscan.Splice{s})
}

// newNotes makes the part of a kind of notes with the lines above them.
func (e *editing) newNotes(ctx context.Context, kind noteWords) (name string, doc []byte, err error) {
	line := func(id, what, mark string) string {
		return fmt.Sprintf(`<w:%[1]s w:type="%[2]s" w:id="%[3]s"><w:p><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:r><w:%[4]s/></w:r></w:p></w:%[1]s>`, kind.one, what, id, mark)
	}
	content := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<w:` + kind.many() + ` xmlns:w="` + nsW + `" xmlns:r="` + nsR + `">` +
		line("-1", "separator", "separator") + line("0", "continuationSeparator", "continuationSeparator") + `</w:` + kind.many() + `>`
	if name, _, err = e.addRelated(ctx, "word/"+kind.many()+".xml", kind.many(), typePrefix+kind.many()+"+xml", content); err != nil {
		return "", nil, err
	}
	if doc, err = e.ed.ReadXML(ctx, name); err != nil {
		return "", nil, err
	}
	return name, doc, nil
}

// deleteFootnoteArgs are the members of delete_footnote.
type deleteFootnoteArgs struct {
	At string `json:"at" usage:"at (fn2 or en1)"`
	trackingArgs
}

var noteAddress = lazyregexp.New(`^(fn|en)(\d+)(\.|$)`)

// deleteFootnote removes a footnote or endnote with its reference. With tracked
// changes the reference is recorded as deleted and the text stays until that is
// accepted.
func (e *editing) deleteFootnote(ctx context.Context, op deleteFootnoteArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	m := noteAddress.FindStringSubmatch(bareAddress(op.At))
	if m == nil {
		return rep, formats.Errorf(formats.CodeInvalid, "%q is not the address of a note; it looks like fn2 or en1", op.At)
	}
	kind, id := noteWords{"footnote", "fn"}, m[2]
	if m[1] == "en" {
		kind = noteWords{"endnote", "en"}
	}
	if _, err := e.resolve(ctx, m[1]+id); err != nil {
		return rep, err
	}
	p, err := e.body(ctx)
	if err != nil {
		return rep, err
	}
	if e.rev != nil {
		splices, err := e.trackNote(p, kind.one, id)
		e.splice(p, splices...)
		return rep, err
	}
	name, doc, err := e.related(ctx, kind.many())
	if err != nil {
		return rep, err
	}
	e.set(name, dropElements(doc, func(t xmlscan.Token) bool {
		return t.Is(nsW, kind.one) && t.AttrLocal("id") == id && (t.AttrLocal("type") == "" || t.AttrLocal("type") == "normal")
	}))
	e.set(p.name, dropNoteReference(p.doc, kind.one+"Reference", id))
	return rep, nil
}

// noteRuns lists the runs that hold the reference of a note; alone are those that
// hold nothing else.
func noteRuns(doc []byte, local, id string) (runs []noteRun) {
	var run noteRun
	kids := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Space != nsW:
		case t.Kind == xmlscan.Start && t.Local == "r" && !t.Empty:
			run, kids = noteRun{span: span{t.Start, 0}, inner: t.End}, 0
		case t.Kind == xmlscan.End && t.Local == "r":
			if run.reference.end > 0 {
				run.end, run.alone = t.End, kids == 0
				runs = append(runs, run)
			}
			run = noteRun{}
		case t.Kind != xmlscan.Start:
		case t.Local == local && t.AttrLocal("id") == id:
			run.reference = span{t.Start, sc.Skip()}
		case t.Local == "rPr":
			sc.Skip()
		default:
			kids++
		}
	}
	return runs
}

// noteRun is a run with the reference of a note.
type noteRun struct {
	span
	inner     int
	reference span
	alone     bool
}

func dropNoteReference(doc []byte, local, id string) []byte {
	var out []xmlscan.Splice
	for _, r := range noteRuns(doc, local, id) {
		at := r.reference
		if r.alone {
			at = r.span
		}
		out = append(out, xmlscan.Splice{Start: at.start, End: at.end})
	}
	return xmlscan.Apply(doc, out)
}

// trackNote records the reference of a note as deleted.
func (e *editing) trackNote(p *part, one, id string) ([]xmlscan.Splice, error) {
	var out []xmlscan.Splice
	for _, r := range noteRuns(p.doc, one+"Reference", id) {
		if !r.alone {
			return nil, formats.Errorf(formats.CodeUnsupported, "the reference of the note shares its run with text, so its deletion cannot be recorded; delete it with track_changes false")
		}
		out = append(out, xmlscan.Splice{Start: r.start, End: r.start, New: []byte("<" + p.prefix + "del" + e.rev.Attrs(p.prefix) + ">")}, xmlscan.Splice{Start: r.end, End: r.end, New: []byte("</" + p.prefix + "del>")})
	}
	return out, nil
}
