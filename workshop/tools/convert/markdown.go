package convert

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/text"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// maxText limits the text that becomes a document.
const maxText = 4 << 20

// textToDocx writes a text file as a document: Markdown with its headings, lists,
// tables and emphasis, other text with a paragraph a line.
func (c *conversion) textToDocx(ctx context.Context, src formats.Source, w io.Writer) error {
	r, _, err := text.Decode(ctx, src)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return err
	}
	if len(b) > maxText {
		return workshop.Faultf(workshop.Invalid, "%s is too long to become a document: the limit is %d MiB of text", c.from, maxText>>20)
	}
	d := document{}
	if c.ext != ".txt" {
		b, d.front = withoutFrontMatter(b)
	}
	d.source = b
	if c.ext == ".txt" {
		for line := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n"), "\n") {
			line = strings.TrimSuffix(line, "\r")
			d.add(docx.Paragraph{Text: &line})
		}
	} else {
		parser := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
		d.blocks(parser.Parse(gtext.NewReader(b)), block{})
	}
	d.flush()
	for _, l := range []struct {
		n    int
		what string
	}{{d.front, "lines of front matter, which are not in it"}, {d.images, "images, of which only the description is in it"}, {d.html, "pieces of HTML, which are not in it"},
		{d.links, "links, which are text with their address"}, {d.cells, "table cells whose emphasis is gone"}} {
		if l.n > 0 {
			c.note("%s: %d", l.what, l.n)
		}
	}
	if d.err != nil {
		return d.err
	}
	rep, err := docx.Format().Editor.Apply(ctx, nil, w, d.ops, formats.ApplyOptions{Author: c.env.Author})
	c.notes = append(c.notes, rep.Warnings...)
	return err
}

// withoutFrontMatter drops the lines between two lines of "---" at the beginning of
// Markdown, and returns how many they were.
func withoutFrontMatter(b []byte) (rest []byte, lines int) {
	if !bytes.HasPrefix(b, []byte("---\n")) && !bytes.HasPrefix(b, []byte("---\r\n")) {
		return b, 0
	}
	at := 0
	for line := range bytes.Lines(b) {
		at += len(line)
		if s := string(bytes.TrimSpace(line)); lines > 0 && (s == "---" || s == "...") {
			return b[at:], lines - 1
		}
		lines++
	}
	return b, 0
}

// document collects the operations that write a document.
type document struct {
	source     []byte
	ops        []json.RawMessage
	paragraphs []docx.Paragraph // not in ops yet
	err        error

	front, images, html, links, cells int // what is lost
}

// block is what a block stands in.
type block struct {
	quoted bool
	depth  int    // of lists
	marker string // "1." of an item of a numbered list that begins with the block, "•" of another
}

func (d *document) add(p docx.Paragraph) { d.paragraphs = append(d.paragraphs, p) }

// flush makes an operation of the paragraphs so far.
func (d *document) flush() {
	if len(d.paragraphs) > 0 {
		d.op(map[string]any{"op": "append_paragraph", "paragraphs": d.paragraphs})
		d.paragraphs = nil
	}
}

func (d *document) op(members map[string]any) {
	b, err := tools.Compact(members)
	if err != nil && d.err == nil {
		d.err = err
	}
	d.ops = append(d.ops, b)
}

// blocks adds the blocks of a node. The first takes the marker of its item.
func (d *document) blocks(n ast.Node, in block) {
	for k := n.FirstChild(); k != nil; k = k.NextSibling() {
		d.block(k, in)
		in.marker = ""
	}
}

func (d *document) block(n ast.Node, in block) {
	switch n := n.(type) {
	case *ast.Heading:
		p := in.paragraph(d.runs(n, docx.Font{}))
		p.Style = "Heading " + strconv.Itoa(n.Level)
		d.add(p)
	case *ast.List:
		d.list(n, in)
	case *ast.Blockquote:
		in.quoted = true
		d.blocks(n, in)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		d.code(n, in)
	case *ast.ThematicBreak:
		d.add(docx.Paragraph{Runs: []docx.Run{{Text: "* * *"}}, Layout: docx.Layout{Alignment: "center"}})
	case *ast.HTMLBlock:
		d.html++
	case *east.Table:
		d.table(n)
	default:
		d.add(in.paragraph(d.runs(n, docx.Font{})))
	}
}

