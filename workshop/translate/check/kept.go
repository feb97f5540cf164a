package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/lazyregexp"
)

// Parts of a text that a translation must keep literally (TR-04).
var (
	// URLs with a scheme or "www.", and e-mail addresses; punctuation after
	// them belongs to the sentence.
	address = lazyregexp.New(`(?i)(?:\b(?:https?|ftps?|file|mailto|tel|sip)://?[^\s\p{Z}<>"]*[^\s\p{Z}<>".,;:!?)\]»'’。、，）]|\bwww\.[^\s\p{Z}<>"]*[^\s\p{Z}<>".,;:!?)\]»'’。、，）]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)`)
	// ${x}, {{x}}, <%= x %>, %(name)s, %1$s, %-5.2f, %name%.
	holder = lazyregexp.New(`\$\{(?:[^}\s$]|\$+[^{}\s$])+\$*\}|\{\{[^{}]+\}\}|<%[^%]*%>|%[A-Za-z_]\w+(?:\.\w+)*%|%\([\w.]+\)[-+#0]*\d*(?:\.\d+)?[sdifeEgGxXor]|%(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[sdiufFeEgGxXoOcpaA@]`)
	// Files by their path (drive, share, rooted, dotted) or by a well-known
	// extension.
	path = lazyregexp.New(`\b[A-Za-z]:\\(?:[^\\/:*?"<>|\n]+\\)*[^\s\p{Z}\\/:*?"<>|]*\w|\\\\[\w.-]+\\[^\s\p{Z}"<>|*?]*\w|\B(?:\.{1,2}|~)?/(?:[\w.-]+/)+[\w.-]*\w|\b[\w-]+\.(?:docx?|xlsx?|xlsm|pptx?|pdf|csv|tsv|json|xml|html?|txt|md|ya?ml|png|jpe?g|gif|svg|zip|exe|dll|sh|bat|py|js|go|java|sql|ini|cfg|conf|log)\b`)
	// `code`
	code = lazyregexp.New("`[^`\n]+`")
)

// kept is one part that must stay.
type kept struct {
	code Code
	text string
}

// keptIn returns the parts of a plain text that must stay, and the text with
// all of them blanked out.
func keptIn(s string) (out []kept, rest string) {
	m := marksIn(s)
	if m == (marks{}) {
		return nil, s
	}
	b := []byte(s)
	take := func(re *lazyregexp.Regexp, c Code) {
		for _, m := range re.FindAllIndex(b, -1) {
			if re == holder && !isPrintf(b, m[0], m[1]) || re == code && bytes.Count(b[m[0]:m[1]], []byte("'"))%2 == 1 {
				continue // a percentage; `quotes' in the old style
			}
			out = append(out, kept{c, string(b[m[0]:m[1]])})
			for i := m[0]; i < m[1]; i++ {
				b[i] = 0 // joins nothing and matches no expression
			}
		}
	}
	if m.code {
		take(code, Verbatim)
	}
	if m.address {
		take(address, Address)
	}
	if m.holder {
		take(holder, Placeholder)
	}
	if m.brace {
		for _, m := range takeBraces(b) {
			out = append(out, kept{Placeholder, m})
		}
	}
	if m.path {
		take(path, Verbatim)
	}
	return out, strings.ReplaceAll(string(b), "\x00", " ")
}

// isPrintf reports whether a match that begins with % is a placeholder and not
// a percentage: "50%discount", "100 %d'accord" but "%d%%".
func isPrintf(b []byte, start, end int) bool {
	if b[start] != '%' || b[end-1] == '%' && end-start > 2 {
		return true
	}
	before := start
	if before > 1 && b[before-1] == ' ' {
		before-- // "50 %de remise", with a space missing
	}
	if before > 0 && b[before-1] >= '0' && b[before-1] <= '9' && end < len(b) && (b[end] >= 'a' && b[end] <= 'z' || b[end] >= 0x80) {
		return false
	}
	n := 0
	for n < start && b[start-1-n] == '%' {
		n++
	}
	return n%2 == 0 // %%d is a percent sign and a d
}

// keptOf compares the parts of both sides that must stay.
func keptOf(src, dst *side) []Finding {
	want, _ := src.kept()
	have, _ := dst.kept()
	if len(want) == 0 && len(have) == 0 {
		return nil
	}
	wantKeys, haveKeys := numberVerbs(want), numberVerbs(have)
	left, plain := map[kept]int{}, map[string]bool{} // of the translation
	for j, k := range haveKeys {
		left[k]++
		plain[have[j].text] = true
	}
	known := map[string]bool{} // of the source
	there := stands{text: dst.plain}
	var out []Finding
	for i, w := range want {
		known[w.text], known[wantKeys[i].text] = true, true
		if left[wantKeys[i]] > 0 {
			left[wantKeys[i]]--
			continue
		}
		if w.code != Placeholder && there.word(w.text) {
			continue // interpreted differently there, but present
		}
		if len(out) == maxKept {
			break
		}
		msg := fmt.Sprintf("%q must stay as it is", w.text)
		if plain[w.text] && wantKeys[i].text != w.text {
			msg = fmt.Sprintf("%q stands in another order; keep the order, or write %q", w.text, wantKeys[i].text)
		}
		out = append(out, Finding{w.code, msg, w.code != Verbatim, true})
	}
	more := countVerbs(wantKeys, want) < countVerbs(haveKeys, have)
	for j, h := range have {
		foreign := !known[h.text] || more && haveKeys[j].text != h.text
		if h.code == Placeholder && left[haveKeys[j]] > 0 && foreign && !known[haveKeys[j].text] && len(out) < maxKept {
			out = append(out, Finding{Placeholder, fmt.Sprintf("%q is a placeholder that the source does not have; leave it out", h.text), true, true})
		}
	}
	return out
}

// countVerbs counts plain printf verbs, each of which consumes an argument.
func countVerbs(keys, ks []kept) (n int) {
	for i := range keys {
		if keys[i] != ks[i] {
			n++
		}
	}
	return n
}

// maxKept limits the findings of one text.
const maxKept = 50

// numberVerbs adds the position to plain printf verbs, so that %s … %d may
// become %2$d … %1$s but not %d … %s.
func numberVerbs(ks []kept) []kept {
	out := slices.Clone(ks)
	n := 0
	for i, k := range out {
		if k.code != Placeholder || len(k.text) < 2 || k.text[0] != '%' || k.text[1] == '(' || strings.HasSuffix(k.text, "%") || strings.Contains(k.text, "$") {
			continue
		}
		n++
		out[i].text = fmt.Sprintf("%%%d$%s", n, k.text[1:])
	}
	return out
}
