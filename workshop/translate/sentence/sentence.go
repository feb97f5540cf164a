// Package sentence splits a segment's tagged text into sentences and joins their
// translations, for memories and translators that work sentence by sentence.
//
//	parts := sentence.Split("Hola, Sr. Gil. <1>Adiós.</1>", "es") // "Hola, Sr. Gil. ", "<1>Adiós.</1>"
//	out := sentence.Join(targets, parts, "ja")
//
// Boundaries are those of Unicode (UAX 29, 4 "Sentence Boundaries"), except after
// abbreviations, initials and ordinal numbers, and inside a pair of tags. In
// doubt Split does not cut: a sentence that is too long costs a match, a sentence
// cut in two loses its meaning.
package sentence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"atelier/formats/tags"
)

// Split cuts text, with inline tags, into sentences with the white space
// after them. Concatenated they are exactly text. lang is a BCP 47 tag, "" if
// unknown.
func Split(text, lang string) []string {
	plain, at := withoutTags(text)
	known := abbreviations[primary(lang)]
	var out []string
	from, pos := 0, 0
	for rest, state := plain, -1; rest != ""; {
		var s string
		s, rest, state = uniseg.FirstSentenceInString(rest, state)
		pos += len(s)
		// Unicode counts an opening bracket after 。 to the sentence before
		// it.
		end := len(strings.TrimRight(plain[:pos], openers))
		if rest == "" || !endsSentence(plain[:end], plain[end:], known, primary(lang)) {
			continue
		}
		if cut := at(end); cut > from {
			out = append(out, text[from:cut])
			from = cut
		}
	}
	if from < len(text) || len(out) == 0 {
		out = append(out, text[from:])
	}
	return out
}

// withoutTags returns text without its tags. at returns the offset in text for an
// offset in plain, or -1 if a tag is open there. Offsets passed to at must
// not decrease.
func withoutTags(text string) (plain string, at func(pos int) int) {
	p := &plainText{}
	depth, raw := 0, 0
	add := func(s string) {
		if depth == 0 {
			p.stops = append(p.stops, stop{p.sb.Len(), raw})
		} else {
			p.stops = append(p.stops, stop{p.sb.Len(), -1})
		}
		p.sb.WriteString(s)
		raw += len(s)
	}
	for raw < len(text) {
		n := strings.IndexByte(text[raw:], '<')
		if n < 0 {
			n = len(text) - raw
		}
		if n > 0 {
			add(text[raw : raw+n])
			continue
		}
		end := strings.IndexByte(text[raw:], '>') + 1
		tokens := tags.Parse(text[raw : raw+end])
		if len(tokens) != 1 || tokens[0].Kind == tags.Text {
			add("<")
			continue
		}
		raw += end
		switch tokens[0].Kind {
		case tags.Open:
			depth++
		case tags.Close:
			depth = max(0, depth-1)
			if depth == 0 { // a cut directly after a pair is allowed
				p.stops = append(p.stops, stop{p.sb.Len(), raw})
			}
		}
	}
	return p.sb.String(), p.offset
}

// stop says that from pos in the plain text on, raw is the offset in the text
// with tags, or -1 inside a pair of tags.
type stop struct{ pos, raw int }

// plainText is a text without its tags.
type plainText struct {
	sb    strings.Builder
	stops []stop
	k     int // the stop of the last offset
}

// offset returns the offset in the text with tags of pos in the plain text, -1
// inside a pair of tags. The positions asked for must not decrease.
func (p *plainText) offset(pos int) int {
	for p.k+1 < len(p.stops) && p.stops[p.k+1].pos < pos {
		p.k++
	}
	if s := p.stops[p.k]; s.raw >= 0 && s.pos <= pos {
		return s.raw + pos - s.pos
	}
	for j := p.k + 1; j < len(p.stops) && p.stops[j].pos == pos; j++ {
		if p.stops[j].raw >= 0 {
			return p.stops[j].raw
		}
	}
	return -1
}

// endsSentence reports whether a sentence ends between before, which is a sentence by
// Unicode's rules, and after.
func endsSentence(before, after string, known map[string]bool, lang string) bool {
	core := strings.TrimRightFunc(before, unicode.IsSpace)
	last, size := utf8.DecodeLastRuneInString(strings.TrimRight(core, closers))
	if strings.ContainsRune("。！？｡︒．؟۔।॥።", last) {
		return true
	}
	if len(core) == len(before) { // no space: yahoo!mail
		return false
	}
	if strings.ContainsAny(before[len(core):], "\n\u2029") {
		return true
	}
	first := firstLetter(after)
	if unicode.IsLower(first) {
		return false
	}
	if last != '.' {
		return last == '!' || last == '?' || last == '…' || last == '‽' || unicode.Is(unicode.STerm, last)
	}
	core = strings.TrimRight(core, closers)
	word := lastWord(core[:len(core)-size])
	switch {
	case word == "" || strings.HasSuffix(word, "."): // an ellipsis
		return true
	case utf8.RuneCountInString(word) == 1 && unicode.IsDigit(first): // p. 3
		return false
	case known[strings.ToLower(word)] || common[strings.ToLower(word)]:
		return false
	case utf8.RuneCountInString(word) == 1 && unicode.IsUpper([]rune(word)[0]): // J. Gil
		return false
	case strings.Contains(word, ".") && len(word) < 8 && !strings.ContainsAny(word, "0123456789"): // z.B., p.ej., U.S.
		return false
	case ordinals[lang] && isNumber(word): // 3. März
		return false
	}
	return true
}

// closers may follow the end of a sentence.
const closers = `"'”’»)]}›“‘」』）】〉》`

// openers are brackets inside which no sentence ends.
const openers = "「『（【〈《"

// firstLetter returns the first letter or digit of s, after quotes and
// brackets.
func firstLetter(s string) rune {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		if unicode.IsSpace(r) {
			continue
		}
		if !unicode.IsPunct(r) {
			return r
		}
	}
	return 0
}

// lastWord returns the text after the last space or bracket of s.
func lastWord(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`([{"'“”‘’«»/¿¡—–`, r)
	})
	if i < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i+n:]
}

func isNumber(s string) bool {
	for _, r := range s {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

// Join concatenates the translations of the sentences that Split returned,
// with the white space of the source between them. Languages written without
// spaces get none, and from such a language to others Join inserts a space.
func Join(targets, sources []string, to string) string {
	var sb strings.Builder
	for i, t := range targets {
		t = strings.TrimSpace(t)
		sb.WriteString(t)
		if i+1 == len(targets) {
			break
		}
		gap := ""
		if i < len(sources) {
			gap = sources[i][len(strings.TrimRightFunc(sources[i], unicode.IsSpace)):]
		}
		switch spaced := !unspaced[primary(to)]; {
		case spaced && gap == "":
			gap = " "
		case !spaced && !strings.Contains(gap, "\n"):
			gap = ""
		}
		sb.WriteString(gap)
	}
	// White space around the whole text is that of the source.
	if n := len(sources); n > 0 {
		first, last := sources[0], sources[n-1]
		lead := first[:len(first)-len(strings.TrimLeftFunc(first, unicode.IsSpace))]
		return lead + sb.String() + last[len(strings.TrimRightFunc(last, unicode.IsSpace)):]
	}
	return sb.String()
}

func primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(tag)
}
