package pptx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// line is one paragraph to be written.
type line struct {
	level  int // outline level, -1: that of the paragraph before or in its place
	text   string
	runs   []Run // formatted text instead of text
	format ParagraphFormat
	links  runLinks // of the text it takes the place of
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
	for p := range body.Kids() {
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
	kept := t.keepParagraphs(old, lines)
	lines = slices.Clone(lines)
	t.carryLinks(old, kept, lines)
	prefix := bodyPrefix(body)
	var buf bytes.Buffer
	for i := 0; i < len(lines); {
		if k, ok := kept[i]; ok {
			buf.Write(t.Raw(k.p))
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
		return t.InsertLast(body, buf.Bytes())
	}
	// Whatever is between the first and the last paragraph goes with them.
	return []xmlscan.Splice{{Start: old[0].Start, End: old[len(old)-1].After, New: buf.Bytes()}}
}

// appendLines adds paragraphs after the last one, in its formatting. An empty
// last paragraph, as in an unfilled placeholder, makes room.
func (t *tree) appendLines(body *node, lines []line) []xmlscan.Splice {
	old := paragraphs(body)
	prefix := bodyPrefix(body)
	var buf bytes.Buffer
	if len(old) == 0 {
		for _, l := range lines {
			t.writeParagraph(&buf, prefix, nil, l)
		}
		return t.InsertLast(body, buf.Bytes())
	}
	last := old[len(old)-1]
	at := xmlscan.Splice{Start: last.After, End: last.After}
	if t.paragraphText(last) == "" {
		at.Start = last.Start
		// The paragraph above shows how filled ones look.
		if len(old) > 1 && last.Child(nsA, "pPr") == nil && firstRunProps(last) == nil {
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

// model returns the old paragraph whose formatting the new one at position i
// takes: the one at its place when it is on the same level, else the first on
// that level, else the first of all; one that says something before an empty
// one.
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

func hasRun(p *node) bool { return p.Child(nsA, "r") != nil || p.Child(nsA, "fld") != nil }

// writeParagraph writes l with the paragraph properties and the formatting of
// the first run of model.
func (t *tree) writeParagraph(buf *bytes.Buffer, prefix string, model *node, l line) {
	q := func(local string) string { return qualify(prefix, local) }
	fmt.Fprintf(buf, "<%s>", q("p"))
	buf.Write(l.format.apply(t.paragraphProps(prefix, model, max(0, l.level)), q("pPr"), t.Strict()))
	rPr := t.runProps(q("rPr"), firstRunProps(model))
	runs := l.runs
	if len(runs) == 0 {
		runs = []Run{{Text: l.text}}
	}
	empty := true
	for _, r := range runs {
		empty = empty && r.Text == ""
		props := r.apply(rPr, q("rPr"))
		if r.URL != "" && t.link != nil {
			props = t.withLink(props, q("rPr"), r.URL)
		} else if !l.links.none() {
			props = t.withLinks(props, q("rPr"), l.links)
		}
		buf.WriteString(paragraph.Runs(paragraph.Drawing, q(""), string(props), strings.ReplaceAll(r.Text, "\v", "\n")))
	}
	if empty && len(rPr) > 0 {
		buf.Write(t.runProps(q("endParaRPr"), firstRunProps(model)))
	}
	fmt.Fprintf(buf, "</%s>", q("p"))
}
