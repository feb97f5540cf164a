package pptx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// A fact that says so can be undone by an operation of the catalogue: the deck
// is then what it was.
func TestRevertibleFacts(t *testing.T) {
	deck := factsDeck(t)
	for _, c := range []struct{ op, back string }{
		{`{"op":"hide_slide","index":1}`, `{"op":"hide_slide","index":1,"hidden":false}`},
		{`{"op":"move_slide","index":1,"position":0}`, `{"op":"move_slide","index":0,"position":1}`},
		{`{"op":"set_alt_text","index":0,"shape_name":"Logo","text":"Other"}`, `{"op":"set_alt_text","index":0,"shape_name":"Logo","text":"Logo"}`},
		{`{"op":"set_alt_text","index":0,"shape_name":"Box","text":"New"}`, `{"op":"set_alt_text","index":0,"shape_name":"Box","text":""}`},
		{`{"op":"set_alt_text","index":0,"shape_name":"Logo","text":""}`, `{"op":"set_alt_text","index":0,"shape_name":"Logo","text":"Logo"}`},
		{`{"op":"move_shape","index":0,"shape_name":"Box","x":2.5,"width":1}`, `{"op":"move_shape","index":0,"shape_name":"Box","x":1,"width":3}`},
	} {
		now := edit(t, deck, c.op)
		facts := diffOf(t, deck, now).Facts
		require.Len(t, facts, 1, c.op)
		require.True(t, facts[0].Revertible, c.op)
		again := diffOf(t, deck, edit(t, now, c.back))
		require.Empty(t, again.Facts, c.op)
		require.Empty(t, again.Groups, c.op)
	}
}

// Each operation on each real deck is reported, the other way round as well,
// and no part of the file is left without words.
func TestCorpusFactsOfOperations(t *testing.T) {
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	done := 0
	defer func() { formatstest.Report(t, "pptx  operations on real decks told by a review: %d", done) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		m := mapOf(t, file)
		rnd := rand.New(rand.NewPCG(12, uint64(len(file))))
		slide := rnd.IntN(m.SlideCount)
		list := []string{
			`{"op":"add_slide","title":"A wholly new slide"}`, fmt.Sprintf(`{"op":"duplicate_slide","index":%d}`, slide), fmt.Sprintf(`{"op":"delete_slide","index":%d}`, slide),
			fmt.Sprintf(`{"op":"hide_slide","index":%d,"hidden":%t}`, slide, !m.Slides[slide].Hidden), fmt.Sprintf(`{"op":"set_notes","index":%d,"text":"A wholly new note"}`, slide),
			fmt.Sprintf(`{"op":"add_text_box","index":%d,"text":"Box"}`, slide), fmt.Sprintf(`{"op":"add_table","index":%d,"rows":[["a","b"],["c","d"]]}`, slide),
			fmt.Sprintf(`{"op":"add_image","index":%d,"path":"a.png","alt":"Logo"}`, slide),
			fmt.Sprintf(`{"op":"add_chart","index":%d,"type":"pie","categories":["x","y"],"series":[{"name":"S","values":[1,2]}]}`, slide),
			`{"op":"replace_text","search":"e","replace":"EE"}`,
		}
		if m.SlideCount > 1 {
			list = append(list, `{"op":"move_slide","index":1,"position":0}`)
		}
		if i, s, ok := corpusShape(t, file, func(m shapeMap) bool { return m.ID > 0 }); ok {
			at := fmt.Sprintf(`"index":%d,"shape_id":%d`, i, s.ID)
			list = append(list, `{"op":"set_alt_text",`+at+`,"text":"A wholly new alt text"}`, `{"op":"move_shape",`+at+`,"x":0.123,"y":0.456,"width":1.5,"height":1}`, `{"op":"delete_shape",`+at+`}`,
				`{"op":"set_hyperlink",`+at+`,"url":"https://example.com/new"}`)
		}
		if !campaign.Full() {
			rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			list = list[:3]
		}
		for _, op := range list {
			now, rep, err := editWith(t, file, files, op)
			if err != nil || len(rep.Ops) == 1 && rep.Ops[0].Hits == 0 && rep.Ops[0].Op == "replace_text" {
				continue
			}
			d := diffOf(t, file, now)
			require.NotZero(t, len(d.Facts)+len(d.Groups), op)
			for _, f := range d.Facts {
				require.False(t, f.Kind == formats.FactPart && f.Warning != "", "%s: %s", op, said(f))
			}
			back := diffOf(t, now, file)
			require.Equal(t, len(d.Facts), len(back.Facts), "%s\n%v\n%v", op, allSaid(d.Facts), allSaid(back.Facts))
			done++
		}
	})
}
