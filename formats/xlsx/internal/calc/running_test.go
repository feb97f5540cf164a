package calc

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// runningFormulas use a range with a fixed first row in many ways; %[1]d is the row, %[2]d
// another one.
var runningFormulas = []string{
	"SUM($A$1:A%[1]d)", "SUM($A$1:C%[1]d)", "AVERAGE(A$1:A%[1]d)", "MIN(A$3:A%[1]d)", "MAX($A$1:B%[1]d)",
	"COUNT($A$1:D%[1]d)", "COUNTA($D$1:D%[1]d)", "COUNTBLANK($C$1:D%[1]d)", "PRODUCT(A$1:A%[1]d)", "SUMSQ(A$1:A%[1]d)",
	"AVERAGEA($A$1:D%[1]d)", "MAXA($A$1:D%[1]d)", "MINA($D$1:D%[1]d)", "SUM(A$1:A%[1]d,B%[2]d,C$1:C%[1]d)", "SUM(3,A$1:A%[1]d)",
	"SUM((A$1:A%[1]d,C$1:C%[1]d))", "SUM(E$1:E%[1]d)", "COUNT(E$1:E%[1]d)", "COUNTA(E$1:E%[1]d)", "SUM(G$1:G%[1]d)",
	"COUNTIF($D$1:D%[1]d,D%[2]d)", "COUNTIF($D$1:D%[1]d,\"<>\"&D%[2]d)", "COUNTIF(A$1:A%[1]d,\">4\")", "COUNTIF($C$1:D%[1]d,\"\")",
	"COUNTIF($D$1:$Z%[1]d,\"<>b\")", "SUMIF($D$1:D%[1]d,D%[2]d,$A$1)", "SUMIF(A$1:A%[1]d,\">\"&3)", "AVERAGEIF(B$1:B%[1]d,B%[2]d,A$1:A%[1]d)",
	"SUMIFS(A$1:A%[1]d,D$1:D%[1]d,D%[2]d,C$1:C%[1]d,\"<5\")", "COUNTIFS(D$1:D%[1]d,\"<>q\",C$1:C%[1]d,C%[2]d)", "SUMIF(D$1:D%[1]d,D%[2]d,E$1)",
	"MAXIFS(A$1:A%[1]d,D$1:D%[1]d,D%[2]d)", "SUMIF(C$1:C%[1]d,\"1,5\")", "COUNTIF(D:D,D%[2]d)", "SUMIF(D:D,D%[2]d,A:A)",
	"SUBTOTAL(9,A$1:A%[1]d)", "SUBTOTAL(103,D$1:D%[1]d)", "SUBTOTAL(7,A$1:A%[1]d)", "SUBTOTAL(4,A$1:A%[1]d,C$1:C%[1]d)", "SUBTOTAL(2,E$1:E%[1]d)",
	"AVERAGE(J$1:J%[1]d)", "COUNTIF(F$1:F%[1]d,7)",
}

// runningBook has numbers, texts, errors, gaps and formulas that depend on each other.
func runningBook(seed uint64, rows int) *Book {
	r := rand.New(rand.NewPCG(seed, 9))
	b := NewBook("S1")
	texts := []string{"a", "B", "b", "", "1,5", "1.5", "7", "TRUE", "a*"}
	for row := 1; row <= rows; row++ {
		if r.IntN(9) > 0 {
			b.SetValue(At(0, row, 1), Num(float64(r.IntN(100))/7))
		}
		b.SetValue(At(0, row, 2), Num(float64(r.IntN(4))))
		if r.IntN(3) == 0 {
			b.SetValue(At(0, row, 3), []Value{Num(1.5), Boolean(true), Str("1.5")}[r.IntN(3)])
		}
		b.SetValue(At(0, row, 4), Str(texts[r.IntN(len(texts))]))
		if row == rows/2 || row == rows-3 {
			b.SetValue(At(0, row, 5), Fail(ErrNA))
		} else {
			b.SetValue(At(0, row, 5), Num(1))
		}
		b.SetFormula(At(0, row, 6), fmt.Sprintf("B%d+5", row))
		switch {
		case row == 1:
			b.SetFormula(At(0, row, 7), "A1")
		case row == rows-20:
			b.SetFormula(At(0, row, 7), "RAND()") // not known
		default:
			b.SetFormula(At(0, row, 7), fmt.Sprintf("SUM(G$1:G%d)/%d+A%d", row-1, row, row))
		}
		b.SetFormula(At(0, row, 10), fmt.Sprintf("J%d+A%d", min(row+1, rows+1), row))
		for k := range 6 {
			at := row
			if r.IntN(8) == 0 {
				at = 1 + r.IntN(rows)
			}
			b.SetFormula(At(0, row, 30+k), fmt.Sprintf(runningFormulas[(row/3+7*k)%len(runningFormulas)], at, 1+r.IntN(row)))
		}
	}
	for i := range b.sheets[0].grid.rows {
		b.sheets[0].grid.rows[i].hidden = r.IntN(20) == 0
	}
	return b
}

