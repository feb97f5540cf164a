package xlsx

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

// keptAround are the children of worksheet that a copy takes over, beside the
// columns and links, which need more care.
var keptAround = []string{"sheetPr", "sheetViews", "sheetFormatPr", "mergeCells", "conditionalFormatting", "dataValidations", "printOptions", "pageMargins", "pageSetup", "headerFooter", "rowBreaks", "colBreaks"}

// around copies what stands around the rows, and the comments.
func (c *sheetCopy) around(ctx context.Context, k sheetml.Skeleton) error {
	rels, err := c.from.Package.Rels(ctx, c.info.Part)
	if err != nil {
		return err
	}
	notes, err := c.from.Comments(ctx, c.info.Part)
	if err != nil {
		return err
	}
	pieces, links, err := c.readAround(k.Doc)
	if err != nil {
		return err
	}
	cols, _, _ := sheetml.ReadColumns(k)
	c.p.deferEdit(c.to, func(ctx context.Context, w *sheetWork) error {
		if err := c.columns(ctx, w, cols); err != nil {
			return err
		}
		for _, p := range pieces {
			xml, err := c.formatsOf(ctx, w, p.xml)
			if err != nil {
				return err
			}
			w.take(p.name, xml)
		}
		for _, l := range links {
			if err := c.link(ctx, w, l, rels); err != nil {
				return err
			}
		}
		if err := c.comments(ctx, w, notes); err != nil {
			return err
		}
		w.rep.Made = w.sheet.name // a comment leaves its own
		return nil
	})
	return nil
}

// keptElement is a child of worksheet as XML.
type keptElement struct{ name, xml string }

// readAround returns the children of worksheet that the copy gets and the links,
// and tells what it does not get.
func (c *sheetCopy) readAround(doc []byte) (pieces []keptElement, links []xmlscan.Token, err error) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start || t.Depth < 2:
			continue
		case t.Depth == 3 && t.Local == "hyperlink":
			links = append(links, t)
			continue
		case t.Depth != 2 || t.Local == "hyperlinks":
			continue
		case slices.Contains(keptAround, t.Local) && t.Space == sheetml.Namespace:
			if xml, ok := c.plainElement(doc, sc); ok {
				pieces = append(pieces, keptElement{t.Local, xml})
			}
			continue
		case t.Local == "extLst":
			c.p.warnOp("not copied with the sheet %q: newer features such as sparklines and slicers", c.info.Name)
		case t.Local == "sheetProtection":
			c.p.warnOp("the sheet %q is protected; its copy is not", c.info.Name)
		case t.Local == "autoFilter":
			c.p.warnOp("not copied with the sheet %q: its filter", c.info.Name)
		}
		if t.Local != "sheetData" {
			sc.Skip()
		}
	}
	if err := sc.Err(); err != nil {
		return nil, nil, book.CorruptPart(err, c.info.Part)
	}
	return pieces, links, nil
}

// comments adds the comments to the copy.
func (c *sheetCopy) comments(ctx context.Context, w *sheetWork, notes []book.Comment) error {
	if w.f.wb.Strict && len(notes) > 0 {
		w.warn("not copied with the sheet %q: its comments, for which a strict workbook has no place", c.info.Name)
		return nil
	}
	threads := 0
	for i := 0; i < len(notes); {
		n := notes[i]
		for i++; i < len(notes) && notes[i].At == n.At; i++ { // replies
			n.Text += "\n" + notes[i].Author + ": " + notes[i].Text
		}
		if n != notes[i-1] {
			threads++
		}
		author := n.Author
		if author == "" {
			author, _ = c.p.opt.Revisor()
		}
		plain := lenient.Bool(false)
		if err := w.addComment(ctx, n.At, commentText{text: n.Text, author: author, thread: &plain}); err != nil {
			return err
		}
	}
	if threads > 0 {
		w.warn("%s with all replies in it", formats.Count(threads, "comment thread became one comment", "comment threads became one comment each"))
	}
	return nil
}

// take puts a child of worksheet in, in place of the one a new sheet has; of
// conditional formats there are many.
func (w *sheetWork) take(name, xml string) {
	xml = sheetml.WithPrefix(xml, w.prefix)
	if t, end, ok := w.child(name); ok && name != "conditionalFormatting" {
		w.edit(xmlscan.Splice{Start: t.Start, End: end, New: []byte(xml)})
		return
	}
	w.insert(name, xml)
}

