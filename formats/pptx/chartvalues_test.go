package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A read of a slide gives the values of its charts as they are stored, in their format.
func TestReadsGiveValuesOfCharts(t *testing.T) {
	list := func(format string, values ...string) string {
		var sb strings.Builder
		fmt.Fprintf(&sb, `<c:numLit><c:formatCode>%s</c:formatCode><c:ptCount val="%d"/>`, format, len(values))
		for i, v := range values {
			if v != "" {
				fmt.Fprintf(&sb, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, v)
			}
		}
		return sb.String() + `</c:numLit>`
	}
	ser := func(name, more string) string {
		return `<c:ser><c:tx><c:v>` + name + `</c:v></c:tx>` + more + `</c:ser>`
	}
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for _, tc := range []struct{ plot, want string }{
		{`<c:barChart><c:barDir val="col"/>` + ser("Nord", `<c:val>`+list("0%", "0.5", "", "0.25")+`</c:val>`) + ser("Süd", `<c:val>`+list("General", "1", "2", "3")+`</c:val>`) + `</c:barChart>`,
			"\ncolumn chart; Nord: 50%, (empty), 25%\nSüd: 1, 2, 3"},
		{`<c:scatterChart>` + ser("P", `<c:xVal>`+list("0.0", "1", "2")+`</c:xVal><c:yVal>`+list("0", "7", "8")+`</c:yVal>`) + `</c:scatterChart>`, "\nscatter chart; P: x 1.0, 2.0; y 7, 8"},
		{`<c:lineChart>` + ser("L", `<c:val>`+list("0", many...)+`</c:val>`) + `</c:lineChart>`, "49, … 250 more"},
		{`<c:lineChart>` + strings.Repeat(ser("L", `<c:val>`+list("0.000000000000", many...)+`</c:val>`), 60) + `</c:lineChart>`, "\n… values of "},
	} {
		text := readSlide(t, chartDeck(t, inChart(`<c:plotArea>`+tc.plot+`</c:plotArea>`)), 0)
		require.Contains(t, text, tc.want)
		require.Less(t, len(text), 20_000)
	}
	require.NotContains(t, readSlide(t, chartDeck(t, inChart(`<c:plotArea><c:pieChart/></c:plotArea>`)), 0), "pie chart")
}
