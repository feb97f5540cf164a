package text

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
)

var (
	mdMarker  = lazyregexp.New(`^[ \t]*(?:>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+(?:\[[ xX]\][ \t]+)?|\[\^[^\]\s]+\]:[ \t]*)`)
	mdQuote   = lazyregexp.New(`^[ \t]*>`)
	mdRule    = lazyregexp.New(`^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	mdHeading = lazyregexp.New(`^[ ]{0,3}#{1,6}(?:[ \t]+|$)`)
	mdClosing = lazyregexp.New(`[ \t]+#+[ \t]*$`)
	mdSetext  = lazyregexp.New(`^[ ]{0,3}(?:=+|-+)[ \t]*$`)
	mdFence   = lazyregexp.New("^[ \t]*(`{3,}|~{3,})")
	mdDef     = lazyregexp.New(`^[ ]{0,3}\[([^\]^][^\]]*)\]:[ \t]*\S`)
	mdDelim   = lazyregexp.New(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	mdHTML    = lazyregexp.New(`(?i)^[ ]{0,3}<(?:!--|!|\?|/?(?:address|article|aside|base|blockquote|body|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|optgroup|option|p|param|pre|script|search|section|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|ul)(?:[\s/>]|$))`)
	mdLetters = lazyregexp.New(`^(?:[ ]{4}|[ ]{0,3}\t)`)
)

// mdBlock is a run of lines with translatable inline content.
type mdBlock struct {
	id    string
	place string
	// parts are the content ranges of its lines, without prefix and blanks.
	parts [][2]int
	cell  bool
}

// mdScanner finds the blocks of a Markdown text (CommonMark 0.31 with tables,
// task lists, footnotes and front matter). What it is not sure of it leaves.
type mdScanner struct {
	s      string
	lines  []line
	blocks []mdBlock
	n      int // blocks so far
	labels map[string]bool
	open   *mdBlock // paragraph that the next line may continue
	inList bool
	blank  bool // the last line was blank
}

func markdownUnits(ctx context.Context, s string) ([]Unit, error) {
	sc := &mdScanner{s: s, lines: linesOf(s), labels: map[string]bool{}, blank: true}
	free := true // no paragraph is open, in which a definition would be text
	for _, l := range sc.lines {
		m := mdDef.FindStringSubmatch(s[l.start:l.end])
		if m != nil && free {
			sc.labels[foldLabel(m[1])] = true
		}
		free = m != nil && free || isBlankLine(s, l)
	}
	i := sc.frontMatter()
	for n := 0; i < len(sc.lines); n++ {
		if err := checkContext(ctx, n); err != nil {
			return nil, err
		}
		i = sc.scanBlock(i)
	}
	sc.closeBlock()
	var units []Unit
	for _, b := range sc.blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if u, ok := sc.blockUnit(b); ok {
			units = append(units, u)
		}
	}
	return units, nil
}

func (sc *mdScanner) frontMatter() int {
	if len(sc.lines) == 0 || strings.TrimRight(sc.lineText(0), " \t") != "---" {
		return 0
	}
	for i := 1; i < len(sc.lines); i++ {
		if t := strings.TrimRight(sc.lineText(i), " \t"); t == "---" || t == "..." {
			return i + 1
		}
	}
	return 0
}

func (sc *mdScanner) lineText(i int) string { return sc.s[sc.lines[i].start:sc.lines[i].end] }

func (sc *mdScanner) closeBlock() {
	if sc.open != nil {
		sc.blocks = append(sc.blocks, *sc.open)
		sc.open = nil
	}
}

func (sc *mdScanner) addBlock(place string, from, to int, cell bool) *mdBlock {
	sc.n++
	a, b := trimBlanks(sc.s, from, to)
	return &mdBlock{id: fmt.Sprintf("b%d", sc.n), place: place, parts: [][2]int{{a, b}}, cell: cell}
}

// scanBlock reads the block element at line i and returns the line behind it.
func (sc *mdScanner) scanBlock(i int) int {
	text := sc.lineText(i)
	if strings.TrimSpace(text) == "" {
		sc.closeBlock()
		sc.blank = true
		return i + 1
	}
	wasBlank := sc.blank
	sc.blank = false
	if sc.open != nil && mdSetext.MatchString(text) {
		sc.closeBlock()
		return i + 1
	}
	if mdRule.MatchString(text) {
		sc.closeBlock()
		return i + 1
	}
	if sc.open == nil && wasBlank && mdLetters.MatchString(text) && !sc.inList {
		sc.blank = true // indented code goes on
		return i + 1
	}
	prefix := sc.prefix(text)
	body := text[prefix:]
	if strings.TrimSpace(body) == "" {
		sc.closeBlock()
		return i + 1
	}
	if end, ok := sc.opaque(i, prefix, body); ok {
		sc.closeBlock()
		return end
	}
	from, to := sc.lines[i].start+prefix, sc.lines[i].end
	marker := strings.TrimSpace(strings.ReplaceAll(text[:prefix], ">", ""))
	switch m := mdHeading.FindString(body); {
	case m != "":
		sc.closeBlock()
		if c := mdClosing.FindString(body[len(m):]); c != "" {
			to -= len(c)
		}
		sc.blocks = append(sc.blocks, *sc.addBlock(fmt.Sprintf("line %d, heading", i+1), from+len(m), to, false))
		sc.inList = false
		return i + 1
	case sc.isTable(i, prefix):
		sc.closeBlock()
		return sc.table(i, prefix)
	case sc.open != nil && marker == "":
		a, b := sc.content(from, to)
		sc.open.parts = append(sc.open.parts, [2]int{a, b})
		return i + 1
	}
	sc.closeBlock()
	place := fmt.Sprintf("line %d", i+1)
	switch {
	case marker != "":
		sc.inList = true
		place += ", list item"
	case !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "\t"):
		sc.inList = false
	}
	if mdQuote.MatchString(text) {
		place += ", quotation"
	}
	sc.open = sc.addBlock(place, from, to, false)
	sc.open.parts[0][0], sc.open.parts[0][1] = sc.content(from, to)
	return i + 1
}

