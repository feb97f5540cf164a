package transcript

import (
	"fmt"
	"strings"
)

// head returns the beginning of a line that is too long to show.
func head(s string) string {
	s = visible(s)
	if len(s) <= maxLine {
		return s
	}
	return strings.ToValidUTF8(s[:maxLine], "") + fmt.Sprintf("… (%d bytes)", len(s))
}

// shorten cuts two long lines to what stands around their differences.
func shorten(want, got string) (string, string) {
	want, got = visible(want), visible(got)
	if max(len(want), len(got)) <= maxLine {
		return want, got
	}
	from := 0
	for from < min(len(want), len(got)) && want[from] == got[from] {
		from++
	}
	tail := 0
	for tail < min(len(want), len(got))-from && want[len(want)-1-tail] == got[len(got)-1-tail] {
		tail++
	}
	cut := func(s string) string {
		a, b := max(0, from-around), min(len(s), len(s)-tail+around)
		out := s[a:b]
		if len(out) > 2*maxLine {
			out = out[:maxLine] + "…" + out[len(out)-maxLine:]
		}
		if a > 0 {
			out = "…" + out
		}
		if b < len(s) {
			out += "…"
		}
		return strings.ToValidUTF8(out, "")
	}
	return cut(want), cut(got)
}

// visible shows control characters, so that a difference in them can be seen and
// none reaches a terminal.
func visible(s string) string {
	if !strings.ContainsFunc(s, isControl) {
		return s
	}
	var sb strings.Builder
	for _, c := range s {
		if isControl(c) {
			fmt.Fprintf(&sb, "\\u%04x", c)
			continue
		}
		sb.WriteRune(c)
	}
	return sb.String()
}

func isControl(c rune) bool {
	return c != '\t' && (c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069)
}
