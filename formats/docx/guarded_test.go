package docx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// oddDocument has text in the places of which an answer must say more.
func oddDocument(t testing.TB) formats.Source {
	t.Helper()
	run := func(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }
	char := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := func(instr string) string {
		return `<w:r><w:instrText xml:space="preserve"> ` + instr + ` </w:instrText></w:r>`
	}
	control := func(pr, content string) string {
		return `<w:sdt><w:sdtPr>` + pr + `</w:sdtPr><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
	}
	cell := func(content string) string {
		return `<w:tc><w:tcPr><w:tcW w:w="900" w:type="dxa"/></w:tcPr>` + content + `</w:tc>`
	}
	table := func(content string) string {
		return `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="900"/></w:tblGrid><w:tr>` + content + `</w:tr></w:tbl>`
	}
	p := func(content string) string { return `<w:p>` + content + `</w:p>` }
	at := ` w:id="900" w:author="A" w:date="2026-01-01T00:00:00Z"`
	return withBody(t, ""+
		p(char("begin")+code("TOC \\o")+char("separate")+run("apple one"))+p(run("apple two")+char("end"))+ // p0, p1
		p(run("see ")+`<w:fldSimple w:instr=" REF _x "><w:r><w:t>pear</w:t></w:r></w:fldSimple>`)+ // p2
		p(char("begin")+code(`HYPERLINK "x"`)+char("separate")+run("plum")+char("end"))+ // p3
		p(control(`<w:lock w:val="sdtContentLocked"/>`, run("locked lemon")))+ // p4
		p(run("before ")+`<w:del`+at+`><w:r><w:delText>deleted melon</w:delText></w:r></w:del>`+run("after"))+ // p5
		`<w:p><m:oMath xmlns:m="`+nsMath+`"><m:r><m:t>grape</m:t></m:r></m:oMath></w:p>`+ // p6
		table(cell(table(cell(p(run("nested fig"))))+p("")))+p(run("plain kiwi"))) // t0, p7
}

// Each answer says where an edit does not last, was not meant to be made, or
// was not made.
func TestAnswersNameOddPlaces(t *testing.T) {
	src := oddDocument(t)
	inTOC := "some of this is in the result of a field (TOC); what was done there goes when the field is updated"
	inREF := strings.Replace(inTOC, "TOC", "REF", 1)
	inLock := "some of this is in a content control that is locked against editing; it was edited all the same"
	for _, c := range []struct {
		op       string
		hits     int
		warnings []string
	}{
		{`"op":"replace_text","search":"apple","replace":"x"`, 2, []string{inTOC}},
		{`"op":"replace_text","search":"pear","replace":"x"`, 1, []string{inREF}},
		{`"op":"replace_text","search":"(apple|pear)","replace":"x","regex":true`, 3, []string{strings.Replace(inTOC, "TOC", "REF, TOC", 1)}},
		{`"op":"replace_text","search":"see","replace":"x"`, 1, nil},
		{`"op":"replace_text","search":"plum","replace":"x"`, 1, nil},
		{`"op":"replace_text","search":"lemon","replace":"x"`, 1, []string{inLock}},
		{`"op":"replace_text","search":"kiwi","replace":"x"`, 1, nil},
		{`"op":"replace_text","search":"fig","replace":"x"`, 1, nil},
		{`"op":"replace_text","search":"melon","replace":"x"`, 0, []string{`"melon" was not found; nothing was replaced`, "not replaced: 1 in tracked deletions"}},
		{`"op":"replace_text","search":"grape","replace":"x"`, 0, []string{`"grape" was not found; nothing was replaced`, "not replaced: 1 in equations"}},
		{`"op":"replace_text","search":"e","replace":"E","scope":["tables"]`, 2, nil},
		{`"op":"set_paragraph","at":"p1","text":"x"`, 1, []string{inTOC}},
		{`"op":"set_paragraph","at":"p4","text":"x"`, 1, []string{inLock}},
		{`"op":"set_table_cell","at":"t0.r0.c0.t0.r0.c0","text":"x"`, 0, nil},
		{`"op":"insert_paragraph","at":"p0","text":"x"`, 1, []string{inTOC}},
		{`"op":"format_text","search":"apple one","bold":true`, 1, []string{inTOC}},
		{`"op":"delete_paragraph","at":"t0.r0.c0.p0"`, 1, []string{"what holds that paragraph needs one at its end: its text is gone, an empty paragraph stays"}},
		{`"op":"format_paragraph","at":"p7","style":"Strong"`, 1, []string{`the document has no paragraph style "Strong"; the paragraph has none`}},
		{`"op":"append_paragraph","text":"x","style":"Heading 12"`, 1, []string{`the document has no paragraph style "Heading 12"; the paragraph has none`}},
	} {
		for _, more := range []string{"", "," + tracked} {
			if more != "" && strings.Contains(c.op, "delete_paragraph") {
				continue // it is recorded, and stays until it is accepted
			}
			_, rep := edited(t, src, `{`+c.op+more+`}`)
			require.Equal(t, c.hits, rep.Ops[0].Hits, c.op)
			require.Equal(t, c.warnings, rep.Ops[0].Warnings, c.op+more)
		}
	}
	for _, op := range []string{`"op":"delete_paragraph","at":"p0","count":2`, `"op":"delete_paragraph","at":"p2"`} {
		_, rep := edited(t, src, `{`+op+`,`+tracked+`}`)
		require.Empty(t, rep.Ops[0].Warnings, "the field goes as a whole")
	}
	_, rep := edited(t, src, `{"op":"replace_text","search":"apple","replace":"x"}`, `{"op":"replace_text","search":"kiwi","replace":"x"}`)
	require.Empty(t, rep.Ops[1].Warnings, "each answer is about its own operation")
	styled, _ := edited(t, src, `{"op":"format_paragraph","at":"p7","style":"Quote"}`)
	_, rep = edited(t, styled, `{"op":"format_paragraph","at":"p7","style":"Nonsense","alignment":"right"}`)
	require.Equal(t, []string{`the document has no paragraph style "Nonsense"; the paragraph keeps Quote`}, rep.Ops[0].Warnings)
}

// What goes with a deleted paragraph is said, once though older applications
// have it repeated.
func TestDeletedParagraphSaysWhatWentWithIt(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t>x</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing/></mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:p/>`)
	_, rep := edited(t, src, `{"op":"delete_paragraph","at":"p0"}`)
	require.Equal(t, []string{"with it went 1 pictures or drawings, 1 references to notes"}, rep.Ops[0].Warnings)
}

