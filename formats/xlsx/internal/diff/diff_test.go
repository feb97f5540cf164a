package diff_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func compare(t testing.TB, a, b []byte) *formats.Diff {
	t.Helper()
	d, err := xlsx.Format().Differ.Diff(context.Background(), xlsxtest.Source(a), xlsxtest.Source(b), formats.DiffOptions{})
	require.NoError(t, err)
	return d
}

// told writes what a comparison tells, a line for each item and fact.
func told(d *formats.Diff) []string {
	var out []string
	for _, g := range d.Groups {
		if g.Change == formats.Renamed || g.Change == formats.Moved {
			out = append(out, fmt.Sprintf("%s: %s %s", g.Name, g.Change, g.From))
		}
		for _, it := range g.Items {
			s := fmt.Sprintf("%s!%s %s", g.Name, it.At, it.Change)
			if it.From != "" {
				s += " from " + it.From
			}
			if it.Old != "" || it.New != "" {
				s += ": " + it.Old + " → " + it.New
			}
			if len(it.Notes) > 0 {
				s += " (" + strings.Join(it.Notes, "; ") + ")"
			}
			out = append(out, s)
		}
	}
	for _, f := range d.Facts {
		s := fmt.Sprintf("%s %s %s: %s → %s", f.Kind, f.Change, f.At, f.Old, f.New)
		if f.Warning != "" {
			s += " ⚠ " + f.Warning
		}
		out = append(out, s)
	}
	return out
}

// planted is a change, with all that a comparison must tell of it.
type planted struct {
	name string
	a, b []byte
	want []string
}

// runPlanted checks that a comparison tells exactly the planted changes, nothing
// of a file and itself, something on the way back, and nothing in words that say
// that it cannot tell.
func runPlanted(t *testing.T, tests []planted) {
	t.Helper()
	for _, p := range tests {
		t.Run(p.name, func(t *testing.T) {
			assert.Equal(t, strings.Join(p.want, "\n"), strings.Join(told(compare(t, p.a, p.b)), "\n"))
			back := strings.Join(told(compare(t, p.b, p.a)), "\n")
			assert.NotEmpty(t, back)
			assert.NotContains(t, back, "cannot be told")
			assert.Empty(t, told(compare(t, p.b, p.b)))
		})
	}
}

// grid is a workbook of one sheet.
func grid(t testing.TB, rows ...string) []byte { return xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...)) }

// named is a workbook part with the given elements of sheets.
func named(sheets ...string) map[string]string {
	return map[string]string{xlsxtest.Main: xlsxtest.Book("<sheets>" + strings.Join(sheets, "") + "</sheets>")}
}

func tab(n int, name, more string) string {
	return fmt.Sprintf(`<sheet name="%s" sheetId="%d" r:id="rId%d"%s/>`, name, n, n, more)
}

func TestSheetsThatChanged(t *testing.T) {
	one, two, three := xlsxtest.Grid("1", "2"), xlsxtest.Grid("x"), xlsxtest.Grid("=S1!A1→1")
	book := func(tabs ...string) []byte { return xlsxtest.Raw(t, named(tabs...), one, two, three) }
	s1, s2, s3 := tab(1, "S1", ""), tab(2, "S2", ""), tab(3, "S3", "")
	all := book(s1, s2, s3)
	runPlanted(t, []planted{
		{"added", book(s1, s3), all, []string{"S2!row 1 added:  → x", "sheet added S2:  → a sheet of 1 row"}},
		{"removed", all, book(s1, s3), []string{"S2!row 1 removed: x → ", "sheet removed S2: a sheet of 1 row →  ⚠ lost: the sheet S2"}},
		{"renamed, references follow", all, xlsxtest.Raw(t, named(tab(1, "New", ""), s2, s3), one, two, xlsxtest.Grid("=New!A1→1")), []string{"New: renamed S1", "sheet changed New: named S1 → named New"}},
		{"name in another case", all, book(tab(1, "s1", ""), s2, s3), []string{"s1: renamed S1", "sheet changed s1: named S1 → named s1"}},
		{"moved", all, book(s2, s3, s1), []string{"S1: moved position 1", "sheet moved S1: position 1 → position 3"}},
		{"hidden", all, book(s1, tab(2, "S2", ` state="hidden"`), s3), []string{"S2! modified (visible → hidden)", `hidden_sheet added S2:  → hidden ⚠ the sheet "S2" is hidden now`}},
		{"very hidden", book(s1, tab(2, "S2", ` state="hidden"`), s3), book(s1, tab(2, "S2", ` state="veryHidden"`), s3), []string{"S2! modified (hidden → hidden so that Excel does not list it)", "hidden_sheet changed S2: hidden → hidden so that Excel does not list it"}},
		{"added hidden", book(s1, s3), book(s1, tab(2, "S2", ` state="hidden"`), s3), []string{"S2!row 1 added:  → x", `hidden_sheet added S2:  → hidden ⚠ the sheet "S2" is hidden now`, "sheet added S2:  → a sheet of 1 row"}},
	})
}

