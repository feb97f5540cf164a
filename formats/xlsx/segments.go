package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/formats/inline"
	"atelier/formats/opc"
	"atelier/formats/xmlscan"
)

// unit is a segment with where it lives.
type unit struct {
	seg   formats.Segment
	tag   tagged
	rst   rst // of cells and comments
	sst   int // shared string, -1: none
	sheet int // index in workbook.sheets of an inline cell or header, else -1
	at    ref
	hf    string // element name of a header or footer
	part  string // comments and drawings: the part, and the span to replace
	span  span
	paraP string // prefix of DrawingML elements
	plain bool   // the span is character data
}

// collector gathers the units of a workbook in document order.
type collector struct {
	ctx     context.Context
	wb      *workbook
	strings *sharedStrings
	seen    map[int]*unit // by shared string
	parts   map[string]bool
	units   []*unit
	headers map[*unit][]headerUse
	tables  [][]*table // by sheet
}

// headerUse says that a unit is the header of a table column.
type headerUse struct {
	table  *table
	column int
}

// Segments lists the texts of cells (each shared string once, at its first
// use), page headers, comments, drawings and charts. Numbers, formulas, and
// strings that are only a URL, an e-mail address or have no letter are none.
func (segmenter) Segments(ctx context.Context, src formats.Source, _ formats.SegmentOptions) ([]formats.Segment, error) {
	wb, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	c, err := wb.collect(ctx)
	if err != nil {
		return nil, typed(err, src.Name())
	}
	out := make([]formats.Segment, len(c.units))
	for i, u := range c.units {
		out[i] = u.seg
	}
	return out, nil
}

