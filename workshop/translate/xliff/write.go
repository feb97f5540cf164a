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
	out.put(`<?xml version="1.0" encoding="UTF-8"?>`, "\n",
		`<xliff xmlns="`, nsCore, `" xmlns:mtc="`, nsMatches, `" xmlns:gls="`, nsGlossary, `" xmlns:slr="`, nsSize, `" xmlns:mda="`, nsMetadata,
		`" version="2.1" srcLang="`, attr(from), `"`)
	if f.To != "" {
		out.put(` trgLang="`, attr(f.To), `"`)
	}
	out.put(">\n", `<file id="f1" original="`, attr(f.Original), `" srcDir="`, direction(f.From), `" trgDir="`, direction(f.To), `" xml:space="preserve">`, "\n")
	out.put(`<mda:metadata><mda:metaGroup category="atelier"><mda:meta type="sha256">`, text(f.Hash), `</mda:meta>`)
	if f.Engine != "" {
		out.put(`<mda:meta type="engine">`, text(f.Engine), `</mda:meta>`)
	}
	out.put("</mda:metaGroup></mda:metadata>\n", `<slr:profiles generalProfile="xliff:codepoints" storageProfile="xliff:utf16"/>`, "\n")
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
	w.put(`<unit id="`, encodeID(u.ID), `" name="`, attr(u.ID), `"`)
	if u.Locked {
		w.put(` translate="no"`)
	}
	if u.MaxLength > 0 {
		fmt.Fprintf(w.w, ` slr:sizeRestriction="%d" slr:storageRestriction="%d"`, u.MaxLength, u.MaxLength)
	}
	w.put(">\n")
	w.suggestions(u.Suggestions)
	w.terms(u.Terms)
	w.notes(u)
	w.put(`<segment id="s1" state="`, string(state), `"`)
	if len(u.Flags) > 0 {
		w.put(` subState="atelier:flagged"`)
	}
	w.put("><source>", codes(u.Source), "</source>")
	if u.HasTarget {
		w.put("<target>", codes(u.Target), "</target>")
	}
	w.put("</segment>\n</unit>\n")
	return nil
}

func (w *Writer) suggestions(all []Suggestion) {
	if len(all) == 0 {
		return
	}
	w.put("<mtc:matches>")
	for _, s := range all {
		fmt.Fprintf(w.w, `<mtc:match ref="#s1" type="tm" similarity="%.1f"`, 100*min(max(s.Score, 0), 1))
		if s.Origin != "" {
			w.put(` origin="`, attr(s.Origin), `"`)
		}
		w.put("><source>", codes(s.Source), "</source><target>", codes(s.Target), "</target></mtc:match>")
	}
	w.put("</mtc:matches>\n")
}

func (w *Writer) terms(all []Term) {
	if len(all) == 0 {
		return
	}
	w.put("<gls:glossary>")
	for _, t := range all {
		w.put("<gls:glossEntry><gls:term>", text(t.Source), "</gls:term>")
		if t.Target != "" {
			w.put("<gls:translation>", text(t.Target), "</gls:translation>")
		}
		if t.Note != "" || t.Target == "" {
			w.put("<gls:definition>", text(t.Note), "</gls:definition>")
		}
		w.put("</gls:glossEntry>")
	}
	w.put("</gls:glossary>\n")
}

// notes writes the place of the segment, its constraints, and the findings.
func (w *Writer) notes(u Unit) {
	if u.Place == "" && u.Part == "" && len(u.Notes) == 0 && len(u.Flags) == 0 {
		return
	}
	note := func(category, priority, s string) {
		if s != "" {
			w.put(`<note category="`, category, `"`, priority, `>`, text(s), "</note>")
		}
	}
	w.put("<notes>")
	for _, f := range u.Flags {
		note(flagNote, ` appliesTo="target" priority="1"`, f)
	}
	note(placeNote, ` priority="5"`, u.Place)
	note(partNote, ` priority="5"`, u.Part)
	for _, n := range u.Notes {
		note("constraint", ` priority="2"`, n)
	}
	w.put("</notes>\n")
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
		w.put("</body>\n</file>\n</xliff>\n")
		return w.w.Flush()
	}
	if w.units == 0 {
		w.put(`<group id="empty"/>`, "\n")
	}
	w.put("</file>\n</xliff>\n")
	return w.w.Flush()
}

func (w *Writer) put(parts ...string) {
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

func direction(lang string) string {
	switch {
	case lang == "":
		return "auto"
	case language.RightToLeft(lang):
		return "rtl"
	}
	return "ltr"
}

// codes writes a tagged text as inline content (clause 4.7). canCopy and
// canDelete express that a segment needs each of its tags exactly once.
func codes(tagged string) string {
	var b strings.Builder
	for _, t := range balanced(tags.Parse(tagged)) {
		switch t.Kind {
		case tags.Text:
			content(&b, t.Text, codePoint)
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

// balanced converts tags that do not nest or are duplicated into text.
// Checked texts have none, but the output must be XML for any content of a
// memory.
func balanced(tokens []tags.Token) []tags.Token {
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

// content writes text between inline codes; illegal writes a character that
// XML cannot represent.
func content(b *strings.Builder, s string, illegal func(rune) string) {
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

// text escapes text for elements without codes: a character that XML cannot
// represent becomes U+FFFD.
func text(s string) string {
	var b strings.Builder
	content(&b, legal(s), codePoint)
	return b.String()
}

// attr escapes text for an attribute value in double quotes.
func attr(s string) string {
	return strings.NewReplacer(`"`, "&quot;", "\n", "&#10;", "\t", "&#9;").Replace(text(s))
}

func legal(s string) string {
	return strings.Map(func(c rune) rune {
		if xmlscan.Legal(c) {
			return c
		}
		return utf8.RuneError
	}, s)
}
