package book_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/xlsxtest"
)

const stringsPart = "xl/sharedStrings.xml"

func TestSharedStrings(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, map[string]string{stringsPart: `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="9" uniqueCount="4"><!-- <si/> --><si><t>a &lt; b</t></si><si/><si><r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r><rPh sb="0" eb="1"><t>no</t></rPh><phoneticPr fontId="1"/></si><si><t xml:space="preserve"> c_x000A_ </t></si></sst>`}, "<sheetData/>"))
	ss, err := wb.Strings(context.Background())
	require.NoError(t, err)
	require.Equal(t, stringsPart, ss.Part)
	require.Len(t, ss.Items, 4)
	for i, want := range map[int]string{0: "a < b", 1: "", 2: "rich", 3: " c\n ", 4: "", -1: ""} {
		require.Equal(t, want, ss.Text(i), i)
		require.Equal(t, want, ss.Held(i), i)
	}
	require.Equal(t, `<t>a &lt; b</t>`, string(ss.Raw(0)))
	for _, i := range []int{1, 4, -1} {
		require.Empty(t, ss.Raw(i), i)
	}

	none, err := open(t, xlsxtest.Raw(t, nil, "<sheetData/>")).Strings(context.Background())
	require.NoError(t, err)
	require.Equal(t, &book.SharedStrings{}, none)
	require.Empty(t, none.Text(0))
}

// Of a table that is not held as a whole only what was looked up is known; a text
// that is missing is told.
func TestTextsThatWereLookedUp(t *testing.T) {
	ss := &book.SharedStrings{Wanted: map[int]string{3: "three", 4: ""}}
	require.Equal(t, []string{"three", "", "three"}, []string{ss.Text(3), ss.Text(4), ss.Held(3)})
	require.False(t, ss.Missing)
	require.Empty(t, ss.Text(5))
	require.True(t, ss.Missing)
	require.Equal(t, "three", ss.Text(3))
	require.True(t, ss.Missing, "once missing, always missing")
}

// A long text is decoded once for all cells that show it.
func TestHeldTextsAreShared(t *testing.T) {
	long := strings.Repeat("long ", 50)
	wb := open(t, xlsxtest.Raw(t, map[string]string{stringsPart: xlsxtest.SharedStrings("<t>" + long + "</t>")}, "<sheetData/>"))
	ss, err := wb.Strings(context.Background())
	require.NoError(t, err)
	require.Equal(t, long, ss.Held(0))
	require.Zero(t, testing.AllocsPerRun(10, func() { ss.Held(0) }))
}

func TestDamagedStringTable(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, map[string]string{stringsPart: `<sst><si><t>a</t></si><si><t>b`}, "<sheetData/>"))
	_, err := wb.Strings(context.Background())
	require.ErrorContains(t, err, stringsPart+": ")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	_, err = wb.Display(context.Background())
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}
