package template

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
	"atelier/formats/pptx"
	"atelier/formats/xlsx"
)

// pictureFiles opens pictures of one colour: red.png, green.png, blue.png.
func pictureFiles(t *testing.T) func(context.Context, string) (formats.SourceCloser, error) {
	colours := map[string]color.RGBA{"pics/red.png": {200, 40, 40, 255}, "pics/green.png": {40, 160, 60, 255}, "pics/blue.png": {50, 80, 200, 255}}
	return func(_ context.Context, name string) (formats.SourceCloser, error) {
		c, ok := colours[name]
		if !ok {
			if name == "text.png" {
				return pictureFile{formats.FromBytes(name, []byte("no picture"))}, nil
			}
			return nil, formats.Errorf(formats.CodeNotFound, "there is no file %s", name)
		}
		img := image.NewRGBA(image.Rect(0, 0, 120, 80))
		for x := range 120 {
			for y := range 80 {
				c := c
				if (x/20+y/20)%2 == 0 {
					c.A, c.R, c.G, c.B = 255, c.R/2+120, c.G/2+120, c.B/2+120
				}
				img.Set(x, y, c)
			}
		}
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, img))
		return pictureFile{formats.FromBytes(name, b.Bytes())}, nil
	}
}

type pictureFile struct{ formats.Source }

func (pictureFile) Close() error { return nil }

func filledWithPictures(t *testing.T, name string, b []byte, data string) ([]byte, *Tally, error) {
	t.Helper()
	tally := NewTally()
	var out bytes.Buffer
	err := Fill(t.Context(), formats.FromBytes(name, b), &out, records(t, data), Options{Open: pictureFiles(t)}, tally)
	if dir := os.Getenv("ATELIER_SAMPLES"); dir != "" && err == nil {
		require.NoError(t, os.WriteFile(filepath.Join(dir, t.Name()+"-"+name), out.Bytes(), 0o600))
	}
	return out.Bytes(), tally, err
}

// Pictures stand in the text of a document, also within repeated rows: each file is
// stored once, and the text around them keeps its formatting.
func TestPicturesOfDocuments(t *testing.T) {
	in := withBody(t, `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Logo {{logo|im</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>age:2cm}} of {{name}}</w:t></w:r></w:p>`+
		`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="3000"/><w:gridCol w:w="3000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>`+para("{{items.name}}")+`</w:tc><w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>`+para("{{items.photo|image:30mm x 1in}}")+`</w:tc></w:tr></w:tbl>`+para("{{none|image}}end"))
	data := `[{"name":"<Acme>","logo":"pics/red.png","none":"","items":[{"name":"One","photo":"pics/green.png"},{"name":"Two","photo":"pics/blue.png"},{"name":"Three","photo":"pics/green.png"},{"name":"No picture"}]}]`
	made, tally, err := filledWithPictures(t, "a.docx", in, data)
	require.NoError(t, err)
	formatstest.Validate(t, formatstest.Write(t, "pictures.docx", made), "")
	parts := formatstest.Parts(t, made)
	media := 0
	for name := range parts {
		if strings.HasPrefix(name, "word/media/") {
			media++
		}
	}
	require.Equal(t, 3, media, "each file once")
	doc := string(parts["word/document.xml"])
	require.Equal(t, 4, strings.Count(doc, "<w:drawing>"))
	require.Equal(t, 4, strings.Count(doc, `descr="`))
	require.Contains(t, doc, `<w:t xml:space="preserve">Logo </w:t></w:r><w:r><w:drawing>`)
	require.Contains(t, doc, `<w:rPr><w:b/></w:rPr><w:t xml:space="preserve"> of`)
	require.Contains(t, doc, `cx="720000" cy="480000"`, "the height follows from the width")
	require.Contains(t, doc, `cx="1080000" cy="914400"`)
	require.NotContains(t, doc, "\ufdd0")
	require.Equal(t, 3, tally.Filled["items.photo"]+tally.Filled["photo"]-tally.Empty["items.photo"], fmt.Sprint(tally.Filled))
	for i := 1; i <= 4; i++ {
		require.Equal(t, 1, strings.Count(doc, fmt.Sprintf(`<wp:docPr id="%d"`, 1_000_000+i)))
	}
	require.Contains(t, text(t, docx.Format(), "a.docx", made), "<Acme>")
}

