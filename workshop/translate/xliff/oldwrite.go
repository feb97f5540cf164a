package xliff

import (
	"fmt"
	"path"
	"strings"

	"atelier/formats/tags"
)

// Authors of notes in 1.2, which has no categories. Tools that convert a
// document to PO show translators the notes of "developer".
const (
	oldNote   = "developer:"
	oldHash   = "atelier:sha256"
	oldEngine = "atelier:engine"
)

// oldStates are the states of 1.2 (clause 2.3, "state").
var oldStates = map[State]string{Initial: "needs-translation", Translated: "translated", Reviewed: "signed-off", Final: "final"}

// oldFlagged is the state of a machine translation with a remark.
const oldFlagged = "needs-review-translation"

// oldFile writes the beginning of a file in XLIFF 1.2 (OASIS Standard, 1
// February 2008).
func (w *Writer) oldFile(f File, from string) {
	w.writeParts(`<?xml version="1.0" encoding="UTF-8"?>`, "\n", `<xliff xmlns="`, nsOld, `" version="1.2">`, "\n",
		`<file original="`, escapeAttr(f.Original), `" source-language="`, escapeAttr(from), `"`)
	if f.To != "" {
		w.writeParts(` target-language="`, escapeAttr(f.To), `"`)
	}
	w.writeParts(` datatype="`, datatype(f.Original), `" tool-id="atelier" xml:space="preserve">`, "\n<header>")
	if f.Hash != "" {
		w.writeParts(`<note from="`, oldHash, `">`, escapeText(f.Hash), "</note>")
	}
	if f.Engine != "" {
		w.writeParts(`<note from="`, oldEngine, `">`, escapeText(f.Engine), "</note>")
	}
	w.writeParts(`<tool tool-id="atelier" tool-name="Atelier"/></header>`, "\n<body>\n")
}

// datatype returns the standard's name for a format, or our own.
func datatype(original string) string {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(original)), ".")
	switch ext {
	case "html", "xml":
		return ext
	case "htm", "xhtml":
		return "html"
	}
	if ext == "" || ext == "txt" || strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "plaintext"
	}
	return "x-" + ext
}

func (w *Writer) oldUnit(u Unit, state State) {
	w.writeParts(`<trans-unit id="`, encodeID(u.ID), `" resname="`, escapeAttr(u.ID), `"`)
	if u.Locked {
		w.writeParts(` translate="no"`)
	}
	if state.ByPerson() {
		w.writeParts(` approved="yes"`)
	}
	if u.MaxLength > 0 {
		fmt.Fprintf(w.w, ` maxwidth="%d" size-unit="char"`, u.MaxLength)
	}
	word := oldStates[state]
	if word == "" {
		word = oldStates[Initial]
	}
	if state == Translated && len(u.Flags) > 0 {
		word = oldFlagged
	}
	target := ""
	if u.HasTarget {
		target = oldCodes(u.Target)
	}
	w.writeParts(` xml:space="preserve">`, "\n<source>", oldCodes(u.Source), "</source>\n", `<target state="`, word, `">`, target, "</target>\n")
	for _, s := range u.Suggestions {
		fmt.Fprintf(w.w, `<alt-trans match-quality="%.1f"`, 100*min(max(s.Score, 0), 1))
		if s.Origin != "" {
			w.writeParts(` origin="`, escapeAttr(s.Origin), `"`)
		}
		w.writeParts(` xml:space="preserve"><source>`, oldCodes(s.Source), "</source><target>", oldCodes(s.Target), "</target></alt-trans>\n")
	}
	w.oldNotes(u)
	w.writeParts("</trans-unit>\n")
}

// oldNotes writes the same as notes, and also the terms, because 1.2 has no
// element for them.
func (w *Writer) oldNotes(u Unit) {
	note := func(category, annotates string, priority int, s string) {
		if s != "" {
			fmt.Fprintf(w.w, `<note from="%s%s" annotates="%s" priority="%d">%s</note>`+"\n", oldNote, category, annotates, priority, escapeText(s))
		}
	}
	for _, f := range u.Flags {
		note(flagNote, "target", 1, f)
	}
	note(placeNote, "general", 5, u.Place)
	note(partNote, "general", 5, u.Part)
	for _, n := range u.Notes {
		note("constraint", "general", 2, n)
	}
	for _, t := range u.Terms {
		s := t.Source
		if t.Target != "" {
			s += " → " + t.Target
		}
		if t.Note != "" {
			s += " (" + t.Note + ")"
		}
		note(termNote, "source", 3, s)
	}
}

const termNote = "term"

// oldCodes writes a tagged text as inline content of 1.2. A character that
// XML cannot represent becomes a code with an id that names the character,
// because 1.2 has no element for it.
func oldCodes(tagged string) string {
	var b strings.Builder
	chars := map[rune]int{}
	char := func(c rune) string {
		chars[c]++
		return fmt.Sprintf(`<x id="u%04X.%d" ctype="x-char" equiv-text="U+%04X"/>`, c, chars[c], c)
	}
	for _, t := range balanceTags(tags.Parse(tagged)) {
		switch t.Kind {
		case tags.Text:
			writeContent(&b, t.Text, char)
		case tags.Open:
			fmt.Fprintf(&b, `<g id="%d" clone="no">`, t.N)
		case tags.Close:
			b.WriteString("</g>")
		case tags.Single:
			fmt.Fprintf(&b, `<x id="%d" clone="no" equiv-text="&lt;%d/&gt;"/>`, t.N, t.N)
		}
	}
	return b.String()
}
