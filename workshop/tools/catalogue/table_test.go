package catalogue_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// tableRig has a csv, and a workbook with a formula, a style and a second sheet.
func tableRig(t testing.TB) *rig {
	r := newRig(t)
	r.ok("write_text_file", `{"path":"ventas.csv","content":"id,region,amount,day,ok,note\n1,North,10.5,2024-01-31,true,=1+1\n2,South,2,2024-02-29,false,-3\n3,North,,2024-03-01,true,@x\n"}`)
	r.ok("xlsx_operations", `{"path":"book.xlsx","create_if_missing":true,"operations":[
		{"op":"set_range","sheet":"Out","start":"A1","values":[["old","b","c"],[1,2,3],[4,5,6],[7,8,9]]},
		{"op":"set_cells","sheet":"Sums","cells":[{"cell":"A1","value":"=SUM(Out!A2:A9)"},{"cell":"B1","value":"kept"}]},
		{"op":"set_style","sheet":"Sums","range":"B1","style":{"font_bold":true}}]}`)
	return r
}

// cells reads a sheet with an independent reader.
func (r *rig) cells(path, sheet string) [][]string {
	r.t.Helper()
	f, err := excelize.OpenFile(formatstest.Write(r.t, "x.xlsx", r.bytes(path)))
	require.NoError(r.t, err)
	defer f.Close()
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	require.NoError(r.t, err)
	return rows
}

func TestTableTools(t *testing.T) {
	r := tableRig(t)
	require.JSONEq(t, `{"path":"ventas.csv","encoding":"utf-8","delimiter":",","has_header":true,"header_row":1,"row_count":3,"column_count":6,"columns":[
		{"name":"id","type":"integer","samples":["1","2","3"]},{"name":"region","type":"text","samples":["North","South"]},
		{"name":"amount","type":"number","nulls":1,"samples":["10.5","2"]},{"name":"day","type":"date","samples":["2024-01-31","2024-02-29","2024-03-01"]},
		{"name":"ok","type":"boolean","samples":["true","false"]},{"name":"note","type":"text","samples":["=1+1","-3","@x"]}]}`,
		r.ok("table_describe", `{"path":"ventas.csv"}`))
	require.JSONEq(t, `{"columns":["region","s"],"types":["text",""],"offset":0,"total_rows":2,"has_more":true,"next":"window_offset=1","rows":[["North",10.5]]}`,
		r.ok("table_query", `{"path":"ventas.csv","query":"SELECT region, sum(amount) AS s FROM data GROUP BY 1","window_rows":1}`))
	require.JSONEq(t, `{"columns":["note","ok"],"types":["text","boolean"],"offset":1,"total_rows":3,"has_more":true,"next":"row_start=3","rows":[["-3",false]]}`,
		r.ok("table_read_rows", `{"path":"ventas.csv","row_start":"2","row_count":1,"columns":["NOTE","ok"]}`))
	require.JSONEq(t, `{"path":"ventas.csv","columns":[{"name":"amount","type":"number","count":2,"nulls":1,"distinct":2,"min":2,"max":10.5,"sum":12.5,"mean":6.25}]}`,
		r.ok("table_stats", `{"path":"ventas.csv","columns":["amount"]}`))
	require.Contains(t, r.ok("table_query", `{"path":"ventas.csv","query":"SELECT count(*) FROM data JOIN o ON o.old = data.id","tables":{"o":"book.xlsx#Out"}}`), `"rows":[[1]]`)
	require.Contains(t, r.ok("table_describe", `{"path":"book.xlsx","sheet":"Sums"}`), `"samples":["12"]`)
	r.ok("xlsx_operations", `{"path":"book.xlsx","operations":[{"op":"set_cells","sheet":"Sums","cells":[{"cell":"A1","value":"=SUM(Out!A2:A9)+MYMACRO()"}]}]}`)
	require.Contains(t, r.ok("table_describe", `{"path":"book.xlsx","sheet":"Sums"}`), "1 formulas have no value")
}

