package check

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/workshop/translate/terms"
)

// Code names the kind of a finding, for reports and statistics.
type Code string

// The codes.
const (
	Empty        Code = "empty"         // no text
	Tags         Code = "tags"          // lost, doubled, foreign or crossed
	Placeholder  Code = "placeholder"   // {0}, %s, ${x}, ICU arguments
	Address      Code = "address"       // URL, e-mail address
	Verbatim     Code = "verbatim"      // file path, code span
	Protected    Code = "protected"     // do-not-translate
	Length       Code = "length"        // too long for its place
	Number       Code = "number"        // missing, changed or added
	NumberOrder  Code = "number_order"  // the same numbers in another order
	Glossary     Code = "term"          // a glossary term not used
	Forbidden    Code = "forbidden"     // a forbidden term used
	Blanks       Code = "blanks"        // leading or trailing blanks differ
	Untranslated Code = "untranslated"  // the same as the source
	Script       Code = "script"        // not in the letters of the language
	Chatter      Code = "chatter"       // the model's remarks
	Punctuation  Code = "punctuation"   // doubled
	Ratio        Code = "length_ratio"  // much longer or shorter than the source
	Control      Code = "control_chars" // characters no document holds
)

// Finding is something about a translation.
type Finding struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // what is wrong and what to do, for people and models
	Refuse  bool   `json:"refuse,omitempty"`
	Retry   bool   `json:"retry,omitempty"` // worth asking again; always set with Refuse
}

// Rules are what a translation is checked against. The zero value checks all
// that needs no settings.
type Rules struct {
	Glossary  *terms.Glossary
	Protected *terms.Protected
	From, To  string // BCP 47; "" when unknown
	// Strict refuses missing terms, missing numbers and text that was left as
	// it is, instead of only asking again.
	Strict bool
	// Mechanical leaves out what is true of every pseudo-translation: scripts,
	// lengths, untranslated text, terms.
	Mechanical bool
}

// Check lists what is wrong with target as a translation of seg, the gravest
// first; nil when nothing is. Neither text need be well formed.
func (r Rules) Check(seg formats.Segment, target string) []Finding {
	src, dst := tags.Plain(seg.Text), tags.Plain(target)
	if strings.TrimSpace(dst) == "" {
		if strings.TrimSpace(src) == "" {
			return tagsOf(seg.Text, target)
		}
		return []Finding{{Empty, "the translation is empty; translate the text", true, true}}
	}
	out := tagsOf(seg.Text, target)
	out = append(out, lengthOf(seg.MaxLength, dst)...)
	out = append(out, controlsOf(src, dst)...)
	out = append(out, keptOf(src, dst)...)
	out = append(out, r.protectedOf(src, dst)...)
	out = append(out, r.numbersOf(seg.Text, target)...)
	if !r.Mechanical {
		out = append(out, r.termsOf(seg.Text, target)...)
		out = append(out, r.untranslatedOf(src, dst)...)
		out = append(out, r.scriptOf(src, dst)...)
		out = append(out, ratioOf(src, dst)...)
	}
	out = append(out, chatterOf(src, dst)...)
	out = append(out, punctuationOf(src, dst)...)
	out = append(out, blanksOf(src, dst)...)
	if r.Strict {
		for i, f := range out {
			if f.Retry {
				out[i].Refuse = true
			}
		}
	}
	return graveFirst(out)
}

// Refused is the first finding that refuses, nil when the translation may be
// used.
func Refused(fs []Finding) *Finding {
	for i := range fs {
		if fs[i].Refuse {
			return &fs[i]
		}
	}
	return nil
}

// Basic is the reason why target would break its document or lose something
// that must stay there, nil when there is none: what Check refuses without any
// settings. The tools refuse with it too. A text that is its source, or empty
// where a person empties it, is no fault there.
func Basic(seg formats.Segment, target string) error {
	src, dst := tags.Plain(seg.Text), tags.Plain(target)
	if err := tags.Check(seg.Text, target); err != nil {
		return err
	}
	fs := append(lengthOf(seg.MaxLength, dst), controlsOf(src, dst)...)
	if strings.TrimSpace(dst) != "" {
		fs = append(fs, keptOf(src, dst)...)
	}
	if f := Refused(fs); f != nil {
		return errors.New(f.Message)
	}
	return nil
}

