package odt

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/reserve"
	"atelier/internal/textclip"
)

const (
	nsText   = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
	nsTable  = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
	nsOffice = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
	nsDraw   = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
)

// Format returns the OpenDocument text format: it maps and reads.
func Format() *formats.Format {
	return reserve.Office(&formats.Format{Kind: formats.KindODT, Mapper: odt{}, Reader: odt{}}, reserve.Needs{Read: 6})
}

type odt struct{}

// line is a paragraph or table row; level is that of a heading, else 0.
type line struct {
	text  string
	level int
}

// section is a heading with the lines up to the next.
type section struct {
	heading string
	level   int
	lines   []string
}

func (s section) text() string { return strings.Join(s.lines, "\n") }

// Map describes the structure of a document, in at most formats.MaxMap bytes.
type Map struct {
	CharCount       int          `json:"char_count"`
	Sections        []SectionMap `json:"sections"`
	SectionsOmitted int          `json:"sections_omitted,omitempty"`
	Tables          int          `json:"table_count,omitempty"`
	Images          int          `json:"image_count,omitempty"`
}

// SectionMap is a heading with the size of what is under it.
type SectionMap struct {
	Heading   string `json:"heading"`
	Level     int    `json:"level"`
	CharCount int    `json:"char_count"`
}

// Map implements formats.Mapper.
func (odt) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (any, error) {
	c, err := load(ctx, src)
	if err != nil {
		return nil, err
	}
	m := &Map{Tables: c.tables, Images: c.images}
	size := 200
	for _, s := range sections(c.lines) {
		one := SectionMap{textclip.Head(s.heading, 100), s.level, utf8.RuneCountInString(s.text())}
		m.CharCount += one.CharCount
		if size += len(one.Heading)*6 + 60; size > formats.MaxMap {
			m.SectionsOmitted++
			continue
		}
		m.Sections = append(m.Sections, one)
	}
	return m, nil
}

// Read implements formats.Reader: the whole text, or one section by heading or
// 0-based index (W-38).
func (odt) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	c, err := load(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	secs := sections(c.lines)
	want := strings.TrimSpace(sel.Section)
	if want == "" {
		var all []string
		for _, s := range secs {
			all = append(all, s.lines...)
		}
		return formats.Text{Text: strings.Join(all, "\n")}, nil
	}
	at := -1
	for i, s := range secs {
		if at < 0 && s.heading != "" && strings.EqualFold(s.heading, want) {
			at = i
		}
	}
	if n, err := strconv.Atoi(want); at < 0 && err == nil && n >= 0 && n < len(secs) {
		at = n
	}
	if at < 0 {
		return formats.Text{}, formats.Errorf(formats.CodeNotFound, "section not found: %s", want)
	}
	chunk := &formats.ChunkInfo{ChunkIndex: at, TotalChunks: len(secs), HasMore: at+1 < len(secs), Range: fmt.Sprintf("section %d of %d", at, len(secs))}
	if chunk.HasMore {
		chunk.Next = fmt.Sprintf(`section="%d"`, at+1)
	}
	return formats.Text{Text: secs[at].text(), Chunk: chunk}, nil
}

func sections(lines []line) []section {
	var out []section
	for _, l := range lines {
		if l.level > 0 && strings.TrimSpace(l.text) != "" {
			out = append(out, section{heading: strings.TrimSpace(l.text), level: l.level})
		} else if len(out) == 0 {
			out = append(out, section{})
		}
		out[len(out)-1].lines = append(out[len(out)-1].lines, l.text)
	}
	if len(out) > 1 && out[0].heading == "" && strings.TrimSpace(out[0].text()) == "" {
		out = out[1:]
	}
	if len(out) == 0 {
		out = []section{{}}
	}
	return out
}

// content is the text content of a document.
type content struct {
	lines          []line
	tables, images int
}

func load(ctx context.Context, src formats.Source) (*content, error) {
	pkg, err := opc.OpenZip(src)
	if err != nil {
		return nil, err
	}
	if pkg.Has("META-INF/manifest.xml") {
		m, err := pkg.ReadXML(ctx, "META-INF/manifest.xml")
		if err != nil {
			return nil, err
		}
		if bytes.Contains(m, []byte("encryption-data")) {
			return nil, formats.Errorf(formats.CodeEncrypted, "%s is encrypted with a password; save a copy without one", src.Name())
		}
	}
	if !pkg.Has("content.xml") {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is a zip file but no OpenDocument text: it has no content.xml", src.Name())
	}
	doc, err := pkg.ReadXML(ctx, "content.xml")
	if err != nil {
		return nil, err
	}
	c, err := parse(doc)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: content.xml: %w", src.Name(), err)
	}
	return c, ctx.Err()
}

