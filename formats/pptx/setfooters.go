package pptx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

// setFootersArgs are the members of set_footers.
type setFootersArgs struct {
	Slides      []lenient.Int `json:"slides" usage:"slides? (without it all slides, and the layouts and masters for new ones)" jsonschema:"{ops}: only these slides"`
	Number      *lenient.Bool `json:"number" usage:"number? (false removes)" jsonschema:"{ops}: show the slide number"`
	Footer      *string       `json:"footer" usage:"footer? (\"\" removes)" jsonschema:"{ops}: the text of the footer"`
	Date        *string       `json:"date" usage:"date? (a text, or auto for that of the day; \"\" removes)" jsonschema:"{ops}: a text, auto, or datetime1 to datetime13; \"\" removes the date"`
	TitleSlides *lenient.Bool `json:"title_slides" usage:"title_slides? (false leaves them without)" jsonschema:"{ops}: false removes number, footer and date from title slides"`
	FirstNumber *lenient.Int  `json:"first_number" usage:"first_number?" jsonschema:"{ops}: number of the first slide"`
	On          string        `json:"on" usage:"on? (slides or notes: notes pages and handouts)" jsonschema:"{ops}: slides (default), or notes: notes pages and handouts"`
	Header      *string       `json:"header" usage:"header? (of notes)" jsonschema:"{ops}: the header of notes pages and handouts"`
}

// footerWish is what a placeholder that repeats on every page is to show.
type footerWish struct {
	typ   string // ST_PlaceholderType (19.7.10)
	off   bool   // it goes
	text  string
	field string // type of an a:fld instead of the text (21.1.2.2.4)
}

var dateField = lazyregexp.New(`^datetime(1[0-3]|[1-9]|FigureOut)$`)

// wishes returns what an operation says of number, footer, date and header.
func (a setFootersArgs) wishes() (out []footerWish) {
	text := func(typ string, s *string) {
		if s != nil {
			out = append(out, footerWish{typ: typ, off: strings.TrimSpace(*s) == "", text: newlines(*s)})
		}
	}
	text("hdr", a.Header)
	if a.Date != nil {
		switch when := strings.TrimSpace(*a.Date); {
		case strings.EqualFold(when, "auto"):
			out = append(out, footerWish{typ: "dt", field: "datetime1"})
		case dateField.MatchString(when):
			out = append(out, footerWish{typ: "dt", field: when})
		default:
			text("dt", a.Date)
		}
	}
	text("ftr", a.Footer)
	if a.Number != nil {
		out = append(out, footerWish{typ: "sldNum", field: "slidenum", off: !bool(*a.Number)})
	}
	return out
}

// setFooters sets what repeats on every page: slide number, footer, date; on notes pages
// and handouts also the header.
func (d *deckEdit) setFooters(ctx context.Context, c *call, a setFootersArgs) error {
	on, wishes := strings.ToLower(strings.TrimSpace(a.On)), a.wishes()
	switch {
	case on != "" && on != "slides" && on != "notes":
		return formats.Errorf(formats.CodeInvalid, "on must be slides or notes, not %s", quote(a.On))
	case a.Header != nil && on != "notes":
		return formats.Errorf(formats.CodeInvalid, "slides have no header; header needs on: notes")
	case len(wishes) == 0 && a.FirstNumber == nil && a.TitleSlides == nil:
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give number, footer, date, title_slides or first_number")
	case a.FirstNumber != nil && (*a.FirstNumber < 0 || *a.FirstNumber > 9999):
		return formats.Errorf(formats.CodeInvalid, "first_number must be 0 to 9999, not %d", *a.FirstNumber)
	}
	slides, err := d.slideList(a.Slides)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if len(w.text) > maxFooter {
			return formats.Errorf(formats.CodeTooLarge, "the text is too long: header, footer and date may have %d bytes", maxFooter)
		}
	}
	if err := d.showOptions(ctx, a); err != nil {
		return err
	}
	f := &footerEdit{deckEdit: d, c: c, wishes: wishes, skipTitles: a.TitleSlides != nil && !bool(*a.TitleSlides)}
	if f.skipTitles && len(wishes) == 0 {
		f.titlesOnly = true
	}
	if on == "notes" {
		return f.notesPages(ctx, slides, len(a.Slides) == 0)
	}
	if err := f.slides(ctx, slides); err != nil || len(a.Slides) > 0 {
		return err
	}
	return f.masters(ctx)
}

// maxFooter bounds a text that every page repeats, in bytes.
const maxFooter = 2000

