package translate

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
	"atelier/workshop"
)

// Replacement is a search in translations, and what takes the place of what it
// finds.
type Replacement struct {
	Find, With string
	Regexp     bool // Find is a regular expression (RE2), With may have $1
	MatchCase  bool
	WholeWords bool
	// Only restricts it to a document; "" is all.
	Only   string
	Filter Filter
}

// Replaced tells what a replacement found.
type Replaced struct {
	Fixes   []Correction
	Samples []SegmentRow // the first of them, with the new text as target
	Matches int          // places
	Across  int          // segments where only text across tags would match: they stay
	More    bool         // there are more than MostReplaced segments
}

// MostReplaced bounds the segments that one replacement changes.
const MostReplaced = 10_000

// mostSamples bounds Replaced.Samples.
const mostSamples = 50

// Expression is the expression of the search.
func (r Replacement) Expression() (*regexp.Regexp, error) {
	if r.Find == "" {
		return nil, workshop.Faultf(workshop.Invalid, "find is required: the text to replace").OnField("find")
	}
	e := r.Find
	if !r.Regexp {
		e = regexp.QuoteMeta(e)
	}
	if !r.MatchCase {
		e = "(?i)" + e
	}
	x, err := regexp.Compile(e)
	if err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "find is not a regular expression: %w", err).OnField("find")
	}
	if x.MatchString("") {
		return nil, workshop.Faultf(workshop.Invalid, "find matches the empty text, so it is found everywhere; say what must be there").OnField("find")
	}
	return x, nil
}

// Find finds the segments of documents whose translation a replacement changes.
// Text is replaced between tags only, so that no tag is lost.
func (s *Segments) Find(ctx context.Context, documents []Record, r Replacement) (out Replaced, err error) {
	x, err := r.Expression()
	if err != nil || s.db == nil {
		return out, err
	}
	for _, d := range documents {
		if r.Only != "" && r.Only != d.Output {
			continue
		}
		for at := 0; ; {
			const page = 1000
			rows, err := s.part(ctx, d, r.Filter, at, page)
			if err != nil {
				return out, err
			}
			for _, row := range rows {
				if row.State != StateTranslated || r.Filter.Text != "" && !contains([]byte(row.Text), strings.ToLower(r.Filter.Text)) && !contains([]byte(row.Target), strings.ToLower(r.Filter.Text)) {
					continue
				}
				text, n := r.in(x, row.Target)
				switch {
				case n == 0 && strings.Contains(row.Target, "<") && len(r.places(x, tags.Plain(row.Target))) > 0:
					out.Across++
					continue
				case n == 0 || text == row.Target:
					continue
				case len(out.Fixes) == MostReplaced:
					out.More = true
					return out, nil
				}
				out.Matches += n
				out.Fixes = append(out.Fixes, Correction{d.Output, row.ID, text})
				if len(out.Samples) < mostSamples {
					row.Target = text
					out.Samples = append(out.Samples, row)
				}
			}
			if at += len(rows); len(rows) < page {
				break
			}
		}
	}
	return out, nil
}

// in replaces in the text between the tags of target, and counts the places.
func (r Replacement) in(x *regexp.Regexp, target string) (string, int) {
	tokens, n := tags.Parse(target), 0
	for i, t := range tokens {
		if t.Kind != tags.Text {
			continue
		}
		text, k := r.inText(x, t.Text)
		tokens[i].Text, n = text, n+k
	}
	if n == 0 {
		return target, 0
	}
	return tags.String(tokens), n
}

func (r Replacement) inText(x *regexp.Regexp, text string) (string, int) {
	var out strings.Builder
	places, at := r.places(x, text), 0
	for _, m := range places {
		out.WriteString(text[at:m[0]])
		if r.Regexp {
			out.Write(x.ExpandString(nil, numbered(r.With), text, m))
		} else {
			out.WriteString(r.With)
		}
		at = m[1]
	}
	out.WriteString(text[at:])
	return out.String(), len(places)
}

// places are where a plain text has what is searched for.
func (r Replacement) places(x *regexp.Regexp, text string) [][]int {
	all := x.FindAllStringSubmatchIndex(text, -1)
	if !r.WholeWords {
		return all
	}
	return slices.DeleteFunc(all, func(m []int) bool {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		after, _ := utf8.DecodeRuneInString(text[m[1]:])
		return ofWord(before) || ofWord(after)
	})
}

// ofWord is false for utf8.RuneError, which stands for the end of a text.
func ofWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}

var groupNumber = lazyregexp.New(`\$(\d+)`)

// numbered gives $1 a clear end, so that letters after it are not of its name.
func numbered(with string) string { return groupNumber.ReplaceAllString(with, "$${${1}}") }
