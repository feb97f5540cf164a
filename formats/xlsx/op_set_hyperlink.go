package xlsx

import (
	"bytes"
	"context"
	"net/url"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

const relHyperlink = opc.RelPrefix + "hyperlink"

// maxLink is the length of an address that Excel still follows.
const maxLink = 2079

type setHyperlinkArgs struct {
	sheetArgs
	Cell     string  `json:"cell" usage:"cell"`
	Range    string  `json:"range" usage:"or range" jsonschema:"{ops}: instead of cell"`
	URL      *string `json:"url" usage:"url" jsonschema:"{ops}: web or mail address; an empty one removes the link. The cell looks like a link unless style says otherwise"`
	Location string  `json:"location" usage:"or location" jsonschema:"{ops}: a place in this workbook, such as Sheet2!A1"`
	Text     *string `json:"text" jsonschema:"{ops}: new text of the cell"`
	Tooltip  string  `json:"tooltip" jsonschema:"{ops}"`
	styleArgs
}

func (p *plan) setHyperlink(_ context.Context, op setHyperlinkArgs) (int, error) {
	where := op.Cell
	if where == "" {
		where = op.Range
	} else {
		p.unused("", givenMember{"range", op.Range != ""})
	}
	if where == "" {
		return 0, formats.Errorf(formats.CodeInvalid, "cell is required")
	}
	areas, err := ranges(where)
	if err != nil {
		return 0, err
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	if op.URL != nil && *op.URL == "" && op.Location == "" {
		p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
			for _, area := range areas {
				n, err := w.dropLinks(ctx, area)
				if err != nil {
					return err
				}
				w.rep.Hits += n
			}
			if w.rep.Hits == 0 {
				w.rep.Warnings = append(w.rep.Warnings, "there is no link in "+blockList(areas))
			}
			return nil
		})
		return 0, nil
	}
	link, err := p.readLink(op)
	if err != nil {
		return 0, err
	}
	cells := 0
	for _, area := range areas {
		n, err := s.setText(cellref.At(area.R1, area.C1), op.Text)
		if err != nil {
			return 0, err
		}
		cells += n
	}
	style := op.Style
	if len(style) == 0 {
		style = styleMap{"font_color": "0563C1", "font_underline": "single"}
	}
	if err := s.styleCells(style, areas...); err != nil {
		return 0, err
	}
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
		for _, area := range areas {
			if err := w.link(ctx, area, link); err != nil {
				return err
			}
		}
		w.rep.Hits, w.rep.Made = len(areas), w.sheet.name+"!"+blockList(areas)
		return nil
	})
	return cells, nil
}

// setText writes a text into a cell, unless it is nil; it returns how many cells
// it wrote.
func (s *planSheet) setText(at cellref.Cell, text *string) (int, error) {
	if text == nil {
		return 0, nil
	}
	v, err := textValue(*text, true)
	if err != nil {
		return 0, err
	}
	s.set(at, v)
	return 1, nil
}

// hyperlink is where a link leads: exactly one of url and location, or an
// address with a place in it.
type hyperlink struct{ url, location, tooltip string }

func (p *plan) readLink(op setHyperlinkArgs) (hyperlink, error) {
	l := hyperlink{location: strings.TrimPrefix(op.Location, "#"), tooltip: op.Tooltip}
	if op.URL != nil {
		l.url = strings.TrimSpace(*op.URL)
	}
	if strings.HasPrefix(l.url, "#") {
		l.location, l.url = l.url[1:], ""
	}
	switch {
	case l.url == "" && l.location == "":
		return l, formats.Errorf(formats.CodeInvalid, "url or location is required; an empty url removes the link")
	case len(l.url) > maxLink:
		return l, formats.Errorf(formats.CodeInvalid, "the address has %d characters; the limit is %d", len(l.url), maxLink)
	case sheetml.UTF16Len(l.tooltip) > 255:
		return l, formats.Errorf(formats.CodeInvalid, "the tooltip has %d characters; the limit is 255", sheetml.UTF16Len(l.tooltip))
	}
	if l.url == "" {
		return l, p.checkLocation(&l)
	}
	u, err := url.Parse(l.url)
	if err != nil {
		return l, formats.Errorf(formats.CodeInvalid, "%s is no address: %w", cellref.QuoteArg(l.url), err)
	}
	switch u.Scheme {
	case "http", "https", "mailto", "ftp", "tel":
	case "":
		if strings.HasPrefix(l.url, "www.") {
			u.Scheme, l.url = "https", "https://"+l.url
			if u, err = url.Parse(l.url); err != nil {
				return l, formats.Errorf(formats.CodeInvalid, "%s is no address", cellref.QuoteArg(l.url))
			}
		}
	default:
		return l, formats.Errorf(formats.CodeInvalid, "links to %s: addresses are not allowed; use http, https, mailto, ftp or tel", u.Scheme)
	}
	l.url = u.String()
	// The part behind # is kept apart in the file (18.3.1.47).
	if i := strings.IndexByte(l.url, '#'); i >= 0 && l.location == "" {
		l.url, l.location = l.url[:i], l.url[i+1:]
	}
	return l, nil
}

