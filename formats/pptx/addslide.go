package pptx

import (
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/opc"
	"atelier/formats/xmlscan"
)

// addSlide makes a slide from a layout and puts it into the slide list.
func (d *deckEdit) addSlide(ctx context.Context, c *call) error {
	at, err := c.position(len(d.slides), len(d.slides))
	if err != nil {
		return err
	}
	var near string // the slide before the new one
	if len(d.slides) > 0 {
		near = d.slides[max(0, at-1)].part
	}
	var like *layout
	if near != "" {
		if like, err = d.layoutOf(ctx, near); err != nil {
			return err
		}
	}
	lay, warning, err := d.findLayout(ctx, c.Layout, like)
	if err != nil {
		return err
	}
	if warning != "" {
		c.warn("%s", warning)
	}
	if c.part, err = d.createSlide(ctx, lay, near, at); err != nil {
		return err
	}
	if err := d.setTitleBody(ctx, c); err != nil {
		return err
	}
	c.r.Hits = 1
	c.made(at, 0)
	return nil
}

// position is the place an operation asks for, 0 to last, or def.
func (c *call) position(def, last int) (int, error) {
	if c.Position == nil {
		return def, nil
	}
	if at := int(*c.Position); at >= 0 && at <= last {
		return at, nil
	}
	return 0, formats.Errorf(formats.CodeInvalid, "invalid slide index")
}

// createSlide writes the part of a new slide with all that leads to it.
func (d *deckEdit) createSlide(ctx context.Context, lay *layout, near string, at int) (string, error) {
	dir := path.Join(path.Dir(d.main), "slides")
	if near != "" {
		dir = path.Dir(near)
	}
	part := ""
	for n := len(d.slides) + 1; part == "" || d.Has(part); n++ {
		part = fmt.Sprintf("%s/slide%d.xml", dir, n)
	}
	doc, err := d.slideXML(ctx, lay, near)
	if err != nil {
		return "", err
	}
	d.edit.Set(part, doc)
	if err := d.edit.AddContentType(ctx, part, slideType); err != nil {
		return "", err
	}
	if _, err := d.edit.AddRel(ctx, part, opc.Relationship{Type: d.uri(relLayout), Target: lay.part}); err != nil {
		return "", err
	}
	relID, err := d.edit.AddRel(ctx, d.main, opc.Relationship{Type: d.uri(relSlide), Target: part})
	if err != nil {
		return "", err
	}
	return part, d.listSlide(ctx, relID, at)
}

// uri is a namespace or relationship type in the form the deck uses.
func (d *deck) uri(u string) string {
	const a, b = "http://schemas.openxmlformats.org/", "/2006/"
	if !d.strict || !strings.HasPrefix(u, a) {
		return u
	}
	return "http://purl.oclc.org/ooxml/" + strings.Replace(u[len(a):], b, "/", 1)
}

