// Package doctext extracts the whole text of a document of any format, with the
// places in it. Searching and indexing read this text, so both count the same
// lines.
//
//	doc, err := doctext.Document(ctx, set, src)
//	cache := doctext.NewCache(set, doctext.CacheOptions{Dir: filepath.Join(wb.Dir(), "texts")})
//	search.Grep(ctx, view, search.GrepOptions{Pattern: p, Extract: cache.Within(20 * time.Second)})
//	retrieval.Open(filepath.Join(wb.Dir(), "index.db"), cache, retrieval.Options{})
package doctext

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"atelier/formats"
	"atelier/formats/text"
)

// MaxText limits the text of one document in bytes; Doc.Cut reports that
// there was more.
const MaxText = 16 << 20

// Doc is the text of a document. Lines end with "\n" and are counted from 1.
type Doc struct {
	Kind  formats.Kind
	Text  string
	Parts []Part // in order, without gaps; empty if the text has no structure
	At    string // formats.Part.At of all lines, joined with "\n"; "" if no line has an address
	Cut   bool
	Blank int // pages without text, such as scanned ones
}

// Part is a range of lines with a place in the document.
type Part struct {
	Kind       string // "section", "sheet", "slide", "page", "notes"
	Name       string // heading, sheet name, 1-based number
	Start, End int    // 1-based, inclusive
}

// errFull stops reading a document that has more than MaxText.
var errFull = errors.New("enough text")

// Document extracts the text of src. Files that are not documents, such as
// pictures, are CodeUnsupported errors.
func Document(ctx context.Context, set *formats.Set, src formats.Source) (Doc, error) {
	f, err := set.Detect(ctx, src)
	if err != nil {
		return Doc{}, err
	}
	if f.Kind == formats.KindText || f.Kind == formats.KindBinary && looksLikeText(src) {
		return plainText(ctx, src)
	}
	b := &builder{doc: Doc{Kind: f.Kind}}
	if p, ok := f.Reader.(formats.Parter); ok {
		err = p.Parts(ctx, src, b.addPart)
	} else {
		err = formats.Errorf(formats.CodeUnsupported, "%s has no text that can be extracted", src.Name())
	}
	if errors.Is(err, errFull) {
		b.doc.Cut, err = true, nil
	}
	b.doc.Text = b.text.String()
	if b.addressed {
		b.doc.At = strings.TrimSuffix(b.at.String(), "\n")
	}
	return b.doc, err
}

// looksLikeText distinguishes text under an unknown extension from other
// content: no NUL in the first 8 KiB, like searching (B9-05).
func looksLikeText(src formats.Source) bool {
	head := make([]byte, min(src.Size(), 8<<10))
	n, _ := src.ReadAt(head, 0)
	return bytes.IndexByte(head[:n], 0) < 0
}

// plainText returns the text of a text file in UTF-8 with "\n" line ends.
func plainText(ctx context.Context, src formats.Source) (Doc, error) {
	r, _, err := text.Decode(ctx, src)
	if err != nil {
		return Doc{}, err
	}
	var sb strings.Builder
	if _, err := io.Copy(&sb, io.LimitReader(r, MaxText+1)); err != nil {
		return Doc{}, err
	}
	d := Doc{Kind: formats.KindText, Text: sb.String()}
	if len(d.Text) > MaxText {
		d.Text, d.Cut = wholeLines(d.Text[:MaxText]), true
	}
	d.Text = strings.ToValidUTF8(d.Text, "\uFFFD")
	return d, nil
}

// wholeLines cuts s after its last line end, if it has one.
func wholeLines(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// builder concatenates parts.
type builder struct {
	doc       Doc
	text, at  strings.Builder
	addressed bool // a line has an address
	line      int  // number of lines so far
}

func (b *builder) addPart(p formats.Part) error {
	s, full := p.Text, false
	if room := MaxText - b.text.Len(); len(s) > room {
		s, full = wholeLines(s[:max(room, 0)]), true
	}
	s = strings.TrimRight(strings.ToValidUTF8(s, "\uFFFD"), "\n")
	if p.Kind == "page" && !full && strings.TrimSpace(s) == "" {
		b.doc.Blank++
	}
	if s != "" {
		n := strings.Count(s, "\n") + 1
		b.text.WriteString(s)
		b.text.WriteByte('\n')
		b.addAddresses(p.At, n)
		b.doc.Parts = append(b.doc.Parts, Part{p.Kind, p.Name, b.line + 1, b.line + n})
		b.line += n
	}
	if full {
		return errFull
	}
	return nil
}

// addAddresses adds the addresses of n lines.
func (b *builder) addAddresses(at []string, n int) {
	for i := range n {
		if i < len(at) && at[i] != "" {
			b.at.WriteString(at[i])
			b.addressed = true
		}
		b.at.WriteByte('\n')
	}
}
