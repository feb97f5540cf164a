package calc

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLookup(t *testing.T) {
	b := sheetOf("1|one|x|5", "3|three|y|4", "5|five|x|4", "7|seven|z*|1", "9|nine|x|0")
	b.DefineName("spot", -1, "S1!$B$2")
	checkFormulas(t, b,
		`VLOOKUP(5,A1:B5,2,FALSE)`, `"five"`,
		`VLOOKUP(6,A1:B5,2)`, `"five"`,
		`VLOOKUP(6,A1:B5,2,0)`, `#N/A`,
		`VLOOKUP(0,A1:B5,2)`, `#N/A`,
		`VLOOKUP(100,A:B,2,TRUE)`, `"nine"`,
		`VLOOKUP("s*",B1:C5,2,0)`, `"z*"`,
		`VLOOKUP(5,A1:B5,3)`, `#REF!`,
		`VLOOKUP(5,A1:B5,0)`, `#VALUE!`,
		`VLOOKUP(5,A1:B5,2,)`, `"five"`,
		`HLOOKUP("three",A2:D3,2,FALSE)`, `"five"`,
		`LOOKUP(4,A1:A5,B1:B5)`, `"three"`,
		`LOOKUP(2,1/(C1:C5="x"),B1:B5)`, `"nine"`,
		`LOOKUP(4,A1:B5)`, `"three"`,
		`MATCH(5,A1:A5,0)`, `3`,
		`MATCH(6,A1:A5)`, `3`,
		`MATCH("z~*",C1:C5,0)`, `4`,
		`MATCH(0.5,D1:D5,-1)`, `4`,
		`MATCH(3,D1:D5,-1)`, `?form`,
		`MATCH(99,A1:B5,0)`, `#N/A`,
		`MATCH("seven",A4:D4,0)`, `2`,
		`INDEX(A1:B5,2,2)`, `"three"`,
		`SUM(INDEX(A1:B5,0,1))`, `25`,
		`INDEX(A1:A5,6)`, `#REF!`,
		`INDEX({1,2;3,4},2,1)`, `3`,
		`INDEX(A1:D1,2)`, `"one"`,
		`INDEX(B1:B5,MATCH(1,INDEX((A1:A5>3)*(C1:C5="x"),0),0))`, `"five"`,
		`XMATCH(6,A1:A5,-1)`, `3`,
		`XMATCH(6,A1:A5,1)`, `4`,
		`XMATCH(5,{1,3,5,9},0,2)`, `3`,
		`XMATCH(6,{9,5,3},-1,-2)`, `2`,
		`XLOOKUP(6,{1,3,5,9},{"a","b","c","d"},,1,2)`, `"d"`,
		`XMATCH(5,{5,3,9},0,2)`, `?form`,
		`XMATCH("x",C1:C5,0,-1)`, `5`,
		`XLOOKUP(3,A1:A5,B1:B5)`, `"three"`,
		`XLOOKUP(4,A1:A5,B1:B5,"none")`, `"none"`,
		`XLOOKUP(4,A1:A5,B1:B5,,1)`, `"five"`,
		`XLOOKUP("se*",B1:B5,A1:A5,,2)`, `7`,
		`{=XLOOKUP(3,A1:A5,A1:B5)}`, `{3,"three"}`,
		`{=XLOOKUP({1;9},A1:A5,B1:B5)}`, `{"one";"nine"}`,
		`CHOOSE(2,"a","b")`, `"b"`,
		`CHOOSE(3,"a","b")`, `#VALUE!`,
		`SUM(CHOOSE(1,A1:A5,D1:D5))`, `25`,
		`{=TRANSPOSE(A1:B2)}`, `{1,3;"one","three"}`,
		`ROW()`, `50`,
		`ROW(B7)`, `7`,
		`{=ROW(A2:A4)}`, `{2;3;4}`,
		`SUM(ROW(A2:A4))`, `2`,
		`SUMPRODUCT(ROW(A2:A4))`, `9`,
		`COLUMN()`, `26`,
		`COLUMNS(A:C)`, `3`,
		`ROWS({1;2})`, `2`,
		`ADDRESS(2,3)`, `"$C$2"`,
		`ADDRESS(2,3,4)`, `"C2"`,
		`ADDRESS(2,3,2,FALSE)`, `"R2C[3]"`,
		`ADDRESS(2,3,1,TRUE,"Net sales")`, `"'Net sales'!$C$2"`,
		`INDIRECT("A"&2)`, `3`,
		`SUM(INDIRECT("S1!A1:A5"))`, `25`,
		`INDIRECT("spot")`, `"three"`,
		`INDIRECT("R2C1",FALSE)`, `3`,
		`INDIRECT("x y")`, `#REF!`,
		`SUM(OFFSET(A1,1,0,2,1))`, `8`,
		`OFFSET(A1,-1,0)`, `#REF!`,
		`SUM(OFFSET(A5,0,0,-2,1))`, `16`,
		`HYPERLINK("http://x","y")`, `"y"`,
	)
}

