package page

import (
	"fmt"
	"slices"
	"strings"
)

// kind is a kind of flag that has its own filter.
type kind struct{ code, name string }

// known has the codes of package check, and "left" for texts that stayed in
// the source language. Every other code is "other".
var known = []kind{
	{"left", "left in the source language"},
	{"empty", "empty"}, {"tags", "formatting"}, {"placeholder", "placeholders"}, {"address", "addresses"}, {"verbatim", "paths and code"},
	{"protected", "protected text"}, {"length", "too long"}, {"number", "numbers"}, {"number_order", "order of numbers"}, {"term", "glossary terms"},
	{"forbidden", "forbidden terms"}, {"blanks", "blanks"}, {"untranslated", "same as the source"}, {"script", "letters of another script"},
	{"chatter", "remarks of the model"}, {"punctuation", "punctuation"}, {"length_ratio", "unusual length"}, {"control_chars", "control characters"},
	{"no_answer", "no answer"}, {"repaired", "formatting put right"}, {"xliff", "not taken from XLIFF"},
}

func classOf(code string) string {
	if slices.ContainsFunc(known, func(k kind) bool { return k.code == code }) {
		return code
	}
	return "other"
}

// filterCSS returns the rules that hide what the chosen filter excludes. They
// name every kind, so that the style sheet, and with it the page's policy, is
// always the same.
func filterCSS() string {
	var b strings.Builder
	b.WriteString("\nbody:has(#show-flagged:checked) tr.seg:not(.flagged) { display: none; }\n")
	b.WriteString("body:has(#show-plain:checked) tr.seg.flagged { display: none; }\n")
	for _, k := range append(slices.Clone(known), kind{"other", ""}) {
		fmt.Fprintf(&b, "body:has(#show-%s:checked) tr.seg:not(.k-%s) { display: none; }\n", k.code, k.code)
	}
	return b.String()
}

// mark shows the status of a file by a sign and a word, never by color alone.
type mark struct{ Class, Sign, Word string }

func markOf(status string) mark {
	switch status {
	case "ok":
		return mark{"added", "✓", "translated"}
	case "flagged":
		return mark{"modified", "⚠", "look at it"}
	case "skipped":
		return mark{"formatted", "=", "unchanged since"}
	case "failed":
		return mark{"removed", "✕", "failed"}
	}
	return mark{"formatted", "·", status}
}
