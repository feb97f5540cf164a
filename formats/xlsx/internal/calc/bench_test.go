package calc

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
)

// An edit of a cell with 100,000 dependants, against 100,000 values without.
func BenchmarkDependants(b *testing.B) {
	const n = 100_000
	book := NewBook("S1")
	book.SetValue(At(0, 1, 1), Num(1))
	for row := 2; row <= n; row++ {
		book.SetFormula(At(0, row, 1), fmt.Sprintf("A%d+1", row-1))
	}
	for b.Loop() {
		if _, err := book.Recalculate(b.Context(), Request{Inputs: []Input{{At: At(0, 1, 1), Value: Num(2)}}}); err != nil {
			b.Fatal(err)
		}
	}
}

// Lookups and conditional sums over columns, a formula a row.
func BenchmarkLookups(b *testing.B) {
	const n = 20_000
	book := NewBook("S1")
	for row := 1; row <= n; row++ {
		book.SetValue(At(0, row, 1), Str(fmt.Sprintf("key %d", row)))
		book.SetValue(At(0, row, 2), Num(float64(row%100)))
		book.SetFormula(At(0, row, 3), fmt.Sprintf("VLOOKUP(\"key %d\",A:B,2,FALSE)", n-row+1))
		book.SetFormula(At(0, row, 4), fmt.Sprintf("SUMIFS(B:B,B:B,B%d)", row))
	}
	for b.Loop() {
		if _, err := book.Recalculate(b.Context(), Request{All: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// All formulas of the corpus' workbooks, from the file to the results.
func BenchmarkRealBooks(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "..", "shared", "corpus", "xlsx", "*.xls[xm]"))
	if corpus := os.Getenv("ATELIER_CORPUS"); corpus != "" {
		paths, err = filepath.Glob(filepath.Join(corpus, "xlsx", "*.xls[xm]"))
	}
	if err != nil || len(paths) == 0 {
		b.Skip("there is no corpus of workbooks: set ATELIER_CORPUS")
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			wb, err := book.Open(b.Context(), formats.FromBytes(filepath.Base(path), data))
			if err != nil {
				continue // locked, or no workbook
			}
			if _, err := Recalculate(b.Context(), wb, Request{Options: timed, All: true}); err != nil {
				b.Fatal(path, err)
			}
		}
	}
}
