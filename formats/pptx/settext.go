package pptx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

// line is one paragraph to be written.
type line struct {
	level  int // outline level, -1: that of the paragraph before or in its place
	text   string
	runs   []Run // formatted text instead of text
	format ParagraphFormat
}

// asIs reports whether a line asks for no formatting of its own.
func (l line) asIs() bool { return len(l.runs) == 0 && l.format == (ParagraphFormat{}) }

// maxLevel is the deepest outline level (21.1.2.2.7).
const maxLevel = 8

// splitLines parts a text into paragraphs: one on each line, a leading tab for
// each level.
func splitLines(s string) []line {
	var out []line
	for _, l := range strings.Split(newlines(s), "\n") {
		text := strings.TrimLeft(l, "\t")
		out = append(out, line{level: min(maxLevel, len(l)-len(text)), text: text})
	}
	return out
}

func newlines(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }

// splitBullets is splitLines for bullets, which without tabs stay on the level
// of the paragraph they follow.
func splitBullets(bullets []string) []line {
	var out []line
	for _, b := range bullets {
		for _, l := range splitLines(b) {
			if l.level == 0 {
				l.level = -1
			}
			out = append(out, l)
		}
	}
	return out
}

func (l line) String() string { return strings.Repeat("\t", max(0, l.level)) + l.text }

// paragraphs lists the a:p of a text body.
func paragraphs(body *node) []*node {
	var out []*node
	for p := range body.kids() {
		if p.Is(nsA, "p") {
			out = append(out, p)
		}
	}
	return out
}

// setLines replaces the paragraphs of a text body. Old paragraphs that say
// what a new one shall say are kept as they are.
func (t *tree) setLines(body *node, lines []line) []xmlscan.Splice {
	old := paragraphs(body)
	kept := t.keep(old, lines)
	prefix := bodyPrefix(body)
	var buf bytes.Buffer
	for i := 0; i < len(lines); {
		if k, ok := kept[i]; ok {
			buf.Write(t.raw(k.p))
			i += k.lines
			continue
		}
		l := lines[i]
		if l.level < 0 {
			l.level = 0
			if i < len(old) {
				l.level = level(old[i])
			}
		}
		t.writeParagraph(&buf, prefix, t.model(old, i, l.level), l)
		i++
	}
	if len(old) == 0 {
		return t.insertLast(body, buf.Bytes())
	}
	// Whatever stands between the first and the last paragraph goes with them.
	return []xmlscan.Splice{{Start: old[0].Start, End: old[len(old)-1].end, New: buf.Bytes()}}
}

// appendLines adds paragraphs behind the last one, in its formatting. An empty
// last paragraph, as in an unfilled placeholder, makes room.
func (t *tree) appendLines(body *node, lines []line) []xmlscan.Splice {
	old := paragraphs(body)
	prefix := bodyPrefix(body)
	var buf bytes.Buffer
	if len(old) == 0 {
		for _, l := range lines {
			t.writeParagraph(&buf, prefix, nil, l)
		}
		return t.insertLast(body, buf.Bytes())
	}
	last := old[len(old)-1]
	at := xmlscan.Splice{Start: last.end, End: last.end}
	if t.paragraphText(last) == "" {
		at.Start = last.Start
		// The paragraph above shows how filled ones look.
		if len(old) > 1 && last.child(nsA, "pPr") == nil && firstRunProps(last) == nil {
			last = old[len(old)-2]
		}
	}
	for _, l := range lines {
		if l.level < 0 {
			l.level = level(last)
		}
		t.writeParagraph(&buf, prefix, last, l)
	}
	at.New = buf.Bytes()
	return []xmlscan.Splice{at}
}

