package audit

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

const (
	sectionWords = `sections?|sub-?clauses?|clauses?|articles?|chapters?|abschnitte?n?|abschnitts|kapiteln?|kapitels|ziffern?|ziff\.|klauseln?|artikeln?|artikels|chapitres?|secci[oó]n(?:es)?|cl[aá]usulas?|art[ií]culos?|cap[ií]tulos?|sezion[ei]|clausol[ae]|articol[oi]|capitol[oi]|se[cç]?ção|se[cç]?ções|artigos?|hoofdstuk(?:ken)?|artikelen|§§?`
	annexWords   = `annex(?:es)?|appendix|appendices|schedules?|exhibits?|attachments?|anlagen?|anhang|anhänge|annexes?|anexos?|ap[eé]ndices?|allegat[oi]|bijlagen?`
	captionWords = `tables?|figures?|figs?\.?|tabellen?|abbildung(?:en)?|abb\.|tableaux?|tablas?|figuras?|tabell[ae]|figur[ae]|tabelas?|tabel(?:len)?|figuur|figuren`
)

// canonical has for forms of a word the one under which targets are kept.
var canonical = map[string]string{"fig": "figure", "figs": "figure", "abb": "abbildung", "abbildungen": "abbildung", "appendices": "appendix", "annexes": "annex", "annexe": "annex", "anlagen": "anlage", "anhänge": "anhang",
	"tabellen": "tabelle", "tableaux": "tableau", "figuren": "figuur", "bijlagen": "bijlage", "allegati": "allegato", "tabelas": "tabela", "tablas": "tabla", "figuras": "figura"}

func class(word string) string {
	word = strings.TrimSuffix(strings.ToLower(word), ".")
	if strings.HasPrefix(word, "§") {
		return "§"
	}
	if c, ok := canonical[word]; ok {
		return c
	}
	if strings.HasSuffix(word, "s") && len(word) > 4 {
		word = word[:len(word)-1]
	}
	return word
}

var (
	sectionRef = lazyregexp.New(`(?i)(?:^|[^\pL\pN])(` + sectionWords + `)[\s\x{a0}]*(` + numberPattern + `)((?:[\s\x{a0}]?\([a-z]{1,4}\))*)`)
	sectionAnd = lazyregexp.New(`^[\s\x{a0}]*(?:,|;|&|and|or|to|und|oder|bis|et|ou|à|y|o|e|en|–|-)[\s\x{a0}]*(?:(?:and|or|und|oder|et|ou|y|e)[\s\x{a0}]+)?(` + numberPattern + `)((?:[\s\x{a0}]?\([a-z]{1,4}\))*)`)

	annexID    = `([A-Z]|\d{1,2}|[IVX]{1,5})(?:[.-]\d{1,2})?`
	annexRef   = lazyregexp.New(`(?:^|[^\pL\pN])((?i:` + annexWords + `))[\s\x{a0}]+` + annexID + `(?:$|[^\pL\pN])`)
	annexStart = lazyregexp.New(`^[\s\x{a0}]*((?i:` + annexWords + `))[\s\x{a0}]+` + annexID + `(?:$|[^\pL\pN])`)

	captionID    = `([A-Z][.-]?\d{1,3}|\d{1,3})((?:[.\-–]\d{1,3}){0,3})`
	captionRef   = lazyregexp.New(`(?:^|[^\pL\pN])((?i:` + captionWords + `))[\s\x{a0}]+` + captionID)
	captionAnd   = lazyregexp.New(`^[\s\x{a0}]*(?:,|&|and|or|to|und|oder|bis|et|ou|à|y|e|en|–|-)[\s\x{a0}]+` + captionID)
	captionStart = lazyregexp.New(`^[\s\x{a0}]*((?i:` + captionWords + `))[\s\x{a0}]*` + captionID)

	// What follows a reference to another document: "of Directive 2002/58/EC",
	// "GDPR".
	ofAnother    = lazyregexp.New(`^[\s\x{a0},]*(?:(?:(?i:paragraphs?|para\.?|subsections?|subparagraphs?|points?|items?|sentences?|abs\.?|absatz|satz|nr\.?|lit\.?|alinéa|apartado|comma|lid)[\s\x{a0}]*[\w().]+|et seq\.?|ff?\.|\(\w{1,4}\))[\s\x{a0},]*)*(?:(?:of|der|des|du|de|del|della|dello|dell|do|da|van|d['’])(?:[\s\x{a0}]|$)|(?:to|in|under|from)[\s\x{a0}]+(?:the[\s\x{a0}]+|that[\s\x{a0}]+)?[A-Z]|[A-Z][A-Za-z]*[A-Z]|(?:Act|Code|Regulation|Directive)\b)`)
	plural       = lazyregexp.New(`(?i)(?:s|s\.|[tglrk]en|eln|ern|oli|oni|ole|elle|§§)$`)
	hyphenNumber = lazyregexp.New(`^[-‑–][0-9]`)
	ofThis       = lazyregexp.New(`^[\s\x{a0},]*(?:of|der|des|du|de|del|della|do|da|van|to|in|under)[\s\x{a0}]+(?i:this|these|the present|hereof|diese[rsmn]?|vorliegende[rsn]?|la présente|le présent|présente?s?|ce|cette|este|esta|presente|questo|questa|deze|dit)\b`)
	afterSource  = lazyregexp.New(`(?:\b(?:Act|Code|Law|Regulation|Directive|Treaty|Constitution|Statute|Ordinance|Convention|Gesetz(?:es)?|Verordnung|Richtlinie)\b|[A-Z]{2,}[\s\d/:.-]*)[\s,(’']*s?[\s,(]*$`)
)

