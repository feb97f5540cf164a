package xlsx

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
)

// seenBook is what an independent reader sees of a workbook, but for the values
// of formulas, which edits may drop: a line for each thing.
func seenBook(t testing.TB, book []byte) []string {
	t.Helper()
	f := excel(t, book)
	var out []string
	add := func(sheet string, v ...any) { out = append(out, sheet+": "+strings.TrimSpace(fmt.Sprintln(v...))) }
	for _, n := range f.GetDefinedName() {
		add("name", n.Name, n.Scope, n.RefersTo)
	}
	for _, sheet := range f.GetSheetList() {
		visible, err := f.GetSheetVisible(sheet)
		require.NoError(t, err)
		add(sheet, "visible", visible)
		seenCells(t, f, sheet, add)
		seenObjects(t, f, sheet, add)
	}
	return out
}

// seenCells adds cells with their formats, and the sizes of rows and columns.
func seenCells(t testing.TB, f *excelize.File, sheet string, add func(string, ...any)) {
	looks := map[int]string{}
	look := func(style int) string {
		if looks[style] == "" {
			s, err := f.GetStyle(style)
			js, jsErr := json.Marshal(s)
			require.NoError(t, jsErr)
			if looks[style] = string(js); err != nil {
				looks[style] = fmt.Sprint("undefined format ", style)
			}
		}
		return looks[style]
	}
	for row := 1; row <= 8; row++ {
		for col := 1; col <= 7; col++ {
			at := cellref.Name(row, col)
			text, err := f.GetCellFormula(sheet, at)
			require.NoError(t, err)
			if text == "" {
				text, err = f.GetCellValue(sheet, at)
				require.NoError(t, err)
			}
			style, err := f.GetCellStyle(sheet, at)
			require.NoError(t, err)
			if text != "" || style != 0 {
				add(sheet, at, text, look(style))
			}
		}
		height, err := f.GetRowHeight(sheet, row)
		require.NoError(t, err)
		shown, err := f.GetRowVisible(sheet, row)
		require.NoError(t, err)
		add(sheet, "row", row, height, shown)
	}
	for col := 1; col <= 7; col++ {
		width, err := f.GetColWidth(sheet, cellref.ColumnName(col))
		require.NoError(t, err)
		shown, err := f.GetColVisible(sheet, cellref.ColumnName(col))
		require.NoError(t, err)
		add(sheet, "column", col, width, shown)
	}
}

// seenObjects adds what is on the cells of a sheet.
func seenObjects(t testing.TB, f *excelize.File, sheet string, add func(string, ...any)) {
	merged, err := f.GetMergeCells(sheet)
	require.NoError(t, err)
	for _, m := range merged {
		add(sheet, "merged", m.GetStartAxis(), m.GetEndAxis())
	}
	rules, err := f.GetConditionalFormats(sheet)
	require.NoError(t, err)
	for area, list := range rules {
		for i := range list {
			list[i].Format = nil
		}
		add(sheet, "rules", area, list)
	}
	lists, err := f.GetDataValidations(sheet)
	require.NoError(t, err)
	for _, v := range lists {
		add(sheet, "validation", v.Sqref, v.Type, v.Operator, v.Formula1, v.Formula2)
	}
	notes, err := f.GetComments(sheet)
	require.NoError(t, err)
	for _, n := range notes {
		text := n.Text
		for _, run := range n.Paragraph {
			text += run.Text
		}
		add(sheet, "comment", n.Cell, n.Author, text)
	}
	tables, err := f.GetTables(sheet)
	require.NoError(t, err)
	for _, tab := range tables {
		add(sheet, "table", tab.Name, tab.Range)
	}
	links, err := f.GetHyperLinkCells(sheet, "")
	require.NoError(t, err)
	for _, at := range links {
		first, _, _ := strings.Cut(at, ":")
		_, target, err := f.GetCellHyperLink(sheet, first)
		require.NoError(t, err)
		add(sheet, "link", at, target)
	}
	panes, err := f.GetPanes(sheet)
	require.NoError(t, err)
	add(sheet, "panes", panes.Freeze, panes.XSplit, panes.YSplit)
}

