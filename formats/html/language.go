package html

import (
	"strings"

	"golang.org/x/text/language"

	"atelier/formats/text"
)

// languagePlace is a place of a page that names its language or direction.
type languagePlace struct {
	element string
	attr
}

// languages are the places of a page that name its language or direction.
type languages struct {
	insert int // behind "<html", 0 when there is no such tag
	places []languagePlace
}

// noteLanguage records the language attributes of a tag.
func (sc *scanner) noteLanguage(t token, all []attr) {
	if t.name == "html" && sc.langs.insert == 0 {
		sc.langs.insert = t.start + len("<html")
	}
	for i, a := range all {
		switch {
		case a.key == "lang" || a.key == "xml:lang":
		case a.key == "dir" && (t.name == "html" || t.name == "body"):
		case a.key == "content" && t.name == "meta" && sc.isContentLanguage(all[:i], all[i:]):
		default:
			continue
		}
		if len(sc.langs.places) < maxUnits {
			sc.langs.places = append(sc.langs.places, languagePlace{t.name, a})
		}
	}
}

func (sc *scanner) isContentLanguage(some ...[]attr) bool {
	for _, all := range some {
		for _, a := range all {
			if a.key == "http-equiv" && strings.EqualFold(sc.s[a.start:a.end], "content-language") {
				return true
			}
		}
	}
	return false
}

// edits returns the edits that change the page's language: attributes of its
// html element, and of elements that name the same language as it (TR-11).
func (l languages) edits(p page, tag string) (out []text.Edit) {
	if l.insert == 0 {
		return nil
	}
	dir := textDirection(tag)
	was := ""
	has := map[string]bool{}
	for _, t := range l.places {
		if t.element == "html" {
			has[t.key] = true
			if t.key != "dir" && was == "" {
				was = primaryLanguage(p.s[t.start:t.end])
			}
		}
	}
	for _, t := range l.places {
		v := p.s[t.start:t.end]
		want := v
		switch {
		case t.key == "dir":
			if (strings.EqualFold(v, "rtl") || strings.EqualFold(v, "ltr")) && !strings.EqualFold(v, dir) {
				want = dir
			}
		case t.element == "html" || was != "" && primaryLanguage(v) == was:
			want = tag
		}
		if want != v {
			out = append(out, text.Edit{Start: t.start, End: t.end, Text: p.quoted(want, t.quote)})
		}
	}
	add := ""
	if !has["lang"] {
		add = ` lang="` + tag + `"`
	}
	if p.xml && !has["xml:lang"] {
		add += ` xml:lang="` + tag + `"`
	}
	if dir == "rtl" && !has["dir"] {
		add += ` dir="rtl"`
	}
	if add != "" {
		out = append(out, text.Edit{Start: l.insert, End: l.insert, Text: add})
	}
	return out
}

// primaryLanguage returns the language of a BCP 47 tag, without script and
// region.
func primaryLanguage(tag string) string {
	tag, _, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-"), "-")
	return strings.ToLower(tag)
}

// textDirection returns that of the script a language is written in.
func textDirection(tag string) string {
	script, _ := language.Make(tag).Script()
	switch script.String() {
	case "Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg", "Mand", "Samr":
		return "rtl"
	}
	return "ltr"
}
