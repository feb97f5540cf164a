package template

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// drawn are the ends of the content types of parts whose text is DrawingML and that
// exist once for a file, not for a record: charts, diagrams and their drawings, masters
// and layouts of slides.
var drawn = []string{"drawingml.chart+xml", "diagramData+xml", "diagramDrawing+xml", "slideMaster+xml", "slideLayout+xml"}

func isDrawn(contentType string) bool {
	for _, end := range drawn {
		if strings.HasSuffix(contentType, end) {
			return true
		}
	}
	return false
}

// drawnParts fills the parts of a package that are drawn and that done does not name.
func (f *filler) drawnParts(ctx context.Context, ed *opc.Edit, pkg *opc.Package, s *scope, done map[string]bool) error {
	for _, name := range pkg.Names() {
		if done[name] || !isDrawn(pkg.ContentType(name)) {
			continue
		}
		if err := f.part(ctx, ed, name, nsDrawing, s, nil); err != nil {
			return err
		}
	}
	return nil
}

// maxHeader is how many characters a header or footer of a sheet has at most in Excel.
const maxHeader = 255

// headersOf fills the headers and footers of a sheet (18.3.1.46). An ampersand of a value
// is doubled, since single ones begin codes, and a value that begins with a digit is kept
// apart from a font size before it.
func (f *filler) headersOf(ctx context.Context, ed *opc.Edit, part, sheet string, s *scope) error {
	doc, err := ed.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	at := bytes.LastIndex(doc, []byte("headerFooter"))
	if at < 0 {
		return nil
	}
	at = bytes.LastIndex(doc[:at], []byte("sheetData"))
	if at = max(at, 0) + bytes.IndexByte(doc[max(at, 0):], '>') + 1; !mayAsk(doc[at:]) {
		return nil
	}
	var edits []xmlscan.Splice
	for _, m := range headerText.FindAllStringSubmatchIndex(string(doc[at:]), -1) {
		from, to := at+m[4], at+m[5]
		kind := string(doc[at+m[2] : at+m[3]])
		place := func() string { return fmt.Sprintf("the %s of the sheet %q", strings.ToLower(kind), sheet) }
		was := xmlscan.Unescape(doc[from:to])
		ranges, err := f.inline(ctx, was, s, place)
		if err != nil {
			return err
		}
		var sb strings.Builder
		last := 0
		for _, r := range ranges {
			sb.WriteString(was[last:r.Start])
			if r.New != "" && r.New[0] >= '0' && r.New[0] <= '9' && fontSize.MatchString(was[last:r.Start]) {
				sb.WriteByte(' ')
			}
			sb.WriteString(strings.ReplaceAll(r.New, "&", "&&"))
			last = r.End
		}
		sb.WriteString(was[last:])
		if n := utf8.RuneCountInString(sb.String()); n > maxHeader {
			return formats.Errorf(formats.CodeInvalid, "%s would have %d characters with its codes; Excel takes at most %d", place(), n, maxHeader)
		}
		if len(ranges) > 0 {
			edits = append(edits, xmlscan.Splice{Start: from, End: to, New: []byte(xmlscan.Escape(sb.String()))})
		}
	}
	if len(edits) > 0 {
		ed.Set(part, xmlscan.Apply(doc, edits))
	}
	return nil
}

var (
	headerText = lazyregexp.New(`<(?:\w+:)?(?:odd|even|first)(Header|Footer)(?:\s[^>]*)?>([^<]*)</`)
	fontSize   = lazyregexp.New(`&\d+$`)
	left       = lazyregexp.New(`\{\{[^{}<>\n]{1,200}\}\}`)
	values     = lazyregexp.New(`<(?:\w+:)?v>[^<]*\{\{[^<]*</`)
)

// leftover names placeholders in places that are not filled: the data of charts, comments
// and properties.
func (f *filler) leftover(ctx context.Context, ed *opc.Edit, pkg *opc.Package) error {
	for _, name := range pkg.Names() {
		what, find := "", func(b []byte) []byte { return []byte(left.FindString(string(b))) }
		switch t := strings.ToLower(pkg.ContentType(name)); {
		case strings.HasSuffix(t, "drawingml.chart+xml"):
			what, find = "the data of a chart", func(b []byte) []byte { return []byte(left.FindString(values.FindString(string(b)))) }
		case strings.HasSuffix(t, "comments+xml"), strings.HasSuffix(t, "comment+xml"):
			what = "a comment"
		case strings.HasSuffix(t, "core-properties+xml"), strings.HasSuffix(t, "extended-properties+xml"), strings.HasSuffix(t, "custom-properties+xml"):
			what = "the properties"
		default:
			continue
		}
		if pkg.Size(name) > maxPart {
			continue
		}
		doc, err := ed.ReadXML(ctx, name)
		if err != nil {
			return err
		}
		if raw := find(doc); len(raw) > 0 {
			f.tally.Note(fmt.Sprintf("%s has placeholders, which are not filled there: %s", what, clip(xmlscan.Unescape(raw))))
		}
	}
	return ctx.Err()
}
