package docx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func partXML(t testing.TB, src formats.Source, name string) string {
	t.Helper()
	b, err := formats.ReadAll(src, 1<<24)
	require.NoError(t, err)
	return string(formatstest.Parts(t, b)[name])
}

// A header that is there is rewritten as a revision, its fields too.
func TestTrackedHeader(t *testing.T) {
	src := made(t, sample, `{"op":"set_header","paragraphs":[{"text":"ACME"},{"text":"page {page}","alignment":"right"}]}`)
	on := `{"op":"set_header","text":"{page} of {pages}","alignment":"center",` + tracked + `}`
	out := requireRevision(t, src, true, []string{`{"op":"set_header","text":"{page} of {pages}","alignment":"center"}`})
	require.Equal(t, "1 of 1", strings.TrimSpace(read(t, out, "h0")))
	shown := readWith(t, out, "h0", "changes")
	require.Contains(t, shown, "[-ACME-]")
	require.Contains(t, shown, "{+1 of 1+}")
	good(t, out)

	header := "word/header1.xml"
	yes, _ := edited(t, out, `{"op":"accept_changes"}`)
	require.Equal(t, 1, strings.Count(partXML(t, yes, header), "<w:p>"))
	require.Contains(t, partXML(t, yes, header), `<w:jc w:val="center"/>`)
	require.Equal(t, 1, strings.Count(partXML(t, yes, header), " PAGE "), "the old field is gone")
	good(t, yes)
	no, _ := edited(t, out, `{"op":"reject_changes"}`)
	require.Contains(t, partXML(t, no, header), `<w:jc w:val="right"/>`)
	require.Equal(t, 1, strings.Count(partXML(t, no, header), " PAGE "))
	require.NotContains(t, partXML(t, no, header), "NUMPAGES")
	for _, s := range []formats.Source{yes, no} {
		require.NotRegexp(t, `<w:(ins|del|delText|delInstrText|\w+Change)\b`, partXML(t, s, header))
	}
	good(t, no)

	_, rep := edited(t, src, on)
	require.Empty(t, rep.Ops[0].Warnings)
	fresh, rep := edited(t, made(t, sample), on)
	require.Contains(t, rep.Ops[0].Warnings[0], "that there is a header is not")
	no, _ = edited(t, fresh, `{"op":"reject_changes"}`)
	require.Equal(t, "", read(t, no, "h0"))
}

// What cannot be a revision says so.
func TestUntrackedIsSaid(t *testing.T) {
	src := made(t, sample, `{"op":"add_table","rows":[["x","y"],["z","w"]]}`)
	for _, op := range []string{`"add_table_column","at":"t0.r0.c0"`, `"delete_table_column","at":"t0.r0.c0"`, `"add_hyperlink","search":"intro","url":"https://example.com"`, `"set_footer","text":"x"`} {
		_, rep := edited(t, src, `{"op":`+op+`,`+tracked+`}`)
		require.Len(t, rep.Ops[0].Warnings, 1, op)
		require.Contains(t, rep.Ops[0].Warnings[0], "tracked change", op)
		_, rep = edited(t, src, `{"op":`+op+`}`)
		require.Empty(t, rep.Ops[0].Warnings, op)
	}
}

// every place that holds text of its own, nested ones too.
func TestX32TrackedPlaces(t *testing.T) {
	p := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	cell := func(s string) string {
		return `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc><w:tcPr/>` + s + `</w:tc></w:tr></w:tbl>`
	}
	box := `<w:p><w:r><w:t>outside</w:t></w:r><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:90pt;height:40pt"><v:textbox><w:txbxContent>` + p("box one") + p("box two") + `</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`
	link := `<w:p><w:hyperlink w:anchor="a"><w:r><w:t>linked</w:t></w:r></w:hyperlink><w:fldSimple w:instr=" DATE "><w:r><w:t>today</w:t></w:r></w:fldSimple></w:p>`
	src := withBody(t, p("body")+cell(cell(p("inner")+p("last"))+p("outer"))+box+link+p("end"))
	src, _ = edited(t, src, `{"op":"set_header","text":"old head"}`, `{"op":"set_footer","text":"old foot"}`)
	for group, ops := range placeEdits(t, src) {
		t.Run(group, func(t *testing.T) { requireRevision(t, src, true, ops) })
	}
	for _, op := range []string{
		`{"op":"set_table_cell","at":"t0.r0.c0.t0.r0.c0","text":"x"}`, `{"op":"set_paragraph","at":"x0.p1","text":"x"}`,
		`{"op":"delete_paragraph","at":"p1"}`, `{"op":"delete_paragraph","at":"p2"}`, `{"op":"delete_table","at":"t0"}`,
		`{"op":"set_paragraphs","paragraphs":[{"text":"all"},{"text":"new"}]}`, `{"op":"replace_text","search":"(?s).+","regex":true,"replace":""}`,
		`{"op":"add_hyperlink","at":"p0","text":" more","url":"#a"}`, `{"op":"add_table","at":"p0","rows":[["n"]]}`, `{"op":"add_table_row","at":"t0","cells":["n"]}`,
	} {
		t.Run(op, func(t *testing.T) { requireRevision(t, src, true, []string{op}) })
	}
	out, _ := edited(t, src, `{"op":"delete_paragraph","at":"p2",`+tracked+`}`, `{"op":"accept_changes"}`)
	require.NotRegexp(t, "hyperlink|fldSimple|DATE", mainXML(t, out), "no hollow link or field stays")
}
