package formula

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/cellref"
)

func TestShiftFormula(t *testing.T) {
	for in, want := range map[string]string{
		"A1+$B$2":             "B3+$B$2",
		"SUM(A1:B2,$A3,C$4)":  "SUM(B3:C4,$A5,D$4)",
		`"A1"&'A1 x'!A1&X1()`: `"A1"&'A1 x'!B3&X1()`,
		"A:A+1:1+Sheet1!A1":   "B:B+3:3+Sheet1!B3",
		"XFD1":                "#REF!",
		"T[A1]+LOG10(A1)+1E5": "T[A1]+LOG10(B3)+1E5",
		"[1]S!A1":             "[1]S!A1",
		"TRUE+name.A1":        "TRUE+name.A1",
	} {
		require.Equal(t, want, Move(in, 2, 1), in)
	}
}

func TestRewriteFormula(t *testing.T) {
	rw := &Rewriter{Deleted: map[string]bool{"gone": true}, Order: []string{"a", "gone", "c"}}
	rw.RenameColumn("T", "Old", "New")
	for in, want := range map[string]string{
		"Gone!A1+A1":              "#REF!+A1",
		"SUM('gone'!A1:B2)&GoneX": "SUM(#REF!)&GoneX",
		`"Gone!A1"`:               `"Gone!A1"`,
		"SUM(A:Gone!A1)":          "SUM('a'!A1)",
		"T[Old]+U[Old]+T[[#This Row],[Old]]+T[[Old]:[X]]": "T[New]+U[Old]+T[[#This Row],[New]]+T[[New]:[X]]",
	} {
		got, _ := rw.Text(in, Place{})
		require.Equal(t, want, got)
	}
}

func TestFormulasFollowInsertedAndDeletedRows(t *testing.T) {
	for _, c := range []struct {
		sh       cellref.Shift
		in, want string
	}{
		{cellref.Shift{At: 3, Count: 2}, "A1+A3+$A$3", "A1+A5+$A$5"},
		{cellref.Shift{At: 3, Count: 2}, "SUM(A1:A5)+SUM(3:4)+SUM(B:B)", "SUM(A1:A7)+SUM(5:6)+SUM(B:B)"},
		{cellref.Shift{At: 3, Count: 2}, "SUM(A1:A2)", "SUM(A1:A2)"},
		{cellref.Shift{At: 3, Count: 2}, "S2!A3+'My S'!A3", "S2!A3+'My S'!A3"},
		{cellref.Shift{At: 3, Count: 2}, `S1!A3&"A3"&LOG10(A3)&Name3`, `S1!A5&"A3"&LOG10(A5)&Name3`},
		{cellref.Shift{At: 3, Count: -2}, "A1+A3+A5", "A1+#REF!+A3"},
		{cellref.Shift{At: 3, Count: -2}, "SUM(A1:A3)+SUM(A4:A9)+SUM(A3:A4)", "SUM(A1:A2)+SUM(A3:A7)+SUM(#REF!)"},
		{cellref.Shift{At: 3, Count: -2}, "S1!A4", "S1!#REF!"},
		{cellref.Shift{At: 3, Count: -2}, "SUM(A1:A1048576)", "SUM(A1:A1048576)"},
		{cellref.Shift{At: 2, Count: 1, Cols: true}, "A1+B1+SUM(A:C)+SUM(2:3)+$B$1", "A1+C1+SUM(A:D)+SUM(2:3)+$C$1"},
		{cellref.Shift{At: 2, Count: -1, Cols: true}, "A1+B1+SUM(A1:C1)", "A1+#REF!+SUM(A1:B1)"},
		{cellref.Shift{At: 1, Count: 1}, "A1048576", "#REF!"},
		{cellref.Shift{At: 2, Count: 1}, "SUM(S1:S3!A2)", "SUM(S1:S3!A2)"},
	} {
		fo := &Rewriter{Sheet: "s1", Shift: &c.sh}
		now, _ := fo.Text(c.in, Place{Sheet: "s1"})
		require.Equal(t, c.want, now, "%+v", c)
	}
}

