package xlsx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// typedError fails the test unless err is nil or an *formats.Error.
func typedError(t *testing.T, err error) bool {
	t.Helper()
	if err == nil {
		return true
	}
	var fe *formats.Error
	require.ErrorAs(t, err, &fe)
	t.Logf("%s: %v", fe.Code, err)
	return false
}

func TestCorpusGivesContentOrATypedError(t *testing.T) {
	ctx := context.Background()
	for _, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := formats.FromBytes(filepath.Base(path), load(t, path))
			m, err := Format().Mapper.Map(ctx, s, formats.MapOptions{})
			if !typedError(t, err) {
				return
			}
			js, err := json.Marshal(m)
			require.NoError(t, err)
			require.LessOrEqual(t, len(js), formats.MaxMap)
			text, err := Format().Reader.Read(ctx, s, formats.Selector{})
			if !typedError(t, err) {
				return
			}
			require.NotEmpty(t, text.Text)
			text, err = Format().Reader.Read(ctx, s, formats.Selector{Include: []string{formats.IncludeAll}})
			require.NoError(t, err)
			require.NotEmpty(t, text.Text)
			_, err = Format().Segmenter.Segments(ctx, s, formats.SegmentOptions{})
			require.NoError(t, err)
		})
	}
}

func TestCorpusOneEditChangesOnePlace(t *testing.T) {
	ctx := context.Background()
	for _, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			wb, err := open(ctx, src(in))
			if !typedError(t, err) {
				return
			}
			same, _ := apply(t, in, `[]`)
			require.True(t, bytes.Equal(in, same))
			i := 0
			for i < len(wb.Sheets) && !wb.Sheets[i].Worksheet() {
				i++
			}
			if i == len(wb.Sheets) {
				t.Skip("it has no worksheet")
			}
			name := wb.Sheets[i].Name
			out, rep, err := tryApply(t, in, fmt.Sprintf(`[{"op":"set_cells","sheet":%s,"cells":[{"cell":"ZZ3","value":"probe"}]}]`, jsonString(name)))
			if !typedError(t, err) {
				return
			}
			for _, w := range rep.Warnings {
				t.Log(w)
			}
			except := []string{wb.Sheets[i].Part, wb.Main}
			for _, s := range wb.Sheets {
				except = append(except, s.Part)
			}
			formatstest.SameParts(t, in, out, except...)
			require.Contains(t, read(t, out, formats.Selector{Sheet: name, Range: "ZZ3"}), "ZZ3: probe")
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
			d1, d2 := dump(t, in), dump(t, out)
			for at, v := range d1 {
				if d2[at] != v && d2[at] != "" && d2[at][0] != '=' {
					require.Equal(t, v, d2[at], at)
				}
			}
		})
	}
}

// dump reads all cells of all worksheets by place.
func dump(t *testing.T, b []byte) map[string]string {
	t.Helper()
	ctx := context.Background()
	wb, err := open(ctx, src(b))
	require.NoError(t, err)
	d, err := wb.Display(ctx)
	require.NoError(t, err)
	m := map[string]string{}
	for _, sh := range wb.Sheets {
		if !sh.Worksheet() {
			continue
		}
		for s, err := range wb.Rows(ctx, sh.Part, book.Window{Display: d}) {
			require.NoError(t, book.IgnoreNoCells(err))
			if s.Event == sheetml.WholeCell {
				m[sh.Name+"!"+cellref.Name(s.Cell.Row, s.Cell.Col)] = d.Show(s)
			}
		}
	}
	return m
}

func TestLibreOfficeOpensTheResults(t *testing.T) {
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	all := formatstest.Corpus(t, "xlsx")
	for _, path := range []string{all[0], all[len(all)/2]} {
		in := load(t, path)
		out, _, err := tryApply(t, in, `[{"op":"ensure_sheet","sheet":"Probe"},{"op":"set_range","sheet":"Probe","start":"A1","values":[["a",1,"=B1+1"]]},{"op":"set_column_widths","sheet":"Probe","columns":[{"column":"A","width":30}]},{"op":"freeze_panes","sheet":"Probe","row":1},{"op":"set_row_heights","sheet":"Probe","rows":[{"row":2,"height":40}]}]`)
		require.NoError(t, err)
		made := formatstest.LibreOffice(t, formatstest.Write(t, "probe.xlsx", out), "xlsx")
		b, err := os.ReadFile(made)
		require.NoError(t, err)
		v, err := excel(t, b).GetCellValue("Probe", "C1")
		require.NoError(t, err)
		require.Equal(t, "2", v, "LibreOffice calculates the new formula")

		wb, err := open(t.Context(), src(in))
		require.NoError(t, err)
		less, _ := apply(t, out, fmt.Sprintf(`[{"op":"delete_sheet","sheet":%s}]`, jsonString(wb.Sheets[0].Name)))
		targets := map[string]string{}
		for id, s := range segments(t, less) {
			targets[id] = s.Text + "·"
		}
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "less.xlsx", replace(t, less, targets)))
	}
}
