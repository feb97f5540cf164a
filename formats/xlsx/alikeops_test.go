package xlsx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/sheetml"
)

// appliedBoth does an operation with rows taken as a whole and cell by cell: the files,
// reports and errors must be the same. It returns the file.
func appliedBoth(t require.TestingT, in []byte, op string) []byte {
	defer func() { sheetml.CompareRows = true }()
	var outs [2][]byte
	var said [2]string
	for i := range outs {
		sheetml.CompareRows = i == 0
		var buf bytes.Buffer
		rep, err := Format().Editor.Apply(context.Background(), src(in), &buf, []json.RawMessage{json.RawMessage(op)}, formats.ApplyOptions{})
		js, _ := json.Marshal(rep)
		outs[i], said[i] = buf.Bytes(), fmt.Sprint(string(js), err)
	}
	require.Equal(t, said[1], said[0], op)
	require.Equal(t, len(outs[1]), len(outs[0]), op)
	require.True(t, bytes.Equal(outs[1], outs[0]), op)
	return outs[0]
}

// likeRows draws rows of which many are alike, with some that are not.
func likeRows(t *rapid.T) string {
	pick := func(name string, list ...string) string { return rapid.SampledFrom(list).Draw(t, name) }
	var forms []string // with R for the row and V for values
	for range rapid.IntRange(1, 4).Draw(t, "forms") {
		var sb strings.Builder
		for c := range 5 {
			style := pick("style", "", "", ` s="1"`)
			at := fmt.Sprintf(`<c r="%cR"%s`, 'A'+c, style)
			sb.WriteString(pick("cell", "", at+`><v>N</v></c>`, at+`><v>N</v></c>`, at+` t="s"><v>S</v></c>`, at+` t="inlineStr"><is><t>T</t></is></c>`,
				at+` t="inlineStr"><is><t xml:space="preserve">T</t></is></c>`, at+` t="b"><v>1</v></c>`, at+` t="str"><v>T</v></c>`, at+`/>`, at+`><v></v></c>`,
				at+`><f>F</f><v>N</v></c>`, at+`><f>F</f></c>`, at+` t="str"><f>F</f><v>T</v></c>`, at+`><f ca="1">F</f><v>N</v></c>`, at+` t="e"><v>#N/A</v></c>`, at+`><is><t>T</t></is></c>`))
		}
		forms = append(forms, sb.String())
	}
	odd := []string{"", `<c r="AR"><f t="shared" ref="AR:A40" si="0">B1*2</f><v>1</v></c>`, `<c r="AR"><f t="shared" si="0"/><v>4</v></c>`, `<c r="BR"><v>1</v></c><c r="AR"><v>2</v></c>`, `<c><v>5</v></c>`, `<!-- x --><c r="CR"><v>3</v></c>`}
	var sb strings.Builder
	row := 0
	for range rapid.IntRange(2, 30).Draw(t, "rows") {
		row += rapid.SampledFrom([]int{1, 1, 1, 1, 1, 2, 0}).Draw(t, "step")
		r := max(row, 1)
		body := rapid.SampledFrom(forms).Draw(t, "form")
		if rapid.IntRange(0, 12).Draw(t, "odd") == 0 {
			body = rapid.SampledFrom(odd).Draw(t, "odd form")
		}
		for mark, values := range map[string][]string{"N": {"1", "2.5", "-7", "12345678901234567890", "1e3"}, "S": {"0", "1", "2"}, "T": {"item", "Item 12 &amp; more", "x", "longer text here"},
			"F": {fmt.Sprintf("A%d*2", r), fmt.Sprintf("SUM(A%d:B%d)", r, r+1), "1+1", `IF(A1&gt;2,"item","")`, fmt.Sprintf("$B$2+C%d", max(r-1, 1))}} {
			for strings.Contains(body, ">"+mark+"<") {
				body = strings.Replace(body, ">"+mark+"<", ">"+pick("value", values...)+"<", 1)
			}
		}
		fmt.Fprintf(&sb, `<row r="%d"%s>%s</row>`, r, pick("attrs", "", "", ` ht="20" customHeight="1"`, ` hidden="1"`, ` spans="1:5"`), strings.ReplaceAll(body, "R", fmt.Sprint(r)))
	}
	return sb.String()
}

// Rows that are taken as a whole become what their cells do one by one.
func TestRowsOfAFormAreEditedAsTheirCells(t *testing.T) {
	before := maxHeldChunks
	defer func() { maxHeldChunks = before }()
	changed := 0
	rapid.Check(t, func(rt *rapid.T) {
		rows := likeRows(rt)
		in := raw(t, map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `"><si><t>b</t></si><si><t>item</t></si><si><t>a</t></si></sst>`}, `<sheetData>`+rows+`</sheetData>`)
		r := rapid.IntRange(1, 20).Draw(rt, "row")
		op := rapid.SampledFrom([]string{
			fmt.Sprintf(`{"op":"sort_range","sheet":"S1","range":"A%d:E40","by":[{"column":"A"},{"column":"C","descending":true}]}`, min(r, 3)),
			`{"op":"sort_range","sheet":"S1","range":"A1:E40","by":[{"column":"B","descending":true}]}`,
			`{"op":"sort_range","sheet":"S1","range":"B1:D40","by":[{"column":"C"}]}`,
			fmt.Sprintf(`{"op":"insert_rows","sheet":"S1","row":%d,"count":2}`, r),
			fmt.Sprintf(`{"op":"delete_rows","sheet":"S1","row":%d,"count":3}`, r),
			fmt.Sprintf(`{"op":"move_rows","sheet":"S1","row":%d,"count":3,"to":%d}`, r, r+6),
			`{"op":"insert_columns","sheet":"S1","column":"B","count":1}`,
			`{"op":"replace_text","search":"item","replace":"thing"}`,
			`{"op":"replace_text","search":"12","replace":"13","match_case":true}`,
			`{"op":"replace_text","search":"item","replace":"thing","in_formulas":true,"whole_cell":true}`,
			`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A2","value":9}]}`,
		}).Draw(rt, "op")
		maxHeldChunks = rapid.SampledFrom([]int{1, 24}).Draw(rt, "chunks")
		if !bytes.Equal(appliedBoth(rt, in, op), in) {
			changed++
		}
	})
	require.Positive(t, changed)
}

// The same with the sheets of the corpus.
func TestRowsOfTheCorpusAreEditedAsTheirCells(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "xlsx") {
		in := load(t, path)
		m, err := Format().Mapper.Map(t.Context(), src(in), formats.MapOptions{})
		if err != nil {
			continue
		}
		js, err := json.Marshal(m)
		require.NoError(t, err)
		var found struct {
			Sheets []struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(js, &found))
		if len(found.Sheets) == 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			name, err := json.Marshal(found.Sheets[0].Name)
			require.NoError(t, err)
			for _, op := range []string{
				`{"op":"sort_range","sheet":%s,"range":"A2:XFD100000","by":[{"column":"A","descending":true}]}`,
				`{"op":"insert_rows","sheet":%s,"row":2,"count":1}`,
				`{"op":"delete_rows","sheet":%s,"row":3,"count":1}`,
				`{"op":"replace_text","sheet":%s,"search":"a","replace":"bb"}`,
			} {
				appliedBoth(t, in, fmt.Sprintf(op, name))
			}
		})
	}
}
