package docx

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/textclip"
)

// Map is what get_file_info says of a document (W-33), at most formats.MaxMap
// bytes; what is left out is counted.
type Map struct {
	CharCount       int            `json:"char_count"`
	Paragraphs      int            `json:"paragraph_count"` // in the body, without those in tables
	Sections        []SectionMap   `json:"sections"`
	SectionsOmitted int            `json:"sections_omitted,omitempty"`
	Tables          []TableMap     `json:"tables,omitempty"`
	TablesOmitted   int            `json:"tables_omitted,omitempty"`
	Images          []ImageMap     `json:"images,omitempty"`
	ImagesOmitted   int            `json:"images_omitted,omitempty"`
	Headers         []StoryMap     `json:"headers,omitempty"`
	Footers         []StoryMap     `json:"footers,omitempty"`
	Footnotes       int            `json:"footnote_count,omitempty"`
	Endnotes        int            `json:"endnote_count,omitempty"`
	Comments        []CommentMap   `json:"comments,omitempty"`
	CommentsOmitted int            `json:"comments_omitted,omitempty"`
	TextBoxes       int            `json:"text_box_count,omitempty"`
	Charts          int            `json:"chart_count,omitempty"`
	Changes         *ChangesMap    `json:"tracked_changes,omitempty"`
	Fields          map[string]int `json:"fields,omitempty"`     // by kind: PAGE, TOC, MERGEFIELD …
	Pages           []PageMap      `json:"page_setup,omitempty"` // by section of pages
	PagesOmitted    int            `json:"page_setup_omitted,omitempty"`
	Lists           []ListMap      `json:"lists,omitempty"`
	ListsOmitted    int            `json:"lists_omitted,omitempty"`
	Styles          []StyleMap     `json:"styles_in_use,omitempty"` // with Detail all, and those of text and tables
	StylesOmitted   int            `json:"styles_omitted,omitempty"`
	FormFields      []FormFieldMap `json:"form_fields,omitempty"` // content controls and legacy form fields
	FormsOmitted    int            `json:"form_fields_omitted,omitempty"`
	Bookmarks       int            `json:"bookmark_count,omitempty"`
	Protected       bool           `json:"protected,omitempty"`
	Signed          bool           `json:"signed,omitempty"`
	Macros          bool           `json:"macros,omitempty"`
}

// SectionMap is a heading with what stands up to the next one.
type SectionMap struct {
	Heading   string `json:"heading"`
	Label     string `json:"label,omitempty"` // of its list: "2.1"
	Level     int    `json:"level"`           // 1 to 9; 0 for the title and text before the first heading
	CharCount int    `json:"char_count"`
	At        string `json:"at,omitempty"` // address of its first paragraph
	HasTables bool   `json:"has_tables,omitempty"`
	HasImages bool   `json:"has_images,omitempty"`
}

// TableMap is a table of the body.
type TableMap struct {
	At     string   `json:"at"`
	Rows   int      `json:"rows"`
	Cols   int      `json:"cols"`
	Header []string `json:"header,omitempty"` // texts of its first row
	Style  string   `json:"style,omitempty"`
}

// ImageMap is a picture in the body.
type ImageMap struct {
	At  string `json:"at"`
	Alt string `json:"alt,omitempty"`
}

// StoryMap is a header or footer.
type StoryMap struct {
	At    string `json:"at"`
	Text  string `json:"text"`
	Pages string `json:"pages"` // that show it: default, first, even, or none
}

// CommentMap is a comment.
type CommentMap struct {
	At     string `json:"at"`
	Author string `json:"author,omitempty"`
	Text   string `json:"text"`
}

// ChangesMap counts tracked changes.
type ChangesMap struct {
	Insertions int      `json:"insertions"`
	Deletions  int      `json:"deletions"`
	Formatting int      `json:"formatting,omitempty"`
	Authors    []string `json:"authors,omitempty"`
}

type mapper struct{}

// Map implements formats.Mapper.
func (mapper) Map(ctx context.Context, src formats.Source, opt formats.MapOptions) (any, error) {
	d, done, err := openToRead(ctx, src)
	if err != nil {
		return nil, err
	}
	m, err := d.mapOf(ctx, opt)
	done()
	return m, err
}

