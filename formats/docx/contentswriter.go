package docx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// contentsWriter writes the entries of a table like those that are there.
type contentsWriter struct {
	*editing
	part    *part
	field   *contentsField
	figures bool
	old     map[string]oldEntry // by bookmark
	likes   map[int]oldEntry    // by level: the first
	any     *oldEntry
	tabbed  map[string]bool // styles with tab stops of their own
	labels  map[int]int     // by level: characters of the longest number
	kept    int
	changed int
}

// oldEntry is an entry that is there.
type oldEntry struct {
	pPr, text, page string
	rPr, pageProps  string
	content         string // of the paragraph, without the edges of the field
	style           string
}

func (e *editing) contentsWriter(ctx context.Context, p *part, f *contentsField, figures bool) (*contentsWriter, error) {
	w := &contentsWriter{editing: e, part: p, field: f, figures: figures, old: map[string]oldEntry{}, likes: map[int]oldEntry{}, tabbed: map[string]bool{}}
	_, styles, err := e.related(ctx, "styles")
	if err != nil {
		return nil, err
	}
	for id, at := range styleElements(styles) {
		w.tabbed[id] = strings.Contains(string(styles[at.start:at.end]), "tab ")
	}
	for i, n := range f.entries {
		from, to := max(n.inner, n.props.end), n.innerEnd
		if i == 0 {
			from = f.headEnd
		}
		if n == f.last {
			to = f.end.start
		}
		content := string(p.doc[from:to])
		para := p.paras[n.para]
		o := oldEntry{pPr: p.raw(n.props), content: content, style: n.style, rPr: para.FirstProperties()}
		o.text, o.page, o.pageProps = w.taken(content, para.Text())
		if o.text == "" {
			continue
		}
		if w.any == nil {
			w.any = &o
		}
		if mark := anchorIn(content); mark != "" {
			w.old[mark] = o
		}
		for level := 1; level <= maxLevels; level++ {
			if id, ok := e.styles.find(w.style(level)); ok && id == n.style {
				if _, have := w.likes[level]; !have {
					w.likes[level] = o
				}
			}
		}
	}
	return w, nil
}

// style names the style of entries of a level.
func (w *contentsWriter) style(level int) string { return contentsStyle(level, w.figures) }

// taken splits the text of an entry into that of the heading and the page.
func (w *contentsWriter) taken(content, text string) (heading, page, pageProps string) {
	text = strings.TrimRight(text, " ")
	if i := strings.LastIndexByte(text, '\t'); i >= 0 && pageForm.MatchString(strings.TrimSpace(text[i+1:])) && (strings.Contains(content, "PAGEREF") || anchorIn(content) == "") {
		if j := strings.LastIndex(content, "<"+w.part.prefix+"rPr>"); j >= 0 && strings.Contains(content, "PAGEREF") {
			if k := strings.Index(content[j:], "</"+w.part.prefix+"rPr>"); k >= 0 {
				pageProps = content[j : j+k+len("</"+w.part.prefix+"rPr>")]
			}
		}
		return text[:i], strings.TrimSpace(text[i+1:]), pageProps
	}
	return text, "", ""
}

// anchorIn returns the bookmark that an entry leads to, "" for none.
func anchorIn(content string) string {
	if _, rest, ok := strings.Cut(content, `anchor="`); ok {
		name, _, _ := strings.Cut(rest, `"`)
		return xmlscan.Unescape([]byte(name))
	}
	if _, rest, ok := strings.Cut(content, "PAGEREF "); ok {
		return firstWord(rest)
	}
	return ""
}

// paged reports whether entries of a level have page numbers (\n).
func (w *contentsWriter) paged(level int) bool {
	r, ok := w.field.in.get(`\n`)
	if !ok {
		return true
	}
	from, to := 1, 9
	if r != "" {
		if _, err := fmt.Sscanf(r, "%d-%d", &from, &to); err != nil {
			from, to = 1, 9
		}
	}
	return level < from || level > to
}

// write returns the paragraphs of the table from its first on.
func (w *contentsWriter) write(list []contentsEntry) string {
	w.labels = map[int]int{}
	for _, n := range list {
		w.labels[n.level] = max(w.labels[n.level], utf8.RuneCountInString(n.label))
	}
	p, f := w.part, w.field
	var sb strings.Builder
	for i, n := range list {
		pPr, content := w.entry(n)
		sb.WriteString("<" + p.prefix + "p>" + pPr)
		if i == 0 {
			sb.Write(w.dirty(p.doc[max(f.first.inner, f.first.props.end):f.headEnd]))
			sb.WriteString(w.marksInside())
		}
		sb.WriteString(content)
		if i == len(list)-1 && f.tail.end > 0 {
			sb.Write(p.doc[f.tail.start:f.tail.end])
		}
		sb.WriteString("</" + p.prefix + "p>")
	}
	return sb.String()
}

// dirty marks the field so that Word makes it anew, whose pages may be others.
func (w *contentsWriter) dirty(head []byte) []byte {
	at := w.field.begin.start - max(w.field.first.inner, w.field.first.props.end)
	if at < 0 || at > len(head) {
		return head // it begins in a paragraph before
	}
	tag := head[at:]
	end := strings.IndexByte(string(tag), '>')
	if end < 0 || strings.Contains(string(tag[:end]), "dirty=") {
		return head
	}
	name := len("<" + w.part.prefix + "fldChar")
	return slices.Concat(head[:at+name], []byte(" "+w.part.prefix+`dirty="true"`), head[at+name:])
}

