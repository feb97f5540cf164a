package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"atelier/internal/lazyregexp"
)

// translatableWords counts the words of a plain text that a translator would
// translate: no names and codes (capitals, digits, a/b, a_b, aB), and no
// parts that must stay. For a script without capitals it counts letters, two
// for a word.
func (r Rules) translatableWords(s *side) int {
	n, letters := 0, 0
	for _, chunk := range strings.Fields(r.withoutKept(s)) {
		if looksLikeCode(chunk) {
			continue
		}
		for _, w := range strings.FieldsFunc(chunk, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) && c != '\'' && c != '’' }) {
			first, _ := utf8.DecodeRuneInString(w)
			switch {
			case !unicode.IsUpper(first) && !unicode.IsLower(first):
				letters += utf8.RuneCountInString(w)
			case unicode.IsLower(first) && utf8.RuneCountInString(w) >= 2:
				n++
			}
		}
	}
	return n + letters/2
}

// looksLikeCode distinguishes identifiers and paths from words.
func looksLikeCode(chunk string) bool {
	if strings.ContainsAny(chunk, `/\_[]{}=@#<>|$`) || strings.Contains(strings.Trim(chunk, ":"), ":") {
		return true
	}
	small := false
	for _, c := range chunk {
		if small && unicode.IsUpper(c) {
			return true
		}
		small = unicode.IsLower(c)
	}
	return false
}

// untranslatedOf finds translations that equal the source.
func (r Rules) untranslatedOf(src, dst *side) []Finding {
	if strings.TrimSpace(src.plain) != strings.TrimSpace(dst.plain) || baseOf(r.From) != "" && baseOf(r.From) == baseOf(r.To) {
		return nil
	}
	n := r.translatableWords(src)
	if n < 2 {
		return nil
	}
	return []Finding{{Code: Untranslated, Message: "the translation is the same as the source; translate it, unless it is a name or stands in the target language already", Retry: n >= 4}}
}

func baseOf(lang string) string {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(lang, "_", "-")), "-")
	return base
}

// scripts maps ISO 15924 codes to the tables of Unicode scripts.
var scripts = map[string][]*unicode.RangeTable{
	"Latn": {unicode.Latin}, "Cyrl": {unicode.Cyrillic}, "Grek": {unicode.Greek}, "Arab": {unicode.Arabic}, "Hebr": {unicode.Hebrew},
	"Deva": {unicode.Devanagari}, "Beng": {unicode.Bengali}, "Taml": {unicode.Tamil}, "Telu": {unicode.Telugu}, "Gujr": {unicode.Gujarati},
	"Guru": {unicode.Gurmukhi}, "Knda": {unicode.Kannada}, "Mlym": {unicode.Malayalam}, "Sinh": {unicode.Sinhala}, "Thai": {unicode.Thai},
	"Laoo": {unicode.Lao}, "Khmr": {unicode.Khmer}, "Mymr": {unicode.Myanmar}, "Geor": {unicode.Georgian}, "Armn": {unicode.Armenian},
	"Ethi": {unicode.Ethiopic}, "Hans": {unicode.Han}, "Hant": {unicode.Han, unicode.Bopomofo}, "Jpan": {unicode.Han, unicode.Hiragana, unicode.Katakana},
	"Kore": {unicode.Hangul, unicode.Han},
}

// digraphic lists languages that are written in several scripts; only a tag
// such as sr-Latn tells which.
var digraphic = map[string]bool{"sr": true, "bs": true, "uz": true, "az": true, "kk": true, "ku": true, "pa": true, "tg": true, "tk": true, "mn": true, "ha": true, "ms": true, "sd": true, "ug": true}

// lettersOf returns the ISO 15924 code and the tables of a language's script.
func lettersOf(lang string) (string, []*unicode.RangeTable) {
	tag, err := language.Parse(lang)
	if err != nil {
		return "", nil
	}
	base, _ := tag.Base()
	_, written, _ := tag.Raw()
	s, conf := tag.Script()
	if conf == language.No || written == (language.Script{}) && digraphic[base.String()] {
		return "", nil
	}
	return s.String(), scripts[s.String()]
}

