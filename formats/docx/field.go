package docx

import (
	"strings"

	"atelier/formats/ooxml/paragraph"
	"atelier/internal/lazyregexp"
)

// fieldForm is how {page} and {pages} in a text are written.
type fieldForm uint8

const (
	noFields      fieldForm = iota // as they are
	simpleFields                   // as one element (17.16.19)
	complexFields                  // as runs, which a tracked insertion can hold (17.16.18)
)

// pageWord is what is in text for the number of the page or of all pages.
var pageWord = lazyregexp.New(`\{(page|pages)\}`)

// withFields writes text as runs in which {page} and {pages} are fields
// (17.16.5.44, 17.16.5.39).
func withFields(prefix, rPr, text string, form fieldForm) string {
	var sb strings.Builder
	run := func(content string) string { return "<" + prefix + "r>" + rPr + content + "</" + prefix + "r>" }
	at := 0
	piece := func(t string) {
		if t != "" {
			sb.WriteString(run(paragraph.Content(paragraph.Word, prefix, t)))
		}
	}
	for _, w := range pageWord.FindAllStringSubmatchIndex(text, -1) {
		piece(text[at:w[0]])
		instr := map[string]string{"page": " PAGE ", "pages": " NUMPAGES "}[text[w[2]:w[3]]]
		shown := run("<" + prefix + "t>1</" + prefix + "t>")
		char := func(kind string) string {
			return run("<" + prefix + "fldChar " + prefix + `fldCharType="` + kind + `"/>`)
		}
		if form == simpleFields {
			sb.WriteString("<" + prefix + "fldSimple " + prefix + `instr="` + instr + `">` + shown + "</" + prefix + "fldSimple>")
		} else {
			sb.WriteString(char("begin") + run("<"+prefix+`instrText xml:space="preserve">`+instr+"</"+prefix+"instrText>") + char("separate") + shown + char("end"))
		}
		at = w[1]
	}
	piece(text[at:])
	return sb.String()
}
