package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

const (
	maxTerms     = 2000 // definitions looked at
	maxTermWords = 6
	contractFrom = 5 // definitions from which on capital letters mean a defined term
	undefinedMin = 3 // uses of a term that is not defined
	openQuotes   = `["“„«‹»]`
	closeQuotes  = `["”“»›«]`
)

var (
	// (the “Buyer”), (hereinafter, “Works”), (each a “Party” and together the “Parties”)
	inBrackets = lazyregexp.New(`\(([^()]{0,120}?` + openQuotes + `[^()]{1,160}?` + closeQuotes + `[^()]{0,60}?)\)`)
	quotedTerm = lazyregexp.New(openQuotes + `[\s\x{a0}]?([^"“”„«»‹›\n]{2,80}?)[\s\x{a0}]?` + closeQuotes)
	// “Works” means …
	termMeans   = lazyregexp.New(openQuotes + `[\s\x{a0}]?([^"“”„«»‹›\n]{2,80}?)[\s\x{a0}]?` + closeQuotes + `[\s\x{a0}]*(?:\([^)]{1,80}\))?[\s\x{a0}]*(?:,[^,]{1,60},)?[\s\x{a0}]*(?:(?:shall|will)[\s\x{a0}]+)?(?i:means?|has the meaning|have the meaning|refers? to|is defined as|includes?|bedeutet|bezeichnet|meint|sind|ist|désigne|signifie|significa|designa|indica|betekent)\b([^.;]{0,60})`)
	bracketLead = lazyregexp.New(`(?i)^[\s\x{a0}]*(?:(?:in the following|im folgenden|nachfolgend|nachstehend|hereinafter|hereafter|herein|ci-après|en adelante|in adelante|in appresso|di seguito|doravante|hierna|each|jeweils|collectively|together|zusammen|individually|such|the|this|that|an?|der|die|das|dem|den|le|la|les|l['’]|el|los|las|il|lo|i|gli|o|os|as|de|het|called|referred to as|also referred to as|known as|dénommée?s?|denominad[oa]s?|definit[oa]|genannt|as|or|and|und|et|y|e|respectively|,|:)[\s\x{a0},:]*)*$`)
	leadArticle = lazyregexp.New(`^(?:(?i:the|el|la|los|las|le|les|il|lo|gli|der|die|das|den|dem|de|het|os?|as?)\s+|[lL]['’])`)
	afterQuote  = lazyregexp.New(`["“„«‹][\s\x{a0}]?(?:(?i:the|el|la|los|las|le|les|il|lo|gli|der|die|das|den|dem|de|het|os?|as?)\s+|[lL]['’])?$`)
	elsewhere   = lazyregexp.New(`(?i)meaning (?:given|set|ascribed|assigned|as)|(?:given|set forth|set out|ascribed|defined) (?:to it )?(?:in|above|below)|bedeutung (?:gemäß|nach)`)
)

// term is a defined term with where it is defined.
type term struct {
	name  string
	para  int
	again []int // other paragraphs that define it
	uses  int
	lower int // uses in lower case
}

// terms looks at defined terms: those without a use, those defined twice, and
// capitalised words of a contract that are not defined.
func (a *auditing) terms(ctx context.Context) {
	list := a.definitions(ctx)
	if len(list) == 0 {
		return
	}
	a.countUses(ctx, list)
	for _, t := range list {
		for _, again := range t.again {
			a.find(kindTwice, formats.SeverityMedium, again, fmt.Sprintf("the term %s is defined also at %s", quote(t.name), a.at(t.para)), "one definition")
		}
		switch {
		case t.uses > 0:
		case t.lower > 0:
			a.find(kindUnused, formats.SeverityMedium, t.para, fmt.Sprintf("the term %s is defined; the text uses it %d times in lower case only", quote(t.name), t.lower), "uses as it is defined")
		default:
			a.find(kindUnused, formats.SeverityMedium, t.para, fmt.Sprintf("the term %s is defined and never used", quote(t.name)), "a use, or no definition")
		}
	}
	if len(list) >= contractFrom && a.opt.Wants(kindUndefined) {
		a.undefined(ctx, list)
	}
}

// definitions lists the terms that are defined, in the order of the text.
func (a *auditing) definitions(ctx context.Context) []*term {
	var list []*term
	by := map[string]*term{}
	a.each(ctx, func(i int, p *Para) {
		if p.TOC || p.Edge || !strings.ContainsAny(p.Text, `"“„«‹`) {
			return
		}
		for _, name := range defined(p.Text) {
			key := strings.ToLower(name)
			switch t := by[key]; {
			case t == nil && len(list) < maxTerms:
				t = &term{name: name, para: i}
				by[key] = t
				list = append(list, t)
			case t == nil:
				if !slices.Contains(a.out.Unseen, beyondTerms) {
					a.out.Unseen = append(a.out.Unseen, beyondTerms)
				}
			case t.para != i && (len(t.again) == 0 || t.again[len(t.again)-1] != i):
				t.again = append(t.again, i)
			}
		}
	})
	return list
}

