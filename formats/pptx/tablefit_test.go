package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// Whatever operation makes a table leave the slide tells it, once.
func TestTablesTellThatTheyLeaveTheSlide(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","layout":"title_only","title":"T"}`)
	said, wide := warningsAfter(t, deck, `{"op":"add_table","index":0,"rows":[["a","b"]],"x":11,"y":2,"width":6}`)
	require.Contains(t, said, `the table in shape 3 "Table 2" ends 3.67 inches beyond the right edge of the slide`)
	said, _ = warningsAfter(t, wide, `{"op":"set_table_cell","index":0,"row":0,"column":0,"text":"c"}`)
	require.Empty(t, said)
	said, wide = warningsAfter(t, wide, `{"op":"move_shape","index":0,"shape_id":3,"x":5}`)
	require.Empty(t, said)
	said, _ = warningsAfter(t, wide, `{"op":"move_shape","index":0,"shape_id":3,"x":12}`)
	require.Contains(t, said, "4.67 inches beyond the right edge")
	said, _ = warningsAfter(t, wide, `{"op":"format_table","index":0,"row_height":6}`)
	require.Contains(t, said, "ends below the slide")
	said, _ = warningsAfter(t, wide, `{"op":"format_table","index":0,"row_height":6,"column_widths":[5,5]}`)
	require.Contains(t, said, "ends below the slide")
	require.Contains(t, said, "1.67 inches beyond the right edge")
}

// New rows keep size, height and banding: not the head is copied, and fills that alternate
// by hand go on.
func TestAddedRowsLookLikeTheBody(t *testing.T) {
	cell := func(text, fill, rPr string) string {
		return `<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r>` + rPr + `<a:t>` + text + `</a:t></a:r></a:p></a:txBody><a:tcPr><a:solidFill><a:srgbClr val="` + fill + `"/></a:solidFill></a:tcPr></a:tc>`
	}
	table := func(flags string, fills ...string) []byte {
		rows := `<a:tr h="500000">` + cell("Kopf", "000000", `<a:rPr sz="1600" b="1"/>`) + `</a:tr>`
		for i, f := range fills {
			rows += `<a:tr h="300000">` + cell(fmt.Sprint(i), f, `<a:rPr sz="1100"/>`) + `</a:tr>`
		}
		return deckWith(t, `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="5" name="T"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="914400" y="914400"/><a:ext cx="2000000" cy="1400000"/></p:xfrm><a:graphic><a:graphicData uri="`+nsTable+`"><a:tbl><a:tblPr `+flags+`/><a:tblGrid><a:gridCol w="2000000"/></a:tblGrid>`+rows+`</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`)
	}
	look := func(file []byte) string {
		tr, err := parse(ctx, slide1, []byte(part(t, file, slide1)))
		require.NoError(t, err)
		var out []string
		for n := range tr.Root.All() {
			if n.Is(nsA, "tr") {
				for k := range n.All() {
					if k.Local == "srgbClr" {
						out = append(out, n.Value("h")[:1]+k.Value("val")[:1])
					}
				}
			}
		}
		return strings.Join(out, " ")
	}
	striped := table(`firstRow="1"`, "AAAAAA", "BBBBBB", "AAAAAA", "BBBBBB")
	out, rep := editReport(t, striped, `{"op":"add_table_row","index":0,"cells":["neu"]}`, `{"op":"add_table_row","index":0,"cells":["neu"]}`)
	require.Equal(t, "50 3A 3B 3A 3B 3A 3B", look(out))
	require.Empty(t, rep.Ops[0].Warnings)
	require.Equal(t, 6, strings.Count(part(t, out, slide1), `sz="1100"`))
	require.Contains(t, readSlide(t, out, 0), "3\nneu\nneu")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.SameParts(t, striped, edit(t, out, `{"op":"delete_table_row","index":0,"row":6}`, `{"op":"delete_table_row","index":0,"row":5}`))
	out, rep = editReport(t, striped, `{"op":"add_table_row","index":0,"row":2,"cells":["neu"]}`)
	require.Equal(t, []string{"the fills of the rows alternate by hand; those below the new row were not changed"}, rep.Ops[0].Warnings)
	require.Equal(t, "50 3A 3A 3B 3A 3B", look(out))

	plain := table(`firstRow="1" lastRow="1"`, "AAAAAA", "AAAAAA", "CCCCCC")
	require.Equal(t, "50 3A 3A 3A 3C", look(edit(t, plain, `{"op":"add_table_row","index":0,"row":1,"cells":["neu"]}`)), "below the head it looks like the body")
	require.Equal(t, "50 50 3A 3A 3C", look(edit(t, plain, `{"op":"add_table_row","index":0,"row":0,"cells":["neu"]}`)))
	_, rep = editReport(t, plain, `{"op":"add_table_row","index":0,"cells":["neu"]}`)
	require.Equal(t, []string{"the style of the table shows its last row as total; that is the new row now"}, rep.Ops[0].Warnings)
}
