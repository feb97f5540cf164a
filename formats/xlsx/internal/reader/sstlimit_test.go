package reader

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// Of a string table of over 4 MiB only the texts that are shown are looked up;
// what a read shows is the same.
func TestReadsWithALargeStringTable(t *testing.T) {
	sheet := func() string {
		var sb strings.Builder
		for r := 1; r <= 300; r++ {
			fmt.Fprintf(&sb, `<row r="%d"><c r="A%d" t="s"><v>%d</v></c><c r="B%d"><v>%d</v></c></row>`, r, r, 300-r, r, r)
		}
		return `<sheetData>` + sb.String() + `</sheetData>`
	}()
	items := make([]string, 300)
	for i := range items {
		items[i] = fmt.Sprintf("<t>text %d</t>", i)
	}
	small := xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": xlsxtest.SharedStrings(items...)}, sheet)
	large := xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": xlsxtest.SharedStrings(append(items, "<t>"+xlsxtest.LongText(1, 4<<20)+"</t>")...)}, sheet)
	for _, sel := range []formats.Selector{{}, {Range: "A5:B9,A300"}, {Range: "A250:B299"}} {
		require.Equal(t, readBook(t, small, sel), readBook(t, large, sel), sel.Range)
		sel.Limit = formats.TextLimit{Whole: 2000, Part: 1000}
		require.Equal(t, fitting1(t, small, sel), fitting1(t, large, sel), sel.Range)
	}
}