// propertyBooks are the workbooks that properties are tried on.
func propertyBooks(t testing.TB) map[string][]byte {
	return map[string][]byte{"ruled": ruledBook(t), "tabled": tabledBook(t), "lines": lineBook(t)}
}

// An operation and its inverse leave what an independent reader sees.
func TestInverseOperations(t *testing.T) {
	for name, in := range propertyBooks(t) {
		t.Run(name, func(t *testing.T) {
			want := seenBook(t, in)
			for _, ops := range []string{
				`{"op":"insert_rows","sheet":"S1","row":3,"count":2},{"op":"delete_rows","sheet":"S1","row":3,"count":2}`,
				`{"op":"insert_columns","sheet":"S1","column":"B"},{"op":"delete_columns","sheet":"S1","column":"B"}`,
				`{"op":"move_rows","sheet":"S1","row":8,"to":7},{"op":"move_rows","sheet":"S1","row":7,"to":9}`,
				`{"op":"move_columns","sheet":"S2","column":"A","to":"C"},{"op":"move_columns","sheet":"S2","column":"B","to":1}`,
				`{"op":"insert_rows","sheet":"S2","row":1},{"op":"delete_rows","sheet":"S2","row":1}`,
				`{"op":"merge_cells","sheet":"S1","range":"F6:G7"},{"op":"unmerge_cells","sheet":"S1","range":"G7"}`,
				`{"op":"ensure_sheet","sheet":"New"},{"op":"delete_sheet","sheet":"New"}`,
				`{"op":"copy_sheet","sheet":"S1","new_name":"Twin","position":1},{"op":"delete_sheet","sheet":"Twin"}`,
				`{"op":"move_sheet","sheet":"S2","position":1},{"op":"move_sheet","sheet":"S1","position":1}`,
				`{"op":"hide_sheet","sheet":"S1"},{"op":"unhide_sheet","sheet":"S1"}`,
				`{"op":"hide_rows","sheet":"S1","row":1,"count":2},{"op":"hide_rows","sheet":"S1","row":1,"count":2,"hidden":false}`,
				`{"op":"hide_columns","sheet":"S1","column":"B"},{"op":"hide_columns","sheet":"S1","column":"B","hidden":false}`,
				`{"op":"group_rows","sheet":"S1","range":"1:2"},{"op":"group_rows","sheet":"S1","row":2,"action":"ungroup"},{"op":"group_rows","sheet":"S1","row":1,"action":"ungroup"}`,
				`{"op":"group_columns","sheet":"S2","range":"A,C"},{"op":"group_columns","sheet":"S2","range":"A:C","action":"ungroup"}`,
				`{"op":"protect_sheet","sheet":"S1","select":"none"},{"op":"protect_sheet","sheet":"S1","remove":true},{"op":"protect_workbook"},{"op":"protect_workbook","remove":true}`,
				`{"op":"define_name","name":"Tmp","refers_to":"S1!$A$1"},{"op":"delete_name","name":"Tmp"}`,
				`{"op":"add_comment","sheet":"S2","cell":"C3","text":"x"},{"op":"delete_comment","sheet":"S2","cell":"C3"}`,
				`{"op":"add_table","sheet":"S2","range":"E2:F4","has_header":false,"name":"Tmp"},{"op":"delete_columns","sheet":"S2","column":"E","count":2}`,
			} {
				out, _ := apply(t, in, "["+ops+"]")
				require.Equal(t, want, seenBook(t, out), ops)
			}
		})
	}
}

