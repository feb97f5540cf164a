package reader

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func fitting1(t require.TestingT, b []byte, sel formats.Selector) formats.Text {
	text, err := Reader{}.ReadFitting(context.Background(), xlsxtest.Source(b), sel)
	require.NoError(t, err)
	return text
}

// What fits is whole rows, with how to go on.
func TestPartsOfARead(t *testing.T) {
	row := strings.Repeat("x", 50)
	one := xlsxtest.Raw(t, nil, xlsxtest.Grid(row, row, row, "", row, row, row, row, row))
	two := xlsxtest.Raw(t, nil, xlsxtest.Grid(row, row, row), xlsxtest.Grid(row, row, row, row, row, row))
	room := func(n int) formats.TextLimit { return formats.TextLimit{Whole: n, Part: n} }
	for _, c := range []struct {
		name        string
		b           []byte
		sel         formats.Selector
		rows        []string
		shown, next string
		more        bool
	}{
		{"all", one, formats.Selector{Limit: room(1000)}, []string{"A1", "A2", "A3", "A5", "A6", "A7", "A8", "A9"}, "", "", false},
		{"some", one, formats.Selector{Limit: room(400)}, []string{"A1", "A2", "A3"}, "A1:A3", `range="'S1'!A4-"`, true},
		{"one sheet", one, formats.Selector{Sheet: "s1", Limit: room(400)}, []string{"A1", "A2", "A3"}, "A1:A3", `sheet="S1" range="A4-"`, true},
		{"at least one row", one, formats.Selector{Limit: room(10)}, []string{"A1"}, "A1", `range="'S1'!A2-"`, true},
		{"the end", one, formats.Selector{Range: "S1!A8-", Limit: room(400)}, []string{"A8", "A9"}, "A8:A9", "", false},
		{"a range", one, formats.Selector{Range: "A1:A8", Limit: room(380)}, []string{"A1", "A2", "A3"}, "A1:A3", `range="'S1'!A4:A8"`, true},
		{"of two sheets", two, formats.Selector{Limit: room(500)}, []string{"A1", "A2", "A3", "A1"}, "'S1'!A1:A3, 'S2'!A1", `range="'S2'!A2-"`, true},
		{"a sheet that fits, then no more", two, formats.Selector{Limit: room(270)}, []string{"A1", "A2", "A3"}, "'S1'!A1:A3", `range="'S2'!A1-"`, true},
		{"two ranges", two, formats.Selector{Range: "A1:A2,S2!A1:A6", Limit: room(420)}, []string{"A1", "A2", "A1"}, "'S1'!A1:A2, 'S2'!A1", `range="'S2'!A2:A6"`, true},
	} {
		text := fitting1(t, c.b, c.sel)
		var rows []string
		for line := range strings.SplitSeq(text.Text, "\n") {
			if name, _, ok := strings.Cut(line, ": x"); ok {
				rows = append(rows, name)
			}
		}
		require.Equal(t, c.rows, rows, c.name)
		if c.shown == "" {
			require.Nil(t, text.Chunk, c.name)
			continue
		}
		require.NotNil(t, text.Chunk, c.name)
		require.Equal(t, c.shown, text.Chunk.Range, c.name)
		require.Equal(t, c.next, text.Chunk.Next, c.name)
		require.Equal(t, c.more, text.Chunk.HasMore, c.name)
	}
}

// A part ends at the 50th column; the columns behind it come next, then the rows
// below.
func TestPartsOfAWideSheet(t *testing.T) {
	wide := strings.TrimSuffix(strings.Repeat("1|", 53), "|")
	rows := make([]string, 230)
	for i := range rows {
		rows[i] = wide
	}
	text := fitting1(t, xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...)), formats.Selector{Limit: formats.TextLimit{Whole: 1 << 20, Part: 1 << 20}})
	require.Equal(t, "A1:AX200", text.Chunk.Range)
	require.Equal(t, `range="'S1'!AY1:BA200,'S1'!A201-"`, text.Chunk.Next)
	require.True(t, text.Chunk.HasMore)
	require.Equal(t, 5, text.Chunk.TotalChunks)
}

// Reading parts as each says gives the cells of the whole workbook, each once and
// in its sheet, whatever the room.
func TestPartsGiveTheWhole(t *testing.T) {
	cellsIn := func(text string) (out []string) {
		sheet := ""
		for line := range strings.SplitSeq(text, "\n") {
			if name, ok := strings.CutPrefix(line, "Sheet: "); ok {
				sheet = name
				continue
			}
			for pair := range strings.SplitSeq(line, ", ") {
				if strings.Contains(pair, ": ") {
					out = append(out, sheet+"!"+pair)
				}
			}
		}
		slices.Sort(out)
		return out
	}
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var sheets, want []string
		for n := range 1 + rnd.IntN(3) {
			rows := make([]string, rnd.IntN(20))
			for r := range rows {
				if rnd.IntN(5) == 0 {
					continue
				}
				var cells []string
				for c := range 1 + rnd.IntN(4) {
					v := strings.Repeat("ä", 1+rnd.IntN(30))
					cells = append(cells, v)
					want = append(want, fmt.Sprintf("S%d!%c%d: %s", n+1, 'A'+c, r+1, v))
				}
				rows[r] = strings.Join(cells, "|")
			}
			sheets = append(sheets, xlsxtest.Grid(rows...))
		}
		b := xlsxtest.Raw(t, nil, sheets...)
		part := 1 + rnd.IntN(1500)
		sel := formats.Selector{Limit: formats.TextLimit{Whole: rnd.IntN(2 * part), Part: part}}
		var got []string
		for range 200 {
			text := fitting1(t, b, sel)
			got = append(got, cellsIn(text.Text)...)
			if text.Chunk == nil || !text.Chunk.HasMore {
				break
			}
			limit := sel.Limit
			sel = nextOf(t, text.Chunk.Next)
			sel.Limit = limit
		}
		slices.Sort(got)
		slices.Sort(want)
		require.Equal(t, want, got, "seed %d", seed)
	}
}
