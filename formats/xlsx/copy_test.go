package xlsx

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
)

// template is a workbook with looks to copy.
func template(t *testing.T) []byte {
	return fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetName("Sheet1", "Look"))
		theme := 4
		head, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true, Color: "FFFFFF", Family: "Arial", Size: 12}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"1F4E78"}}, Alignment: &excelize.Alignment{Horizontal: "center"}})
		require.NoError(t, err)
		money := `"€" #,##0.00`
		cash, err := f.NewStyle(&excelize.Style{CustomNumFmt: &money, Font: &excelize.Font{ColorTheme: &theme, ColorTint: .4}})
		require.NoError(t, err)
		require.NoError(t, f.SetSheetRow("Look", "A1", &[]any{"Item", "Sum", "Note"}))
		require.NoError(t, f.SetSheetRow("Look", "A2", &[]any{"x", 3.5, true}))
		require.NoError(t, f.SetCellFormula("Look", "B3", "SUM(B2:B2)*2"))
		require.NoError(t, f.SetCellFormula("Look", "C3", "Other!A1"))
		require.NoError(t, f.SetCellStyle("Look", "A1", "C1", head))
		require.NoError(t, f.SetCellStyle("Look", "B2", "B3", cash))
		require.NoError(t, f.SetCellRichText("Look", "A4", []excelize.RichTextRun{{Text: "plain "}, {Text: "bold", Font: &excelize.Font{Bold: true}}}))
		require.NoError(t, f.MergeCell("Look", "A5", "C5"))
		require.NoError(t, f.SetColWidth("Look", "A", "A", 31))
		require.NoError(t, f.SetRowHeight("Look", 1, 40))
		require.NoError(t, f.SetCellHyperLink("Look", "A2", "https://example.com/x", "External"))
		require.NoError(t, f.AddComment("Look", excelize.Comment{Cell: "B2", Author: "Ann", Text: "why?"}))
		red, err := f.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "FF0000"}})
		require.NoError(t, err)
		require.NoError(t, f.SetConditionalFormat("Look", "B2:B3", []excelize.ConditionalFormatOptions{{Type: "cell", Criteria: ">", Value: "1", Format: &red}}))
		require.NoError(t, f.SetPanes("Look", &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
		_, err = f.NewSheet("Other")
		require.NoError(t, err)
		require.NoError(t, f.SetCellValue("Other", "A1", 42))
	})
}

func TestCopyStyles(t *testing.T) {
	in := sales(t)
	files := map[string][]byte{"t.xlsx": template(t)}
	out, rep, err := applyWith(t, in, files, `[{"op":"copy_styles","path":"t.xlsx","source":"Look!A1","sheet":"Sheet1","range":"A1:C1"},{"op":"copy_styles","path":"t.xlsx","source":"Look!A2:B2","sheet":"Sheet1","range":"A2:D4"}]`)
	require.NoError(t, err)
	require.Equal(t, 3, rep.Ops[0].Cells)
	f := excel(t, out)
	s := styleAt(t, f, "Sheet1", "C1")
	require.Equal(t, "Arial", s.Font.Family)
	require.Equal(t, []string{"1F4E78"}, s.Fill.Color)
	require.Equal(t, "center", s.Alignment.Horizontal)
	for _, cell := range []string{"B2", "D4"} {
		require.Equal(t, `"€" #,##0.00`, *styleAt(t, f, "Sheet1", cell).CustomNumFmt, cell)
	}
	v, _ := f.GetCellValue("Sheet1", "B2")
	require.Contains(t, v, "1.50")
	valid(t, out, in)

	same, _, err := applyWith(t, out, nil, `[{"op":"set_style","sheet":"Sheet1","range":"A1","style":{"font_italic":true}},{"op":"copy_styles","source":"Sheet1!A1","sheet":"Sheet1","range":"F9"}]`)
	require.NoError(t, err)
	s = styleAt(t, excel(t, same), "Sheet1", "F9")
	require.True(t, s.Font.Italic && s.Font.Bold, "it sees the operation before it")
	valid(t, same, in)
	for op, want := range map[string]string{
		`"source":"A1"`:                       "source is required, with its sheet",
		`"source":"Nope!A1"`:                  "unknown sheet: Nope",
		`"source":"Look!A1","path":"no.xlsx"`: "file not found: no.xlsx",
	} {
		_, _, err := applyWith(t, in, files, `[{"op":"copy_styles","sheet":"Sheet1","range":"A1",`+op+`}]`)
		require.ErrorContains(t, err, want)
	}
}