// A cell of a workbook that asks for a picture is emptied, and the picture stands on it.
func TestPicturesOfWorkbooks(t *testing.T) {
	in := apply(t, xlsx.Format(), `[{"op":"set_range","sheet":"Sheet1","start":"A1","values":[["Article","Photo"],["{{items.name}}","{{items.photo|image:2cm}}"],["Sum",""]]},{"op":"set_row_heights","sheet":"Sheet1","rows":[{"row":2,"height":60}]}]`)
	made, _, err := filledWithPictures(t, "a.xlsx", in, `[{"items":[{"name":"One","photo":"pics/green.png"},{"name":"Two"},{"name":"Three","photo":"pics/blue.png"}]}]`)
	require.NoError(t, err)
	formatstest.Validate(t, formatstest.Write(t, "pictures.xlsx", made), "")
	drawing := string(formatstest.Parts(t, made)["xl/drawings/drawing1.xml"])
	require.Equal(t, 2, strings.Count(drawing, "<xdr:pic>"))
	require.Contains(t, drawing, `<xdr:row>1</xdr:row>`)
	require.Contains(t, drawing, `<xdr:row>3</xdr:row>`)
	require.Contains(t, drawing, `cx="720000" cy="480000"`)
	require.NotContains(t, text(t, xlsx.Format(), "a.xlsx", made), "image:")
}

// What cannot be a picture is refused with the place and the reason.
func TestPictureRefusals(t *testing.T) {
	for _, c := range [][3]string{
		{"{{a|image}}", `[{"a":"gone.png"}]`, "the picture gone.png for word/document.xml"},
		{"{{a|image}}", `[{"a":"text.png"}]`, "png, jpeg and gif can be used"},
		{"{{a|image:wide}}", `[{"a":"pics/red.png"}]`, `the size "wide" of a picture is not understood`},
		{"{{a|image:900cm}}", `[{"a":"pics/red.png"}]`, "at most 55 cm"},
		{"{{a|image|upper}}", `[{"a":"pics/red.png"}]`, "image (alone)"},
	} {
		_, _, err := filledWithPictures(t, "a.docx", withBody(t, para(c[0])), c[1])
		require.ErrorContains(t, err, c[2], c[0])
	}
	_, tally, err := filledWithPictures(t, "a.docx", withBody(t, para("{{b|image}}")), `[{"a":1}]`)
	require.NoError(t, err)
	require.Contains(t, tally.Missing, "{{b|image}}")
	deck := apply(t, pptx.Format(), `[{"op":"add_slide","title":"A photo: {{a|image}}"}]`)
	_, _, err = filledWithPictures(t, "a.pptx", deck, `[{"a":"pics/red.png"}]`)
	require.ErrorContains(t, err, "in place of a shape of a slide that has no other text, not here")
	cell := apply(t, xlsx.Format(), `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","value":"photo: {{a|image}}"}]}]`)
	_, _, err = filledWithPictures(t, "a.xlsx", cell, `[{"a":"pics/red.png"}]`)
	require.ErrorContains(t, err, "Sheet1!A1: pictures are put")
	var out bytes.Buffer
	err = Fill(t.Context(), formats.FromBytes("a.docx", withBody(t, para("{{a|image}}"))), &out, records(t, `[{"a":"pics/red.png"}]`), Options{}, NewTally())
	require.ErrorContains(t, err, "other files cannot be used here")
}

// A shape of a slide whose whole text asks for a picture is replaced by it, within its
// place; a deck of several rows has one part for each picture.
func TestPicturesOfDecks(t *testing.T) {
	b := apply(t, pptx.Format(), `[{"op":"add_slide","title":"{{name}}"},{"op":"add_text_box","index":0,"text":"{{photo|image}}","x":1,"y":2,"width":6,"height":2,"shape_name":"Photo"},{"op":"add_text_box","index":0,"text":"{{photo|image:3cm}}","x":8,"y":2,"width":2,"height":2}]`)
	got, tally, err := filledWithPictures(t, "a.pptx", b, `[{"name":"A","photo":"pics/red.png"},{"name":"B","photo":"pics/blue.png"},{"name":"C","photo":"pics/red.png"},{"name":"D"}]`)
	require.NoError(t, err)
	validate(t, "a.pptx", got, b)
	parts := formatstest.Parts(t, got)
	media := 0
	for name := range parts {
		if strings.HasPrefix(name, "ppt/media/") {
			media++
		}
	}
	require.Equal(t, 2, media)
	one := string(parts["ppt/slides/slide1.xml"])
	require.Contains(t, one, `name="Photo" descr="red.png"`)
	require.Contains(t, one, `<a:off x="2286000" y="1828800"/><a:ext cx="2743200" cy="1828800"/>`) // 3 × 2 inches in the middle of 6 × 2
	require.Contains(t, one, `<a:ext cx="1080000" cy="720000"/>`)
	require.Equal(t, 6, tally.Filled["photo"]-tally.Empty["photo"])
	s := text(t, pptx.Format(), "a.pptx", got)
	require.Regexp(t, `(?s)A.*Picture: red.png.*B.*Picture: blue.png.*C.*Picture: red.png.*D`, s)
	require.NotContains(t, s, "{{")
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "pictures.pptx", got))
}
