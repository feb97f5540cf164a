package xlsx

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	nsThreads   = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
	typeThreads = "application/vnd.ms-excel.threadedcomments+xml"
	typePersons = "application/vnd.ms-excel.person+xml"
	relPerson   = "http://schemas.microsoft.com/office/2017/10/relationships/person"
	xmlHead     = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	// threadNotice begins the note that shows a thread to programs that know none;
	// Excel writes it so in every language.
	threadNotice = "[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment; however, any edits to it will get removed if the file is opened in a newer version of Excel. Learn more: https://go.microsoft.com/fwlink/?linkid=870924\n\n"
)

// threadComment is a comment of a thread ([MS-XLSX] 2.6.205): the first one, or a
// reply to it.
type threadComment struct {
	tag  xmlscan.Token
	end  int
	id   string
	text string
	root bool
	done bool
}

// thread is the comments of a cell in a part.
type thread struct {
	part string
	doc  []byte
	list []threadComment // the first one first
}

// threadOf reads the thread of a cell; its list is empty when there is none.
func (w *sheetWork) threadOf(ctx context.Context, cell string) (thread, error) {
	part, _, err := w.related(ctx, book.RelThreaded)
	if err != nil || part == "" {
		return thread{}, err
	}
	doc, err := w.f.ed.ReadXML(ctx, part)
	if err != nil {
		return thread{}, err
	}
	t := thread{part: part, doc: doc}
	err = sheetml.EachChild(doc, func(tok xmlscan.Token, raw []byte) error {
		if tok.Local != "threadedComment" || !strings.EqualFold(tok.AttrLocal("ref"), cell) {
			return nil
		}
		c := threadComment{tag: tok, end: tok.Start + len(raw), id: tok.AttrLocal("id"), text: strings.Join(sheetml.TextsOf(raw, "text"), " "), root: tok.AttrLocal("parentId") == "", done: sheetml.IsTrue(tok.AttrLocal("done"))}
		t.list = append(t.list, c)
		return nil
	})
	if i := slices.IndexFunc(t.list, func(c threadComment) bool { return c.root }); i > 0 {
		t.list = slices.Insert(slices.Delete(slices.Clone(t.list), i, i+1), 0, t.list[i])
	}
	return t, book.CorruptPart(err, part)
}

// hasThreads reports whether any comment of the workbook is a thread.
func (wb *workbook) hasThreads() bool {
	return slices.ContainsFunc(wb.Package.Names(), func(name string) bool { return wb.Package.ContentType(name) == typeThreads })
}

// addToThread begins a thread on a cell, or replies in the one that it has.
func (w *sheetWork) addToThread(ctx context.Context, at cellref.Cell, n commentText) error {
	cell := cellref.Name(at.Row, at.Col)
	t, err := w.threadOf(ctx, cell)
	if err != nil {
		return err
	}
	person, err := w.person(ctx, n.author)
	if err != nil {
		return err
	}
	if t.part == "" {
		t.doc = []byte(xmlHead + `<ThreadedComments xmlns="` + nsThreads + `"></ThreadedComments>`)
		if t.part, _, err = w.f.ed.AddPart(ctx, w.part, "xl/threadedComments/threadedComment%d.xml", book.RelThreaded, typeThreads, t.doc); err != nil {
			return err
		}
	}
	root, ok := firstTag(t.doc)
	if !ok {
		return formats.Errorf(formats.CodeCorrupt, "%s has no root element", t.part)
	}
	if root.Empty {
		t.doc = openTag(t.doc, root)
		root, _ = firstTag(t.doc)
	}
	c := threadComment{id: guid(t.doc, w.sheet.name, cell, n.text, n.author), text: n.text}
	parent, place := "", sheetml.EndTagStart(t.doc, len(t.doc))
	if len(t.list) > 0 {
		parent = ` parentId="` + sheetml.EscapeAttr(t.list[0].id) + `"`
		place = t.list[len(t.list)-1].end
		for _, o := range t.list {
			place = max(place, o.end)
		}
	}
	xml := fmt.Sprintf(`<threadedComment ref="%s" dT="%s" personId="%s" id="%s"%s><text>%s</text></threadedComment>`, cell, n.when.Format("2006-01-02T15:04:05.00"), person, c.id, parent, xmlscan.Escape(n.text))
	edits := []xmlscan.Splice{{Start: place, End: place, New: []byte(sheetml.WithPrefix(xml, tagPrefix(root)))}}
	if len(t.list) > 0 && t.list[0].done {
		edits = append(edits, setDone(t.list[0], false))
		w.rep.Notes = append(w.rep.Notes, "the thread was resolved and is open again")
	}
	w.f.ed.Set(t.part, xmlscan.Apply(t.doc, edits))
	what := "comment thread "
	if t.list = append(t.list, c); len(t.list) > 1 {
		what = "reply to the thread "
	}
	w.rep.Hits, w.rep.Made = 1, what+w.sheet.name+"!"+cell
	return w.mirror(ctx, at, t)
}

