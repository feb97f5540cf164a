package xlsx

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Each operation reads every member of its argument struct.
func TestOperationsReadTheirMembers(t *testing.T) {
	formatstest.CheckMembers(t, operations.Names(), operations.Takes, formatstest.MembersRead(t))
}

// What an operation does not take is named, within its objects too.
func TestIgnoredMembers(t *testing.T) {
	var raw []json.RawMessage
	for _, op := range []string{
		`{"op":"set_cells","sheet":"A","cells":[{"cell":"A1","value":1,"bold":true},{"cell":"A2","value":2,"bold":true,"note":"x"}],"range":"A1"}`,
		`{"op":"set_cells","sheet":"A","style":{"font_bold":true},"cells":[{"cell":"B1","value":1},{"cell":"B2","value":"x","style":{"font_italic":true}}]}`,
		`{"op":"set_row_heights","sheet":"A","rows":[{"row":1,"height":20,"hidden":true}]}`,
		`{"op":"set_range","sheet":"A","start":"C1","values":[["=x"]],"literal":true,"bold":true}`,
		`{"op":"rename_sheet","sheet":"A","new_name":"B","name":null,"to":"C"}`,
		`{"op":"replace_text","find":"x","replace":"y","whole_word":true}`,
		`{"op":"hide_rows","sheet":"B","row":9,"column":"C"}`,
	} {
		raw = append(raw, json.RawMessage(op))
	}
	rep, err := editor{}.Apply(t.Context(), nil, io.Discard, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	var notes []string
	for _, op := range rep.Ops {
		notes = append(notes, formats.IgnoredNote(op.Ignored))
	}
	require.Equal(t, []string{
		"ignored bold in cells; it is set in cells.style.font_bold; ignored note in cells; ignored range",
		"", "ignored hidden in rows", "ignored bold; it is set in style.font_bold", "ignored to", "ignored whole_word", "ignored column; it is set in where",
	}, notes)
}

// A style beside the cells is that of all that give none, under that of those
// that do.
func TestSetCellsStyle(t *testing.T) {
	op := setCellsArgs{Style: styleMap{"font_bold": true, "indent": 1}, Cells: []CellValue{{}, {Style: styleMap{"indent": 2}}}}
	require.Equal(t, styleMap{"font_bold": true, "indent": 1}, op.styleOf(0))
	require.Equal(t, styleMap{"font_bold": true, "indent": 2}, op.styleOf(1))
	require.Equal(t, styleMap{"font_bold": true, "indent": 1}, op.Style, "as it was given")
}
