package docx

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/opc"
	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

// section is a heading with the lines up to the next one.
type section struct {
	heading string
	level   int
	lines   []string
}

func (s section) text() string { return strings.Join(s.lines, "\n") }

// sections splits lines at headings. Text before the first is section 0 with
// an empty heading; a document without headings is one section.
func sections(lines []line) []section {
	var out []section
	for _, l := range lines {
		if l.level >= 0 {
			out = append(out, section{heading: strings.TrimSpace(l.text), level: l.level})
		} else if len(out) == 0 {
			out = append(out, section{})
		}
		out[len(out)-1].lines = append(out[len(out)-1].lines, l.text)
	}
	if len(out) > 1 && out[0].heading == "" && strings.TrimSpace(out[0].text()) == "" {
		out = out[1:] // only empty lines before the first heading
	}
	if len(out) == 0 {
		out = []section{{}}
	}
	return out
}

func (d *document) body(ctx context.Context) (*layout, []byte, error) {
	st, err := d.styles(ctx)
	if err != nil {
		return nil, nil, err
	}
	doc, err := d.pkg.ReadXML(ctx, d.main)
	if err != nil {
		return nil, nil, err
	}
	l, err := lay(doc, paragraph.Word, st, "")
	return l, doc, corrupt(d.main, err)
}

type reader struct{}

// Read implements formats.Reader: the whole text, or one section (W-38).
func (reader) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	d, err := openDocument(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	l, _, err := d.body(ctx)
	if err != nil {
		return formats.Text{}, err
	}
	if strings.TrimSpace(sel.Section) == "" {
		texts := make([]string, len(l.lines))
		for i, ln := range l.lines {
			texts[i] = ln.text
		}
		return formats.Text{Text: strings.Join(texts, "\n")}, nil
	}
	secs := sections(l.lines)
	i, err := pick(secs, strings.TrimSpace(sel.Section))
	if err != nil {
		return formats.Text{}, err
	}
	c := &formats.ChunkInfo{ChunkIndex: i, TotalChunks: len(secs), HasMore: i+1 < len(secs), Range: fmt.Sprintf("section %d of %d", i, len(secs))}
	if c.HasMore {
		c.Next = fmt.Sprintf(`section="%d"`, i+1)
	}
	return formats.Text{Text: secs[i].text(), Chunk: c}, nil
}

// pick finds a section by heading in any case, else by 0-based index.
func pick(secs []section, want string) (int, error) {
	for i, s := range secs {
		if s.heading != "" && strings.EqualFold(s.heading, want) {
			return i, nil
		}
	}
	if n, err := strconv.Atoi(want); err == nil && n >= 0 && n < len(secs) {
		return n, nil
	}
	return 0, formats.Errorf(formats.CodeNotFound, "section not found: %s", want)
}

type sectionInfo struct {
	Heading   string `json:"heading"`
	Level     int    `json:"level"`
	CharCount int    `json:"char_count"`
}

// docMap is what get_file_info says of a document (W-33).
type docMap struct {
	Sections         []sectionInfo `json:"sections"`
	SectionsOmitted  int           `json:"sections_omitted,omitempty"`
	CharCount        int           `json:"char_count"`
	Paragraphs       int           `json:"paragraph_count"`
	Tables           []tableSize   `json:"tables,omitempty"`
	TablesOmitted    int           `json:"tables_omitted,omitempty"`
	Images           int           `json:"image_count,omitempty"`
	HasHeadersFooter bool          `json:"has_headers_footers,omitempty"`
	HasFootnotes     bool          `json:"has_footnotes,omitempty"`
	HasComments      bool          `json:"has_comments,omitempty"`
	Insertions       int           `json:"tracked_insertions,omitempty"`
	Deletions        int           `json:"tracked_deletions,omitempty"`
}

// maxMap bounds a map in bytes.
const maxMap = 8 << 10

type mapper struct{}

// Map implements formats.Mapper.
func (mapper) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (any, error) {
	d, err := openDocument(ctx, src)
	if err != nil {
		return nil, err
	}
	l, doc, err := d.body(ctx)
	if err != nil {
		return nil, err
	}
	m := docMap{Paragraphs: len(l.paras), Tables: l.tables}
	for _, s := range sections(l.lines) {
		n := utf8.RuneCountInString(s.text())
		m.CharCount += n
		m.Sections = append(m.Sections, sectionInfo{clip(s.heading, 100), s.level, n})
	}
	if m.Insertions, m.Deletions, err = tracked(doc); err != nil {
		return nil, corrupt(d.main, err)
	}
	all, err := d.pkg.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		switch strings.TrimPrefix(r.Type, opc.RelPrefix) {
		case "image":
			m.Images++
		case "header", "footer":
			m.HasHeadersFooter = true
		case "footnotes", "endnotes":
			m.HasFootnotes = m.HasFootnotes || d.pkg.Size(r.Target) > 2500 // separators alone are shorter
		case "comments":
			m.HasComments = true
		}
	}
	return m.bounded(), nil
}

// bounded leaves out the ends of long lists until the map is small enough.
func (m docMap) bounded() docMap {
	for {
		b, err := json.Marshal(m)
		if err != nil || len(b) <= maxMap {
			return m
		}
		if n := len(m.Tables); n > 10 && n*20 > len(m.Sections)*40 {
			m.TablesOmitted += n - n/2
			m.Tables = m.Tables[:n/2]
			continue
		}
		cut := max(1, len(m.Sections)/8)
		m.SectionsOmitted += cut
		m.Sections = m.Sections[:len(m.Sections)-cut]
	}
}

func clip(s string, runes int) string {
	r := []rune(s)
	if len(r) <= runes {
		return s
	}
	return string(r[:runes]) + "…"
}

func tracked(doc []byte) (ins, del int, err error) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Space == nsW {
			switch t.Local {
			case "ins", "moveTo":
				ins++
			case "del", "moveFrom":
				del++
			}
		}
	}
	return ins, del, sc.Err()
}