func TestStructuredReferences(t *testing.T) {
	b := sheetOf("Item|Price [net]|Total", "a|1|", "b|2|", "c|3|", "sum||6")
	b.tables["sales"] = &table{sheet: 0, ref: rangeOf(t, "A1:C5"), headers: 1, totals: 1, columns: map[string]int{"item": 0, "price [net]": 1, "total": 2}}
	b.SetFormula(At(0, 3, 3), "Sales[[#This Row],[Price '[net']]]*2")
	checkFormulas(t, b,
		`SUM(Sales[Price '[net']])`, `6`,
		`SUM(Sales[#Data])`, `10`,
		`ROWS(Sales)`, `3`,
		`ROWS(Sales[#All])`, `5`,
		`COLUMNS(Sales[[Item]:[Total]])`, `3`,
		`INDEX(Sales[#Headers],2)`, `"Price [net]"`,
		`Sales[[#Totals],[Total]]`, `6`,
		`Sales[[#This Row],[Item]]`, `#VALUE!`,
		`Sales[Nothing]`, `#REF!`,
		`Other[Item]`, `?name`,
	)
	if got := valueAt(t, b, "C3"); got != "4" {
		t.Fatal(got)
	}
}

// Searches in long columns give the same with and without an index, also while
// the column is being calculated.
func TestColumnIndex(t *testing.T) {
	b := NewBook("S1")
	const n = 300
	for row := 1; row <= n; row++ {
		switch {
		case row%3 == 0:
			b.SetValue(At(0, row, 1), Str(strconv.Itoa(row%50)))
		case row%3 == 1:
			b.SetValue(At(0, row, 1), Num(float64(row%50)))
		default:
			b.SetValue(At(0, row, 1), Str("Key "+strconv.Itoa(row%40)))
		}
		b.SetFormula(At(0, row, 2), fmt.Sprintf("A%d", row))
	}
	for _, text := range []string{
		`MATCH(7,A1:A300,0)`, `MATCH("7",A1:A300,0)`, `MATCH("key 8",A20:A300,0)`, `MATCH("key 99",A:A,0)`, `MATCH(7,B:B,0)`,
		`COUNTIF(A:A,7)`, `COUNTIF(A:A,"key 8")`, `COUNTIF(A10:A200,"key 8")`, `COUNTIF(B:B,"7")`, `SUMIFS(A:A,A:A,7)`, `COUNTIFS(A:A,"<>x",B:B,7)`,
		`VLOOKUP("KEY 8",A:B,2,FALSE)`, `_xlfn.XLOOKUP("key 8",A1:A300,B1:B300)`,
	} {
		e := NewEvaluator(t.Context(), b, english)
		var got []string
		for range 3 {
			v, err := e.calculateForm(At(0, 1, 5), mustForm(b, text))
			require.NoError(t, err)
			got = append(got, shownValue(v))
			e.running = running{} // which would have the result
		}
		require.Equal(t, []string{got[0], got[0], got[0]}, got, text)
		x := e.indexes[columnKey{0, 1, e.locale}]
		y := e.indexes[columnKey{0, 2, e.locale}]
		require.True(t, x != nil && x.built || y != nil && y.built || text == `MATCH(7,B:B,0)`, text) // that one leaves most of B due
	}
}