// marksInside returns the bookmarks that the old entries hold.
func (w *contentsWriter) marksInside() string {
	f := w.field
	end := f.entries[len(f.entries)-1].end
	if f.tail.end > 0 {
		end = f.tail.start
	}
	var sb strings.Builder
	raw := w.part.doc[f.headEnd:end]
	sc := xmlscan.New(raw)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && (t.Local == "bookmarkStart" || t.Local == "bookmarkEnd") && t.Empty {
			sb.Write(raw[t.Start:t.End])
		}
	}
	return sb.String()
}

// entry returns the properties and the content of an entry.
func (w *contentsWriter) entry(n contentsEntry) (pPr, content string) {
	text := n.text
	if n.label != "" && !w.figures {
		text = n.label + "\t" + text
	}
	style, _ := w.styles.find(w.style(n.level))
	old, ok := w.old[n.mark]
	if ok && old.style == style && oneSpaced(old.text) == oneSpaced(text) && (old.page != "" || !w.paged(n.level)) && !strings.Contains(old.content, "bookmark") {
		w.kept++
		return old.pPr, old.content
	}
	if ok {
		w.changed++
	}
	like, found := w.likes[n.level]
	if !found && w.any != nil {
		like = oldEntry{rPr: w.any.rPr, pageProps: w.any.pageProps, pPr: w.tabsOf(w.any.pPr)}
	}
	p := paraProps(like.pPr, w.part.prefix)
	ofOnePlace(p)
	if style != "" {
		setVal(p, "pStyle", style)
	}
	if w.paged(n.level) {
		w.tabStops(p, style, n)
	}
	return p.Optional(), w.content(n, text, like, old.page)
}

// tabsOf returns the properties of a paragraph without all but its tab stops.
func (w *contentsWriter) tabsOf(pPr string) string {
	p := paraProps(pPr, w.part.prefix)
	tabs := p.Get("tabs")
	q := paraProps("", w.part.prefix)
	if tabs != "" {
		q.Set("tabs", tabs)
	}
	return q.Optional()
}

// tabStops gives an entry the tab stop for its page, and one behind its number,
// where neither it nor its style has them.
func (w *contentsWriter) tabStops(p *element.Element, style string, n contentsEntry) {
	prefix := w.part.prefix
	has := p.Get("tabs")
	if w.tabbed[style] && has == "" {
		return
	}
	tabs := element.Parse(has, prefix+"tabs", nil)
	tab := func(val, more string, pos int) string {
		return fmt.Sprintf(`<%[1]stab %[1]sval="%[2]s"%[3]s %[1]spos="%[4]d"/>`, prefix, val, more, pos)
	}
	right := side("right", w.strict)
	if !strings.Contains(has, `"right"`) && !strings.Contains(has, `"end"`) {
		tabs.Children = append(tabs.Children, element.Child{Local: "tab", XML: tab(right, " "+prefix+`leader="dot"`, w.textWidth(w.part))})
	}
	if n.label != "" && !strings.Contains(has, `"left"`) && !strings.Contains(has, `"start"`) {
		tabs.Children = append([]element.Child{{Local: "tab", XML: tab(side("left", w.strict), "", w.behindNumber(n.level))}}, tabs.Children...)
	}
	p.Set("tabs", tabs.String())
}

// behindNumber returns where the texts of a level begin, in twentieths of a point: where
// Word puts them, or further right when numbers such as "Section 3.1" need the room.
func (w *contentsWriter) behindNumber(level int) int {
	const character, gap, indent = 125, 125, 220 // of text of 11 points; of the styles TOC 1, TOC 2 …
	need := indent*(level-1) + w.labels[level]*character + gap
	return max(440*level+min(level, 3)*20, (need+19)/20*20)
}

// content writes an entry: its text with a link where the table has links, and
// its page as a PAGEREF field.
func (w *contentsWriter) content(n contentsEntry, text string, like oldEntry, page string) string {
	pre := w.part.prefix
	rPr := like.rPr
	run := func(props, content string) string { return "<" + pre + "r>" + props + content + "</" + pre + "r>" }
	xml := run(rPr, paragraph.Content(paragraph.Word, pre, text))
	if w.paged(n.level) {
		props := like.pageProps
		if props == "" {
			props = "<" + pre + "rPr><" + pre + "noProof/><" + pre + "webHidden/></" + pre + "rPr>"
		}
		sep := "\t"
		if s, ok := w.field.in.get(`\p`); ok && s != "" {
			sep = s
		}
		if page == "" {
			page = "?"
		}
		xml += run(props, paragraph.Content(paragraph.Word, pre, sep)) + fieldRuns(pre, props, " PAGEREF "+n.mark+` \h `, page, false)
	}
	if _, ok := w.field.in.get(`\h`); ok {
		xml = "<" + pre + "hyperlink " + pre + `anchor="` + escape(n.mark) + `" ` + pre + `history="1">` + xml + "</" + pre + "hyperlink>"
	}
	return xml
}

// said counts what became of the entries.
func (w *contentsWriter) said(list []contentsEntry) string {
	have := map[string]bool{}
	for _, n := range list {
		have[n.mark] = true
	}
	gone := 0
	for mark := range w.old {
		if !have[mark] {
			gone++
		}
	}
	out := []string{formats.Count(len(list), "entry", "entries")}
	for _, c := range []struct {
		n    int
		what string
	}{{len(list) - w.kept - w.changed, "new"}, {w.changed, "changed"}, {gone, "removed"}} {
		if c.n > 0 {
			out = append(out, strconv.Itoa(c.n)+" "+c.what)
		}
	}
	if len(out) == 1 {
		return out[0] + ", as before"
	}
	return strings.Join(out, ", ")
}