// content narrows a paragraph line: leading blanks go; trailing ones stay when
// they are a hard line break (two or more).
func (sc *mdScanner) content(from, to int) (int, int) {
	a, b := trimBlanks(sc.s, from, to)
	if strings.HasPrefix(sc.s[b:to], "  ") {
		return a, to
	}
	return a, b
}

// prefix returns the length of the container marks that begin a line.
func (sc *mdScanner) prefix(text string) int {
	n := 0
	for {
		m := mdMarker.FindString(text[n:])
		if m == "" || mdRule.MatchString(text[n:]) {
			return n
		}
		// Only "1." may end a paragraph that is no list (CommonMark 5.3).
		if t := strings.TrimLeft(m, " \t"); sc.open != nil && !sc.inList && t[0] >= '0' && t[0] <= '9' && t[:len(t)-len(strings.TrimLeft(t, "0123456789"))] != "1" {
			return n
		}
		n += len(m)
	}
}

// opaque recognises what is kept as it is: code, mathematics, HTML, link
// definitions. It returns the line behind it.
func (sc *mdScanner) opaque(i, prefix int, body string) (int, bool) {
	if m := mdFence.FindStringSubmatch(body); m != nil {
		return sc.until(i+1, func(l string) bool {
			l = strings.TrimSpace(strings.TrimLeft(l, "> \t"))
			return strings.HasPrefix(l, m[1]) && strings.Trim(l, m[1][:1]) == ""
		}), true
	}
	t := strings.TrimSpace(body)
	switch {
	case strings.HasPrefix(t, "$$"):
		if len(t) > 4 && strings.HasSuffix(t, "$$") {
			return i + 1, true
		}
		return sc.until(i+1, func(l string) bool { return strings.HasSuffix(strings.TrimSpace(l), "$$") }), true
	case sc.open == nil && mdDef.MatchString(body):
		return i + 1, true
	case mdHTML.MatchString(body):
		low := strings.ToLower(t)
		for start, end := range map[string]string{"<!--": "-->", "<script": "</script>", "<pre": "</pre>", "<style": "</style>", "<textarea": "</textarea>"} {
			if strings.HasPrefix(low, start) {
				return sc.until(i, func(l string) bool { return strings.Contains(strings.ToLower(l), end) }), true
			}
		}
		return sc.until(i, func(l string) bool { return strings.TrimSpace(l) == "" }), true
	}
	return 0, false
}

// until returns the line behind the first line from i on that matches.
func (sc *mdScanner) until(i int, match func(string) bool) int {
	for ; i < len(sc.lines); i++ {
		if match(sc.lineText(i)) {
			return i + 1
		}
	}
	return i
}

