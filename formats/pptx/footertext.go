package pptx

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// setFooterText makes a footer placeholder say what is wished. A field of the kind that is
// wished stays as it is, with the words around it.
func (f *footerEdit) setFooterText(t *tree, s *shape, w footerWish, number string) []xmlscan.Splice {
	if s.body == nil {
		if s.n.Local != "sp" {
			return nil
		}
		prefix, decl := t.drawingPrefix(s.n)
		xml := reprefix(fmt.Sprintf(`<p:txBody%s><a:bodyPr/><a:lstStyle/><a:p>%s</a:p></p:txBody>`, decl, f.footerContent(w, number, "")), s.n.Prefix, prefix)
		return t.InsertLast(s.n, []byte(xml))
	}
	old, field := paragraphs(s.body), ""
	for n := range s.body.All() {
		if n.Is(nsA, "fld") {
			field = n.Value("type")
		}
	}
	switch {
	case w.field != "" && (field == w.field || w.field == "datetime1" && dateField.MatchString(field)):
		return nil
	case w.field == "" && field == "":
		return t.setLines(s.body, splitLines(w.text))
	case len(old) == 0:
		return nil
	}
	prefix := bodyPrefix(s.body)
	if w.field == "" {
		var buf bytes.Buffer
		for _, l := range splitLines(w.text) {
			t.writeParagraph(&buf, prefix, old[0], l)
		}
		return []xmlscan.Splice{{Start: old[0].Start, End: old[len(old)-1].After, New: buf.Bytes()}}
	}
	rPr := string(t.runProps(qualify(prefix, "rPr"), firstRunProps(old[0])))
	xml := "<a:p>" + string(t.paragraphProps(prefix, old[0], level(old[0]))) + f.footerContent(w, number, rPr) + "</a:p>"
	return []xmlscan.Splice{{Start: old[0].Start, End: old[len(old)-1].After, New: []byte(reprefix(xml, "p", prefix))}}
}

// drawingPrefix returns the prefix that the drawing namespace has at n, and the
// declaration that it needs there.
func (t *tree) drawingPrefix(n *node) (prefix, decl string) {
	if p, ok := n.PrefixOf(nsA); ok {
		return p, ""
	}
	return "a", ` xmlns:a="` + t.uri(nsA) + `"`
}

// footerContent returns the runs of a footer; rPr are their properties as XML, "" for none.
func (f *footerEdit) footerContent(w footerWish, number, rPr string) string {
	if w.field == "" {
		var sb strings.Builder
		for i, l := range strings.Split(w.text, "\n") {
			if i > 0 {
				sb.WriteString("<a:br>" + rPr + "</a:br>")
			}
			sb.WriteString("<a:r>" + rPr + "<a:t>" + xmlscan.Escape(l) + "</a:t></a:r>")
		}
		return sb.String()
	}
	if w.typ == "dt" {
		_, when := f.opt.Revisor()
		number = when.Format("2006-01-02")
	}
	return fmt.Sprintf(`<a:fld id="%s" type="%s">%s<a:t>%s</a:t></a:fld>`, fieldIDs[w.typ], w.field, rPr, xmlscan.Escape(number))
}

// newFooter returns a new placeholder for a page. direct reports that its layout places
// it; another one has its own frame and look, those of the master where that has it.
func (f *footerEdit) newFooter(t *tree, p footerPlace, w footerWish, number string) (xml string, direct bool) {
	like, from, direct := p.like(w.typ)
	it := item{ph: fmt.Sprintf(` type="%s" sz="quarter"`, w.typ), name: footerShapes[w.typ]}
	pPr, rPr := "", ""
	if like != nil {
		it = itemOf(like)
		rPr = languageOf(like.body)
	}
	if !direct {
		it.ph = fmt.Sprintf(` type="%s" sz="quarter" idx="%d"`, w.typ, p.freeIndex(t))
		align, size := footerSides[w.typ], "1200"
		frame := p.edgeFrame(w.typ)
		if like != nil {
			if at, ok := frameOf(like.xfrm()); ok {
				frame = at
			}
			first := like.body.Child(nsA, "lstStyle").Child(nsA, "lvl1pPr")
			if v := first.Value("algn"); v != "" {
				align = v
			}
			if v := first.Child(nsA, "defRPr").Value("sz"); v != "" {
				size = v
			}
		}
		it.frame = frame.xfrmXML("a:xfrm") + `<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`
		pPr, rPr = `<a:pPr algn="`+xmlscan.EscapeAttr(align)+`"/>`, `<a:rPr`+rPr+` sz="`+xmlscan.EscapeAttr(size)+`"/>`
	} else if rPr != "" {
		rPr = `<a:rPr` + rPr + `/>`
	}
	text := ""
	if w.field == "slidenum" && direct {
		text = numberWords(from, like, number, rPr)
	}
	if text == "" {
		text = f.footerContent(w, number, rPr)
	}
	return t.withBoundPrefixes(placeholderXML("p", "a", "", t.nextShape(), it, "<a:p>"+pPr+text+"</a:p>")), direct
}

var (
	footerShapes = map[string]string{"hdr": "Header Placeholder", "dt": "Date Placeholder", "ftr": "Footer Placeholder", "sldNum": "Slide Number Placeholder"}
	footerSides  = map[string]string{"hdr": "l", "dt": "l", "ftr": "ctr", "sldNum": "r"}
)

