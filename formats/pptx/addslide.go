package pptx

import (
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

// addSlideArgs are the members of add_slide.
type addSlideArgs struct {
	Layout string `json:"layout" jsonschema:"{ops}: title, title_and_content, two_content, title_only, section_header, blank, or a layout's name"`
	slideTextArgs
	positionArgs
	lookArgs
}

// addSlide makes a slide from a layout and puts it into the slide list.
func (d *deckEdit) addSlide(ctx context.Context, c *call, a addSlideArgs) error {
	at, err := a.place(len(d.slides), len(d.slides))
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
	lay, warning, err := d.findLayout(ctx, a.Layout, like)
	if err != nil {
		return err
	}
	if warning != "" {
		c.warn("%s", warning)
	}
	if c.part, err = d.createSlide(ctx, lay, near, at); err != nil {
		return err
	}
	if err := d.setTitleBody(ctx, c, a.slideTextArgs, a.lookArgs); err != nil {
		return err
	}
	c.r.Hits = 1
	c.made(at, 0)
	return nil
}

// place returns the position asked for, 0 to last, or def.
func (a positionArgs) place(def, last int) (int, error) {
	if a.Position == nil {
		return def, nil
	}
	if at := int(*a.Position); at >= 0 && at <= last {
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

// uri returns a namespace or relationship type in the form the deck uses.
func (d *deck) uri(u string) string {
	const a, b = "http://schemas.openxmlformats.org/", "/2006/"
	if !d.strict || !strings.HasPrefix(u, a) {
		return u
	}
	return "http://purl.oclc.org/ooxml/" + strings.Replace(u[len(a):], b, "/", 1)
}

// slideXML returns a slide with the placeholders of lay, and with the date,
// footer and number that the slide near shows too.
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

// footers returns the paragraphs that the date, footer and slide number of a
// new slide get, by type: those that the slide near shows, as PowerPoint does.
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
		for n := range s.body.All() {
			if n.Is(nsA, "fld") {
				field = n.Value("type")
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
