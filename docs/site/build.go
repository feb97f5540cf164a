package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/docpages"
)

// A site is the pages that are written, by their paths in the repository.
type site struct {
	root, out string
	pages     map[string]*page
	order     []string // the paths of pages in the order of their making
	nav       []section
	search    []entry
}

// A page is one HTML file.
type page struct {
	path  string // in the repository
	url   string // in the site
	title string
	body  []byte
	heads []docpages.Heading // level 2, for the navigation
}

// build writes the site and returns how many pages it has.
func build(root, out string) (int, error) {
	s := &site{root: root, out: out, pages: map[string]*page{}}
	found, err := docpages.Find(root)
	if err != nil {
		return 0, err
	}
	var sources []*docpages.Page
	for _, file := range found {
		src, err := docpages.Read(file)
		if err != nil {
			return 0, err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return 0, err
		}
		src.Path = filepath.ToSlash(rel)
		sources = append(sources, src)
		s.add(&page{path: src.Path, url: urlOf(src.Path), title: src.Title()})
	}
	// What pages link to beside pages: folders, source files, pictures.
	for _, src := range sources {
		for _, l := range src.Links() {
			if err := s.include(src.Path, l.Dest); err != nil {
				return 0, fmt.Errorf("%s:%d: %w", src.Path, l.Line, err)
			}
		}
	}
	for _, src := range sources {
		if err := s.render(src); err != nil {
			return 0, fmt.Errorf("%s: %w", src.Path, err)
		}
	}
	start := slices.IndexFunc(sources, func(p *docpages.Page) bool { return p.Path == "docs/README.md" })
	if start < 0 {
		return 0, fmt.Errorf("docs/README.md, whose lists are the navigation, is absent")
	}
	s.nav = s.navigation(sources[start])
	return len(s.pages), s.write()
}

func (s *site) add(p *page) {
	if s.pages[p.path] == nil {
		s.order = append(s.order, p.path)
	}
	s.pages[p.path] = p
}

// urlOf returns the path of a page in the site for its path in the repository.
func urlOf(file string) string {
	switch file {
	case "docs/README.md":
		return "index.html"
	case "README.md":
		return "about.html"
	}
	file = strings.TrimPrefix(file, "docs/")
	if rest, ok := strings.CutSuffix(file, ".md"); ok {
		if !strings.Contains(rest, "/") && rest == strings.ToUpper(rest) {
			rest = strings.ToLower(rest) // CHANGELOG, SECURITY, CONTRIBUTING
		}
		return rest + ".html"
	}
	return file
}

// outside reports whether a link leads out of the repository.
func outside(dest string) bool {
	return strings.Contains(dest, "://") || strings.HasPrefix(dest, "mailto:")
}

// target returns the path in the repository of a link in a page, and the anchor.
func target(from, dest string) (file, anchor string) {
	dest, anchor, _ = strings.Cut(dest, "#")
	if dest == "" {
		return from, anchor
	}
	return path.Join(path.Dir(from), dest), anchor
}

// include makes a page of a folder or a source file that a page links to, and copies a
// picture.
func (s *site) include(from, dest string) error {
	if outside(dest) {
		return nil
	}
	file, _ := target(from, dest)
	if s.pages[file] != nil {
		return nil
	}
	if file == ".." || strings.HasPrefix(file, "../") {
		return fmt.Errorf("%s is not in the repository", dest)
	}
	disk := filepath.Join(s.root, filepath.FromSlash(file))
	info, err := os.Stat(disk)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		s.add(&page{path: file, url: path.Join(strings.TrimPrefix(file, "docs/"), "index.html"), title: "Pages of " + file, body: s.list(file)})
		return nil
	case path.Ext(file) == ".png":
		b, err := os.ReadFile(disk)
		if err != nil {
			return err
		}
		return s.put(urlOf(file), b)
	case file == "docs/openapi.json":
		b, err := os.ReadFile(disk)
		if err != nil {
			return err
		}
		body, err := openAPI(b)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		s.add(&page{path: file, url: "openapi.html", title: "Routes of the HTTP API", body: body})
		return s.put("openapi.json", b)
	}
	b, err := os.ReadFile(disk)
	if err != nil {
		return err
	}
	text := bytes.Buffer{}
	fmt.Fprintf(&text, "<h1>%s</h1>\n<pre><code>%s</code></pre>\n", escape(file), escape(string(b)))
	s.add(&page{path: file, url: "source/" + file + ".html", title: file, body: text.Bytes()})
	return nil
}

// list is the page of a folder: its pages by title.
func (s *site) list(folder string) []byte {
	var out bytes.Buffer
	title := strings.TrimPrefix(folder, "docs/")
	fmt.Fprintf(&out, "<h1>%s</h1>\n<ul>\n", escape(strings.ToUpper(title[:1])+title[1:]))
	for _, file := range slices.Sorted(func(yield func(string) bool) {
		for file := range s.pages {
			if path.Dir(file) == folder && !yield(file) {
				return
			}
		}
	}) {
		fmt.Fprintf(&out, "<li><a href=\"%s\">%s</a></li>\n", escape(path.Base(s.pages[file].url)), escape(s.pages[file].title))
	}
	out.WriteString("</ul>\n")
	return out.Bytes()
}

func (s *site) put(name string, b []byte) error {
	file := filepath.Join(s.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}

// write writes every page, the style, the script and the index of the search.
func (s *site) write() error {
	for _, file := range s.order {
		p := s.pages[file]
		if err := s.put(p.url, s.frame(p)); err != nil {
			return err
		}
	}
	index, err := s.searchIndex()
	if err != nil {
		return err
	}
	if err := s.put("search-index.js", index); err != nil {
		return err
	}
	files, err := fs.Glob(assets, "assets/*")
	if err != nil {
		return err
	}
	for _, name := range files {
		b, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		if err := s.put(path.Base(name), b); err != nil {
			return err
		}
	}
	return nil
}