// propertyOps are operations that can be done on each of the workbooks.
var propertyOps = []string{
	`{"op":"set_cells","sheet":"S1","cells":[{"cell":"F7","value":"=SUM(B1:B6)"},{"cell":"G7","value":"x","style":{"font_bold":true}},{"cell":"G1","value":"2026-01-31"}]}`,
	`{"op":"set_range","sheet":"S2","start":"C3","values":[[1,"a"],[2,"b"]]}`,
	`{"op":"set_style","sheet":"S1","range":"A1:B2","style":{"fill_color":"FFFF00"}}`,
	`{"op":"set_style","sheet":"S2","range":"D:D,2:2","style":{"number_format":"0.000"}}`,
	`{"op":"ensure_sheet","sheet":"S3"}`,
	`{"op":"set_column_widths","sheet":"S1","columns":[{"column":"C:D","width":17}]}`,
	`{"op":"set_row_heights","sheet":"S2","rows":[{"row":2,"height":21}]}`,
	`{"op":"freeze_panes","sheet":"S2","row":1,"column":1}`,
	`{"op":"set_sheet_view","sheet":"S1","zoom":80}`,
	`{"op":"merge_cells","sheet":"S2","range":"F1:G1"}`,
	`{"op":"set_hyperlink","sheet":"S2","cell":"A2","url":"https://x.example"}`,
	`{"op":"conditional_format","sheet":"S2","range":"A1:B9","rule":{"type":"cell","operator":">","value":1}}`,
	`{"op":"data_validation","sheet":"S2","range":"A1:A9","type":"list","list":["a"]}`,
	`{"op":"add_comment","sheet":"S2","cell":"B2","text":"why"}`,
	`{"op":"add_chart","sheet":"S2","cell":"H1","type":"line","range":"S1!A1:B4"}`,
	`{"op":"copy_styles","sheet":"S2","range":"E5:F6","source":"S1!A2:B3"}`,
	`{"op":"insert_rows","sheet":"S2","row":2}`,
	`{"op":"insert_columns","sheet":"S1","column":"A"}`,
	`{"op":"copy_range","sheet":"S1","range":"B2:C4","target":"A6","target_sheet":"S2"}`,
	`{"op":"clear_range","sheet":"S2","range":"A1:B1"}`,
	`{"op":"replace_text","search":"a","replace":"ä"}`,
	`{"op":"define_name","name":"Here","refers_to":"S1!$B$2"}`,
	`{"op":"hide_rows","sheet":"S1","row":7}`,
	`{"op":"hide_sheet","sheet":"S1"}`,
	`{"op":"copy_sheet","sheet":"S2"}`,
}

var styleNumber = regexp.MustCompile(` (s|style|dxfId)="\d+"`)

// requireSameParts compares parts but for the numbers of formats, whose order is
// that in which sheets are written.
func requireSameParts(t testing.TB, a, b []byte, msg string) {
	t.Helper()
	want, got := formatstest.Parts(t, a), formatstest.Parts(t, b)
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), msg)
	for name := range want {
		if name != stylesXML {
			require.Equal(t, styleNumber.ReplaceAllString(string(want[name]), ""), styleNumber.ReplaceAllString(string(got[name]), ""), "%s: %s", name, msg)
		}
	}
}

// Several operations of one call give the parts that the same operations give
// one call after another, and their reports.
func TestOperationsTogetherAndOneByOne(t *testing.T) {
	for name, in := range propertyBooks(t) {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				r := rand.New(rand.NewPCG(seed, uint64(len(name))))
				var ops []string
				for _, i := range r.Perm(len(propertyOps))[:5] {
					ops = append(ops, propertyOps[i])
				}
				js := strings.Join(ops, ",\n")
				together, all := apply(t, in, "["+js+"]")
				alone := in
				for i, op := range ops {
					out, rep := apply(t, alone, "["+op+"]")
					alone = out
					rep.Ops[0].Index = i
					require.Equal(t, all.Ops[i].Made, rep.Ops[0].Made, js)
					require.Equal(t, all.Ops[i].Hits, rep.Ops[0].Hits, js)
					require.Equal(t, all.Ops[i].Cells, rep.Ops[0].Cells, js)
					require.Equal(t, all.Ops[i].Warnings, rep.Ops[0].Warnings, js)
				}
				require.Equal(t, seenBook(t, alone), seenBook(t, together), js)
				requireSameParts(t, alone, together, js)
			}
		})
	}
}
