package docx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Tables that leave their page are told with their address, by the margins of their own
// section; tables that programs fit to the page are not.
func TestWideTables(t *testing.T) {
	table := func(props, grid string) string {
		return `<w:tbl><w:tblPr>` + props + `</w:tblPr><w:tblGrid>` + grid + `</w:tblGrid><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>`
	}
	wide := `<w:gridCol w:w="9000"/><w:gridCol w:w="3000"/>`
	landscape := `<w:p><w:pPr><w:sectPr><w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/><w:pgMar w:left="1440" w:right="1440"/></w:sectPr></w:pPr></w:p>`
	portrait := `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:left="1440" w:right="1440"/></w:sectPr>`
	body := table(`<w:tblW w:w="12000" w:type="dxa"/>`, wide) + landscape + // fits on its page
		table(`<w:tblW w:w="12000" w:type="dxa"/>`, wide) +
		table(`<w:tblW w:w="0" w:type="auto"/>`, wide) +
		table(`<w:tblW w:w="5000" w:type="pct"/>`, wide) +
		table(`<w:tblInd w:w="2000" w:type="dxa"/><w:tblLayout w:type="fixed"/>`, `<w:gridCol w:w="8000"/>`) + portrait
	facts, omitted, err := WideTables(t.Context(), withBody(t, body))
	require.NoError(t, err)
	require.Zero(t, omitted)
	require.Equal(t, []string{
		"t1 is 8.333 inches wide, and the text of its page 6.268: what is beyond the margin may be cut off",
		"t4 is 6.944 inches wide, and the text of its page 6.268: what is beyond the margin may be cut off",
	}, facts)
	_, _, err = WideTables(t.Context(), formats.FromBytes("a.docx", []byte("no")))
	require.NotEmpty(t, formats.CodeOf(err))
}