// insertLast puts content behind the last child of n.
func (t *tree) insertLast(n *node, content []byte) []xmlscan.Splice {
	if !n.Empty {
		return []xmlscan.Splice{{Start: n.close, End: n.close, New: content}}
	}
	tag := bytes.TrimSuffix(t.doc[n.Start:n.End], []byte("/>"))
	name := qualify(n.Prefix, n.Local)
	return []xmlscan.Splice{{Start: n.Start, End: n.end, New: fmt.Appendf(nil, "%s>%s</%s>", tag, content, name)}}
}

// model is the old paragraph whose formatting the new one at position i takes:
// the one at its place when it is on the same level, else the first on that
// level, else the first of all; one that says something before an empty one.
func (t *tree) model(old []*node, i, lvl int) *node {
	if i < len(old) && level(old[i]) == lvl && hasRun(old[i]) {
		return old[i]
	}
	rank := func(p *node) (r int) {
		if level(p) == lvl {
			r += 2
		}
		if hasRun(p) {
			r++
		}
		return r
	}
	var best *node
	for _, p := range old {
		if best == nil || rank(p) > rank(best) {
			best = p
		}
	}
	return best
}

func hasRun(p *node) bool { return p.child(nsA, "r") != nil || p.child(nsA, "fld") != nil }

// writeParagraph writes l with the paragraph properties and the formatting of
// the first run of model.
func (t *tree) writeParagraph(buf *bytes.Buffer, prefix string, model *node, l line) {
	q := func(local string) string { return qualify(prefix, local) }
	fmt.Fprintf(buf, "<%s>", q("p"))
	buf.Write(l.format.apply(t.paragraphProps(prefix, model, max(0, l.level)), q("pPr"), t.strict()))
	rPr := t.runProps(q("rPr"), firstRunProps(model))
	runs := l.runs
	if len(runs) == 0 {
		runs = []Run{{Text: l.text}}
	}
	empty := true
	for _, r := range runs {
		empty = empty && r.Text == ""
		buf.WriteString(paragraph.Runs(paragraph.Drawing, q(""), string(r.apply(rPr, q("rPr"))), strings.ReplaceAll(r.Text, "\v", "\n")))
	}
	if empty && len(rPr) > 0 {
		buf.Write(t.runProps(q("endParaRPr"), firstRunProps(model)))
	}
	fmt.Fprintf(buf, "</%s>", q("p"))
}

// paragraphsXML are lines as new paragraphs with the prefix a:.
func (t *tree) paragraphsXML(lines []line) []byte {
	var buf bytes.Buffer
	for _, l := range lines {
		t.writeParagraph(&buf, "a", nil, l)
	}
	return buf.Bytes()
}

// paragraphProps is the a:pPr of model put on another level if need be: its
// own indents would undo the level's, so they go then.
func (t *tree) paragraphProps(prefix string, model *node, lvl int) []byte {
	var pPr *node
	if model != nil {
		pPr = model.child(nsA, "pPr")
	}
	if pPr == nil {
		if lvl == 0 {
			return nil
		}
		return fmt.Appendf(nil, `<%s lvl="%d"/>`, qualify(prefix, "pPr"), lvl)
	}
	raw := t.raw(pPr)
	if level(model) == lvl {
		return raw
	}
	raw = dropAttrs(pPr, raw, "lvl", "marL", "indent")
	if lvl == 0 {
		return raw
	}
	name := len("<") + len(qualify(pPr.Prefix, pPr.Local))
	return fmt.Appendf(nil, `%s lvl="%d"%s`, raw[:name], lvl, raw[name:])
}

// firstRunProps is the formatting of the first run, field or break of p, or of
// its end mark when it has no run; nil when there is none.
func firstRunProps(p *node) *node {
	for k := range content(p, shown) {
		if k.Is(nsA, "r") || k.Is(nsA, "fld") || k.Is(nsA, "br") {
			return k.child(nsA, "rPr")
		}
	}
	return p.child(nsA, "endParaRPr")
}