// showOptions sets the attributes of the presentation: the number of the first slide and
// whether title slides show footers (19.2.1.26).
func (d *deckEdit) showOptions(ctx context.Context, a setFootersArgs) error {
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	if a.FirstNumber != nil && intOr(t.Root.Value("firstSlideNum"), 1) != int(*a.FirstNumber) {
		splices = append(splices, t.SetAttr(t.Root, "firstSlideNum", strconv.Itoa(int(*a.FirstNumber))))
	}
	if show := t.Root.Value("showSpecialPlsOnTitleSld"); a.TitleSlides != nil && len(a.Slides) == 0 && bool(*a.TitleSlides) == isFalse(show) {
		splices = append(splices, t.SetAttr(t.Root, "showSpecialPlsOnTitleSld", map[bool]string{false: "0", true: "1"}[bool(*a.TitleSlides)]))
	}
	d.setTree(t, splices)
	return nil
}

// footerEdit is a set_footers on its way through the pages.
type footerEdit struct {
	*deckEdit
	c          *call
	wishes     []footerWish
	skipTitles bool // title slides show none of it
	titlesOnly bool // only title slides change
	first      int  // number of the first slide
	made       map[string][]string
}

// footerPlace is the page that a page takes its placeholders from.
type footerPlace struct {
	layout, master *layout
	width, height  int
}

// like returns the placeholder of that type on the layout, else on the master.
func (p footerPlace) like(typ string) (s *shape, t *tree, direct bool) {
	for _, l := range []*layout{p.layout, p.master} {
		if l == nil {
			continue
		}
		for _, it := range l.items {
			if it.phType() == typ && it.n.Local == "sp" {
				return it, l.tree, l == p.layout
			}
		}
	}
	return nil, nil, false
}

// slides sets the footers of slides.
func (f *footerEdit) slides(ctx context.Context, list []int) error {
	t, err := f.tree(ctx, f.main)
	if err != nil {
		return err
	}
	f.first = intOr(t.Root.Value("firstSlideNum"), 1)
	var left []string
	for _, i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := f.deck.slides[i].part
		lay, err := f.layoutOf(ctx, part)
		if err != nil {
			return err
		}
		p := footerPlace{layout: lay, width: f.width, height: f.height}
		if lay != nil {
			if p.master, err = f.masterOf(ctx, lay.part); err != nil {
				return err
			}
		}
		wishes := f.wishes
		if f.skipTitles && lay != nil && lay.typ == "title" {
			left = append(left, strconv.Itoa(i))
			wishes = []footerWish{{typ: "dt", off: true}, {typ: "ftr", off: true}, {typ: "sldNum", off: true}}
		} else if f.titlesOnly {
			continue
		}
		if err := f.page(ctx, part, p, wishes, strconv.Itoa(f.first+i), fmt.Sprintf("slide %d", i)); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		f.c.note("title slides without footers: %s", strings.Join(left, ", "))
	}
	f.told()
	return nil
}

// told says on which slides placeholders were made that their layout does not have.
func (f *footerEdit) told() {
	for _, typ := range []string{"hdr", "dt", "ftr", "sldNum"} {
		if list := f.made[typ]; len(list) > 0 {
			more := ""
			if len(list) > 12 {
				list, more = list[:12], fmt.Sprintf(" and %d more", len(list)-12)
			}
			f.c.warn("no layout of %s%s has a place for the %s; it got the place of the master or one at the edge", strings.Join(list, ", "), more, footerNames[typ])
		}
	}
}

var footerNames = map[string]string{"hdr": "header", "dt": "date", "ftr": "footer", "sldNum": "number"}

// page makes one page show what is wished.
func (f *footerEdit) page(ctx context.Context, part string, p footerPlace, wishes []footerWish, number, label string) error {
	before := f.edit.Edits()
	for _, w := range wishes {
		t, err := f.tree(ctx, part)
		if err != nil {
			return err
		}
		if t.spTree() == nil {
			return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: it has no shape tree", part)
		}
		var found []*shape
		for s := range flat(shapes(t.spTree(), every)) {
			if s.phType() == w.typ {
				found = append(found, s)
			}
		}
		switch {
		case w.off && len(found) > 0:
			if err := f.removeShape(ctx, t, &foundShape{shape: found[0], all: found}); err != nil {
				return err
			}
		case w.off:
		case len(found) > 0:
			var splices []xmlscan.Splice
			for _, s := range found {
				splices = append(splices, f.setFooterText(t, s, w, number)...)
			}
			f.setTree(t, splices)
		default:
			xml, direct := f.newFooter(t, p, w, number)
			if !direct {
				if f.made == nil {
					f.made = map[string][]string{}
				}
				f.made[w.typ] = append(f.made[w.typ], label)
			}
			if err := f.insert(t, xml, nil); err != nil {
				return err
			}
		}
	}
	if f.edit.Edits() != before {
		f.c.r.Hits++
	}
	return nil
}

