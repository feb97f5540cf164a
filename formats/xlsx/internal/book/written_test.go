package book_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func TestAllowance(t *testing.T) {
	m := func(n int) book.SharedFormula {
		return book.SharedFormula{Text: strings.Repeat("1", n), Row: 2, Col: 3}
	}
	a := book.NewAllowance(300)
	for range 100 {
		_, err := a.Written(m(128), 5, 3)
		require.NoError(t, err, "short ones count nothing")
	}
	_, err := a.Written(m(129), 5, 3)
	require.NoError(t, err)
	_, err = a.Written(m(171), 5, 3)
	require.NoError(t, err)
	_, err = a.Written(m(129), 5, 3)
	require.ErrorContains(t, err, "the formulas that share the one of C2")

	var none *book.Allowance
	got, err := none.Written(book.SharedFormula{Text: "A1+$A$1", Row: 1, Col: 2}, 3, 4)
	require.NoError(t, err)
	require.Equal(t, "C3+$A$1", got)
}

// Members of a long shared formula have a hash in common in place of their texts;
// the same one for the same formula in another file, another one for another.
func TestLongMember(t *testing.T) {
	hashes := func(f string) map[string]book.MemberHash {
		wb := open(t, xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="shared" ref="A1:A3" si="0">`+f+`</f></c><c r="B1"><f>`+f+`</f></c></row><row r="2"><c r="A2"><f t="shared" si="0"/></c></row><row r="3"><c r="A3"><f t="shared" si="0"/></c><c r="B3"><f t="shared" si="7"/></c></row></sheetData>`))
		out, d := map[string]book.MemberHash{}, display(t, wb)
		for s, err := range wb.Rows(context.Background(), xlsxtest.Sheet1, book.Window{Display: d}) {
			require.NoError(t, err)
			if s.Event != sheetml.WholeCell {
				continue
			}
			if h, ok := d.LongMember(s); ok {
				out[cellref.Name(s.Cell.Row, s.Cell.Col)] = h
			}
		}
		return out
	}
	long := strings.Repeat("C1+", 60)
	got := hashes(long + "1")
	require.Len(t, got, 2, "not the master, not a formula for itself, not a member without a master")
	require.Equal(t, got["A2"], got["A3"])
	require.NotZero(t, got["A2"].Form)
	require.Equal(t, got, hashes(long+"1"))
	other := hashes(strings.Repeat("C2+", 60) + "1")
	require.NotEqual(t, got["A2"].Form, other["A2"].Form)
	require.Equal(t, got["A2"].Shape, other["A2"].Shape, "they differ in cells only")
	require.NotEqual(t, got["A2"].Shape, hashes(long + "2.5")["A2"].Shape)
	require.Empty(t, hashes("C1+1"), "a short one is compared as it is")
}