func (wb *workbook) collect(ctx context.Context) (*collector, error) {
	ss, err := wb.strings(ctx)
	if err != nil {
		return nil, err
	}
	c := &collector{ctx: ctx, wb: wb, strings: ss, seen: map[int]*unit{}, parts: map[string]bool{}, headers: map[*unit][]headerUse{}, tables: make([][]*table, len(wb.sheets))}
	for i, sh := range wb.sheets {
		if sh.part == "" {
			continue
		}
		if sh.worksheet() {
			if err := c.sheet(i); err != nil {
				return nil, err
			}
		}
		if err := c.related(i); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// sheet collects the cells and page headers of a worksheet.
func (c *collector) sheet(i int) error {
	sh := c.wb.sheets[i]
	tables, err := c.wb.tablesOf(c.ctx, sh.part)
	if err != nil {
		return err
	}
	c.tables[i] = tables
	s, rc, err := c.wb.openSheet(c.ctx, sh.part)
	if err != nil {
		return err
	}
	defer rc.Close()
	head, err := s.head()
	if errors.Is(err, errNoData) {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		ev, err := s.next()
		if err != nil {
			return err
		}
		if ev == evEnd {
			break
		}
		if ev == evCell && !s.cell.hasF {
			c.cell(i, s, tables)
		}
	}
	tail, err := s.tail()
	if err != nil {
		return err
	}
	c.pageHeaders(i, append(head, tail...))
	return nil
}

// cell collects the current cell when it holds translatable text.
func (c *collector) cell(i int, s *rowScanner, tables []*table) {
	var u *unit
	at := ref{s.cell.row, s.cell.col}
	place := c.wb.sheets[i].name + "!" + cellName(at.row, at.col)
	switch {
	case s.cell.typ == typeShared && s.cell.v.ok():
		n := atoi(trimSpace(s.text(s.cell.v)))
		var known bool
		if u, known = c.seen[n]; !known {
			u = c.add(fmt.Sprintf("sst:%d", n), place, c.strings.raw(n))
			c.seen[n] = u
			if u != nil {
				u.sst = n
			}
		}
	case s.cell.typ == typeInline && s.cell.is.ok():
		if u = c.add(fmt.Sprintf("cell:%d:%s", i+1, cellName(at.row, at.col)), place, s.text(s.cell.is)); u != nil {
			u.sheet, u.at = i, at
		}
	}
	if u == nil {
		return
	}
	for _, t := range tables {
		if col := t.headerAt(at); col >= 0 {
			c.headers[u] = append(c.headers[u], headerUse{t, col})
			u.seg.MaxLength = 255
			u.seg.Notes = append(u.seg.Notes, fmt.Sprintf("column name of the table %s: must differ from its other column names", t.name))
		}
	}
}

// add makes the unit of a CT_Rst; nil when it is not to be translated.
func (c *collector) add(id, place string, raw []byte) *unit {
	if !translatable(richText(raw)) {
		return nil
	}
	r := parseRst(bytes.Clone(raw))
	u := &unit{tag: tag(r.runs), rst: r, sst: -1, sheet: -1}
	u.seg = formats.Segment{ID: id, Text: u.tag.text, Place: place, Part: "cell", MaxLength: maxCellText}
	c.units = append(c.units, u)
	return u
}

var (
	onlyLink = regexp.MustCompile(`^(?i:(?:https?|ftp|file|mailto|tel):\S+|www\.\S+\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+)$`)
	onlyCode = regexp.MustCompile(`^(?:\{[0-9A-Za-z_]*\}|%[sdvfq]|\$\{[^}]*\})$`)
)

// translatable reports whether a text is for people: it has a letter and is
// not only a link, an address or a placeholder (TR-04).
func translatable(s string) bool {
	s = strings.TrimSpace(s)
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && !onlyLink.MatchString(s) && !onlyCode.MatchString(s)
}

var headerNames = []string{"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"}

func (c *collector) pageHeaders(i int, doc []byte) {
	k := skeleton{doc: doc, cut: len(doc)}
	for _, name := range headerNames {
		for _, t := range k.elements(name) {
			if t.Empty || t.Depth != 3 { // deeper ones belong to custom views
				continue
			}
			n := textEnd(doc[t.End:])
			runs := headerRuns(charData(doc[t.End : t.End+n]))
			if !translatable(plainOf(runs)) {
				continue
			}
			u := &unit{tag: tag(runs), sst: -1, sheet: i, hf: name}
			u.seg = formats.Segment{ID: fmt.Sprintf("page:%d:%s", i+1, name), Text: u.tag.text, Place: c.wb.sheets[i].name + ", " + name, MaxLength: 255}
			c.units = append(c.units, u)
		}
	}
}

// related collects the comments, drawings and charts that belong to a sheet.
func (c *collector) related(i int) error {
	rels, err := c.wb.pkg.Rels(c.ctx, c.wb.sheets[i].part)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.External || !c.wb.pkg.Has(r.Target) || c.parts[r.Target] {
			continue
		}
		switch r.Type {
		case relComments:
			c.parts[r.Target] = true
			err = c.comments(i, r.Target)
		case relThreaded:
			c.parts[r.Target] = true
			err = c.threaded(i, r.Target)
		case relDrawing:
			err = c.drawing(i, r.Target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) comments(i int, part string) error {
	doc, err := c.wb.pkg.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	at := ""
	n := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Local == "comment":
			at = t.AttrLocal("ref")
			n++
		case t.Local == "text" && t.Depth == 4 && !t.Empty:
			end := endTagStart(doc, sc.Skip())
			// The stand-in that Excel writes for a threaded comment is replaced
			// from that one whenever it is saved.
			if strings.HasPrefix(richText(doc[t.End:end]), "[Threaded comment]") {
				continue
			}
			u := c.add(fmt.Sprintf("note:%d:%d", i+1, n), fmt.Sprintf("%s!%s, comment", c.wb.sheets[i].name, at), doc[t.End:end])
			if u != nil {
				u.part, u.span = part, span{t.End, end}
			}
		}
	}
	return corruptPart(sc.Err(), part)
}

// threaded collects comments of the newer kind ([MS-XLSX] 2.6.206), which are
// plain text.
func (c *collector) threaded(i int, part string) error {
	doc, err := c.wb.pkg.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	at := ""
	n := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start:
		case t.Local == "threadedComment":
			at = t.AttrLocal("ref")
			n++
		case t.Local == "text" && t.Depth == 3 && !t.Empty:
			end := endTagStart(doc, sc.Skip())
			runs := []run{{text: charData(doc[t.End:end])}}
			if !translatable(runs[0].text) {
				continue
			}
			u := &unit{tag: tag(runs), sst: -1, sheet: -1, part: part, span: span{t.End, end}, plain: true}
			u.seg = formats.Segment{ID: fmt.Sprintf("thread:%d:%d", i+1, n), Text: u.tag.text, Place: fmt.Sprintf("%s!%s, comment", c.wb.sheets[i].name, at)}
			c.units = append(c.units, u)
		}
	}
	return corruptPart(sc.Err(), part)
}

