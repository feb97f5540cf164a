package files

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"atelier/formats"
	"atelier/formats/ocr"
	"atelier/workshop/doctext"
	"atelier/workshop/search"
	"atelier/workshop/tools"
)

// maxScans is how many pages and images one search has recognised. Those that were
// recognised before do not count, so that the next search continues.
const maxScans = 12

// scans has the text of images and of pages without text recognised for one search.
type scans struct {
	env *tools.Env

	mu   sync.Mutex
	left int                    // pages and images that may still be recognised
	docs map[string]doctext.Doc // those with recognised text, by the hash of the content
	by   string                 // the program and its languages
}

// newScans returns nil where nothing can be recognised.
func newScans(env *tools.Env) *scans {
	if env.Pages == nil || !env.Pages.CanRecognize() {
		return nil
	}
	return &scans{env: env, left: maxScans, docs: map[string]doctext.Doc{}}
}

// document returns doc, which is the text of src, with that of pages without text; of an
// image its text alone. With an error of type search.Partial not all was recognised.
func (s *scans) document(ctx context.Context, src formats.Source, doc doctext.Doc) (doctext.Doc, error) {
	kind := formats.KindOfName(src.Name())
	if kind == formats.KindImage {
		text, err := s.page(ctx, src, 0)
		if err != nil {
			return doc, s.failed(ctx, err, "its text")
		}
		b := scanBuilder{doc: doctext.Doc{Kind: kind}}
		b.add("image", "", text)
		return s.keep(src, &b), nil
	}
	b := scanBuilder{doc: doctext.Doc{Kind: doc.Kind, Cut: doc.Cut}}
	lines := strings.Split(doc.Text, "\n")
	var failure error
	for page, part := 1, 0; part < len(doc.Parts) || b.blank < doc.Blank; page++ {
		name := strconv.Itoa(page)
		if part < len(doc.Parts) && (doc.Parts[part].Name == name || b.blank == doc.Blank) {
			p := doc.Parts[part]
			b.add(p.Kind, p.Name, strings.Join(lines[p.Start-1:p.End], "\n"))
			part++
			continue
		}
		b.blank++
		if failure != nil {
			continue
		}
		text, err := s.page(ctx, src, page-1)
		if err != nil {
			failure = s.failed(ctx, err, fmt.Sprintf("the text of page %d and later pages without text", page))
			continue
		}
		b.add("page", name, text)
	}
	return s.keep(src, &b), failure
}

func (s *scans) page(ctx context.Context, src formats.Source, page int) (string, error) {
	if !s.env.Pages.HasRecognized(src, page) && !s.take() {
		return "", errScans
	}
	got, err := s.env.Pages.Recognize(ctx, src, page)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by = "tesseract (" + got.Languages + ")"
	return got.Text, nil
}

// errScans means that a search has recognised as many pages as it may.
var errScans = errors.New("enough pages were recognised")

// take counts a page or image that is recognised; false when there were enough.
func (s *scans) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 {
		return false
	}
	s.left--
	return true
}

// failed says what was not recognised and why; the context's own error when the call
// has ended.
func (s *scans) failed(ctx context.Context, err error, what string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == errScans {
		return search.Partial(fmt.Sprintf("%s was not recognised: one search recognises %d pages and images; search again, with the path of the file where there are many, to go on", what, maxScans))
	}
	return search.Partial(what + " could not be recognised: " + err.Error())
}

func (s *scans) keep(src formats.Source, b *scanBuilder) doctext.Doc {
	b.doc.Text = b.text.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[src.Hash()] = b.doc
	return b.doc
}

// of returns the text of src as it was searched.
func (s *scans) of(src formats.Source) (doctext.Doc, bool) {
	if s == nil {
		return doctext.Doc{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	doc, ok := s.docs[src.Hash()]
	return doc, ok
}

// note says which text may be wrong, or why none was recognised.
func (s *scans) note() string {
	if s == nil {
		return ocr.Missing
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == "" {
		return ""
	}
	return "the text of images and of pages without text is as recognised by " + s.by + ", which makes mistakes"
}

// scanBuilder puts a document together.
type scanBuilder struct {
	doc   doctext.Doc
	text  strings.Builder
	lines int
	blank int // pages without text so far
}

func (b *scanBuilder) add(kind, name, text string) {
	text = strings.TrimRight(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	n := strings.Count(text, "\n") + 1
	b.text.WriteString(text)
	b.text.WriteByte('\n')
	b.doc.Parts = append(b.doc.Parts, doctext.Part{Kind: kind, Name: name, Start: b.lines + 1, End: b.lines + n})
	b.lines += n
}