// setDone marks a thread as resolved, or as open.
func setDone(c threadComment, done bool) xmlscan.Splice {
	add := ""
	if done {
		add = ` done="1"`
	}
	return xmlscan.Splice{Start: c.tag.Start, End: c.tag.End, New: sheetml.EditTag(c.tag.Bytes(), add, "done")}
}

// mirror writes the note (18.7.3) that shows a thread to programs that know none,
// as Excel does.
func (w *sheetWork) mirror(ctx context.Context, at cellref.Cell, t thread) error {
	cell := cellref.Name(at.Row, at.Col)
	part, err := w.commentsPart(ctx)
	if err != nil {
		return err
	}
	doc, err := w.f.ed.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	text := threadNotice
	for i, c := range t.list {
		if i == 0 {
			text += "Comment:\n    " + c.text
		} else {
			text += "\nReply:\n    " + c.text
		}
	}
	if n := sheetml.UTF16Len(text); n > maxCellText {
		w.warn("the note that shows the thread to older programs is cut to %d characters", maxCellText)
		text = string([]rune(text)[:maxCellText/2])
	}
	now, replaced, err := putComment(doc, part, cell, "tc="+t.list[0].id, sheetml.TextElement("", text))
	if err != nil {
		return err
	}
	w.f.ed.Set(part, now)
	if replaced {
		if len(t.list) == 1 {
			w.warn("the comment that %s had was replaced", cell)
		}
		return nil
	}
	return w.addNote(ctx, at, text)
}

// person returns the id of the person of that name ([MS-XLSX] 2.6.203), who is
// added to the workbook where it does not know one.
func (w *sheetWork) person(ctx context.Context, name string) (string, error) {
	ed, main := w.f.ed, w.f.wb.Main
	rels, err := ed.Rels(ctx, main)
	if err != nil {
		return "", err
	}
	part := ""
	for _, r := range rels {
		if r.Type == relPerson && !r.External && ed.Has(r.Target) {
			part = r.Target
		}
	}
	doc := []byte(xmlHead + `<personList xmlns="` + nsThreads + `"></personList>`)
	if part == "" {
		if part, _, err = ed.AddPart(ctx, main, "xl/persons/person%d.xml", relPerson, typePersons, doc); err != nil {
			return "", err
		}
	} else if doc, err = ed.ReadXML(ctx, part); err != nil {
		return "", err
	}
	id := ""
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		if t.Local == "person" && id == "" && t.AttrLocal("displayName") == name {
			id = t.AttrLocal("id")
		}
		return id == ""
	})
	if id != "" {
		return sheetml.EscapeAttr(id), nil
	}
	root, ok := firstTag(doc)
	if !ok {
		return "", formats.Errorf(formats.CodeCorrupt, "%s has no root element", part)
	}
	if root.Empty {
		doc = openTag(doc, root)
	}
	id = guid(doc, name)
	end := sheetml.EndTagStart(doc, len(doc))
	xml := fmt.Sprintf(`<person displayName="%s" id="%s" userId="%[1]s" providerId="None"/>`, sheetml.EscapeAttr(name), id)
	ed.Set(part, xmlscan.Apply(doc, []xmlscan.Splice{{Start: end, End: end, New: []byte(sheetml.WithPrefix(xml, tagPrefix(root)))}}))
	return id, nil
}

// guid makes an id of what it stands for, so that the same edit gives the same
// bytes.
func guid(doc []byte, texts ...string) string {
	h := sha256.New()
	h.Write(doc)
	for _, s := range texts {
		fmt.Fprintf(h, "\x00%s", s)
	}
	b := h.Sum(nil)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4 (RFC 9562)
	return fmt.Sprintf("{%X-%X-%X-%X-%X}", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// commentsPart is the part of the notes of the sheet, made when there is none.
func (w *sheetWork) commentsPart(ctx context.Context) (string, error) {
	part, _, err := w.related(ctx, book.RelComments)
	if err != nil || part != "" {
		return part, err
	}
	doc := xmlHead + `<comments xmlns="` + w.f.ns(sheetml.Namespace) + `"><authors></authors><commentList></commentList></comments>`
	part, _, err = w.f.ed.AddPart(ctx, w.part, "xl/comments%d.xml", book.RelComments, typeComments, []byte(doc))
	return part, err
}
