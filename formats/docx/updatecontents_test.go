package docx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/need"
)

// manyPages is a document whose headings are on pages 1, 3 and 5 or so.
func manyPages(t testing.TB) formats.Source {
	filler := strings.Repeat(wp(wr(strings.Repeat("lorem ipsum ", 60))), 12)
	return withBody(t, wp(wr("Start"))+styledPara("Heading1", "One")+filler+styledPara("Heading1", "Two")+filler+styledPara("Heading2", "Three"))
}

func TestUpdateContents(t *testing.T) {
	src, _ := edited(t, manyPages(t), `{"op":"add_table_of_contents","at":"p0","text":"Contents"}`)
	require.Equal(t, "Start\nContents\nOne\nTwo\nThree\nOne", strings.Join(strings.Split(read(t, src, ""), "\n")[:6], "\n"))

	// Without pages: texts, new and removed entries; what is right keeps its bytes.
	out, rep := edited(t, src, `{"op":"set_paragraph","at":"p5","text":"One A"}`, `{"op":"insert_paragraph","at":"p5","text":"Between","style":"Heading 2"}`, `{"op":"update_contents","pages":false}`)
	require.Equal(t, []string{"Start", "Contents", "One A\t?", "Between\t?", "Two\t?", "Three\t?", "One A", "Between"}, strings.Split(read(t, out, ""), "\n")[:8])
	require.Equal(t, "p2: 4 entries, 1 new, 3 changed", rep.Ops[2].Notes[0], "entries without a page get one")
	require.Equal(t, "the former p5 is now p6, and so on", rep.Ops[2].Moved)
	require.Contains(t, rep.Ops[2].Notes, "4 entries show ? for their page")
	require.Empty(t, rep.Effects, "nothing is stale")
	require.Equal(t, "body | p4 modified: Two → Two\t?", told(diff(t, src, out))[2])
	good(t, out)
	same, rep := edited(t, out, `{"op":"update_contents","pages":false}`)
	require.True(t, rep.Ops[0].Unchanged, "%+v", rep.Ops[0])
	require.Equal(t, mainXML(t, out), mainXML(t, same))
	fewer, rep := edited(t, out, `{"op":"delete_paragraph","at":"p7"}`, `{"op":"update_contents","pages":false}`)
	require.Equal(t, "p2: 3 entries, 1 removed", rep.Ops[1].Notes[0])
	require.NotContains(t, read(t, fewer, ""), "Between")
	good(t, fewer)
	require.Equal(t, 1, strings.Count(mainXML(t, fewer), `fldCharType="begin" w:dirty="true"`)+strings.Count(mainXML(t, fewer), `w:dirty="true" w:fldCharType="begin"`))
}

// Page numbers are those that LibreOffice prints, also behind a section that
// begins its numbers anew.
func TestUpdateContentsPages(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	src, _ := edited(t, manyPages(t), `{"op":"add_table_of_contents","at":"p0"}`, `{"op":"insert_section_break","at":"p20"}`, `{"op":"format_section","at":"p25","start_at":7}`)
	out, rep := edited(t, src, `{"op":"update_contents"}`)
	text := strings.Split(read(t, out, ""), "\n")[1:4]
	require.Regexp(t, `^One\t1$`, text[0])
	require.Regexp(t, `^Two\t\d+$`, text[1])
	require.Regexp(t, `^Three\t([789]|1\d)$`, text[2])
	require.NotEqual(t, "Two\t1", text[1])
	require.Contains(t, rep.Ops[0].Notes[1], "page numbers are those of LibreOffice's layout")
	good(t, out)
	again, rep := edited(t, out, `{"op":"update_contents"}`)
	require.True(t, rep.Ops[0].Unchanged)
	require.Equal(t, mainXML(t, out), mainXML(t, again))
}

