package all

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/ooxml/revert"
)

// linesBook is a workbook with a list, totals and another sheet that reads both.
func linesBook(t *testing.T) []byte {
	rows := `["Name","Amount","Twice"]`
	for i := 2; i <= 12; i++ {
		rows += fmt.Sprintf(`,["item %d",%d,"=B%d*2"]`, i, i*10, i)
	}
	ops := []string{
		`{"op":"set_range","sheet":"List","start":"A1","values":[` + rows + `,["Total","=SUM(B2:B12)","=SUM(C2:C12)"]]}`,
		`{"op":"set_range","sheet":"Other","start":"A1","values":[["=List!B7","=SUM(List!B2:B12)","=List!B13"]]}`,
		`{"op":"merge_cells","sheet":"List","range":"E5:F5"}`,
		`{"op":"set_style","sheet":"List","range":"A6:C6","style":{"font_bold":true}}`,
		`{"op":"recalculate"}`,
	}
	var raw []json.RawMessage
	for _, o := range ops {
		raw = append(raw, json.RawMessage(o))
	}
	var out bytes.Buffer
	_, err := editorOf(t, formats.KindXlsx).Apply(context.Background(), nil, &out, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	return out.Bytes()
}

// Every block of rows or columns that came, went or moved goes back without the others.
func TestRevertLines(t *testing.T) {
	file := linesBook(t)
	insert := func(what string, at, n int) string {
		return fmt.Sprintf(`{"op":"insert_rows","sheet":"List","row":%d,"count":%d}`, at, n)
	}
	fill := func(row int) string {
		return fmt.Sprintf(`{"op":"set_range","sheet":"List","start":"A%d","values":[["new %d",7,"=B%d*2"]]}`, row, row, row)
	}
	for name, ops := range map[string][]string{
		"an inserted row":     {insert("", 4, 1), fill(4), `{"op":"set_cells","sheet":"List","cells":[{"cell":"A9","value":"changed"}]}`},
		"a deleted row":       {`{"op":"delete_rows","sheet":"List","row":5}`, `{"op":"set_cells","sheet":"List","cells":[{"cell":"A9","value":"changed"}]}`},
		"both":                {`{"op":"delete_rows","sheet":"List","row":10}`, insert("", 4, 1), fill(4)},
		"an inserted column":  {`{"op":"insert_columns","sheet":"List","column":"B"}`, `{"op":"set_range","sheet":"List","start":"B1","values":[["Code"],["a"],["b"],["c"],["d"],["e"],["f"],["g"]]}`, `{"op":"set_cells","sheet":"List","cells":[{"cell":"A9","value":"changed"}]}`},
		"a deleted column":    {`{"op":"delete_columns","sheet":"List","column":"B"}`, `{"op":"set_cells","sheet":"List","cells":[{"cell":"A9","value":"changed"}]}`},
		"a moved row":         {`{"op":"move_rows","sheet":"List","row":3,"to":9}`, `{"op":"set_cells","sheet":"List","cells":[{"cell":"A11","value":"changed"}]}`},
		"a moved column":      {`{"op":"move_columns","sheet":"List","column":"A","to":"E"}`, `{"op":"set_cells","sheet":"List","cells":[{"cell":"B9","value":"changed"}]}`},
		"sorted rows":         {`{"op":"sort_range","sheet":"List","range":"A2:C12","by":[{"column":"B","descending":true}]}`, `{"op":"set_cells","sheet":"Other","cells":[{"cell":"A9","value":"changed"}]}`},
		"a row that is read":  {insert("", 4, 1), fill(4), `{"op":"set_cells","sheet":"Other","cells":[{"cell":"A3","value":"=List!B4"},{"cell":"A5","value":"x"}]}`},
		"two rows of a block": {insert("", 4, 1), fill(4), insert("", 8, 1), fill(8)},
	} {
		t.Run(name, func(t *testing.T) {
			now := apply(t, formats.KindXlsx, "x.xlsx", file, ops)
			require.NotNil(t, now)
			before, after := formats.FromBytes("x.xlsx", file), formats.FromBytes("x.xlsx", now)
			plan, err := revert.NewPlan(context.Background(), set.Kind(formats.KindXlsx), before, after)
			require.NoError(t, err)
			all := idsOf(t, formats.KindXlsx, before, after)
			d, _ := set.Kind(formats.KindXlsx).Differ.Diff(context.Background(), before, after, formats.DiffOptions{})
			d.Identify()
			for _, g := range d.Groups {
				for _, it := range g.Items {
					o, ok := plan.Requires(it.ID)
					t.Log(it.ID[:4], g.Name, it.Change, it.At, it.Old, "|", it.New, ok, len(o))
				}
			}
			for _, f := range d.Facts {
				o, ok := plan.Requires(f.ID)
				t.Log(f.ID[:4], f.Kind, f.Change, f.At, f.Old, "|", f.New, ok, len(o))
			}
			require.Empty(t, plan.Rest)
			for _, id := range all {
				others, ok := plan.Requires(id)
				require.True(t, ok)
				ids := append(slices.Clone(others), id)
				var out bytes.Buffer
				_, err = plan.Write(context.Background(), &out, ids, formats.ApplyOptions{})
				require.NoError(t, err)
			}
		})
	}
}
