package formula

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/cellref"
)

// What each token is: kind, sheets and text.
func TestKindsOfTokens(t *testing.T) {
	for f, want := range map[string]string{
		`SUM(A1:$B$2,"x""y")`:   `F"SUM" ( R"A1:$B$2" , S"""x""""y""" )`,
		"'It''s 1'!A1+S1!B2":    `R[It's 1]"'It''s 1'!A1" + R[S1]"S1!B2"`,
		"S1:S3!A1+'A b:C'!B:B":  `R[S1:S3]"S1:S3!A1" + R[A b:C]"'A b:C'!B:B"`,
		"[1]S!A1+'[b.xlsx]S'!A": `X"[1]S!A1" + X"'[b.xlsx]S'!A"`,
		"T[[#This Row],[a']b]]": `T"T[[#This Row],[a']b]]"`,
		"T[a]*Rate+S1!Rate":     `T"T[a]" * N"Rate" + N[S1]"S1!Rate"`,
		"#REF!+S1!#REF!+#N/A":   `E"#REF!" + E[S1]"S1!#REF!" + E"#N/A"`,
		"1.5E3+TRUE":            `N"1.5E3" + N"TRUE"`,
		"3:9+A:$C":              `R"3:9" + R"A:$C"`,
		"A1:B":                  `R"A1" : N"B"`,
		"XFE1+A1048577+A0":      `N"XFE1" + N"A1048577" + N"A0"`,
		"LOG10(1)+LOG10":        `F"LOG10" ( N"1" ) + R"LOG10"`,
		"{1,2;\"a\"}":           `{ N"1" , N"2" ; S"""a""" }`,
	} {
		var got []string
		for _, tok := range Lex(f) {
			s := strings.ReplaceAll(f[tok.Start:tok.End], `"`, `""`)
			where := tok.Sheet
			if tok.LastSheet != "" {
				where += ":" + tok.LastSheet
			}
			if where != "" {
				where = "[" + where + "]"
			}
			if tok.Kind == Other {
				got = append(got, s)
				continue
			}
			got = append(got, string("ORFNTSEX"[tok.Kind])+where+`"`+s+`"`)
		}
		assert.Equal(t, want, strings.Join(got, " "), f)
	}
	require.Empty(t, Lex(strings.Repeat("A", MaxBytes+1)))
}

// cell is a reference that the second implementation moves by itself.
type cell struct {
	row, col       int
	absRow, absCol bool
}

func (c cell) text() string {
	dollar := func(abs bool) string {
		if abs {
			return "$"
		}
		return ""
	}
	name := ""
	for n := c.col; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return dollar(c.absCol) + name + dollar(c.absRow) + strconv.Itoa(c.row)
}

func drawCell(t *rapid.T) cell {
	return cell{rapid.IntRange(1, 40).Draw(t, "row"), rapid.IntRange(1, 800).Draw(t, "column"), rapid.Bool().Draw(t, "$row"), rapid.Bool().Draw(t, "$column")}
}

// frames are formulas around references to the sheet S1, and what stays as it is in
// them: quoted names, texts, tables, spans and other workbooks.
var frames = []string{"%s+1", "SUM(%s)*2", "S1!%s&\"A1:B2\"", "'S1'!%s-'Other sheet'!A1:B9", "IF(%s>0,T[A1],T[[#This Row],[B2]])", "[1]S1!A1+%s", "[Book2.xlsx]S1!$A$1*%s", "LOG10(%s)+SUM(S1:S3!A1)", "\"it's \"\"A1\"\"\"&%s", "Other!A5+%s", "{1,2}*%s+A1B", "_A1+A1.B+%s"}

// Inserted and deleted rows and columns, against a list of the rows from which
// elements are taken or into which they are put.
func TestShiftsBySecondImplementation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame := rapid.SampledFrom(frames).Draw(t, "frame")
		a := drawCell(t)
		shift := &cellref.Shift{Cols: rapid.Bool().Draw(t, "columns"), At: rapid.IntRange(1, 50).Draw(t, "at"), Count: rapid.IntRange(-6, 6).Filter(func(n int) bool { return n != 0 }).Draw(t, "count")}
		at := &a.row
		if shift.Cols {
			at = &a.col
		}
		was := fmt.Sprintf(frame, a.text())
		want := ""
		switch {
		case *at < shift.At:
			want = was
		case shift.Count < 0 && *at < shift.At-shift.Count:
			want = fmt.Sprintf(frame, "#REF!")
		default:
			*at += shift.Count
			want = fmt.Sprintf(frame, a.text())
		}
		rw := &Rewriter{Sheet: "s1", Shift: shift}
		now, changed := rw.Text(was, Place{Sheet: "s1"})
		require.Equal(t, want, now)
		require.Equal(t, was != want, changed)
		if !strings.Contains(frame, "S1!%s") && !strings.Contains(frame, "'S1'!%s") {
			now, changed = rw.Text(was, Place{Sheet: "elsewhere"})
			require.Equal(t, was, now)
			require.False(t, changed)
		}
	})
}

