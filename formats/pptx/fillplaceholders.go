package pptx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// fillPlaceholdersArgs are the members of fill_placeholders.
type fillPlaceholdersArgs struct {
	slideArgs
	Title      *Lines   `json:"title" usage:"title?" jsonschema:"{ops}: the title"`
	Subtitle   *Lines   `json:"subtitle" usage:"subtitle?" jsonschema:"{ops}: the subtitle"`
	Body       *Lines   `json:"body" usage:"body?" jsonschema:"{ops}: the body; a paragraph on each line, a leading tab for each outline level"`
	Left       *Lines   `json:"left" usage:"left?" jsonschema:"{ops}: the content on the left"`
	Right      *Lines   `json:"right" usage:"right?" jsonschema:"{ops}: the content on the right"`
	LeftTitle  *Lines   `json:"left_title" usage:"left_title? (of a comparison)" jsonschema:"{ops}: heading above the content on the left"`
	RightTitle *Lines   `json:"right_title" usage:"right_title?" jsonschema:"{ops}: heading above the content on the right"`
	Picture    string   `json:"picture" usage:"picture? (a file)" jsonschema:"{ops}: a picture file for the empty place of a picture or of content"`
	Alt        string   `json:"alt" usage:"alt?" jsonschema:"{ops}: alternative text"`
	Rows       [][]Cell `json:"rows" usage:"rows? (of a table)" jsonschema:"{ops}: texts by row; the first is the head"`
	Chart      *chartIn `json:"chart" usage:"chart? ({type, categories, series, title?})" jsonschema:"{ops}: a chart with type, categories, series and title"`
	Footer     *string  `json:"footer" usage:"footer?" jsonschema:"{ops}: the text of the footer"`
}

// chartIn is a chart for a placeholder.
type chartIn struct {
	Type       string   `json:"type" jsonschema:"bar, column, line, pie, area or doughnut"`
	Categories []Cell   `json:"categories"`
	Series     []Series `json:"series"`
	Title      *Lines   `json:"title,omitempty"`
}

// fillPlaceholders fills the placeholders of a slide by what they are for: texts first, so
// that objects go into the places that stay empty.
func (d *deckEdit) fillPlaceholders(ctx context.Context, c *call, a fillPlaceholdersArgs) error {
	texts := []placeText{
		{"title", a.Title, isTitleType}, {"subtitle", a.Subtitle, func(typ string) bool { return typ == "subTitle" }},
		{"body", a.Body, isBodyType}, {"left", a.Left, nil}, {"right", a.Right, nil}, {"left_title", a.LeftTitle, nil}, {"right_title", a.RightTitle, nil},
	}
	texts = slices.DeleteFunc(texts, func(p placeText) bool { return p.text == nil })
	switch {
	case len(texts) == 0 && a.Picture == "" && len(a.Rows) == 0 && a.Chart == nil && a.Footer == nil:
		return formats.Errorf(formats.CodeInvalid, "nothing to fill: give title, subtitle, body, left, right, picture, rows, chart or footer")
	case a.Body != nil && (a.Left != nil || a.Right != nil):
		return formats.Errorf(formats.CodeInvalid, "give body, or left and right")
	}
	for _, p := range texts {
		if err := d.fillText(ctx, c, p); err != nil {
			return err
		}
	}
	hits := c.r.Hits
	var made []string
	if a.Picture != "" {
		if err := d.fillObject(ctx, c, "pic", "picture", func(o newObjectArgs) error {
			o.Alt = a.Alt
			return d.addImage(ctx, c, addImageArgs{slideArgs: a.slideArgs, Path: a.Picture, newObjectArgs: o})
		}, &made); err != nil {
			return err
		}
	}
	if len(a.Rows) > 0 {
		if err := d.fillObject(ctx, c, "tbl", "table", func(o newObjectArgs) error {
			return d.addTable(ctx, c, addTableArgs{slideArgs: a.slideArgs, Rows: a.Rows, newObjectArgs: o})
		}, &made); err != nil {
			return err
		}
	}
	if a.Chart != nil {
		if err := d.fillObject(ctx, c, "chart", "chart", func(o newObjectArgs) error {
			return d.addChart(ctx, c, addChartArgs{slideArgs: a.slideArgs, Type: a.Chart.Type, Categories: a.Chart.Categories, Series: a.Chart.Series, Title: a.Chart.Title, newObjectArgs: o})
		}, &made); err != nil {
			return err
		}
	}
	c.r.Hits, c.r.Made = hits+len(made), strings.Join(made, "; ")
	if a.Footer == nil {
		return nil
	}
	f := &footerEdit{deckEdit: d, c: c, wishes: setFootersArgs{Footer: a.Footer}.wishes()}
	return f.slides(ctx, []int{c.slide})
}

