package docx

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx"
)

const (
	xmlnsW  = ` xmlns:w="` + nsW + `"`
	xmlnsA  = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`
	xmlnsC  = ` xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"`
	typeWML = "application/vnd.openxmlformats-officedocument.wordprocessingml."
)

func para(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }

func field(code, result string) string {
	char := func(k string) string { return `<w:r><w:fldChar w:fldCharType="` + k + `"/></w:r>` }
	return char("begin") + `<w:r><w:instrText xml:space="preserve"> ` + code + ` </w:instrText></w:r>` + char("separate") + `<w:r><w:t>` + result + `</w:t></w:r>` + char("end")
}

// everyVisible has a text in each kind of place that a docx has; what must be
// translated begins with "See", what must not with "Not".
func everyVisible(t *testing.T) formats.Source {
	body := para("See body") +
		`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblCaption w:val="See caption"/><w:tblDescription w:val="See table description"/></w:tblPr><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>` + para("See cell") + `</w:tc></w:tr></w:tbl>` +
		`<w:p>` + field("REF Not_code", "See reference") + `<w:fldSimple w:instr="TITLE Not code"><w:r><w:t>See simple field</w:t></w:r></w:fldSimple></w:p>` +
		`<w:p><w:hyperlink w:anchor="_Toc1" w:tooltip="See &quot;tip&quot;&#10;two"><w:r><w:t>See entry</w:t></w:r><w:r><w:tab/></w:r>` + field("PAGEREF _Toc1", "7") + `</w:hyperlink></w:p>` +
		`<w:p><w:ins w:id="1" w:author="A"><w:r><w:t>See insertion</w:t></w:r></w:ins><w:del w:id="2" w:author="A"><w:r><w:delText>Not deletion</w:delText></w:r></w:del><w:moveFrom w:id="3" w:author="A"><w:r><w:t>Not moved from</w:t></w:r></w:moveFrom><w:moveTo w:id="4" w:author="A"><w:r><w:t> See moved to</w:t></w:r></w:moveTo></w:p>` +
		`<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="1" name="Not name" descr="See picture's text" title="See picture's title"/><w:txbxContent>` + para("See box") + `</w:txbxContent></wp:inline></w:drawing></mc:Choice>` +
		`<mc:Fallback><w:pict><v:shape alt="See picture's text"><v:textbox><w:txbxContent>` + para("See box") + `</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>` +
		`<w:p><w:r><w:pict><v:shape alt='See "quoted" alt'><v:textpath string="See watermark"/></v:shape></w:pict></w:r></w:p>` +
		`<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="See choice" w:value="Not value"/></w:dropDownList></w:sdtPr><w:sdtContent>` + para("See control") + `</w:sdtContent></w:sdt>` +
		`<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="Not name"/><w:helpText w:type="text" w:val="See help"/><w:statusText w:type="text" w:val="See status"/><w:textInput><w:default w:val="See default"/></w:textInput></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>` +
		`<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:listEntry w:val="See entry of a list"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>` +
		`<w:p><w:r><w:t xml:space="preserve">See sum </w:t></w:r><m:oMath><m:r><m:t>Not_x</m:t></m:r></m:oMath></w:p>` +
		`<w:p><w:r><w:t>See ruby </w:t><w:ruby><w:rt><w:r><w:t>Not guide</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>` +
		para("https://example.com/not") + para("12.5")
	ed, main, err := blankDocument()
	require.NoError(t, err)
	ed.Set(main, []byte(`<?xml version="1.0"?><w:document`+xmlnsW+` xmlns:mc="`+nsMC+`" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:v="`+nsVML+`" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body>`+body+`<w:sectPr/></w:body></w:document>`))
	part := func(source, name, rel, contentType, xml string) {
		ed.Set(name, []byte(xml))
		if !strings.Contains(rel, "/") {
			rel = opc.RelPrefix + rel
		}
		_, err := ed.AddRel(ctx, source, opc.Relationship{Type: rel, Target: name})
		require.NoError(t, err)
		require.NoError(t, ed.AddContentType(ctx, name, contentType))
	}
	note := func(kind, text string) string {
		return `<w:` + kind + ` w:id="1">` + para(text) + `</w:` + kind + `>`
	}
	part(main, "word/header9.xml", "header", typeWML+"header+xml", `<w:hdr`+xmlnsW+`>`+para("See header")+`</w:hdr>`)
	part(main, "word/footer9.xml", "footer", typeWML+"footer+xml", `<w:ftr`+xmlnsW+`>`+para("See footer")+`</w:ftr>`)
	part(main, "word/footnotes.xml", "footnotes", typeWML+"footnotes+xml", `<w:footnotes`+xmlnsW+`>`+note("footnote", "See footnote")+`</w:footnotes>`)
	part(main, "word/endnotes.xml", "endnotes", typeWML+"endnotes+xml", `<w:endnotes`+xmlnsW+`>`+note("endnote", "See endnote")+`</w:endnotes>`)
	part(main, "word/comments.xml", "comments", typeWML+"comments+xml", `<w:comments`+xmlnsW+`>`+note("comment", "See comment")+`</w:comments>`)
	part(main, "word/glossary/document.xml", "glossaryDocument", typeWML+"document.glossary+xml", `<w:glossaryDocument`+xmlnsW+`><w:docParts><w:docPart><w:docPartPr><w:name w:val="Not name"/></w:docPartPr><w:docPartBody>`+para("See placeholder")+`</w:docPartBody></w:docPart></w:docParts></w:glossaryDocument>`)
	cached := `<c:f>Not!A1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>See category</c:v></c:pt></c:strCache>`
	part("word/header9.xml", "word/charts/chart9.xml", "chart", "application/vnd.openxmlformats-officedocument.drawingml.chart+xml", `<c:chartSpace`+xmlnsC+xmlnsA+`><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>See chart title</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:v>See series</c:v></c:tx><c:cat><c:strRef>`+cached+`</c:strRef></c:cat><c:val><c:numRef><c:f>Not!B1</c:f><c:numCache><c:formatCode>General</c:formatCode><c:pt idx="0"><c:v>12</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser><c:ser><c:cat><c:strRef>`+cached+`</c:strRef></c:cat></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`)
	var sheet bytes.Buffer
	_, err = xlsx.Format().Editor.Apply(ctx, nil, &sheet, []json.RawMessage{json.RawMessage(`{"op":"ensure_sheet","sheet":"Data"}`), json.RawMessage(`{"op":"set_cells","sheet":"Data","cells":[{"cell":"A1","value":"See category"},{"cell":"A2","value":"See nothing of this"}]}`)}, formats.ApplyOptions{})
	require.NoError(t, err)
	part("word/charts/chart9.xml", "word/embeddings/book.xlsx", "package", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", sheet.String())
	point := `<a:p><a:r><a:t>See shape</a:t></a:r></a:p>`
	part(main, "word/diagrams/data9.xml", "diagramData", "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml", `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`+xmlnsA+`><dgm:ptLst><dgm:pt><dgm:t>`+point+`</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`)
	part(main, "word/diagrams/drawing9.xml", "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing", "application/vnd.ms-office.drawingml.diagramDrawing+xml", `<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"`+xmlnsA+`><dsp:spTree><dsp:sp><dsp:txBody>`+point+`</dsp:txBody></dsp:sp></dsp:spTree></dsp:drawing>`)
	levels := `<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="See article %1."/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl><w:lvl w:ilvl="2"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>`
	part(main, "word/numbering9.xml", "numbering", typeWML+"numbering+xml", `<w:numbering`+xmlnsW+`><w:abstractNum w:abstractNumId="0">`+levels+`</w:abstractNum></w:numbering>`)
	part("", "docProps/core9.xml", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", "application/vnd.openxmlformats-package.core-properties+xml", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>See title</dc:title><dc:creator>Not author</dc:creator><cp:keywords>See keywords</cp:keywords></cp:coreProperties>`)
	var out bytes.Buffer
	require.NoError(t, ed.Write(ctx, &out))
	return formats.FromBytes("every.docx", out.Bytes())
}

// TR-02: each kind of place is found and written; codes, names, values,
// deletions, links and numbers are not. What repeats is one segment and written
// everywhere.
func TestTR02EveryPlace(t *testing.T) {
	src := everyVisible(t)
	file, err := formats.ReadAll(src, 1<<20)
	require.NoError(t, err)
	r := formatstest.NewRecall("docx made for it", formatstest.DocxScan, Format().Segmenter)
	require.True(t, r.Bytes(t, "every.docx", file))
	r.Report(t)
	formatstest.SameWhenUnchanged(t, Format().Segmenter, src, formats.SegmentOptions{})

	segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	parts, texts, shared := map[string]bool{}, map[string]int{}, map[string]string{}
	for _, s := range segs {
		if strings.Contains(s.ID, "/diagrams/") || strings.Contains(s.ID, "/charts/") || strings.HasPrefix(s.ID, "docProps/") {
			shared[s.ID] = s.Place + ": " + s.Text
		}
		require.NotContains(t, s.Text, "Not", s.Place)
		require.Contains(t, s.Text, "See", s.Place)
		parts[s.Part] = true
		texts[s.Text]++
		require.NotEmpty(t, s.Place)
	}
	for text, n := range texts {
		require.Equal(t, 1, n, text)
	}
	for _, want := range []string{"body", "table", "header", "footer", "footnote", "endnote", "comment", "textbox", "chart", "smartart", "placeholder", "numbering", "alt text", "watermark", "control", "form field", "tooltip", "property"} {
		require.Contains(t, parts, want)
	}
	require.Len(t, parts, 18)
	require.Equal(t, map[string]string{
		"word/charts/chart9.xml#p0":  "chart 1 title: See chart title",
		"word/charts/chart9.xml#v1":  "chart 1 series: See series",
		"word/charts/chart9.xml#v2":  "chart 1 category: See category",
		"word/diagrams/data9.xml#p0": "diagram 1, paragraph 1: See shape",
		"docProps/core9.xml#v1":      "document properties, title: See title",
		"docProps/core9.xml#v2":      "document properties, keywords: See keywords",
	}, shared)

	targets := map[string]string{}
	for _, s := range segs {
		targets[s.ID] = strings.ReplaceAll(s.Text, "See", "Ved")
	}
	var out bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &out, targets, formats.ReplaceOptions{Language: "he"}))
	for name, b := range formatstest.Parts(t, out.Bytes()) {
		if strings.HasSuffix(name, ".xlsx") { // TR-02: the data of a chart follows its labels, and no more
			cells, err := xlsx.Format().Segmenter.Segments(ctx, formats.FromBytes(name, b), formats.SegmentOptions{})
			require.NoError(t, err)
			require.Equal(t, []string{"Ved category", "See nothing of this"}, []string{cells[0].Text, cells[1].Text})
			continue
		}
		require.NotContains(t, string(b), "See", name)
	}
	before, after := formatstest.Parts(t, file), formatstest.Parts(t, out.Bytes())
	for name, b := range before {
		b = bytes.Replace(b, []byte("Not guide"), nil, 1) // it told how to read what is gone
		require.Equal(t, strings.Count(string(b), "Not"), strings.Count(string(after[name]), "Not"), name)
	}
	require.Contains(t, string(after[blankMain]), `w:tooltip="Ved &quot;tip&quot;&#10;two"`)
	require.Contains(t, string(after[blankMain]), `alt='Ved &quot;quoted&quot; alt'`)
}
