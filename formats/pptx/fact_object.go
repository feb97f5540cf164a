package pptx

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif" // the sizes of pictures
	_ "image/jpeg"
	_ "image/png"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
)

// addContent adds the item that a shape is beyond a shape: its picture, its
// chart.
func (p *page) addContent(s *placedShape, kind, text string, sum inventory.Sum) {
	p.addItem(inventory.Item{Kind: kind, Key: s.key + " what", At: s.at, Text: text, Sum: sum})
}

// picture reports a p:blipFill: the picture, how it is cut and coloured
// (20.1.8.14).
func (p *page) picture(s *placedShape, fill *node) {
	blip := fill.Child(nsA, "blip")
	text := p.blipWords(blip)
	id := blip.RelValue("embed")
	p.addContent(s, formats.FactPicture, text, inventory.SumOf([]byte(p.relMeaning(id)), []byte(p.relMeaning(blip.RelValue("link")))))
	p.addAttributes(s, formats.FactPicture, "blip", "picture:", blip, "r:embed", "r:link")
	p.addKids(s, formats.FactPicture, "blip", "picture:", blip, func(n *node) bool {
		if n.Is(nsA, "extLst") {
			p.extensions(s, "blip", n)
			return true
		}
		return false
	})
	p.addAttributes(s, formats.FactPicture, "blipFill", "picture:", fill)
	p.addKids(s, formats.FactPicture, "blipFill", "picture:", fill, func(n *node) bool {
		if n.Is(nsA, "srcRect") {
			p.addProperty(s, formats.FactPicture, "crop", cropWords(n), p.sum(nil, n))
		}
		return n == blip || n.Is(nsA, "srcRect")
	})
}

func cropWords(n *node) string {
	var out []string
	for _, e := range []struct{ attr, side string }{{"l", "left"}, {"t", "top"}, {"r", "right"}, {"b", "bottom"}} {
		if v := n.Value(e.attr); v != "" && v != "0" {
			out = append(out, inPercent(v)+" at the "+e.side)
		}
	}
	if len(out) == 0 {
		return "not cropped"
	}
	return "cropped: " + strings.Join(out, ", ")
}

// blipWords says a picture: its kind and size, or where it is linked from.
func (p *page) blipWords(blip *node) string {
	if r := p.relByID(blip.RelValue("link")); r != nil && r.External {
		return "picture linked from " + r.Target
	}
	r := p.relByID(blip.RelValue("embed"))
	if r == nil || r.External || !p.pkg.Has(r.Target) {
		return "a picture that is missing from the file"
	}
	return p.fileWords(r.Target, "picture")
}

// fileWords returns what a part is: "PNG picture of 640 × 480 pixels, 12.3
// KiB".
func (s *comparedSide) fileWords(part, what string) string {
	out := strings.ToUpper(strings.TrimPrefix(path.Ext(part), ".")) + " " + what
	if f, err := s.pkg.Stream(s.ctx, part); err == nil && what == "picture" {
		head := make([]byte, 64<<10)
		n, _ := readFull(f, head)
		_ = f.Close()
		if c, _, err := image.DecodeConfig(bytes.NewReader(head[:n])); err == nil {
			out += fmt.Sprintf(" of %d × %d pixels", c.Width, c.Height)
		}
	}
	size := s.pkg.Size(part)
	if size < 1<<10 {
		return fmt.Sprintf("%s, %d bytes", out, size)
	}
	return fmt.Sprintf("%s, %.1f KiB", out, float64(size)/(1<<10))
}

// media reports the sound or film of a shape (20.1.3).
func (p *page) media(s *placedShape, n *node) {
	what := map[string]string{"videoFile": "film", "audioFile": "sound", "wavAudioFile": "sound", "quickTimeFile": "film", "audioCd": "sound of a CD"}[n.Local]
	if what == "" {
		what = "media"
	}
	id := n.RelValue("link")
	if id == "" {
		id = n.RelValue("embed")
	}
	if r := p.relByID(id); r != nil && r.External {
		what += " linked from " + r.Target
	} else if r != nil && p.pkg.Has(r.Target) {
		what = p.fileWords(r.Target, what)
	}
	p.addContent(s, formats.FactMedia, what, p.sum(nil, n))
}

// graphic reports what a graphic frame holds (20.1.2.2.16).
func (p *page) graphic(s *placedShape, g *node) {
	data := g.Child(nsA, "graphicData")
	p.addAttributes(s, formats.FactShape, "graphic", "", g)
	p.addAttributes(s, formats.FactShape, "graphicData", "content", data)
	p.addKids(s, formats.FactShape, "graphic", "", g, func(n *node) bool { return n == data })
	if !p.oleObject(s, data) {
		p.addKids(s, formats.FactShape, "graphicData", "", data, func(n *node) bool {
			switch {
			case n == s.tbl:
				p.table(s, n)
			case n.Local == "chart":
				p.chart(s, n)
			case n.Is(nsDgm, "relIds"):
				p.diagram(s, n)
			default:
				return false
			}
			return true
		})
	}
}

// diagram reports a SmartArt graphic; its texts are items of the diff.
func (p *page) diagram(s *placedShape, n *node) {
	p.addAttributes(s, formats.FactDiagram, "relIds", "", n, "r:dm", "r:lo", "r:qs", "r:cs")
	text := "diagram"
	if r := p.relByID(n.RelValue("lo")); r != nil && p.pkg.Has(r.Target) {
		if t, err := p.d.tree(p.ctx, r.Target); err == nil {
			if title := t.Root.Child(nsDgm, "title").Value("val"); title != "" {
				text += " " + quoted(title)
			} else if id := t.Root.Value("uniqueId"); id != "" {
				text += " " + quoted(id[strings.LastIndexByte(id, '/')+1:])
			}
		}
	}
	var sums [][]byte
	for _, a := range []string{"dm", "lo", "qs", "cs"} {
		sums = append(sums, []byte(p.relMeaning(n.RelValue(a))))
	}
	p.addContent(s, formats.FactDiagram, text, inventory.SumOf(sums...))
}

// oleObject reports an embedded or linked object (19.3.2.4); false when there
// is none.
func (p *page) oleObject(s *placedShape, data *node) bool {
	var ole *node
	for n := range data.All() {
		if n.Is(nsP, "oleObj") {
			ole = n
			break
		}
	}
	if ole == nil {
		return false
	}
	text := "embedded object"
	if id := ole.Value("progId"); id != "" {
		text += " " + id
	}
	t := inventory.Item{Kind: formats.FactObject, Key: s.key + " what", At: s.at, Sum: p.sum(nil, data)}
	r := p.relByID(ole.RelValue("id"))
	switch {
	case r != nil && r.External:
		text, t.WarnAdded = strings.Replace(text, "embedded", "linked", 1)+" from "+r.Target, "an object that is linked from elsewhere: "+r.Target
	case r != nil && p.pkg.Has(r.Target):
		text += ", " + p.fileWords(r.Target, "file")
		t.WarnAdded = "new embedded object: " + r.Target
	}
	t.Text = text
	p.addItem(t)
	return true
}
