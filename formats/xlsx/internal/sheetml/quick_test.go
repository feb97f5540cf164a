package sheetml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// usualRows draws rows as spreadsheet programs write them.
func usualRows(t *rapid.T) string {
	pick := func(name string, list ...string) string { return rapid.SampledFrom(list).Draw(t, name) }
	var sb strings.Builder
	for r := range rapid.IntRange(0, 4).Draw(t, "rows") {
		sb.WriteString(pick("gap", "", "", "\n"))
		fmt.Fprintf(&sb, `<row r="%d"%s>`, r*2+1, pick("row", "", ` spans="1:9"`, ` ht="1>2" customHeight="1"`, "/"))
		for c := range rapid.IntRange(0, 4).Draw(t, "cells") {
			fmt.Fprintf(&sb, `<c r="%c%d"%s%s`, 'A'+c, r*2+1, pick("style", "", ` s="12"`), pick("type", "", ` t="s"`, ` t="str"`, ` t="inlineStr"`, ` cm="1"`))
			if pick("empty", "", "", "/") == "/" {
				sb.WriteString("/>")
				continue
			}
			sb.WriteString(">" + pick("f", "", "", "<f>A1&gt;2</f>", `<f t="shared" ref="A1:A>9" si="0">B1</f>`, `<f t="shared" si="0"/>`, "<f/>"))
			sb.WriteString(pick("v", "", "<v>12.5</v>", "<v></v>", "<v/>", "<v><![CDATA[<]]></v>", "<is><t>a &amp; b</t></is>", `<is><t xml:space="preserve"> a</t></is>`, "<is><r><t>x</t></r></is>", "<is><t/></is>"))
			sb.WriteString("</c>")
		}
		sb.WriteString("</row>")
	}
	return sb.String()
}

// allEvents lists all that a scanner says of a part.
func allEvents(doc string, size int, careful bool) []string {
	s := &RowScanner{w: window{r: strings.NewReader(doc), buf: make([]byte, size)}, careful: careful}
	if _, err := s.Head(); err != nil {
		return []string{err.Error()}
	}
	var out []string
	for {
		ev, err := s.Next()
		if err != nil {
			return append(out, err.Error())
		}
		line := fmt.Sprintf("%d row %d empty %v start %d raw %q", ev, s.Row, s.RowEmpty, s.Start, s.Raw())
		if ev == WholeCell {
			line += fmt.Sprintf(" %+v", s.Cell)
		}
		if out = append(out, line); ev == DataEnd {
			return out
		}
	}
}

// The usual forms are read as all others are, also where bytes are missing or too many.
func TestUsualFormsAreReadTheSame(t *testing.T) {
	quickly := 0
	rapid.Check(t, func(t *rapid.T) {
		doc := "<worksheet><sheetData>" + usualRows(t) + "</sheetData></worksheet>"
		for range rapid.IntRange(0, 2).Draw(t, "damages") {
			at := rapid.IntRange(20, len(doc)-1).Draw(t, "at")
			put := rapid.SampledFrom([]string{"", "<", ">", `"`, "'", " ", "/", "=", "<!-- -->", "x"}).Draw(t, "put")
			doc = doc[:at] + put + doc[at+rapid.IntRange(0, 1).Draw(t, "cut"):]
		}
		size := rapid.SampledFrom([]int{1, 30, 100, 4096}).Draw(t, "buffer")
		require.Equal(t, allEvents(doc, size, true), allEvents(doc, size, false), doc)
		s := &RowScanner{w: window{r: strings.NewReader(doc), buf: make([]byte, 4096)}}
		if _, err := s.Head(); err == nil {
			if _, ok := s.quick(); ok {
				quickly++
			}
		}
	})
	require.Positive(t, quickly)
}

// The rest of a row as one event is the same bytes, and what follows is read the same.
func TestRestOfRowIsItsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := "<worksheet><sheetData>" + usualRows(t) + "</sheetData></worksheet>"
		skip := rapid.SliceOfN(rapid.Bool(), 5, 5).Draw(t, "skip")
		size := rapid.SampledFrom([]int{1, 60, 4096}).Draw(t, "buffer")
		s := &RowScanner{w: window{r: strings.NewReader(doc), buf: make([]byte, size)}}
		head, err := s.Head()
		require.NoError(t, err)
		whole, rows := string(head), 0
		for {
			ev, err := s.Next()
			require.NoError(t, err, doc)
			whole += string(s.Raw())
			switch ev {
			case RowStart:
				if rows++; skip[rows] {
					s.RestOfRow()
				}
			case RowEnd:
				require.Equal(t, "</row>", string(s.Raw()[s.Start:]))
			case DataEnd:
				require.Equal(t, strings.TrimSuffix(doc, "</sheetData></worksheet>"), whole)
				require.Equal(t, strings.Count(doc, "<row"), rows)
				return
			}
		}
	})
}

// Skipping to cells gives the same bytes and the same cells as walking to them.
func TestSkippedCellsAreThoseOfTheWalk(t *testing.T) {
	skipped := 0
	check := func(t *rapid.T) {
		doc := "<worksheet><sheetData>" + usualRows(t) + "</sheetData></worksheet>"
		size := rapid.SampledFrom([]int{1, 60, 4096}).Draw(t, "buffer")
		wanted := rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 0, 3, rapid.ID[int]).Draw(t, "columns")
		slices.Sort(wanted)
		type cell struct{ row, col int }
		read := func(skip bool) (whole string, cells map[cell]string, events int) {
			s := &RowScanner{w: window{r: strings.NewReader(doc), buf: make([]byte, size)}}
			head, err := s.Head()
			require.NoError(t, err)
			whole, cells = string(head), map[cell]string{}
			aim := func(from int) {
				if i := slices.IndexFunc(wanted, func(c int) bool { return c > from }); i >= 0 && skip {
					s.SkipTo(wanted[i])
				} else if skip {
					s.RestOfRow()
				}
			}
			for {
				ev, err := s.Next()
				require.NoError(t, err, doc)
				whole += string(s.Raw())
				events++
				switch ev {
				case RowStart:
					aim(0)
				case WholeCell:
					if slices.Contains(wanted, s.Cell.Col) {
						cells[cell{s.Row, s.Cell.Col}] = string(s.Raw()[s.Start:]) + string(s.Text(s.Cell.Value))
					}
					aim(s.Cell.Col)
				case DataEnd:
					return whole, cells, events
				}
			}
		}
		whole, cells, events := read(false)
		gotWhole, gotCells, gotEvents := read(true)
		require.Equal(t, whole, gotWhole)
		require.Equal(t, cells, gotCells)
		if gotEvents < events && len(cells) > 0 {
			skipped++
		}
	}
	for range 5 { // the small sheets that are drawn first have little to skip
		if rapid.Check(t, check); skipped > 0 {
			break
		}
	}
	require.Positive(t, skipped)
}
