// Package marks knows the lines that Atelier puts into what a model reads: how
// a result was shortened, addresses, page marks. A model that writes back what
// it read must not write them into a file.
package marks

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/internal/textclip"
	"atelier/workshop"
)

// mark is a form of line that only Atelier writes.
type mark struct {
	line *lazyregexp.Regexp
	what string
}

// lines are the forms that stand on a line of their own, whatever the file.
var lines = []mark{
	{lazyregexp.New(`^\[this is the draft; somebody has changed the published file since the draft was based on it\]$`), "a note on the draft"},
	{lazyregexp.New(`^\[part \d+ of \d+: .*; next: .*\]$`), "the head of a part that was read"},
	{lazyregexp.New(`^\.\.\. \(\d+ of \d+ bytes left out; for the rest .*\)$`), "a note that a result was shortened"},
	{lazyregexp.New(`^\.\.\. \(characters \d+ to \d+ of \d+; go on with offset \d+\)$`), "a note that a result was shortened"},
	{lazyregexp.New(`^\[shortened to fit the model's window; .*\]$`), "a note that a result was shortened"},
	{lazyregexp.New(`^\[(first \d+ of \d+ (lines|items|rows)|beginning of \d+ bytes); the whole is recall_tool_result entry_id \d+\]$`), "a note that a result was shortened"},
	{lazyregexp.New(`^\.\.\. \(truncated at (\d+ (rows|columns)|row \d+)\)$`), "a note that a read of a sheet was shortened"},
	{lazyregexp.New(`^\[page \d+ has no text; it is (a picture|a drawing|empty)\]$`), "the mark of a page without text"},
}

// heads are the forms that begin a text of an office document.
var heads = []mark{
	{lazyregexp.New(`^\[(p\d+|(?:[htfx]|fn|en|c)\d+(?:\.[a-z]+\d+)+)( #[0-9A-F]{8})?( [^\[\]\n]{1,300})?\] `), "the address of a paragraph"},
	{lazyregexp.New(`^\[(chart|diagram|embedded object): [^\n]*\](\n|$)`), "what a read shows in place of an object"},
	{lazyregexp.New(`^\[shape \d+ "[^"\n]*"(, [a-z ]+)?\](\n|$)`), "the address of a shape"},
	{lazyregexp.New(`^Sheet: [^\n]+\n[A-Z]{1,3}\d+: `), "the head of a sheet that was read"},
	{lazyregexp.New(`^# Slide \d+( \(hidden\))?\n`), "the head of a slide that was read"},
}

// part is a whole result with what was said of it.
var part = mark{lazyregexp.New(`^\{("chunk_info":\{"chunk_index":\d+,"total_chunks":\d+,"has_more":(true|false),"range":|"note":".*","text":")`), "a whole result of a read; write only its text"}

const cheap = `[.{` // what the first byte of each of lines and part is

// InText gives the first line of a text that only Atelier writes and that have
// (what the file holds now) does not have; n is its number, 0 when there is none.
func InText(text, have string) (n int, line, what string) {
	if part.line.MatchString(text) && json.Valid([]byte(text)) && have != text {
		return 1, text, part.what
	}
	var known map[string]bool // marked lines of have, once one is looked for
	for l := range strings.SplitSeq(text, "\n") {
		n++
		l = strings.TrimSuffix(l, "\r")
		if l == "" || strings.IndexByte(cheap, l[0]) < 0 {
			continue
		}
		for _, m := range lines {
			if !m.line.MatchString(l) {
				continue
			}
			if known == nil {
				known = markedLines(have)
			}
			if !known[l] {
				return n, l, m.what
			}
		}
	}
	return 0, "", ""
}

// markedLines returns the lines of a text that begin as marks do.
func markedLines(text string) map[string]bool {
	out := map[string]bool{}
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSuffix(l, "\r"); l != "" && strings.IndexByte(cheap, l[0]) >= 0 {
			out[l] = true
		}
	}
	return out
}

// Refuse returns the fault about a text that is about to be written and has such a
// line; nil when there is none. field is the argument with the text, force says
// how to write it all the same.
func Refuse(text, have, field, force string) error {
	n, line, what := InText(text, have)
	if n == 0 {
		return nil
	}
	return workshop.Faultf(workshop.Invalid, "line %d of %s is %s, which is no part of the file: %s. Leave it out, and read what was left out of the result before writing the whole%s", n, field, what, shown(line), force).OnField(field)
}

// RefuseOp is Refuse for the texts anywhere in an operation on an office
// document, which may not begin with what reads put before a paragraph, a shape
// or a sheet either.
func RefuseOp(op json.RawMessage, index int, force string) error {
	var v any
	if json.Unmarshal(op, &v) != nil {
		return nil // its decoder says what is wrong
	}
	line, what := inValue(v)
	if what == "" {
		return nil
	}
	return workshop.Faultf(workshop.Invalid, "operation %d: a text holds %s, which is no part of the document: %s. Leave it out%s", index+1, what, shown(line), force).OnField("operations")
}

func inValue(v any) (line, what string) {
	switch v := v.(type) {
	case string:
		if _, line, what = InText(v, ""); what != "" {
			return line, what
		}
		for _, m := range heads {
			if head := m.line.FindString(v); head != "" {
				return strings.TrimSpace(head), m.what
			}
		}
	case []any:
		for _, e := range v {
			if line, what = inValue(e); what != "" {
				return line, what
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(searched, k) {
				continue
			}
			if line, what = inValue(v[k]); what != "" {
				return line, what
			}
		}
	}
	return "", ""
}

// searched are members that look for text, which a document may have.
var searched = []string{"search", "find", "anchor", "at", "after", "before"}

func shown(line string) string { return strconv.Quote(textclip.Head(line, 100)) }