func corruptPart(err error, part string) error {
	if err == nil {
		return nil
	}
	return formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
}

// drawing collects the text of a drawing and of the charts in it.
func (c *collector) drawing(i int, part string) error {
	if c.parts[part] {
		return nil
	}
	c.parts[part] = true
	if err := c.paragraphs(i, part, "drawing"); err != nil {
		return err
	}
	rels, err := c.wb.pkg.Rels(c.ctx, part)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type == relChart && isChartRel(r) && c.wb.pkg.Has(r.Target) && !c.parts[r.Target] {
			c.parts[r.Target] = true
			if err := c.paragraphs(i, r.Target, "chart"); err != nil {
				return err
			}
		}
	}
	return nil
}

const nsDrawing = "http://schemas.openxmlformats.org/drawingml/2006/main"

// paragraphs collects the DrawingML paragraphs (21.1.2.2.6) of a part.
func (c *collector) paragraphs(i int, part, what string) error {
	doc, err := c.wb.pkg.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	sc := xmlscan.New(doc)
	n := 0
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || !t.Is(nsDrawing, "p") || t.Empty {
			continue
		}
		n++
		u := readParagraph(doc, sc, t)
		if u == nil {
			continue
		}
		u.part = part
		u.seg = formats.Segment{ID: fmt.Sprintf("%s:%d", strings.TrimPrefix(part, opc.Resolve(c.wb.main, ".")+"/"), n), Text: u.tag.text, Place: fmt.Sprintf("%s, %s", c.wb.sheets[i].name, what)}
		c.units = append(c.units, u)
	}
	return corruptPart(sc.Err(), part)
}

// readParagraph reads the paragraph that sc has just entered; nil when it has
// nothing to translate.
func readParagraph(doc []byte, sc *xmlscan.Scanner, p xmlscan.Token) *unit {
	u := &unit{sst: -1, sheet: -1}
	if p.Prefix != "" {
		u.paraP = p.Prefix + ":"
	}
	var runs []run
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.End && t.Depth == p.Depth {
			break
		}
		if t.Kind != xmlscan.Start || t.Depth != p.Depth+1 {
			continue
		}
		end := sc.Skip()
		if t.Local == "pPr" || t.Local == "endParaRPr" {
			continue
		}
		if !u.span.ok() {
			u.span.start = t.Start
		}
		u.span.end = end
		elem := doc[t.Start:end]
		if t.Is(nsDrawing, "r") {
			runs = append(runs, run{props: childElement(elem, "rPr"), text: drawingText(elem)})
		} else {
			runs = append(runs, run{opaque: elem})
		}
	}
	if !translatable(plainOf(runs)) {
		return nil
	}
	u.tag = tag(runs)
	return u
}

// drawingText is the text of an a:r.
func drawingText(elem []byte) string {
	t := childElement(elem, "t")
	i, j := bytes.IndexByte(t, '>'), bytes.LastIndexByte(t, '<')
	if i < 0 || j <= i {
		return ""
	}
	return charData(t[i+1 : j])
}

// paragraphXML writes runs as DrawingML.
func (u *unit) paragraphXML(runs []run) string {
	var sb strings.Builder
	for _, r := range runs {
		if r.opaque != nil {
			sb.Write(r.opaque)
			continue
		}
		sb.WriteString("<" + u.paraP + "r>")
		sb.Write(r.props)
		sb.WriteString("<" + u.paraP + "t>" + xmlscan.Escape(r.text) + "</" + u.paraP + "t></" + u.paraP + "r>")
	}
	return sb.String()
}

// runsFor turns a target for u into runs, or says why it cannot be taken.
func (u *unit) runsFor(target string) ([]run, error) {
	runs, err := u.tag.apply(target)
	if err == nil && u.seg.MaxLength > 0 {
		text := inline.Plain(target)
		if u.hf != "" {
			text = headerString(runs)
		}
		if n := utf16Len(text); n > u.seg.MaxLength {
			err = formats.Errorf(formats.CodeInvalid, "it has %d characters; at most %d fit here", n, u.seg.MaxLength)
		}
	}
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "segment %s: %w", u.seg.ID, err)
	}
	return runs, nil
}