// languageOf returns the language of a text as an attribute, "" when it says none.
func languageOf(body *node) string {
	for n := range body.All() {
		if v := n.Value("lang"); n.Is(nsA, "rPr") && v != "" {
			return ` lang="` + xmlscan.EscapeAttr(v) + `"`
		}
	}
	return ""
}

// numberWords returns the content of the slide number of a layout with the words around
// it, such as "Page 3"; "" when the layout has no field.
func numberWords(t *tree, like *shape, number, rPr string) string {
	var sb strings.Builder
	found := false
	for _, p := range paragraphs(like.body) {
		for k := range content(p, shown) {
			text := xmlscan.Escape(t.Text(k.Child(nsA, "t")))
			switch {
			case k.Is(nsA, "fld") && k.Value("type") == "slidenum":
				found = true
				fmt.Fprintf(&sb, `<a:fld id="%s" type="slidenum">%s<a:t>%s</a:t></a:fld>`, fieldIDs["sldNum"], rPr, xmlscan.Escape(number))
			case k.Is(nsA, "r") && len(text) < maxFooter:
				sb.WriteString("<a:r>" + rPr + "<a:t>" + text + "</a:t></a:r>")
			}
		}
		if found {
			return sb.String()
		}
		sb.Reset()
	}
	return ""
}

// freeIndex returns an idx that neither the page nor its layout uses: a placeholder with
// one of the layout's would look like that one.
func (p footerPlace) freeIndex(t *tree) int {
	used := map[int]bool{}
	for s := range flat(shapes(t.spTree(), every)) {
		used[s.phIndex()] = true
	}
	if p.layout != nil {
		for _, s := range p.layout.items {
			used[s.phIndex()] = true
		}
	}
	idx := 10
	for used[idx] {
		idx++
	}
	return idx
}

// edgeFrame is where a footer goes that no master places: the bottom of the page, headers
// and dates of notes the top.
func (p footerPlace) edgeFrame(typ string) frame {
	w, h := float64(p.width), float64(p.height)
	if p.master == nil && p.layout != nil && p.layout.notes() {
		at := map[string]frame{"hdr": {0, 0, w * 0.43, h * 0.05}, "dt": {w * 0.57, 0, w * 0.43, h * 0.05}, "ftr": {0, h * 0.95, w * 0.43, h * 0.05}, "sldNum": {w * 0.57, h * 0.95, w * 0.43, h * 0.05}}
		return at[typ]
	}
	at := map[string]frame{"dt": {w * 0.06, h * 0.927, w * 0.24, h * 0.053}, "ftr": {w * 0.33, h * 0.927, w * 0.34, h * 0.053}, "sldNum": {w * 0.7, h * 0.927, w * 0.24, h * 0.053}}
	return at[typ]
}

// notes reports whether the page is a notes master or handout master.
func (l *layout) notes() bool {
	return l.tree.Root.Local == "notesMaster" || l.tree.Root.Local == "handoutMaster"
}

// notesUnder sets the footers of notes pages, and if all is true those of the notes master
// and the handout master too.
func (f *footerEdit) notesUnder(ctx context.Context, master string, list []int, all bool) error {
	t, err := f.tree(ctx, f.main)
	if err != nil {
		return err
	}
	size := t.Root.Child(nsP, "notesSz")
	p := footerPlace{width: intOr(size.Value("cx"), 6858000), height: intOr(size.Value("cy"), 9144000)}
	f.first = intOr(t.Root.Value("firstSlideNum"), 1)
	masters := []string{master}
	handouts, err := f.related(ctx, f.main, relHandoutMaster)
	if err != nil {
		return err
	}
	for _, h := range handouts {
		masters = append(masters, h.Target)
	}
	for _, m := range masters {
		if !all {
			break
		}
		delete(f.deck.layouts, m)
		if p.layout, err = f.loadLayout(ctx, m); err != nil {
			return err
		}
		var on []footerWish // a master keeps its places
		for _, w := range f.wishes {
			if !w.off {
				on = append(on, w)
			}
		}
		if err := f.page(ctx, m, p, on, "‹#›", "the master"); err != nil {
			return err
		}
		if err := f.masterPage(ctx, m, f.wishes); err != nil {
			return err
		}
	}
	f.made = nil
	if p.layout, err = f.loadLayout(ctx, master); err != nil {
		return err
	}
	without := 0
	for _, i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		notes, err := f.related(ctx, f.deck.slides[i].part, relNotes)
		if err != nil {
			return err
		}
		if len(notes) == 0 {
			without++
			continue
		}
		if err := f.page(ctx, notes[0].Target, p, f.wishes, strconv.Itoa(f.first+i), fmt.Sprintf("slide %d", i)); err != nil {
			return err
		}
	}
	if without > 0 {
		f.c.note("%s without a notes page; pages that are made later take it from the notes master", formats.Count(without, "slide"))
	}
	if all && len(handouts) == 0 {
		f.c.note("the presentation has no handout master; handouts stay as PowerPoint makes them")
	}
	f.told()
	return nil
}

// footersShown says which of the placeholders that repeat new slides show (19.3.1.25).
func footersShown(hf *node) string {
	var on []string
	for _, typ := range []string{"hdr", "dt", "ftr", "sldNum"} {
		if !isFalse(hf.Value(typ)) {
			on = append(on, footerNames[typ])
		}
	}
	if len(on) == 0 {
		return "new slides show no number, footer or date"
	}
	return "new slides show: " + strings.Join(on, ", ")
}