// placeText is a text and the kind of place that it goes into.
type placeText struct {
	name string
	text *Lines
	is   func(typ string) bool // nil: by where it is
}

// fillText puts a text into its place.
func (d *deckEdit) fillText(ctx context.Context, c *call, p placeText) error {
	lines := splitLines(string(*p.text))
	if err := checkLines(lines); err != nil {
		return err
	}
	if p.name == "title" || p.name == "body" {
		c.r.Hits += len(lines)
		return d.setText(ctx, c.part, p.is, c.r, func(t *tree, body *node) []xmlscan.Splice { return t.setLines(body, lines) })
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	s, err := d.placeFor(ctx, t, p)
	if err != nil {
		return err
	}
	if s == nil && p.is != nil { // the layout may have one that the slide lost
		lay, err := d.layoutOf(ctx, c.part)
		if err != nil {
			return err
		}
		if lay.find(p.is) != nil {
			if err := d.addPlaceholder(ctx, t, p.is, c.r); err != nil {
				return err
			}
			if t, err = d.tree(ctx, c.part); err != nil {
				return err
			}
			if s, err = d.placeFor(ctx, t, p); err != nil {
				return err
			}
		}
	}
	if s == nil {
		return d.noPlace(t, p.name)
	}
	c.r.Hits += len(lines)
	if s.body == nil {
		d.setTree(t, []xmlscan.Splice{t.newBody(s.n, lines)})
		return nil
	}
	d.setTree(t, t.setLines(s.body, lines))
	return nil
}

// placeFor returns the placeholder of a slide that a text goes into, nil when there is
// none: left and right are the outermost places for content, their titles the places for
// text above them.
func (d *deckEdit) placeFor(ctx context.Context, t *tree, p placeText) (*shape, error) {
	type placed struct {
		*shape
		frame
	}
	var content, text []placed
	for s := range flat(shapes(t.spTree(), shown)) {
		typ := s.phType()
		if p.is != nil && p.is(typ) && s.n.Local == "sp" {
			return s, nil
		}
		if p.is != nil || typ != "obj" && typ != "body" || s.n.Local != "sp" {
			continue
		}
		f, ok, err := d.frameOn(ctx, t.part, s, onSlide)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok:
		case typ == "obj":
			content = append(content, placed{s, f})
		default:
			text = append(text, placed{s, f})
		}
	}
	side, heading := strings.CutSuffix(p.name, "_title")
	list := content
	if heading {
		list = text
	}
	if len(content) < 2 && !heading {
		list = append(content, text...)
	}
	if p.is != nil || len(list) < 2 {
		return nil, nil
	}
	slices.SortStableFunc(list, func(a, b placed) int { return int(a.x+a.w/2) - int(b.x+b.w/2) })
	if side == "left" {
		return list[0].shape, nil
	}
	return list[len(list)-1].shape, nil
}

// noPlace names the placeholders that a slide has.
func (d *deckEdit) noPlace(t *tree, want string) error {
	var have []string
	for s := range flat(shapes(t.spTree(), shown)) {
		if s.ph != nil {
			have = append(have, fmt.Sprintf("%s (%s %s)", quote(oneLine(s.name())), strings.ReplaceAll(s.kind(), "_", " "), s.cnv.Value("id")))
		}
	}
	if len(have) == 0 {
		return formats.Errorf(formats.CodeNotFound, "the slide has no place for %s; it has no placeholders; set_layout gives it some", want)
	}
	if len(have) > 12 {
		have = append(have[:12], fmt.Sprintf("%d more", len(have)-12))
	}
	return formats.Errorf(formats.CodeNotFound, "the slide has no place for %s; its placeholders are %s; set_layout gives it others", want, strings.Join(have, ", "))
}

// fillObject lets add put an object into an empty placeholder for its kind, which there
// must be.
func (d *deckEdit) fillObject(ctx context.Context, c *call, kind, word string, add func(newObjectArgs) error, made *[]string) error {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	room, err := d.findFreePlace(ctx, t, kind)
	if err != nil {
		return err
	}
	if room.empty == nil {
		if err := d.noPlace(t, "a "+word); err != nil {
			return formats.Errorf(formats.CodeNotFound, "%w; add_image, add_table and add_chart put it elsewhere", err)
		}
	}
	if err := add(newObjectArgs{}); err != nil {
		return err
	}
	*made = append(*made, c.r.Made)
	return nil
}
