package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/campaign"
)

// large is a workbook whose sheet and string table are indexed while read.
func large(t testing.TB, rows int) []byte {
	var sst, sb strings.Builder
	sb.WriteString("<sheetData>")
	for r := 1; r <= rows; r++ {
		f := "<f t=\"shared\" si=\"0\"/>"
		if r == 2 {
			f = fmt.Sprintf(`<f t="shared" si="0" ref="C2:C%d">B2*2</f>`, rows)
		} else if r == rows/2 {
			f = fmt.Sprintf(`<f t="shared" si="1" ref="C%d:C%d">B%d*3</f>`, r, rows, r)
		} else if r > rows/2 {
			f = "<f t=\"shared\" si=\"1\"/>"
		}
		fmt.Fprintf(&sb, `<row r="%d" spans="1:3"><c r="A%d" t="s"><v>%d</v></c><c r="B%d" s="0"><v>%d.25</v></c><c r="C%d" s="0">%s</c></row>`, r, r, (r*7919)%rows, r, r*r%100_000, r, f)
		fmt.Fprintf(&sst, `<si><t xml:space="preserve">string number %d of the table, unlike all others: %x</t></si>`, r-1, r*2654435761)
	}
	return raw(t, map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `">` + sst.String() + `</sst>`}, sb.String()+"</sheetData>")
}

// TestIndexedReadsAreTheSame: wherever a read begins, and whatever was read
// before, its text is that of a read from the start.
func TestIndexedReadsAreTheSame(t *testing.T) {
	campaign.Slow(t)
	n := 200_000
	if campaign.Small() || testing.Short() {
		n = 120_000
	}
	in := src(large(t, n))
	get := func(sel formats.Selector) (formats.Text, error) {
		return Format().Reader.Read(context.Background(), in, sel)
	}
	var sels []formats.Selector
	for _, r := range []int{1, 3, n / 3, n/2 - 1, n/2 + 1, n - 1000, n} {
		sels = append(sels, formats.Selector{Range: fmt.Sprintf("A%d:C%d", r, r+7)})
	}
	sels = append(sels, formats.Selector{}, formats.Selector{Range: fmt.Sprintf("A%d:A%d,C5", n+1, n+9)})
	var want []formats.Text
	for _, sel := range sels {
		book.PartIndex.Clear()
		text, err := get(sel)
		require.NoError(t, err)
		want = append(want, text)
	}
	require.Contains(t, want[4].Text, fmt.Sprintf("C%d: =B%d*3", n/2+1, n/2+1))
	require.Contains(t, want[2].Text, fmt.Sprintf("A%d: string number %d of", n/3, (n/3*7919)%n))
	for _, order := range [][]int{{6, 5, 4, 3, 2, 1, 0, 7, 8}, {2, 4, 6, 8, 1, 3, 5, 7, 0}} {
		book.PartIndex.Clear()
		for _, i := range order {
			text, err := get(sels[i])
			require.NoError(t, err)
			require.Equal(t, want[i], text, sels[i].Range)
		}
	}
	ix, ok := book.PartIndex.Get(in.Hash() + " " + sheet1)
	require.True(t, ok)
	require.Greater(t, len(ix.Marks), 2)
	ix, ok = book.PartIndex.Get(in.Hash() + " xl/sharedStrings.xml")
	require.True(t, ok, "the string table has an index too")
	require.NotEmpty(t, ix.Marks)
}

// TestIndexOfRowsOutOfOrder: such a sheet is read from the start each time.
func TestIndexOfRowsOutOfOrder(t *testing.T) {
	var sb strings.Builder
	for i := range 150_000 {
		r := 150_000 - i
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="str"><v>text that fills the part %x</v></c></row>`, r, r, r, r, r*2654435761)
	}
	in := src(raw(t, nil, "<sheetData>"+sb.String()+"</sheetData>"))
	for range 2 {
		text, err := Format().Reader.Read(context.Background(), in, formats.Selector{Range: "A150000"})
		require.NoError(t, err)
		require.Equal(t, "Sheet: S1\nA150000: 150000", text.Text)
	}
}

// TestMarkedPartsAreChecked: a damaged part is told by its sum, as elsewhere.
func TestMarkedPartsAreChecked(t *testing.T) {
	b := large(t, 120_000)
	i := bytes.Index(b, []byte("xl/worksheets/sheet1.xml")) + 500_000
	b[i] ^= 0x55
	_, err := Format().Mapper.Map(context.Background(), src(b), formats.MapOptions{})
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%v", err)
}
