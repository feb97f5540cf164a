package page

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"

	"atelier/formats"
	h "atelier/internal/htmlpage"
	"atelier/internal/textsafe"
	"atelier/workshop/review"
)

// Report is the content of a page.
type Report struct {
	Title   string    // what was reviewed, such as the name of the folder
	Made    time.Time // when the review was made
	Version string    // of the program
	Files   []File
}

// File is one changed file.
type File struct {
	Change  review.Change
	Content *review.ContentDiff // nil, or with a Message, if the file is compared by its text
	Text    *review.TextDiff
	Pages   []Page // the pages that differ
	Note    string // what the pictures leave out
}

// Page is one page of a document on both sides; a missing side is nil.
type Page struct {
	OldNumber, Number int    // 1-based, published and draft; 0 if that side has no such page
	Before, After     []byte // PNG
	Slide             bool   // the page is called a slide
}

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// Write writes the page to w.
func Write(w io.Writer, r Report) error {
	v := &view{Title: textsafe.Text(r.Title), Made: r.Made.Format("2 January 2006, 15:04"), Version: r.Version}
	for i, f := range r.Files {
		v.file(i+1, f)
	}
	v.Changed = formats.Count(len(r.Files), "file")
	v.Warned = formats.Count(v.warnings, "warning")
	v.HasWarnings = v.warnings > 0
	return h.Page{Title: "Review of " + v.Title, CSS: pageCSS, JS: pageJS, Images: true}.Write(w, v.body()...)
}

// view is the content of the page.
type view struct {
	Title, Made, Version string
	Changed, Warned      string
	HasWarnings          bool
	Files                []*fileView
	Changes              int // number of changes so far, for their ids
	warnings             int
}

type fileView struct {
	ID                  string
	Path, Kind, Summary string
	Mark                mark
	Sizes               string
	Hashes              string
	Conflict            bool
	Warnings            []string
	Message, Note       string
	Groups              []groupView
	Text                *textView
	Omitted             string
	Pages               []pageView
	PagesNote           string
	Empty               bool // the page can show nothing but the summary
}

// mark shows what happened to an item by a sign and a word, never by color
// alone.
type mark struct{ Class, Sign, Word string }

func markOf(change string) mark {
	switch change {
	case "added":
		return mark{"added", "+", "added"}
	case "removed", "deleted":
		return mark{"removed", "−", change}
	case "moved":
		return mark{"moved", "↕", "moved"}
	case "renamed":
		return mark{"moved", "≡", "renamed"}
	case "formatting":
		return mark{"formatted", "A", "formatting"}
	}
	return mark{"modified", "±", "changed"}
}

func (v *view) file(n int, f File) {
	c := f.Change
	out := &fileView{
		ID: fmt.Sprintf("f%d", n), Path: textsafe.Text(c.Path), Kind: c.FileKind, Summary: textsafe.Text(c.Summary), Mark: markOf(c.ChangeType),
		Sizes: sizeText(c), Conflict: c.Conflict, PagesNote: textsafe.Text(f.Note),
	}
	for _, w := range c.Warnings {
		out.Warnings = append(out.Warnings, textsafe.Text(w))
	}
	v.warnings += len(c.Warnings)
	if c.OldHash != "" || c.NewHash != "" {
		out.Hashes = strings.TrimSpace(fmt.Sprintf("%.12s → %.12s", hashOrNone(c.OldHash), hashOrNone(c.NewHash)))
	}
	if f.Content != nil && len(f.Content.Facts) > 0 {
		out.Groups = append(out.Groups, v.facts(f.Content.Facts))
	}
	switch {
	case f.Content != nil && f.Content.Message == "":
		for _, g := range f.Content.Groups {
			out.Groups = append(out.Groups, v.group(g, c.FileKind))
		}
		if n := f.Content.Omitted + f.Content.FactsOmitted; n > 0 {
			out.Omitted = formats.Count(n, "more change", "more changes") + " not shown here; atelier review --all lists them"
		}
	case f.Text != nil:
		out.Message, out.Note = textsafe.Text(f.Text.Message), textsafe.Text(f.Text.Note)
		if len(f.Text.Hunks) > 0 {
			out.Text = v.text(f.Text)
		}
	}
	for _, p := range f.Pages {
		out.Pages = append(out.Pages, pageOf(p, out.Path))
	}
	out.Empty = len(out.Groups) == 0 && out.Text == nil && out.Message == "" && len(out.Pages) == 0
	v.Files = append(v.Files, out)
}

func hashOrNone(hash string) string {
	if hash == "" {
		return "none"
	}
	return hash
}

func sizeText(c review.Change) string {
	switch c.ChangeType {
	case "added":
		return bytesText(c.SizeBytes)
	case "deleted":
		return bytesText(c.OldSize)
	}
	a, b := bytesText(c.OldSize), bytesText(c.SizeBytes)
	if a == b {
		return a
	}
	return a + " → " + b
}

func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// nextID returns the id of the next change, used for keyboard navigation.
func (v *view) nextID() string {
	v.Changes++
	return fmt.Sprintf("c%d", v.Changes)
}

type pageView struct {
	Name          string // "Page 2"
	Before, After *pictureView
}

type pictureView struct {
	URL, Alt, Caption string
}

func pageOf(p Page, path string) pageView {
	word := "Page"
	if p.Slide {
		word = "Slide"
	}
	picture := func(png []byte, n int, side, when string) *pictureView {
		if png == nil {
			return nil
		}
		return &pictureView{
			URL:     "data:image/png;base64," + base64.StdEncoding.EncodeToString(png),
			Alt:     fmt.Sprintf("%s %d of %s %s", word, n, path, when),
			Caption: fmt.Sprintf("%s %d, %s", word, n, side),
		}
	}
	n := p.Number
	if n == 0 {
		n = p.OldNumber
	}
	return pageView{
		Name:   fmt.Sprintf("%s %d", word, n),
		Before: picture(p.Before, p.OldNumber, "published", "as published"),
		After:  picture(p.After, p.Number, "draft", "in the draft"),
	}
}
