package xlsx

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// FuzzObjects runs object operations on odd sheets and style parts: what comes
// out is well formed, or the error is a typed one.
func FuzzObjects(f *testing.F) {
	sheets := []string{
		`<cols><col min="1" max="99999" style="7"/><col min="3" max="2"/></cols><sheetData><row r="2" s="1" customFormat="1"><c r="B2" s="9" t="s"><v>3</v></c><c/></row><row r="1"/></sheetData><mergeCells count="x"><mergeCell ref="A1:B2"/></mergeCells><dataValidations/><extLst/>`,
		`<sheetData/><conditionalFormatting sqref="A1:C9 E1"><cfRule type="expression" dxfId="3" priority="-1"><formula>A1</formula></cfRule></conditionalFormatting><hyperlinks/><drawing/><legacyDrawing/>`,
	}
	styles := []string{stylesheet.Empty, `<x:styleSheet xmlns:x="` + sheetml.Namespace + `"><x:cellXfs><x:xf fontId="5"/></x:cellXfs></x:styleSheet>`, `<styleSheet/>`}
	jobs := []string{
		`[{"op":"set_style","sheet":"S1","range":"A1:C3,B:D,2:3","style":` + fullStyle + `},{"op":"merge_cells","sheet":"S1","range":"E1:F2"},{"op":"unmerge_cells","sheet":"S1","range":"A1"}]`,
		`[{"op":"conditional_format","sheet":"S1","range":"A1:C3","rule":` + everyRule[1] + `},{"op":"conditional_format","sheet":"S1","range":"B1","remove":true},{"op":"data_validation","sheet":"S1","range":"B2","type":"list","list":["a"]}]`,
		`[{"op":"add_comment","sheet":"S1","cell":"A1","text":"x"},{"op":"delete_comment","sheet":"S1","cell":"A1"},{"op":"autofilter","sheet":"S1","range":"A1:B2"},{"op":"set_hyperlink","sheet":"S1","cell":"A1","url":"http://x/"}]`,
		`[{"op":"add_table","sheet":"S1","range":"A1:B3"},{"op":"add_chart","sheet":"S1","cell":"A1","type":"pie","range":"A1:B3"},{"op":"set_column_widths","sheet":"S1","columns":[{"column":"A:C","width":"auto"}]},{"op":"copy_styles","sheet":"S1","source":"S1!A1:B2","range":"D1:F9"}]`,
	}
	for _, s := range sheets {
		for _, y := range styles {
			for _, j := range jobs {
				f.Add(s, y, j)
			}
		}
	}
	f.Fuzz(func(t *testing.T, sheet, style, job string) {
		var list []json.RawMessage
		if json.Unmarshal([]byte(job), &list) != nil || len(list) > 8 || !wellFormed([]byte(style)) {
			return
		}
		if !wellFormed([]byte(`<worksheet xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `">` + sheet + `</worksheet>`)) {
			return
		}
		in := raw(t, map[string]string{"xl/styles.xml": style}, sheet)
		var out bytes.Buffer
		_, err := Format().Editor.Apply(t.Context(), src(in), &out, list, formats.ApplyOptions{})
		if err != nil {
			var fe *formats.Error
			require.True(t, errors.As(err, &fe), "%T %v", err, err)
			return
		}
		for _, name := range []string{"xl/worksheets/sheet1.xml", "xl/styles.xml"} {
			require.True(t, wellFormed([]byte(part(t, out.Bytes(), name))), part(t, out.Bytes(), name))
		}
	})
}
