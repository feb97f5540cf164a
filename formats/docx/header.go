package docx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

// edgeArgs are the members of set_header and set_footer.
type edgeArgs struct {
	contentArgs
	Type string `json:"type" jsonschema:"{ops}: default, first or even"`
	At   string `json:"at" usage:"at? (h0, or p3: its section; {page} and {pages} become fields)"`
	Layout
	Font
	trackingArgs
}

func (e *editing) setHeader(ctx context.Context, op edgeArgs) (formats.OpReport, error) {
	return e.setEdge(ctx, op, "header")
}

func (e *editing) setFooter(ctx context.Context, op edgeArgs) (formats.OpReport, error) {
	return e.setEdge(ctx, op, "footer")
}

// setEdge writes a header or footer. Without one of that type, a new one holds
// for all sections, as those that name none inherit it (17.10.1).
func (e *editing) setEdge(ctx context.Context, op edgeArgs, word string) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	specs, err := op.specs(op.Layout, op.Font)
	if err != nil {
		return rep, err
	}
	kind := strings.ToLower(op.Type)
	if kind == "" {
		kind = "default"
	}
	if kind != "default" && kind != "first" && kind != "even" {
		return rep, formats.Errorf(formats.CodeInvalid, "type %q is not one of default, first, even", op.Type)
	}
	name, section, err := e.edgeNamed(ctx, op.At, word, kind)
	if err != nil {
		return rep, err
	}
	if name == "" {
		if name, err = e.newEdge(ctx, word, kind, section); err != nil {
			return rep, err
		}
		rep.Made = word[:1]
		if e.rev != nil {
			rep.Warnings = append(rep.Warnings, "the text of the new "+word+" is a tracked change, that there is a "+word+" is not; rejecting leaves it there without text")
		}
	}
	parts, err := e.textParts(ctx)
	if err != nil {
		return rep, err
	}
	n := -1
	for _, tp := range parts {
		if tp.word == word {
			n++
		}
		if tp.name == name {
			if rep.Made != "" {
				rep.Made = storyPrefix(tp, n, "")
			}
			return rep, e.writeEdge(ctx, tp, specs, word, &rep)
		}
	}
	return rep, formats.Errorf(formats.CodeCorrupt, "the part %s is not there", name)
}

// edgeNamed returns the part of the header or footer at an address, without one
// that of a type; "" when there is none. An address in the body is that of a
// section, whose own header or footer it is; section is its index.
func (e *editing) edgeNamed(ctx context.Context, at, word, kind string) (name string, section int, err error) {
	if at == "" {
		name, err = e.edgePart(ctx, word, kind)
		return name, 0, err
	}
	pl, err := e.resolve(ctx, at)
	if err != nil {
		return "", 0, err
	}
	if pl.name == e.main {
		return e.edgeOfSection(ctx, at, word+" "+kind)
	}
	if pl.word != word {
		return "", 0, formats.Errorf(formats.CodeInvalid, "%s is not a %s; addresses of those look like %s0.p0", at, word, word[:1])
	}
	return pl.name, 0, nil
}

// edgeOfSection returns the header or footer that only the section at an address
// has, "" when it has none of its own. The section after it, which would inherit
// a new one, then names the one that it has.
func (e *editing) edgeOfSection(ctx context.Context, at, key string) (name string, section int, err error) {
	_, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return "", 0, err
	}
	if section, err = e.sectionAt(ctx, at, secs); err != nil || section == len(secs) {
		return "", section, err
	}
	shared := 0
	name = secs[section].refs[key]
	for i, s := range secs {
		if s.refs[key] == name {
			shared++
		}
		if i == section+1 && s.refs[key] == "" {
			shared++ // it inherits
		}
	}
	if name == "" || shared > 1 {
		return "", section, nil
	}
	return name, section, nil
}

func (e *editing) writeEdge(ctx context.Context, tp textPart, specs []Paragraph, word string, rep *formats.OpReport) error {
	p, err := e.load(ctx, tp)
	if err != nil {
		return err
	}
	if len(p.stories) == 0 {
		return formats.Errorf(formats.CodeCorrupt, "%s holds no %s", tp.name, word)
	}
	story := p.stories[0]
	pPr, rPr := "", ""
	if ps := story.kidsOf(paraNode); len(ps) > 0 {
		pPr, rPr = e.lookOf(place{p, ps[0]})
	}
	if pPr == "" {
		if id, ok := e.styles.find(word); ok {
			pr := paraProps("", p.prefix)
			setVal(pr, "pStyle", id)
			pPr = pr.Optional()
		}
	}
	form := simpleFields
	if e.rev != nil {
		form = complexFields
	}
	for i := range specs {
		specs[i].fields = form
	}
	if e.rev != nil {
		return e.trackEdge(p, story, specs, pPr, rPr, rep)
	}
	content, err := e.write(p.prefix, specs, pPr, rPr, rep)
	if err != nil {
		return err
	}
	if lost := describeContents(p.doc[story.inner:story.innerEnd]); lost != "" {
		rep.Warnings = append(rep.Warnings, "the replaced "+word+" also had "+lost+", which are gone")
	}
	e.put(p, story, story.inner, story.innerEnd, content)
	return nil
}

// section is the properties of one section with where they stand.
type sectionProps struct {
	span
	empty bool
	refs  map[string]string // "header default" → part
}

