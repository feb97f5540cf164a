package pseudo

import (
	"strings"

	"atelier/internal/lazyregexp"
)

// want is what a user's message asks for.
type want int

const (
	wantOther want = iota
	wantTranslation
	wantList
)

// request is a user's message as far as this model understands it.
type request struct {
	want     want
	language string // target language, by its English name
	text     string // lower case
}

// stems of "translate" in the languages people may ask in.
var translateStems = []string{
	"translat", "localis", "localiz", "pseudo", // English
	"übersetz", "uebersetz", "traduc", "tradui", "traduz", "tradu", "vertaal", "vertal", "översätt", "oversæt", "oversett",
	"tłumacz", "přelož", "перев", "перек", "翻译", "翻譯", "翻訳", "번역", "ترجم", "çevir", "fordít", "käännä", "μετάφρα", "dịch",
}

var listing = lazyregexp.New(`\b(?:list|what|which|show|how many)\b.*\b(?:files?|documents?|folder|here|there)\b`)

func understand(text string) request {
	r := request{text: strings.ToLower(text)}
	r.language = targetLanguage(r.text)
	switch {
	case containsAny(r.text, translateStems):
		r.want = wantTranslation
	case listing.MatchString(r.text):
		r.want = wantList
	}
	return r
}

func containsAny(s string, subs []string) bool {
	for _, sub := range subs {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return false
}

var afterTo = lazyregexp.New(`\b(?:to|into|in|auf|ins|nach|en|al|a|para|do|на|til|till|naar)\s+(?:the\s+)?([\p{L}]+(?:\s\([^)]*\))?)`)

// targetLanguage finds the language to translate into: the first known one
// after a word such as "to", else the only one named, else English.
func targetLanguage(lower string) string {
	for _, m := range afterTo.FindAllStringSubmatch(lower, -1) {
		word, _, _ := strings.Cut(m[1], " ")
		if name := languageOf(word); name != "" {
			return name
		}
	}
	named := ""
	for _, word := range words.FindAllString(lower, -1) {
		if name := languageOf(word); name != "" && name != named {
			if named != "" {
				return "English" // two languages and nothing to tell which is meant
			}
			named = name
		}
	}
	if named != "" {
		return named
	}
	return "English"
}

// languageOf knows a name also with a German or Dutch ending ("ins Deutsche").
func languageOf(word string) string {
	for _, form := range []string{word, strings.TrimSuffix(word, "e"), strings.TrimSuffix(word, "en")} {
		if name := languages[form]; name != "" {
			return name
		}
	}
	return ""
}

var words = lazyregexp.New(`\p{L}+`)

// languages maps names in English and in the language itself to English ones.
var languages = map[string]string{}

func init() {
	for _, line := range strings.Split(strings.TrimSpace(languageNames), "\n") {
		names := strings.Fields(line)
		for _, n := range names {
			languages[strings.ToLower(n)] = names[0]
		}
	}
}

const languageNames = `
Arabic العربية
Bulgarian български
Catalan català
Chinese 中文
Croatian hrvatski
Czech čeština češtiny
Danish dansk
Dutch nederlands
English englisch anglais inglés inglese inglês английский engelska engelsk engels angielski
Estonian eesti
Finnish suomi suomeksi
French français französisch francés francese francês
German deutsch allemand alemán tedesco alemão немецкий
Greek ελληνικά
Hebrew עברית
Hindi हिन्दी
Hungarian magyar
Indonesian
Italian italiano italienisch italien
Japanese 日本語
Korean 한국어
Latvian latviešu
Lithuanian lietuvių
Norwegian norsk
Persian فارسی
Polish polski
Portuguese português portugiesisch
Romanian română
Russian русский russisch russe ruso
Serbian српски
Slovak slovenčina
Slovenian slovenščina
Spanish español espagnol spanisch
Swedish svenska
Thai ไทย
Turkish türkçe
Ukrainian українська
Vietnamese
`
