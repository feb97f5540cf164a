package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// markdown parses the Markdown of models.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// printMarkdown prints a model's text: formatted on a terminal, unchanged
// elsewhere.
func printMarkdown(out io.Writer, source string) {
	source = strings.TrimRight(source, "\n")
	if source == "" {
		return
	}
	if _, ok := styled(out); !ok {
		fmt.Fprintln(out, source)
		return
	}
	var parts markdownParts
	l := layoutOf(out)
	list := append(parts.add(source+"\n"), parts.rest()...)
	for i, p := range list {
		if i > 0 && !p.more {
			fmt.Fprintln(out)
		}
		fmt.Fprint(out, l.render(p))
	}
}

// layout formats Markdown as text for lines of width columns.
type layout struct {
	styles palette
	width  int
}

// Limits of the layout.
const (
	widestText  = 100 // maximum columns for readable text
	deepestList = 40  // columns of indentation and quote marks
)

// layoutOf returns the layout for a terminal.
func layoutOf(out io.Writer) layout {
	return layout{colors(out), min(columns(out), widestText)}
}

// render formats a part of a text.
func (l layout) render(p markdownPart) string {
	if p.plain {
		return strings.TrimRight(p.text, "\n") + "\n"
	}
	d := &laidOut{layout: l, source: []byte(p.text)}
	d.blocks(markdown.Parse(text.NewReader(d.source)), "", "", false)
	return d.out.String()
}

// laidOut is a text that is being formatted.
type laidOut struct {
	layout
	source []byte
	out    strings.Builder
}

// blocks writes the blocks in a node. The first line begins with first, the
// others with rest; tight leaves no empty lines between the blocks.
func (d *laidOut) blocks(parent ast.Node, first, rest string, tight bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil {
			if !tight {
				d.line(strings.TrimRight(rest, " "))
			}
			first = rest
		}
		d.block(n, first, rest)
	}
	if parent.FirstChild() == nil && parent.Kind() == ast.KindListItem {
		d.line(strings.TrimRight(first, " "))
	}
}

func (d *laidOut) block(n ast.Node, first, rest string) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		d.wrap(d.spans(n, ""), first, rest)
	case *ast.Heading:
		if d.styles.head == "" {
			first += strings.Repeat("#", n.Level) + " "
		}
		d.wrap(d.spans(n, d.styles.head), first, rest)
	case *ast.Blockquote:
		d.blocks(n, deeper(first, "│ "), deeper(rest, "│ "), false)
	case *ast.List:
		d.list(n, first, rest)
	case *ast.ThematicBreak:
		d.line(first + "────────")
	case *east.Table:
		d.table(n, first, rest)
	default: // code, HTML
		d.verbatim(n, first, rest)
	}
}

// deeper appends to a line prefix, up to the deepest level.
func deeper(s, more string) string {
	if uniseg.StringWidth(s) >= deepestList {
		return s
	}
	return s + more
}

func (d *laidOut) list(n *ast.List, first, rest string) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		}
		if item.PreviousSibling() != nil {
			if !n.IsTight {
				d.line(strings.TrimRight(rest, " "))
			}
			first = rest
		}
		d.blocks(item, deeper(first, mark), deeper(rest, strings.Repeat(" ", uniseg.StringWidth(mark))), n.IsTight)
	}
}

// verbatim writes the lines of a block unchanged.
func (d *laidOut) verbatim(n ast.Node, first, rest string) {
	indent, style := "", ""
	if n.Kind() == ast.KindFencedCodeBlock || n.Kind() == ast.KindCodeBlock {
		indent, style = "    ", d.styles.code
	}
	write := func(b []byte) {
		for line := range strings.Lines(string(b)) {
			if line = strings.TrimRight(line, "\r\n"); line == "" {
				d.line(strings.TrimRight(first, " "))
			} else {
				d.line(first + indent + d.styled(line, style))
			}
			first = rest
		}
	}
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		write(at.Value(d.source))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		write(h.ClosureLine.Value(d.source))
	}
}

func (d *laidOut) line(s string) { d.out.WriteString(s + "\n") }

func (d *laidOut) styled(s, style string) string {
	if s == "" || style == "" {
		return s
	}
	return style + s + d.styles.off
}

// span is a run of text in one style.
type span struct{ text, style string }

// spans returns the texts in a node in reading order.
func (d *laidOut) spans(n ast.Node, style string) (list []span) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			list = append(list, span{string(c.Value(d.source)), style})
			if c.HardLineBreak() || c.SoftLineBreak() { // models end lines on purpose
				list = append(list, span{"\n", style})
			}
		case *ast.String:
			list = append(list, span{string(c.Value), style})
		case *ast.CodeSpan:
			code := d.spans(c, style+d.styles.code)
			if d.styles.code == "" {
				code = append([]span{{"`", style}}, append(code, span{"`", style})...)
			}
			list = append(list, code...)
		case *ast.Emphasis:
			more := d.styles.emph
			if c.Level > 1 {
				more = d.styles.head
			}
			list = append(list, d.spans(c, style+more)...)
		case *ast.Link:
			list = append(list, d.link(d.spans(c, style), string(c.Destination), style)...)
		case *ast.Image:
			list = append(list, d.link(append([]span{{"picture: ", style}}, d.spans(c, style)...), string(c.Destination), style)...)
		case *ast.AutoLink:
			list = append(list, span{string(c.Label(d.source)), style})
		case *ast.RawHTML:
			for i := range c.Segments.Len() {
				at := c.Segments.At(i)
				list = append(list, span{string(at.Value(d.source)), style})
			}
		default:
			list = append(list, d.spans(c, style)...)
		}
	}
	return list
}

// link shows the target of a link after its text, because the text may name
// another.
func (d *laidOut) link(says []span, to, style string) []span {
	if plainSpans(says) == to {
		return says
	}
	return append(says, span{" (" + to + ")", style})
}

func plainSpans(list []span) string {
	var sb strings.Builder
	for _, s := range list {
		sb.WriteString(s.text)
	}
	return sb.String()
}

// wrap writes spans in lines that break between words.
func (d *laidOut) wrap(list []span, first, rest string) {
	line, at := first, uniseg.StringWidth(first)
	word, wide := "", 0 // the current word, with its styles
	begun, gap := false, false
	end := func() { // ends a word
		if wide == 0 {
			return
		}
		if begun && gap && at+1+wide > d.width {
			d.line(line)
			line, at, begun = rest, uniseg.StringWidth(rest), false
		}
		if begun && gap {
			line, at = line+" ", at+1
		}
		line, at = line+word, at+wide
		begun, gap, word, wide = true, false, "", 0
	}
	for _, s := range list {
		for i, part := range splitBlanks(s.text) {
			if i%2 == 0 {
				word, wide = word+d.styled(part, s.style), wide+uniseg.StringWidth(part)
				continue
			}
			end()
			gap = true
			if strings.Contains(part, "\n") {
				d.line(line)
				line, at, begun = rest, uniseg.StringWidth(rest), false
			}
		}
	}
	end()
	d.line(line)
}

// splitBlanks splits s into alternating words and white space, starting with
// a word, which may be empty.
func splitBlanks(s string) []string {
	var out []string
	from, blank := 0, false
	for i, c := range s {
		if is := c == ' ' || c == '\t' || c == '\n'; is != blank {
			out, from, blank = append(out, s[from:i]), i, is
		}
	}
	return append(out, s[from:])
}
