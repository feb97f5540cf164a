package calc

import (
	"strings"

	"atelier/formats/xlsx/internal/numfmt"
)

// The language of the program decides how numbers and dates are read from text and shown
// as text. Where it is not known, numbers have a point, as in English, and everything else
// that depends on it is unknown.

// setLanguages reads Options.Language: one language, or several separated by "|", of which
// a result is known where it is the same in all.
func (e *Evaluator) setLanguages(list string) {
	for _, tag := range strings.Split(list, "|") {
		if l := numfmt.LocaleOf(tag); l != nil {
			e.locales = append(e.locales, l)
		}
	}
	if len(e.locales) > 0 {
		e.locale = e.locales[0]
	}
}

// known returns the locale of the program; without one it stops the formula.
func (e *Evaluator) known(what string) *numfmt.Locale {
	if e.touched = true; e.locale == nil {
		e.stop(ReasonLanguage, "%s as text depends on the language of the program", what)
	}
	return e.locale
}

// english stops the formula unless the workbook was made in English.
func (e *Evaluator) english(what string) {
	if l := e.known(what); !strings.HasPrefix(l.Tag, "en") {
		e.stop(ReasonLanguage, "%s as text is known for programs in English only", what)
	}
}

// numberText shows a number with its 15 digits, as joining it to a text does.
func (e *Evaluator) numberText(x float64) string {
	e.touched = true
	return e.locale.General(x)
}

// plain reads digits with sign, the point of the program, and exponent.
func (e *Evaluator) plain(s string) (float64, bool) {
	if e.locale == nil || !strings.ContainsAny(s, ".,") {
		return plainNumber(s)
	}
	if _, ok := plainNumber(strings.Replace(s, ",", ".", 1)); ok {
		e.touched = true // it is a number in one language at least
	}
	if e.locale.Decimal == "." {
		return plainNumber(s)
	}
	if strings.Contains(s, ".") {
		return 0, false
	}
	return plainNumber(strings.Replace(s, e.locale.Decimal, ".", 1))
}

// inLanguages calculates a formula in the other languages that the program may have, and
// returns v where all results are alike.
func (e *Evaluator) inLanguages(f *form, a activeCell, v Value) Value {
	for _, l := range e.locales[1:] {
		e.locale = l
		other := e.formula(f, a)
		e.locale = e.locales[0]
		if !alike(v, other) {
			return unknown(&Reason{Code: ReasonLanguage, Text: "its result depends on the language of the program, which may be one of several", From: a.at})
		}
	}
	return v
}

// alike reports whether two results are the same.
func alike(a, b Value) bool {
	if a.kind != ArrayKind || b.kind != ArrayKind {
		return a.kind == b.kind && a.num == b.num && a.str == b.str
	}
	x, y := a.Array(), b.Array()
	if x.rows != y.rows || x.cols != y.cols {
		return false
	}
	for i := range x.Len() {
		if !alike(x.Index(i), y.Index(i)) {
			return false
		}
	}
	return true
}
