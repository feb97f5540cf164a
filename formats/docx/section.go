package docx

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// formatSectionArgs are the members of format_section.
type formatSectionArgs struct {
	At        string         `json:"at" usage:"at? (a paragraph of the section; default all sections)"`
	Width     *lenient.Float `json:"width" jsonschema:"inches"` // of the page
	Height    *lenient.Float `json:"height" jsonschema:"inches"`
	Columns   *lenient.Int   `json:"columns" jsonschema:"{ops}: of text, 1 to 45"`
	ColumnGap *lenient.Float `json:"column_gap" jsonschema:"{ops}: inches; default 0.5"`
	StartAt   *lenient.Int   `json:"start_at" jsonschema:"{ops}: number of the section's first page"`
	Format    string         `json:"format" jsonschema:"{ops}: of page numbers: decimal, lower_letter, upper_letter, lower_roman, upper_roman"`
	FirstPage *lenient.Bool  `json:"first_page" jsonschema:"{ops}: use a different header and footer on the first page"`
}

// formatSection sets size of paper, columns, page numbers and the first page of
// sections (17.6.4, 17.6.12, 17.6.13, 17.10.6). Absent members leave what the
// section has. It is not recorded as a tracked change.
func (e *editing) formatSection(ctx context.Context, op formatSectionArgs) (formats.OpReport, error) {
	if err := op.check(); err != nil {
		return formats.OpReport{}, err
	}
	return e.changeSections(ctx, op.At, "the section's layout", op.apply)
}

func (op formatSectionArgs) check() error {
	given := false
	for name, v := range map[string]*lenient.Float{"width": op.Width, "height": op.Height} {
		given = given || v != nil
		if v != nil && (*v < 0.5 || *v > maxMargin) {
			return formats.Errorf(formats.CodeInvalid, "%s must be 0.5 to %d inches, not %v", name, maxMargin, *v)
		}
	}
	switch {
	case op.Columns != nil && (*op.Columns < 1 || *op.Columns > 45):
		return formats.Errorf(formats.CodeInvalid, "columns is %d; it is 1 to 45", int(*op.Columns))
	case op.ColumnGap != nil && (*op.ColumnGap < 0 || *op.ColumnGap > maxMargin):
		return formats.Errorf(formats.CodeInvalid, "column_gap must be 0 to %d inches, not %v", maxMargin, *op.ColumnGap)
	case op.StartAt != nil && (*op.StartAt < 0 || *op.StartAt > 32767):
		return formats.Errorf(formats.CodeInvalid, "start_at is %d; it is 0 to 32767", int(*op.StartAt))
	case op.Format != "" && (listFormats[strings.ToLower(op.Format)] == nil || slices.Contains([]string{"bullet", "legal"}, strings.ToLower(op.Format))):
		return formats.Errorf(formats.CodeInvalid, "format %q is not one of decimal, lower_letter, upper_letter, lower_roman, upper_roman", op.Format)
	case !given && op.Columns == nil && op.ColumnGap == nil && op.StartAt == nil && op.Format == "" && op.FirstPage == nil:
		return formats.Errorf(formats.CodeInvalid, "say what to set: width, height, columns, column_gap, start_at, format or first_page")
	}
	return nil
}

func pageNumberFormat(format string) string { return listFormats[strings.ToLower(format)][0] }

// apply returns the properties of a section with the layout.
func (op formatSectionArgs) apply(raw, prefix string) (string, error) {
	pr := sectProps(raw, prefix)
	if op.Width != nil || op.Height != nil {
		size, err := lengthsOf(pr.Get("pgSz"), map[string]int{"w": papers["a4"][0], "h": papers["a4"][1]})
		if err != nil {
			return "", err
		}
		for name, v := range map[string]*lenient.Float{"w": op.Width, "h": op.Height} {
			if v != nil {
				size[name] = int(math.Round(float64(*v) * 1440))
			}
		}
		margins, err := lengthsOf(pr.Get("pgMar"), map[string]int{"top": 1417, "right": 1417, "bottom": 1417, "left": 1417, "gutter": 0})
		if err != nil {
			return "", err
		}
		if margins["left"]+margins["right"]+margins["gutter"] >= size["w"] || max(0, margins["top"])+max(0, margins["bottom"]) >= size["h"] {
			return "", formats.Errorf(formats.CodeInvalid, "the margins leave no room for text on a page of %.4g by %.4g inches; set smaller ones with set_page_setup first", float64(size["w"])/1440, float64(size["h"])/1440)
		}
		orient := ""
		if size["w"] > size["h"] {
			orient = "landscape"
		}
		setAttrs(pr, "pgSz", attr{"code", ""}, attr{"w", strconv.Itoa(size["w"])}, attr{"h", strconv.Itoa(size["h"])}, attr{"orient", orient})
	}
	if op.Columns != nil || op.ColumnGap != nil {
		op.applyColumns(pr)
	}
	if op.StartAt != nil {
		setAttrs(pr, "pgNumType", attr{"start", strconv.Itoa(int(*op.StartAt))})
	}
	if op.Format != "" {
		setAttrs(pr, "pgNumType", attr{"fmt", pageNumberFormat(op.Format)})
	}
	if op.FirstPage != nil {
		if *op.FirstPage {
			setFlag(pr, "titlePg", true)
		} else {
			pr.Drop("titlePg")
		}
	}
	return pr.Optional(), nil
}

