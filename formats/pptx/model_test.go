package pptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/formatstest"
)

// modelSlide is what a slide should say.
type modelSlide struct {
	title, body, notes, box string
	table                   [][]string
	hidden                  bool
}

// read returns the slide as Reader gives it.
func (m modelSlide) read(i int) string {
	head := fmt.Sprintf("# Slide %d", i+1)
	if m.hidden {
		head += " (hidden)"
	}
	lines := []string{head}
	for _, s := range []string{m.title, m.body, m.box} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	for _, row := range m.table {
		if s := strings.TrimRight(strings.Join(row, "\t"), "\t"); s != "" {
			lines = append(lines, s)
		} else {
			lines = append(lines, "")
		}
	}
	for len(lines) > 1 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if m.notes != "" {
		lines = append(lines, "Notes: "+m.notes)
	}
	return strings.Join(lines, "\n")
}

func (m modelSlide) clone() modelSlide {
	m.table = slices.Clone(m.table)
	for i := range m.table {
		m.table[i] = slices.Clone(m.table[i])
	}
	return m
}

// modelDeck does to a plain list of slides what operations do to a file.
type modelDeck struct {
	slides []modelSlide
	words  *rapid.Generator[string]
}

// step draws one operation that fits the deck, and does it.
func (m *modelDeck) step(r *rapid.T) string {
	op := map[string]any{}
	n := len(m.slides)
	kinds := []string{"add_slide"}
	if n > 0 {
		kinds = append(kinds, "duplicate_slide", "delete_slide", "move_slide", "hide_slide", "set_slide_text", "set_notes", "replace_text", "add_text_box", "add_table", "set_table_cell", "add_table_row", "delete_table_row", "append_bullets")
	}
	kind := rapid.SampledFrom(kinds).Draw(r, "op")
	op["op"] = kind
	i := 0
	if n > 0 {
		i = rapid.IntRange(0, n-1).Draw(r, "index")
		op["index"] = i
	}
	word := func(label string) string { return m.words.Draw(r, label) }
	switch kind {
	case "add_slide":
		at := rapid.IntRange(0, n).Draw(r, "position")
		s := modelSlide{title: word("title"), body: word("body")}
		op["position"], op["title"], op["body"] = at, s.title, s.body
		delete(op, "index")
		m.slides = slices.Insert(m.slides, at, s)
	case "duplicate_slide":
		m.slides = slices.Insert(m.slides, i+1, m.slides[i].clone())
	case "delete_slide":
		m.slides = slices.Delete(m.slides, i, i+1)
	case "move_slide":
		to := rapid.IntRange(0, n-1).Draw(r, "position")
		op["position"] = to
		s := m.slides[i]
		m.slides = slices.Insert(slices.Delete(m.slides, i, i+1), to, s)
	case "hide_slide":
		m.slides[i].hidden = rapid.Bool().Draw(r, "hidden")
		op["hidden"] = m.slides[i].hidden
	case "set_slide_text":
		m.slides[i].title = word("title")
		op["title"] = m.slides[i].title
	case "append_bullets":
		w := word("bullet")
		op["bullets"] = []string{w}
		m.slides[i].body += "\n" + w
	case "set_notes":
		m.slides[i].notes = word("text")
		op["text"] = m.slides[i].notes
	case "replace_text":
		delete(op, "index")
		search, replace := rapid.SampledFrom([]string{"a", "b&", "<c"}).Draw(r, "search"), word("replace")
		op["search"], op["replace"], op["match_case"] = search, replace, true
		for k := range m.slides {
			s := &m.slides[k]
			for _, text := range []*string{&s.title, &s.body, &s.notes, &s.box} {
				*text = strings.ReplaceAll(*text, search, replace)
			}
			for _, row := range s.table {
				for c := range row {
					row[c] = strings.ReplaceAll(row[c], search, replace)
				}
			}
		}
	default:
		return m.object(r, kind, op, i, word)
	}
	return encode(op)
}

// object is step for text boxes and tables; at most one of each is put on a
// slide, the box before the table, so that the order is known.
func (m *modelDeck) object(r *rapid.T, kind string, op map[string]any, i int, word func(string) string) string {
	s := &m.slides[i]
	switch {
	case kind == "add_text_box" && s.box == "" && s.table == nil:
		s.box = word("text")
		op["text"] = s.box
	case kind == "add_table" && s.table == nil:
		for range rapid.IntRange(1, 3).Draw(r, "rows") {
			s.table = append(s.table, []string{word("cell"), word("cell")})
		}
		op["rows"], op["x"], op["y"] = slices.Clone(s.table), 1, 4
		return encode(op)
	case kind == "set_table_cell" && s.table != nil:
		row, col := rapid.IntRange(0, len(s.table)-1).Draw(r, "row"), rapid.IntRange(0, 1).Draw(r, "column")
		s.table[row][col] = word("text")
		op["row"], op["column"], op["text"] = row, col, s.table[row][col]
	case kind == "add_table_row" && s.table != nil:
		row := rapid.IntRange(0, len(s.table)).Draw(r, "row")
		cells := []string{word("cell"), word("cell")}
		op["row"], op["cells"] = row, cells
		s.table = slices.Insert(s.table, row, slices.Clone(cells))
	case kind == "delete_table_row" && len(s.table) > 1:
		row := rapid.IntRange(0, len(s.table)-1).Draw(r, "row")
		op["row"] = row
		s.table = slices.Delete(s.table, row, row+1)
	default:
		return `{"op":"replace_text","search":"nichts davon","replace":"x"}`
	}
	return encode(op)
}

// Any sequence of operations gives the deck that a plain list of slides gives,
// whether they come in one call or in several.
func TestOperationsAgreeWithModel(t *testing.T) {
	words := rapid.StringMatching(`[abcd<&"é]{1,6}`)
	last := []byte(nil)
	rapid.Check(t, func(r *rapid.T) {
		m := &modelDeck{words: words}
		var file []byte
		var list []string
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			list = append(list, m.step(r))
			if rapid.Bool().Draw(r, "call ends") {
				file, list = edit(t, file, list...), nil
			}
		}
		file = edit(t, file, list...)
		require.Equal(t, len(m.slides), mapOf(t, file).SlideCount)
		for i, s := range m.slides {
			require.Equal(t, s.read(i), readSlide(t, file, i))
		}
		last = file
	})
	formatstest.Validate(t, formatstest.Write(t, "last.pptx", last), "")
}
