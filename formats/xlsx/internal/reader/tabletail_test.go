package reader

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// The rows at the end of a block, with what they say of totals.
func TestTailOfABlock(t *testing.T) {
	wb := opened(t, xlsxtest.Raw(t, nil, xlsxtest.Grid("who|n|m", "Ana|1|2", "", "Sum|=SUM(B2:B3)→1|=SUM(B2:B3)|out", "|=subtotal(9,$B$2:B4)|=SUM(S1!B2)", "note")))
	rows, err := wb.tail(context.Background(), xlsxtest.Sheet1, cellref.Block(2, 1, 6, 3))
	require.NoError(t, err)
	require.Equal(t, []tailRow{
		{row: 2, label: "Ana", texts: 1, filled: 3},
		{row: 4, label: "Sum", texts: 1, filled: 3, calcs: 2, totals: []cellref.Range{cellref.Block(2, 2, 3, 2)}},
		{row: 5, filled: 2, calcs: 2, totals: []cellref.Range{cellref.Block(2, 2, 4, 2)}},
		{row: 6, label: "note", texts: 1, filled: 1},
	}, rows)
	require.True(t, rows[1].sums(2))
	require.True(t, rows[1].sums(1))
	require.False(t, rows[1].sums(0), "it begins below the first rows")
	require.False(t, rows[0].sums(2))
}

func TestRowsThatAreTotalsOrNotes(t *testing.T) {
	above := []tailRow{{row: 2, texts: 2, filled: 3}}
	for _, c := range []struct {
		r           tailRow
		total, note bool
	}{
		{tailRow{label: "Total", texts: 1, filled: 2}, true, false},
		{tailRow{label: "Total", texts: 2, filled: 3}, false, false},
		{tailRow{label: "Total", texts: 2, filled: 3, totals: make([]cellref.Range, 1)}, true, false},
		{tailRow{label: "Total Energies", texts: 2, filled: 3}, false, false},
		{tailRow{label: "Total Energies", texts: 1, filled: 3}, true, false}, // the other texts of a row are missing
		{tailRow{label: "Ana", texts: 1, filled: 2, totals: make([]cellref.Range, 1)}, false, false},
		{tailRow{label: "Source: office", texts: 1, filled: 1}, false, true},
		{tailRow{label: "* without tax", texts: 1, filled: 1}, false, true},
		{tailRow{label: "Source: office", texts: 1, filled: 2}, false, false},
		{tailRow{label: "Sourdough", texts: 1, filled: 1}, false, false},
		{tailRow{label: "These are more than fifty characters, which no name has", texts: 1, filled: 1}, false, true},
	} {
		require.Equal(t, c.total, c.r.total(above), "%+v", c.r)
		require.Equal(t, c.note, c.r.note(3), "%+v", c.r)
		require.False(t, c.r.note(2), "below a narrow table it may be a row")
	}
	require.False(t, tailRow{label: "Total Energies", texts: 1}.total(nil))
	sum := tailRow{label: "Sum", texts: 1, filled: 2}
	for _, c := range []struct {
		r    tailRow
		want bool
	}{{tailRow{texts: 1, filled: 2, calcs: 1}, true}, {tailRow{label: "Total", texts: 1, filled: 2}, true}, {tailRow{texts: 1, filled: 3, calcs: 1}, false}, {tailRow{texts: 2, filled: 2, calcs: 1}, false}, {tailRow{label: "x", texts: 1, filled: 1}, true}, {tailRow{label: "x", texts: 1, filled: 2}, false}} {
		require.Equal(t, c.want, c.r.follows(sum), "%+v", c.r)
	}
}

// What is named of several tables and of many things beside one.
func TestManyBlocksOfASheet(t *testing.T) {
	rows := make([]string, 40)
	for i := range 12 {
		rows[3*i] = fmt.Sprintf("a%d|b%d|c%d|d%d", i, i, i, i)
		rows[3*i+1] = "1|2|3|4"
	}
	_, err := PickTable(context.Background(), xlsxtest.Source(xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...))), "")
	require.EqualError(t, err, `the sheet "S1" has 12 tables: A1:D2 (a0, b0, c0, …), A4:D5 (a1, b1, c1, …), A7:D8 (a2, b2, c2, …), A10:D11 (a3, b3, c3, …), A13:D14 (a4, b4, c4, …), A16:D17 (a5, b5, c5, …), 6 more; give the range of one`)
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	rows = []string{"who|n"}
	for i := range 60 {
		rows = append(rows, fmt.Sprintf("name|%d", i))
	}
	for i := range 12 {
		rows[4*i+3] += fmt.Sprintf("|||apart %d", i)
	}
	p, err := PickTable(context.Background(), xlsxtest.Source(xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...))), "")
	require.NoError(t, err)
	require.Equal(t, "A1:B61", p.Range)
	require.Len(t, p.LeftOut, 9)
	require.Equal(t, []string{"E4 (apart 0)", "more"}, []string{p.LeftOut[0], p.LeftOut[8]})
}