// A table as Word writes it, in a content control: its look stays.
func TestUpdateContentsOfWord(t *testing.T) {
	tab := `<w:tabs><w:tab w:val="left" w:pos="440"/><w:tab w:val="right" w:leader="dot" w:pos="9016"/></w:tabs>`
	char := func(kind string) string { return wrx("", `<w:fldChar w:fldCharType="`+kind+`"/>`) }
	entry := func(before, mark, text string) string {
		return wp(wppr(`<w:pStyle w:val="TOC1"/>`+tab), before, `<w:hyperlink w:anchor="`+mark+`" w:history="1">`, wrp(bold, text), wrx("<w:webHidden/>", "<w:tab/>"),
			wrx("<w:webHidden/>", `<w:fldChar w:fldCharType="begin"/>`), wrx("<w:webHidden/>", `<w:instrText xml:space="preserve"> PAGEREF `+mark+` \h </w:instrText>`), wrx("<w:webHidden/>", `<w:fldChar w:fldCharType="separate"/>`), wrx("<w:webHidden/>", "<w:t>3</w:t>"), wrx("<w:webHidden/>", `<w:fldChar w:fldCharType="end"/>`), `</w:hyperlink>`)
	}
	heading := func(mark, text string) string {
		return wp(wppr(`<w:pStyle w:val="Heading1"/>`), `<w:bookmarkStart w:id="`+mark[4:]+`" w:name="`+mark+`"/>`, wr(text), `<w:bookmarkEnd w:id="`+mark[4:]+`"/>`)
	}
	first := char("begin") + wrx("", `<w:instrText xml:space="preserve"> TOC \o "1-3" \h \z \u </w:instrText>`) + char("separate")
	src := withBody(t, sdt(`<w:docPartObj><w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/></w:docPartObj>`, wp(wr("Contents"))+entry(first, "_Toc11", "Alpha")+entry("", "_Toc12", "Beta")+wp(char("end")))+
		heading("_Toc11", "Alpha")+heading("_Toc12", "Beta two")+styledPara("Heading1", "Gamma"))
	out, rep := edited(t, src, `{"op":"update_contents","pages":false}`)
	require.Equal(t, "p1: 3 entries, 1 new, 1 changed", rep.Ops[0].Notes[0])
	require.Equal(t, []string{"Contents", "Alpha\t3", "Beta two\t3", "Gamma\t?", "", "Alpha"}, strings.Split(read(t, out, ""), "\n")[:6])
	x := mainXML(t, out)
	require.Contains(t, x, strings.TrimPrefix(entry("", "_Toc11", "Alpha"), wp(wppr(`<w:pStyle w:val="TOC1"/>` + tab))[:len("<w:p>")+len(wppr(`<w:pStyle w:val="TOC1"/>`+tab))]), "the entry that is right keeps its bytes")
	require.Equal(t, 3, strings.Count(x, tab), "new entries have the tab stops of the others")
	require.Contains(t, x, wrp(bold, "Gamma"))
	require.Contains(t, x, wp(char("end"))+"</w:sdtContent>")
	good(t, out)
}

func TestUpdateContentsFaults(t *testing.T) {
	src, _ := edited(t, manyPages(t), `{"op":"add_table_of_contents","at":"p0"}`)
	checkBadEdits(t, src, []badEdit{{`"op":"update_contents","at":"p0"`, formats.CodeInvalid, "p0 is in no table of contents"}})
	checkBadEdits(t, manyPages(t), []badEdit{{`"op":"update_contents"`, formats.CodeNotFound, "add_table_of_contents makes one"}})
	tracked, _ := edited(t, manyPages(t), `{"op":"add_table_of_contents","at":"p0",`+tracked+`}`)
	checkBadEdits(t, tracked, []badEdit{{`"op":"update_contents"`, formats.CodeUnsupported, "has tracked changes; update it in Word"}})
	part := changedParts(t, src, swap(t, blankMain, `\h \z \u `, `\b mark `))
	checkBadEdits(t, part, []badEdit{{`"op":"update_contents"`, formats.CodeUnsupported, "lists a part of the document only"}})
}

// Over the real documents: a table comes in and is updated; other parts keep their
// bytes, no schema error comes, and a second update changes nothing.
func TestCorpusUpdateContents(t *testing.T) {
	done := 0
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		out, _, err := applyWith(t, src, options(t), `{"op":"insert_paragraph","at":"p0","where":"before","text":"A heading of ours","style":"Heading 1"}`, `{"op":"add_table_of_contents","at":"p0","where":"before","level":9}`, `{"op":"update_contents","pages":false}`)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		name, _, err := d.related(ctx, "styles")
		require.NoError(t, err)
		formatstest.SameParts(t, b, out, d.main, name)
		formatstest.Validate(t, formatstest.Write(t, "contents.docx", out), path)
		_, rep, err := applyWith(t, formats.FromBytes("c.docx", out), options(t), `{"op":"update_contents","pages":false}`)
		require.NoError(t, err)
		require.True(t, rep.Ops[0].Unchanged, path)
		done++
	}
	formatstest.Report(t, "docx  update_contents on %d real documents", done)
}

func FuzzParseInstruction(f *testing.F) {
	for _, s := range []string{` TOC \o "1-3" \h \z \u `, `IF "a" = b "c" "d"`, `REF x \h \* MERGEFORMAT`, `"`, `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) { parseInstruction(code) })
}

// Texts of entries begin behind the longest number of their level, so that the page stays
// on the line; short numbers have the place that Word gives them.
func TestContentsTabBehindLongNumbers(t *testing.T) {
	for format, want := range map[string]string{"article": `w:val="left" w:pos="1720"`, "decimal": `w:val="left" w:pos="920"`} {
		out, _ := edited(t, chapters(t), `{"op":"number_headings","format":"`+format+`"}`, `{"op":"add_table_of_contents","at":"p0","text":"Contents"}`, `{"op":"update_contents","pages":false}`)
		require.Contains(t, mainXML(t, out), want, format)
	}
}
