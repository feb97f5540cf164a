package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// Comments, the boxes that show them and the list of authors stay together.
func TestCommentParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "add_comment makes the comments, the notes and their relationships",
			ops:  `{"op":"add_comment","sheet":"S1","cell":"B3","text":" Why <so>?\nTell & show","author":"Zoë \"Z\""}`,
			rep:  formats.OpReport{Hits: 1, Made: "comment S1!B3"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>` + relsDefault,
					`</Types>`, typeOf("xl/comments1.xml", "spreadsheetml.comments+xml") + `</Types>`,
				},
				comments1: {"", xmlDecl +
					`<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Zoë &quot;Z&quot;</author></authors><commentList>` +
					newComment("B3", 0, "<t xml:space=\"preserve\"> Why &lt;so&gt;?\nTell &amp; show</t>") +
					`</commentList></comments>`},
				vml1: {"", newNotes + newNote(1025, 60, "2, 15, 1, 10, 4, 31, 5, 4", 2, 1) + `</xml>`},
				sheet1Rels: {"", relsHead +
					relTo("rId1", "comments", "../comments1.xml") +
					relTo("rId2", "vmlDrawing", "../drawings/vmlDrawing1.vml") +
					`</Relationships>`},
				sheet1: {
					`</worksheet>`, `<legacyDrawing r:id="rId2"/></worksheet>`,
				},
			},
		},
		{
			name: "add_comment in the last cell",
			ops:  `{"op":"add_comment","sheet":"S2","cell":"XFD1048576","text":"x","author":"Ann"}`,
			rep:  formats.OpReport{Hits: 1, Made: "comment S2!XFD1048576"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>` + relsDefault,
					`</Types>`, typeOf("xl/comments1.xml", "spreadsheetml.comments+xml") + `</Types>`,
				},
				comments1: {"", xmlDecl +
					`<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author></authors><commentList>` +
					newComment("XFD1048576", 0, `<t>x</t>`) +
					`</commentList></comments>`},
				vml1: {"", newNotes + newNote(1025, 60, "16382, 15, 1048574, 10, 16383, 31, 1048575, 4", 1048575, 16383) + `</xml>`},
				sheet2Rels: {"", relsHead +
					relTo("rId1", "comments", "../comments1.xml") +
					relTo("rId2", "vmlDrawing", "../drawings/vmlDrawing1.vml") +
					`</Relationships>`},
				sheet2: {
					`</worksheet>`, `<legacyDrawing r:id="rId2"/></worksheet>`,
				},
			},
		},
		{
			name: "add_comment of many lines has a higher box", in: notedBook(t),
			ops: `{"op":"add_comment","sheet":"S1","cell":"A1","text":"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789","author":"Ann"}`,
			rep: formats.OpReport{Hits: 1, Made: "comment S1!A1"},
			swap: map[string][]string{
				comments1: {
					`</commentList>`, newComment("A1", 0, `<t>0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789</t>`) +
						`</commentList>`,
				},
				vml1: {
					`</xml>`, newNote(1027, 105, "1, 15, 0, 10, 3, 31, 7, 4", 0, 0) + `</xml>`,
				},
			},
		},
		{
			name: "add_comment by an author of the list", in: notedBook(t),
			ops: `{"op":"add_comment","sheet":"S1","cell":"C4","text":"ok","author":"Bob & co"}`,
			rep: formats.OpReport{Hits: 1, Made: "comment S1!C4"},
			swap: map[string][]string{
				comments1: {
					`</commentList>`, newComment("C4", 1, `<t>ok</t>`) + `</commentList>`,
				},
				vml1: {
					`</xml>`, newNote(1027, 60, "3, 15, 2, 10, 5, 31, 6, 4", 3, 2) + `</xml>`,
				},
			},
		},
		{
			name: "add_comment by a new author", in: notedBook(t),
			ops: `{"op":"add_comment","sheet":"S1","cell":"C4","text":"ok"}`,
			rep: formats.OpReport{Hits: 1, Made: "comment S1!C4"},
			swap: map[string][]string{
				comments1: {
					`</authors>`, `<author>Atelier</author></authors>`,
					`</commentList>`, newComment("C4", 2, `<t>ok</t>`) + `</commentList>`,
				},
				vml1: {
					`</xml>`, newNote(1027, 60, "3, 15, 2, 10, 5, 31, 6, 4", 3, 2) + `</xml>`,
				},
			},
		},
		{
			name: "add_comment replaces the cell's own", in: notedBook(t),
			ops: `{"op":"add_comment","sheet":"S1","cell":"B2","text":"no","author":"Ann"}`,
			rep: formats.OpReport{Hits: 1, Made: "comment S1!B2", Warnings: []string{"the comment that B2 had was replaced"}},
			swap: map[string][]string{
				comments1: {
					`<b/>`, `<sz val="9"/><color indexed="81"/><rFont val="Tahoma"/><family val="2"/>`,
					`Ann:`, `no`,
					`<r><t xml:space="preserve"> sure?</t></r>`, ``,
				},
			},
		},
		{
			name: "delete_comment leaves the others", in: notedBook(t),
			ops: `{"op":"delete_comment","sheet":"S1","cell":"b2"}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				comments1: {
					`<comment ref="B2" authorId="0"><text><r><rPr><b/></rPr><t>Ann:</t></r><r><t xml:space="preserve"> sure?</t></r></text></comment>`, ``,
				},
				vml1: {
					`<v:shape id="_x0000_s1025" type="#_x0000_t202"><x:ClientData ObjectType="Note"><x:Anchor>2, 15, 0, 10, 4, 31, 4, 4</x:Anchor><x:Row>1</x:Row><x:Column>1</x:Column></x:ClientData></v:shape>`, ``,
				},
			},
		},
		{
			name: "delete_comment of all takes their parts", in: notedBook(t),
			ops: `{"op":"delete_comment","sheet":"S1","cell":"B2"},` +
				`{"op":"delete_comment","sheet":"S1","cell":"A3"}`,
			rep:  formats.OpReport{Hits: 1},
			gone: []string{comments1, vml1},
			swap: map[string][]string{
				typesXML: {
					typeOf("xl/comments1.xml", "spreadsheetml.comments+xml"), ``,
				},
				sheet1Rels: {
					relTo("rId1", "vmlDrawing", "../drawings/vmlDrawing1.vml") + relTo("rId2", "comments", "../comments1.xml"), ``,
				},
				sheet1: {
					`<legacyDrawing r:id="rId1"/>`, ``,
				},
			},
		},
		{
			name: "insert_rows moves comments and notes", in: notedBook(t),
			ops: `{"op":"insert_rows","sheet":"S1","row":3}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!3:3"},
			swap: map[string][]string{
				comments1: {
					`<comment ref="A3" authorId="1">`, `<comment ref="A4" authorId="1">`,
				},
				vml1: {
					`1, 15, 2, 10, 3, 31, 6, 4`, `1, 15, 3, 10, 3, 31, 7, 4`,
					`<x:Row>2`, `<x:Row>3`,
				},
				sheet1: {
					`<row r="3"><c r="A3">`, `<row r="4"><c r="A4">`,
					`<c r="B3">`, `<c r="B4">`,
					`10</v></c></row><row r="4"><c r="A4">`, `10</v></c></row><row r="5"><c r="A5">`,
					`3</v></c><c r="B4">`, `3</v></c><c r="B5">`,
				},
			},
		},
		{
			name: "delete_rows takes the comments of its cells", in: notedBook(t),
			ops: `{"op":"delete_rows","sheet":"S1","row":2}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				comments1: {
					`<comment ref="B2" authorId="0">`, `<comment ref="A2" authorId="1">`,
					`<r><rPr><b/></rPr>`, ``,
					`Ann:</t></r><r><t xml:space="preserve"> sure?</t></r></text></comment><comment ref="A3" authorId="1"><text><t>`, ``,
				},
				vml1: {
					`<v:shape id="_x0000_s1025" type="#_x0000_t202">`, `<v:shape id="_x0000_s1026" type="#_x0000_t202">`,
					`2, 15, 0, 10, 4, 31, 4, 4`, `1, 15, 1, 10, 3, 31, 5, 4`,
					`1</x:Column></x:ClientData></v:shape><v:shape id="_x0000_s1026" type="#_x0000_t202"><x:ClientData ObjectType="Note"><x:Anchor>1, 15, 2, 10, 3, 31, 6, 4</x:Anchor><x:Row>2</x:Row><x:Column>`, ``,
				},
				sheet1: {
					`<c r="A2"><v>1`, `<c r="A2"><v>2`,
					`30`, `10`,
					`<c r="A3"><v>2`, `<c r="A3"><v>3`,
					`10</v></c></row><row r="4"><c r="A4"><v>3</v></c><c r="B4"><v>`, ``,
				},
			},
		},
		{
			name: "insert_columns moves comments and notes", in: notedBook(t),
			ops: `{"op":"insert_columns","sheet":"S1","column":"B","count":2}`,
			rep: formats.OpReport{Hits: 2, Made: "S1!B:C"},
			swap: map[string][]string{
				comments1: {
					`<comment ref="B2" authorId="0">`, `<comment ref="D2" authorId="0">`,
				},
				vml1: {
					`2, 15, 0, 10, 4, 31, 4, 4`, `4, 15, 0, 10, 6, 31, 4, 4`,
					`<x:Column>1`, `<x:Column>3`,
					`1, 15, 2, 10, 3, 31, 6, 4`, `3, 15, 2, 10, 5, 31, 6, 4`,
				},
				sheet1: {
					`<c r="B2">`, `<c r="D2">`,
					`<c r="B3">`, `<c r="D3">`,
					`<c r="B4">`, `<c r="D4">`,
				},
			},
		},
		{
			name: "delete_columns takes the comments of its cells", in: notedBook(t),
			ops: `{"op":"delete_columns","sheet":"S1","column":"A"}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				comments1: {
					`<comment ref="B2" authorId="0">`, `<comment ref="A2" authorId="0">`,
					`<comment ref="A3" authorId="1"><text><t>yes</t></text></comment>`, ``,
				},
				vml1: {
					`2, 15, 0, 10, 4, 31, 4, 4`, `1, 15, 0, 10, 3, 31, 4, 4`,
					`1</x:Column></x:ClientData></v:shape><v:shape id="_x0000_s1026" type="#_x0000_t202"><x:ClientData ObjectType="Note"><x:Anchor>1, 15, 2, 10, 3, 31, 6, 4</x:Anchor><x:Row>2</x:Row><x:Column>`, ``,
				},
				sheet1: {
					`1</v></c><c r="B2"><v>`, ``,
					`2</v></c><c r="B3"><v>`, ``,
					`3</v></c><c r="B4"><v>`, ``,
				},
			},
		},
		{
			name: "copy_sheet copies comments and notes", in: notedBook(t),
			ops: `{"op":"copy_sheet","sheet":"S1","new_name":"Twin"}`,
			rep: formats.OpReport{Made: "Twin"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/comments2.xml", "spreadsheetml.comments+xml") +
						typeOf("xl/worksheets/sheet2.xml", "spreadsheetml.worksheet+xml") +
						`</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId2", "worksheet", "worksheets/sheet2.xml") + `</Relationships>`,
				},
				"xl/comments2.xml": {"", `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author>` +
					`<author>Bob &amp; co</author></authors><commentList><comment ref="B2" authorId="0"><text><r><rPr><b/>` +
					`</rPr><t>Ann:</t></r><r><t xml:space="preserve"> sure?</t></r></text></comment><comment ref="A3" authorId="1">` +
					`<text><t>yes</t></text></comment></commentList></comments>`},
				"xl/drawings/vmlDrawing2.vml": {"", `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">` +
					`<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"/>` +
					`<v:shape id="_x0000_s1025" type="#_x0000_t202"><x:ClientData ObjectType="Note"><x:Anchor>2, 15, 0, 10, 4, 31, 4, 4</x:Anchor>` +
					`<x:Row>1</x:Row><x:Column>1</x:Column></x:ClientData></v:shape><v:shape id="_x0000_s1026" type="#_x0000_t202">` +
					`<x:ClientData ObjectType="Note"><x:Anchor>1, 15, 2, 10, 3, 31, 6, 4</x:Anchor><x:Row>2</x:Row><x:Column>0</x:Column></x:ClientData></v:shape></xml>`},
				bookPart: {
					`</sheets>`, `<sheet name="Twin" sheetId="2" r:id="rId2"/></sheets>`,
				},
				sheet2Rels: {"", relsHead +
					relTo("rId1", "vmlDrawing", "../drawings/vmlDrawing2.vml") +
					relTo("rId2", "comments", "../comments2.xml") +
					`</Relationships>`},
				sheet2: {"", sheetHead +
					`<sheetData><row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>30</v></c></row><row r="3"><c r="A3"><v>2</v>` +
					`</c><c r="B3"><v>10</v></c></row><row r="4"><c r="A4"><v>3</v></c><c r="B4"><v>20</v></c></row></sheetData><legacyDrawing r:id="rId1"/></worksheet>`},
			},
		},
	})
}

