package book_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

const notesXML = `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ana</author><author/><author>B &amp; C</author></authors><commentList>
	<comment ref="B9" authorId="0"><text><r><t>Ana:</t></r><r><t xml:space="preserve"> look
here</t></r></text></comment>
	<comment ref="A2" authorId="2"><text><t> plain </t></text></comment>
	<comment ref="C1" authorId="7"><text/></comment>
	<comment ref="D1" authorId="x"><text><t>Ana: of nobody</t></text></comment><comment ref="E1" authorId="1"/></commentList></comments>`

const threadsXML = `<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><threadedComment ref="A2" personId="{p1}" id="{t1}"><text>first &lt;1&gt;</text></threadedComment>` +
	`<threadedComment ref="A2" personId="{p9}" id="{t2}" parentId="{t1}"><text>answer</text></threadedComment><threadedComment ref="A1" personId="{p2}" id="{t3}"><text/></threadedComment></ThreadedComments>`

func commentsOf(t testing.TB, b []byte) []book.Comment {
	t.Helper()
	list, err := open(t, b).Comments(context.Background(), xlsxtest.Sheet1)
	require.NoError(t, err)
	return list
}

func note(at, author, text string) book.Comment {
	r := cellref.ParseAttr(at)
	return book.Comment{At: cellref.At(r.R1, r.C1), Author: author, Text: text}
}

func TestNotes(t *testing.T) {
	require.Equal(t, []book.Comment{note("C1", "", ""), note("D1", "", "Ana: of nobody"), note("E1", "", ""), note("A2", "B & C", "plain"), note("B9", "Ana", "look\nhere")},
		commentsOf(t, xlsxtest.Raw(t, map[string]string{"xl/comments1.xml": notesXML}, "<sheetData/>")), "by row, then column")
	_, err := book.ParseNotes("xl/comments1.xml", []byte("<comments><commentList>"), nil)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	list, err := book.ParseNotes("p", []byte(notesXML), []book.Comment{{Text: "before"}})
	require.NoError(t, err)
	require.Len(t, list, 6, "behind those that are there")
}

// A thread takes the place of the note that stands for it; its people are in a
// part of the workbook.
func TestThreads(t *testing.T) {
	parts := map[string]string{
		"xl/comments1.xml":                         notesXML,
		"xl/threadedComments/threadedComment1.xml": threadsXML,
		"xl/persons/person.xml":                    `<personList xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><person displayName="Eva" id="{p1}"/><person displayName="Max" id="{p2}"/></personList>`,
		bookRels:                                   xlsxtest.Rels("worksheet worksheets/sheet1.xml", "http://schemas.microsoft.com/office/2017/10/relationships/person persons/person.xml"),
	}
	b := xlsxtest.Raw(t, parts, "<sheetData/>")
	b = xlsxtest.Edited(t, b, xlsxtest.Sheet1Rels, func(string) string {
		return xlsxtest.Rels("comments ../comments9.xml", "comments https://x.example/c.xml", book.RelThreaded+" ../threadedComments/threadedComment1.xml", "comments ../comments1.xml")
	})
	reply := note("A2", "", "answer")
	reply.Reply = true
	want := []book.Comment{note("A1", "Max", ""), note("C1", "", ""), note("D1", "", "Ana: of nobody"), note("E1", "", ""), note("A2", "Eva", "first <1>"), reply, note("B9", "Ana", "look\nhere")}
	require.Equal(t, want, commentsOf(t, b))
	people, err := open(t, b).People(context.Background())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"{p1}": "Eva", "{p2}": "Max"}, people)
	none, err := open(t, xlsxtest.Raw(t, nil, "<sheetData/>")).People(context.Background())
	require.NoError(t, err)
	require.Empty(t, none)
	broken := xlsxtest.Edited(t, b, "xl/threadedComments/threadedComment1.xml", func(s string) string { return s[:len(s)-20] })
	_, err = open(t, broken).Comments(context.Background(), xlsxtest.Sheet1)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

// The notes of another program are those that it says it wrote.
func TestNotesOfASecondProgram(t *testing.T) {
	b := xlsxtest.Fixture(t, func(f *excelize.File) {
		require.NoError(t, f.AddComment("Sheet1", excelize.Comment{Cell: "B2", Author: "Zoë", Text: "größer als 5?"}))
		require.NoError(t, f.AddComment("Sheet1", excelize.Comment{Cell: "A7", Author: "Al", Paragraph: []excelize.RichTextRun{{Text: "Al: ", Font: &excelize.Font{Bold: true}}, {Text: "two runs"}}}))
	})
	require.Equal(t, []book.Comment{note("B2", "Zoë", "größer als 5?"), note("A7", "Al", "two runs")}, commentsOf(t, b))
}

// a part of comments that is too large is refused, and says so.
func TestCommentsTooLarge(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{"xl/comments1.xml": `<comments><commentList><comment ref="A1"><text><t>` + xlsxtest.LongText(1, book.MaxObjects) + `</t></text></comment></commentList></comments>`}, "<sheetData/>")
	_, err := open(t, b).Comments(context.Background(), xlsxtest.Sheet1)
	require.ErrorContains(t, err, "the comments of this sheet are too large to read (1677")
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
}

func TestTableTooLarge(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{"xl/tables/table1.xml": `<table name="` + xlsxtest.LongText(1, book.MaxObjects) + `"/>`}, "<sheetData/>")
	_, err := open(t, b).TablesOf(context.Background(), xlsxtest.Sheet1)
	require.ErrorContains(t, err, `the table "xl/tables/table1.xml" has 1677`)
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
}
