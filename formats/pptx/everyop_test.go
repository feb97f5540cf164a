package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// everyOp uses each operation on a deck whose first slide has a title and a
// body.
var everyOp = []string{
	`{"op":"add_slide","title":"Neu","paragraphs":[{"runs":[{"text":"fett","bold":true,"font_color":"accent1","url":"https://example.com/run"}],"line_spacing":1.5,"bullet":"number"}]}`,
	`{"op":"set_slide_text","index":0,"title":"Titel","body":"eins\n\tzwei","alignment":"center"}`,
	`{"op":"append_bullets","index":0,"bullets":["drei"],"space_before":3}`,
	`{"op":"add_text_box","index":0,"text":"Kasten","x":1,"y":5,"width":3,"shape_name":"Kasten"}`,
	`{"op":"set_shape_text","index":0,"shape_name":"Kasten","text":"Kasten neu"}`,
	`{"op":"set_alt_text","index":0,"shape_name":"Kasten","text":"Ein Kasten"}`,
	`{"op":"set_hyperlink","index":0,"shape_name":"Kasten","url":"https://example.com/?a=1&b=2"}`,
	`{"op":"set_hyperlink","index":0,"shape_name":"Kasten","url":"mailto:a@example.com","of":"text"}`,
	`{"op":"move_shape","index":0,"shape_name":"Kasten","y":6,"height":0.5}`,
	`{"op":"add_table","index":0,"rows":[["a","b"],["c","d"]],"x":6,"y":5,"width":3}`,
	`{"op":"set_table_cell","index":0,"row":1,"column":1,"text":"D"}`,
	`{"op":"add_table_row","index":0,"row":1,"cells":["x","y"]}`,
	`{"op":"delete_table_row","index":0,"row":0}`,
	`{"op":"add_table_column","index":0,"column":1,"cells":["neu"]}`,
	`{"op":"delete_table_column","index":0,"column":1}`,
	`{"op":"format_table","index":0,"font_size":12,"banded_rows":false}`,
	`{"op":"add_image","index":0,"path":"a.png","alt":"Bild","shape_name":"Bild"}`,
	`{"op":"add_chart","index":0,"type":"line","categories":["März","April"],"series":[{"name":"Lauf","values":[1,2]}],"title":"Kurve","x":1,"y":1,"width":3,"height":2}`,
	`{"op":"set_chart_data","index":0,"series":[{"name":"Lauf","values":[1,3]}]}`,
	`{"op":"set_chart_options","index":0,"title":"Linie","x_title":"Monat","y_min":0,"legend":"top","data_labels":"value","number_format":"0.0"}`,
	`{"op":"set_chart_type","index":0,"type":"column"}`,
	`{"op":"set_notes","index":0,"text":"Notiz"}`,
	`{"op":"replace_text","search":"zwei","replace":"2"}`,
	`{"op":"duplicate_slide","index":0}`,
	`{"op":"delete_shape","index":1,"shape_name":"Bild"}`,
	`{"op":"move_slide","index":1,"position":0}`,
	`{"op":"hide_slide","index":0}`,
	`{"op":"set_layout","index":1,"layout":"title_only"}`,
	`{"op":"fill_placeholders","index":2,"title":"Gefüllt","body":"voll"}`,
	`{"op":"set_theme","theme_colors":{"accent1":"C00000"},"heading_font":"Georgia"}`,
	`{"op":"format_master","style":"title","font_size":30}`,
	`{"op":"set_background","slides":[2],"color":"accent2"}`,
	`{"op":"set_logo","path":"a.png","alt":"Logo"}`,
	`{"op":"add_text_box","index":2,"text":"eins","x":1,"y":1,"width":2}`,
	`{"op":"add_text_box","index":2,"text":"zwei","x":5,"y":2,"width":2}`,
	`{"op":"arrange_shapes","index":2,"shapes":[5,4],"align":"top","order":"back"}`,
	`{"op":"group_shapes","index":2,"shapes":[5,4],"shape_name":"Paar"}`,
	`{"op":"ungroup_shapes","index":2,"shape_name":"Paar"}`,
	`{"op":"set_transition","slides":[2],"effect":"push","direction":"up","duration":1}`,
	`{"op":"set_slide_size","size":"16:9"}`,
	`{"op":"set_sections","sections":[{"name":"Teil","slide":0}]}`,
	`{"op":"format_shape","index":2,"shape_id":4,"fill":"accent2","line":"none","rotation":10,"font_size":14}`,
	`{"op":"set_footers","slides":[2],"number":true,"footer":"Fuß"}`,
	`{"op":"delete_slide","index":2}`,
}