// An independent reader reads the comments after several operations.
func TestCommentsReadBack(t *testing.T) {
	out, _ := apply(t, notedBook(t), `[{"op":"add_comment","sheet":"S1","cell":"D9","text":"two\nlines & <more>","author":"Ann"},{"op":"delete_comment","sheet":"S1","cell":"A3"},{"op":"insert_rows","sheet":"S1","row":1,"count":2}]`)
	got, err := excel(t, out).GetComments("S1")
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, []string{"B4", "Ann", "D11", "Ann"}, []string{got[0].Cell, got[0].Author, got[1].Cell, got[1].Author})
	require.Equal(t, "two\nlines & <more>", got[1].Paragraph[0].Text)
}

// A comment that is added and deleted leaves the parts that were there.
func TestAddAndDeleteComment(t *testing.T) {
	in := notedBook(t)
	for _, cell := range []string{"A1", "C4", "XFD1048576"} {
		out, _ := apply(t, in, `[{"op":"add_comment","sheet":"S1","cell":"`+cell+`","text":"x","author":"Ann"},{"op":"delete_comment","sheet":"S1","cell":"`+cell+`"}]`)
		formatstest.SameParts(t, in, out)
	}
}

// A thread of comments goes with its note.
func TestThreadsOfComments(t *testing.T) {
	const threads = "xl/threadedComments/threadedComment1.xml"
	in := related(t, notedBook(t), relatedPart{sheet1, "rId3", book.RelThreaded, threads, "application/vnd.ms-excel.threadedcomments+xml",
		`<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><threadedComment ref="B2" id="{1}"><text>sure?</text></threadedComment><threadedComment ref="B2" id="{2}" parentId="{1}"><text>yes</text></threadedComment></ThreadedComments>`})
	runRefusals(t, in, []refusal{{`{"op":"add_comment","sheet":"S1","cell":"B2","text":"x","thread":false}`, formats.CodeInvalid, "cell B2 has a comment thread; delete it first (delete_comment), or leave thread out"}})
	out, rep := apply(t, in, `[{"op":"delete_comment","sheet":"S1","cell":"B2"}]`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	formatstest.SameParts(t, notedBook(t), out, comments1, vml1)
	require.NotContains(t, part(t, out, comments1), "Ann:")
	_, err := excel(t, out).GetComments("S1")
	require.NoError(t, err)
}

func TestCommentsRefuse(t *testing.T) {
	const tag = `<legacyDrawing r:id="rId1"/>`
	runRefusals(t, edited(t, notedBook(t), sheet1, swap(`r:id="rId1"`, `r:id="rId9"`)), []refusal{
		{`{"op":"add_comment","sheet":"S1","cell":"A1","text":"x"}`, formats.CodeCorrupt, `the notes of the sheet "S1" are missing from the file`},
		{`{"op":"delete_comment","sheet":"S1","cell":"A3"}`, formats.CodeCorrupt, `the notes of the sheet "S1" are missing from the file`},
	})
	runRefusals(t, edited(t, notedBook(t), comments1, swap("commentList", "list")), []refusal{{`{"op":"add_comment","sheet":"S1","cell":"A1","text":"x"}`, formats.CodeCorrupt, "xl/comments1.xml has no list of comments"}})
	runRefusals(t, edited(t, notedBook(t), vml1, swap("</xml>", "")), []refusal{{`{"op":"add_comment","sheet":"S1","cell":"A1","text":"x"}`, formats.CodeCorrupt, "the drawing of notes xl/drawings/vmlDrawing1.vml is damaged"}})
	// Empty lists, and comments without boxes, are as good.
	empty := edited(t, notedBook(t), comments1, func(string) string {
		return `<x:comments xmlns:x="` + sheetml.Namespace + `"><x:authors /><x:commentList/></x:comments>`
	})
	out, _ := apply(t, empty, `[{"op":"add_comment","sheet":"S1","cell":"A1","text":"x","author":"Ann"}]`)
	require.Equal(t, `<x:comments xmlns:x="`+sheetml.Namespace+`"><x:authors><x:author>Ann</x:author></x:authors><x:commentList>`+
		`<x:comment ref="A1" authorId="0"><x:text><x:r><x:rPr><x:sz val="9"/><x:color indexed="81"/><x:rFont val="Tahoma"/><x:family val="2"/></x:rPr><x:t>x</x:t></x:r></x:text></x:comment></x:commentList></x:comments>`, part(t, out, comments1))
	bare := edited(t, notedBook(t), sheet1, swap(tag, ""))
	out, rep := apply(t, bare, `[{"op":"delete_comment","sheet":"S1","cell":"A3"}]`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	formatstest.SameParts(t, bare, out, comments1)
}
