package formatstest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/tags"
)

// Visible is one text that a reader of a document sees (a paragraph, a cell's
// string, a title), found without the code under test.
type Visible struct {
	Entry  string // of the package
	Part   string // kind of place: "body", "header", "chart" …
	Text   string
	Except string // why it needs no translation: "deleted", "number" …; "" when it needs one
}

// Scan finds every visible text of a package. It leaves Except of what is only
// a number or a link empty: Recall sees that by itself.
type Scan func(p *Package) []Visible

// Recall measures, document by document, how much of what is visible a
// segmenter finds (TR-02):
//
//	r := formatstest.NewRecall("docx", formatstest.DocxScan, docx.Format().Segmenter)
//	r.Corpus(t, "docx")
type Recall struct {
	Options formats.SegmentOptions

	kind string
	scan Scan
	seg  formats.Segmenter

	documents, segments, tags int
	found, inSegments, left   map[string]int            // by part
	excepted                  map[string]map[string]int // by reason and part
}

// NewRecall measures one kind of document.
func NewRecall(kind string, scan Scan, seg formats.Segmenter) *Recall {
	return &Recall{kind: kind, scan: scan, seg: seg, found: map[string]int{}, inSegments: map[string]int{}, left: map[string]int{}, excepted: map[string]map[string]int{}}
}

// Corpus measures a sample of the real documents of the kind and reports.
func (r *Recall) Corpus(t *testing.T, kind string) {
	for _, path := range Sample(t, kind) {
		t.Run(filepath.Base(path), func(t *testing.T) { r.Document(t, path) })
	}
	r.Report(t)
}

// Document measures the document in the file path and fails the test on a text
// that is in no segment, or that is still there when every segment was
// replaced. It returns false when the segmenter refuses the document.
func (r *Recall) Document(t testing.TB, path string) bool {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	return r.Bytes(t, filepath.Base(path), file)
}

// Bytes is Document for a file in memory.
func (r *Recall) Bytes(t testing.TB, name string, file []byte) bool {
	t.Helper()
	ctx := context.Background()
	src := formats.FromBytes(name, file)
	segs, err := r.seg.Segments(ctx, src, r.Options)
	if err != nil {
		require.NotEmpty(t, formats.CodeOf(err), "%s: %v", name, err)
		return false
	}
	r.documents++
	have, targets := map[string]bool{}, map[string]string{}
	for _, s := range segs {
		r.segments++
		for _, tok := range tags.Parse(s.Text) {
			if tok.Kind == tags.Open || tok.Kind == tags.Single {
				r.tags++
			}
		}
		have[flat(tags.Plain(s.Text))] = true
		targets[s.ID] = Cipher(s.Text)
	}
	for _, v := range r.scan(OpenPackage(t, file)) {
		if flat(v.Text) == "" {
			continue
		}
		if why := exception(v); why != "" {
			if r.excepted[why] == nil {
				r.excepted[why] = map[string]int{}
			}
			r.excepted[why][v.Part]++
			continue
		}
		r.found[v.Part]++
		if have[flat(v.Text)] {
			r.inSegments[v.Part]++
		} else {
			t.Errorf("TR-02: in no segment: %s, %s: %q", v.Entry, v.Part, v.Text)
		}
	}
	var out bytes.Buffer
	require.NoError(t, r.seg.Replace(ctx, src, &out, targets, formats.ReplaceOptions{}))
	for _, v := range r.scan(OpenPackage(t, out.Bytes())) {
		if exception(v) == "" && strings.ContainsFunc(v.Text, plainLetter) {
			r.left[v.Part]++
			t.Errorf("TR-02: left as it was: %s, %s: %q", v.Entry, v.Part, v.Text)
		}
	}
	return true
}

// Report prints the figures and fails the test when nothing was measured.
func (r *Recall) Report(t testing.TB) {
	t.Helper()
	require.NotZero(t, r.documents, "no document was measured")
	var parts []string
	for _, p := range slices.Sorted(maps.Keys(r.found)) {
		parts = append(parts, fmt.Sprintf("%s %d/%d", p, r.inSegments[p], r.found[p]))
	}
	Report(t, "%s  recall of visible texts in %d documents: %s", r.kind, r.documents, strings.Join(parts, ", "))
	parts = nil
	for _, why := range slices.Sorted(maps.Keys(r.excepted)) {
		n := 0
		for _, k := range r.excepted[why] {
			n += k
		}
		parts = append(parts, fmt.Sprintf("%s %d", why, n))
	}
	Report(t, "%s  not translated, and so stated: %s", r.kind, strings.Join(parts, ", "))
	left := 0
	for _, n := range r.left {
		left += n
	}
	Report(t, "%s  texts left as they were once every segment was replaced: %d; %d segments with %.2f tags on average", r.kind, left, r.segments, float64(r.tags)/float64(max(1, r.segments)))
}

var (
	linkOnly = regexp.MustCompile(`^(?i:(?:https?|ftp|file|mailto|tel):\S+|www\.\S+\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+)$`)
	codeOnly = regexp.MustCompile(`^(?:\{[0-9A-Za-z_]*\}|%[sdvfq]|\$\{[^}]*\})$`)
)

// exception returns why a text needs no translation, "" when it needs one
// (TR-04).
func exception(v Visible) string {
	s := strings.TrimSpace(v.Text)
	switch {
	case v.Except != "":
		return v.Except
	case !strings.ContainsFunc(s, unicode.IsLetter):
		return "no letter"
	case linkOnly.MatchString(s):
		return "only a link"
	case codeOnly.MatchString(s):
		return "only a placeholder"
	}
	return ""
}

// flat is s with each stretch of blanks as one, none at its ends.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// Cipher puts for each letter of a tagged text another that documents of the
// corpus don't have, so that what was not replaced shows. Texts keep their
// length in UTF-16 units, and different texts stay different.
func Cipher(tagged string) string {
	toks := tags.Parse(tagged)
	for i := range toks {
		if toks[i].Kind == tags.Text {
			toks[i].Text = strings.Map(func(r rune) rune {
				switch {
				case !unicode.IsLetter(r) || r > 0xffff:
					return r
				case r < cipherLow:
					return 0x3400 + r
				}
				return 0xac00 + r%0x2ba0
			}, toks[i].Text)
		}
	}
	return tags.String(toks)
}

const cipherLow = 0x19c0 // so many letters fit into CJK Extension A, 3400 to 4DBF

// plainLetter reports whether r is a letter that Cipher would have changed.
func plainLetter(r rune) bool {
	return unicode.IsLetter(r) && r <= 0xffff && (r < 0x3400 || r > 0x4dbf) && (r < 0xac00 || r > 0xd7a3)
}
