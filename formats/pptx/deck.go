package pptx

import (
	"bytes"
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

// parts is what a package and an edit of one have in common.
type parts interface {
	ReadXML(ctx context.Context, name string) ([]byte, error)
	Rels(ctx context.Context, source string) ([]opc.Relationship, error)
	Has(name string) bool
}

// slideRef is one entry of the presentation's slide list.
type slideRef struct {
	part string
	id   string // p:sldId/@id
}

// deck is an open presentation. It caches layouts, so it is not safe for
// concurrent use.
type deck struct {
	parts
	name    string // of the file, for messages
	main    string // the presentation part
	slides  []slideRef
	strict  bool
	width   int // of a slide in EMU (914,400 to the inch)
	height  int
	layouts map[string]*layout

	textStyle *node // p:defaultTextStyle, nil when there is none
}

// openDeck opens src as a presentation.
func openDeck(ctx context.Context, src formats.Source) (*deck, *opc.Package, error) {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	main, err := pkg.ExpectMain(ctx, formats.KindPptx, mainTypes...)
	if err != nil {
		return nil, nil, err
	}
	d := &deck{parts: pkg, name: src.Name(), main: main}
	return d, pkg, d.load(ctx)
}

// maxRepeats is how many entries of the slide list may lead to a slide that an
// earlier one leads to: each is read again.
const maxRepeats = 500

// load reads the slide list. A list entry that leads to no part is passed
// over, as PowerPoint's repair does.
func (d *deck) load(ctx context.Context) error {
	d.layouts = map[string]*layout{}
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	if !t.Root.Is(nsP, "presentation") {
		return formats.Errorf(formats.CodeCorrupt, "%s is damaged: its main part holds no presentation", d.name)
	}
	d.strict = bytes.Contains(t.Root.Bytes(), []byte("http://purl.oclc.org/ooxml/"))
	size := t.Root.Child(nsP, "sldSz")
	d.width, d.height = intOr(size.Value("cx"), 12192000), intOr(size.Value("cy"), 6858000)
	d.textStyle = t.Root.Child(nsP, "defaultTextStyle")
	rels, err := d.Rels(ctx, d.main)
	if err != nil {
		return err
	}
	byID := make(map[string]string, len(rels))
	for _, r := range rels {
		if r.Type == relSlide && !r.External {
			byID[r.ID] = r.Target
		}
	}
	d.slides = d.slides[:0]
	listed, again := map[string]bool{}, 0
	for s := range t.Root.Child(nsP, "sldIdLst").Kids() {
		if part := byID[s.RelValue("id")]; part != "" && d.Has(part) {
			if listed[part] {
				again++
			}
			if listed[part] = true; again > maxRepeats {
				return formats.Errorf(formats.CodeTooLarge, "%s lists slides that it has listed before more than %d times; this looks like a bomb", d.name, maxRepeats)
			}
			d.slides = append(d.slides, slideRef{part: part, id: s.Value("id")})
		}
	}
	return nil
}

// tree parses a part.
func (d *deck) tree(ctx context.Context, part string) (*tree, error) {
	doc, err := d.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	return parse(ctx, part, doc)
}

// related lists the existing parts that source relates to by one of the types,
// in the order of the relationships.
func (d *deck) related(ctx context.Context, source string, types ...string) ([]opc.Relationship, error) {
	rels, err := d.Rels(ctx, source)
	if err != nil {
		return nil, err
	}
	return d.targets(rels, types...), nil
}

// targets returns those of rels that have one of the types and lead to a part.
func (d *deck) targets(rels []opc.Relationship, types ...string) []opc.Relationship {
	var out []opc.Relationship
	for _, r := range rels {
		for _, typ := range types {
			if r.Type == typ && !r.External && d.Has(r.Target) {
				out = append(out, r)
			}
		}
	}
	return out
}

// relTarget returns the part that the relationship id of rels leads to, "" when
// none.
func relTarget(rels []opc.Relationship, id string) string {
	for _, r := range rels {
		if r.ID == id && id != "" && !r.External {
			return r.Target
		}
	}
	return ""
}