func (sc *mdScanner) isTable(i, prefix int) bool {
	if i+1 >= len(sc.lines) || !strings.Contains(sc.lineText(i)[prefix:], "|") {
		return false
	}
	next := sc.lineText(i + 1)
	next = next[min(len(next), len(next)-len(strings.TrimLeft(next, "> \t"))):]
	return mdDelim.MatchString(next) && strings.Contains(next, "|")
}

// table adds a block for each cell; the ids count cells with or without text.
// It ends at a blank line: a line without bars is a row of one cell.
func (sc *mdScanner) table(i, prefix int) int {
	row := 0
	for j := i; j < len(sc.lines); j++ {
		text := sc.lineText(j)
		if strings.TrimSpace(text) == "" {
			return j
		}
		if j == i+1 {
			continue
		}
		row++
		from := sc.lines[j].start
		if p := sc.prefix(text); p <= prefix {
			from += p
		}
		for col, c := range cellsOf(sc.s, from, sc.lines[j].end) {
			sc.blocks = append(sc.blocks, *sc.addBlock(fmt.Sprintf("line %d, table row %d, column %d", j+1, row, col+1), c[0], c[1], true))
		}
	}
	return len(sc.lines)
}

// cellsOf splits a table row at its unescaped bars.
func cellsOf(s string, from, to int) [][2]int {
	a, b := trimBlanks(s, from, to)
	if a < b && s[a] == '|' {
		a++
	}
	var out [][2]int
	start := a
	for i := a; i < b; i++ {
		switch s[i] {
		case '\\':
			i++
		case '|':
			out = append(out, [2]int{start, i})
			start = i + 1
		}
	}
	if start < b {
		out = append(out, [2]int{start, b})
	}
	return out
}

// blockUnit makes the segment of a block; false when there is nothing to translate.
func (sc *mdScanner) blockUnit(b mdBlock) (Unit, bool) {
	var parts []string
	width := 0
	for _, p := range b.parts {
		parts = append(parts, sc.s[p[0]:p[1]])
		width = max(width, utf8.RuneCountInString(sc.s[p[0]:p[1]]))
	}
	spans := parseInline(strings.Join(parts, "\n"), sc.labels)
	if plain := plainOf(spans); !Translatable(plain) || !utf8.ValidString(plain) {
		return Unit{}, false
	}
	u := Unit{Segment: formats.Segment{ID: b.id, Text: taggedSpans(spans), Place: b.place}, Start: b.parts[0][0], End: b.parts[len(b.parts)-1][1]}
	u.Write = func(target string, _ func(start, end int) string) (string, error) {
		s, err := inlineMarkdown(spans, strings.TrimSpace(target), sc.labels)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(tags.Plain(target)) == "" {
			return "", errNoMarkdown
		}
		if b.cell {
			return guardBars(s), nil
		}
		s = guardStart(s)
		if len(b.parts) > 1 {
			// Later lines begin as the second one does, whose marks may be a quotation's.
			between := sc.s[b.parts[0][1]:b.parts[1][0]]
			s = strings.Join(wrapMarkdown(s, max(width, 20)), strings.TrimLeft(between, " "))
		}
		if !sc.keepsBlocks(b, s) {
			return "", errNoMarkdown
		}
		return s, nil
	}
	return u, true
}

// keepsBlocks reports whether the lines of b make as many blocks with s in
// place: otherwise the ids of later segments would move.
func (sc *mdScanner) keepsBlocks(b mdBlock, s string) bool {
	start, end := b.parts[0][0], b.parts[len(b.parts)-1][1]
	from := strings.LastIndexByte(sc.s[:start], '\n') + 1
	count := func(text string) int {
		text += "\n\nprobe\n" // not found when a fence was opened
		sub := &mdScanner{s: text, lines: linesOf(text), labels: sc.labels}
		for i := 0; i < len(sub.lines); {
			i = sub.scanBlock(i)
		}
		sub.closeBlock()
		return len(sub.blocks)*1000 + sub.n
	}
	return count(sc.s[from:end]) == count(sc.s[from:start]+s)
}

// guardBars escapes bars that would end a table cell.
func guardBars(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			sb.WriteByte(s[i])
			i++
		case s[i] == '|':
			sb.WriteByte('\\')
		}
		sb.WriteByte(s[i])
	}
	return sb.String()
}
