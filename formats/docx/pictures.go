package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/picture"
	"atelier/formats/ooxml/xmlscan"
)

type illustrated struct{}

// Pictures implements formats.Illustrated: those of the section or addresses that sel
// names, else all, with those of headers, footers and notes.
func (illustrated) Pictures(ctx context.Context, src formats.Source, sel formats.Selector, emit func(formats.Picture) error) error {
	d, err := openDocument(ctx, src)
	if err != nil {
		return err
	}
	body, err := d.body(ctx)
	if err != nil {
		return err
	}
	want := strings.TrimSpace(sel.Section)
	if want != "" {
		v := &view{styles: d.styles}
		sel.Chunked = false
		if _, err := d.read(ctx, v, body, sel); err != nil {
			return err
		}
		return d.picturesOf(ctx, body, 0, v.shown, emit)
	}
	seen := map[string]bool{}
	emit = picture.Seen(seen, emit)
	parts, err := d.textParts(ctx)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, tp := range parts {
		n := count[tp.word]
		count[tp.word]++
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return err
		}
		if err := d.picturesOf(ctx, p, n, nil, emit); err != nil {
			return err
		}
	}
	return picture.Others(ctx, d.ed.Package(), seen, emit)
}

// addressed is a paragraph with its address.
type addressed struct {
	*node
	at string
}

// addressed returns the paragraphs of a part, the n-th of its kind, in the order of the
// file: of stories, tables and text boxes.
func (d *document) addressed(ctx context.Context, p *part, n int) []addressed {
	var out []addressed
	add := func(story *node, base string) {
		for k, at := range p.addresses(story, base) {
			if k.kind == paraNode {
				out = append(out, addressed{k, at})
			}
		}
	}
	for _, s := range p.stories {
		add(s, storyPrefix(p.textPart, n, s.id))
	}
	if len(p.boxes) > 0 {
		first := atoi(strings.TrimPrefix(d.storyStep(ctx, p, p.boxes[0]), "x"))
		for i, b := range p.boxes {
			add(b, fmt.Sprintf("x%d", first+i))
		}
	}
	slices.SortFunc(out, func(a, b addressed) int { return a.start - b.start })
	return out
}

// picturesOf gives the pictures of a part, of some lines of it where there are any.
func (d *document) picturesOf(ctx context.Context, p *part, n int, lines []line, emit func(formats.Picture) error) error {
	rels, err := d.ed.Rels(ctx, p.name)
	if err != nil {
		return err
	}
	byID := map[string]opc.Relationship{}
	for _, r := range rels {
		byID[r.ID] = r
	}
	var places []addressed
	name, alt := "", ""
	sc := xmlscan.New(p.doc)
	for i := 0; sc.Next(); i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		id := ""
		switch t.Local {
		case "Fallback": // what older programs show instead
			sc.Skip()
		case "docPr": // 20.4.2.5
			name, alt = t.AttrLocal("name"), t.AttrLocal("descr")
		case "cNvPr": // of a picture in a group; else it may say nothing
			if s := t.AttrLocal("descr"); s != "" {
				alt = s
			}
		case "shape":
			name, alt = "", t.AttrLocal("alt")
		case "blip":
			if id = picture.RelID(sc, t, "embed"); id == "" {
				id = picture.RelID(sc, t, "link")
			}
		case "imagedata": // VML
			id = picture.RelID(sc, t, "id")
		}
		r, ok := byID[id]
		if !ok || lines != nil && !holds(lines, t.Start) {
			continue
		}
		if places == nil {
			places = d.addressed(ctx, p, n)
		}
		pic := picture.Of(ctx, d.ed.Package(), r)
		pic.At, pic.Name, pic.Alt = addressAt(places, t.Start), name, alt
		if pic.At == "" {
			pic.At = strings.TrimSpace(p.what + " (no paragraph)")
		}
		if err := emit(pic); err != nil {
			return err
		}
	}
	return corrupt(p.name, sc.Err())
}

// holds reports whether an offset is in one of the lines.
func holds(lines []line, at int) bool {
	return slices.ContainsFunc(lines, func(l line) bool { return l.node != nil && l.node.start <= at && at < l.node.end })
}

// addressAt returns the address of the innermost paragraph that has an offset.
func addressAt(places []addressed, at int) string {
	i, _ := slices.BinarySearchFunc(places, at+1, func(a addressed, at int) int { return a.start - at })
	for i--; i >= 0; i-- {
		if at < places[i].end {
			return places[i].at
		}
	}
	return ""
}
