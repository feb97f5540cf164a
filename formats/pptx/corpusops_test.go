package pptx

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// corpusSlide finds a slide with a shape of a kind; ok is false when no slide
// has one.
func corpusShape(t *testing.T, file []byte, is func(shapeMap) bool) (slide int, s shapeMap, ok bool) {
	var find func(list []shapeMap) bool
	find = func(list []shapeMap) bool {
		for _, m := range list {
			if is(m) {
				s = m
				return true
			}
			if find(m.Shapes) {
				return true
			}
		}
		return false
	}
	for i := range mapOf(t, file).SlideCount {
		if find(mapSlideOf(t, file, i).Slides[0].Shapes) {
			return i, s, true
		}
	}
	return 0, s, false
}

func ofKind(kinds ...string) func(shapeMap) bool {
	return func(m shapeMap) bool { return strings.Contains(" "+strings.Join(kinds, " ")+" ", " "+m.Kind+" ") }
}

// Each operation beyond those of X-40, on each real deck where it applies:
// what it changes is what it names, and no schema error is new.
func TestCorpusEveryOperation(t *testing.T) {
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "pptx  operations on real decks: %v", counts) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, pkg, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		last := len(d.slides) - 1
		slide := d.slides[last].part
		types, rels := "[Content_Types].xml", relsOf(d.main)
		// Applied one after another, so that the validator runs once.
		out := file
		do := func(op string, except ...string) formats.OpReport {
			t.Helper()
			made, rep, err := editWith(t, out, files, op)
			require.NoError(t, err, op)
			if except != nil {
				formatstest.SameParts(t, out, made, except...)
			}
			require.Equal(t, len(rep.Ops), 1)
			out = made
			counts[rep.Ops[0].Op]++
			return rep.Ops[0]
		}
		do(fmt.Sprintf(`{"op":"add_text_box","index":%d,"text":"Kasten & Text","x":1,"y":1,"width":3}`, last), slide)
		do(fmt.Sprintf(`{"op":"add_table","index":%d,"rows":[["a","b"],[1,2]]}`, last), slide)
		id := mapSlideOf(t, out, last).Slides[0].Shapes
		table := id[0].ID
		for _, m := range id {
			table = max(table, m.ID)
		}
		at := fmt.Sprintf(`"index":%d,"shape_id":%d`, last, table)
		do(`{"op":"set_table_cell",`+at+`,"row":1,"column":1,"text":"neu <3>"}`, slide)
		do(`{"op":"add_table_row",`+at+`,"cells":["c","d"]}`, slide)
		do(`{"op":"delete_table_row",`+at+`,"row":0}`, slide)
		require.Contains(t, readSlide(t, out, last), "1\tneu <3>\nc\td")
		do(`{"op":"add_table_column",`+at+`,"column":1,"cells":["e","f"]}`, slide)
		require.Contains(t, readSlide(t, out, last), "1\te\tneu <3>\nc\tf\td")
		do(`{"op":"delete_table_column",`+at+`,"column":1}`, slide)
		require.Contains(t, readSlide(t, out, last), "1\tneu <3>\nc\td")
		do(fmt.Sprintf(`{"op":"add_image","index":%d,"path":"a.png","alt":"Bild","x":1,"y":2}`, last))
		require.Contains(t, readSlide(t, out, last), "[Picture: Bild]")
		do(fmt.Sprintf(`{"op":"add_chart","index":%d,"type":"column","categories":["a","b"],"series":[{"name":"Reihe","values":[1,2]}],"x":2,"y":2,"width":3,"height":2}`, last))
		require.Contains(t, readSlide(t, out, last), "Reihe")
		do(fmt.Sprintf(`{"op":"set_notes","index":%d,"text":"Notiz & mehr"}`, last))
		require.Contains(t, readSlide(t, out, last), "Notiz & mehr")
		if i, s, ok := corpusShape(t, out, func(m shapeMap) bool { return m.Chars > 0 && m.Kind != "slide_number" && m.ID > 0 }); ok {
			r := do(fmt.Sprintf(`{"op":"set_shape_text","index":%d,"shape_id":%d,"paragraphs":[{"runs":[{"text":"Lauf ","bold":true},{"text":"zwei"}],"alignment":"right"}]}`, i, s.ID), d.slides[i].part)
			if len(r.Warnings) == 0 {
				require.Contains(t, readWith(t, out, i, "addresses"), "Lauf zwei")
			}
			do(fmt.Sprintf(`{"op":"set_alt_text","index":%d,"shape_id":%d,"text":"Neu <alt>"}`, i, s.ID), d.slides[i].part)
		}
		do(`{"op":"hide_slide","index":0}`, d.slides[0].part)
		validate(t, name, out)

		do(fmt.Sprintf(`{"op":"duplicate_slide","index":%d}`, last))
		require.Equal(t, strings.Replace(readSlide(t, out, last), fmt.Sprintf("# Slide %d", last+1), fmt.Sprintf("# Slide %d", last+2), 1), readSlide(t, out, last+1))
		do(fmt.Sprintf(`{"op":"move_slide","index":%d,"position":0}`, last+1), d.main)
		layouts, err := d.allLayouts(ctx, nil)
		require.NoError(t, err)
		do(string(mustJSON(t, map[string]any{"op": "set_layout", "index": 0, "layout": layouts[len(layouts)-1].name})))
		if i, s, ok := corpusShape(t, out, ofKind("picture", "chart", "diagram", "group", "media", "object")); ok {
			do(fmt.Sprintf(`{"op":"delete_shape","index":%d,"shape_id":%d}`, i, s.ID))
		}
		validate(t, name, out)
		do(`{"op":"delete_slide","index":0}`)
		validate(t, name, out)
		// Nothing that the deck had before is lost, but what delete_shape took.
		parts := formatstest.Parts(t, out)
		for _, part := range []string{d.main, types, rels, slide} {
			require.Contains(t, parts, part)
		}
		require.Equal(t, d.main, func() string { n, err := pkg.MainPart(ctx); require.NoError(t, err); return n }())
	})
}

