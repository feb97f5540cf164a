package retrieval

import (
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/internal/lazyregexp"
	"atelier/workshop"
	"atelier/workshop/doctext"
)

const (
	chunkLines = 60   // maximum lines of a chunk
	chunkBytes = 3000 // a longer line becomes several chunks
	maxName    = 100  // maximum bytes of a heading or symbol in a ChunkPath
)

// piece is a chunk that is not in the index yet.
type piece struct {
	place      string // "section:Introduction", "sheet:Sales!A1:J50" …
	start, end int    // lines, 1-based, inclusive
	text       string
	full       bool
}

// lines stores where each line of a text starts. A text may have millions of
// lines, which would take much memory as strings.
type lines struct {
	text   string
	starts []uint32 // and one more after the last line, where another line would start
}

func linesOf(text string) lines {
	starts := make([]uint32, 1, strings.Count(text, "\n")+2)
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return lines{text, append(starts, uint32(len(text)+1))}
		}
		i += n + 1
		starts = append(starts, uint32(i))
	}
}

func (l lines) count() int { return len(l.starts) - 1 }

// at returns a line by its 0-based number, without its terminator.
func (l lines) at(i int) string { return l.between(i, i+1) }

// between returns the lines from `from` to before `to`.
func (l lines) between(from, to int) string { return l.text[l.starts[from] : l.starts[to]-1] }

func (l lines) all() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range l.count() {
			if !yield(i, l.at(i)) {
				return
			}
		}
	}
}

// stretch is a range of lines under one place.
type stretch struct {
	kind, name string
	from, to   int // 0-based, to excluded
}

// split cuts a document into pieces by its structure.
func split(name string, d doctext.Doc) []piece {
	if d.Text == "" {
		return nil
	}
	lines := linesOf(strings.TrimSuffix(d.Text, "\n"))
	var out []piece
	used := map[string]int{}
	for _, s := range stretches(name, d, lines) {
		for _, w := range windowsOf(lines, s) {
			if strings.TrimSpace(w.text) == "" {
				continue
			}
			w.place = s.place(w)
			used[w.place]++
			if n := used[w.place]; n > 1 {
				w.place += "~" + strconv.Itoa(n)
			}
			out = append(out, w)
		}
	}
	if len(out) == 1 && !d.Cut && strings.TrimSpace(out[0].text) == strings.TrimSpace(d.Text) {
		out[0].full = true
		out[0].start, out[0].end, out[0].text = 1, lines.count(), lines.text
	}
	return out
}

// stretches returns the structure of a document: the places that the format
// names, else headings or symbols.
func stretches(name string, d doctext.Doc, lines lines) []stretch {
	var out []stretch
	for _, p := range d.Parts {
		out = append(out, stretch{p.Kind, p.Name, p.Start - 1, p.End})
	}
	if len(out) > 0 {
		return out
	}
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".md" || ext == ".markdown":
		return stretchesAt(lines, headings(lines))
	case KindOf(name) == Code:
		return stretchesAt(lines, symbols(lines))
	}
	return []stretch{{"lines", "", 0, lines.count()}}
}

// mark is a line that starts a stretch.
type mark struct {
	line       int // 0-based
	kind, name string
}

func stretchesAt(lines lines, marks []mark) []stretch {
	if len(marks) == 0 {
		return []stretch{{"lines", "", 0, lines.count()}}
	}
	var out []stretch
	if marks[0].line > 0 {
		out = append(out, stretch{"lines", "", 0, marks[0].line})
	}
	for i, m := range marks {
		to := lines.count()
		if i+1 < len(marks) {
			to = marks[i+1].line
		}
		out = append(out, stretch{m.kind, m.name, m.line, to})
	}
	return out
}

var heading = lazyregexp.New(`^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$`)

// headings finds those of Markdown (CommonMark 4.2) outside fenced code
// (4.5).
func headings(lines lines) []mark {
	var out []mark
	fence := ""
	for i, l := range lines.all() {
		t := strings.TrimLeft(l, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		case strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~"):
			fence = t[:3]
		default:
			if m := heading.FindStringSubmatch(l); m != nil {
				out = append(out, mark{i, "section", m[1]})
			}
		}
	}
	return out
}

// place returns the place of a window of a stretch.
func (s stretch) place(w piece) string {
	name := s.name
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	switch {
	case s.kind == "sheet":
		return "sheet:" + name + cellRange(w.text)
	case s.kind == "lines":
		return fmt.Sprintf("lines:%d-%d", w.start, w.end)
	case name == "":
		return s.kind
	}
	return s.kind + ":" + name
}

var address = lazyregexp.New(`(?m)(?:^|, )([A-Z]{1,3})([1-9][0-9]{0,6}): `)

