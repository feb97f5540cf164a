package catalogue_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/preview"
	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/look"
)

// result calls a tool that must succeed.
func (r *rig) result(name, args string) tools.Result {
	r.t.Helper()
	res := r.cat.Call(ctx, r.env, name, json.RawMessage(args))
	require.True(r.t, res.Success, "%s %s: %s", name, args, res.Text)
	return res
}

// put writes a file of the corpus into the folder's draft.
func (r *rig) put(path, corpusFile string) {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(formatstest.CorpusDir(r.t), filepath.FromSlash(corpusFile)))
	if err != nil {
		r.t.Skip("there is no corpus")
	}
	r.write(path, b)
}

func (r *rig) write(path string, b []byte) {
	r.t.Helper()
	_, err := r.env.View.Put(ctx, workshop.Path(path), workshop.PutOptions{}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	require.NoError(r.t, err)
}

// colours counts the pixels of an image that are red and green.
func colours(t *testing.T, data []byte) (red, green int) {
	img, _, err := image.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			switch c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); {
			case c.R > 200 && c.G < 60 && c.B < 60:
				red++
			case c.G > 200 && c.R < 60 && c.B < 60:
				green++
			}
		}
	}
	return red, green
}

const planWithFaults = `{"path":"plan.xlsx","create_new":true,"operations":[
	{"op":"set_cells","sheet":"Plan","cells":[{"cell":"A1","value":"head"},{"cell":"B2","value":"in"},{"cell":"C2","value":"beside"},{"cell":"B5","value":1234567.891,"style":{"number_format":"#,##0.00"}},{"cell":"B6","value":12}]},
	{"op":"set_column_widths","sheet":"Plan","columns":[{"column":"B","width":7}]},
	{"op":"set_style","sheet":"Plan","range":"B2","style":{"fill_color":"FF0000"}},{"op":"set_style","sheet":"Plan","range":"C2","style":{"fill_color":"00FF00"}},
	{"op":"hide_rows","sheet":"Plan","row":3,"count":2},{"op":"ensure_sheet","sheet":"Shown"},{"op":"hide_sheet","sheet":"Plan"}]}`

// A model looks at cells and at a part of a page. What it sees of cells are those that it
// asked for, and it is told what is hidden; the draft stays as it is.
func TestRenderCellsAndRegions(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	r := newRig(t)
	r.env.Pages, r.env.Sees = preview.New(r.env.Formats, preview.Options{CacheDir: t.TempDir()}), true
	r.ok("xlsx_operations", planWithFaults)
	before := r.bytes("plan.xlsx")
	res := r.result("render", `{"path":"plan.xlsx","sheet":"Plan","range":"A1:B6"}`)
	require.Len(t, res.Images, 1)
	im := res.Images[0]
	require.Equal(t, "plan.xlsx Plan!A1:B6", im.Name)
	require.LessOrEqual(t, max(im.Width, im.Height), 1024)
	require.LessOrEqual(t, len(im.Data), look.MaxBytes)
	red, green := colours(t, im.Data)
	require.Greater(t, red, 500)
	require.Zero(t, green)
	require.JSONEq(t, `{"path":"plan.xlsx","shown":["plan.xlsx Plan!A1:B6"],"layout":["the sheet 'Plan' is hidden; people do not see it","rows 3 to 4 are hidden","B5 shows #### by estimate: column B is too narrow for its number"]}`, res.Text)
	require.Equal(t, before, r.bytes("plan.xlsx"))

	left := r.result("render", `{"path":"plan.xlsx","range":"Plan!A1:C2","region":"0,0,0.3,1"}`).Images[0]
	red, green = colours(t, left.Data)
	require.Zero(t, red+green, "the left third is column A")
	require.Equal(t, "plan.xlsx Plan!A1:C2 region 0,0,0.3,1", left.Name)

	for args, want := range map[string]string{
		`{"path":"plan.xlsx","range":"A1:B2,D4"}`:                     "names 2 blocks of cells; give one",
		`{"path":"plan.xlsx","sheet":"Gone"}`:                         "unknown sheet: Gone",
		`{"path":"contrato.docx","range":"A1"}`:                       "contrato.docx is a docx: give pages",
		`{"path":"notas.md","region":"0,0,2,1"}`:                      "invalid region",
		`{"path":"notas.md","region":"left"}`:                         "invalid region",
		`{"path":"plan.xlsx","range":"A1","side":"published"}`:        "no published side",
		`{"path":"plan.xlsx","sheet":"Plan","range":"A1","zoom":"9"}`: "invalid zoom",
	} {
		res := r.cat.Call(ctx, r.env, "render", json.RawMessage(args))
		require.False(t, res.Success, args)
		require.Contains(t, res.Text, want)
	}
}