func TestTableMessages(t *testing.T) {
	r := tableRig(t)
	for _, c := range []struct{ tool, args, want string }{
		{"table_describe", `{}`, "Error: path is required"},
		{"table_describe", `{"path":"no.csv"}`, "Error: file not found: no.csv"},
		{"table_describe", `{"path":"../x.csv"}`, "Error: SANDBOX_VIOLATION"},
		{"table_describe", `{"path":"contrato.docx"}`, "Error: FILE_READ_FAILED: contrato.docx is not a table"},
		{"table_describe", `{"path":"book.xlsx","sheet":"X"}`, "Error: unknown sheet: X"},
		{"table_query", `{"path":"ventas.csv"}`, "Error: query is required"},
		{"table_query", `{"path":"ventas.csv","query":"SELECT 1","window_rows":0}`, "Error: window_rows must be from 1"},
		{"table_query", `{"path":"ventas.csv","query":"SELECT 1","window_offset":-1}`, "Error: window_offset must be 0 or more"},
		{"table_query", `{"path":"ventas.csv","query":"SELECT 1","tables":{"x":"/etc/passwd"}}`, "Error: SANDBOX_VIOLATION"},
		{"table_query", `{"path":"ventas.csv","query":"ATTACH '/etc/passwd' AS x"}`, "Error: SQL: ATTACH is not allowed"},
		{"table_query", `{"path":"ventas.csv","query":"SELECT readfile('/etc/passwd')"}`, "Error: SQL: no such function: readfile"},
		{"table_query", `{"path":"ventas.csv","query":"SELECT nme FROM data"}`, "Error: SQL: no such column: nme; the columns are id, region"},
		{"table_read_rows", `{"path":"ventas.csv","row_start":0}`, "Error: row_start must be 1 or more"},
		{"table_stats", `{"path":"ventas.csv","columns":["x"]}`, `Error: there is no column "x"`},
		{"table_export", `{"path":"ventas.csv","target_path":"x.pdf"}`, "Error: target_path must end in .csv or .xlsx"},
		{"table_export", `{"path":"ventas.csv","target_path":"x.csv","format":"xlsx"}`, "Error: target_path ends in .csv but format is xlsx"},
		{"table_export", `{"path":"ventas.csv","target_path":"book.xlsx"}`, "Error: book.xlsx exists already"},
		{"table_update_from_export", `{"path":"ventas.csv","target_path":"book.xlsx","sheet":"Out","mode":"x"}`, "Error: mode is one of"},
		{"table_update_from_export", `{"path":"ventas.csv","target_path":"b.csv","sheet":"Out"}`, "Error: target_path must be an xlsx file"},
		{"table_update_from_export", `{"path":"ventas.csv","target_path":"book.xlsx","sheet":"Out","start_cell":"?"}`, "Error: invalid cell reference: ?"},
		{"table_update_from_export", `{"path":"ventas.csv","target_path":"new.xlsx","sheet":"Out","create_workbook_if_missing":false}`, "Error: file not found: new.xlsx"},
		{"table_update_from_export", `{"path":"ventas.csv","target_path":"book.xlsx","sheet":"New","create_sheet_if_missing":false}`, "Error: unknown sheet: New"},
	} {
		before, err := r.wb.Changes(ctx)
		require.NoError(t, err)
		res := r.call(c.tool, c.args)
		require.False(t, res.Success, "%s %s: %s", c.tool, c.args, res.Text)
		require.True(t, strings.HasPrefix(res.Text, c.want), "%s %s: %s", c.tool, c.args, res.Text)
		after, err := r.wb.Changes(ctx)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
}

func TestTableExport(t *testing.T) {
	r := tableRig(t)
	require.JSONEq(t, `{"path":"out.csv","rows":3,"columns":6}`, r.ok("table_export", `{"path":"ventas.csv","target_path":"out.csv"}`))
	require.Equal(t, "id,region,amount,day,ok,note\n1,North,10.5,2024-01-31,true,=1+1\n2,South,2.0,2024-02-29,false,-3\n3,North,,2024-03-01,true,@x\n", string(r.bytes("out.csv")))
	require.JSONEq(t, `{"path":"safe.csv","rows":3,"columns":6,"guarded_cells":3}`, r.ok("table_export", `{"path":"ventas.csv","target_path":"safe.csv","guard_formulas":true}`))
	require.Equal(t, "id,region,amount,day,ok,note\n1,North,10.5,2024-01-31,true,'=1+1\n2,South,2.0,2024-02-29,false,'-3\n3,North,,2024-03-01,true,'@x\n", string(r.bytes("safe.csv")))
	require.JSONEq(t, `{"path":"out.xlsx","sheet":"Data","range":"A1:F4","rows":3,"columns":6}`, r.ok("table_export", `{"path":"ventas.csv","target_path":"out.xlsx"}`))
	require.Equal(t, [][]string{{"id", "region", "amount", "day", "ok", "note"}, {"1", "North", "10.5", "45322", "1", "=1+1"}, {"2", "South", "2", "45351", "0", "-3"}, {"3", "North", "", "45352", "1", "@x"}}, r.cells("out.xlsx", "Data"))
	made := formatstest.Write(t, "out.xlsx", r.bytes("out.xlsx"))
	formatstest.Validate(t, made, "")
	// What was written is the same table again, types and all.
	const all = `"query":"SELECT * FROM data"}`
	require.Equal(t, r.ok("table_query", `{"path":"ventas.csv",`+all), strings.Replace(r.ok("table_query", `{"path":"out.xlsx",`+all), `"range":"A1:F4",`, "", 1))
	require.Equal(t, r.ok("table_query", `{"path":"ventas.csv",`+all), r.ok("table_query", `{"path":"out.csv",`+all))
	formatstest.LibreOfficeOpens(t, made)
}

// guard_formulas covers every beginning that a spreadsheet program takes for that
// of a formula; other texts, and a second line that begins so, stay as they are.
func TestTableExportGuardsEveryBeginning(t *testing.T) {
	r := newRig(t)
	write, err := json.Marshal(map[string]string{"path": "in.csv", "content": "id,note\n1,+1+cmd\n2,\"\t=1\"\n3,\"\r=1\"\n4,a+b\n5,\"a\n=1\"\n6,=1\n"})
	require.NoError(t, err)
	r.ok("write_text_file", string(write))
	require.JSONEq(t, `{"path":"safe.csv","rows":6,"columns":2,"guarded_cells":4}`, r.ok("table_export", `{"path":"in.csv","target_path":"safe.csv","guard_formulas":true}`))
	rows, err := csv.NewReader(bytes.NewReader(r.bytes("safe.csv"))).ReadAll()
	require.NoError(t, err)
	var notes []string
	for _, row := range rows[1:] {
		notes = append(notes, row[1])
	}
	require.Equal(t, []string{"'+1+cmd", "'\t=1", "'\r=1", "a+b", "a\n=1", "'=1"}, notes)
}

// peers.md: "CSV text starting with = becomes a live formula".
func TestPeerCSVBecomesFormula(t *testing.T) {
	r := tableRig(t)
	r.ok("table_update_from_export", `{"path":"ventas.csv","query":"SELECT note FROM data","target_path":"book.xlsx","sheet":"Notes"}`)
	for name, part := range formatstest.Parts(t, r.bytes("book.xlsx")) {
		if strings.HasPrefix(name, "xl/worksheets/") && strings.Contains(string(part), "@x") {
			require.NotContains(t, string(part), "<f>")
		}
	}
	require.Equal(t, [][]string{{"note"}, {"=1+1"}, {"-3"}, {"@x"}}, r.cells("book.xlsx", "Notes"))
}

func TestTableUpdateModes(t *testing.T) {
	const from = `{"path":"ventas.csv","query":"SELECT id, region FROM data WHERE id < 3","target_path":"book.xlsx","sheet":"Out",`
	for _, c := range []struct {
		name, args, want string
		rows             [][]string
	}{
		{"write", `"start_cell":"B2"`, `"range":"B2:C4","rows":2,"columns":2}`, [][]string{{"old", "b", "c"}, {"1", "id", "region"}, {"4", "1", "North"}, {"7", "2", "South"}}},
		{"no header", `"mode":"write_range","include_header":"false"`, `"range":"A1:B2","rows":2,"columns":2,"effects":["1 dependant changed: Sums!A1 12 → 13"]}`, [][]string{{"1", "North", "c"}, {"2", "South", "3"}, {"4", "5", "6"}, {"7", "8", "9"}}},
		{"clear below", `"clear_target_range":true`, `"range":"A1:B3","rows":2,"columns":2,"cleared_cells":2,"effects":["1 dependant changed: Sums!A1 12 → 3"]}`, [][]string{{"id", "region", "c"}, {"1", "North", "3"}, {"2", "South", "6"}, {"", "", "9"}}},
		{"append", `"mode":"append_rows"`, `"range":"A5:B6","rows":2,"columns":2,"effects":["1 dependant changed: Sums!A1 12 → 15"],"warnings":["column id was appended below \"old\": rows are appended by position"]}`, [][]string{{"old", "b", "c"}, {"1", "2", "3"}, {"4", "5", "6"}, {"7", "8", "9"}, {"1", "North"}, {"2", "South"}}},
		{"replace", `"mode":"replace_sheet"`, `"range":"A1:B3","rows":2,"columns":2,"cleared_cells":6,"effects":["1 dependant changed: Sums!A1 12 → 3"]}`, [][]string{{"id", "region"}, {"1", "North"}, {"2", "South"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := tableRig(t)
			before := r.bytes("book.xlsx")
			got := r.ok("table_update_from_export", from+c.args+"}")
			require.True(t, strings.HasSuffix(got, c.want), got)
			require.Equal(t, c.rows, r.cells("book.xlsx", "Out"))
			require.Equal(t, "kept", r.cells("book.xlsx", "Sums")[0][1])
			formatstest.Validate(t, formatstest.Write(t, "a.xlsx", r.bytes("book.xlsx")), formatstest.Write(t, "b.xlsx", before))
		})
	}
	r := tableRig(t)
	require.Contains(t, r.ok("table_update_from_export", `{"path":"ventas.csv","target_path":"new.xlsx","sheet":"S","mode":"append_rows"}`), `"range":"A1:F4"`)
	require.Contains(t, r.ok("table_update_from_export", `{"path":"ventas.csv","target_path":"new.xlsx","sheet":"S","mode":"append_rows"}`), `"range":"A5:F7","rows":3,"columns":6}`)
	require.Contains(t, r.ok("table_query", `{"path":"new.xlsx","query":"SELECT count(*), sum(id) FROM S"}`), `"rows":[[6,12]]`)
}

// No result is longer than allowed, and the windows add up to the whole.
func TestTableResultsFit(t *testing.T) {
	r := tableRig(t)
	var sb strings.Builder
	for i := range 300 {
		fmt.Fprintf(&sb, "column number %d,", i)
	}
	sb.WriteString("last\n")
	for range 40 {
		sb.WriteString(strings.Repeat(strings.Repeat("long ", 20)+",", 300) + "x\n")
	}
	b, err := json.Marshal(map[string]string{"path": "wide.csv", "content": sb.String()})
	require.NoError(t, err)
	r.ok("write_text_file", string(b))
	for _, c := range [][2]string{{"table_describe", `{"path":"wide.csv"}`}, {"table_stats", `{"path":"wide.csv"}`}, {"table_read_rows", `{"path":"wide.csv"}`}, {"table_query", `{"path":"wide.csv","query":"SELECT * FROM data"}`}} {
		res := r.call(c[0], c[1])
		require.True(t, res.Success, res.Text)
		require.LessOrEqual(t, len(res.Text), tools.DefaultResultMax)
		require.False(t, res.Truncated, c[0])
		require.True(t, json.Valid([]byte(res.Text)), c[0])
	}
	seen := 0
	for offset := 0; ; {
		var got struct {
			Rows    [][]any
			HasMore bool `json:"has_more"`
			Next    string
		}
		require.NoError(t, json.Unmarshal([]byte(r.ok("table_query", fmt.Sprintf(`{"path":"wide.csv","query":"SELECT \"column number 1\", \"column number 2\" FROM data, (VALUES (1),(2),(3),(4))","window_offset":%d}`, offset))), &got))
		seen += len(got.Rows)
		if !got.HasMore {
			break
		}
		_, err := fmt.Sscanf(got.Next, "window_offset=%d", &offset)
		require.NoError(t, err)
	}
	require.Equal(t, 160, seen)
}

// Every sheet of the corpus is described and queried, or refused with a reason.
func TestTableCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole corpus: left out with -short")
	}
	r := newRig(t)
	good, bad := 0, 0
	for _, path := range formatstest.Sample(t, "xlsx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), "corpus.xlsx"), b, 0o600))
		for _, c := range [][2]string{{"table_describe", `{"path":"corpus.xlsx"}`}, {"table_query", `{"path":"corpus.xlsx","query":"SELECT * FROM data"}`}, {"table_stats", `{"path":"corpus.xlsx"}`}} {
			res := r.call(c[0], c[1])
			require.NotContains(t, res.Text, "internal error", path)
			require.LessOrEqual(t, len(res.Text), tools.DefaultResultMax)
			if res.Success {
				good++
				require.True(t, json.Valid([]byte(res.Text)), "%s %s", path, c[0])
				continue
			}
			bad++
			require.NotEqual(t, workshop.Internal, res.Fault.Code, "%s %s: %s", path, c[0], res.Text)
			require.NotContains(t, res.Text, "file not found")
		}
	}
	require.Greater(t, good, bad)
	t.Logf("%d calls gave a table, %d said why not", good, bad)
}

