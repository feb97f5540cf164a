package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func TestRowsThatChanged(t *testing.T) {
	runPlanted(t, []planted{
		{"inserted", grid(t, "a|1", "b|2", "c|3"), grid(t, "a|1", "new|9", "b|2", "c|3"), []string{"S1!row 2 added:  → new, 9", "rows added S1!2:2:  → 1 row inserted"}},
		{"inserted blank", grid(t, "a|1", "b|2", "c|3"), grid(t, "a|1", "", "", "b|2", "c|3"), []string{"rows added S1!2:3:  → 2 blank rows inserted"}},
		{"deleted", grid(t, "a|1", "b|2", "c|3", "d|4"), grid(t, "a|1", "d|4"), []string{"S1!row 2 removed: b, 2 → ", "S1!row 3 removed: c, 3 → ", "rows removed S1!2:3: 2 rows deleted → "}},
		{"appended", grid(t, "a|1"), grid(t, "a|1", "b|2"), []string{"S1!row 2 added:  → b, 2"}},
		{"emptied", grid(t, "a|1", "b|2", "c|3"), grid(t, "a|1", "", "c|3"), []string{"S1!row 2 removed: b, 2 → "}},
		{"moved", grid(t, "a|1", "b|2", "c|3", "d|4", "e|5", "f|6"), grid(t, "a|1", "e|5", "b|2", "c|3", "d|4", "f|6"), []string{"S1!row 2 moved from row 5"}},
		{"inserted above formulas that follow", grid(t, "1", "2", "=A1+A2→3"), grid(t, "1", "7", "2", "=A1+A3→3"), []string{"S1!row 2 added:  → 7", "rows added S1!2:2:  → 1 row inserted"}},
		{"a cell beside an inserted row", grid(t, "a|1", "b|2", "c|3", "d|4"), grid(t, "a|1", "new|0", "b|2", "c|33", "d|4"), []string{"S1!row 2 added:  → new, 0", "S1!B4 modified: 3 → 33", "rows added S1!2:2:  → 1 row inserted"}},
	})
}

// Random rows that come, go and change: what is told has each of them, at its
// place, and no other.
func TestRandomRows(t *testing.T) {
	for seed := range uint64(15) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var a, b, want []string
		line := 0
		fresh := func() string {
			line++
			return fmt.Sprintf("line %d|%d|%d", line, rnd.IntN(1_000_000), rnd.IntN(1_000_000))
		}
		for range 25 {
			a = append(a, fresh())
		}
		say := func(row string) string { return strings.ReplaceAll(row, "|", ", ") }
		gap := false // no two changes are neighbours: what they are then is a matter of taste
		for i, row := range a {
			kind := rnd.IntN(9)
			if gap || i == 0 || i == len(a)-1 {
				kind = 8
			}
			gap = kind < 3
			switch kind {
			case 0: // deleted
				want = append(want, fmt.Sprintf("S1!row %d removed: %s → ", i+1, say(row)))
			case 1: // inserted before it
				n := fresh()
				b = append(b, n)
				want = append(want, fmt.Sprintf("S1!row %d added:  → %s", len(b), say(n)))
				b = append(b, row)
			case 2: // one cell changed
				cells := strings.Split(row, "|")
				was := cells[1]
				cells[1] = "7" + was
				b = append(b, strings.Join(cells, "|"))
				want = append(want, fmt.Sprintf("S1!B%d modified: %s → %s", len(b), was, cells[1]))
			default:
				b = append(b, row)
			}
		}
		var got []string
		for _, s := range told(compare(t, grid(t, a...), grid(t, b...))) {
			if strings.HasPrefix(s, "S1!") {
				got = append(got, s)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "seed %d", seed)
	}
}

// Formats of blank cells and rows are told, wherever the row is.
func TestFormatsOfBlankRows(t *testing.T) {
	styles := map[string]string{"xl/styles.xml": xlsxtest.Styles("0.0")}
	book := func(row2 string) []byte {
		return xlsxtest.Raw(t, styles, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row>`+row2+`<row r="5"><c r="A5"><v>5</v></c></row></sheetData>`)
	}
	runPlanted(t, []planted{
		{"a blank cell", book(""), book(`<row r="2"><c r="C2" s="1"/><c r="D2" s="1"/></row>`), []string{"format changed S1!C2:D2: number format General → number format 0.0"}},
		{"beside content", book(`<row r="2"><c r="A2"><v>2</v></c></row>`), book(`<row r="2"><c r="A2"><v>2</v></c><c r="C2" s="1"/></row>`), []string{"format changed S1!C2: number format General → number format 0.0"}},
		{"a whole row", book(""), book(`<row r="3" s="1" customFormat="1"/>`), []string{"format changed S1!3:3: number format General → number format 0.0"}},
		{"a cell with content", book(`<row r="2"><c r="A2"><v>2</v></c></row>`), book(`<row r="2"><c r="A2" s="1"><v>2</v></c></row>`), []string{"format changed S1!A2: number format General → number format 0.0"}},
	})
}

// A file that was packed anew, with its texts in another order of the table, is
// the same.
func TestStoredInAnotherWay(t *testing.T) {
	sheet := func(a, b string) string {
		return `<sheetData><row r="1"><c r="A1" t="s"><v>` + a + `</v></c><c r="B1" t="s"><v>` + b + `</v></c></row></sheetData>`
	}
	x := xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": xlsxtest.SharedStrings("<t>one</t>", "<t>two</t>")}, sheet("0", "1"))
	y := xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": xlsxtest.SharedStrings("<t>two</t>", "<t>one</t>", "<t>more</t>")}, sheet("1", "0"))
	z := xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": xlsxtest.SharedStrings("<t>two</t>", "<t>one</t>")}, sheet("0", "1"))
	require.Empty(t, told(compare(t, x, y)))
	require.Equal(t, []string{"S1!A1 modified: one → two", "S1!B1 modified: two → one"}, told(compare(t, x, z)), "the same sheet over another table")
	d := compare(t, x, y)
	require.Equal(t, []formats.DiffGroup{}, d.Groups)
	require.Equal(t, []formats.Fact{}, d.Facts)
}
