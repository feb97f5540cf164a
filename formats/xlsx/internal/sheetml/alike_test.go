package sheetml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rowsOfForms draws rows of which many have the same form.
func rowsOfForms(t *rapid.T) string {
	pick := func(name string, list ...string) string { return rapid.SampledFrom(list).Draw(t, name) }
	var forms []string // with R for the row and X for texts
	for range rapid.IntRange(1, 6).Draw(t, "forms") {
		var sb strings.Builder
		for c := range rapid.IntRange(0, 4).Draw(t, "cells") {
			if pick("gap", "", "", "", "gap") == "gap" {
				continue
			}
			fmt.Fprintf(&sb, `<c r="%cR"%s%s`, 'A'+c, pick("style", "", "", ` s="12"`), pick("type", "", ` t="s"`, ` t="str"`, ` cm="1"`))
			if pick("empty", "", "", "", "/") == "/" {
				sb.WriteString("/>")
				continue
			}
			sb.WriteString(">" + pick("f", "", "", "", "<f>X</f>", `<f ca="1">X</f>`, `<f t="shared" ref="A1:A9" si="0">X</f>`, `<f t="shared" si="0"/>`, `<f t="array" ref="AR">X</f>`, "<f/>"))
			sb.WriteString(pick("v", "", "<v>X</v>", "<v>X</v>", "<v></v>", "<v/>", "<is><t>X</t></is>", `<is><t xml:space="preserve">X</t></is>`, "<is><r><t>X</t></r></is>") + "</c>")
		}
		forms = append(forms, sb.String()+"</row>")
	}
	var sb strings.Builder
	for r := range rapid.IntRange(0, 30).Draw(t, "rows") {
		n := fmt.Sprint(r*rapid.SampledFrom([]int{1, 1, 7}).Draw(t, "step") + 3)
		row := strings.ReplaceAll(rapid.SampledFrom(forms).Draw(t, "form"), "R", n)
		for strings.Contains(row, "X") {
			row = strings.Replace(row, "X", pick("text", "1", "12.5", "1234567", "12345678", "A1&gt;2*longer", "", " ", n), 1)
		}
		fmt.Fprintf(&sb, `<row r="%s"%s>%s`, n, pick("row", "", ` spans="1:9"`), row)
	}
	return sb.String()
}

// foundCell is a cell as a form or its own event gives it.
type foundCell struct {
	col, style                 int
	hasStyle                   bool
	typ                        CellType
	blank, formula             bool
	noValue, uncached          bool
	formulaText, value, inline string
}

func cellOf(s *RowScanner, c *Cell) foundCell {
	return foundCell{c.Col, c.Style, c.HasStyle, c.Type, c.Blank(), c.HasFormula, c.Value.End == c.Value.Start, c.NoValue(),
		string(s.Text(c.Formula)), string(s.Text(c.Value)), string(s.Text(c.Inline))}
}

func foundInForm(s *RowScanner, c FormCell, texts []Span) foundCell {
	text := func(n int) string {
		if n < 0 {
			return ""
		}
		return string(s.Text(texts[n]))
	}
	f := foundCell{c.Col, c.Style, c.HasStyle, c.Type, c.Blank, c.Formula, c.NoValue, c.Uncached, text(c.FormulaText), text(c.ValueText), ""}
	if c.RunTag != "" {
		f.inline = c.RunTag + text(c.Run) + "</t>"
	}
	return f
}

// Rows of a form have the cells that the form says, and end where they end, also where
// bytes are missing or too many.
func TestRowsHaveTheCellsOfTheirForm(t *testing.T) {
	alike, withTexts := 0, 0
	check := func(t *rapid.T) {
		doc := "<worksheet><sheetData>" + rowsOfForms(t) + "</sheetData></worksheet>"
		for range rapid.IntRange(0, 2).Draw(t, "damages") {
			at := rapid.IntRange(20, len(doc)-1).Draw(t, "at")
			put := rapid.SampledFrom([]string{"", "<", ">", `"`, "'", " ", "/", "=", "<!-- -->", "x", "1"}).Draw(t, "put")
			doc = doc[:at] + put + doc[at+rapid.IntRange(0, 1).Draw(t, "cut"):]
		}
		size := rapid.SampledFrom([]int{1, 60, 300, 4096}).Draw(t, "buffer")
		skip := rapid.Bool().Draw(t, "skip")
		read := func(careful bool) (out []string) {
			s := &RowScanner{w: window{r: strings.NewReader(doc), buf: make([]byte, size)}, careful: careful}
			if _, err := s.Head(); err != nil {
				return []string{err.Error()}
			}
			var cells []foundCell
			for {
				ev, err := s.Next()
				if err != nil {
					return append(out, err.Error())
				}
				switch ev {
				case RowStart:
					cells = nil
					if f, texts := s.AlikeTexts(); f != nil && skip {
						alike++
						plain := true
						for _, c := range f.Cells {
							plain = plain && (!c.Formula || c.FormulaText >= 0)
							cells = append(cells, foundInForm(s, c, texts))
						}
						require.True(t, !f.Plain || plain, doc)
						s.RestOfRow()
					} else if f != nil {
						withTexts++
					}
				case WholeCell:
					c := &s.Cell
					cells = append(cells, cellOf(s, c))
				case RowEnd:
					out = append(out, fmt.Sprint(s.Row, cells, s.Offset()))
				case DataEnd:
					return append(out, fmt.Sprint(s.Offset()))
				}
			}
		}
		want := read(true)
		require.Equal(t, want, read(false), doc)
	}
	rapid.Check(t, check)
	require.Positive(t, alike)
	require.Positive(t, withTexts)
}

// Where rows are never alike, few of them are compared.
func TestFewUnlikeRowsAreCompared(t *testing.T) {
	var sb strings.Builder
	for r := 1; r <= 1000; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d" s="%d"><v>1</v></c></row>`, r, r, r)
	}
	s := NewRowScanner(strings.NewReader("<worksheet><sheetData>" + sb.String() + "</sheetData></worksheet>"))
	_, err := s.Head()
	require.NoError(t, err)
	made := map[*RowForm]bool{}
	for ev := Event(0); ev != DataEnd; {
		ev, err = s.Next()
		require.NoError(t, err)
		if ev == RowStart {
			require.Nil(t, s.Alike())
			for _, f := range s.forms {
				made[f] = true
			}
		}
	}
	require.LessOrEqual(t, len(made), maxUnlike+1000/unlikeStep+1)
	require.LessOrEqual(t, len(s.forms), maxForms)
}

// A form holds little, however long what its rows have in common is.
func TestLongRowsHaveNoForm(t *testing.T) {
	long := strings.Repeat("0", maxFormBytes)
	s := NewRowScanner(strings.NewReader(`<worksheet><sheetData><row r="1"><c r="A1" s="` + long + `1"><v>1</v></c></row><row r="2"><c r="A2" s="` + long + `1"><v>1</v></c></row></sheetData></worksheet>`))
	_, err := s.Head()
	require.NoError(t, err)
	for ev := Event(0); ev != DataEnd; {
		ev, err = s.Next()
		require.NoError(t, err)
		if ev == RowStart {
			require.Nil(t, s.Alike())
			require.Empty(t, s.forms)
		}
	}
}
