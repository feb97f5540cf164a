package pptx

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	xmltree "atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// setThemeArgs are the members of set_theme.
type setThemeArgs struct {
	Master      string            `json:"master" usage:"master? (else all)" jsonschema:"{ops}: the name of a master's theme, or its number from 0"`
	Colors      map[string]string `json:"theme_colors" usage:"theme_colors? ({accent1: \"C00000\", …}; dk1 lt1 dk2 lt2 accent1–6 hlink folHlink)" jsonschema:"{ops}: RRGGBB by dk1, lt1, dk2, lt2, accent1 to accent6, hlink, folHlink"`
	HeadingFont string            `json:"heading_font" usage:"heading_font?" jsonschema:"{ops}: font of titles, for Latin text; fonts of other scripts stay"`
	BodyFont    string            `json:"body_font" usage:"body_font?" jsonschema:"{ops}: font of other text, likewise"`
}

// schemeSlots are the colours of a theme (20.1.6.2), and the names that slides have for
// the first four (20.1.10.54).
var schemeSlots = map[string]string{"dk1": "dk1", "lt1": "lt1", "dk2": "dk2", "lt2": "lt2", "tx1": "dk1", "bg1": "lt1", "tx2": "dk2", "bg2": "lt2",
	"accent1": "accent1", "accent2": "accent2", "accent3": "accent3", "accent4": "accent4", "accent5": "accent5", "accent6": "accent6", "hlink": "hlink", "folhlink": "folHlink"}

// setTheme sets colours and fonts of themes (20.1.6.9). What slides, layouts and charts
// set themselves stays.
func (d *deckEdit) setTheme(ctx context.Context, c *call, a setThemeArgs) error {
	colors := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(a.Colors)) {
		slot := schemeSlots[strings.ToLower(strings.TrimSpace(name))]
		if slot == "" {
			return formats.Errorf(formats.CodeInvalid, "themes have no colour %s; they have dk1, lt1, dk2, lt2, accent1 to accent6, hlink, folHlink", quote(name))
		}
		rgb, err := literalColor(a.Colors[name])
		if err != nil {
			return err
		}
		if old := colors[slot]; old != "" && old != rgb {
			return formats.Errorf(formats.CodeInvalid, "%s is given twice", slot)
		}
		colors[slot] = rgb
	}
	for _, f := range []string{a.HeadingFont, a.BodyFont} {
		if len(f) > 200 {
			return formats.Errorf(formats.CodeInvalid, "the name of the font is too long")
		}
	}
	if len(colors) == 0 && a.HeadingFont == "" && a.BodyFont == "" {
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give colors, heading_font or body_font")
	}
	g, err := d.designOf(ctx)
	if err != nil {
		return err
	}
	pages, err := d.pages(ctx, g, designArgs{Master: a.Master})
	if err != nil {
		return err
	}
	for _, m := range pages {
		if err := d.setThemeOf(ctx, c, m.part, colors, a); err != nil {
			return err
		}
	}
	if len(colors) > 0 {
		err = d.noteFollowers(ctx, c, g, pages, "colours", func(part string) (bool, error) { return d.mentions(ctx, part, ownColor) })
	}
	if err == nil && a.HeadingFont+a.BodyFont != "" {
		err = d.noteFollowers(ctx, c, g, pages, "fonts", func(part string) (bool, error) { return d.mentions(ctx, part, ownFont) })
	}
	return err
}

var (
	ownColor = lazyregexp.New(`srgbClr |prstClr |<[A-Za-z0-9]*:?overrideClrMapping `)
	ownFont  = lazyregexp.New(`<[A-Za-z0-9]*:?latin [^>]*typeface=["'][^+"']`)
)

// mentions reports whether a part, or a chart on it, holds what a pattern finds.
func (d *deckEdit) mentions(ctx context.Context, part string, what *lazyregexp.Regexp) (bool, error) {
	charts, err := d.related(ctx, part, relChart)
	if err != nil {
		return false, err
	}
	names := []string{part}
	for _, r := range charts {
		names = append(names, r.Target)
	}
	for _, name := range names {
		doc, err := d.ReadXML(ctx, name)
		if err != nil {
			return false, err
		}
		if what.Match(doc) {
			return true, nil
		}
	}
	return false, nil
}

// literalColor returns a colour as RRGGBB: themes cannot name their own colours.
func literalColor(color string) (string, error) {
	fill, err := solidFill(color)
	if err == nil {
		if _, v, ok := strings.Cut(fill, `srgbClr val="`); ok {
			return v[:6], nil
		}
	}
	return "", formats.Errorf(formats.CodeInvalid, "%s is no colour; use RRGGBB", quote(color))
}

// setThemeOf sets colours and fonts of the theme of a master.
func (d *deckEdit) setThemeOf(ctx context.Context, c *call, master string, colors map[string]string, a setThemeArgs) error {
	themes, err := d.related(ctx, master, relTheme)
	if err != nil {
		return err
	}
	if len(themes) == 0 {
		c.warn("the master %s has no theme; nothing was set for it", quote(master))
		return nil
	}
	t, err := d.tree(ctx, themes[0].Target)
	if err != nil {
		return err
	}
	elements := t.Root.Child(nsA, "themeElements")
	if elements == nil {
		return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: its theme has no elements", t.part)
	}
	var splices []xmlscan.Splice
	for k := range elements.Child(nsA, "clrScheme").Kids() {
		rgb := colors[k.Local]
		if rgb == "" || k.First == nil || schemeColors(t)[k.Local] == rgb {
			continue
		}
		splices = append(splices, xmlscan.Splice{Start: k.End, End: k.Close, New: []byte("<" + qualify(k.Prefix, "srgbClr") + ` val="` + rgb + `"/>`)})
	}
	for _, f := range []struct{ local, face string }{{"majorFont", a.HeadingFont}, {"minorFont", a.BodyFont}} {
		latin := elements.Down(nsA, "fontScheme", f.local, "latin")
		if f.face == "" || latin == nil || latin.Value("typeface") == f.face {
			continue
		}
		// What describes the shape of the old font does not fit the new one.
		tag := xmltree.DropAttrs(latin.Token, latin.Bytes(), "panose", "pitchFamily", "charset", "typeface")
		name := len("<") + len(qualify(latin.Prefix, latin.Local))
		splices = append(splices, xmlscan.Splice{Start: latin.Start, End: latin.End,
			New: bytes.Join([][]byte{tag[:name], []byte(` typeface="` + xmlscan.EscapeAttr(f.face) + `"`), tag[name:]}, nil)})
	}
	c.r.Hits += len(splices)
	d.setTree(t, splices)
	return nil
}