// sectionsOf lists the section properties of the body in document order.
func (d *document) sectionsOf(ctx context.Context) (*part, []sectionProps, error) {
	p, err := d.body(ctx)
	if err != nil {
		return nil, nil, err
	}
	rels, err := d.ed.Rels(ctx, d.main)
	if err != nil {
		return nil, nil, err
	}
	target := map[string]string{}
	for _, r := range rels {
		target[r.ID] = r.Target
	}
	var out []sectionProps
	sc := xmlscan.New(p.doc)
	depth, change := 0, 0
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Is(nsW, "sectPrChange") && !t.Empty:
			change = t.Depth
		case t.Kind == xmlscan.End && t.Depth == change && t.Local == "sectPrChange":
			change = 0
		case change > 0:
		case t.Kind == xmlscan.Start && t.Is(nsW, "sectPr"):
			out = append(out, sectionProps{span: span{t.Start, t.End}, empty: t.Empty, refs: map[string]string{}})
			depth = t.Depth
		case t.Kind == xmlscan.End && t.Is(nsW, "sectPr") && t.Depth == depth:
			out[len(out)-1].end = t.End
		case t.Kind == xmlscan.Start && t.Depth == depth+1 && len(out) > 0 && (t.Local == "headerReference" || t.Local == "footerReference"):
			kind := t.AttrLocal("type")
			if kind == "" {
				kind = "default"
			}
			out[len(out)-1].refs[strings.TrimSuffix(t.Local, "Reference")+" "+kind] = target[t.AttrLocal("id")]
		}
	}
	return p, out, nil
}

// edgePart returns the one header or footer part of a type; "" when there is
// none.
func (e *editing) edgePart(ctx context.Context, word, kind string) (string, error) {
	_, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return "", err
	}
	found := ""
	for _, s := range secs {
		name := s.refs[word+" "+kind]
		if name != "" && found != "" && name != found {
			return "", formats.Errorf(formats.CodeInvalid, "the sections of the document have different %ss; say which with at, such as %s0 or %s1", word, word[:1], word[:1])
		}
		if name != "" {
			found = name
		}
	}
	return found, nil
}

// newEdge makes an empty header or footer and refers to it from a section. Where
// the section after it inherited one, that one stays there.
func (e *editing) newEdge(ctx context.Context, word, kind string, section int) (string, error) {
	root := map[string]string{"header": "hdr", "footer": "ftr"}[word]
	content := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<w:` + root + ` xmlns:w="` + nsW + `" xmlns:r="` + nsR + `"><w:p/></w:` + root + `>`
	name, id, err := e.addRelated(ctx, "word/"+word+"%d.xml", word, typePrefix+word+"+xml", content)
	if err != nil {
		return "", err
	}
	p, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return "", err
	}
	w := p.prefix
	ref := "<" + w + word + "Reference " + w + `type="` + kind + `" r:id="` + id + `"` + e.namespaceDecl("r", nsR) + "/>"
	if section >= len(secs) {
		end := bodyEnd(p)
		e.put(p, p.stories[0], end, end, "<"+w+"sectPr>"+ref+titlePage(w, kind)+"</"+w+"sectPr>")
		return name, e.evenAndOdd(ctx, kind)
	}
	is := func(c element.Child) bool {
		of := attrText(c.XML, "type")
		return c.Local == word+"Reference" && (of == kind || of == "" && kind == "default")
	}
	pr := sectProps(p.raw(secs[section].span), w)
	inherited := e.inheritedEdge(p, secs[:section+1], is)
	pr.Children = slices.DeleteFunc(pr.Children, is)
	pr.Prepend(word+"Reference", ref)
	if kind == "first" {
		setFlag(pr, "titlePg", true)
	}
	splices := []xmlscan.Splice{{Start: secs[section].start, End: secs[section].end, New: []byte(pr.Optional())}}
	if section+1 < len(secs) && section > 0 && inherited != "" {
		next := secs[section+1]
		if pr := sectProps(p.raw(next.span), w); !slices.ContainsFunc(pr.Children, is) {
			pr.Prepend(word+"Reference", inherited)
			splices = append(splices, xmlscan.Splice{Start: next.start, End: next.end, New: []byte(pr.Optional())})
		}
	}
	e.splice(p, splices...)
	return name, e.evenAndOdd(ctx, kind)
}

// inheritedEdge returns the reference that the last of some sections shows, its
// own or that of one before.
func (e *editing) inheritedEdge(p *part, secs []sectionProps, is func(element.Child) bool) string {
	for _, s := range slices.Backward(secs) {
		pr := sectProps(p.raw(s.span), p.prefix)
		if i := slices.IndexFunc(pr.Children, is); i >= 0 {
			return pr.Children[i].XML
		}
	}
	return ""
}

func titlePage(w, kind string) string {
	if kind == "first" {
		return "<" + w + "titlePg/>"
	}
	return ""
}

// evenAndOdd switches different even pages on in the settings (17.10.1), where
// a header for even pages needs it.
func (e *editing) evenAndOdd(ctx context.Context, kind string) error {
	if kind != "even" {
		return nil
	}
	name, doc, err := e.related(ctx, "settings")
	if err != nil || name == "" {
		return err
	}
	w := ""
	sc := xmlscan.New(doc)
	for sc.Next() {
		switch t := sc.Token(); {
		case t.Kind == xmlscan.Start && t.Depth == 1:
			w = colon(t.Prefix)
		case t.Kind == xmlscan.Start && t.Is(nsW, "evenAndOddHeaders"):
			return nil
		}
	}
	if edit, ok := element.Insert(doc, settingsSchema, "evenAndOddHeaders", "<"+w+"evenAndOddHeaders/>"); ok && sc.Err() == nil {
		e.set(name, xmlscan.Apply(doc, []xmlscan.Splice{edit}))
	}
	return sc.Err()
}