// applyColumns makes columns of equal width (17.6.4).
func (op formatSectionArgs) applyColumns(pr *element.Element) {
	old := element.Parse(pr.Get("cols"), pr.Prefix()+"cols", nil)
	if op.Columns != nil { // widths of single columns do not fit another number
		old.Children = nil
		old.DropAttrs(pr.Prefix() + "equalWidth")
		old.DropAttrs(pr.Prefix() + "num")
		if *op.Columns > 1 {
			old.SetAttr(pr.Prefix()+"num", strconv.Itoa(int(*op.Columns)))
		}
	}
	if op.ColumnGap != nil {
		old.SetAttr(pr.Prefix()+"space", strconv.Itoa(int(math.Round(float64(*op.ColumnGap)*1440))))
	}
	if old.Empty() {
		pr.Drop("cols")
		return
	}
	pr.Set("cols", old.String())
}

// changeSections changes the properties of the section of a paragraph, without
// one of all sections.
func (e *editing) changeSections(ctx context.Context, at, what string, change func(raw, prefix string) (string, error)) (formats.OpReport, error) {
	rep := formats.OpReport{}
	p, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return rep, err
	}
	if at != "" {
		i, err := e.sectionAt(ctx, at, secs)
		if err != nil {
			return rep, err
		}
		secs = secs[min(i, len(secs)):min(i+1, len(secs))]
	}
	rep.Hits = max(1, len(secs))
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, what+" is not recorded as a tracked change")
	}
	if len(secs) == 0 { // the last section has no properties yet
		xml, err := change("", p.prefix)
		if err == nil && xml != "" {
			e.put(p, p.stories[0], bodyEnd(p), bodyEnd(p), xml)
		}
		return rep, err
	}
	var splices []xmlscan.Splice
	for _, s := range secs {
		xml, err := change(p.raw(s.span), p.prefix)
		if err != nil {
			return rep, err
		}
		if xml == "" {
			xml = "<" + p.prefix + "sectPr/>"
		}
		if xml != p.raw(s.span) {
			splices = append(splices, xmlscan.Splice{Start: s.start, End: s.end, New: []byte(xml)})
		}
	}
	e.splice(p, splices...)
	return rep, nil
}

// sectionAt returns the index of the section that a block of the body is in;
// len(secs) for a last section without properties.
func (e *editing) sectionAt(ctx context.Context, at string, secs []sectionProps) (int, error) {
	pl, err := e.resolve(ctx, at)
	if err != nil {
		return 0, err
	}
	if pl.name != e.main {
		return 0, formats.Errorf(formats.CodeInvalid, "only the body has sections; %s is in %s", at, pl.what)
	}
	if i := slices.IndexFunc(secs, func(s sectionProps) bool { return s.start >= pl.start }); i >= 0 {
		return i, nil
	}
	return len(secs), nil
}

// insertSectionBreakArgs are the members of insert_section_break.
type insertSectionBreakArgs struct {
	At   string `json:"at" usage:"at (the last paragraph or table before the break)"`
	Type string `json:"type" jsonschema:"{ops}: next_page (default), continuous, even_page or odd_page"`
}

var breakTypes = map[string]string{"": "nextPage", "next_page": "nextPage", "continuous": "continuous", "even_page": "evenPage", "odd_page": "oddPage"}

