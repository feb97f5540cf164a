package xliff

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"atelier/formats/language"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
)

// Writer writes one file, unit by unit.
type Writer struct {
	w     *bufio.Writer
	old   bool // 1.2
	to    string
	units int
}

// NewWriter starts a file. Only Close guarantees that everything is written.
func NewWriter(w io.Writer, f File) (*Writer, error) {
	out := &Writer{w: bufio.NewWriter(w), to: f.To}
	from := f.From
	if from == "" {
		from = "und" // BCP 47: undetermined
	}
	switch f.Version {
	case V12:
		out.old = true
		out.oldFile(f, from)
		return out, nil
	case V21, "":
	default:
		return nil, fmt.Errorf("XLIFF %s is not written; use 1.2 or 2.1", f.Version)
	}
	out.writeParts(`<?xml version="1.0" encoding="UTF-8"?>`, "\n",
		`<xliff xmlns="`, nsCore, `" xmlns:mtc="`, nsMatches, `" xmlns:gls="`, nsGlossary, `" xmlns:slr="`, nsSize, `" xmlns:mda="`, nsMetadata,
		`" version="2.1" srcLang="`, escapeAttr(from), `"`)
	if f.To != "" {
		out.writeParts(` trgLang="`, escapeAttr(f.To), `"`)
	}
	out.writeParts(">\n", `<file id="f1" original="`, escapeAttr(f.Original), `" srcDir="`, textDirection(f.From), `" trgDir="`, textDirection(f.To), `" xml:space="preserve">`, "\n")
	out.writeParts(`<mda:metadata><mda:metaGroup category="atelier"><mda:meta type="sha256">`, escapeText(f.Hash), `</mda:meta>`)
	if f.Engine != "" {
		out.writeParts(`<mda:meta type="engine">`, escapeText(f.Engine), `</mda:meta>`)
	}
	out.writeParts("</mda:metaGroup></mda:metadata>\n", `<slr:profiles generalProfile="xliff:codepoints" storageProfile="xliff:utf16"/>`, "\n")
	return out, nil
}

// Unit writes one unit. The ids of units in a file must differ.
func (w *Writer) Unit(u Unit) error {
	w.units++
	if u.HasTarget && w.to == "" {
		return fmt.Errorf("the segment %s has a translation, but the file names no target language", u.ID)
	}
	state := u.State
	if state == "" {
		state = Initial
		if u.HasTarget {
			state = Translated
		}
	}
	if w.old {
		w.oldUnit(u, state)
		return nil
	}
	w.writeParts(`<unit id="`, encodeID(u.ID), `" name="`, escapeAttr(u.ID), `"`)
	if u.Locked {
		w.writeParts(` translate="no"`)
	}
	if u.MaxLength > 0 {
		fmt.Fprintf(w.w, ` slr:sizeRestriction="%d" slr:storageRestriction="%d"`, u.MaxLength, u.MaxLength)
	}
	w.writeParts(">\n")
	w.suggestions(u.Suggestions)
	w.terms(u.Terms)
	w.notes(u)
	w.writeParts(`<segment id="s1" state="`, string(state), `"`)
	if len(u.Flags) > 0 {
		w.writeParts(` subState="atelier:flagged"`)
	}
	w.writeParts("><source>", inlineCodes(u.Source), "</source>")
	if u.HasTarget {
		w.writeParts("<target>", inlineCodes(u.Target), "</target>")
	}
	w.writeParts("</segment>\n</unit>\n")
	return nil
}

func (w *Writer) suggestions(all []Suggestion) {
	if len(all) == 0 {
		return
	}
	w.writeParts("<mtc:matches>")
	for _, s := range all {
		fmt.Fprintf(w.w, `<mtc:match ref="#s1" type="tm" similarity="%.1f"`, 100*min(max(s.Score, 0), 1))
		if s.Origin != "" {
			w.writeParts(` origin="`, escapeAttr(s.Origin), `"`)
		}
		w.writeParts("><source>", inlineCodes(s.Source), "</source><target>", inlineCodes(s.Target), "</target></mtc:match>")
	}
	w.writeParts("</mtc:matches>\n")
}

func (w *Writer) terms(all []Term) {
	if len(all) == 0 {
		return
	}
	w.writeParts("<gls:glossary>")
	for _, t := range all {
		w.writeParts("<gls:glossEntry><gls:term>", escapeText(t.Source), "</gls:term>")
		if t.Target != "" {
			w.writeParts("<gls:translation>", escapeText(t.Target), "</gls:translation>")
		}
		if t.Note != "" || t.Target == "" {
			w.writeParts("<gls:definition>", escapeText(t.Note), "</gls:definition>")
		}
		w.writeParts("</gls:glossEntry>")
	}
	w.writeParts("</gls:glossary>\n")
}