// slideXML is a slide with the placeholders of lay, and with the date, footer
// and number that the slide near shows too.
func (d *deckEdit) slideXML(ctx context.Context, lay *layout, near string) ([]byte, error) {
	footers, err := d.footers(ctx, near)
	if err != nil {
		return nil, err
	}
	var sb strings.Builder
	fmt.Fprintf(&sb, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<p:sld xmlns:a="%s" xmlns:r="%s" xmlns:p="%s"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`,
		d.uri(nsA), d.uri(nsR), d.uri(nsP))
	id := 1
	for _, s := range lay.items {
		text := `<a:p/>`
		if isFooterType(s.phType()) {
			if text = footers[s.phType()]; text == "" {
				continue
			}
		}
		id++
		sb.WriteString(placeholderXML("p", "a", "", id, itemOf(s), text))
	}
	sb.WriteString(`</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`)
	return []byte(sb.String()), nil
}

// footers are the paragraphs that the date, footer and slide number of a new
// slide get, by type: those that the slide near shows, as PowerPoint does.
func (d *deckEdit) footers(ctx context.Context, near string) (map[string]string, error) {
	out := map[string]string{}
	if near == "" {
		return out, nil
	}
	t, err := d.tree(ctx, near)
	if err != nil {
		return nil, err
	}
	for s := range flat(shapes(t.spTree(), shown)) {
		typ := s.phType()
		if !isFooterType(typ) || s.body == nil {
			continue
		}
		text := xmlscan.Escape(t.oneLine(s.body))
		field := ""
		for n := range s.body.all() {
			if n.Is(nsA, "fld") {
				field = n.attr("type")
			}
		}
		switch {
		case text == "":
		case field == "":
			out[typ] = `<a:p><a:r><a:t>` + text + `</a:t></a:r></a:p>`
		default:
			out[typ] = fmt.Sprintf(`<a:p><a:fld id="%s" type="%s"><a:t>%s</a:t></a:fld></a:p>`, fieldIDs[typ], xmlscan.Escape(field), text)
		}
	}
	return out, nil
}

// fieldIDs name the kind of a field (21.1.2.2.4); any GUID will do.
var fieldIDs = map[string]string{
	"dt":     "{5B1C3D0E-7A43-4F0C-9E61-0C2B8E4D1A01}",
	"ftr":    "{5B1C3D0E-7A43-4F0C-9E61-0C2B8E4D1A02}",
	"sldNum": "{5B1C3D0E-7A43-4F0C-9E61-0C2B8E4D1A03}",
}

// item is what a new placeholder shape is made from.
type item struct {
	ph    string // attributes of p:ph
	name  string
	frame string // a:xfrm and geometry; "" leaves them to the layout
}

// itemOf is a placeholder that stands in the layout's placeholder s.
func itemOf(s *shape) item {
	it := item{name: strings.TrimRight(s.name(), "0123456789 ")}
	for _, name := range []string{"type", "orient", "sz", "idx"} {
		if v := s.ph.attr(name); v != "" {
			it.ph += fmt.Sprintf(` %s="%s"`, name, xmlscan.Escape(v))
		}
	}
	if it.name == "" {
		it.name = "Placeholder"
	}
	return it
}

// placeholderXML is a new shape; p and a are the prefixes to use, decl declares
// what is not bound around it.
func placeholderXML(p, a, decl string, id int, it item, text string) string {
	return reprefix(fmt.Sprintf(`<p:sp%s><p:nvSpPr><p:cNvPr id="%d" name="%s %d"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph%s/></p:nvPr></p:nvSpPr><p:spPr>%s</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>%s</p:txBody></p:sp>`,
		decl, id, xmlscan.Escape(it.name), id-1, it.ph, it.frame, text), p, a)
}

// reprefix gives elements written with p: and a: other prefixes.
func reprefix(x, p, a string) string {
	if p == "p" && a == "a" {
		return x
	}
	colon := func(s string) string {
		if s == "" {
			return ""
		}
		return s + ":"
	}
	return strings.NewReplacer("<p:", "<"+colon(p), "</p:", "</"+colon(p), "<a:", "<"+colon(a), "</a:", "</"+colon(a)).Replace(x)
}

// replaceAttrPrefix gives the attribute r:embed another prefix. No text can be
// mistaken for it: quotes in texts are escaped.
func replaceAttrPrefix(x, r string) string {
	return strings.ReplaceAll(x, ` r:embed="`, " "+r+`:embed="`)
}

// addPlaceholder gives a slide the title or body placeholder that it lacks:
// that of its layout when there is an unused one, which then also places it;
// else one with a frame of its own.
func (d *deckEdit) addPlaceholder(ctx context.Context, t *tree, is func(string) bool, r *formats.OpReport) error {
	lay, err := d.layoutOf(ctx, t.part)
	if err != nil {
		return err
	}
	tree := t.spTree()
	if tree == nil {
		return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: it has no shape tree", t.part)
	}
	used, id := map[int]bool{}, 1
	for s := range flat(shapes(tree, every)) {
		if s.ph != nil && !isTitleType(s.phType()) {
			used[s.phIndex()] = true
		}
	}
	for n := range tree.all() {
		if n.Local == "cNvPr" {
			id = max(id, number(n.attr("id"), 0))
		}
	}
	title := is("title")
	var it item
	if like := unused(lay, is, title, used); like != nil {
		it = itemOf(like)
	} else {
		it = d.ownFrame(title, used, lay)
		if !title {
			r.Warnings = append(r.Warnings, "the slide's layout has no free place for body text; a text box was added")
		}
	}
	decl, a := "", "a"
	if prefix, ok := tree.prefixOf(nsA); ok {
		a = prefix
	} else {
		decl = ` xmlns:a="` + d.uri(nsA) + `"`
	}
	x, at := placeholderXML(tree.Prefix, a, decl, id+1, it, `<a:p/>`), insertAt(tree, title)
	d.edit.Set(t.part, xmlscan.Apply(t.doc, []xmlscan.Splice{{Start: at, End: at, New: []byte(x)}}))
	return nil
}

// insertAt is where a new shape goes: a title behind all others would be drawn
// over them and read last, so it goes first; a body goes last.
func insertAt(tree *node, title bool) int {
	at := tree.close
	if ext := tree.child(nsP, "extLst"); ext != nil {
		at = ext.Start
	}
	if first := tree.child(nsP, "grpSpPr"); title && first != nil {
		at = first.end
	}
	return at
}

func unused(lay *layout, is func(string) bool, title bool, used map[int]bool) *shape {
	if lay == nil {
		return nil
	}
	var free []*shape
	for _, s := range lay.items {
		if title || !used[s.phIndex()] {
			free = append(free, s)
		}
	}
	return lowest(free, is)
}

// ownFrame is a placeholder that no layout places. Its idx must not be one of
// the layout's, or it would look like that one.
func (d *deck) ownFrame(title bool, used map[int]bool, lay *layout) item {
	frame := func(top, height int) string {
		return fmt.Sprintf(`<a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, d.width/20, top, d.width*9/10, height)
	}
	if title {
		return item{ph: ` type="title"`, name: "Title", frame: frame(d.height/20, d.height*3/20)}
	}
	if lay != nil {
		for _, s := range lay.items {
			used[s.phIndex()] = true
		}
	}
	idx := 10
	for used[idx] {
		idx++
	}
	return item{ph: fmt.Sprintf(` type="body" idx="%d"`, idx), name: "Text Placeholder", frame: frame(d.height/4, d.height*13/20)}
}

