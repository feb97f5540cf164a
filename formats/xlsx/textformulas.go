package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// formula replaces in the scanner's formula where that was asked for, and else
// notes that it holds what is searched.
func (t *textEdit) formula(ctx context.Context, s *sheetml.RowScanner, sheet int, at cellref.Cell, shared map[int]book.SharedFormula) error {
	if c := &s.Cell; c.Formula.OK() && c.FormulaTag.End-c.FormulaTag.Start == len("<f>") && t.r.misses(s.Text(c.Formula)) {
		return nil
	}
	fc, err := t.wb.FormulaOf(s, shared, true)
	kind := sheetml.ReadFormulaAttrs(s.Text(s.Cell.FormulaTag)).Kind
	switch {
	case err != nil && t.formulas:
		return err
	case err != nil:
		t.unread++
		return nil
	case !t.formulas:
		hit, err := t.stays(ctx, fc.Text)
		if hit {
			t.left.add(t.wb.Sheets[sheet].Name, at)
		}
		return err
	case kind != "" && kind != "shared":
		hit, err := t.r.found(ctx, fc.Text)
		if hit {
			t.warn("the array formula in %s was left as it is", cellref.Name(at.Row, at.Col))
		}
		return err
	}
	now, hits, err := t.r.plain(ctx, fc.Text)
	if hits == 0 || err != nil {
		return err
	}
	if err := checkFormula(now); err != nil {
		return inCell(err, at)
	}
	t.plan.sheets[sheet].set(at, value{kind: valFormula, s: formula.Stored(now)})
	t.count(hits)
	return nil
}

// stays reports whether a formula holds what is searched, beside the names of
// columns in tables that follow their headers.
func (t *textEdit) stays(ctx context.Context, f string) (bool, error) {
	hit, err := t.r.found(ctx, f)
	if !hit || err != nil || !strings.Contains(f, "[") {
		return hit, err
	}
	at, _, err := t.r.matches(ctx, f)
	if err != nil {
		return false, err
	}
	var follow [][2]int
	for tok := range formula.Tokens(f) {
		if tok.Kind != formula.Structured {
			continue
		}
		name, columns, _ := strings.Cut(f[tok.Start:tok.End], "[")
		if t.searched[strings.ToLower(name)] {
			follow = append(follow, [2]int{tok.End - len(columns), tok.End})
		}
	}
	return slices.ContainsFunc(at, func(m [2]int) bool {
		return !slices.ContainsFunc(follow, func(c [2]int) bool { return c[0] <= m[0] && m[1] <= c[1] })
	}), nil
}
