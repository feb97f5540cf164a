package main

import (
	"encoding/json"
	"strings"

	"github.com/yuin/goldmark/ast"

	"atelier/internal/docpages"
)

// An entry of the search is one section of a page: from a heading to the next.
type entry struct {
	URL   string `json:"u"`
	Page  string `json:"p"`
	Title string `json:"t"`
	Text  string `json:"x"`
}

// index adds the sections of a page.
func (s *site) index(p *page, src *docpages.Page) {
	at := entry{URL: p.url, Page: p.title}
	var text strings.Builder
	flush := func() {
		at.Text = strings.Join(strings.Fields(text.String()), " ")
		if at.Text != "" || at.Title != "" {
			s.search = append(s.search, at)
		}
		text.Reset()
	}
	_ = ast.Walk(src.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering && n.Level > 1 {
				flush()
				id, _ := n.AttributeString("id")
				at = entry{URL: p.url + "#" + string(id.([]byte)), Page: p.title, Title: docpages.Text(n, src.Source)}
				return ast.WalkSkipChildren, nil
			}
		case *ast.Text:
			if entering {
				text.Write(n.Segment.Value(src.Source))
				if n.SoftLineBreak() {
					text.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			if entering {
				text.Write(n.Lines().Value(src.Source))
			}
		}
		if n.Type() == ast.TypeBlock {
			text.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	flush()
}

// searchIndex returns the script that gives the sections to the search.
func (s *site) searchIndex() ([]byte, error) {
	b, err := json.Marshal(s.search)
	return append(append([]byte("window.sections = "), b...), ";\n"...), err
}