// mapOf describes the document.
func (d *document) mapOf(ctx context.Context, opt formats.MapOptions) (any, error) {
	p, err := d.body(ctx)
	if err != nil {
		return nil, err
	}
	v := &view{styles: d.styles}
	if v.labels, err = d.listLabels(ctx); err != nil {
		return nil, err
	}
	t, err := d.bodyText(ctx, v, p)
	if err != nil {
		return nil, err
	}
	lines, err := t.linesOf(ctx, 0, len(t.outline.lines))
	if err != nil {
		return nil, err
	}
	secs := sections(lines)
	if want := strings.TrimSpace(opt.Section); want != "" {
		i, err := pickSection(len(secs), func(i int) string { return secs[i].heading }, want)
		if err != nil {
			return nil, err
		}
		secs, lines = secs[i:i+1], secs[i].lines
	}
	m := &Map{}
	m.addBody(v, p, lines, secs)
	if err := m.countContents(ctx, d, p, lines, opt.Detail); err != nil {
		return nil, err
	}
	if err := d.mapStories(ctx, m); err != nil {
		return nil, err
	}
	if err := d.mapPages(ctx, p, m); err != nil {
		return nil, err
	}
	from, to := extent(p, lines)
	if err := d.mapLists(ctx, p, from, to, m); err != nil {
		return nil, err
	}
	if !opt.Detail {
		m.Styles = atMost(m.Styles, stylesShown, &m.StylesOmitted)
	}
	if opt.Section == "" {
		if err := d.mapForms(ctx, m); err != nil {
			return nil, err
		}
	}
	e := &editing{document: d}
	m.Protected, m.Signed = e.protected(ctx), e.signed(ctx)
	m.Macros = d.ed.Has("word/vbaProject.bin")
	m.fit(opt.Detail)
	return m, ctx.Err()
}

// addBody fills in sections, tables and paragraphs.
func (m *Map) addBody(v *view, p *part, lines []line, secs []section) {
	for _, s := range secs {
		one := SectionMap{Heading: clip(s.heading, 100), Level: s.level}
		one.CharCount = utf8.RuneCountInString(s.text())
		m.CharCount += one.CharCount
		for i, l := range s.lines {
			if i == 0 {
				one.At, _, _ = strings.Cut(l.address, ".")
			}
			if i == 0 && l.level >= 0 {
				one.Label = shownLabel(v.labels(p, l.node))
			}
			if l.node.kind == rowNode {
				one.HasTables = true
			}
		}
		m.Sections = append(m.Sections, one)
	}
	seen := map[*node]bool{}
	for _, l := range lines {
		if l.node.kind == paraNode && !strings.Contains(l.address, ".") {
			m.Paragraphs++
		}
		t := l.node.parent
		if l.node.kind != rowNode || t == nil || seen[t] {
			continue
		}
		seen[t] = true
		m.Tables = append(m.Tables, p.mapTable(t, strings.TrimSuffix(l.address, ".r0")))
	}
}

func (p *part) mapTable(t *node, at string) TableMap {
	rows := t.kidsOf(rowNode)
	out := TableMap{At: at, Rows: len(rows)}
	if xml := tableProps(p.raw(t.props), p.prefix).Get("tblStyle"); xml != "" {
		sc := xmlscan.New([]byte(xml))
		if sc.Next() {
			out.Style = sc.Token().AttrLocal("val")
		}
	}
	for i, r := range rows {
		n := 0
		for _, c := range r.kidsOf(cellNode) {
			n += c.span
			if i == 0 {
				out.Header = append(out.Header, clip(strings.TrimSpace(strings.ReplaceAll(p.text(c), "\n", " ")), 30))
			}
		}
		out.Cols = max(out.Cols, n)
	}
	if len(out.Header) > 12 {
		out.Header = append(out.Header[:12], "…")
	}
	return out
}