// Without LibreOffice the text of the cells is drawn, and the result says why; more cells
// than a picture shows are cut with the range that follows.
func TestRenderCellsWithoutLibreOffice(t *testing.T) {
	r := newRig(t)
	r.env.Pages, r.env.Sees = preview.New(r.env.Formats, preview.Options{NoLibreOffice: true}), true
	res := r.result("render", `{"path":"sales.xlsx","sheet":"Sales"}`)
	require.Len(t, res.Images, 1)
	require.Equal(t, "sales.xlsx Sales!A1:J18", res.Images[0].Name)
	require.Contains(t, res.Text, "plain text view: LibreOffice is not installed")
	res = r.result("render", `{"path":"sales.xlsx","range":"A1:B1000"}`)
	require.Contains(t, res.Text, "Sales!A1:B200 is as much as one picture shows; A201:B400 follows")
}

// A model that takes no images, or a person, is told what is known of the looks.
func TestRenderInWords(t *testing.T) {
	r := newRig(t)
	r.env.Pages, r.env.Sees = preview.New(r.env.Formats, preview.Options{NoLibreOffice: true, NoTesseract: true}), false
	r.ok("xlsx_operations", planWithFaults)
	text := r.ok("render", `{"path":"plan.xlsx","sheet":"Plan"}`)
	require.Contains(t, text, "images are given only to a model that takes images")
	require.Contains(t, text, "column B is too narrow for its number")
	require.Contains(t, text, "Plan!A1:C6 was looked at")

	r.ok("pptx_operations", `{"path":"long.pptx","create_new":true,"operations":[{"op":"add_slide","title":"One","body":["short"]},{"op":"add_slide","title":"Two"},
		{"op":"add_text_box","slide_index":1,"x":1,"y":1,"width":2,"height":0.5,"text":"`+string(bytes.Repeat([]byte("many words "), 40))+`"}]}`)
	var got look.Rendered
	require.NoError(t, json.Unmarshal([]byte(r.ok("render", `{"path":"long.pptx","pages":"2"}`)), &got))
	require.NotEmpty(t, got.Layout)
	require.Contains(t, got.Layout[0], "slide_index 1, shape_id ")
	require.Empty(t, got.Shown)
	got = look.Rendered{}
	require.NoError(t, json.Unmarshal([]byte(r.ok("render", `{"path":"long.pptx","pages":"1"}`)), &got))
	require.Empty(t, got.Layout)
	require.Contains(t, got.Notes[1], "found none of overflow")
	require.Contains(t, r.ok("render", `{"path":"contrato.docx"}`), "found none of tables that are wider than the page")

	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 300, 100))))
	r.write("scan.png", b.Bytes())
	require.Contains(t, r.ok("render", `{"path":"scan.png"}`), "install tesseract")
	require.Equal(t, "Image file: scan.png (use get_file_info for metadata); install tesseract to have the text of pictures recognised", r.ok("read_file", `{"path":"scan.png"}`))
}

