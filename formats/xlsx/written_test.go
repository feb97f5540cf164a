package xlsx

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/campaign"
)

// longShared is a workbook in which n rows share one formula of 8,000 characters;
// the first adds plus.
func longShared(t testing.TB, n int, plus string) []byte {
	var sb strings.Builder
	fmt.Fprintf(&sb, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" si="0" ref="B1:B%d">%s%s</f><v>1</v></c></row>`, n, strings.Repeat("A1+", 2_600), plus)
	for r := 2; r <= n; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d"><f t="shared" si="0"/><v>1</v></c></row>`, r, r, r%7, r)
	}
	return raw(t, nil, sb.String()+"</sheetData>")
}

// one edited cell beside a long shared formula is all that a review tells.
func TestX18ReviewBesideASharedFormula(t *testing.T) {
	in := longShared(t, 5_000, "1")
	b := edited(t, in, sheet1, swap(`<c r="A2500"><v>1</v>`, `<c r="A2500"><v>77</v>`))
	d, err := Format().Differ.Diff(context.Background(), src(in), src(b), formats.DiffOptions{})
	require.NoError(t, err)
	require.Equal(t, "1 cell in 1 sheet", d.Summary)
	require.Equal(t, "A2500", d.Groups[0].Items[0].At)
	require.Empty(t, d.Warnings)
}

// what a review does not compare, since it would be too much, it names.
func TestX18ReviewOfAnEditedSharedFormula(t *testing.T) {
	campaign.Slow(t)
	d, err := Format().Differ.Diff(context.Background(), src(longShared(t, 5_000, "1")), src(longShared(t, 5_000, "2")), formats.DiffOptions{})
	require.NoError(t, err)
	require.Equal(t, formats.Modified, d.Groups[0].Items[0].Change, "the first formulas are compared")
	require.Len(t, d.Warnings, 1)
	require.Regexp(t, `^S1!B\d+:B5000: too large to compare in full: 3\d{3} cells here with long shared formulas were compared by their values only$`, d.Warnings[0])
}

// an edit that would have to write each member out is refused; a search
// tells how many it did not look through.
func TestX18EditsOfASharedFormula(t *testing.T) {
	if testing.Short() || campaign.Small() {
		t.Skip("long formulas are slow: in large samples and full campaigns")
	}
	in := longShared(t, 5_000, "1")
	for _, op := range []string{
		`[{"op":"insert_rows","sheet":"S1","row":3,"count":1}]`,
		`[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":5}]}]`,
		`[{"op":"replace_text","search":"A7\\b","regex":true,"replace":"C7","in_formulas":true}]`,
	} {
		_, _, err := tryApply(t, in, op)
		require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%s: %v", op, err)
		require.ErrorContains(t, err, "the formulas that share the one of B1 come to more than 16 MB")
	}
	_, rep := apply(t, in, `[{"op":"replace_text","search":"nowhere","replace":"x"}]`)
	require.Regexp(t, `[23]\d{3} formulas were not searched: written out they are over 16 MB`, strings.Join(rep.Ops[0].Warnings, "\n"))
}

// estimates share the texts that many cells show.
func TestX18EstimatesOfOneLongString(t *testing.T) {
	var sb strings.Builder
	for r := 1; r <= 5_000; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d" t="s"><v>0</v></c></row>`, r, r)
	}
	in := raw(t, map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `"><si><t>` + strings.Repeat("x", 32_000) + `</t></si></sst>`}, "<sheetData>"+sb.String()+"</sheetData>")
	text := func() {
		_, err := Format().Reader.Read(context.Background(), src(in), formats.Selector{Range: "A1:A2", Include: []string{formats.IncludeAll}})
		require.NoError(t, err)
	}
	bytes := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			text()
		}
	}).AllocedBytesPerOp()
	require.Less(t, bytes, int64(40<<20), "5,000 copies are 160 MB")
}
