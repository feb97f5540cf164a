package translate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/inline"
)

// keep matches what a translation must carry over letter by letter (TR-04):
// placeholders, URLs and e-mail addresses.
var keep = regexp.MustCompile(`\$\{[^}\s]+\}|\{\{[^}]+\}\}|\{\d*\}|%(?:\d+\$)?[sdfx@]|https?://[^\s\p{Z}<>"]*[^\s\p{Z}<>".,;:!?)\]»'’]|[\w.+-]+@[\w-]+\.[\w.-]+\w`)

// check says what is wrong with target as a translation of seg, nil when
// nothing is. The text is for the model, which is asked again with it.
func check(seg formats.Segment, target string) error {
	if strings.TrimSpace(inline.Plain(target)) == "" && strings.TrimSpace(inline.Plain(seg.Text)) != "" {
		return fmt.Errorf("the translation is empty")
	}
	if err := inline.Check(seg.Text, target); err != nil {
		return err
	}
	want, have := keep.FindAllString(inline.Plain(seg.Text), -1), keep.FindAllString(inline.Plain(target), -1)
	for _, w := range want {
		i := slices.Index(have, w)
		if i < 0 {
			return fmt.Errorf("%q must stay as it is", w)
		}
		have = slices.Delete(have, i, i+1)
	}
	if n := utf8.RuneCountInString(inline.Plain(target)); seg.MaxLength > 0 && n > seg.MaxLength {
		return fmt.Errorf("the translation has %d characters; at most %d fit here", n, seg.MaxLength)
	}
	return nil
}

// sameEdges gives target the blanks that stand around the source text, which
// models drop.
func sameEdges(source, target string) string {
	trimmed := strings.TrimSpace(target)
	lead := source[:len(source)-len(strings.TrimLeftFunc(source, unicode.IsSpace))]
	trail := source[len(strings.TrimRightFunc(source, unicode.IsSpace)):]
	return lead + trimmed + trail
}

// lostNumbers lists the numbers of the source that the target lacks. It is a
// remark for a person, not an error: languages write numbers differently.
func lostNumbers(source, target string) []string {
	have := digits.FindAllString(inline.Plain(target), -1)
	var lost []string
	for _, n := range digits.FindAllString(inline.Plain(source), -1) {
		if i := slices.Index(have, n); i >= 0 {
			have = slices.Delete(have, i, i+1)
		} else {
			lost = append(lost, n)
		}
	}
	return lost
}

var digits = regexp.MustCompile(`\d+`)
