package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What a text holds that a translation must carry over letter by letter (TR-04).
var (
	// URLs by their scheme or "www.", and e-mail addresses; punctuation behind
	// them belongs to the sentence.
	address = regexp.MustCompile(`(?i)(?:\b(?:https?|ftps?|file|mailto|tel|sip)://?[^\s\p{Z}<>"]*[^\s\p{Z}<>".,;:!?)\]»'’。、，）]|\bwww\.[^\s\p{Z}<>"]*[^\s\p{Z}<>".,;:!?)\]»'’。、，）]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)`)
	// ${x}, {{x}}, <%= x %>, %(name)s, %1$s, %-5.2f, %name%.
	holder = regexp.MustCompile(`\$\{[^}\s]+\}|\{\{[^{}]+\}\}|<%[^%]*%>|%[A-Za-z_][\w.]+%|%\([\w.]+\)[-+#0]*\d*(?:\.\d+)?[sdifeEgGxXor]|%(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[sdiufFeEgGxXoOcpaA@]`)
	// Files by their path (drive, share, rooted, dotted) or by an ending people know.
	path = regexp.MustCompile(`\b[A-Za-z]:\\[^\s\p{Z}"<>|*?]*\w|\\\\[\w.-]+\\[^\s\p{Z}"<>|*?]*\w|\B(?:\.{1,2}|~)?/(?:[\w.-]+/)+[\w.-]*\w|\b[\w-]+\.(?:docx?|xlsx?|xlsm|pptx?|pdf|csv|tsv|json|xml|html?|txt|md|ya?ml|png|jpe?g|gif|svg|zip|exe|dll|sh|bat|py|js|go|java|sql|ini|cfg|conf|log)\b`)
	// `code`
	code = regexp.MustCompile("`[^`\n]+`")
)

// kept is one thing that must stay.
type kept struct {
	code Code
	text string
}

// keptIn lists what a plain text holds that must stay, and the text with all
// of it blanked out.
func keptIn(s string) (out []kept, rest string) {
	b := []byte(s)
	take := func(re *regexp.Regexp, c Code) {
		for _, m := range re.FindAllIndex(b, -1) {
			if c == Placeholder && re == holder && !printf(b, m[0], m[1]) {
				continue
			}
			out = append(out, kept{c, string(b[m[0]:m[1]])})
			for i := m[0]; i < m[1]; i++ {
				b[i] = 0 // joins nothing, and no expression matches it
			}
		}
	}
	take(code, Verbatim)
	take(address, Address)
	take(holder, Placeholder)
	for _, m := range braces(b) {
		out = append(out, kept{Placeholder, m})
	}
	take(path, Verbatim)
	return out, strings.ReplaceAll(string(b), "\x00", " ")
}

// printf says whether a match that begins with % is a placeholder and not a
// percentage: "50%discount", "100 %d'accord" but "%d%%".
func printf(b []byte, start, end int) bool {
	if b[start] != '%' || b[end-1] == '%' && end-start > 2 {
		return true
	}
	if start > 0 && b[start-1] >= '0' && b[start-1] <= '9' {
		return false
	}
	if start > 1 && b[start-1] == ' ' && b[start-2] >= '0' && b[start-2] <= '9' {
		return false // "50 %de remise", with the blank lost
	}
	if start > 0 && b[start-1] == '%' {
		return false // %%d is a percent sign and a d
	}
	return true
}

// keptOf compares what must stay on both sides.
func keptOf(src, dst string) []Finding {
	want, _ := keptIn(src)
	have, _ := keptIn(dst)
	wantKeys, haveKeys := numbered(want), numbered(have)
	missing := slices.Clone(haveKeys)
	var out []Finding
	for i, w := range want {
		if j := slices.Index(missing, wantKeys[i]); j >= 0 {
			missing = slices.Delete(missing, j, j+1)
			continue
		}
		if w.code != Placeholder && strings.Contains(dst, w.text) {
			continue // read otherwise there, but it is there
		}
		msg := fmt.Sprintf("%q must stay as it is", w.text)
		if slices.ContainsFunc(have, func(k kept) bool { return k.text == w.text }) && wantKeys[i].text != w.text {
			msg = fmt.Sprintf("%q stands in another order; keep the order, or write %q", w.text, wantKeys[i].text)
		}
		out = append(out, Finding{w.code, msg, w.code != Verbatim, true})
	}
	for j, h := range have {
		if h.code == Placeholder && slices.Contains(missing, haveKeys[j]) && !slices.Contains(wantKeys, haveKeys[j]) && !slices.ContainsFunc(want, func(k kept) bool { return k.text == h.text }) {
			out = append(out, Finding{Placeholder, fmt.Sprintf("%q is a placeholder that the source does not have; leave it out", h.text), true, true})
		}
	}
	return out
}

// numbered gives plain printf verbs the place they stand at, so that %s … %d
// may become %2$d … %1$s but not %d … %s.
func numbered(ks []kept) []kept {
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
