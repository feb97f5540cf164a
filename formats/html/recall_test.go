package html

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/tags"
	"atelier/formats/text"
)

// words are the sequences of letters in s, those of at least two.
func words(s string, into map[string]int) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 1 {
			into[w]++
		}
	}
}

// shown returns the words that a page shows, by the tree that the Go project's
// parser makes of it; what doc.go excepts is left out.
func shown(t testing.TB, page string) map[string]int {
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	require.NoError(t, err)
	out := map[string]int{}
	var walk func(n *html.Node, off, foreign bool)
	walk = func(n *html.Node, off, foreign bool) {
		switch n.Type {
		case html.TextNode:
			if !off && !foreign && text.Translatable(n.Data) {
				words(n.Data, out)
			}
		case html.ElementNode:
			off = off || codeElements[n.Data]
			for _, a := range n.Attr {
				switch {
				case a.Key == "translate":
					off = a.Val == "no"
				case a.Key == "class" && strings.Contains(" "+a.Val+" ", " notranslate "):
					off = true
				}
			}
			switch {
			case n.Namespace == "" && n.Data == "pre":
				first := n.FirstChild
				for first != nil && first.Type == html.TextNode && strings.TrimSpace(first.Data) == "" {
					first = first.NextSibling
				}
				off = off || first != nil && codeInPre[first.Data]
				for _, a := range n.Attr {
					off = off || a.Key == "class" && (strings.Contains(a.Val, "code") || strings.Contains(a.Val, "highlight") || strings.Contains(a.Val, "lang"))
				}
			case n.Data == "svg" || n.Data == "math":
				foreign = true
			case n.Namespace != "" && languageElements[strings.ToLower(n.Data)]:
				foreign = false
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, off, foreign)
		}
	}
	walk(root, false, false)
	return out
}

// missing returns the words of a page that no segment has.
func missing(t testing.TB, name, page string) (lost []string, total int) {
	have := map[string]int{}
	segs, err := Segmenter().Segments(context.Background(), formats.FromBytes(name, []byte(page)), formats.SegmentOptions{})
	require.NoError(t, err)
	for _, s := range segs {
		for _, tok := range tags.Parse(s.Text) { // a line break parts words
			words(tok.Text, have)
		}
	}
	for w, n := range shown(t, page) {
		total += n
		if have[w] < n {
			lost = append(lost, w)
		}
	}
	return lost, total
}

// TR-02: of a page of any elements in any order, every word is in a segment or
// in what doc.go excepts.
func TestRecallOfAnyPage(t *testing.T) {
	tag := rapid.SampledFrom(strings.Fields("p div b i a span ul li table tr td th section h1 em font x-card pre button label blockquote dl dt dd center nav details summary code noscript figure"))
	n := 0
	piece := rapid.Custom(func(rt *rapid.T) string {
		name := tag.Draw(rt, "tag")
		switch rapid.IntRange(0, 9).Draw(rt, "piece") {
		case 0, 1, 2:
			n++
			return " palabra" + strings.Repeat("x", n%7) + string(rune('a'+n%26)) + " "
		case 3, 4, 5:
			return "<" + name + ">"
		case 6, 7:
			return "</" + name + ">"
		case 8:
			return rapid.SampledFrom([]string{"<br>", "<img alt=foto>", "<!-- c -->", "\n", "&nbsp;", "<br><br>", "<hr>", "<script>no</script>", "<svg><path/></svg>", "<input>"}).Draw(rt, "mark")
		default:
			return rapid.SampledFrom([]string{"<div translate=no>marca</div>", "<p class='a notranslate'>marca</p>", "<span translate=no>marca</span>", "<b translate=no>marca</b>", "<svg><title>dibujo</title></svg>", "<textarea>caja</textarea>"}).Draw(rt, "special")
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		page := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(rt, "page"), "")
		if lost, _ := missing(t, "a.html", page); len(lost) > 0 {
			rt.Fatalf("%q: %q are in no segment of %q", page, lost, texts(segments(t, "a.html", page)))
		}
	})
}

// TR-02 over real pages, a folder of which ATELIER_PAGES names.
func TestRecallOfRealPages(t *testing.T) {
	dir := os.Getenv("ATELIER_PAGES")
	if dir == "" {
		t.Skip("set ATELIER_PAGES to a folder of web pages")
	}
	total, lost, files := 0, 0, 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.Contains(".html.htm.xhtml", filepath.Ext(path)) || filepath.Ext(path) == "" {
			return err
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		if len(b) > maxBytes {
			return nil
		}
		ctx := context.Background()
		segs, err := Segmenter().Segments(ctx, formats.FromBytes(path, b), formats.SegmentOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
			formatstest.Report(t, "%s: %v", path, err)
			return nil
		}
		same := map[string]string{}
		for _, s := range segs {
			same[s.ID] = s.Text
		}
		got, err := replace(t, path, string(b), same, "")
		require.NoError(t, err, path)
		require.True(t, got == string(b), path)
		d2, err := decodedPage(path, b)
		require.NoError(t, err)
		l, n := missing(t, filepath.Base(path), d2)
		files, total, lost = files+1, total+n, lost+len(l)
		if len(l) > 0 {
			t.Logf("%s: %.200q", path, l)
		}
		return nil
	}))
	formatstest.Report(t, "%d pages, %d words, %d in no segment", files, total, lost)
}

// decodedPage returns a page in UTF-8 with a mark that says so.
func decodedPage(name string, b []byte) (string, error) {
	var s string
	sp := text.Splicer{Declared: declaredCharset, Find: func(_ context.Context, d text.Document) (text.Found, error) {
		s = d.Text
		return text.Found{}, nil
	}}
	_, err := sp.Segments(context.Background(), formats.FromBytes(name, b), formats.SegmentOptions{})
	return "\ufeff" + strings.ToValidUTF8(s, "?"), err
}
