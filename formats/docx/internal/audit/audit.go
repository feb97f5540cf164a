package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/textclip"
)

// The kinds of findings, in the order in which those of one severity are listed.
const (
	kindReference   = "broken_reference"
	kindLink        = "broken_link"
	kindNote        = "note"
	kindTarget      = "missing_target"
	kindPlaceholder = "placeholder"
	kindNumbering   = "numbering"
	kindCaption     = "caption"
	kindOrder       = "heading_order"
	kindEmpty       = "heading_empty"
	kindRepeated    = "heading_repeated"
	kindTOC         = "toc"
	kindTwice       = "term_twice"
	kindUnused      = "term_unused"
	kindUndefined   = "term_undefined"
	kindUnnamed     = "caption_unnamed"
	kindChange      = "tracked_change"
	kindComment     = "comment"
	kindSpacing     = "spacing"
)

var kinds = []string{kindReference, kindLink, kindNote, kindTarget, kindPlaceholder, kindNumbering, kindCaption, kindOrder, kindEmpty, kindRepeated, kindTOC, kindTwice, kindUnused, kindUndefined, kindUnnamed, kindChange, kindComment, kindSpacing}

// Kinds lists the kinds of findings.
func Kinds() []string { return slices.Clone(kinds) }

// Document is what an audit looks at.
type Document struct {
	Paras     []Para // in the order they are read: the body, then other stories
	Fields    []Field
	Links     []Link
	Bookmarks map[string]int // by name in lower case: the index of the paragraph, -1 outside paragraphs
	Notes     []Note
	NoteRefs  []NoteRef
	Comments  []Comment // those that are not resolved
	Changes   []Change  // tracked
	Unseen    []string  // what is not in the document here, and why
}

// Para is a paragraph.
type Para struct {
	At    string // address
	Text  string // as shown, at most MaxText bytes
	Label string // of its list: "4.2", "(b)", "•"
	Level int    // of a heading, 1 to 9; 0: title; -1: no heading. Empty paragraphs have it too
	Style string // name of the style in lower case
	Group int    // paragraphs of one group are beside each other: in the body, a cell, a note
	Body  bool   // it is in the body and in no table or text box
	Void  bool   // it shows nothing: no text, picture, field or break
	Note  bool   // it is in a footnote or endnote
	Edge  bool   // it is in a header or footer
	TOC   bool   // it is an entry of a table of contents
	Seq   bool   // it has a number that the application counts (SEQ)
}

// Field is a field with its instruction and what it shows.
type Field struct {
	Para   int
	Instr  string
	Result string
}

// Link is a hyperlink to a place in the document, or one without a target.
type Link struct {
	Para   int
	Anchor string // name of a bookmark; "" when its relationship is missing
}

// Note is a footnote or endnote.
type Note struct {
	At, ID, Word string // Word is footnote or endnote
	Empty        bool
}

// NoteRef is a reference to a note.
type NoteRef struct {
	Para     int
	ID, Word string
}

// Comment is a comment that is not resolved.
type Comment struct{ At, Text string }

// Change counts tracked changes of a paragraph.
type Change struct{ Para, Count int }

// MaxText is how many bytes of a paragraph are looked at.
const MaxText = 64 << 10

const (
	parasPerCheck = 256 // paragraphs between two looks at the context
	mostPlaces    = 8   // addresses that a finding about several places names
)

// auditing is an audit of a document.
type auditing struct {
	*Document
	opt formats.AuditOptions
	out *formats.Audit
	num *numbers

	again map[int]int // how often a finding was there once more at its place
}

// Run looks for the wanted kinds of findings.
func Run(ctx context.Context, d *Document, opt formats.AuditOptions) (*formats.Audit, error) {
	a := &auditing{Document: d, opt: opt, out: &formats.Audit{Unseen: d.Unseen}, again: map[int]int{}}
	steps := []struct {
		kinds []string
		look  func(context.Context)
	}{
		{[]string{kindReference, kindLink}, a.references},
		{[]string{kindNote}, a.notes},
		{[]string{kindTarget, kindCaption, kindUnnamed}, a.targets},
		{[]string{kindPlaceholder}, a.placeholders},
		{[]string{kindNumbering}, a.gaps},
		{[]string{kindOrder, kindEmpty, kindRepeated}, a.headings},
		{[]string{kindTOC}, a.contents},
		{[]string{kindTwice, kindUnused, kindUndefined}, a.terms},
		{[]string{kindChange, kindComment, kindSpacing}, a.leftovers},
	}
	for _, s := range steps {
		if slices.ContainsFunc(s.kinds, opt.Wants) {
			s.look(ctx)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for i, n := range a.again {
		a.out.Findings[i].Fact = fmt.Sprintf("%d times: %s", n+1, a.out.Findings[i].Fact)
	}
	a.out.Rank(kinds)
	return a.out, nil
}

// each calls fn for each paragraph until ctx is done.
func (a *auditing) each(ctx context.Context, fn func(i int, p *Para)) {
	for i := range a.Paras {
		if i%parasPerCheck == 0 && ctx.Err() != nil {
			return
		}
		fn(i, &a.Paras[i])
	}
}

// find adds a finding at a paragraph, when its kind is wanted.
func (a *auditing) find(kind string, s formats.Severity, para int, fact, expected string) {
	a.findAt(kind, s, a.at(para), fact, expected)
}

func (a *auditing) findAt(kind string, s formats.Severity, at, fact, expected string) {
	n := len(a.out.Findings)
	switch {
	case !a.opt.Wants(kind):
	case n > 0 && a.out.Findings[n-1] == (formats.Finding{Kind: kind, Severity: s, At: at, Fact: fact, Expected: expected}): // the same once more
		a.again[n-1]++
	case len(a.out.Findings) >= 2*formats.MaxFindings:
		a.out.Drop(kind)
	default:
		a.out.Add(formats.Finding{Kind: kind, Severity: s, At: at, Fact: fact, Expected: expected})
	}
}

// at returns the address of a paragraph.
func (a *auditing) at(para int) string {
	if para < 0 || para >= len(a.Paras) {
		return "document"
	}
	return a.Paras[para].At
}

// places names addresses, a few of many.
func places(list []string) string {
	if len(list) <= mostPlaces {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:mostPlaces], ", "), len(list)-mostPlaces)
}

// quote shows a text in a finding.
func quote(s string) string {
	return `"` + textclip.Head(strings.Join(strings.Fields(s), " "), 80) + `"`
}