// reference is a mention of a number in a text.
type reference struct {
	word, num, parts string // parts is "(b)(i)"
	end              int    // in the text
}

// mentions lists the numbers that a text refers to in one document: it leaves out
// what is of another.
func mentions(text string, head, more *lazyregexp.Regexp) []reference {
	if !strings.ContainsAny(text, "0123456789") && head != annexRef {
		return nil
	}
	var out []reference
	for _, m := range head.FindAllStringSubmatchIndex(text, -1) {
		refs := []reference{{word: text[m[2]:m[3]], num: text[m[4]:m[5]], end: m[1]}}
		if len(m) > 6 && m[6] >= 0 {
			refs[0].parts = text[m[6]:m[7]]
		}
		at := m[1]
		for more != nil && plural.MatchString(refs[0].word) {
			c := more.FindStringSubmatchIndex(text[at:])
			if c == nil {
				break
			}
			refs = append(refs, reference{refs[0].word, text[at+c[2] : at+c[3]], text[at+c[4] : at+c[5]], at + c[1]})
			at += c[1]
		}
		if at < len(text) && (text[at] >= '0' && text[at] <= '9' || text[at] == '%' || text[at] == '/') {
			continue
		}
		rest := text[at:]
		if hyphenNumber.MatchString(rest) {
			continue // "Section 32-581.03"
		}
		if !ofThis.MatchString(rest) && ofAnother.MatchString(rest) || afterSource.MatchString(text[max(0, m[2]-40):m[2]]) {
			continue
		}
		out = append(out, refs...)
	}
	return out
}

// targets looks for texts that refer to sections, annexes, tables and figures that
// there are none of.
func (a *auditing) targets(ctx context.Context) {
	if a.opt.Wants(kindTarget) {
		a.sections(ctx)
		a.annexes(ctx)
	}
	a.captions(ctx)
}

// missed is a reference to a number of sections that there is none of.
type missed struct {
	para           int
	class          string
	fact, expected string
}

// sections looks at references to numbers of sections and clauses, and their items.
func (a *auditing) sections(ctx context.Context) {
	n := a.sectionNumbers(ctx)
	var list []missed
	good, bad := map[string]int{}, map[string]int{}
	a.each(ctx, func(i int, p *Para) {
		if p.TOC || p.Level >= 0 {
			return
		}
		if _, word := p.number(); word != "" && p.Label == "" {
			return // it is what is referred to
		}
		seen := map[string]bool{}
		for _, r := range mentions(p.Text, sectionRef, sectionAnd) {
			whole, c := r.word+" "+r.num+strings.TrimSpace(r.parts), class(r.word)
			if seen[whole] {
				continue
			}
			seen[whole] = true
			m := inlineItem.FindStringSubmatch(r.parts)
			switch {
			case n.lacks(r.word, r.num):
				bad[c]++
				list = append(list, missed{i, c, fmt.Sprintf("the text refers to %s, and nothing has the number %s", quote(whole), r.num), "a number that exists"})
			case m != nil && n.lacksPart(r.num, m[1]):
				good[c]++
				list = append(list, missed{i, c, fmt.Sprintf("the text refers to %s, and %s has no item (%s)", quote(whole), r.num, m[1]), "an item that exists"})
			case n.all[r.num]:
				good[c]++
			}
		}
	})
	for _, m := range list {
		if !foreign(m.class, good, bad) {
			a.find(kindTarget, formats.SeverityHigh, m.para, m.fact, m.expected)
		}
	}
}

// foreign reports whether a document seems to use a word for the sections of
// another one: it has other words for its own, or most references miss.
func foreign(class string, good, bad map[string]int) bool {
	for c, n := range good {
		if c != class && n > 0 && good[class] == 0 {
			return true
		}
	}
	return bad[class] >= 3 && bad[class] > 2*good[class]
}

// annexes looks at references to annexes, of those words that name some of the
// document.
func (a *auditing) annexes(ctx context.Context) {
	have := map[string]map[string]bool{}
	starts := map[int]bool{}
	a.each(ctx, func(i int, p *Para) {
		if p.TOC || p.Note {
			return
		}
		m := annexStart.FindStringSubmatch(p.Text)
		if m == nil {
			m = annexStart.FindStringSubmatch(p.Label)
		}
		if m == nil || p.Level < 0 && p.Label == "" && (len(p.Text) > 120 || strings.HasSuffix(strings.TrimSpace(p.Text), ".")) {
			return
		}
		c := class(m[1])
		if have[c] == nil {
			have[c] = map[string]bool{}
		}
		have[c][m[2]], starts[i] = true, true
	})
	if len(have) == 0 {
		return
	}
	a.each(ctx, func(i int, p *Para) {
		if p.TOC || starts[i] {
			return
		}
		seen := map[string]bool{}
		for _, r := range mentions(p.Text, annexRef, nil) {
			own := have[class(r.word)]
			if own == nil || own[r.num] || seen[r.num] || len(r.num) == 1 && strings.EqualFold(r.num, "a") && !own["B"] {
				continue
			}
			seen[r.num] = true
			a.find(kindTarget, formats.SeverityHigh, i, fmt.Sprintf("the text refers to %s, which the document does not have", quote(r.word+" "+r.num)), "")
		}
	})
}