// scriptOf finds translations in another script than that of the target
// language. Names and codes in other scripts are common, so a text counts
// only if it has no letters of the language, or hardly any in a long text.
func (r Rules) scriptOf(src, dst *side) []Finding {
	code, tables := lettersOfLast(r.To)
	if tables == nil || strings.EqualFold(strings.TrimSpace(src.plain), strings.TrimSpace(dst.plain)) {
		return nil
	}
	_, rest := dst.kept()
	right, letters := 0, 0
	for _, c := range rest {
		if unicode.IsLetter(c) {
			n := weightOf(c)
			letters += n
			if unicode.In(c, tables...) {
				right += n
			}
		}
	}
	if right > 0 && right*20 >= letters || r.translatableWords(dst) < 2 {
		return nil
	}
	return []Finding{{Code: Script, Message: fmt.Sprintf("the translation is not written in the letters of the target language (%s, script %s); translate it into that language", r.To, code), Retry: true}}
}

// weight returns the length of a text, where a letter of Chinese, Japanese or
// Korean counts about three letters of an alphabet.
func weight(s string) int {
	n := 0
	for _, c := range s {
		n += weightOf(c)
	}
	return n
}

func weightOf(c rune) int {
	if c >= firstHangul && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return 3
	}
	return 1
}

const firstHangul = 0x1100 // no letter of these scripts is before it

// ratioOf finds unusually long or short translations: a sentence is missing,
// or an explanation was added.
func ratioOf(src, dst string) []Finding {
	s, d := weight(strings.TrimSpace(src)), weight(strings.TrimSpace(dst))
	switch {
	case s >= 40 && d*4 < s:
		return []Finding{{Code: Ratio, Message: fmt.Sprintf("the translation is much shorter than the source (%d and %d characters); see that nothing is left out", utf8.RuneCountInString(dst), utf8.RuneCountInString(src)), Retry: d*8 < s}}
	case d >= 60 && d > 4*s:
		return []Finding{{Code: Ratio, Message: fmt.Sprintf("the translation is much longer than the source (%d and %d characters); give the translation only", utf8.RuneCountInString(dst), utf8.RuneCountInString(src)), Retry: d > 10*s}}
	}
	return nil
}

// remarks matches how models begin when they talk about a translation.
var remarks = lazyregexp.New(`(?i)^\W*(?:here(?:'s|’s| is| are) (?:the|your|my|a) (?:\w+ )?translat|(?:sure|certainly|of course|okay)[,!.:] |translation ?(?:\([^)]*\))? ?:|translated (?:text|version) ?:|the translation (?:is|of)\b|as an ai\b|i(?:'m|’m| am) (?:sorry|unable|not able)\b|i can(?:not|'t|’t) (?:translate|help|assist)|note: (?:this|the|i)\b|aquí (?:está|tienes|tiene) (?:la|tu|su) traducción|claro[,!] aqu|voici (?:la|votre|ma) traduction|hier ist (?:die|deine|ihre) übersetzung|ecco la traduzione|aqui está a tradução)`)

// chatterOf finds remarks of a model instead of, or around, the translation.
func chatterOf(src, dst string) []Finding {
	fence := strings.Contains(dst, "```") && !strings.Contains(src, "```")
	if !fence && (!mayRemark(dst) || !remarks.MatchString(dst) || remarks.MatchString(src)) {
		return nil
	}
	return []Finding{{Code: Chatter, Message: "the translation seems to hold a remark about itself; give the translated text only", Retry: true}}
}

// doubled matches duplicated punctuation marks.
var doubled = lazyregexp.New(`,,(?:\s|$)|;;|::|。。|、、|，，|؟؟|،،|[^.]\.\.(?:[^.]|$)|[¿¡]{2}|[.,;:] [.,;:](?:\s|$)`)

func punctuationOf(src, dst string) []Finding {
	if !mayDouble(dst) {
		return nil
	}
	if m := doubled.FindString(dst); m != "" && !doubled.MatchString(src) {
		return []Finding{{Code: Punctuation, Message: fmt.Sprintf("the translation has doubled punctuation (%q); write it once", strings.TrimSpace(m))}}
	}
	return nil
}