// A slide that is copied and deleted again leaves the parts as they were.
func TestCorpusDuplicateThenDelete(t *testing.T) {
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		for i := range d.slides {
			if i%3 != 0 {
				continue
			}
			there := edit(t, file, fmt.Sprintf(`{"op":"duplicate_slide","index":%d,"position":0}`, i))
			if i == 0 {
				validate(t, name, there)
			}
			back := edit(t, there, `{"op":"delete_slide","index":0}`)
			formatstest.SameParts(t, file, back, "[Content_Types].xml", relsOf(d.main), d.main)
			for j := range d.slides {
				require.Equal(t, readSlide(t, file, j), readSlide(t, back, j))
			}
		}
	})
}

// A text of each real deck is found, whatever runs it is split over, and
// replaced in the parts it is in and nowhere else.
func TestCorpusReplaceText(t *testing.T) {
	corpus(t, func(t *testing.T, name string, file []byte) {
		segs := segments(t, file)
		if len(segs) == 0 {
			return
		}
		for _, search := range []string{"e", "die", "the"} {
			made, rep := editReport(t, file, fmt.Sprintf(`{"op":"replace_text","search":%q,"replace":"<neu & alt>"}`, search))
			var except []string
			for _, s := range segs {
				part, _, _ := strings.Cut(s.ID, "#")
				except = append(except, part)
			}
			formatstest.SameParts(t, file, made, except...)
			if rep.Ops[0].Hits == 0 {
				require.Equal(t, file, made)
				continue
			}
			validate(t, name, made)
			_, again := editReport(t, made, fmt.Sprintf(`{"op":"replace_text","search":%q,"replace":"x","match_case":true}`, search))
			if search != "e" {
				require.Zero(t, again.Ops[0].Hits)
			}
			break
		}
	})
}

// What every operation writes opens in LibreOffice.
func TestCorpusEveryOperationOpens(t *testing.T) {
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	for i, name := range formatstest.Sample(t, "pptx") {
		if i%8 != 3 {
			continue
		}
		t.Run(path.Base(name), func(t *testing.T) {
			file, err := os.ReadFile(name)
			require.NoError(t, err)
			out, _, err := editWith(t, file, map[string][]byte{"a.png": pngOf(t, 40, 30)},
				`{"op":"add_text_box","index":0,"text":"Kasten"}`, `{"op":"add_table","index":0,"rows":[["a"],["b"]],"x":1,"y":1,"width":2}`, `{"op":"add_image","index":0,"path":"a.png","alt":"x"}`,
				`{"op":"add_chart","index":0,"type":"pie","categories":["a","b"],"series":[{"values":[1,2]}],"x":3,"y":1,"width":2,"height":2}`, `{"op":"set_notes","index":0,"text":"n"}`, `{"op":"duplicate_slide","index":0}`, `{"op":"move_slide","index":1,"position":0}`, `{"op":"set_layout","index":0,"layout":"title_only"}`, `{"op":"replace_text","search":"a","replace":"A"}`)
			if formats.CodeOf(err) == formats.CodeNotFound {
				return // no such layout
			}
			require.NoError(t, err)
			formatstest.LibreOfficeOpens(t, formatstest.Write(t, "edited.pptx", out))
		})
	}
}