// Move against arithmetic on the numbers of rows and columns.
func TestMovesBySecondImplementation(t *testing.T) {
	ref := regexp.MustCompile(`%s`)
	rapid.Check(t, func(t *rapid.T) {
		frame := rapid.SampledFrom([]string{"%s+1", "SUM(%s)*T[A1]", "'O s'!%s&\"A1\"", "[1]S!A1+%s", "LOG10(%s)"}).Draw(t, "frame")
		a, b := drawCell(t), drawCell(t)
		dr, dc := rapid.IntRange(-45, 45).Draw(t, "rows"), rapid.IntRange(-900, 900).Draw(t, "columns")
		moved := func(c cell) (cell, bool) {
			if !c.absRow {
				c.row += dr
			}
			if !c.absCol {
				c.col += dc
			}
			return c, c.row >= 1 && c.col >= 1
		}
		x, okX := moved(a)
		y, okY := moved(b)
		one, two := "#REF!", "#REF!"
		if okX {
			one = x.text()
		}
		if okX && okY {
			two = x.text() + ":" + y.text()
		}
		require.Equal(t, ref.ReplaceAllLiteralString(frame, one), Move(fmt.Sprintf(frame, a.text()), dr, dc))
		require.Equal(t, ref.ReplaceAllLiteralString(frame, two), Move(fmt.Sprintf(frame, a.text()+":"+b.text()), dr, dc))
	})
}

// A sheet renamed there and back leaves the formula, if its name needs quotes or not.
func TestRenamedThereAndBack(t *testing.T) {
	names := rapid.SampledFrom([]string{"Data", "My data", "It's", "2026", "A1", "R1C1", "TRUE", "Ünï", "a.b", "a-b", "x!y"})
	rapid.Check(t, func(t *rapid.T) {
		from, to := names.Draw(t, "from"), names.Draw(t, "to")
		was := SheetPrefix(from) + "A1*SUM(" + SheetPrefix(from) + "$B$2:C9)+Other!A1&\"" + "Data!A1\""
		now, changed := (&Rewriter{Names: map[string]string{strings.ToLower(from): to}}).Text(was, Place{})
		require.Equal(t, strings.ReplaceAll(strings.ReplaceAll(was, SheetPrefix(from)+"A1*", SheetPrefix(to)+"A1*"), SheetPrefix(from)+"$B", SheetPrefix(to)+"$B"), now)
		require.Equal(t, from != to, changed)
		back, _ := (&Rewriter{Names: map[string]string{strings.ToLower(to): from}}).Text(now, Place{})
		require.Equal(t, was, back)
		toks := Lex(SheetPrefix(to) + "A1")
		require.Len(t, toks, 1)
		require.Equal(t, to, toks[0].Sheet)
		require.Equal(t, Ref, toks[0].Kind)
	})
}

func TestStoredAndShown(t *testing.T) {
	for typed, stored := range map[string]string{
		"SUM(A1)": "SUM(A1)", "XLOOKUP(A1,B:B,C:C)": "_xlfn.XLOOKUP(A1,B:B,C:C)", "sort(FILTER(A1:A9,B1:B9))": "_xlfn._xlws.sort(_xlfn._xlws.FILTER(A1:A9,B1:B9))",
		"LET(x,1,x+LEN(\"x\"))": "_xlfn.LET(_xlpm.x,1,_xlpm.x+LEN(\"x\"))", "LAMBDA(a,b,a*b)(1,2)": "_xlfn.LAMBDA(_xlpm.a,_xlpm.b,_xlpm.a*_xlpm.b)(1,2)",
		"SUM(A1#)": "SUM(_xlfn.ANCHORARRAY(A1))", "@A1:A9": "A1:A9", "T[@a]*2": "T[[#This Row],[a]]*2", "T[@]": "T[#This Row]", "T[@[a b]]": "T[[#This Row],[a b]]", `"XLOOKUP("`: `"XLOOKUP("`, "IFS+1": "IFS+1",
		"LAMBDA(x,[y],IF(ISOMITTED(y),x,y))(3)": "_xlfn.LAMBDA(_xlpm.x,_xlop.y,IF(_xlfn.ISOMITTED(_xlpm.y),_xlpm.x,_xlpm.y))(3)", "LAMBDA([x],[y],1)": "_xlfn.LAMBDA(_xlop.x,_xlop.y,1)",
		"BYROW(A1:B3,SUM)": "_xlfn.BYROW(A1:B3,_xleta.SUM)", "MAP(A1:A3,rate,MAX)": "_xlfn.MAP(A1:A3,rate,_xleta.MAX)", "BYROW(A1:B3,mine)": "_xlfn.BYROW(A1:B3,mine)",
		"GROUPBY(A1:A9,B1:B9,SUM,3)": "_xlfn.GROUPBY(A1:A9,B1:B9,_xleta.SUM,3)", "REDUCE(0,MAP(A1:A2,ABS),SUM)": "_xlfn.REDUCE(0,_xlfn.MAP(A1:A2,_xleta.ABS),_xleta.SUM)",
	} {
		assert.Equal(t, stored, Stored(typed), typed)
		if !strings.ContainsAny(typed, "#@") {
			assert.Equal(t, typed, Shown(stored))
			assert.Equal(t, stored, Stored(Shown(stored)), typed)
		}
	}
	for name, want := range map[string]bool{"FILTER": true, "TREND": true, "SUM": false, "XLOOKUP": false} {
		assert.Equal(t, want, GivesSeveral(name), name)
	}
	for f, want := range map[string][]string{"F(1, \"a,b\" ,{1,2})": {"1", `"a,b"`, "{1,2}"}, "F((1,2),G(3,4))": {"(1,2)", "G(3,4)"}, "F()": {""}, "F(1": nil, "F": nil} {
		assert.Equal(t, want, Arguments(f, 1), f)
	}
	require.Equal(t, `a"b`, Unquote(`"a""b"`))
	require.Empty(t, Unquote(`"`))
	require.Equal(t, "SORT", BareFunction("_xlfn._xlws.SORT"))
}