// paragraph is an open paragraph; notes and boxes can nest in others.
type paragraph struct {
	depth, level int
	text         strings.Builder
}

// table is an open table.
type table struct {
	depth int
	cells []string
	cell  []string
	times int // the present cell repeats
}

// maxRepeat bounds what repeated cells are written out.
const maxRepeat = 64

type parser struct {
	content
	paras  []*paragraph
	tables []*table
}

func parse(doc []byte) (*content, error) {
	p := &parser{}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			// Deleted text, comments and forms are not text of the document.
			if t.Is(nsText, "tracked-changes") || t.Is(nsOffice, "annotation") || t.Is(nsOffice, "forms") || t.Is(nsOffice, "styles") || t.Is(nsOffice, "automatic-styles") {
				sc.Skip()
				continue
			}
			p.start(t)
			if t.Empty {
				p.end(t)
			}
		case xmlscan.End:
			p.end(t)
		case xmlscan.Text, xmlscan.CData:
			p.addChars(t)
		}
	}
	return &p.content, sc.Err()
}

func (p *parser) start(t xmlscan.Token) {
	switch {
	case t.Is(nsText, "p"), t.Is(nsText, "h"):
		para := &paragraph{depth: t.Depth}
		if t.Local == "h" {
			para.level = 1
			if n, err := strconv.Atoi(t.AttrLocal("outline-level")); err == nil && n > 0 {
				para.level = n
			}
		}
		p.paras = append(p.paras, para)
	case t.Is(nsText, "s"):
		n, err := strconv.Atoi(t.AttrLocal("c"))
		if err != nil {
			n = 1
		}
		p.addText(strings.Repeat(" ", min(max(n, 0), 1000)))
	case t.Is(nsText, "tab"):
		p.addText("\t")
	case t.Is(nsText, "line-break"):
		p.addText("\n")
	case t.Is(nsTable, "table"):
		p.content.tables++
		p.tables = append(p.tables, &table{depth: t.Depth})
	case t.Is(nsTable, "table-row"):
		if n := len(p.tables); n > 0 {
			p.tables[n-1].cells = nil
		}
	case t.Is(nsTable, "table-cell"), t.Is(nsTable, "covered-table-cell"):
		if n := len(p.tables); n > 0 {
			p.tables[n-1].cell, p.tables[n-1].times = nil, 1
			if k, err := strconv.Atoi(t.AttrLocal("number-columns-repeated")); err == nil {
				p.tables[n-1].times = min(max(k, 1), maxRepeat)
			}
		}
	case t.Is(nsDraw, "image"):
		p.images++
	}
}

func (p *parser) addText(s string) {
	if n := len(p.paras); n > 0 {
		p.paras[n-1].text.WriteString(s)
	}
}

// addChars adds text; runs of white space are one blank (ODF 1.3 part 3, 6.1.2).
func (p *parser) addChars(t xmlscan.Token) {
	if len(p.paras) == 0 {
		return
	}
	s := string(t.Bytes())
	if t.Kind == xmlscan.CData {
		s = strings.TrimSuffix(strings.TrimPrefix(s, "<![CDATA["), "]]>")
	} else {
		s = xmlscan.Unescape(t.Bytes())
	}
	var sb strings.Builder
	blank := false
	for _, r := range s {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
			if !blank {
				sb.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank = false
		sb.WriteRune(r)
	}
	p.addText(sb.String())
}

func (p *parser) end(t xmlscan.Token) {
	if n := len(p.paras); n > 0 && p.paras[n-1].depth == t.Depth && t.Space == nsText {
		para := p.paras[n-1]
		p.paras = p.paras[:n-1]
		p.placeParagraph(strings.TrimRight(para.text.String(), " "), para.level)
		return
	}
	n := len(p.tables)
	if n == 0 || t.Space != nsTable {
		return
	}
	top := p.tables[n-1]
	switch t.Local {
	case "table-cell", "covered-table-cell":
		for range top.times {
			top.cells = append(top.cells, strings.Join(top.cell, " "))
		}
	case "table-row":
		row := strings.Join(top.cells, "\t")
		if n > 1 {
			p.tables[n-2].cell = append(p.tables[n-2].cell, strings.TrimSpace(row))
		} else {
			p.lines = append(p.lines, line{text: row})
		}
	case "table":
		if top.depth == t.Depth {
			p.tables = p.tables[:n-1]
		}
	}
}

// placeParagraph places the text of a paragraph: in the cell, or as a line.
func (p *parser) placeParagraph(text string, level int) {
	if n := len(p.tables); n > 0 {
		if text != "" {
			p.tables[n-1].cell = append(p.tables[n-1].cell, strings.ReplaceAll(text, "\n", " "))
		}
		return
	}
	p.lines = append(p.lines, line{text, level})
}
