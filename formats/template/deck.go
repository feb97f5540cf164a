package template

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/pptx"
)

const (
	nsSlides  = "http://schemas.openxmlformats.org/presentationml/2006/main"
	maxSlides = 500
)

// shown is a slide of the filled deck: a slide of the template and its data.
type shown struct {
	slide int
	scope *scope
}

// deck fills a pptx: slides are repeated or left out first, then their text and
// notes are filled.
func (f *filler) deck(ctx context.Context, src formats.Source, dst io.Writer, records []Record) error {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return err
	}
	ed := pkg.Edit()
	slides, err := slideParts(ctx, ed)
	if err != nil {
		return err
	}
	var want []shown
	group := groupOf(records)
	for _, r := range records {
		for i, part := range slides {
			scopes, err := f.slideScopes(ctx, ed, part, &scope{item: r, group: group})
			if err != nil {
				return err
			}
			for _, s := range scopes {
				want = append(want, shown{i, s})
			}
			if len(want) > maxSlides {
				return formats.Errorf(formats.CodeTooLarge, "the filled deck would have more than %d slides; give fewer rows, or one file for each row", maxSlides)
			}
		}
	}
	if len(want) == 0 {
		return formats.Errorf(formats.CodeInvalid, "the conditions leave no slide of the template; nothing was written")
	}
	var made bytes.Buffer
	if _, err := pptx.Format().Editor.Apply(ctx, src, &made, slideOps(len(slides), want), formats.ApplyOptions{}); err != nil {
		return err
	}
	if pkg, err = opc.Open(ctx, formats.FromBytes("deck.pptx", made.Bytes())); err != nil {
		return err
	}
	ed = pkg.Edit()
	if slides, err = slideParts(ctx, ed); err != nil {
		return err
	}
	done := map[string]bool{}
	pictures := &deckPictures{filler: f, src: pkg.Source(), media: map[string]string{}}
	for i, part := range slides {
		if err := pictures.slide(ctx, ed, part, i, want[i].scope); err != nil {
			return err
		}
		parts, err := withNotes(ctx, ed, part)
		if err != nil {
			return err
		}
		if parts, err = withDrawn(ctx, ed, pkg, parts); err != nil {
			return err
		}
		for _, p := range parts {
			if done[p] {
				continue
			}
			done[p] = true
			if err := f.part(ctx, ed, p, nsDrawing, want[i].scope, nil); err != nil {
				return err
			}
		}
	}
	around := scopeOf(records[0])
	if len(records) > 1 {
		around = scopeOf(common(records))
	}
	if err := f.drawnParts(ctx, ed, pkg, around, done); err != nil {
		return err
	}
	if err := f.leftover(ctx, ed, pkg); err != nil {
		return err
	}
	return ed.Write(ctx, dst)
}

// slideParts lists the slide parts in order (19.2.1.34).
func slideParts(ctx context.Context, ed *opc.Edit) ([]string, error) {
	main, err := ed.Package().MainPart(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := ed.ReadXML(ctx, main)
	if err != nil {
		return nil, err
	}
	t, err := tree.Parse(ctx, doc, nil)
	if err != nil {
		return nil, err
	}
	rels, err := ed.Rels(ctx, main)
	if err != nil {
		return nil, err
	}
	var parts []string
	for k := range t.Root.Child(nsSlides, "sldIdLst").Kids() {
		id := k.RelValue("id")
		if i := slices.IndexFunc(rels, func(r opc.Relationship) bool { return r.ID == id }); i >= 0 {
			parts = append(parts, rels[i].Target)
		}
	}
	return parts, nil
}

// withNotes returns a slide part and that of its notes.
func withNotes(ctx context.Context, ed *opc.Edit, slide string) ([]string, error) {
	parts := []string{slide}
	rels, err := ed.Rels(ctx, slide)
	for _, r := range rels {
		if strings.HasSuffix(r.Type, "/notesSlide") && !r.External {
			parts = append(parts, r.Target)
		}
	}
	return parts, err
}

// withDrawn adds to a slide and its notes the charts and diagrams of the slide.
func withDrawn(ctx context.Context, ed *opc.Edit, pkg *opc.Package, parts []string) ([]string, error) {
	rels, err := ed.Rels(ctx, parts[0])
	for _, r := range rels {
		if !r.External && isDrawn(pkg.ContentType(r.Target)) && !strings.HasSuffix(r.Type, "/slideLayout") {
			parts = append(parts, r.Target)
		}
	}
	return parts, err
}

// slideScopes returns the data for which a slide is shown. A tag that opens a block
// without closing it in its text frame is about the whole slide.
func (f *filler) slideScopes(ctx context.Context, ed *opc.Edit, slide string, s *scope) ([]*scope, error) {
	parts, err := withNotes(ctx, ed, slide)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		doc, err := ed.ReadXML(ctx, part)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(doc, []byte("{")) {
			continue
		}
		t, err := tree.Parse(ctx, doc, nil)
		if err != nil {
			return nil, err
		}
		e := &expander{filler: f, ctx: ctx, t: t, ns: nsDrawing, name: part}
		for n := range t.Root.All() {
			if !n.Is(nsSlides, "txBody") {
				continue
			}
			list := e.tokens(e.textIn(n))
			for i, tok := range list {
				if !tok.opens() {
					continue
				}
				if _, end := partner(list, i); end >= 0 {
					continue
				}
				scopes, ok := f.choose(tok, s, func() string { return slide })
				if !ok {
					return []*scope{s}, nil
				}
				for _, sc := range scopes {
					sc.strip = true
				}
				return scopes, nil
			}
		}
	}
	return []*scope{s}, nil
}

// slideOps returns the operations that turn n slides into those wanted. Each slide
// of the template keeps its first place.
func slideOps(n int, want []shown) (ops []json.RawMessage) {
	add := func(format string, args ...any) { ops = append(ops, fmt.Appendf(nil, format, args...)) }
	var now []int // for each slide, the one of the template that it is
	for i := range n {
		if slices.ContainsFunc(want, func(w shown) bool { return w.slide == i }) {
			now = append(now, i)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if !slices.Contains(now, i) {
			add(`{"op":"delete_slide","index":%d}`, i)
		}
	}
	for k, w := range want {
		if k < len(now) && now[k] == w.slide {
			continue
		}
		add(`{"op":"duplicate_slide","index":%d,"position":%d}`, slices.Index(now, w.slide), k)
		now = slices.Insert(now, k, w.slide)
	}
	return ops
}
