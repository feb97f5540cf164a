package template

import (
	"strings"

	"atelier/internal/lazyregexp"
)

// ifField is the code of a field IF (17.16.5.24) that compares a merge field with a text;
// \x00name\x00 is a merge field.
var ifField = lazyregexp.New(`^\s*IF\s+"?\x00([^\x00]+)\x00"?\s*(=|<>)\s*"([^"]*)"\s+"([^"]*)"(?:\s+"([^"]*)")?\s*(?:\\\*.*)?$`)

var (
	fieldWord  = lazyregexp.New(`^\s*(\w+)`)
	innerField = lazyregexp.New(`\x00([^\x00]+)\x00`)
)

// mergeRules are the fields of a mail merge that are not filled (17.16.5).
var mergeRules = map[string]bool{"IF": true, "NEXT": true, "NEXTIF": true, "SKIPIF": true, "MERGEREC": true, "MERGESEQ": true, "ASK": true, "FILLIN": true, "SET": true, "COMPARE": true}

// conditional returns the condition of a field IF, where its code is as
// ifField and the data has its names.
func (f *filler) conditional(code string) (string, bool) {
	m := ifField.FindStringSubmatch(straight.Replace(code))
	if m == nil || !f.known[normal(m[1])] || strings.ContainsAny(m[3], "{}|\x00") {
		return "", false
	}
	for _, text := range m[4:] {
		for _, name := range innerField.FindAllStringSubmatch(text, -1) {
			if !f.known[normal(name[1])] {
				return "", false
			}
		}
		if strings.ContainsAny(text, "{}") {
			return "", false
		}
	}
	inner := func(text string) string { return innerField.ReplaceAllString(text, "{{$1}}") }
	op := "=="
	if m[2] == "<>" {
		op = "!="
	}
	out := "{{#if " + m[1] + " " + op + ` "` + m[3] + `"}}` + inner(m[4])
	if m[5] != "" {
		out += "{{else}}" + inner(m[5])
	}
	return out + "{{/if}}", true
}

// keptField tells of a field of a mail merge that stays.
func (f *filler) keptField(code string) {
	if m := fieldWord.FindStringSubmatch(code); m != nil && mergeRules[strings.ToUpper(m[1])] {
		f.tally.Note("the field " + strings.ToUpper(m[1]) + " of a mail merge was left as it is: " + clip(strings.TrimSpace(strings.ReplaceAll(code, "\x00", "'"))))
	}
}