// checkLocation makes a place in the workbook well formed.
func (p *plan) checkLocation(l *hyperlink) error {
	i := strings.LastIndexByte(l.location, '!')
	if i < 0 {
		return nil // a defined name, or a cell of the same sheet
	}
	sheet, cell := l.location[:i], l.location[i+1:]
	if strings.HasPrefix(sheet, "'") && strings.HasSuffix(sheet, "'") && len(sheet) > 1 {
		sheet = strings.ReplaceAll(sheet[1:len(sheet)-1], "''", "'")
	}
	n := p.find(sheet)
	if n < 0 {
		return book.UnknownSheet(sheet)
	}
	if _, err := cellref.ParseRange(strings.ReplaceAll(cell, "$", "")); err != nil {
		return err
	}
	l.location = formula.QuoteSheet(p.sheets[n].name) + "!" + cell
	return nil
}

// dropLinks removes the links that lie in a block.
func (w *sheetWork) dropLinks(ctx context.Context, area cellref.Range) (int, error) {
	var ids []string
	var wider error
	n := w.drop("hyperlinks", "hyperlink", func(t xmlscan.Token) bool {
		r := cellref.ParseAttr(t.AttrLocal("ref"))
		if !r.Meets(area) {
			return false
		}
		if !r.Inside(area) {
			wider = formats.Errorf(formats.CodeInvalid, "%s is a part of the link over %s; give that range", area, r)
			return false
		}
		if id := t.AttrLocal("id"); id != "" {
			ids = append(ids, id)
		}
		return true
	})
	if wider != nil {
		return n, wider
	}
	for _, id := range ids {
		if !bytes.Contains(w.skel.Doc, []byte(`"`+id+`"`)) {
			if err := w.f.ed.RemoveRel(ctx, w.part, id); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// link puts a link on a block (18.3.1.47), in place of those in it.
func (w *sheetWork) link(ctx context.Context, area cellref.Range, l hyperlink) error {
	if _, err := w.dropLinks(ctx, area); err != nil {
		return err
	}
	attrs := ` ref="` + area.String() + `"`
	if l.url != "" {
		id, err := w.f.ed.AddRel(ctx, w.part, opc.Relationship{Type: relHyperlink, Target: l.url, External: true})
		if err != nil {
			return err
		}
		attrs += w.relAttr(id)
	}
	if l.location != "" {
		attrs += ` location="` + sheetml.EscapeAttr(l.location) + `"`
	}
	if l.tooltip != "" {
		attrs += ` tooltip="` + sheetml.EscapeAttr(l.tooltip) + `"`
	}
	w.appendTo("hyperlinks", "<"+w.prefix+"hyperlink"+attrs+"/>", false)
	w.rep.Hits, w.rep.Made = 1, w.sheet.name+"!"+area.String()
	return nil
}

// relAttr is the attribute that refers to a relationship, with a declaration
// of its prefix where the sheet has none.
func (w *sheetWork) relAttr(id string) string {
	sc := xmlscan.New(w.skel.Doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			for a := range t.Attrs() {
				if p, ok := strings.CutPrefix(a.Name, "xmlns:"); ok && xmlscan.Transitional(a.Value()) == sheetml.RelNamespace {
					return " " + p + `:id="` + id + `"`
				}
			}
			break
		}
	}
	return ` xmlns:r="` + w.f.ns(sheetml.RelNamespace) + `" r:id="` + id + `"`
}

// ns is a namespace or relationship type in the flavour of the file.
func (f *finisher) ns(uri string) string {
	if f.wb.Strict {
		return xmlscan.Strict(uri)
	}
	return uri
}
