package html

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Every page is the sum of its tokens, and the tokens are those of the Go
// project's tokenizer, which builds on the same standard.
func FuzzTokenizer(f *testing.F) {
	for _, s := range []string{"<p>a<br/>b", "<a b='c>' d=e f>x</a x>", "<script><!--<script></script>--></script>z", "<title>a<b></title>c", "<!-- a -- b --!>c", "<!--->d", "<!doctype html>a < b <3 </ p> </>", "<textarea><p></textarea >x", "<a b=\"", "<p a=/>x", "<style></style", "a<", "a</", "<xmp><b></xmp><plaintext></plaintext>", "<p =a ==b / c/ >", "<<<a", "< <b>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// The two differ here on purpose, or in details without effect here.
		for _, not := range []string{"noscript", "<?", "\x00", "<!--", "</>", "\r"} {
			if strings.Contains(strings.ToLower(s), not) {
				return
			}
		}
		var have, want []string
		text := func(out []string, s string) []string {
			if n := len(out); n > 0 && out[n-1][0] == '.' {
				out[n-1] += s
				return out
			}
			return append(out, "."+s)
		}
		z := tokenizer{s: s}
		pos := 0
		for {
			tok, ok := z.next()
			if !ok {
				break
			}
			if tok.start != pos || tok.end <= tok.start {
				t.Fatalf("%q: token %v does not begin at %d", s, tok, pos)
			}
			pos = tok.end
			switch tok.kind {
			case startToken:
				have = append(have, "<"+tok.name)
			case endToken:
				have = append(have, "</"+tok.name)
			case textToken, rawToken:
				have = text(have, s[tok.start:tok.end])
			}
		}
		if pos != len(s) {
			t.Fatalf("%q: tokens end at %d", s, pos)
		}
		oracle := html.NewTokenizer(strings.NewReader(s))
		for tt := oracle.Next(); tt != html.ErrorToken; tt = oracle.Next() {
			raw := string(oracle.Raw())
			switch tt {
			case html.StartTagToken, html.SelfClosingTagToken:
				name, _ := oracle.TagName()
				want = append(want, "<"+string(name))
			case html.EndTagToken:
				name, _ := oracle.TagName()
				want = append(want, "</"+string(name))
			case html.TextToken:
				want = text(want, raw)
			}
		}
		if h, w := strings.Join(have, "|"), strings.Join(want, "|"); h != w {
			t.Fatalf("%q: %q, want %q", s, h, w)
		}
	})
}
