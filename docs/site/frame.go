package main

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"

	"atelier/internal/docpages"
)

// A section of the navigation is a heading of docs/README.md with its links.
type section struct {
	title string
	links []navLink
}

type navLink struct{ title, path string }

// navigation reads the headings of level 2 and the links to pages that begin the items
// of lists of the first page.
func (s *site) navigation(start *docpages.Page) []section {
	var nav []section
	_ = ast.Walk(start.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				nav = append(nav, section{title: docpages.Text(n, start.Source)})
			}
		case *ast.ListItem:
			l, ok := n.FirstChild().FirstChild().(*ast.Link)
			if !ok || len(nav) == 0 {
				return ast.WalkSkipChildren, nil
			}
			if file := s.pathOf(string(l.Destination)); file != "" {
				last := &nav[len(nav)-1]
				last.links = append(last.links, navLink{docpages.Text(l, start.Source), file})
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return nav
}

// pathOf returns the path in the repository of the page with an address in the site.
func (s *site) pathOf(url string) string {
	for file, p := range s.pages {
		if p.url == url {
			return file
		}
	}
	return ""
}

// frame returns the whole HTML of a page. The navigation follows the text, so that a
// phone and a screen reader meet the text first; wide windows show it at the side.
func (s *site) frame(p *page) []byte {
	var out bytes.Buffer
	up := relative(p.url, "")
	title := p.title + " – Atelier"
	if p.url == "index.html" {
		title = "Atelier: documentation"
	}
	fmt.Fprintf(&out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="%ssite.css">
<script src="%ssite.js" data-root="%s" defer></script>
</head>
<body>
<a class="skip" href="#text">To the text</a>
<header>
<a class="name" href="%sindex.html">Atelier</a>
<form role="search" hidden><input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><div class="found" role="status"></div></form>
<a class="menu" href="#menu">All pages</a>
</header>
<main id="text">
`, escape(title), up, up, up, up)
	out.Write(p.body)
	if len(p.heads) > 2 {
		out.WriteString("</main>\n<nav class=\"here\" aria-label=\"This page\">\n<p>On this page</p>\n<ul>\n")
		for _, h := range p.heads {
			fmt.Fprintf(&out, "<li><a href=\"#%s\">%s</a></li>\n", escape(h.Anchor), escape(h.Text))
		}
		out.WriteString("</ul>\n</nav>\n")
	} else {
		out.WriteString("</main>\n")
	}
	out.WriteString("<nav id=\"menu\" aria-label=\"All pages\">\n")
	for _, sec := range s.nav {
		fmt.Fprintf(&out, "<p>%s</p>\n<ul>\n", escape(sec.title))
		for _, l := range sec.links {
			current := ""
			to := s.pages[l.path]
			if to == p {
				current = ` aria-current="page"`
			}
			fmt.Fprintf(&out, "<li><a href=\"%s\"%s>%s</a></li>\n", escape(relative(p.url, to.url)), current, escape(l.title))
		}
		out.WriteString("</ul>\n")
	}
	out.WriteString("</nav>\n</body>\n</html>\n")
	return out.Bytes()
}