// insertSectionBreak ends a section with a block of the body (17.6.18). Both
// halves keep the layout; headers and footers go to the first, from which the
// second inherits them (17.10.1), and page numbers go on.
func (e *editing) insertSectionBreak(ctx context.Context, op insertSectionBreakArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	kind, ok := breakTypes[strings.ToLower(op.Type)]
	if !ok {
		return rep, formats.Errorf(formats.CodeInvalid, "type %q is not one of next_page, continuous, even_page, odd_page", op.Type)
	}
	pl, err := e.resolve(ctx, op.At)
	if err != nil {
		return rep, err
	}
	if pl.name != e.main || pl.parent == nil || pl.parent.kind != storyNode || pl.kind != paraNode && pl.kind != tableNode {
		return rep, formats.Errorf(formats.CodeInvalid, "a section can end at a paragraph or table of the body only; %s is none", op.At)
	}
	p, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return rep, err
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the section break is not recorded as a tracked change")
	}
	raw, rest := "", xmlscan.Splice{Start: bodyEnd(p), End: bodyEnd(p)}
	if i, err := e.sectionAt(ctx, op.At, secs); err != nil {
		return rep, err
	} else if i < len(secs) {
		raw, rest = p.raw(secs[i].span), xmlscan.Splice{Start: secs[i].start, End: secs[i].end}
		if secs[i].start < pl.end {
			return rep, formats.Errorf(formats.CodeInvalid, "a section ends at %s already", op.At)
		}
	}
	first, second := sectProps(raw, p.prefix), sectProps(raw, p.prefix)
	first.Drop("sectPrChange")
	second.Drop("headerReference", "footerReference")
	setAttrs(second, "pgNumType", attr{"start", ""})
	setVal(second, "type", kind)
	rest.New = []byte(second.String())
	rep.Moved = e.endSection(pl, first.String(), rest)
	return rep, nil
}

// endSection writes the properties of a section into a paragraph, behind a table
// into a new one.
func (e *editing) endSection(pl place, sectPr string, rest xmlscan.Splice) (moved string) {
	if pl.kind == tableNode {
		w := pl.prefix
		e.splice(pl.part, xmlscan.Splice{Start: pl.end, End: pl.end, New: []byte("<" + w + "p><" + w + "pPr>" + sectPr + "</" + w + "pPr></" + w + "p>")}, rest)
		return "an empty paragraph behind the table ends the section; paragraphs that follow are one further"
	}
	props := paraProps(pl.raw(pl.props), pl.prefix)
	props.Set("sectPr", sectPr)
	e.splice(pl.part, append(propsSplice(pl, props.Optional()), rest)...)
	return ""
}

// deleteSectionBreakArgs are the members of delete_section_break.
type deleteSectionBreakArgs struct {
	At string `json:"at" usage:"at (the paragraph that ends the section)"`
}

// deleteSectionBreak joins a section with the next, whose layout holds for both.
// How the first began, its page numbers, and headers and footers that the second
// inherited stay.
func (e *editing) deleteSectionBreak(ctx context.Context, op deleteSectionBreakArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, err := e.want(ctx, op.At, paraNode)
	if err != nil {
		return rep, err
	}
	p, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return rep, err
	}
	i := slices.IndexFunc(secs, func(s sectionProps) bool { return pl.name == p.name && s.start >= pl.start && s.end <= pl.end })
	if i < 0 {
		return rep, formats.Errorf(formats.CodeInvalid, "no section ends at %s; get_file_info lists the sections", op.At)
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the removed section break is not recorded as a tracked change")
	}
	gone := sectProps(p.raw(secs[i].span), p.prefix)
	raw, rest := "", xmlscan.Splice{Start: bodyEnd(p), End: bodyEnd(p)}
	if i+1 < len(secs) {
		raw, rest = p.raw(secs[i+1].span), xmlscan.Splice{Start: secs[i+1].start, End: secs[i+1].end}
	}
	joined := sectProps(raw, p.prefix)
	lost := inherit(joined, gone)
	joined.Drop("type")
	if kind := gone.Get("type"); kind != "" {
		joined.Set("type", kind)
	}
	if kind := element.Parse(gone.Get("pgNumType"), p.prefix+"pgNumType", nil); kind.String() != "" {
		if start, ok := kind.Attr(p.prefix + "start"); ok {
			setAttrs(joined, "pgNumType", attr{"start", start})
		}
	}
	rest.New = []byte(joined.String())
	props := paraProps(pl.raw(pl.props), pl.prefix)
	props.Drop("sectPr")
	e.splice(pl.part, append(propsSplice(pl, props.Optional()), rest)...)
	if lost > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%d headers or footers of the section that ended there are no longer shown; those of the next section hold now", lost))
	}
	rep.Notes = append(rep.Notes, "the text before the break has the paper, margins and columns of the next section")
	return rep, nil
}

// inherit adds the headers and footers of the section before where a section has
// none of that type, and returns how many it has of its own instead.
func inherit(to, from *element.Element) (lost int) {
	key := func(c element.Child) string {
		kind := attrText(c.XML, "type")
		if kind == "" {
			kind = "default"
		}
		return c.Local + kind
	}
	own := map[string]string{}
	for _, c := range to.Children {
		own[key(c)] = attrText(c.XML, "id")
	}
	for _, c := range slices.Backward(from.Children) {
		if c.Local != "headerReference" && c.Local != "footerReference" {
			continue
		}
		switch id, ok := own[key(c)]; {
		case !ok:
			to.Prepend(c.Local, c.XML)
		case id != attrText(c.XML, "id"):
			lost++
		}
	}
	return lost
}
