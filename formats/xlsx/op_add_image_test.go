package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Pictures keep their proportions unless both sides are given.
func TestAddImageParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "add_image in its own size", in: ordersBook(t), files: pictures(t),
			ops: `{"op":"add_image","sheet":"S1","cell":"F2","path":"logo.png"}`,
			rep: formats.OpReport{Hits: 1, Made: "Picture 2 S1!F2"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="png" ContentType="image/png"/>` + relsDefault,
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + `</Types>`,
				},
				drawing1Rels:          {"", relsHead + relTo("rId1", "image", "../media/image1.png") + `</Relationships>`},
				drawing1:              {"", xmlDecl + drawingHead + anchorAt(5, 1, 1143000, 571500) + pictureFrame(2, ``, "rId1", 1143000, 571500) + `</xdr:wsDr>`},
				"xl/media/image1.png": {"", string(picture(t))},
				sheet1Rels:            {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_image with a width: the height follows", in: ordersBook(t), files: pictures(t),
			ops: `{"op":"add_image","sheet":"S1","cell":"B3","path":"logo.png","width":3,"alt":"the <logo>"}`,
			rep: formats.OpReport{Hits: 1, Made: "Picture 2 S1!B3"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="png" ContentType="image/png"/>` + relsDefault,
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + `</Types>`,
				},
				drawing1Rels: {"", relsHead + relTo("rId1", "image", "../media/image1.png") + `</Relationships>`},
				drawing1: {"", xmlDecl +
					drawingHead +
					anchorAt(1, 2, 2743200, 1371600) +
					pictureFrame(2, ` descr="the &lt;logo&gt;"`, "rId1", 2743200, 1371600) +
					`</xdr:wsDr>`},
				"xl/media/image1.png": {"", string(picture(t))},
				sheet1Rels:            {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_image in a height: the width follows", in: ordersBook(t), files: pictures(t),
			ops: `{"op":"add_image","sheet":"S1","cell":"A1","path":"logo.png","height":3}`,
			rep: formats.OpReport{Hits: 1, Made: "Picture 2 S1!A1"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="png" ContentType="image/png"/>` + relsDefault,
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + `</Types>`,
				},
				drawing1Rels:          {"", relsHead + relTo("rId1", "image", "../media/image1.png") + `</Relationships>`},
				drawing1:              {"", xmlDecl + drawingHead + anchorAt(0, 0, 5486400, 2743200) + pictureFrame(2, ``, "rId1", 5486400, 2743200) + `</xdr:wsDr>`},
				"xl/media/image1.png": {"", string(picture(t))},
				sheet1Rels:            {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_image in a width and a height", in: ordersBook(t), files: pictures(t),
			ops: `{"op":"add_image","sheet":"S1","cell":"XFD1048576","path":"logo.png","width":1,"height":"2"}`,
			rep: formats.OpReport{Hits: 1, Made: "Picture 2 S1!XFD1048576"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="png" ContentType="image/png"/>` + relsDefault,
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + `</Types>`,
				},
				drawing1Rels:          {"", relsHead + relTo("rId1", "image", "../media/image1.png") + `</Relationships>`},
				drawing1:              {"", xmlDecl + drawingHead + anchorAt(16383, 1048575, 914400, 1828800) + pictureFrame(2, ``, "rId1", 914400, 1828800) + `</xdr:wsDr>`},
				"xl/media/image1.png": {"", string(picture(t))},
				sheet1Rels:            {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_image twice: the second one joins the drawing", in: ordersBook(t), files: pictures(t),
			ops: `{"op":"add_image","sheet":"S2","cell":"A1","path":"logo.png"},` +
				`{"op":"add_image","sheet":"S2","cell":"A9","path":"logo.png"}`,
			rep: formats.OpReport{Hits: 1, Made: "Picture 3 S2!A9"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="png" ContentType="image/png"/>` + relsDefault,
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + `</Types>`,
				},
				drawing1Rels: {"", relsHead + relTo("rId1", "image", "../media/image1.png") + relTo("rId2", "image", "../media/image2.png") + `</Relationships>`},
				drawing1: {"", xmlDecl +
					drawingHead +
					anchorAt(0, 0, 1143000, 571500) +
					pictureFrame(2, ``, "rId1", 1143000, 571500) +
					anchorAt(0, 8, 1143000, 571500) +
					pictureFrame(3, ``, "rId2", 1143000, 571500) +
					`</xdr:wsDr>`},
				"xl/media/image1.png": {"", string(picture(t))},
				"xl/media/image2.png": {"", string(picture(t))},
				sheet2Rels:            {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet2: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
	})
}

func TestAddImageRefuses(t *testing.T) {
	files := map[string][]byte{"bad.png": []byte("no picture"), "cut.png": picture(t)[:20]}
	for _, r := range []refusal{
		{`{"op":"add_image","sheet":"S1","cell":"A1","path":" "}`, formats.CodeInvalid, "path is required: a png, jpeg or gif file"},
		{`{"op":"add_image","sheet":"S1","path":"bad.png"}`, formats.CodeInvalid, "cell is required: where the top left corner goes, such as E2"},
		{`{"op":"add_image","sheet":"S9","cell":"A1","path":"bad.png"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"add_image","sheet":"S1","cell":"A1","path":"no.png"}`, formats.CodeNotFound, "file not found: no.png"},
		{`{"op":"add_image","sheet":"S1","cell":"A1","path":"bad.png","width":-1}`, formats.CodeInvalid, "invalid width -1"},
		{`{"op":"add_image","sheet":"S1","cell":"A1","path":"bad.png"}`, formats.CodeInvalid, "operation 1 (add_image): the picture is damaged"},
		{`{"op":"add_image","sheet":"S1","cell":"A1","path":"cut.png"}`, formats.CodeInvalid, "operation 1 (add_image): the picture is damaged"},
	} {
		out, _, err := applyWith(t, smallBook(t), files, "["+r.op+"]")
		require.ErrorContains(t, err, r.want, r.op)
		require.Equal(t, r.code, formats.CodeOf(err), r.op)
		require.Empty(t, out, r.op)
	}
}

// A picture moves with the cells above it, is copied with its sheet, whose copy
// shares the file, and goes with the last sheet that shows it.
func TestAddedImageFollowsItsSheet(t *testing.T) {
	out, _, err := applyWith(t, smallBook(t), pictures(t), `[{"op":"add_image","sheet":"S2","cell":"B3","path":"logo.png"},{"op":"insert_rows","sheet":"S2","row":2,"count":2},{"op":"insert_columns","sheet":"S2","column":"A"}]`)
	require.NoError(t, err)
	shown := func(book []byte, sheet string) int {
		pics, err := excel(t, book).GetPictures(sheet, "C5")
		require.NoError(t, err)
		for _, p := range pics {
			require.Equal(t, picture(t), p.File)
		}
		return len(pics)
	}
	require.Equal(t, 1, shown(out, "S2"))
	two, _ := apply(t, out, `[{"op":"copy_sheet","sheet":"S2","new_name":"Twin"}]`)
	require.Equal(t, []int{1, 1}, []int{shown(two, "S2"), shown(two, "Twin")})
	require.NotContains(t, formatstest.Parts(t, two), "xl/media/image2.png")
	one, _ := apply(t, two, `[{"op":"delete_sheet","sheet":"S2"}]`)
	require.Equal(t, 1, shown(one, "Twin"))
	none, _ := apply(t, one, `[{"op":"delete_sheet","sheet":"Twin"}]`)
	for name := range formatstest.Parts(t, none) {
		require.NotRegexp(t, "media|drawing", name)
	}
}
