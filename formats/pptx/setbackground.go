package pptx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/image"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// setBackgroundArgs are the members of set_background.
type setBackgroundArgs struct {
	Slides []lenient.Int `json:"slides" usage:"slides?" jsonschema:"{ops}: only these slides"`
	Layout string        `json:"layout" usage:"or layout?" jsonschema:"{ops}: a layout's name"`
	Master string        `json:"master" usage:"or master? (else all masters)" jsonschema:"{ops}: the name of a master's theme, or its number from 0"`
	Color  string        `json:"color" usage:"color (none: that of the layout or master)" jsonschema:"{ops}: RRGGBB or a theme colour such as bg2; none takes the background away"`
	Path   string        `json:"path" usage:"or path" jsonschema:"{ops}: the picture file"`
}

// setBackground sets the background (19.3.1.1) of slides, of a layout or of masters: a
// colour, or a picture that fills the page.
func (d *deckEdit) setBackground(ctx context.Context, c *call, a setBackgroundArgs) error {
	none := strings.EqualFold(strings.TrimSpace(a.Color), "none")
	switch {
	case (a.Color == "") == (a.Path == ""):
		return formats.Errorf(formats.CodeInvalid, "give color or path: a colour, none or a picture file")
	case len(a.Slides) > 0 && a.Layout+a.Master != "":
		return formats.Errorf(formats.CodeInvalid, "give slides, layout or master, only one of them")
	}
	fill, pic, data := "", image.Picture{}, []byte(nil)
	var err error
	switch {
	case a.Path != "":
		if data, err = d.opt.OpenFile(ctx, a.Path, imageMax); err == nil {
			pic, err = image.Probe(data)
		}
	case !none:
		fill, err = solidFill(a.Color)
	}
	if err != nil {
		return err
	}
	var parts []string
	g, err := d.designOf(ctx)
	if err != nil {
		return err
	}
	var pages []*layout
	if len(a.Slides) > 0 {
		slides, err := d.slideList(a.Slides)
		if err != nil {
			return err
		}
		for _, i := range slides {
			parts = append(parts, d.deck.slides[i].part)
		}
	} else {
		if pages, err = d.pages(ctx, g, designArgs{a.Layout, a.Master}); err != nil {
			return err
		}
		for _, p := range pages {
			parts = append(parts, p.part)
		}
	}
	if none && len(a.Slides) == 0 && a.Layout == "" {
		return formats.Errorf(formats.CodeInvalid, "a master has no other page to take its background from; give a colour such as bg1")
	}
	for _, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if data != nil {
			relID, err := d.addMedia(ctx, part, pic, data)
			if err != nil {
				return err
			}
			fill = `<a:blipFill dpi="0" rotWithShape="1"><a:blip r:embed="` + relID + `"/><a:srcRect/><a:stretch><a:fillRect/></a:stretch></a:blipFill>`
		}
		if err := d.setBackgroundOf(ctx, c, part, fill); err != nil {
			return err
		}
		delete(d.deck.layouts, part)
	}
	if pages == nil {
		return nil
	}
	return d.noteFollowers(ctx, c, g, pages, "a background", func(part string) (bool, error) {
		t, err := d.tree(ctx, part)
		return err == nil && t.Root.Down(nsP, "cSld", "bg") != nil, err
	})
}

// setBackgroundOf sets the background of one page to a fill; "" removes it.
func (d *deckEdit) setBackgroundOf(ctx context.Context, c *call, part, fill string) error {
	t, err := d.tree(ctx, part)
	if err != nil {
		return err
	}
	tree := t.spTree()
	if tree == nil {
		return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: it has no shape tree", part)
	}
	at := xmlscan.Splice{Start: tree.Start, End: tree.Start}
	if bg := t.Root.Down(nsP, "cSld", "bg"); bg != nil {
		at = xmlscan.Splice{Start: bg.Start, End: bg.After}
	} else if fill == "" {
		return nil
	}
	if fill != "" {
		at.New = []byte(t.withBoundPrefixes(fmt.Sprintf(`<p:bg><p:bgPr>%s<a:effectLst/></p:bgPr></p:bg>`, fill)))
		if string(at.New) == string(t.Doc[at.Start:at.End]) {
			return nil
		}
	}
	c.r.Hits++
	out := xmlscan.Apply(t.Doc, []xmlscan.Splice{at})
	d.edit.Set(part, out)
	return d.dropUnusedRels(ctx, t, out)
}
