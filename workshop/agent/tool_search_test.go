package agent

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// B9-05: a model finds a cell by its text and takes its address to read and change it; of the
// files that were looked through only those with shown hits are sources.
func TestModelFindsAndEdits(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "pears\n", "b.txt": "plums\n"})
	person := &tools.Env{View: r.wb.LiveView(workshop.Cause{Author: "user"}), Formats: r.cfg.Formats}
	res := catalogue.Workshop().Call(t.Context(), person, "xlsx_operations", json.RawMessage(`{"path":"stock.xlsx","create_new":true,"operations":[
		{"op":"ensure_sheet","sheet":"Net stock"},{"op":"set_cells","sheet":"Net stock","cells":[{"cell":"B7","value":"pears, ripe"},{"cell":"C7","value":12}]}]}`))
	require.True(t, res.Success, res.Text)
	m := play(calls("search_files", `{"query":"pears"}`), calls("read_file", `{"path":"stock.xlsx","range":"'Net stock'!B7"}`),
		calls("xlsx_operations", `{"path":"stock.xlsx","operations":[{"op":"set_cells","sheet":"Net stock","cells":[{"cell":"B7","value":"apples"}]}]}`),
		calls("search_files", `{"query":"apples"}`), says("Done."))
	_, err := r.run(m, "Make the pears apples.")
	require.NoError(t, err)
	got := r.results()
	require.Equal(t, "2 hits in 2 of 3 files\na.txt\n  line 1: pears\nstock.xlsx\n  'Net stock'!B7: pears, ripe", got[0])
	require.Contains(t, got[1], "B7: pears, ripe")
	require.NotContains(t, got[2], "Error")
	require.Equal(t, "1 hit in 1 of 3 files\nstock.xlsx\n  'Net stock'!B7: apples", got[3])
	for _, rec := range r.records() {
		if rec.ToolName == "search_files" {
			require.NotContains(t, fmt.Sprint(rec.Metadata["sources"]), "b.txt")
			require.Contains(t, fmt.Sprint(rec.Metadata["sources"]), "stock.xlsx")
		}
	}
}