var beyondTerms = fmt.Sprintf("defined terms beyond %d", maxTerms)

// defined returns the terms that a text defines.
func defined(text string) []string {
	var out []string
	add := func(name string) {
		name = leadArticle.ReplaceAllString(strings.TrimRight(strings.Join(strings.Fields(name), " "), ",.;:"), "")
		if isTerm(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, m := range inBrackets.FindAllStringSubmatch(text, 50) {
		at := 0
		for _, q := range quotedTerm.FindAllStringSubmatchIndex(m[1], 8) {
			if !bracketLead.MatchString(m[1][at:q[0]]) {
				break // a quotation in brackets, as in (see “Payment”)
			}
			add(m[1][q[2]:q[3]])
			at = q[1]
		}
	}
	for _, m := range termMeans.FindAllStringSubmatch(text, 50) {
		if !elsewhere.MatchString(m[0]) {
			add(m[1])
		}
	}
	return out
}

// isTerm reports whether a quoted text can be a term: it begins with a capital
// letter and has few words.
func isTerm(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r) && !strings.ContainsAny(s, ",;:!?") && len(strings.Fields(s)) <= maxTermWords && utf8.RuneCountInString(s) > 1
}

// form is a form in which a term is used: itself, its singular or plural.
type form struct {
	*term
	text string
}

// forms returns the forms of a term that are not it with an ending.
func (t *term) forms() []form {
	out := []form{{t, t.name}}
	switch {
	case strings.HasSuffix(t.name, "ies"):
		out = append(out, form{t, strings.TrimSuffix(t.name, "ies") + "y"})
	case strings.HasSuffix(t.name, "s") && len(t.name) > 3:
		out = append(out, form{t, strings.TrimSuffix(t.name, "s")})
	case strings.HasSuffix(t.name, "y"):
		out = append(out, form{t, strings.TrimSuffix(t.name, "y") + "ies"})
	}
	return out
}

// countUses counts the uses of terms, without those in quotation marks of their
// definitions.
func (a *auditing) countUses(ctx context.Context, list []*term) {
	first := map[string][]form{} // by the first word, in lower case
	longest := 0
	for _, t := range list {
		for _, f := range t.forms() {
			w := strings.ToLower(leadWord(f.text))
			first[w] = append(first[w], f)
			longest = max(longest, len(w))
		}
	}
	a.each(ctx, func(i int, p *Para) {
		eachWord(p.Text, func(at, end int) {
			word := strings.ToLower(p.Text[at:min(end, at+longest+8)])
			counted := map[*term]bool{}
			for cut := 0; cut <= 3 && cut < len(word); cut++ { // "Buyers" is a use of "Buyer"
				for _, f := range first[word[:len(word)-cut]] {
					if !counted[f.term] {
						counted[f.term] = f.use(p.Text, at, i)
					}
				}
			}
		})
	})
}

// use counts the text at an offset of a paragraph when it is the form.
func (f form) use(text string, at, para int) bool {
	n := len(f.text)
	if len(text)-at < n {
		return false
	}
	got := text[at : at+n]
	if !strings.EqualFold(got, f.text) || tooLong(text[at+n:]) {
		return false
	}
	switch quoted := afterQuote.MatchString(text[max(0, at-12):at]); {
	case quoted && (para == f.para || slices.Contains(f.again, para)):
	case got == strings.ToLower(f.text):
		f.lower++
	default:
		f.uses++
	}
	return true
}

// tooLong reports whether more letters follow than an ending has.
func tooLong(rest string) bool {
	n := 0
	for _, r := range rest {
		if !unicode.IsLetter(r) {
			break
		}
		n++
	}
	return n > 3
}

// eachWord calls fn with each stretch of letters and digits.
func eachWord(s string, fn func(at, end int)) {
	at := -1
	for i, r := range s {
		in := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case in && at < 0:
			at = i
		case !in && at >= 0:
			fn(at, i)
			at = -1
		}
	}
	if at >= 0 {
		fn(at, len(s))
	}
}

func leadWord(s string) string {
	out := s
	eachWord(s, func(at, end int) {
		if out == s {
			out = s[at:end]
		}
	})
	return out
}