// notes writes the place of the segment, its constraints, and the findings.
func (w *Writer) notes(u Unit) {
	if u.Place == "" && u.Part == "" && len(u.Notes) == 0 && len(u.Flags) == 0 {
		return
	}
	note := func(category, priority, s string) {
		if s != "" {
			w.writeParts(`<note category="`, category, `"`, priority, `>`, escapeText(s), "</note>")
		}
	}
	w.writeParts("<notes>")
	for _, f := range u.Flags {
		note(flagNote, ` appliesTo="target" priority="1"`, f)
	}
	note(placeNote, ` priority="5"`, u.Place)
	note(partNote, ` priority="5"`, u.Part)
	for _, n := range u.Notes {
		note("constraint", ` priority="2"`, n)
	}
	w.writeParts("</notes>\n")
}

// Categories of notes that are read back.
const (
	placeNote = "location"
	partNote  = "part"
	flagNote  = "flag"
)

// Close ends the file. A file of 2.1 must have a unit or a group (clause
// 4.2.2.2), so a file without units gets an empty group.
func (w *Writer) Close() error {
	if w.old {
		w.writeParts("</body>\n</file>\n</xliff>\n")
		return w.w.Flush()
	}
	if w.units == 0 {
		w.writeParts(`<group id="empty"/>`, "\n")
	}
	w.writeParts("</file>\n</xliff>\n")
	return w.w.Flush()
}

func (w *Writer) writeParts(parts ...string) {
	for _, p := range parts {
		w.w.WriteString(p) //nolint:errcheck // the error is kept until Flush
	}
}

// Write writes a whole document.
func Write(w io.Writer, d Document) error {
	out, err := NewWriter(w, d.File)
	if err != nil {
		return err
	}
	for _, u := range d.Units {
		if err := out.Unit(u); err != nil {
			return err
		}
	}
	return out.Close()
}

func textDirection(lang string) string {
	switch {
	case lang == "":
		return "auto"
	case language.RightToLeft(lang):
		return "rtl"
	}
	return "ltr"
}

// inlineCodes writes a tagged text as inline content (clause 4.7). canCopy and
// canDelete express that a segment needs each of its tags exactly once.
func inlineCodes(tagged string) string {
	var b strings.Builder
	for _, t := range balanceTags(tags.Parse(tagged)) {
		switch t.Kind {
		case tags.Text:
			writeContent(&b, t.Text, codePoint)
		case tags.Open:
			fmt.Fprintf(&b, `<pc id="%d" canCopy="no" canDelete="no" dispStart="&lt;%d>" dispEnd="&lt;/%d>">`, t.N, t.N, t.N)
		case tags.Close:
			b.WriteString("</pc>")
		case tags.Single:
			fmt.Fprintf(&b, `<ph id="%d" canCopy="no" canDelete="no" disp="&lt;%d/>"/>`, t.N, t.N)
		}
	}
	return b.String()
}

// balanceTags converts tags that do not nest or are duplicated into text.
// Checked texts have none, but the output must be XML for any content of a
// memory.
func balanceTags(tokens []tags.Token) []tags.Token {
	bad := map[int]bool{} // by index
	seen := map[int]bool{}
	var open []int // indexes
	for i, t := range tokens {
		switch t.Kind {
		case tags.Open, tags.Single:
			if seen[t.N] {
				bad[i] = true
				continue
			}
			seen[t.N] = true
			if t.Kind == tags.Open {
				open = append(open, i)
			}
		case tags.Close:
			if n := len(open); n > 0 && tokens[open[n-1]].N == t.N {
				open = open[:n-1]
			} else {
				bad[i] = true
			}
		}
	}
	for _, i := range open {
		bad[i] = true
	}
	if len(bad) == 0 {
		return tokens
	}
	out := make([]tags.Token, len(tokens))
	copy(out, tokens)
	for i := range bad {
		out[i] = tags.Token{Kind: tags.Text, Text: tags.String(tokens[i : i+1])}
	}
	return out
}

// codePoint returns the element for a character that XML cannot represent
// (clause 4.2.3.1).
func codePoint(c rune) string { return fmt.Sprintf(`<cp hex="%04X"/>`, c) }

// writeContent writes text between inline codes; illegal writes a character that
// XML cannot represent.
func writeContent(b *strings.Builder, s string, illegal func(rune) string) {
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '&':
			b.WriteString("&amp;")
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;") // "]]>" is not allowed in content
		case c == '\r':
			b.WriteString("&#13;") // a bare one would be read as a line feed
		case c == utf8.RuneError && n == 1, xmlscan.Legal(c):
			b.WriteRune(c)
		default:
			b.WriteString(illegal(c))
		}
		i += n
	}
}

// escapeText escapes text for elements without codes: a character that XML cannot
// represent becomes U+FFFD.
func escapeText(s string) string {
	var b strings.Builder
	writeContent(&b, legalText(s), codePoint)
	return b.String()
}

// escapeAttr escapes text for an attribute value in double quotes.
func escapeAttr(s string) string {
	return strings.NewReplacer(`"`, "&quot;", "\n", "&#10;", "\t", "&#9;").Replace(escapeText(s))
}

func legalText(s string) string {
	return strings.Map(func(c rune) rune {
		if xmlscan.Legal(c) {
			return c
		}
		return utf8.RuneError
	}, s)
}