func graveFirst(fs []Finding) []Finding {
	var refuse, retry, rest []Finding
	for _, f := range fs {
		switch {
		case f.Refuse:
			refuse = append(refuse, f)
		case f.Retry:
			retry = append(retry, f)
		default:
			rest = append(rest, f)
		}
	}
	return append(append(refuse, retry...), rest...)
}

func tagsOf(source, target string) []Finding {
	if err := tags.Check(source, target); err != nil {
		return []Finding{{Tags, err.Error() + "; keep each tag of the source exactly once, pairs nested", true, true}}
	}
	return nil
}

// Fits says whether a plain text has at most limit characters as Excel and
// PowerPoint count them: UTF-16 units (31 of a sheet's name, 255, 32,767).
func Fits(text string, limit int) (have int, ok bool) {
	for _, r := range text {
		have += max(1, utf16.RuneLen(r))
	}
	return have, limit <= 0 || have <= limit
}

func lengthOf(limit int, dst string) []Finding {
	if n, ok := Fits(dst, limit); !ok {
		return []Finding{{Length, fmt.Sprintf("the translation has %d characters; at most %d fit here, so say it shorter", n, limit), true, true}}
	}
	return nil
}

// controlsOf refuses characters that XML, and so every office format, cannot
// hold (XML 1.0, production 2).
func controlsOf(src, dst string) []Finding {
	for _, r := range dst {
		bad := r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff || r == unicode.ReplacementChar
		if bad && !strings.ContainsRune(src, r) {
			return []Finding{{Control, fmt.Sprintf("the translation holds the character U+%04X, which no document can; leave it out", r), true, true}}
		}
	}
	return nil
}

func (r Rules) protectedOf(src, dst string) []Finding {
	var out []Finding
	need := map[string]int{}
	for _, w := range r.Protected.In(tags.Escape(src)) {
		if need[w]++; strings.Count(dst, w) < need[w] {
			out = append(out, Finding{Protected, fmt.Sprintf("%q must stay as it is, in the translation too", w), true, true})
		}
	}
	return out
}

// termsOf looks for each term's target in any of its forms; of several targets
// one will do.
func (r Rules) termsOf(source, target string) []Finding {
	var out []Finding
	found := r.Glossary.Between(source, r.From, r.To)
	wanted := map[string][]string{} // targets by source term
	used := map[string]bool{}
	var order []string
	for _, t := range found {
		if t.Forbidden {
			if terms.Says(target, t) {
				out = append(out, Finding{Code: Forbidden, Message: fmt.Sprintf("%q must not be translated with %q%s", t.Source, t.Target, noteOf(t)), Retry: true})
			}
			continue
		}
		if wanted[t.Source] == nil {
			order = append(order, t.Source)
		}
		wanted[t.Source] = append(wanted[t.Source], fmt.Sprintf("%q", t.Target))
		used[t.Source] = used[t.Source] || terms.Uses(target, t)
	}
	for _, s := range order {
		if !used[s] {
			out = append(out, Finding{Code: Glossary, Message: fmt.Sprintf("the glossary translates %q with %s; use that term", s, strings.Join(wanted[s], " or ")), Retry: true})
		}
	}
	return out
}

func noteOf(t terms.Term) string {
	if t.Note == "" {
		return "; use another word"
	}
	return " (" + t.Note + ")"
}

func blanksOf(src, dst string) []Finding {
	lead, trail := edges(src)
	l, t := edges(dst)
	if lead != l || trail != t {
		return []Finding{{Code: Blanks, Message: "the blanks at the beginning or the end differ from the source's; keep them"}}
	}
	return nil
}

// edges are the blanks in front of and behind a text.
func edges(s string) (lead, trail string) {
	lead = s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))]
	s = s[len(lead):]
	return lead, s[len(strings.TrimRightFunc(s, unicode.IsSpace)):]
}
