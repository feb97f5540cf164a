package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

func TestFormatTable(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","layout":"title_only"}`, `{"op":"add_table","index":0,"rows":[["a","b"],["","d"]],"x":1,"y":2,"width":4}`)
	out, rep := editReport(t, deck, `{"op":"format_table","index":0,"column_widths":[3,null],"row_height":0.5,"font_size":11.5,"banded_rows":false,"first_column":true}`)
	require.Empty(t, rep.Ops[0].Warnings)
	doc := part(t, out, slide1)
	for want, n := range map[string]int{`<a:gridCol w="2743200"`: 1, `<a:gridCol w="1828800"`: 1, `<a:tr h="457200"`: 2, `sz="1150"`: 4, `bandRow="0"`: 1, `firstCol="1"`: 1, `firstRow="1"`: 1, `cx="4572000" cy="914400"`: 1} {
		require.Equal(t, n, strings.Count(doc, want), want)
	}
	formatstest.SameParts(t, deck, out, slide1)
	validate(t, formatstest.Write(t, "before.pptx", deck), out)
	told := fmt.Sprint(allSaid(diffOf(t, deck, out).Facts))
	for _, want := range []string{"banded rows", "first column stands out", "column_width changed", "11.5"} {
		require.Contains(t, told, want)
	}
	_, rep = editReport(t, deck, `{"op":"format_table","index":0,"column_widths":[10,4]}`)
	require.Equal(t, []string{"the table in shape 3 \"Table 2\" ends 1.67 inches beyond the right edge of the slide"}, rep.Ops[0].Warnings)
	for op, want := range map[string]string{
		`"row":1`:             "nothing to set: give column_widths, row_height, font_size, header_row, banded_rows, first_column or total_row",
		`"column_widths":[1]`: "column_widths has 1 widths, the table has 2 columns; use null for one that stays",
		`"row_height":0`:      "column_widths and row_height must be 0.01 to 100 inches, not 0",
		`"font_size":0.5`:     "font_size must be 1 to 4000 points, not 0.5",
	} {
		_, _, err := tryEdit(deck, `{"op":"format_table","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (format_table): "+want)
	}
}

// Every table of the real decks takes a look; other parts stay.
func TestCorpusFormatTable(t *testing.T) {
	done := 0
	corpus(t, func(t *testing.T, name string, file []byte) {
		i, m, ok := corpusShape(t, file, ofKind(kindTable))
		if !ok {
			return
		}
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		out := edit(t, file, fmt.Sprintf(`{"op":"format_table","index":%d,"shape_id":%d,"row_height":0.4,"font_size":9,"header_row":true,"banded_rows":true,"total_row":true}`, i, m.ID))
		formatstest.SameParts(t, file, out, d.slides[i].part)
		require.Equal(t, readSlide(t, file, i), readSlide(t, out, i))
		validate(t, name, out)
		done++
	})
	formatstest.Report(t, "pptx  tables of real decks formatted: %d", done)
}
