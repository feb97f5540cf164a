package chart

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every kind is well-formed, names its element, and carries its data escaped.
func TestXML(t *testing.T) {
	labels := &Data{Formula: "S!$A$2:$A$3", Count: 2, Points: []Point{{0, "a & <b>"}}}
	for kind, element := range map[string]string{"column": "barChart", "bar": "barChart", "line": "lineChart", "pie": "pieChart", "scatter": "scatterChart", "area": "areaChart", "doughnut": "doughnutChart"} {
		require.Contains(t, Kinds, kind)
		for _, slide := range []bool{false, true} {
			doc := XML(Spec{Kind: kind, Title: "T & t", XTitle: "x", YTitle: "y", Slide: slide, Workbook: "rId1",
				Series: []Series{{Name: "<n>", Categories: labels, Values: Data{Formula: "S!$B$2:$B$3", Numeric: true, Count: 2, Points: []Point{{1, "4.5"}}}}}})
			dec := xml.NewDecoder(strings.NewReader(doc))
			for {
				if _, err := dec.Token(); err != nil {
					require.Equal(t, io.EOF, err)
					break
				}
			}
			require.Contains(t, doc, "<c:"+element+">")
			require.Contains(t, doc, `<c:pt idx="0"><c:v>a &amp; &lt;b&gt;</c:v></c:pt>`)
			require.Contains(t, doc, `<c:formatCode>General</c:formatCode><c:ptCount val="2"/><c:pt idx="1"><c:v>4.5</c:v></c:pt>`)
			require.Contains(t, doc, `<c:externalData r:id="rId1">`)
		}
	}
	require.NotContains(t, XML(Spec{Kind: "pie", Strict: true}), "schemas.openxmlformats.org")
}