// pageSchema orders the children of slides, layouts and masters of all kinds
// (19.3.1.38, 19.3.1.39, 19.3.1.42).
var pageSchema = element.NewSchema("cSld clrMap clrMapOvr sldLayoutIdLst transition timing hf txStyles notesStyle extLst")

// masters makes the masters and layouts show what is wished, which new slides take over:
// the texts of their placeholders, and p:hf (19.3.1.25).
func (f *footerEdit) masters(ctx context.Context) error {
	masters, err := f.related(ctx, f.main, relMaster)
	if err != nil {
		return err
	}
	layouts, err := f.allLayouts(ctx, nil)
	if err != nil {
		return err
	}
	before, changed := f.edit.Edits(), [2]int{}
	count := func(i int) {
		if f.edit.Edits() != before {
			changed[i]++
		}
		before = f.edit.Edits()
	}
	if !f.titlesOnly {
		for _, m := range masters {
			if err := f.masterPage(ctx, m.Target, f.wishes); err != nil {
				return err
			}
			count(0)
		}
	}
	for _, l := range layouts {
		if err := ctx.Err(); err != nil {
			return err
		}
		wishes := f.wishes
		if f.skipTitles && l.typ == "title" {
			wishes = []footerWish{{typ: "dt", off: true}, {typ: "ftr", off: true}, {typ: "sldNum", off: true}}
		} else if f.titlesOnly {
			continue
		}
		if err := f.masterPage(ctx, l.part, wishes); err != nil {
			return err
		}
		count(1)
	}
	if changed != [2]int{} {
		f.c.note("%s and %s changed too, for new slides", formats.Count(changed[0], "master"), formats.Count(changed[1], "layout"))
	}
	return nil
}

// masterPage sets the texts of the placeholders of a master or layout, and which of them
// new slides show. The placeholders themselves stay.
func (f *footerEdit) masterPage(ctx context.Context, part string, wishes []footerWish) error {
	t, err := f.tree(ctx, part)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for s := range flat(shapes(t.spTree(), every)) {
		for _, w := range wishes {
			if s.phType() == w.typ && !w.off {
				splices = append(splices, f.setFooterText(t, s, w, "‹#›")...)
			}
		}
	}
	f.setTree(t, append(splices, t.headersShown(wishes)...))
	delete(f.deck.layouts, part)
	return nil
}

// headersShown returns the edit that makes p:hf say which placeholders new slides show. A
// page without it shows none; an attribute that is absent is true.
func (t *tree) headersShown(wishes []footerWish) []xmlscan.Splice {
	hf := t.Root.Child(nsP, "hf")
	on := map[string]bool{}
	names := []string{"sldNum", "hdr", "ftr", "dt"}
	for _, name := range names {
		on[name] = hf != nil && !isFalse(hf.Value(name))
	}
	for _, w := range wishes {
		on[w.typ] = !w.off
	}
	attrs, any := "", false
	for _, name := range names {
		if any = any || on[name]; !on[name] {
			attrs += " " + name + `="0"`
		}
	}
	if hf == nil {
		if !any {
			return nil
		}
		edit, ok := element.Insert(t.Doc, pageSchema, "hf", "<"+qualify(t.Root.Prefix, "hf")+attrs+"/>")
		if !ok {
			return nil
		}
		return []xmlscan.Splice{edit}
	}
	same := true
	for _, name := range names {
		same = same && on[name] == !isFalse(hf.Value(name))
	}
	if same {
		return nil
	}
	tag := "<" + qualify(hf.Prefix, "hf") + attrs
	if hf.Empty {
		return []xmlscan.Splice{{Start: hf.Start, End: hf.End, New: []byte(tag + "/>")}}
	}
	return []xmlscan.Splice{{Start: hf.Start, End: hf.End, New: []byte(tag + ">")}}
}

// notesPages sets the footers of the notes pages of slides; all also means the notes
// master and the handout master.
func (f *footerEdit) notesPages(ctx context.Context, list []int, all bool) error {
	if f.skipTitles || f.titlesOnly {
		return formats.Errorf(formats.CodeInvalid, "title_slides is for on: slides; notes pages have no titles")
	}
	asked := slices.ContainsFunc(f.wishes, func(w footerWish) bool { return !w.off })
	part := ""
	if rels, err := f.related(ctx, f.main, relNotesMaster); err != nil {
		return err
	} else if len(rels) > 0 {
		part = rels[0].Target
	} else if !asked {
		return nil
	}
	if part == "" {
		var err error
		if part, err = f.notesMaster(ctx); err != nil {
			return err
		}
	}
	return f.notesUnder(ctx, part, list, all)
}
