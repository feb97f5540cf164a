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

// Code names the kind of a finding in reports and statistics.
type Code string

// The codes of findings.
const (
	Empty        Code = "empty"         // no text
	Tags         Code = "tags"          // lost, duplicated, unknown or crossed
	Placeholder  Code = "placeholder"   // {0}, %s, ${x}, ICU arguments
	Address      Code = "address"       // URL, e-mail address
	Verbatim     Code = "verbatim"      // file path, code span
	Protected    Code = "protected"     // do-not-translate
	Length       Code = "length"        // too long for its place
	Number       Code = "number"        // missing, changed or added
	NumberOrder  Code = "number_order"  // the same numbers in another order
	Glossary     Code = "term"          // a glossary term not used
	Forbidden    Code = "forbidden"     // a forbidden term used
	Blanks       Code = "blanks"        // leading or trailing white space differs
	Untranslated Code = "untranslated"  // same as the source
	Script       Code = "script"        // not in the script of the language
	Chatter      Code = "chatter"       // remarks by the model
	Punctuation  Code = "punctuation"   // doubled
	Ratio        Code = "length_ratio"  // much longer or shorter than the source
	Control      Code = "control_chars" // characters that no document can contain
)

// Finding describes a problem of a translation.
type Finding struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // what is wrong and what to do, for people and models
	Refuse  bool   `json:"refuse,omitempty"`
	Retry   bool   `json:"retry,omitempty"` // worth another request; always set with Refuse
}

// Rules configure the checks of a translation. The zero value runs all checks
// that need no settings.
type Rules struct {
	Glossary  *terms.Glossary
	Protected *terms.Protected
	From, To  string // BCP 47; "" if unknown
	// Strict refuses missing terms, missing numbers and untranslated text,
	// instead of only asking again.
	Strict bool
	// Mechanical skips the checks that every pseudo-translation fails:
	// scripts, lengths, untranslated text, terms.
	Mechanical bool
}

// Check returns the problems of target as a translation of seg, the most
// serious first; nil if there are none. Both texts may be malformed.
func (r Rules) Check(seg formats.Segment, target string) []Finding {
	src, dst := tags.Plain(seg.Text), tags.Plain(target)
	if strings.TrimSpace(dst) == "" {
		if strings.TrimSpace(src) == "" {
			return tagsOf(seg.Text, target)
		}
		return []Finding{{Empty, "the translation is empty; translate the text", true, true}}
	}
	s, d := &side{plain: src}, &side{plain: dst}
	out := tagsOf(seg.Text, target)
	out = append(out, lengthOf(seg.MaxLength, dst)...)
	out = append(out, controlsOf(src, dst)...)
	out = append(out, keptOf(s, d)...)
	out = append(out, r.protectedOf(src, dst)...)
	out = append(out, r.numbersOf(seg.Text, target, s, d)...)
	if !r.Mechanical {
		out = append(out, r.termsOf(seg.Text, target)...)
		out = append(out, r.untranslatedOf(s, d)...)
		out = append(out, r.scriptOf(s, d)...)
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
	return mostSeriousFirst(out)
}

// Refused returns the first finding that refuses the translation, or nil.
func Refused(fs []Finding) *Finding {
	for i := range fs {
		if fs[i].Refuse {
			return &fs[i]
		}
	}
	return nil
}

// Basic returns why target would break its document or lose something that
// must stay, or nil. These are the findings that Check refuses without any
// settings. The tools use it to refuse translations. It allows a text that
// equals its source, and an empty text where a person empties it.
func Basic(seg formats.Segment, target string) error {
	src, dst := tags.Plain(seg.Text), tags.Plain(target)
	if err := tags.Check(seg.Text, target); err != nil {
		return err
	}
	fs := append(lengthOf(seg.MaxLength, dst), controlsOf(src, dst)...)
	if strings.TrimSpace(dst) != "" {
		fs = append(fs, keptOf(&side{plain: src}, &side{plain: dst})...)
	}
	if f := Refused(fs); f != nil {
		return errors.New(f.Message)
	}
	return nil
}

func mostSeriousFirst(fs []Finding) []Finding {
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

// Fits reports whether a plain text has at most limit characters as Excel and
// PowerPoint count them: UTF-16 units (31 for a sheet name, 255, 32,767).
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
// contain (XML 1.0, production 2).
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
	if r.Protected == nil {
		return nil
	}
	var out []Finding
	need := map[string]int{}
	for _, w := range r.Protected.In(tags.Escape(src)) {
		if need[w]++; strings.Count(dst, w) < need[w] {
			out = append(out, Finding{Protected, fmt.Sprintf("%q must stay as it is, in the translation too", w), true, true})
		}
	}
	return out
}

// termsOf searches for the targets of each term in all their forms. If a term
// has several targets, one is enough.
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

// edges returns the white space before and after a text.
func edges(s string) (lead, trail string) {
	lead = s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))]
	s = s[len(lead):]
	return lead, s[len(strings.TrimRightFunc(s, unicode.IsSpace)):]
}
