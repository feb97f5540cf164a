package book_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func lookUp(t testing.TB, wb *book.Workbook, maxChars int, keys ...int) map[int]string {
	t.Helper()
	need := map[int]string{}
	for _, k := range keys {
		need[k] = ""
	}
	require.NoError(t, wb.LookUp(context.Background(), need, maxChars))
	return need
}

func TestLookUp(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, map[string]string{stringsPart: xlsxtest.SharedStrings("<t>zero</t>", "", "<r><t>ri</t></r><r><t>ch</t></r>", "<t>größer</t>")}, "<sheetData/>"))
	require.Equal(t, map[int]string{0: "zero", 2: "rich", 3: "größer", 1: ""}, lookUp(t, wb, 0, 3, 0, 2, 1))
	require.Equal(t, map[int]string{3: "größer"}, lookUp(t, wb, 6, 3))
	require.Equal(t, map[int]string{-1: "", 3: "größ…", 9: ""}, lookUp(t, wb, 4, -1, 3, 9), "cut; keys that no item has stay empty")
	require.Equal(t, map[int]string{0: ""}, lookUp(t, open(t, xlsxtest.Raw(t, nil, "<sheetData/>")), 0, 0), "a workbook without a table")
	damaged := open(t, xlsxtest.Raw(t, map[string]string{stringsPart: `<sst><si><t>a</t></si><si><t>b`}, "<sheetData/>"))
	require.Equal(t, map[int]string{0: "a"}, lookUp(t, damaged, 0, 0), "it is not read further than it must be")
	require.Error(t, damaged.LookUp(context.Background(), map[int]string{1: ""}, 0))
}

// A table that is indexed while it is read gives the same texts from each place;
// texts over 16 MB together are left out, and their keys with them.
func TestLookUpInALargeTable(t *testing.T) {
	const items = 150
	text := func(i int) string { return fmt.Sprintf("%d:%s.", i, xlsxtest.LongText(i, 128_000)) }
	var list []string
	for i := range items {
		list = append(list, "<t>"+text(i)+"</t>")
	}
	wb := open(t, xlsxtest.Raw(t, map[string]string{stringsPart: xlsxtest.SharedStrings(list...)}, "<sheetData/>"))
	book.PartIndex.Clear()
	t.Cleanup(book.PartIndex.Clear)
	for range 2 {
		for _, keys := range [][]int{{0, 149}, {100}, {149, 148, 3}, {60, 61, 120}} {
			got := lookUp(t, wb, 0, keys...)
			for _, k := range keys {
				require.Equal(t, text(k), got[k], k)
			}
		}
	}
	_, ok := book.PartIndex.Get(wb.Package.Source().Hash() + " " + stringsPart)
	require.True(t, ok, "the table has an index")
	all := make([]int, items)
	for i := range all {
		all[i] = i
	}
	got := lookUp(t, wb, 0, all...)
	require.Contains(t, got, 130)
	require.NotContains(t, got, 132)
	require.Len(t, lookUp(t, wb, 10, all...), items)
}