// countContents looks at what lies in the paragraphs: pictures, fields, changes.
func (m *Map) countContents(ctx context.Context, d *document, p *part, lines []line, detail bool) error {
	c := contentCounter{Map: m, lines: lines, detail: detail, authors: map[string]bool{}, used: map[string]int{}}
	m.Fields = map[string]int{}
	m.TextBoxes = len(p.boxes)
	first, last := extent(p, lines)
	sc := xmlscan.New(p.doc)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		if t.Start < first || t.Start >= last {
			continue
		}
		switch {
		case t.Kind == xmlscan.Start:
			c.start(t)
		case t.Kind == xmlscan.Text && c.instruction:
			m.field(string(t.Bytes()))
			c.instruction = false
		}
	}
	c.finish(d.styles)
	m.imageSections(lines)
	return nil
}

// extent returns the offsets between which lines stand.
func extent(p *part, lines []line) (first, last int) {
	if len(lines) == 0 {
		return 0, len(p.doc)
	}
	first = lines[0].node.start
	for _, l := range lines {
		first, last = min(first, l.node.start), max(last, l.node.end)
	}
	return first, last
}

// contentCounter counts what lies in paragraphs for a map.
type contentCounter struct {
	*Map
	lines       []line
	at          int // index in lines of the one that the token may be in
	detail      bool
	instruction bool // the next text is the instruction of a field
	changes     ChangesMap
	authors     map[string]bool // of changes
	used        map[string]int  // how often styles of text and tables are used, by id
}

func (c *contentCounter) start(t xmlscan.Token) {
	switch {
	case t.Local == "docPr":
		for c.at < len(c.lines) && c.lines[c.at].node.end < t.Start {
			c.at++
		}
		if c.at < len(c.lines) {
			c.Images = append(c.Images, ImageMap{c.lines[c.at].address, clip(t.AttrLocal("descr"), 80)})
		}
	case t.Local == "chart" && strings.HasSuffix(t.Space, "/chart"):
		c.Charts++
		if n := len(c.Images); n > 0 {
			c.Images = c.Images[:n-1] // it was the frame of the chart
		}
	case t.Space == nsW:
		c.startWord(t)
	}
}

// startWord counts an element of WordprocessingML.
func (c *contentCounter) startWord(t xmlscan.Token) {
	switch t.Local {
	case "ins", "moveTo":
		c.change(t, &c.changes.Insertions)
	case "del", "moveFrom":
		c.change(t, &c.changes.Deletions)
	case "instrText":
		c.instruction = !t.Empty
	case "fldSimple":
		c.field(t.AttrLocal("instr"))
	case "bookmarkStart":
		c.Bookmarks++
	case "rStyle", "tblStyle":
		if c.detail {
			c.used[t.AttrLocal("val")]++
		}
	default:
		if strings.HasSuffix(t.Local, "PrChange") {
			c.change(t, &c.changes.Formatting)
		}
	}
}

func (c *contentCounter) change(t xmlscan.Token, count *int) {
	*count++
	c.authors[t.AttrLocal("author")] = true
}

// finish puts the authors of changes and the styles into the map.
func (c *contentCounter) finish(s styles) {
	if c.changes.Insertions+c.changes.Deletions+c.changes.Formatting > 0 {
		for a := range c.authors {
			c.changes.Authors = append(c.changes.Authors, clip(a, 40))
		}
		sort.Strings(c.changes.Authors)
		if len(c.changes.Authors) > 10 {
			c.changes.Authors = append(c.changes.Authors[:10], "…")
		}
		c.Changes = &c.changes
	}
	for _, id := range slices.Sorted(maps.Keys(c.used)) {
		kind := s[id].kind
		if kind == "" {
			kind = "missing"
		}
		c.Styles = append(c.Styles, StyleMap{clip(s.label(id), 60), kind, c.used[id]})
	}
}

// imageSections marks the sections with pictures.
func (m *Map) imageSections(lines []line) {
	section := -1
	where := map[string]int{}
	for i, l := range lines {
		if i == 0 || l.level >= 0 {
			section++
		}
		where[l.address] = section
	}
	// Empty lines before the first heading make no section of their own.
	off := section + 1 - len(m.Sections)
	for _, im := range m.Images {
		if i := where[im.At] - max(off, 0); i >= 0 && i < len(m.Sections) {
			m.Sections[i].HasImages = true
		}
	}
}

var fieldName = lazyregexp.New(`^\s*([A-Za-z]{2,20})`)

