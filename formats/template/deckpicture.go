package template

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	stdpath "path"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/pptx"
)

// deckPictures puts pictures in place of the shapes of slides whose whole text is a
// placeholder such as {{photo|image}}.
type deckPictures struct {
	*filler
	src   formats.Source    // the deck, for the places that shapes take from their layout
	media map[string]string // parts by path
}

// slide replaces the shapes of a slide (19.3.1.43) by pictures (19.3.1.37), in the middle
// of their places and as large as fits, or in the size that the placeholder gives. Shapes
// in groups stay.
func (d *deckPictures) slide(ctx context.Context, ed *opc.Edit, part string, index int, s *scope) error {
	doc, err := ed.ReadXML(ctx, part)
	if err != nil || !bytes.Contains(doc, []byte("image")) {
		return err
	}
	t, err := tree.Parse(ctx, doc, nil)
	if err != nil {
		return err
	}
	e := &expander{filler: d.filler, ctx: ctx, t: t, ns: nsDrawing, name: part}
	place := func() string { return fmt.Sprintf("slide %d", index+1) }
	var edits []xmlscan.Splice
	var at map[int][]float64
	ids := map[string]string{}
	for sp := range t.Root.Down(nsSlides, "cSld", "spTree").Kids() {
		if !sp.Is(nsSlides, "sp") {
			continue
		}
		text := strings.TrimSpace(e.textIn(sp))
		list := e.tokens(text)
		if len(list) != 1 || list[0].raw != text || !isPicture(list[0].filters) {
			continue
		}
		v, ok := s.find(list[0].name)
		path, ok := d.pathOf(v, ok || s.absent(list[0].name))
		if !ok || path == "" {
			continue // the filling of the text says so
		}
		p, err := pictureOf(list[0].filters)
		if err != nil {
			return err
		}
		f, err := d.open(ctx, path, place)
		if err != nil {
			return err
		}
		if at == nil {
			if at, err = d.places(ctx, index); err != nil {
				return err
			}
		}
		id, err := d.related(ctx, ed, part, path, f, ids)
		if err != nil {
			return err
		}
		pr := sp.Child(nsSlides, "nvSpPr").Child(nsSlides, "cNvPr")
		var n int
		fmt.Sscan(pr.Value("id"), &n) // 0 where it is no number, as in the map
		xfrm := frameOf(at[n], f, p)
		edits = append(edits, xmlscan.Splice{Start: sp.Start, End: sp.After, New: slidePicture(pr, xfrm, stdpath.Base(path), id, bytes.Contains(doc[:min(len(doc), 4096)], []byte("purl.oclc.org/ooxml")))})
		d.tally.fill(list[0].name, path)
	}
	if len(edits) > 0 {
		ed.Set(part, xmlscan.Apply(doc, edits))
	}
	return nil
}

// places returns the places of the shapes of a slide by id, in inches.
func (d *deckPictures) places(ctx context.Context, index int) (map[int][]float64, error) {
	got, err := pptx.Format().Mapper.Map(ctx, d.src, formats.MapOptions{SlideIndex: &index})
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(got)
	if err != nil {
		return nil, err
	}
	var m struct {
		Slides []struct {
			Shapes []struct {
				ID       int
				Position []float64
			}
		}
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	out := map[int][]float64{}
	for _, s := range m.Slides {
		for _, sh := range s.Shapes {
			out[sh.ID] = sh.Position
		}
	}
	return out, nil
}

// related returns the id of the relationship of a slide to a picture, whose part is made
// once for the deck.
func (d *deckPictures) related(ctx context.Context, ed *opc.Edit, part, path string, f *file, ids map[string]string) (id string, err error) {
	if id = ids[path]; id != "" {
		return id, nil
	}
	if name := d.media[path]; name != "" {
		id, err = ed.AddRel(ctx, part, opc.Relationship{Type: opc.RelPrefix + "image", Target: name})
	} else {
		d.media[path], id, err = ed.AddPart(ctx, part, "ppt/media/image%d."+f.Ext, opc.RelPrefix+"image", f.MIME, f.bytes)
	}
	ids[path] = id
	return id, err
}

// frameOf returns x, y, width and height of a picture, in EMU.
func frameOf(place []float64, f *file, p picture) (out [4]int64) {
	if len(place) != 4 { // a shape without a place
		place = []float64{1, 1, 3, 3}
	}
	x, y, w, h := int64(place[0]*emuPerInch), int64(place[1]*emuPerInch), int64(place[2]*emuPerInch), int64(place[3]*emuPerInch)
	cx, cy := f.Fit(p.width, p.height, 0)
	if p.width == 0 && p.height == 0 && w > 0 && h > 0 {
		if cx, cy = f.Fit(w, 0, 0); cy > h {
			cx, cy = f.Fit(0, h, 0)
		}
	}
	return [4]int64{x + (w-cx)/2, y + (h-cy)/2, cx, cy}
}

// slidePicture is the picture that takes the place of a shape with the properties pr.
func slidePicture(pr *tree.Node, at [4]int64, alt, id string, strict bool) []byte {
	ns := func(s string) string {
		if strict {
			return xmlscan.Strict(s)
		}
		return s
	}
	return fmt.Appendf(nil, `<p:pic xmlns:p="%s" xmlns:a="%s" xmlns:r="%s"><p:nvPicPr><p:cNvPr id="%s" name="%s" descr="%s"/><p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
		ns(nsSlides), ns(nsDrawing), ns("http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
		xmlscan.EscapeAttr(pr.Value("id")), xmlscan.EscapeAttr(pr.Value("name")), xmlscan.EscapeAttr(alt), id, at[0], at[1], at[2], at[3])
}
