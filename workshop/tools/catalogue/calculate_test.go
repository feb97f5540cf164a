package catalogue_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// calculate reads the draft, writes nothing, and names the argument that is wrong.
func TestCalculate(t *testing.T) {
	r := newRig(t)
	r.ok("xlsx_operations", `{"path":"plan.xlsx","create_new":true,"operations":[{"op":"set_range","sheet":"S","start":"A1","values":[["Price",100],["Amount",3],["Sum","=B1*B2"]]}]}`)
	before := r.bytes("plan.xlsx")
	var out struct {
		Calc  string
		Cells []map[string]any
		Goal  map[string]any
	}
	ask := func(args string) {
		require.NoError(t, json.Unmarshal([]byte(r.ok("calculate", args)), &out))
	}
	ask(`{"path":"plan.xlsx","set":{"S!B2":5},"read":["S!B3"]}`)
	require.Equal(t, "atelier", out.Calc)
	require.Equal(t, []map[string]any{{"cell": "S!B3", "now": 300.0, "would_be": 500.0}}, out.Cells)
	ask(`{"path":"plan.xlsx","goal":{"cell":"S!B3","value":"1250","by_changing":"S!B2"}}`)
	require.Equal(t, 12.5, out.Goal["found"])
	ask(`{"path":"plan.xlsx","scenarios":[{"name":"few","set":{"B2":1}},{"name":"many","set":{"B2":"=B1"}}],"read":["B3"]}`)
	require.Equal(t, map[string]any{"few": 100.0, "many": 10000.0}, out.Cells[0]["would_be"])
	require.Equal(t, before, r.bytes("plan.xlsx"))

	res := r.call("calculate", `{"path":"plan.xlsx","set":{"T!B2":5}}`)
	require.False(t, res.Success)
	require.Contains(t, res.Text, "unknown sheet: T")
	r.ok("write_text_file", `{"path":"a.txt","content":"x"}`)
	require.Contains(t, r.call("calculate", `{"path":"a.txt","set":{"A1":1}}`).Text, "calculate takes xlsx files")
}

// An answer has no more cells than fit.
func TestCalculateFits(t *testing.T) {
	r := newRig(t)
	var rows []string
	for range 500 {
		rows = append(rows, `["=$Z$1&REPT(\"x\",1000)"]`)
	}
	r.ok("xlsx_operations", `{"path":"long.xlsx","create_new":true,"operations":[{"op":"set_range","sheet":"S","start":"A1","values":[`+strings.Join(rows, ",")+`]}]}`)
	r.env.ResultMax = 20_000
	var out struct {
		Changed int `json:"formulas_changed"`
		Omitted int `json:"cells_omitted"`
		Cells   []any
	}
	text := r.ok("calculate", `{"path":"long.xlsx","set":{"S!Z1":"a"}}`)
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	require.LessOrEqual(t, len(text), 20_000)
	require.Equal(t, 500, out.Changed)
	require.Equal(t, 500, out.Omitted+len(out.Cells))
}

// A workbook whose formulas Atelier calculated is marked by its content: answers and
// reads say so, also after edits that calculate nothing and in copies, and not of files
// that come from elsewhere.
func TestCalculatedValuesAreMarked(t *testing.T) {
	r := newRig(t)
	marked := func(path string) {
		t.Helper()
		require.Contains(t, r.ok("read_file", `{"path":"`+path+`"}`), "calc: atelier")
		require.Contains(t, r.ok("get_file_info", `{"path":"`+path+`"}`), `"calc":"atelier"`)
		require.Contains(t, r.ok("table_query", `{"path":"`+path+`","query":"SELECT * FROM data"}`), `"calc":"atelier"`)
	}
	said := r.ok("xlsx_operations", `{"path":"a.xlsx","create_new":true,"operations":[{"op":"set_range","sheet":"S","start":"A1","values":[["Price","Double"],[100,"=A2*2"]]}]}`)
	require.Contains(t, said, "\ncalc: atelier")
	marked("a.xlsx")
	said = r.ok("xlsx_operations", `{"path":"a.xlsx","operations":[{"op":"set_cells","sheet":"S","cells":[{"cell":"D9","value":1}]}]}`)
	require.NotContains(t, said, "calc:")
	marked("a.xlsx")
	r.ok("xlsx_operations", `{"path":"b.xlsx","create_new":true,"copy_from":"a.xlsx","operations":[{"op":"set_cells","sheet":"S","cells":[{"cell":"D8","value":1}]}]}`)
	marked("b.xlsx")
	r.ok("copy", `{"from":"a.xlsx","to":"c.xlsx"}`)
	marked("c.xlsx")

	f := excelize.NewFile()
	require.NoError(t, f.SetSheetName("Sheet1", "S"))
	require.NoError(t, f.SetCellFormula("S", "A1", "1+1"))
	var foreign bytes.Buffer
	require.NoError(t, f.Write(&foreign))
	r.write("d.xlsx", foreign.Bytes())
	r.ok("xlsx_operations", `{"path":"d.xlsx","operations":[{"op":"set_cells","sheet":"S","cells":[{"cell":"D9","value":1}]}]}`)
	require.NotContains(t, r.ok("read_file", `{"path":"d.xlsx"}`), "calc:")
	require.NotContains(t, r.ok("get_file_info", `{"path":"d.xlsx"}`), `"calc"`)
}

// Reads say which formulas have no value.
func TestUnknownValuesAreTold(t *testing.T) {
	r := newRig(t)
	r.ok("xlsx_operations", `{"path":"a.xlsx","create_new":true,"operations":[{"op":"set_range","sheet":"S","start":"A1","values":[["Price","Macro"],[100,"=MYMACRO()"]]}]}`)
	require.Contains(t, r.ok("read_file", `{"path":"a.xlsx"}`), "(no value for 1 formula here)")
	require.Contains(t, r.ok("table_query", `{"path":"a.xlsx","query":"SELECT * FROM data"}`), `"no_value":"1 formulas have no value`)
}

// Translations of texts that formulas read tell the new values.
func TestTranslationsTellDependants(t *testing.T) {
	r := newRig(t)
	r.ok("xlsx_operations", `{"path":"a.xlsx","create_new":true,"operations":[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1","value":"Hello"},{"cell":"B1","value":"=LEN(A1)"}]}]}`)
	var page struct{ Segments []struct{ ID, Text string } }
	require.NoError(t, json.Unmarshal([]byte(r.ok("get_segments", `{"path":"a.xlsx"}`)), &page))
	require.Equal(t, "Hello", page.Segments[0].Text)
	said := r.ok("put_translations", `{"path":"a.xlsx","to_path":"b.xlsx","translations":[{"id":"`+page.Segments[0].ID+`","text":"Salut"},{"id":"none","text":"x"}]}`)
	require.Contains(t, said, `"rejected":[{"id":"none"`)
	require.NotContains(t, said, "effects")
	said = r.ok("put_translations", `{"path":"a.xlsx","translations":[{"id":"`+page.Segments[0].ID+`","text":"Bonjour"}]}`)
	require.Contains(t, said, `"calc":"atelier","effects":["1 dependant changed: S!B1 5 → 7"]`)
	require.Contains(t, r.ok("read_file", `{"path":"b.xlsx"}`), "calc: atelier")
}