// The text of images and scanned pages is recognised for a model that takes no images,
// and is marked so.
func TestTextOfPicturesIsRecognized(t *testing.T) {
	need.Program(t, "tesseract", "tesseract-ocr")
	r := newRig(t)
	r.env.Pages = preview.New(r.env.Formats, preview.Options{})
	page, err := r.env.Pages.Page(ctx, formats.FromBytes("a.txt", []byte("Invoice number 4711\n")), preview.Request{Scale: 2})
	require.NoError(t, err)
	r.write("scan.png", page.PNG)
	text := r.ok("read_file", `{"path":"scan.png"}`)
	require.Contains(t, text, "[text in the image as recognised by tesseract (eng), which makes mistakes:]\nInvoice number 4711")
	require.Contains(t, r.ok("render", `{"path":"scan.png"}`), `"text":"Invoice number 4711"`)

	r.put("report.pdf", "pdf/les_MEDRPT-2024-PAT-3847_medical_report_scan.pdf")
	text = r.ok("read_file", `{"path":"report.pdf","pages":"1"}`)
	require.Contains(t, text, "[text in page 1 as recognised by tesseract (eng), which makes mistakes:]")
	require.Contains(t, text, "MEDRPT-2024-PAT-3847")
	require.Contains(t, r.ok("render", `{"path":"report.pdf"}`), "MEDRPT-2024-PAT-3847")
}

// Pictures inside documents and pages of scans are shown to a model that takes images,
// each with its place; those that cannot be shown are named.
func TestReadFileShowsPictures(t *testing.T) {
	r := newRig(t)
	r.env.Pages, r.env.Sees = preview.New(r.env.Formats, preview.Options{NoLibreOffice: true}), true
	r.put("pictures.docx", "docx/document_VariousPictures.docx")
	require.Empty(t, r.result("read_file", `{"path":"pictures.docx","include":["all"]}`).Images)
	res := r.result("read_file", `{"path":"pictures.docx","include":["images"]}`)
	require.Len(t, res.Images, 2)
	require.Equal(t, []string{"pictures.docx p5 Bild 2: tomcat.png", "pictures.docx p5 Bild 5: clock.jpg"}, []string{res.Images[0].Name, res.Images[1].Name})
	for _, im := range res.Images {
		drawn, err := png.DecodeConfig(bytes.NewReader(im.Data))
		require.NoError(t, err)
		require.Equal(t, []int{drawn.Width, drawn.Height}, []int{im.Width, im.Height})
	}
	var part tools.Part
	require.NoError(t, json.Unmarshal([]byte(res.Text), &part))
	require.Contains(t, part.Note, "image 2: p5 Bild 5: clock.jpg; not shown: p5 Bild 1: santa.wmf (wmf, which cannot be shown as an image; render shows the page), p5 Bild 3: cow.pict (emf,")
	require.NotEmpty(t, part.Text)

	r.put("same.xlsx", "xlsx/TryToLoad_ExcelProducedWorkbookWithImages.xlsx")
	res = r.result("read_file", `{"path":"same.xlsx","include":["images"]}`)
	require.Len(t, res.Images, 1, "a picture that is used again is shown once")
	require.Equal(t, "same.xlsx Sheet1!A1:F23 Picture 1, also Sheet1!F1:K23, also Sheet1!L1:Q23", res.Images[0].Name)

	r.put("many.docx", "docx/v2FxTestFiles_wordprocessing_picture_pic-1.docx")
	res = r.result("read_file", `{"path":"many.docx","include":["images"]}`)
	require.Len(t, res.Images, 8)
	require.Contains(t, res.Text, "at most 8 are shown at once; read a smaller part")

	r.put("report.pdf", "pdf/les_MEDRPT-2024-PAT-3847_medical_report_scan.pdf")
	res = r.result("read_file", `{"path":"report.pdf","pages":"1","include":["images"]}`)
	require.Len(t, res.Images, 1)
	require.Equal(t, "report.pdf page 1", res.Images[0].Name)
	require.Contains(t, r.ok("read_file", `{"path":"report.pdf"}`), `include [\"images\"] shows them`)

	r.env.Sees = false
	res = r.result("read_file", `{"path":"same.xlsx","include":["images"]}`)
	require.Empty(t, res.Images)
	require.Contains(t, res.Text, "not shown: Sheet1!A1:F23 Picture 1 (jpg; images are given only to a model that takes images)")
}
