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
	"fmt"
	"io"
	"strconv"
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
	Cut   bool
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
	switch p, ok := f.Reader.(formats.Parter); {
	case ok:
		err = p.Parts(ctx, src, func(p formats.Part) error { return b.addPart(p.Kind, p.Name, p.Text) })
	case f.Kind == formats.KindPptx && f.Reader != nil:
		err = b.addSlides(ctx, f.Reader, src)
	default:
		err = formats.Errorf(formats.CodeUnsupported, "%s has no text that can be extracted", src.Name())
	}
	if errors.Is(err, errFull) {
		b.doc.Cut, err = true, nil
	}
	b.doc.Text = b.sb.String()
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
	doc  Doc
	sb   strings.Builder
	line int // number of lines so far
}

func (b *builder) addPart(kind, name, s string) error {
	full := false
	if room := MaxText - b.sb.Len(); len(s) > room {
		s, full = wholeLines(s[:max(room, 0)]), true
	}
	s = strings.TrimRight(strings.ToValidUTF8(s, "\uFFFD"), "\n")
	n := 0
	if s != "" {
		n = strings.Count(s, "\n") + 1
		b.sb.WriteString(s)
		b.sb.WriteByte('\n')
		b.doc.Parts = append(b.doc.Parts, Part{kind, name, b.line + 1, b.line + n})
		b.line += n
	}
	if full {
		return errFull
	}
	return nil
}

// addSlides reads the whole deck, because its reader has no windows. Each slide
// begins with its number.
func (b *builder) addSlides(ctx context.Context, r formats.Reader, src formats.Source) error {
	t, err := r.Read(ctx, src, formats.Selector{Include: []string{formats.IncludeComments}})
	if err != nil {
		return err
	}
	rest := t.Text
	for n := 1; rest != ""; n++ {
		end := len(rest)
		for from := 0; ; {
			i := strings.Index(rest[from:], fmt.Sprintf("\n\n# Slide %d", n+1))
			if i < 0 {
				break
			}
			from += i + 2
			line, _, _ := strings.Cut(rest[from:], "\n")
			if head := fmt.Sprintf("# Slide %d", n+1); line == head || line == head+" (hidden)" {
				end = from
				break
			}
		}
		if err := b.addPart("slide", strconv.Itoa(n), strings.TrimRight(rest[:end], "\n")); err != nil {
			return err
		}
		rest = rest[end:]
	}
	return nil
}