func TestRenamedSheetsInFormulas(t *testing.T) {
	for _, c := range []struct{ TableChange, in, want string }{
		{"New", "Old!A1+old!B2+Older!C1", "New!A1+New!B2+Older!C1"},
		{"My Sheet", "Old!A1*'Old'!$B$2", "'My Sheet'!A1*'My Sheet'!$B$2"},
		{"It's", "Old!A1", "'It''s'!A1"},
		{"R1", "Old!A1", "'R1'!A1"},
		{"A1", "Old!A1", "'A1'!A1"},
		{"2024", "Old!A1", "'2024'!A1"},
		{"New", `"Old!A1"&Old!Name&Old!#REF!`, `"Old!A1"&New!Name&New!#REF!`},
		{"New", "SUM(Old:Z!A1)+SUM('A:Old'!B2)", "SUM(New:Z!A1)+SUM(A:New!B2)"},
		{"N w", "SUM(Old:Z!A1)", "SUM('N w:Z'!A1)"},
		{"New", "[1]Old!A1", "[1]Old!A1"},
	} {
		fo := &Rewriter{Names: map[string]string{"old": c.TableChange}}
		now, _ := fo.Text(c.in, Place{Sheet: "s1"})
		require.Equal(t, c.want, now)
	}
}

// formulas draws texts that are formulas, and some that only look like one.
func formulas() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"A1", "$B$2", "C$3", "A1:B2", "A:C", "3:9", "S1!A1", "'My S'!$A$1:B2", "S1:S3!A1", "[1]X!A1", "SUM(", "LET(x,", ")", "+", "&", ",", " ", `"A1 ""q"""`, `"`, "'", "#REF!", "#", "T[a]", "T[[#This Row],[a]]", "T[", "TRUE", "1E5", "é", "Name.1", "{", "}", "@", "XFD1048576", "A0"})
	return rapid.Map(rapid.SliceOfN(piece, 0, 12), func(p []string) string { return strings.Join(p, "") })
}

func TestTokensCoverTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := formulas().Draw(t, "formula")
		at := 0
		for tok := range Tokens(f) {
			require.Equal(t, at, tok.Start, f)
			require.Greater(t, tok.End, tok.Start, f)
			require.True(t, tok.Body >= tok.Start && tok.Body <= tok.End, f)
			if tok.Kind == Ref {
				require.False(t, tok.Range().Empty(), f)
			}
			at = tok.End
		}
		require.Equal(t, len(f), at, f)
	})
}

func TestMovesAndShiftsThatUndoEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := formulas().Draw(t, "formula")
		require.Equal(t, f, Move(f, 0, 0))
		dr, dc := rapid.IntRange(0, 50).Draw(t, "rows"), rapid.IntRange(0, 50).Draw(t, "columns")
		there := Move(f, dr, dc)
		if strings.Count(there, "#REF!") == strings.Count(f, "#REF!") { // none was pushed off the sheet
			require.Equal(t, strings.ToUpper(f), strings.ToUpper(Move(there, -dr, -dc)))
		}
		in := &cellref.Shift{At: rapid.IntRange(1, 10).Draw(t, "at"), Count: rapid.IntRange(1, 5).Draw(t, "count"), Cols: rapid.Bool().Draw(t, "cols")}
		back := &cellref.Shift{At: in.At, Count: -in.Count, Cols: in.Cols}
		p := Place{Sheet: "s1"}
		there, _ = (&Rewriter{Sheet: "s1", Shift: in}).Text(f, p)
		if strings.Count(there, "#REF!") == strings.Count(f, "#REF!") {
			now, _ := (&Rewriter{Sheet: "s1", Shift: back}).Text(there, p)
			require.Equal(t, f, now, there)
		}
	})
}