// A control that shows data of the document keeps what was written: the data
// change along, or the answer says that they do not.
func TestBoundControlsAreWrittenAlong(t *testing.T) {
	src := boundDocument(t, "Old Title", "Old Title")
	out, rep := edited(t, src, `{"op":"replace_text","search":"Old","replace":"New & better"}`)
	require.Empty(t, rep.Warnings)
	b, err := formats.ReadAll(out, 1<<24)
	require.NoError(t, err)
	require.Contains(t, string(formatstest.Parts(t, b)["docProps/core.xml"]), "<dc:title>New &amp; better Title</dc:title>")
	stay := []string{"1 content controls show data of the document that was not changed along; applications show the old text there again when they open it"}
	_, rep = edited(t, src, `{"op":"replace_text","search":"Old","replace":"New",`+tracked+`}`)
	require.Equal(t, stay, rep.Warnings)
	_, rep = edited(t, boundDocument(t, "Old Title", "Something else"), `{"op":"set_paragraph","at":"p0","text":"New"}`)
	require.Equal(t, stay, rep.Warnings)
	_, rep = edited(t, src, `{"op":"replace_text","search":"beside","replace":"near"}`)
	require.Empty(t, rep.Warnings)
}

// boundDocument shows its title in a control; data is what the properties say.
func boundDocument(t testing.TB, shown, data string) formats.Source {
	t.Helper()
	src := withBody(t, `<w:p><w:r><w:t xml:space="preserve">beside </w:t></w:r><w:sdt><w:sdtPr><w:dataBinding w:prefixMappings="xmlns:ns0='http://purl.org/dc/elements/1.1/' xmlns:ns1='http://schemas.openxmlformats.org/package/2006/metadata/core-properties' " w:xpath="/ns1:coreProperties[1]/ns0:title[1]" w:storeItemID="`+storeCore+`"/></w:sdtPr><w:sdtContent><w:r><w:t>`+shown+`</w:t></w:r></w:sdtContent></w:sdt></w:p>`)
	e, err := begin(ctx, src)
	require.NoError(t, err)
	doc, err := e.ed.ReadXML(ctx, "docProps/core.xml")
	require.NoError(t, err)
	text := string(doc)
	if i := strings.Index(text, "<dc:title"); i >= 0 {
		text = text[:i] + text[strings.Index(text, "</cp:coreProperties>"):]
	}
	e.ed.Set("docProps/core.xml", []byte(strings.Replace(text, "</cp:coreProperties>", "<dc:title>"+data+"</dc:title></cp:coreProperties>", 1)))
	var out strings.Builder
	require.NoError(t, e.ed.Write(ctx, &out))
	return formats.FromBytes("bound.docx", []byte(out.String()))
}
