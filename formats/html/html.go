package html

import (
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/text"
	"atelier/internal/lazyregexp"
)

// maxBytes is the size up to which a page is held whole.
const maxBytes = 6 << 20

// Extensions are the file extensions of web pages.
var Extensions = []string{".html", ".htm", ".xhtml"}

// Segmenter takes translatable text out of pages. A character that the page's
// encoding lacks is written as a character reference, and so is every one
// beyond ASCII where the page neither declares its encoding nor shows it.
func Segmenter() formats.Segmenter {
	return text.Splicer{Find: findUnits, Declared: declaredCharset, Limit: maxBytes}
}

func findUnits(ctx context.Context, d text.Document) (text.Found, error) {
	p := page{s: d.Text, ascii: !d.Declared && isASCII(d.Text), tagOffsets: map[string][2]int{}}
	head := d.Text[:min(len(d.Text), 1024)]
	p.xml = strings.EqualFold(path.Ext(d.Name), ".xhtml") || strings.HasPrefix(head, "<?xml")
	sc := &scanner{page: p, z: tokenizer{s: p.s, xml: p.xml}, counts: map[string]int{}, line: 1}
	if err := sc.scan(ctx); err != nil {
		return text.Found{}, err
	}
	f := text.Found{Units: sc.units, Escape: reference}
	if d.Language != "" {
		f.Edits = sc.langs.edits(p, d.Language)
	}
	return f, nil
}

var xmlEncoding = lazyregexp.New(`^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// charsetOf finds the encoding in the content of a meta element.
var charsetOf = lazyregexp.New(`(?i)charset\s*=\s*["']?([^\s"';,]+)`)

// declaredCharset returns the encoding that a page names: in the XML
// declaration, or in a meta element (HTML 13.2.3.2).
func declaredCharset(head []byte) string {
	if m := xmlEncoding.FindSubmatch(head); m != nil {
		return string(m[1])
	}
	z := tokenizer{s: string(head)}
	for {
		t, ok := z.next()
		if !ok {
			return ""
		}
		if t.kind != startToken || t.name != "meta" {
			continue
		}
		values := map[string]string{}
		for _, a := range attrs(z.s, t) {
			values[a.key] = z.s[a.start:a.end]
		}
		name := values["charset"]
		if name == "" && strings.EqualFold(values["http-equiv"], "content-type") {
			if m := charsetOf.FindStringSubmatch(values["content"]); m != nil {
				name = m[1]
			}
		}
		if name = lowerASCII(strings.TrimSpace(name)); strings.HasPrefix(name, "utf-16") {
			return "utf-8" // it would not have been read otherwise
		}
		if name != "" {
			return name
		}
	}
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