// plainElement writes the element whose start tag sc stands at without
// prefixes, without what belongs to other namespaces, without references to
// parts and without the children whose formulas need more of their workbook than
// the sheet; false when no child is left for that.
func (c *sheetCopy) plainElement(doc []byte, sc *xmlscan.Scanner) (string, bool) {
	var sb bytes.Buffer
	first := sc.Token()
	pos, whole := first.Start, true // whole: of the present child
	child, kept, lost := 0, 0, 0
	for t := first; ; t = sc.Token() {
		if t.Kind == xmlscan.Start || t.Kind == xmlscan.End {
			sb.Write(doc[pos:t.Start])
			pos = t.End
		}
		if t.Kind == xmlscan.Start && t.Depth == first.Depth+1 {
			child, whole = sb.Len(), true
		}
		switch {
		case t.Kind == xmlscan.End:
			sb.WriteString("</" + t.Local + ">")
		case t.Kind != xmlscan.Start:
		case t.Space != sheetml.Namespace || t.Local == "extLst":
			pos = sc.Skip()
		case strings.HasPrefix(t.Local, "formula") && !t.Empty:
			pos = sc.Skip()
			f, ok := c.local(sheetml.CharData(doc[t.End:sheetml.EndTagStart(doc, pos)]))
			whole = whole && ok
			sb.WriteString("<" + t.Local + ">" + xmlscan.Escape(f) + "</" + t.Local + ">")
		default:
			sb.WriteString(plainTag(t))
		}
		if t.Depth == first.Depth+1 && (t.Kind == xmlscan.End || t.Kind == xmlscan.Start && t.Empty) {
			if kept++; !whole {
				sb.Truncate(child)
				kept, lost = kept-1, lost+1
			}
		}
		if t.Depth == first.Depth && (t.Kind == xmlscan.End || t.Empty) || !sc.Next() {
			break
		}
	}
	c.rules += lost
	if lost == 0 {
		return sb.String(), true
	}
	list := xmlscan.New(sb.Bytes())
	list.Next()
	return string(xmlscan.Apply(sb.Bytes(), recount(list.Token(), kept))), kept > 0
}

// plainTag writes a start tag without prefixes and without attributes that
// make sense in their own file only.
func plainTag(t xmlscan.Token) string {
	s := "<" + t.Local
	for a := range t.Attrs() {
		// tabSelected: two sheets would be edited at once.
		if !strings.Contains(a.Name, ":") && a.Name != "xmlns" && a.Name != "tabSelected" && a.Name != "codeName" {
			s += " " + a.Name + `="` + xmlscan.Escape(a.Value()) + `"`
		}
	}
	if t.Empty {
		return s + "/>"
	}
	return s + ">"
}

// formatsOf gives the rules in xml the numbers their formats have here.
func (c *sheetCopy) formatsOf(ctx context.Context, w *sheetWork, xml string) (string, error) {
	if !strings.Contains(xml, "dxfId=") {
		return xml, nil
	}
	b, err := w.f.styleBook(ctx)
	if err != nil {
		return "", err
	}
	var edits []xmlscan.Splice
	sc := xmlscan.New([]byte(xml))
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		for a := range t.Attrs() {
			if a.Name != "dxfId" {
				continue
			}
			raw := c.foreign.Book.Item("dxfs", a.Value())
			if raw == nil {
				raw = []byte("<" + c.foreign.Book.Prefix + "dxf/>")
			}
			n := b.Put("dxfs", sheetml.WithPrefix(c.foreign.Plain(raw), b.Prefix))
			edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(strconv.Itoa(n))})
		}
	}
	return string(xmlscan.Apply([]byte(xml), edits)), nil
}

// columns copies widths and formats of columns.
func (c *sheetCopy) columns(ctx context.Context, w *sheetWork, cols []sheetml.ColumnRange) error {
	if len(cols) == 0 {
		return nil
	}
	b, err := w.f.styleBook(ctx)
	if err != nil {
		return err
	}
	var out []sheetml.ColumnRange
	for _, col := range cols {
		tag := "<" + w.prefix + "col"
		for _, name := range []string{"width", "customWidth", "hidden", "bestFit", "outlineLevel", "collapsed"} {
			if v := sheetml.AttrOf(col.Tag, name); v != "" {
				tag += " " + name + `="` + xmlscan.Escape(v) + `"`
			}
		}
		if st, err := strconv.Atoi(sheetml.AttrOf(col.Tag, "style")); err == nil && st != c.skip {
			tag += ` style="` + strconv.Itoa(b.CellXf(0, c.fixed(st))) + `"`
		}
		out = append(out, sheetml.Columns(col.From, col.To, []byte(tag+"/>")))
	}
	_, start, end := sheetml.ReadColumns(w.skel)
	w.edit(colsXML(w.skel, out, start, end, w.prefix)...)
	return nil
}

// place makes a link to a place in its own sheet lead to the copy; false when
// its place is not in this workbook.
func (c *sheetCopy) place(l *hyperlink, copied string) bool {
	sheet, rng, ok := cellref.CutSheet(l.location)
	switch {
	case !ok:
		_, err := cellref.ParseRange(strings.ReplaceAll(l.location, "$", ""))
		return err == nil
	case strings.EqualFold(sheet, c.info.Name):
		l.location = formula.QuoteSheet(copied) + "!" + rng
		return true
	}
	return c.p.find(sheet) >= 0
}

// link copies a hyperlink; one to a place in its own sheet leads to the copy.
func (c *sheetCopy) link(ctx context.Context, w *sheetWork, t xmlscan.Token, rels []opc.Relationship) error {
	l := hyperlink{location: t.AttrLocal("location"), tooltip: t.AttrLocal("tooltip")}
	for _, r := range rels {
		if id := t.AttrLocal("id"); id != "" && r.ID == id && r.External {
			l.url = r.Target
		}
	}
	if l.url == "" && l.location != "" && !c.place(&l, w.sheet.name) {
		w.warn("not copied with the sheet %q: the link in %s, which leads to %s in that workbook", c.info.Name, t.AttrLocal("ref"), l.location)
		return nil
	}
	area := cellref.ParseAttr(t.AttrLocal("ref"))
	if area.Empty() || l.url == "" && l.location == "" {
		return nil
	}
	return w.link(ctx, area, l)
}
