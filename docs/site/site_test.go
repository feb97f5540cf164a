package main

import (
	"bytes"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"atelier/internal/docpages"
)

// TestLinks: each relative link of a page leads to a file of the repository, and to a
// heading that is there; addresses outside are complete https addresses.
func TestLinks(t *testing.T) {
	paths, err := docpages.Find("../..")
	require.NoError(t, err)
	anchors := map[string]map[string]bool{}
	var pages []*docpages.Page
	for _, p := range paths {
		page, err := docpages.Read(p)
		require.NoError(t, err)
		page.Path = strings.TrimPrefix(filepath.ToSlash(p), "../../")
		pages = append(pages, page)
		anchors[page.Path] = map[string]bool{}
		for _, h := range page.Headings() {
			anchors[page.Path][h.Anchor] = true
		}
	}
	links := 0
	for _, page := range pages {
		for _, l := range page.Links() {
			links++
			if outside(l.Dest) {
				u, err := url.Parse(l.Dest)
				if err != nil || u.Scheme != "mailto" && (u.Scheme != "https" && u.Scheme != "http" || !strings.Contains(u.Host, ".") || strings.ContainsAny(l.Dest, " \t")) {
					t.Errorf("%s:%d: %s is not a public address", page.Path, l.Line, l.Dest)
				}
				continue
			}
			file, anchor := target(page.Path, l.Dest)
			if _, err := os.Stat("../../" + file); err != nil {
				t.Errorf("%s:%d: %s does not exist", page.Path, l.Line, l.Dest)
			} else if anchor != "" && anchors[file] != nil && !anchors[file][anchor] {
				t.Errorf("%s:%d: %s has no heading %q", page.Path, l.Line, file, anchor)
			}
		}
	}
	require.Greater(t, links, 300)
}

// TestSite builds the site and follows every link, picture, style and script of it:
// each is a file of the site, each anchor an element, and nothing is loaded from
// elsewhere. Every page but the decisions is in the navigation.
func TestSite(t *testing.T) {
	out := t.TempDir()
	count, err := build("../..", out)
	require.NoError(t, err)
	ids, links := map[string]map[string]bool{}, map[string][]string{}
	require.NoError(t, filepath.WalkDir(out, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		doc, err := html.Parse(bytes.NewReader(b))
		require.NoError(t, err)
		rel, err := filepath.Rel(out, file)
		require.NoError(t, err)
		rel = filepath.ToSlash(rel)
		ids[rel] = map[string]bool{}
		for n := range doc.Descendants() {
			for _, a := range n.Attr {
				switch {
				case a.Key == "id":
					require.False(t, ids[rel][a.Val], "%s has the id %s twice", rel, a.Val)
					ids[rel][a.Val] = true
				case a.Key == "src" || a.Key == "href" && n.Data == "link":
					require.NotContains(t, a.Val, "//", "%s loads %s", rel, a.Val)
					links[rel] = append(links[rel], a.Val)
				case a.Key == "href":
					links[rel] = append(links[rel], a.Val)
				case strings.HasPrefix(a.Key, "on") || a.Key == "style":
					t.Errorf("%s has the attribute %s", rel, a.Key)
				}
			}
		}
		return nil
	}))
	require.Len(t, ids, count)
	require.Greater(t, count, 120)
	for from, dests := range links {
		for _, dest := range dests {
			if outside(dest) {
				continue
			}
			file, anchor, _ := strings.Cut(dest, "#")
			to := from
			if file != "" {
				to = path.Join(path.Dir(from), file)
			}
			if _, err := os.Stat(filepath.Join(out, to)); err != nil {
				t.Errorf("%s links to %s, which is absent", from, dest)
			} else if anchor != "" && !ids[to][anchor] {
				t.Errorf("%s links to %s, which has no such anchor", from, dest)
			}
		}
	}
	for page := range ids {
		if strings.HasPrefix(page, "packaging/") || // a list of files
			strings.HasPrefix(page, "decisions/") || strings.HasPrefix(page, "source/") {
			continue
		}
		inNav := false
		for _, dest := range links["index.html"] {
			inNav = inNav || dest == page
		}
		require.True(t, inNav, "docs/README.md, and so the navigation, lacks %s", page)
	}
}

// TestSearchIndex: the index has a section for each heading, without marks of Markdown.
func TestSearchIndex(t *testing.T) {
	out := t.TempDir()
	_, err := build("../..", out)
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(out, "search-index.js"))
	require.NoError(t, err)
	require.Regexp(t, `(?s)^window\.sections = \[\{"u":.*\}\];\n$`, string(b))
	require.Contains(t, string(b), `"u":"start.html#you-decide","p":"The first ten minutes","t":"You decide"`)
	require.Less(t, len(b), 4<<20)
	require.False(t, regexp.MustCompile("```").Match(b))
}

// TestLeftOut: HTML of a page, such as a comment that prepares a test, is not written.
func TestLeftOut(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs"), 0o755))
	page := "# A\n\n<!-- setup rm -->\n\n<script>x</script>\n\n## Begin\n\n- [B](b.md)\n- [There](https://example.org)\n\n| a |\n|---|\n| <b>c</b> & d |\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs/README.md"), []byte(page), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs/b.md"), []byte("# B\n\n[up](README.md#begin)\n"), 0o644))
	out := t.TempDir()
	count, err := build(root, out)
	require.NoError(t, err)
	require.Equal(t, 2, count)
	b, err := os.ReadFile(filepath.Join(out, "index.html"))
	require.NoError(t, err)
	for _, absent := range []string{"setup rm", "<script>x", "<b>"} {
		require.NotContains(t, string(b), absent)
	}
	require.Contains(t, string(b), "&amp; d")
	b, err = os.ReadFile(filepath.Join(out, "b.html"))
	require.NoError(t, err)
	require.Contains(t, string(b), `<a href="index.html#begin">up</a>`)

	require.NoError(t, os.WriteFile(filepath.Join(root, "docs/b.md"), []byte("# B\n\n[gone](c.md)\n"), 0o644))
	_, err = build(root, out)
	require.ErrorContains(t, err, "docs/b.md:3")
}