// listSlide enters a slide into the presentation's slide list and sections.
func (d *deckEdit) listSlide(ctx context.Context, relID string, at int) error {
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	id := d.newSlideID(t)
	splices := []xmlscan.Splice{d.sldIDSplice(t, relID, id, at)}
	if s := d.sectionSplice(t, id, at); s != nil {
		splices = append(splices, *s)
	}
	d.edit.Set(d.main, xmlscan.Apply(t.doc, splices))
	return d.reload(ctx)
}

// newSlideID is an unused p:sldId/@id: 256 to 2^31-1 (19.7.13).
func (d *deck) newSlideID(t *tree) int {
	used, id := map[int]bool{}, 255
	for s := range t.root.child(nsP, "sldIdLst").kids() {
		n := number(s.attr("id"), 0)
		used[n] = true
		id = max(id, n)
	}
	if id++; id >= 1<<31 {
		for id = 256; used[id]; {
			id++
		}
	}
	return id
}

// sldIDSplice inserts the p:sldId at position at, making the list if there is
// none: it follows the lists of masters (19.2.1.26).
func (d *deck) sldIDSplice(t *tree, relID string, id, at int) xmlscan.Splice {
	list := t.root.child(nsP, "sldIdLst")
	host := list
	if host == nil {
		host = t.root
	}
	attr, decl := "r", ""
	if p, ok := host.prefixOf(nsR); ok {
		attr = p
	} else {
		decl = ` xmlns:r="` + d.uri(nsR) + `"`
	}
	p := t.root.Prefix
	elem := fmt.Sprintf(`<%s%s id="%d" %s:id="%s"/>`, qualify(p, "sldId"), decl, id, attr, xmlscan.Escape(relID))
	if list == nil {
		pos := t.root.End
		for k := range t.root.kids() {
			if k.Is(nsP, "sldMasterIdLst") || k.Is(nsP, "notesMasterIdLst") || k.Is(nsP, "handoutMasterIdLst") {
				pos = k.end
			}
		}
		name := qualify(p, "sldIdLst")
		return xmlscan.Splice{Start: pos, End: pos, New: []byte("<" + name + ">" + elem + "</" + name + ">")}
	}
	for s := range list.kids() {
		if at < len(d.slides) && s.attr("id") == d.slides[at].id {
			return xmlscan.Splice{Start: s.Start, End: s.Start, New: []byte(elem)}
		}
	}
	return t.insertLast(list, []byte(elem))[0]
}

// sectionSplice puts the slide into the section of the one before it
// ([MS-PPTX] 2.3.24): PowerPoint wants every slide in one. nil when the deck
// has no sections.
func (d *deck) sectionSplice(t *tree, id, at int) *xmlscan.Splice {
	before, after := "", ""
	if at > 0 {
		before = d.slides[at-1].id
	} else if len(d.slides) > 0 {
		after = d.slides[0].id
	}
	var last *node
	for n := range t.root.child(nsP, "extLst").all() {
		if n.Space != nsP14 {
			continue
		}
		elem := fmt.Appendf(nil, `<%s id="%d"/>`, qualify(n.Prefix, "sldId"), id)
		switch {
		case n.Local == "sldId" && before != "" && n.attr("id") == before:
			return &xmlscan.Splice{Start: n.end, End: n.end, New: elem}
		case n.Local == "sldId" && after != "" && n.attr("id") == after:
			return &xmlscan.Splice{Start: n.Start, End: n.Start, New: elem}
		case n.Local == "sldIdLst":
			last = n
		}
	}
	if last == nil {
		return nil
	}
	return &t.insertLast(last, fmt.Appendf(nil, `<%s id="%d"/>`, qualify(last.Prefix, "sldId"), id))[0]
}