// cellRange returns the block that the rows of a sheet's text cover,
// "!A1:J50". Text inside a value that looks like an address can extend the
// block by at most its own row.
func cellRange(text string) string {
	r1, r2, c1, c2 := 0, 0, 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		row, first, last := cellsOf(line)
		if row == 0 {
			continue
		}
		if r1 == 0 {
			r1 = row
		}
		r2 = row
		if c1 == 0 || first < c1 {
			c1 = first
		}
		c2 = max(c2, last)
	}
	if r1 == 0 {
		return ""
	}
	return fmt.Sprintf("!%s%d:%s%d", columnName(c1), r1, columnName(c2), r2)
}

// cellsOf returns the row and the outermost columns of the addresses of a line,
// 1-based; row is 0 for a line that does not begin with an address.
func cellsOf(line string) (row, first, last int) {
	for _, m := range address.FindAllStringSubmatchIndex(line, -1) {
		n, _ := strconv.Atoi(line[m[4]:m[5]])
		if row == 0 {
			if m[0] != 0 {
				break // not a row
			}
			row = n
		}
		if n != row {
			continue
		}
		c := 0
		for _, l := range line[m[2]:m[3]] {
			c = c*26 + int(l-'A'+1)
		}
		if first == 0 || c < first {
			first = c
		}
		last = max(last, c)
	}
	return row, first, last
}

func columnName(n int) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(rune('A'+(n-1)%26)) + s
	}
	return s
}

// windowsOf cuts a stretch into chunks, at empty lines where possible.
func windowsOf(lines lines, s stretch) []piece {
	var out []piece
	for from := s.from; from < s.to; {
		if len(lines.at(from)) > chunkBytes {
			for part := range cutLine(lines.at(from)) {
				out = append(out, piece{start: from + 1, end: from + 1, text: part})
			}
			from++
			continue
		}
		to := lines.windowEnd(from, s.to)
		first, last := from, to
		for first < last && lines.isBlank(first) {
			first++
		}
		for last > first && lines.isBlank(last-1) {
			last--
		}
		if first < last {
			out = append(out, piece{start: first + 1, end: last, text: lines.between(first, last)})
		}
		from = to
	}
	return out
}

func (l lines) isBlank(i int) bool { return strings.TrimSpace(l.at(i)) == "" }

// windowEnd returns the end of the window that begins at from: after a blank
// line of its second half, if there is one.
func (l lines) windowEnd(from, end int) int {
	to, size := from, 0
	for to < end && to-from < chunkLines && size+len(l.at(to)) <= chunkBytes {
		size += len(l.at(to)) + 1
		to++
	}
	if to == end {
		return to
	}
	for at := to; at > from+(to-from)/2; at-- {
		if l.isBlank(at - 1) {
			return at
		}
	}
	return to
}

// cutLine yields a long line in parts, cut at spaces where possible.
func cutLine(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > chunkBytes {
			at := strings.LastIndexByte(s[:chunkBytes], ' ')
			if at < chunkBytes/2 {
				for at = chunkBytes; !utf8.RuneStart(s[at]); {
					at--
				}
			}
			if !yield(s[:at]) {
				return
			}
			s = s[at:]
		}
		yield(s)
	}
}

// KindOf tells by its name whether a file is source code or configuration, or
// a document.
func KindOf(name string) Kind {
	if codeExt[strings.ToLower(path.Ext(name))] || codeName[strings.ToLower(path.Base(name))] {
		return Code
	}
	return Docs
}

var codeExt = wordSet(".go .py .js .jsx .mjs .cjs .ts .tsx .java .kt .kts .scala .groovy .rb .rs .c .h .cc .cpp .cxx .hpp .hh .m .mm .cs .fs .vb .swift .php .pl .pm .lua .r .jl .dart .ex .exs .erl .hs .clj .sql .sh .bash .zsh .fish .ps1 .bat .cmd .css .scss .sass .less .vue .svelte .json .yaml .yml .toml .ini .xml .gradle .cmake .proto .tf .mod")

var codeName = wordSet("makefile dockerfile rakefile gemfile cmakelists.txt jenkinsfile .gitignore .editorconfig")

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// indexable reports by its name whether a file may have text. Pictures have
// none.
func indexable(e workshop.Entry) bool {
	return !e.IsDir && e.Refused == "" && e.Kind != formats.KindImage
}

// sameKind reports whether two names lead to the same passages for the same
// content.
func sameKind(a, b workshop.Path) bool {
	ext := func(p workshop.Path) string { return strings.ToLower(path.Ext(string(p))) }
	return ext(a) == ext(b) && KindOf(string(a)) == KindOf(string(b))
}
