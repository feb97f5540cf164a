package calc

import (
	"context"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
)

// What may be looked at to tell the language of a workbook.
const (
	maxEvidence = 200       // formulas whose values depend on the language
	maxJoined   = 5000      // formulas that join texts, of which few do
	maxWitness  = 5_000_000 // steps in one language
)

// language finds out from the values that a file has in which language the program was
// that calculated it: the languages in which all formulas that depend on it have these
// values, separated by "|". It returns "" where no value tells, or where none fits; other
// says that values are of another language than those known here.
func (b *Book) language(ctx context.Context) (found string, other bool) {
	plain := b.witness(ctx, "")
	in := make([]*Evaluator, len(candidates))
	for i, tag := range candidates {
		in[i] = b.witness(ctx, tag)
	}
	fits := make([]int, len(candidates)) // values that are those of the language; -1: it is none
	seen, joined, told := 0, 0, false
	for i, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if c.formula == 0 || c.state != stored || seen >= maxEvidence || ctx.Err() != nil {
				return seen < maxEvidence && ctx.Err() == nil
			}
			at, f := At(i, row, int(c.col)), b.formulas[c.formula-1]
			if !f.language && (!f.joins || c.kind != Text || joined > maxJoined) {
				return true
			}
			v, err := plain.calculateForm(at, f)
			if err != nil {
				return true
			}
			if v.kind != Unknown || v.Reason().Code != ReasonLanguage {
				if joined++; !f.joins || v.kind == Unknown || !b.differs(in[1], at, f, v) {
					return true
				}
			}
			seen++
			told = b.evidence(in, fits, at, f, c) || told
			return true
		})
	}
	if !told {
		return "", false
	}
	if fits[0] > 0 {
		return candidates[0], false
	}
	var all []string
	for i, tag := range candidates {
		if fits[i] > 0 {
			all = append(all, tag)
		}
	}
	return strings.Join(all, "|"), len(all) == 0
}

// witness returns an Evaluator that calculates formulas from values of the file only, and
// not for long.
func (b *Book) witness(ctx context.Context, language string) *Evaluator {
	e := NewEvaluator(ctx, b, Options{Language: language})
	e.onlyStored = true
	e.steps = maxSteps - maxWitness
	e.nextCheck = e.steps
	return e
}

// candidates are the languages that are tried, English first: others are not asked for
// where it fits.
var candidates = numfmt.Languages()

// differs reports whether a formula has another result in another language.
func (b *Book) differs(e *Evaluator, at Place, f *form, v Value) bool {
	w, err := e.calculateForm(at, f)
	return err == nil && w.kind == v.kind && !alike(v, w)
}

// evidence strikes out the languages in which a formula has another value than the file,
// and counts for the others. It reports whether the value tells anything.
func (b *Book) evidence(in []*Evaluator, fits []int, at Place, f *form, c *cell) bool {
	want, told, matched := b.load(c), false, false
	values := make([]Value, len(in))
	for i, e := range in {
		v, err := e.calculateForm(at, f)
		if err == nil && v.kind == ArrayKind {
			v = v.Array().At(0, 0)
		}
		values[i] = v
		told = told || err == nil && v.kind == want.kind
		matched = matched || alike(v, want)
	}
	if !told || f.joins && !f.language && !matched {
		return false
	}
	for i, v := range values {
		switch {
		case alike(v, want):
			if fits[i] >= 0 {
				fits[i]++
			}
		case v.kind != Unknown, matched && v.Reason().Code == ReasonForm:
			fits[i] = -1 // also a format code in the letters of another language
		}
	}
	return true
}