// RV-03: items beyond the limit are counted, and the rest of what is told is the
// same.
func TestLimitOfItems(t *testing.T) {
	var a, b []string
	for r := range 30 {
		a, b = append(a, fmt.Sprintf("key %d|%d", r, r)), append(b, fmt.Sprintf("key %d|%d", r, r+100))
	}
	for _, limit := range []int{1, 10, 29, 30, 1000} {
		d, err := xlsx.Format().Differ.Diff(context.Background(), xlsxtest.Source(grid(t, a...)), xlsxtest.Source(grid(t, b...)), formats.DiffOptions{MaxItems: limit})
		require.NoError(t, err)
		require.Len(t, d.Groups[0].Items, min(limit, 30))
		require.Equal(t, max(0, 30-limit), d.Omitted)
		require.Equal(t, "30 cells in 1 sheet", d.Summary)
	}
}

func TestSummaryOfAComparison(t *testing.T) {
	for want, pair := range map[string][2][]byte{
		"2 cells in 1 sheet":      {grid(t, "k|1|2", "m|3"), grid(t, "k|5|6", "m|3")},
		"1 cell in 1 sheet":       {grid(t, "k|1|2", "m|3"), grid(t, "k|5|2", "m|3")},
		"2 cells in 2 sheets":     {xlsxtest.Raw(t, nil, xlsxtest.Grid("k|1"), xlsxtest.Grid("k|1")), xlsxtest.Raw(t, nil, xlsxtest.Grid("k|2"), xlsxtest.Grid("k|2"))},
		"1 row filled or emptied": {grid(t, "a", "", "c"), grid(t, "a", "b", "c")},
		"1 row moved":             {grid(t, "a", "b", "c", "d", "e", "f"), grid(t, "e", "a", "b", "c", "d", "f")},
		"block of rows added":     {grid(t, "a", "b", "c"), grid(t, "a", "new", "b", "c")},
		"the content is the same; it is stored in another way": {grid(t, "a"), grid(t, "a")},
	} {
		assert.Equal(t, want, compare(t, pair[0], pair[1]).Summary)
	}
}

func TestComparisonsThatFail(t *testing.T) {
	good := grid(t, "1")
	for name, bad := range map[string][]byte{
		"no workbook": []byte("x"), "a sheet": xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c`), "what follows the rows": xlsxtest.Raw(t, nil, `<sheetData/><mergeCells>`),
		"styles": xlsxtest.Raw(t, map[string]string{"xl/styles.xml": "<styleSheet><fonts>"}, "<sheetData/>"), "strings": xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": "<sst><si>"}, "<sheetData/>"),
	} {
		for _, pair := range [][2][]byte{{good, bad}, {bad, good}} {
			_, err := xlsx.Format().Differ.Diff(context.Background(), xlsxtest.Source(pair[0]), xlsxtest.Source(pair[1]), formats.DiffOptions{})
			require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%s: %v", name, err)
		}
	}
}

// a comparison ends with its context, wherever it is.
func TestComparisonsEndWithTheirContext(t *testing.T) {
	var a, b []string
	for r := range 900 {
		a, b = append(a, fmt.Sprintf("key %d|%d", r, r)), append(b, fmt.Sprintf("key %d|%d", r, r%7))
	}
	x, y := xlsxtest.Source(grid(t, a...)), xlsxtest.Source(grid(t, b...))
	run := func(limit int64) (int64, error) {
		ctx := xlsxtest.NewCounted(limit)
		_, err := xlsx.Format().Differ.Diff(ctx, x, y, formats.DiffOptions{})
		return ctx.Asked(), err
	}
	asked, err := run(1 << 40)
	require.NoError(t, err)
	require.Greater(t, asked, int64(20))
	for i := int64(1); i < 8; i++ {
		_, err := run(1 + asked*i/10)
		require.ErrorIs(t, err, context.Canceled, "at question %d of %d", 1+asked*i/10, asked)
	}
}