// runProps writes the run properties n as an element called name, without the
// hyperlink (which belongs to the old words) and the marks of the spell
// checker.
func (t *tree) runProps(name string, n *node) []byte {
	if n == nil {
		return nil
	}
	var cuts []xmlscan.Splice
	for k := range n.kids() {
		if k.Is(nsA, "hlinkClick") || k.Is(nsA, "hlinkMouseOver") {
			cuts = append(cuts, xmlscan.Splice{Start: k.Start - n.End, End: k.end - n.End})
		}
	}
	attrs := dropAttrs(n, n.Bytes(), "err", "dirty")[1+len(qualify(n.Prefix, n.Local)):]
	attrs = bytes.TrimSuffix(bytes.TrimSuffix(attrs, []byte(">")), []byte("/"))
	inner := xmlscan.Apply(t.doc[n.End:n.close], cuts)
	if n.Empty || len(inner) == 0 {
		return fmt.Appendf(nil, "<%s%s/>", name, attrs)
	}
	return fmt.Appendf(nil, "<%s%s>%s</%s>", name, attrs, inner, name)
}

// dropAttrs is raw, which begins with the start tag of n, without some
// attributes.
func dropAttrs(n *node, raw []byte, names ...string) []byte {
	var cuts []xmlscan.Splice
	for a := range n.Attrs() {
		if !slices.Contains(names, a.Name) {
			continue
		}
		// Back over quote, equals sign and name, minding blanks between them.
		head := bytes.TrimRight(raw[:a.ValStart-n.Start-1], " \t\r\n=")
		head = bytes.TrimRight(bytes.TrimSuffix(head, []byte(a.Name)), " \t\r\n")
		cuts = append(cuts, xmlscan.Splice{Start: len(head), End: a.ValEnd - n.Start + 1})
	}
	return xmlscan.Apply(raw, cuts)
}

// bodyPrefix is the prefix that the drawing namespace has inside a text body,
// taken from a child, so that it is bound there.
func bodyPrefix(body *node) string {
	for k := range body.kids() {
		if k.Space == nsA {
			return k.Prefix
		}
	}
	p, _ := body.prefixOf(nsA)
	return p
}

func qualify(prefix, local string) string {
	if prefix == "" {
		return local
	}
	return prefix + ":" + local
}

// keptParagraph is an old paragraph that stands for some of the new lines.
type keptParagraph struct {
	p     *node
	lines int
}

// keepMax bounds the table that keep fills, in cells.
const keepMax = 1 << 20

// keep finds the old paragraphs that can stay, by the position of the first
// line they stand for: the longest common subsequence of what the slide says
// and what it shall say, where a paragraph with line breaks covers several
// lines.
func (t *tree) keep(old []*node, lines []line) map[int]keptParagraph {
	n, m := len(lines), len(old)
	if (n+1)*(m+1) > keepMax {
		return nil
	}
	says := make([][]string, m)
	for j, p := range old {
		says[j] = strings.Split(strings.Repeat("\t", level(p))+t.paragraphText(p), "\n")
	}
	best := make([][]int, n+1) // lines kept of lines[i:] by old[j:]
	for i := range best {
		best[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if covers(says[j], lines[i:]) {
				best[i][j] = max(best[i][j], len(says[j])+best[i+len(says[j])][j+1])
			}
		}
	}
	kept := map[int]keptParagraph{}
	for i, j := 0, 0; i < n && j < m; {
		switch k := len(says[j]); {
		case covers(says[j], lines[i:]) && best[i][j] == k+best[i+k][j+1]:
			kept[i] = keptParagraph{old[j], k}
			i, j = i+k, j+1
		case best[i][j] == best[i][j+1]:
			j++
		default:
			i++
		}
	}
	return kept
}

// covers reports whether lines begins with what a paragraph says.
func covers(says []string, lines []line) bool {
	if len(says) > len(lines) {
		return false
	}
	for k, s := range says {
		if lines[k].level < 0 {
			s = strings.TrimLeft(s, "\t")
		}
		if !lines[k].asIs() || lines[k].String() != s {
			return false
		}
	}
	return true
}
