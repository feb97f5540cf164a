package docx

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Each operation reads every member of its argument struct; operations whose
// edits are tracked take track_changes.
func TestOperationsReadTheirMembers(t *testing.T) {
	read := formatstest.MembersRead(t, "editing.rev")
	for op, names := range read {
		if slices.Contains(names, "rev") { // apply makes it of these
			read[op] = append(names, "track_changes", "author")
		} else {
			require.NotContains(t, operations.Takes(op), "track_changes", op)
		}
	}
	formatstest.CheckMembers(t, operations.Names(), operations.Takes, read)
	require.NotContains(t, operations.Takes("set_paragraph"), "paragraphs")
}

// Formatting beside a text is that of the text (of paragraphs: where they say
// nothing else).
func TestFontBesideText(t *testing.T) {
	src, rep := edited(t, nil,
		`{"op":"append_paragraph","text":"heavy","bold":true,"font_size":20}`,
		`{"op":"append_paragraph","runs":[{"text":"plain ","bold":false},{"text":"strong"}],"bold":true}`,
		`{"op":"append_paragraph","paragraphs":[{"text":"one"},{"text":"two","italic":false,"alignment":"left"}],"italic":true,"alignment":"center"}`,
		`{"op":"append_paragraph","text":"as it was"}`,
		`{"op":"add_table","rows":[["a","b"]]}`,
		`{"op":"set_table_cell","at":"t0.r0.c1","text":"cell","font_color":"C00000"}`,
		`{"op":"set_header","text":"Page {page}","strike":true}`)
	for _, op := range rep.Ops {
		require.Empty(t, op.Ignored, op.Op)
	}
	xml := mainXML(t, src)
	require.Contains(t, xml, `<w:r><w:rPr><w:b/><w:bCs/><w:sz w:val="40"/><w:szCs w:val="40"/></w:rPr><w:t>heavy</w:t></w:r>`)
	require.Contains(t, xml, `<w:b w:val="0"/><w:bCs w:val="0"/></w:rPr><w:t xml:space="preserve">plain </w:t>`)
	require.Contains(t, xml, `<w:b/><w:bCs/></w:rPr><w:t>strong</w:t>`)
	require.Contains(t, xml, `<w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:i/><w:iCs/></w:rPr><w:t>one</w:t>`)
	require.Contains(t, xml, `<w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:i w:val="0"/><w:iCs w:val="0"/></w:rPr><w:t>two</w:t>`)
	require.Contains(t, xml, `<w:r><w:t>as it was</w:t></w:r>`)
	require.Contains(t, xml, `<w:color w:val="C00000"/></w:rPr><w:t>cell</w:t>`)
	again, _ := edited(t, src, `{"op":"set_paragraph","at":"p4","text":"as it is","underline":true}`)
	require.Contains(t, mainXML(t, again), `<w:u w:val="single"/></w:rPr><w:t>as it is</w:t>`)
	tracked, _ := edited(t, src, `{"op":"set_paragraph","at":"p4","underline":true,"track_changes":true}`)
	require.Contains(t, mainXML(t, tracked), `<w:u w:val="single"/><w:rPrChange `)
	good(t, again)
}

// What an operation does not take is named, within its objects too.
func TestIgnoredMembers(t *testing.T) {
	src, rep := edited(t, nil,
		`{"op":"append_paragraph","text":"a","colour":"red","Bold":true,"where":null}`,
		`{"op":"append_paragraph","runs":[{"text":"a","size":1},{"text":"b","size":2,"bold":true}]}`,
		`{"op":"set_paragraphs","paragraphs":[{"text":"a","runs":null}],"bold":true}`,
		`{"op":"replace_text","find":"a","replace":"b"}`,
		`{"op":"add_hyperlink","url":"https://example.com","search":"b","text":"b"}`,
		`{"op":"add_comment","at":"p0","text":"why","track_changes":true}`)
	var notes []string
	for _, op := range rep.Ops {
		notes = append(notes, formats.IgnoredNote(op.Ignored))
	}
	require.Equal(t, []string{
		"ignored colour", "ignored size in runs; it is set in runs.font_size", "ignored bold; it is set in paragraphs", "", "ignored text", "ignored track_changes",
	}, notes)
	good(t, src)
}
