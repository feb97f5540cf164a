package docpages

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Page is one Markdown file.
type Page struct {
	Path   string // as it was given to Read
	Source []byte
	Root   ast.Node
}

// A Block is a fenced code block, or a comment that prepares the page; then Lang is
// "setup" or "model".
type Block struct {
	Lang  string
	Attrs map[string]string
	Text  string
	Line  int // of the first line of Text, from 1
}

// A Link is a link or a picture.
type Link struct {
	Dest string
	Line int
}

// A Heading has the text and the anchor that GitHub gives it.
type Heading struct {
	Level  int
	Text   string
	Anchor string
	Line   int
}

// A Code is a span of inline code.
type Code struct {
	Text string
	Line int
}

// Markdown returns the parser and renderer of pages: CommonMark with tables, and the
// anchors of GitHub.
func Markdown(options ...goldmark.Option) goldmark.Markdown {
	return goldmark.New(append([]goldmark.Option{
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	}, options...)...)
}

// Read parses a file.
func Read(path string) (*Page, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, source), nil
}

// Parse parses the text of a page.
func Parse(path string, source []byte) *Page {
	ctx := parser.NewContext(parser.WithIDs(&anchors{used: map[string]int{}}))
	return &Page{path, source, Markdown().Parser().Parse(text.NewReader(source), parser.WithContext(ctx))}
}

// Find returns the paths of the Markdown pages below root that a person reads: those at
// the root and below docs, without the heads that generated pages begin with.
func Find(root string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".head.md") {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

// LineAt returns the number of the line at a byte offset of the source.
func (p *Page) LineAt(offset int) int {
	return 1 + bytes.Count(p.Source[:offset], []byte("\n"))
}

var (
	attribute = regexp.MustCompile(`([a-z][a-z-]*)="([^"]*)"`)
	prepares  = regexp.MustCompile(`^<!-- (setup|model)[ \t\n]`)
)

// Blocks returns the code blocks and preparing comments in their order.
func (p *Page) Blocks() []Block {
	var blocks []Block
	p.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			b := Block{Attrs: map[string]string{}, Text: string(n.Lines().Value(p.Source))}
			if n.Info != nil {
				info := string(n.Info.Segment.Value(p.Source))
				b.Lang, _, _ = strings.Cut(info, " ")
				for _, m := range attribute.FindAllStringSubmatch(info, -1) {
					b.Attrs[m[1]] = m[2]
				}
			}
			if n.Lines().Len() > 0 {
				b.Line = p.LineAt(n.Lines().At(0).Start)
			}
			blocks = append(blocks, b)
		case *ast.HTMLBlock:
			raw := string(n.Lines().Value(p.Source))
			m := prepares.FindStringSubmatch(raw)
			if m == nil {
				return
			}
			// The closing line is kept apart from the others.
			body, _, _ := strings.Cut(raw[len(m[0]):], "-->")
			line := p.LineAt(n.Lines().At(0).Start) + strings.Count(m[0], "\n")
			blocks = append(blocks, Block{m[1], nil, strings.TrimSuffix(body, " "), line})
		}
	})
	return blocks
}

// Links returns the links and pictures in their order.
func (p *Page) Links() []Link {
	var links []Link
	p.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, Link{string(n.Destination), p.lineOf(n)})
		case *ast.Image:
			links = append(links, Link{string(n.Destination), p.lineOf(n)})
		case *ast.AutoLink:
			links = append(links, Link{string(n.URL(p.Source)), p.lineOf(n)})
		}
	})
	return links
}

// Headings returns the headings in their order.
func (p *Page) Headings() []Heading {
	var heads []Heading
	p.walk(func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			heads = append(heads, Heading{h.Level, Text(h, p.Source), fmt.Sprintf("%s", id), p.lineOf(h)})
		}
	})
	return heads
}

// Title returns the first heading of level 1, else the path.
func (p *Page) Title() string {
	for _, h := range p.Headings() {
		if h.Level == 1 {
			return h.Text
		}
	}
	return p.Path
}

// Codes returns the spans of inline code in their order.
func (p *Page) Codes() []Code {
	var codes []Code
	p.walk(func(n ast.Node) {
		if c, ok := n.(*ast.CodeSpan); ok {
			codes = append(codes, Code{Text(c, p.Source), p.lineOf(c)})
		}
	})
	return codes
}

func (p *Page) walk(visit func(ast.Node)) {
	_ = ast.Walk(p.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// lineOf returns the line of the first text in or around a node.
func (p *Page) lineOf(n ast.Node) int {
	offset := -1
	_ = ast.Walk(n, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok {
			offset = t.Segment.Start
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	for ; offset < 0 && n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			offset = n.Lines().At(0).Start
		}
	}
	return p.LineAt(max(offset, 0))
}

// Text returns the text of a node without its marks.
func Text(n ast.Node, source []byte) string {
	var sb strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			sb.Write(t.Segment.Value(source))
			if t.SoftLineBreak() {
				sb.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return sb.String()
}
