package xlsx

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/internal/campaign"
)

// The values that a chart stores follow its cells, set ones and calculated ones; points
// that stay the same keep their bytes.
func TestChartsStoreTheValuesOfTheirCells(t *testing.T) {
	in, rep := calculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["Month","Sales"],["Jan",1],["Feb","=B2*2"],["Mar","=B3*2"],["Apr",5]]},{"op":"add_chart","sheet":"S","type":"column","range":"A1:B5","cell":"D2"}]`)
	const chart = "xl/charts/chart1.xml"
	points := func(b []byte) string {
		var out []string
		for _, p := range strings.Split(part(t, b, chart), "<c:pt ")[1:] {
			i, rest, _ := strings.Cut(strings.TrimPrefix(p, `idx="`), `"`)
			_, v, _ := strings.Cut(rest, "<c:v>")
			v, _, _ = strings.Cut(v, "<")
			out = append(out, i+":"+v)
		}
		return strings.Join(out, " ")
	}
	require.Equal(t, "0:Sales 0:Jan 1:Feb 2:Mar 3:Apr 0:1 1:2 2:4 3:5", points(in), "formulas of the same call")
	require.Contains(t, rep.Effects, "1 chart stores the new values of its cells")

	out, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":10},{"cell":"A5","value":"May & more"}]}]`)
	require.Equal(t, "0:Sales 0:Jan 1:Feb 2:Mar 3:May &amp; more 0:10 1:20 2:40 3:5", points(out))
	require.Contains(t, rep.Effects, "1 chart stores the new values of its cells")
	formatstest.Validate(t, formatstest.Write(t, "chart.xlsx", out), "")

	// A cell that is empty or no number has no point; it comes back.
	out, _ = calculated(t, in, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":null},{"cell":"B5","value":"none"}]}]`)
	require.Equal(t, "0:Sales 0:Jan 1:Feb 2:Mar 3:Apr 1:0 2:0", points(out))
	again, _ := calculated(t, out, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":1},{"cell":"B5","value":5}]}]`)
	require.Equal(t, points(in), points(again))

	// A row in its range makes it longer.
	out, _ = calculated(t, in, `[{"op":"insert_rows","sheet":"S","row":3},{"op":"set_cells","sheet":"S","cells":[{"cell":"A3","value":"x"},{"cell":"B3","value":7}]}]`)
	require.Equal(t, "0:Sales 0:Jan 1:x 2:Feb 3:Mar 4:Apr 0:1 1:7 2:2 3:4 4:5", points(out))
	require.Contains(t, part(t, out, chart), `<c:ptCount val="5"/>`)

	// Values of other cells do not touch it, also where what it stores is another value.
	stale := edited(t, in, chart, swap("<c:v>5</c:v>", "<c:v>999</c:v>"))
	out, rep = calculated(t, stale, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"Z9","value":1}]}]`)
	require.Equal(t, part(t, stale, chart), part(t, out, chart))
	require.Empty(t, rep.Effects)

	// Fewer values than cells are those of shown rows: they stay, and that is told.
	hidden := edited(t, in, chart, func(s string) string { return strings.ReplaceAll(s, `<c:ptCount val="4"/>`, `<c:ptCount val="3"/>`) })
	out, rep = calculated(t, hidden, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B5","value":6}]}]`)
	require.Equal(t, part(t, hidden, chart), part(t, out, chart))
	require.Contains(t, strings.Join(rep.Warnings, " "), "1 series or label of charts keeps the values stored before")
}

// In the corpus, an edit of a cell that no chart shows leaves all charts byte for byte.
func TestChartsOfTheCorpusStay(t *testing.T) {
	campaign.Slow(t)
	charts := 0
	for _, path := range formatstest.CorpusFiles(t, "xlsx/*.xls[xm]") {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("book.xlsx", data)
		wb, err := open(t.Context(), src)
		if err != nil || opc.Locked(src) || len(wb.Sheets) == 0 || !wb.Sheets[0].Worksheet() {
			continue
		}
		op, err := json.Marshal(map[string]any{"op": "set_cells", "sheet": wb.Sheets[0].Name, "cells": []any{map[string]any{"cell": "XFC900000", "value": 1}}})
		require.NoError(t, err)
		var out bytes.Buffer
		if _, err := (editor{}).Apply(t.Context(), src, &out, []json.RawMessage{op}, formats.ApplyOptions{Calculate: true}); err != nil {
			continue // it refuses edits
		}
		before, after := formatstest.Parts(t, data), formatstest.Parts(t, out.Bytes())
		for name, doc := range before {
			if strings.HasPrefix(name, "xl/charts/chart") {
				require.Equal(t, string(doc), string(after[name]), "%s %s", path, name)
				charts++
			}
		}
	}
	formatstest.Report(t, "charts: %d of the corpus stay byte for byte", charts)
	require.Greater(t, charts, 5)
}