func (m *Map) field(instr string) {
	if f := fieldName.FindStringSubmatch(instr); f != nil && (len(m.Fields) < 20 || m.Fields[strings.ToUpper(f[1])] > 0) {
		m.Fields[strings.ToUpper(f[1])]++
	}
}

// mapStories fills in what is outside the body.
func (d *document) mapStories(ctx context.Context, m *Map) error {
	parts, err := d.textParts(ctx)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, tp := range parts {
		n := count[tp.word]
		count[tp.word]++
		if tp.word == "" || tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return err
		}
		for _, s := range p.stories {
			if s.noteType() != "" && s.noteType() != "normal" {
				continue
			}
			at := storyPrefix(tp, n, s.id)
			text := clip(strings.TrimSpace(strings.ReplaceAll(p.text(s), "\n", " ")), 80)
			switch tp.word {
			case "header":
				m.Headers = append(m.Headers, StoryMap{at, text, ""})
			case "footer":
				m.Footers = append(m.Footers, StoryMap{at, text, ""})
			case "footnotes":
				m.Footnotes++
			case "endnotes":
				m.Endnotes++
			case "comments":
				sc := xmlscan.New(p.doc[s.start:s.inner])
				author := ""
				if sc.Next() {
					author = clip(sc.Token().AttrLocal("author"), 40)
				}
				m.Comments = append(m.Comments, CommentMap{at, author, text})
			}
		}
	}
	return nil
}

// fit leaves out what matters least until the map is small enough: the ends
// of the longest lists.
func (m *Map) fit(detail bool) {
	// No entry has fewer than 16 bytes: what is beyond never fits, and costs
	// much to find out.
	const most = formats.MaxMap / 16
	m.Sections = atMost(m.Sections, most, &m.SectionsOmitted)
	m.Tables = atMost(m.Tables, most, &m.TablesOmitted)
	m.Images = atMost(m.Images, most, &m.ImagesOmitted)
	m.Comments = atMost(m.Comments, most, &m.CommentsOmitted)
	m.Styles = atMost(m.Styles, most, &m.StylesOmitted)
	m.FormFields = atMost(m.FormFields, most, &m.FormsOmitted)
	for range 200 {
		b, err := json.Marshal(m)
		if err != nil || len(b) <= formats.MaxMap {
			return
		}
		size := func(v any) int { b, _ := json.Marshal(v); return len(b) }
		lists := []struct {
			bytes int
			cut   func()
		}{
			{size(m.Sections), func() { m.Sections = dropEighth(m.Sections, &m.SectionsOmitted) }},
			{size(m.Tables) * 2, func() { m.Tables = dropEighth(m.Tables, &m.TablesOmitted) }},
			{size(m.Images) * 3, func() { m.Images = dropEighth(m.Images, &m.ImagesOmitted) }},
			{size(m.Comments) * 3, func() { m.Comments = dropEighth(m.Comments, &m.CommentsOmitted) }},
			{size(m.Styles) * 3, func() { m.Styles = dropEighth(m.Styles, &m.StylesOmitted) }},
			{size(m.Pages) * 3, func() { m.Pages = dropEighth(m.Pages, &m.PagesOmitted) }},
			{size(m.Lists) * 3, func() { m.Lists = dropEighth(m.Lists, &m.ListsOmitted) }},
			{size(m.FormFields), func() { m.FormFields = dropEighth(m.FormFields, &m.FormsOmitted) }},
			{size(m.Headers) * 4, func() { m.Headers = dropEighth(m.Headers, new(int)) }},
			{size(m.Footers) * 4, func() { m.Footers = dropEighth(m.Footers, new(int)) }},
		}
		sort.SliceStable(lists, func(i, j int) bool { return lists[i].bytes > lists[j].bytes })
		lists[0].cut()
	}
}

// atMost cuts a list to n entries and counts those left out.
func atMost[T any](list []T, n int, omitted *int) []T {
	if len(list) <= n {
		return list
	}
	*omitted += len(list) - n
	return list[:n]
}

// dropEighth drops the last eighth of a list, at least one, and counts it.
func dropEighth[T any](list []T, omitted *int) []T {
	n := min(len(list), max(1, len(list)/8))
	*omitted += n
	return list[:len(list)-n]
}

func clip(s string, runes int) string { return textclip.Head(s, runes) }
