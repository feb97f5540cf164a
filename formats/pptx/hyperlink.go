package pptx

import (
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

const relHyperlink = nsR + "/hyperlink"

// tree is deck.tree with links: what is written into the tree can lead to
// addresses.
func (d *deckEdit) tree(ctx context.Context, part string) (*tree, error) {
	t, err := d.deck.tree(ctx, part)
	if err == nil {
		t.link = func(url string) string {
			id, err := d.linkID(ctx, part, url)
			if err != nil && d.failed == nil {
				d.failed = err
			}
			return id
		}
		d.noteOf(ctx, t)
	}
	return t, err
}

// linkID returns the relationship of a part to an address, made when there is
// none.
func (d *deckEdit) linkID(ctx context.Context, part, url string) (string, error) {
	rels, err := d.edit.Rels(ctx, part)
	if err != nil {
		return "", err
	}
	for _, r := range rels {
		if r.Type == relHyperlink && r.External && r.Target == url {
			return r.ID, nil
		}
	}
	return d.edit.AddRel(ctx, part, opc.Relationship{Type: relHyperlink, Target: url, External: true})
}

// withLink puts a link to an address into run properties (21.1.2.3.5).
func (t *tree) withLink(rPr []byte, name, url string) []byte {
	e := runProps(rPr, name)
	putChild(e, "hlinkClick", t.hlinkClick(url))
	return []byte(e.Optional())
}

func (t *tree) hlinkClick(url string) string {
	return `<a:hlinkClick xmlns:r="` + t.uri(nsR) + `" r:id="` + t.link(url) + `"/>`
}

// setHyperlinkArgs are the members of set_hyperlink.
type setHyperlinkArgs struct {
	slideArgs
	shapeArgs
	URL *string `json:"url" usage:"url" jsonschema:"{ops}: where the link leads; \"\" takes it away"`
	Of  string  `json:"of" jsonschema:"{ops}: shape (default) or text"`
}

// setHyperlink makes a shape a link, or its text, or takes links away.
func (d *deckEdit) setHyperlink(ctx context.Context, c *call, a setHyperlinkArgs) error {
	if a.URL == nil {
		return formats.Errorf(formats.CodeInvalid, `url is required, such as https://example.com; "" takes the link away`)
	}
	if *a.URL != "" {
		if err := formats.CheckLink(*a.URL); err != nil {
			return err
		}
	}
	if a.Of != "" && a.Of != "shape" && a.Of != "text" {
		return formats.Errorf(formats.CodeInvalid, "of must be shape or text, not %s", quote(a.Of))
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	f, err := c.findShape(t, a.shapeArgs, "")
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for _, s := range f.all {
		if a.Of == "text" {
			if s.body == nil {
				return formats.Errorf(formats.CodeUnsupported, "the shape %s is a %s and holds no text of its own; leave of out to link all of it", quote(f.name()), f.kind())
			}
			splices = append(splices, t.linkText(s.body, *a.URL)...)
		} else if s.cnv != nil {
			splices = append(splices, t.linkShape(s.cnv, *a.URL)...)
		}
	}
	if c.r.Hits = len(splices); len(splices) == 0 {
		c.warn("there was nothing to link or no link to take away")
		return nil
	}
	out := xmlscan.Apply(t.Doc, splices)
	d.edit.Set(c.part, out)
	return d.dropUnusedRels(ctx, t, out)
}

// linkShape sets the link of a shape, which is first in its p:cNvPr
// (19.3.1.12).
func (t *tree) linkShape(cnv *node, url string) []xmlscan.Splice {
	old := cnv.Child(nsA, "hlinkClick")
	xml := ""
	if url != "" {
		prefix, ok := cnv.PrefixOf(nsA)
		xml = reprefix(t.hlinkClick(url), "p", prefix)
		if !ok {
			xml = `<a:hlinkClick xmlns:a="` + t.uri(nsA) + `"` + t.hlinkClick(url)[len("<a:hlinkClick"):]
		}
	}
	switch {
	case old != nil && xml == "" && old.Start == cnv.End && old.After == cnv.Close:
		return []xmlscan.Splice{{Start: cnv.End - 1, End: cnv.After, New: []byte("/>")}}
	case old != nil:
		return []xmlscan.Splice{{Start: old.Start, End: old.After, New: []byte(xml)}}
	case xml == "":
		return nil
	case cnv.Empty:
		return t.InsertLast(cnv, []byte(xml))
	}
	return []xmlscan.Splice{{Start: cnv.End, End: cnv.End, New: []byte(xml)}}
}

// linkText sets the links of all runs of a text.
func (t *tree) linkText(body *node, url string) (out []xmlscan.Splice) {
	for n := range body.All() {
		if !n.Is(nsA, "r") && !n.Is(nsA, "fld") {
			continue
		}
		rPr, name := n.Child(nsA, "rPr"), qualify(n.Prefix, "rPr")
		switch {
		case url == "" && (rPr == nil || rPr.Child(nsA, "hlinkClick") == nil):
		case url == "":
			e := runProps(t.Raw(rPr), name)
			e.Drop("hlinkClick")
			out = append(out, xmlscan.Splice{Start: rPr.Start, End: rPr.After, New: []byte(e.Optional())})
		case rPr == nil:
			out = append(out, xmlscan.Splice{Start: n.End, End: n.End, New: t.withLink(nil, name, url)})
		default:
			out = append(out, xmlscan.Splice{Start: rPr.Start, End: rPr.After, New: t.withLink(t.Raw(rPr), name, url)})
		}
	}
	return out
}
