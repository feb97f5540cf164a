package page

import (
	_ "embed"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"atelier/formats"
	"atelier/formats/language"
	h "atelier/internal/htmlpage"
	"atelier/internal/textsafe"
)

// Report is the content of a page.
type Report struct {
	Title   string    // of the translated documents, such as the folder's name
	Made    time.Time // when the page was made
	Version string    // of the program
	Engine  string    // the translator
	Figures []Figure  // of the whole job
	Files   []File
	Limits  Limits
}

// Figure is a number with its name: {"Words", "12,400"}.
type Figure struct{ Name, Value string }

// File is one document in one language.
type File struct {
	Input, Output string
	From, To      string // languages; From may be ""
	Status        string // "ok", "flagged", "skipped", "failed"
	Error         string
	Warnings      []string // about the document as a whole
	Segments      int
	Words         int
	Repetitions   int
	Memory        int            // texts from the translation memory
	Kinds         map[string]int // flags by code
	// Rows are the segments in document order; with nil the page shows none.
	Rows iter.Seq2[Row, error]
}

func (f File) flags() int {
	n := 0
	for _, k := range f.Kinds {
		n += k
	}
	return n
}

// Row is one segment. Source and Target have inline tags.
type Row struct {
	Place, Part    string
	Source, Target string // "" if it is left in the source language
	Origin         string // "machine", "memory", "person"; "" is not shown
	Flags          []Flag
}

// Flag is a finding that a person should look at.
type Flag struct{ Code, Message string }

// Limits limit the rows without flags; the zero value means the defaults.
type Limits struct {
	File int // in one file; 0 is 300
	All  int // in the page; 0 is 5,000
}

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// Write writes the page to w. It stops at an error of a file's Rows.
func Write(w io.Writer, r Report) error {
	p := &printer{limits: r.Limits}
	if p.limits.File == 0 {
		p.limits.File = 300
	}
	if p.limits.All == 0 {
		p.limits.All = 5000
	}
	top := headOf(r)
	return h.Page{Title: "Translation of " + top.Title, CSS: pageCSS + filterCSS(), JS: pageJS}.Write(w, p.body(top, r)...)
}

// printer renders the rows of files within the limits.
type printer struct {
	limits Limits
	plain  int // rows without flags so far, in the page
}

// head is the data of the beginning of the page.
type head struct {
	Title, Made, Engine string
	Figures             []Figure
	Files               []fileView
	Count, Flagged      string
	Failed              int
	Kinds               []kindView // those that occur
	Several             bool       // several languages
}

// fileView is the data of a file's line in the summary and of its heading.
type fileView struct {
	ID, Input, Output, To, Error       string
	Dir                                string // of the target
	Mark                               mark
	Segments, Words, Rep, Memory, Flag string
	Flagged                            bool
	Kinds                              []kindView
	Warnings                           []string
}

type kindView struct{ Class, Name, Count string }

func headOf(r Report) head {
	h := head{
		Title: textsafe.Text(r.Title), Made: r.Made.Format("2 January 2006, 15:04"), Engine: textsafe.Text(r.Engine),
		Figures: r.Figures, Count: formats.Count(len(r.Files), "document"),
	}
	kinds := map[string]int{}
	flags := 0
	for i, f := range r.Files {
		h.Files = append(h.Files, viewOf(i+1, f))
		for code, n := range f.Kinds {
			kinds[code] += n
		}
		flags += f.flags()
		if f.Status == "failed" {
			h.Failed++
		}
		h.Several = h.Several || f.To != r.Files[0].To
	}
	if flags > 0 {
		h.Flagged = formats.Count(flags, "thing") + " to look at"
	}
	h.Kinds = kindViews(kinds)
	return h
}

func viewOf(n int, f File) fileView {
	v := fileView{
		ID: fmt.Sprintf("f%d", n), Input: textsafe.Text(f.Input), Output: textsafe.Text(f.Output), To: f.To, Error: textsafe.Text(f.Error), Dir: textDirection(f.To), Mark: markOf(f.Status),
		Segments: Number(f.Segments), Words: Number(f.Words), Rep: Number(f.Repetitions), Memory: Number(f.Memory), Flag: Number(f.flags()), Flagged: f.flags() > 0,
	}
	v.Kinds = kindViews(f.Kinds)
	for _, w := range f.Warnings {
		v.Warnings = append(v.Warnings, textsafe.Text(w))
	}
	return v
}

func kindViews(kinds map[string]int) []kindView {
	sums := map[string]int{} // by class: several codes may be "other"
	for code, n := range kinds {
		sums[classOf(code)] += n
	}
	var out []kindView
	for _, k := range append(slices.Clone(known), kind{"other", "other"}) {
		if n := sums[k.code]; n > 0 {
			out = append(out, kindView{k.code, k.name, Number(n)})
		}
	}
	return out
}

func textDirection(lang string) string {
	if lang != "" && language.RightToLeft(lang) {
		return "rtl"
	}
	return "auto"
}

// Number formats n with thousands separators.
func Number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
