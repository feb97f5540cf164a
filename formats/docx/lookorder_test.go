package docx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// A row that looks like one whose paragraph properties stand out of order is
// written in the schema's order (17.3.1.26).
func TestLooksAreWrittenInOrder(t *testing.T) {
	in := withBody(t, `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="100"/></w:tblGrid><w:tr><w:tc><w:tcPr/><w:p><w:pPr><w:jc w:val="center"/><w:rPr><w:b/></w:rPr><w:pStyle w:val="X"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>`)
	out, _, err := apply(t, in, `{"op":"add_table_row","at":"t0","cells":["x"]}`)
	require.NoError(t, err)
	require.Contains(t, string(formatstest.Parts(t, out)["word/document.xml"]), `<w:pPr><w:pStyle w:val="X"/><w:jc w:val="center"/></w:pPr><w:r>`)
}
