package xlsx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

const (
	typeComments = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"
	typeVML      = "application/vnd.openxmlformats-officedocument.vmlDrawing"
	relVML       = opc.RelPrefix + "vmlDrawing"
)

type addCommentArgs struct {
	cornerArgs
	Text   *string       `json:"text" usage:"text" jsonschema:"{ops}"`
	Author string        `json:"author" jsonschema:"{ops}"`
	Thread *lenient.Bool `json:"thread" jsonschema:"{ops}: true begins a thread that people can answer, false a plain note; default as the comments of the file are; a cell with a thread gets a reply"`
}

func (p *plan) addComment(_ context.Context, op addCommentArgs) (int, error) {
	if op.Text == nil || strings.TrimSpace(*op.Text) == "" {
		return 0, formats.Errorf(formats.CodeInvalid, "text is required")
	}
	if n := sheetml.UTF16Len(*op.Text); n > maxCellText {
		return 0, formats.Errorf(formats.CodeInvalid, "the comment has %d characters; at most %d are allowed", n, maxCellText)
	}
	at, s, err := p.corner(op.cornerArgs)
	if err != nil {
		return 0, err
	}
	author, when := p.opt.Revisor()
	if op.Author != "" {
		author = op.Author
	}
	p.threads = p.threads || p.wb.hasThreads() || op.Thread != nil && bool(*op.Thread)
	threads := p.threads
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
		return w.addComment(ctx, at, commentText{*op.Text, author, when, op.Thread, threads})
	})
	return 0, nil
}

func (p *plan) deleteComment(_ context.Context, op cornerArgs) (int, error) {
	at, s, err := p.corner(op)
	if err != nil {
		return 0, err
	}
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error { return w.deleteComment(ctx, at) })
	return 0, nil
}

// related is the part of a type that the sheet leads to, "" when there is none.
func (w *sheetWork) related(ctx context.Context, typ string) (part, id string, err error) {
	if !w.f.ed.Has(opc.RelsName(w.part)) {
		return "", "", nil
	}
	rels, err := w.f.ed.Rels(ctx, w.part)
	for _, r := range rels {
		if r.Type == typ && !r.External && w.f.ed.Has(r.Target) {
			return r.Target, r.ID, nil
		}
	}
	return "", "", err
}

// commentText is a comment that an operation adds.
type commentText struct {
	text, author string
	when         time.Time
	thread       *lenient.Bool // whether it is to be a thread, nil for what the file has
	threads      bool          // the file has threads
}

// addComment writes a comment (18.7.3) and the note shape that shows it; one
// that the cell has is replaced.
func (w *sheetWork) addComment(ctx context.Context, at cellref.Cell, c commentText) error {
	cell := cellref.Name(at.Row, at.Col)
	t, err := w.threadOf(ctx, cell)
	if err != nil {
		return err
	}
	threaded := len(t.list) > 0
	switch {
	case threaded && c.thread != nil && !bool(*c.thread):
		return formats.Errorf(formats.CodeInvalid, "cell %s has a comment thread; delete it first (delete_comment), or leave thread out to reply in it", cell)
	case c.thread != nil:
		threaded = bool(*c.thread)
	case !threaded && c.threads:
		if threaded, err = w.noNote(ctx, cell); err != nil {
			return err
		}
	}
	// The worksheet of the strict schema has no legacyDrawing (18.3.1.99), not
	// even behind mc:Choice, and what Excel makes of a box elsewhere (18.7.5) is
	// not known here.
	if _, _, noted := w.legacyElement(); w.f.wb.Strict && !noted {
		return formats.Errorf(formats.CodeUnsupported, "this is a strict Open XML workbook, whose sheets have no place for the box of a first comment; save it as an ordinary xlsx first")
	}
	if threaded {
		return w.addToThread(ctx, at, c)
	}
	part, err := w.commentsPart(ctx)
	if err != nil {
		return err
	}
	doc, err := w.f.ed.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	now, replaced, err := putComment(doc, part, cell, c.author, noteRun(c.text))
	if err != nil {
		return err
	}
	w.f.ed.Set(part, now)
	w.rep.Hits, w.rep.Made = 1, "comment "+w.sheet.name+"!"+cell
	if replaced {
		w.warn("the comment that %s had was replaced", cell)
		return nil
	}
	return w.addNote(ctx, at, c.text)
}

// noteRun is the text of a note in the font that Excel gives it.
func noteRun(text string) string {
	return `<r><rPr><sz val="9"/><color indexed="81"/><rFont val="Tahoma"/><family val="2"/></rPr>` + sheetml.TextElement("", text) + `</r>`
}