// Without a range the table of a sheet is read, and it is said which cells that
// are: the total below it is not added up with what it is the total of.
func TestTableOfASheet(t *testing.T) {
	r := newRig(t)
	const left = `"range":"A4:J16","left_out":["A1:A2 (Ventas del primer trimestre de 2026)","row 18 (Total del trimestre)"]`
	got := r.ok("table_query", `{"path":"sales.xlsx","sheet":"Sales","query":"SELECT sum(Unidades), count(*) FROM data"}`)
	require.Contains(t, got, left)
	require.Contains(t, got, `"rows":[[2808,12]]`, "the total row says 2,808")
	require.Contains(t, r.ok("table_stats", `{"path":"sales.xlsx","columns":["Unidades"]}`), left)
	require.Contains(t, r.ok("table_stats", `{"path":"sales.xlsx","columns":["Unidades"]}`), `"sum":2808`)
	require.Contains(t, r.ok("table_describe", `{"path":"sales.xlsx"}`), left)
	got = r.ok("table_read_rows", `{"path":"sales.xlsx","row_start":12}`)
	require.Contains(t, got, left)
	require.Contains(t, got, `"total_rows":12,"has_more":false`)
	got = r.ok("table_export", `{"path":"sales.xlsx","target_path":"out.csv"}`)
	require.Contains(t, got, `"rows":12`)
	require.Contains(t, got, `"read_range":"A4:J16","left_out":[`)

	got = r.ok("table_query", `{"path":"clientes.csv","query":"SELECT count(*) FROM data, f","tables":{"f":"sales.xlsx#Resumen"}}`)
	require.Contains(t, got, `"range":"f: A3:D8","left_out":["f: row 1 (Resumen por familia)"`)

	got = r.ok("table_describe", `{"path":"sales.xlsx","sheet":"Sales","range":"A4:J18"}`)
	require.NotContains(t, got, "left_out", "what was asked for is read")
	require.Contains(t, got, `a row looks like a total (\"Total del trimestre\"): it counts as a row`)
	r.ok("write_text_file", `{"path":"t.csv","content":"who,city,n\nAna,Lugo,1\nBo,Vigo,2\nTotal,,3\n"}`)
	got = r.ok("table_describe", `{"path":"t.csv"}`)
	require.Contains(t, got, `"row_count":3`)
	require.Contains(t, got, `a row looks like a total (\"Total\")`)
	require.Contains(t, r.ok("table_stats", `{"path":"t.csv","columns":["n"]}`), `a row looks like a total`)

	r.ok("xlsx_operations", `{"path":"two.xlsx","create_new":true,"operations":[{"op":"set_range","sheet":"S","start":"A1","values":[["a","b"],["x",1],["y",2]]},{"op":"set_range","sheet":"S","start":"D1","values":[["c","d"],["x",1],["y",2]]}]}`)
	for _, c := range [][2]string{{"table_describe", `{"path":"two.xlsx"}`}, {"table_stats", `{"path":"two.xlsx"}`}, {"table_query", `{"path":"two.xlsx","query":"SELECT 1"}`}, {"table_read_rows", `{"path":"two.xlsx"}`}} {
		res := r.call(c[0], c[1])
		require.False(t, res.Success)
		require.Equal(t, `Error: the sheet "S" has 2 tables: A1:B3 (a, b), D1:E3 (c, d); give the range of one`, res.Text)
	}
	require.Contains(t, r.ok("table_query", `{"path":"two.xlsx","range":"D1:E3","query":"SELECT sum(d) FROM data"}`), `"rows":[[3]]`)
}