// paragraph returns a paragraph with the place that the block has.
func (in block) paragraph(runs []docx.Run) docx.Paragraph {
	p := docx.Paragraph{Runs: runs}
	if in.quoted {
		p.Style = "Quote"
	}
	if in.depth > 0 {
		left, hang := lenient.Float(0.5*float64(in.depth)), lenient.Float(-0.25)
		p.IndentLeft = &left
		switch in.marker {
		case "":
		case "•":
			p.Style = "List Bullet"
			p.IndentFirstLine = &hang
		default: // the number as it is: a list of Word would count on from the one before
			p.Runs = append([]docx.Run{{Text: in.marker + "\t"}}, runs...)
			p.IndentFirstLine = &hang
		}
	}
	return p
}

func (d *document) list(n *ast.List, in block) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		inner := block{quoted: in.quoted, depth: in.depth + 1, marker: "•"}
		if n.IsOrdered() {
			inner.marker = strconv.Itoa(number) + string(n.Marker)
			number++
		}
		d.blocks(item, inner)
	}
}

func (d *document) code(n ast.Node, in block) {
	var sb strings.Builder
	for i := range n.Lines().Len() {
		l := n.Lines().At(i)
		sb.Write(l.Value(d.source))
	}
	p := in.paragraph([]docx.Run{{Text: strings.TrimRight(sb.String(), "\n"), Font: docx.Font{FontName: codeFont}}})
	d.add(p)
}

const codeFont = "Courier New"

func (d *document) table(n ast.Node) {
	d.flush()
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			var sb strings.Builder
			formatted := 0
			for _, run := range d.runs(c, docx.Font{}) {
				sb.WriteString(run.Text)
				if run.Font != (docx.Font{}) {
					formatted = 1
				}
			}
			d.cells += formatted
			row = append(row, sb.String())
		}
		rows = append(rows, row)
	}
	d.op(map[string]any{"op": "add_table", "rows": rows, "header_row": true, "style": "Table Grid"})
}

// runs returns the text in a node with its formatting.
func (d *document) runs(n ast.Node, f docx.Font) []docx.Run {
	var out []docx.Run
	for k := n.FirstChild(); k != nil; k = k.NextSibling() {
		out = append(out, d.inline(k, f)...)
	}
	return out
}

func (d *document) inline(n ast.Node, f docx.Font) []docx.Run {
	yes := lenient.Bool(true)
	switch n := n.(type) {
	case *ast.Text:
		s := string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(n.Segment.Value(d.source)))))
		switch {
		case n.HardLineBreak():
			s += "\n"
		case n.SoftLineBreak():
			s += " "
		}
		return []docx.Run{{Text: s, Font: f}}
	case *ast.String:
		return []docx.Run{{Text: string(n.Value), Font: f}}
	case *ast.Emphasis:
		if n.Level > 1 {
			f.Bold = &yes
		} else {
			f.Italic = &yes
		}
	case *east.Strikethrough:
		f.Strike = &yes
	case *ast.CodeSpan:
		return d.codeSpan(n, f)
	case *east.TaskCheckBox:
		return []docx.Run{{Text: map[bool]string{true: "☑ ", false: "☐ "}[n.IsChecked], Font: f}}
	case *ast.AutoLink:
		return []docx.Run{{Text: string(n.URL(d.source)), Font: f}}
	case *ast.Link:
		return d.link(n, f)
	case *ast.Image:
		d.images++
		return []docx.Run{{Text: fmt.Sprintf("[%s: %s]", plain(d.runs(n, f)), n.Destination), Font: f}}
	case *ast.RawHTML:
		d.html++
		return nil
	}
	return d.runs(n, f)
}

// codeSpan keeps the text of code as it is: it has no escapes.
func (d *document) codeSpan(n ast.Node, f docx.Font) []docx.Run {
	f.FontName = codeFont
	var sb strings.Builder
	for k := n.FirstChild(); k != nil; k = k.NextSibling() {
		if t, ok := k.(*ast.Text); ok {
			sb.Write(t.Segment.Value(d.source))
		}
	}
	return []docx.Run{{Text: strings.ReplaceAll(sb.String(), "\n", " "), Font: f}}
}

func (d *document) link(n *ast.Link, f docx.Font) []docx.Run {
	d.links++
	runs := d.runs(n, f)
	if to := string(n.Destination); to != plain(runs) {
		runs = append(runs, docx.Run{Text: " (" + to + ")", Font: f})
	}
	return runs
}

func plain(runs []docx.Run) string {
	var sb strings.Builder
	for _, r := range runs {
		sb.WriteString(r.Text)
	}
	return sb.String()
}