func TestCopySheetFrom(t *testing.T) {
	in := sales(t)
	files := map[string][]byte{"t.xlsx": template(t)}
	out, rep, err := applyWith(t, in, files, `[{"op":"copy_sheet_from","path":"t.xlsx","sheet":"look","new_name":"Copy"}]`)
	require.NoError(t, err)
	require.Equal(t, "Copy", rep.Ops[0].Made)
	require.Equal(t, []string{"copied as values, since they refer to other sheets, names or tables: 1 formula"}, rep.Ops[0].Warnings)
	f := excel(t, out)
	formula, _ := f.GetCellFormula("Copy", "B3")
	require.Equal(t, "SUM(B2:B2)*2", formula)
	require.Equal(t, "Arial", styleAt(t, f, "Copy", "A1").Font.Family)
	require.Equal(t, `"€" #,##0.00`, *styleAt(t, f, "Copy", "B2").CustomNumFmt)
	runs, err := f.GetCellRichText("Copy", "A4")
	require.NoError(t, err)
	require.Len(t, runs, 2)
	merged, _ := f.GetMergeCells("Copy")
	require.Len(t, merged, 1)
	w, _ := f.GetColWidth("Copy", "A")
	require.Equal(t, 31.0, w)
	h, _ := f.GetRowHeight("Copy", 1)
	require.Equal(t, 40.0, h)
	ok, link, _ := f.GetCellHyperLink("Copy", "A2")
	require.True(t, ok)
	require.Equal(t, "https://example.com/x", link)
	cs, _ := f.GetComments("Copy")
	require.Len(t, cs, 1)
	cf, _ := f.GetConditionalFormats("Copy")
	require.Len(t, cf, 1)
	panes, _ := f.GetPanes("Copy")
	require.True(t, panes.Freeze)
	valid(t, out, in)
	for op, want := range map[string]string{
		`"path":"t.xlsx","sheet":"Nope"`:                     "unknown sheet: Nope (in t.xlsx)",
		`"path":"t.xlsx","sheet":"Look","new_name":"Sheet1"`: `there is a sheet "Sheet1" already`,
		`"sheet":"Look"`: "path is required",
	} {
		_, _, err := applyWith(t, in, files, `[{"op":"copy_sheet_from",`+op+`}]`)
		require.ErrorContains(t, err, want)
	}
	fresh, _, err := applyWith(t, nil, files, `[{"op":"copy_sheet_from","path":"t.xlsx","sheet":"Look"}]`)
	require.NoError(t, err)
	require.Equal(t, []string{"Look"}, excel(t, fresh).GetSheetList())
	valid(t, fresh, nil)
}

func TestCorpusCopySheetFrom(t *testing.T) {
	for _, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			wb, err := open(t.Context(), src(in))
			if !typedError(t, err) {
				return
			}
			for i, s := range wb.Sheets {
				if !s.Worksheet() || i > 2 {
					continue
				}
				out, rep, err := applyWith(t, sales(t), map[string][]byte{"x.xlsx": in}, fmt.Sprintf(`[{"op":"copy_sheet_from","path":"x.xlsx","sheet":%s,"new_name":"Copied here"}]`, jsonString(s.Name)))
				if !typedError(t, err) {
					continue
				}
				t.Log(rep.Ops[0].Warnings)
				valid(t, out, nil)
				a, b := dump(t, in), dump(t, out)
				for at, v := range a {
					cell, mine := strings.CutPrefix(at, s.Name+"!")
					if w := b["Copied here!"+cell]; mine && v != "" && v[0] != '=' && (w == "" || w[0] != '=') {
						require.Equal(t, v, w, at)
					}
				}
			}
		})
	}
}
