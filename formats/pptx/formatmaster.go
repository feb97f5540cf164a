package pptx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

// formatMasterArgs are the members of format_master.
type formatMasterArgs struct {
	designArgs
	Style string `json:"style" usage:"style (title or body)" jsonschema:"{ops}: title or body: which text"`
	lookArgs
}

// masterStyles are the children of p:txStyles (19.3.1.52) that operations set.
var masterStyles = map[string]string{"title": "titleStyle", "body": "bodyStyle"}

// formatMaster sets how titles or body texts look on masters, or on one layout: of the
// level that is given, else of all there are.
func (d *deckEdit) formatMaster(ctx context.Context, c *call, a formatMasterArgs) error {
	style := strings.ToLower(strings.TrimSpace(a.Style))
	format := a.ParagraphFormat
	format.Level = nil
	switch {
	case masterStyles[style] == "":
		return formats.Errorf(formats.CodeInvalid, "style is required: title or body")
	case format == (ParagraphFormat{}) && a.Font == (Font{}):
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give font_size, font_color, bold, alignment, bullet or another format")
	}
	if err := checkLines([]line{{format: a.ParagraphFormat, runs: []Run{{Text: "x", Font: a.Font}}}}); err != nil {
		return err
	}
	g, err := d.designOf(ctx)
	if err != nil {
		return err
	}
	pages, err := d.pages(ctx, g, a.designArgs)
	if err != nil {
		return err
	}
	is := map[string]func(string) bool{"title": isTitleType, "body": isBodyType}[style]
	for _, p := range pages {
		t, err := d.tree(ctx, p.part)
		if err != nil {
			return err
		}
		if a.Layout == "" {
			styles := t.Root.Child(nsP, "txStyles")
			list := styles.Child(nsP, masterStyles[style])
			if list == nil {
				c.warn("the master %s has no style for %s text; nothing was set for it", quote(p.part), style)
				continue
			}
			d.setTree(t, append(t.formatLevels(c, list, a, style == "title"), t.formatOwnLevels(c, is, a)...))
		} else if err := d.formatLayout(c, t, p, a, is); err != nil {
			return err
		}
		delete(d.deck.layouts, p.part)
	}
	return d.noteFollowers(ctx, c, g, pages, "such formats", func(part string) (bool, error) { return d.formats(ctx, part, is, a) })
}

// formatLayout sets the styles of the levels (21.1.2.4.12) of the placeholders of a kind.
func (d *deckEdit) formatLayout(c *call, t *tree, p *layout, a formatMasterArgs, is func(string) bool) error {
	var splices []xmlscan.Splice
	found, title := 0, is("title")
	for s := range flat(shapes(t.spTree(), every)) {
		if s.body == nil || !is(s.phType()) {
			continue
		}
		found++
		list := s.body.Child(nsA, "lstStyle")
		if list == nil {
			if at := s.body.Child(nsA, "bodyPr"); at != nil {
				name := qualify(at.Prefix, "lstStyle")
				xml := "<" + name + ">" + t.newLevels(at.Prefix, a, title) + "</" + name + ">"
				splices = append(splices, xmlscan.Splice{Start: at.After, End: at.After, New: []byte(xml)})
				c.r.Hits++
			}
			continue
		}
		splices = append(splices, t.formatLevels(c, list, a, title)...)
	}
	if found == 0 {
		return formats.Errorf(formats.CodeNotFound, "the layout %s has no place for such text", quote(p.name))
	}
	d.setTree(t, splices)
	return nil
}

// formatOwnLevels formats the levels that the placeholders of a master have of their own:
// they would hide the style of the master.
func (t *tree) formatOwnLevels(c *call, is func(string) bool, a formatMasterArgs) (out []xmlscan.Splice) {
	for s := range flat(shapes(t.spTree(), every)) {
		if s.body == nil || !is(s.phType()) {
			continue
		}
		for k := range s.body.Child(nsA, "lstStyle").Kids() {
			var n int
			if _, err := fmt.Sscanf(k.Local, "lvl%dpPr", &n); err != nil || !slices.Contains(a.levels(false), n-1) {
				continue
			}
			if now := t.formatLevel(t.Raw(k), k.Name(), qualify(k.Prefix, "defRPr"), a); now != string(t.Raw(k)) {
				out = append(out, xmlscan.Splice{Start: k.Start, End: k.After, New: []byte(now)})
				c.r.Hits++
			}
		}
	}
	return out
}

