package main

import (
	"bytes"
	"html"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"atelier/internal/docpages"
)

func escape(s string) string { return html.EscapeString(s) }

// noHTML leaves HTML of pages out: their comments prepare tests.
type noHTML struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (noHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	skip := func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkSkipChildren, nil }
	r.Register(ast.KindHTMLBlock, skip)
	r.Register(ast.KindRawHTML, skip)
}

// shortName is how many bytes of code are not divided at their hyphens.
const shortName = 24

// render makes the HTML of a page, with links that lead to pages of the site, and adds
// its sections to the index of the search.
func (s *site) render(src *docpages.Page) error {
	p := s.pages[src.Path]
	for _, h := range src.Headings() {
		if h.Level == 2 {
			p.heads = append(p.heads, h)
		}
	}
	s.index(p, src)
	err := ast.Walk(src.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Link:
				n.Destination = []byte(s.link(p, string(n.Destination)))
			case *ast.Image:
				n.Destination = []byte(s.link(p, string(n.Destination)))
			case *ast.CodeSpan: // a short name, such as a flag, stays on one line
				if text := docpages.Text(n, src.Source); len(text) <= shortName && !strings.Contains(text, " ") {
					n.SetAttributeString("class", []byte("short"))
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	md := docpages.Markdown(goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(noHTML{}, 1))))
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, src.Source, src.Root); err != nil {
		return err
	}
	// A wide table or block scrolls alone, also with the keyboard.
	body := strings.NewReplacer("<table>", `<div class="wide" tabindex="0" role="group" aria-label="Table"><table>`, "</table>", "</table></div>", "<th></th>", "<td></td>", "<pre>", `<pre tabindex="0">`).Replace(out.String())
	p.body = []byte(body)
	return nil
}

// link returns the address in the site of a link of a page.
func (s *site) link(from *page, dest string) string {
	if outside(dest) {
		return dest
	}
	file, anchor := target(from.path, dest)
	url := urlOf(file)
	if p := s.pages[file]; p != nil {
		url = p.url
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	if url == from.url {
		if anchor == "" {
			return filepath.Base(url)
		}
		return anchor
	}
	return relative(from.url, url) + anchor
}

// relative returns the address of a page as another page links to it.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}