// putComment puts a comment into the part, in place of the cell's own; body is
// what its text element holds.
func putComment(doc []byte, part, cell, author, body string) (out []byte, replaced bool, err error) {
	prefix, authorID, authors := "", -1, 0
	var edits []xmlscan.Splice
	var listEnd, authorsEnd int
	var old xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Depth == 1 && t.Prefix != "":
			prefix = t.Prefix + ":"
		case t.Kind == xmlscan.Start && t.Local == "author" && t.Depth == 3:
			end := sc.Skip()
			if !t.Empty && sheetml.Unescape(sheetml.CharData(doc[t.End:sheetml.EndTagStart(doc, end)])) == author {
				authorID = authors
			}
			authors++
		case t.Local == "authors" && t.Kind == xmlscan.Start && t.Empty:
			return putComment(openTag(doc, t), part, cell, author, body)
		case t.Local == "commentList" && t.Kind == xmlscan.Start && t.Empty:
			return putComment(openTag(doc, t), part, cell, author, body)
		case t.Local == "authors" && t.Kind == xmlscan.End:
			authorsEnd = t.Start
		case t.Local == "commentList" && t.Kind == xmlscan.End:
			listEnd = t.Start
		case t.Kind == xmlscan.Start && t.Local == "comment" && t.Depth == 3:
			if end := sc.Skip(); strings.EqualFold(t.AttrLocal("ref"), cell) {
				old, replaced = xmlscan.Splice{Start: t.Start, End: end}, true
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, false, book.CorruptPart(err, part)
	}
	if listEnd == 0 || authorsEnd == 0 {
		return nil, false, formats.Errorf(formats.CodeCorrupt, "%s has no list of comments", part)
	}
	if authorID < 0 {
		authorID = authors
		edits = append(edits, xmlscan.Splice{Start: authorsEnd, End: authorsEnd, New: []byte("<" + prefix + "author>" + sheetml.Escape(author) + "</" + prefix + "author>")})
	}
	xml := sheetml.WithPrefix(fmt.Sprintf(`<comment ref="%s" authorId="%d"><text>%s</text></comment>`, cell, authorID, body), prefix)
	at := xmlscan.Splice{Start: listEnd, End: listEnd}
	if replaced {
		at = old
	}
	at.New = []byte(xml)
	return xmlscan.Apply(doc, append(edits, at)), replaced, nil
}

// openTag turns <a/> into <a></a>.
func openTag(doc []byte, t xmlscan.Token) []byte {
	tag := string(t.Bytes())
	name := tag[1:sheetml.NameLen([]byte(tag))]
	open := strings.TrimRight(strings.TrimSuffix(tag, "/>"), " ") + ">"
	return xmlscan.Apply(doc, []xmlscan.Splice{{Start: t.Start, End: t.End, New: []byte(open + "</" + name + ">")}})
}

// noNote reports whether a cell has no plain comment, which another one replaces
// as a plain one.
func (w *sheetWork) noNote(ctx context.Context, cell string) (bool, error) {
	part, _, err := w.related(ctx, book.RelComments)
	if err != nil || part == "" {
		return true, err
	}
	doc, err := w.f.ed.ReadXML(ctx, part)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(sheetml.Skeleton{Doc: doc, Cut: len(doc)}.Elements("comment"), func(t xmlscan.Token) bool {
		return strings.EqualFold(t.AttrLocal("ref"), cell)
	}), nil
}

// deleteComment removes a cell's comment, its thread and its note shape, and
// parts that hold nothing any more.
func (w *sheetWork) deleteComment(ctx context.Context, at cellref.Cell) error {
	cell := cellref.Name(at.Row, at.Col)
	for _, kind := range []struct{ rel, element string }{{book.RelComments, "comment"}, {book.RelThreaded, "threadedComment"}} {
		part, id, err := w.related(ctx, kind.rel)
		if err != nil {
			return err
		}
		if part == "" {
			continue
		}
		doc, err := w.f.ed.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		now, gone, left := dropByRef(doc, kind.element, cell)
		if gone == 0 {
			continue
		}
		w.rep.Hits = 1
		if left > 0 {
			w.f.ed.Set(part, now)
			continue
		}
		if err := w.removePart(ctx, part, id); err != nil {
			return err
		}
	}
	if w.rep.Hits == 0 {
		w.warn("cell %s has no comment", cell)
		return nil
	}
	return w.dropNote(ctx, at)
}

func dropByRef(doc []byte, element, cell string) (now []byte, gone, left int) {
	var cuts []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != element {
			continue
		}
		end := sc.Skip()
		if strings.EqualFold(t.AttrLocal("ref"), cell) {
			cuts = append(cuts, xmlscan.Splice{Start: t.Start, End: end})
		} else {
			left++
		}
	}
	return xmlscan.Apply(doc, cuts), len(cuts), left
}

// removePart takes a part of the sheet out with what declares it.
func (w *sheetWork) removePart(ctx context.Context, part, relID string) error {
	if err := w.f.ed.RemoveRel(ctx, w.part, relID); err != nil {
		return err
	}
	return w.f.ed.RemovePart(ctx, part)
}