// Totals that continue from those of shorter ranges are the same to the last bit, in whatever
// order formulas are calculated and in any language.
func TestRunningTotalsEqualWhole(t *testing.T) {
	const rows = 900
	for seed := range uint64(4) {
		for i, language := range []string{"", "en-US", "de-DE", "en-US|de-DE"} {
			if campaign.Leaves(i+int(seed), 4) { // each seed and each language once
				continue
			}
			plain, kept := runningBook(seed, rows), runningBook(seed, rows)
			e, f := NewEvaluator(t.Context(), plain, Options{Language: language}), NewEvaluator(t.Context(), kept, Options{Language: language})
			e.watch = func(Place) {} // keeps nothing
			known, order := 0, rand.New(rand.NewPCG(seed, 1)).Perm(rows)
			for i := range rows {
				for col := 30; col < 36; col++ {
					row := 1 + i
					switch seed {
					case 1:
						row = rows - i
					case 2:
						row = 1 + order[i]
					}
					want, err := e.Value(At(0, row, col))
					require.NoError(t, err)
					got, err := f.Value(At(0, row, col))
					require.NoError(t, err)
					require.Equal(t, want.kind, got.kind, "%q: row %d column %d", language, row, col)
					if want.kind == Unknown {
						require.Equal(t, want.Reason(), got.Reason())
						continue
					}
					known++
					require.Equal(t, want, got, "%q: row %d column %d", language, row, col)
				}
			}
			require.Greater(t, known, 4*rows)
			require.Less(t, f.steps, e.steps)
		}
	}
}

// The work for a column of running totals grows with its rows.
func TestRunningTotalsAreLinear(t *testing.T) {
	steps := func(formula string, rows int, backwards bool) int {
		b := NewBook("S1")
		for row := 1; row <= rows; row++ {
			b.SetValue(At(0, row, 1), Num(float64(row%7)))
			b.SetFormula(At(0, row, 2), fmt.Sprintf(formula, row))
		}
		e := NewEvaluator(t.Context(), b, Options{})
		for row := 1; row <= rows; row++ {
			at := row
			if backwards {
				at = rows + 1 - row
			}
			v, err := e.Value(At(0, at, 2))
			require.NoError(t, err)
			require.Equal(t, Number, v.kind)
		}
		return e.steps
	}
	for _, formula := range []string{"SUM(A$1:A%d)", "COUNT(A$1:A%d)", "AVERAGE($A$1:$A%d)", "MAX(A$1:A%d)", "MIN(A$1:A%d)", "SUBTOTAL(9,A$1:A%d)",
		"COUNTIF(A$1:A%[1]d,A%[1]d)", "SUMIF(A$1:A%[1]d,\">3\")", "SUMIF(A$1:A%[1]d,A%[1]d,A$1)", "COUNTIF(A$1:A%d,\"<>3\")"} {
		small, large := steps(formula, 2_000, false), steps(formula, 8_000, false)
		require.Less(t, large, 5*small, formula)
	}
	// From the last formula to the first one too, for what has no condition.
	require.Less(t, steps("SUM(A$1:A%d)", 8_000, true), 8_000*1_000)
}

// A column of 200,000 running totals.
func BenchmarkRunning(b *testing.B) {
	for _, formula := range []string{"A%[1]d*2+SUM($A$1:A%[1]d)", "COUNTIF($A$1:A%[1]d,A%[1]d)", "SUMIF($A$1:A%[1]d,\">3\")"} {
		b.Run(formula, func(b *testing.B) {
			const n = 200_000
			book := NewBook("S1")
			for row := 1; row <= n; row++ {
				book.SetValue(At(0, row, 1), Num(float64(row%5)))
				book.SetFormula(At(0, row, 2), fmt.Sprintf(formula, row))
			}
			for b.Loop() {
				if _, err := book.Recalculate(b.Context(), Request{Inputs: []Input{{At: At(0, 1, 1), Value: Num(2)}}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
