package revert

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/campaign"
)

// Without the rows that both sides have, the same places are found, byte for byte.
func TestAlignLargeIsAlign(t *testing.T) {
	r := rand.New(rand.NewPCG(campaign.Seed(), 18))
	found := 0
	for range 400 {
		prefix := []string{"", "x:"}[r.IntN(2)]
		row := func(n, v int) string {
			return fmt.Sprintf(`<%[1]srow r="%[2]d"><%[1]sc r="A%[2]d"><%[1]sv>%[3]d</%[1]sv></%[1]sc><%[1]sc r="B%[2]d"><%[1]sv>7</%[1]sv></%[1]sc></%[1]srow>`, prefix, n, v)
		}
		sheet := func(rows []string, width int) string {
			ns := "xmlns"
			if prefix != "" {
				ns = "xmlns:x"
			}
			return fmt.Sprintf(`<%[1]sworksheet %[2]s="urn:s"><%[1]scols><%[1]scol min="1" width="%[3]d"/></%[1]scols><%[1]ssheetData>%[4]s</%[1]ssheetData><%[1]sautoFilter ref="A%[3]d"/></%[1]sworksheet>`, prefix, ns, width, strings.Join(rows, []string{"", "\n"}[r.IntN(2)]))
		}
		var a, b []string
		for n := 1; n <= 40; n++ {
			if was := row(n, n); r.IntN(12) > 0 {
				a = append(a, was)
			}
			switch r.IntN(14) {
			case 0:
			case 1:
				b = append(b, row(n, n+1000))
			default:
				b = append(b, row(n, n))
			}
		}
		before, after := sheet(a, 9), sheet(b, 9+r.IntN(2))
		want, err := alignXML(context.Background(), []byte(before), []byte(after))
		require.NoError(t, err)
		got, err := alignPart(context.Background(), []byte(before), []byte(after), max(len(before), len(after))-1)
		require.NoError(t, err)
		if got == nil {
			continue // too little is the same
		}
		found++
		require.Equal(t, want, got, "%s\n%s", before, after)
		var all []xmlscan.Splice
		for _, u := range got {
			all = append(all, u.splices...)
		}
		if !strings.Contains(before, "\n") && !strings.Contains(after, "\n") {
			require.Equal(t, before, string(xmlscan.Apply([]byte(after), all)))
		}
	}
	require.Greater(t, found, 300)
}

// Where more than rows differ, rows are not in order, or a part is not a worksheet, a
// large part goes back whole.
func TestAlignLargeRefuses(t *testing.T) {
	rows := strings.Repeat(" ", 40)
	sheet := func(data string) string { return `<worksheet>` + data + `</worksheet>` }
	same := `<row r="1"><c r="A1"><v>1234567890123456789012345678901234567890</v></c></row>`
	for name, c := range map[string][2]string{
		"no rows on one side": {sheet(`<sheetData>` + same + `</sheetData>`), sheet(`<sheetData/>` + rows)},
		"a text in the data":  {sheet(`<sheetData>` + same + `</sheetData>`), sheet(`<sheetData>` + same + `text</sheetData>`)},
		"not in order":        {sheet(`<sheetData>` + same + `<row r="3"/><row r="2"/></sheetData>`), sheet(`<sheetData>` + same + `</sheetData>`)},
		"no number":           {sheet(`<sheetData><row/>` + same + `</sheetData>`), sheet(`<sheetData>` + same + `</sheetData>`)},
		"not XML":             {sheet(`<sheetData>` + same), sheet(`<sheetData>` + same + `</sheetData>`)},
		"another part":        {`<styles>` + rows + rows + `</styles>`, `<styles a="1"/>` + rows},
	} {
		got, err := alignPart(context.Background(), []byte(c[0]), []byte(c[1]), 60)
		require.NoError(t, err, name)
		require.Nil(t, got, name)
	}
}