const everySlide = "# Slide 2\nTitel\neins\n\t2\n\tdrei\nKasten neu\nx\ty\nc\tD\n[Picture: Bild]\n[Chart: Linie; series Lauf; categories März, April; axes Monat]\ncolumn chart; Lauf: 1, 3\nNotes: Notiz"

// The list above leaves no operation out.
func TestEveryOperationIsTried(t *testing.T) {
	for _, name := range operations.Names() {
		require.Contains(t, strings.Join(everyOp, "\n"), `{"op":"`+name+`"`)
	}
}

// All operations in one call, on a new deck and one by one, give the same deck.
func TestEveryOperation(t *testing.T) {
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	out, rep, err := editWith(t, deck, files, everyOp...)
	require.NoError(t, err)
	require.Len(t, rep.Ops, len(everyOp))
	require.Equal(t, everySlide, readSlide(t, out, 1))
	require.Equal(t, 2, mapOf(t, out).SlideCount)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "x.pptx", out))
	one := deck
	for _, op := range everyOp {
		one, _, err = editWith(t, one, files, op)
		require.NoError(t, err, op)
	}
	for i := range 2 {
		require.Equal(t, readWith(t, out, i, "all"), readWith(t, one, i, "all"))
	}
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", one), "")
}

// A strict deck stays one: nothing that operations add is transitional.
func TestEveryOperationStrict(t *testing.T) {
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	out, _, err := editWith(t, strictDeck(t), files, everyOp...)
	require.NoError(t, err)
	require.Equal(t, everySlide, readSlide(t, out, 1))
	for name, data := range formatstest.Parts(t, out) {
		for _, vocabulary := range []string{"officeDocument", "drawingml", "presentationml"} {
			require.NotContains(t, string(data), "http://schemas.openxmlformats.org/"+vocabulary, name)
		}
	}
}

// Any prefixes do.
func TestEveryOperationOddPrefixes(t *testing.T) {
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	odd := func(s string) string {
		return strings.NewReplacer("<p:", "<", "</p:", "</", "xmlns:p=", "xmlns=", "<a:", "<d:", "</a:", "</d:", "xmlns:a=", "xmlns:d=", "r:id=", "q:id=", "xmlns:r=", "xmlns:q=").Replace(s)
	}
	bare := func(s string) string { return strings.Replace(odd(s), ` xmlns:q="`+nsR+`"`, "", 1) }
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	for _, change := range []func(string) string{odd, bare} {
		out, _, err := editWith(t, with(t, deck, map[string]func(string) string{slide1: change, newMain: odd}), files, everyOp...)
		require.NoError(t, err)
		require.Equal(t, everySlide, readSlide(t, out, 1))
		formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	}
}

// W-46: whichever operation fails, nothing is written and the error says which.
func TestEveryOperationAllOrNothing(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	for i := range everyOp {
		list := append(append([]string{}, everyOp[:i]...), `{"op":"hide_slide","index":99}`)
		out, _, err := editWith(t, deck, map[string][]byte{"a.png": pngOf(t, 4, 3)}, list...)
		require.ErrorContains(t, err, "(hide_slide): invalid slide index")
		require.Empty(t, out)
	}
}

// A damaged list that names a slide twice loses only the entry.
func TestDeleteListedTwice(t *testing.T) {
	deck := lettered(t, 2)
	d, _, err := openDeck(ctx, source(deck))
	require.NoError(t, err)
	tr, err := d.tree(ctx, newMain)
	require.NoError(t, err)
	id := d.entries(tr)[d.slides[0]].RelValue("id")
	deck = with(t, deck, map[string]func(string) string{newMain: replace(t, `</p:sldIdLst>`, `<p:sldId id="300" r:id="`+id+`"/></p:sldIdLst>`)})
	require.Equal(t, "A B A", titles(t, deck))
	require.Equal(t, "A B", titles(t, edit(t, deck, `{"op":"delete_slide","index":2}`)))
	require.Equal(t, "B", titles(t, edit(t, deck, `{"op":"delete_slide","index":2}`, `{"op":"delete_slide","index":0}`)))
}