// levelSchema orders the children of a list of level styles (21.1.2.4.12).
var levelSchema = element.NewSchema("defPPr lvl1pPr lvl2pPr lvl3pPr lvl4pPr lvl5pPr lvl6pPr lvl7pPr lvl8pPr lvl9pPr extLst")

// formatLevels formats the levels of a style: one, or all of the outline. A list of a
// layout, which need not have them, gets them.
func (t *tree) formatLevels(c *call, list *node, a formatMasterArgs, title bool) []xmlscan.Splice {
	prefix := bodyPrefix(list)
	e := element.Parse(t.Raw(list), list.Name(), levelSchema)
	before := e.String()
	for _, n := range a.levels(title) {
		local := fmt.Sprintf("lvl%dpPr", n+1)
		raw := e.Get(local)
		now := t.formatLevel([]byte(raw), qualify(prefix, local), qualify(prefix, "defRPr"), a)
		if now != raw {
			e.Set(local, now)
			c.r.Hits++
		}
	}
	if e.String() == before {
		return nil
	}
	return []xmlscan.Splice{{Start: list.Start, End: list.After, New: []byte(e.String())}}
}

// levels returns the outline levels that an operation formats.
func (a formatMasterArgs) levels(title bool) []int {
	switch {
	case a.Level != nil:
		return []int{int(*a.Level)}
	case title:
		return []int{0}
	}
	return []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
}

// newLevels returns the levels of a list that has none.
func (t *tree) newLevels(prefix string, a formatMasterArgs, title bool) string {
	out := ""
	for _, n := range a.levels(title) {
		out += t.formatLevel(nil, qualify(prefix, fmt.Sprintf("lvl%dpPr", n+1)), qualify(prefix, "defRPr"), a)
	}
	return out
}

// formatLevel returns the style of a level with the format. Its indent stays: each level
// has its own.
func (t *tree) formatLevel(raw []byte, name, defRPr string, a formatMasterArgs) string {
	old := paraProps(raw, name)
	marL, hasMar := old.Attr("marL")
	indent, hasIndent := old.Attr("indent")
	e := paraProps(a.ParagraphFormat.apply(raw, name, t.Strict()), name)
	if a.Bullet != "" && a.Bullet != "none" {
		for _, at := range []struct {
			name, value string
			had         bool
		}{{"marL", marL, hasMar && marL != "0"}, {"indent", indent, hasIndent && indent != "0"}} {
			if at.had {
				e.SetAttr(at.name, at.value)
			}
		}
	}
	if a.Font != (Font{}) {
		run := Run{Font: a.Font}.apply([]byte(e.Get("defRPr")), defRPr)
		e.Set("defRPr", string(run))
	}
	return e.String()
}

// formats reports whether a part sets of text of a kind what an operation sets, which
// then does not show there.
func (d *deckEdit) formats(ctx context.Context, part string, is func(string) bool, a formatMasterArgs) (bool, error) {
	t, err := d.tree(ctx, part)
	if err != nil {
		return false, err
	}
	run := func(n *node) bool {
		return a.FontSize != nil && n.Value("sz") != "" || a.Bold != nil && n.Value("b") != "" || a.Italic != nil && n.Value("i") != "" || a.Underline != nil && n.Value("u") != "" ||
			a.FontName != "" && n.Child(nsA, "latin") != nil || a.FontColor != "" && n.Child(nsA, "solidFill") != nil
	}
	para := func(n *node) bool {
		return a.Alignment != "" && n.Value("algn") != "" || a.SpaceBefore != nil && n.Child(nsA, "spcBef") != nil || a.SpaceAfter != nil && n.Child(nsA, "spcAft") != nil ||
			a.LineSpacing != nil && n.Child(nsA, "lnSpc") != nil || a.Bullet != "" && (n.Child(nsA, "buNone") != nil || n.Child(nsA, "buChar") != nil || n.Child(nsA, "buAutoNum") != nil)
	}
	for s := range flat(shapes(t.spTree(), shown)) {
		if s.body == nil || !is(s.phType()) {
			continue
		}
		for n := range s.body.All() {
			switch n.Local {
			case "rPr", "defRPr":
				if run(n) {
					return true, nil
				}
			case "pPr", "lvl1pPr", "lvl2pPr", "lvl3pPr", "lvl4pPr", "lvl5pPr":
				if para(n) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
