package docx

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// The elements of small documents: wp is a w:p, wr a w:r and so on. Contents are
// XML, but for the texts of runs.

func wp(content ...string) string {
	if len(content) == 0 {
		return "<w:p/>"
	}
	return "<w:p>" + strings.Join(content, "") + "</w:p>"
}

// wppr is the properties of a paragraph.
func wppr(content string) string { return "<w:pPr>" + content + "</w:pPr>" }

func wr(text string) string { return wrp("", text) }

// wrp is a run with properties; a text with white space at its edges keeps it.
func wrp(properties, text string) string {
	space := ""
	if strings.TrimSpace(text) != text {
		space = ` xml:space="preserve"`
	}
	return wrx(properties, "<w:t"+space+">"+escape(text)+"</w:t>")
}

// wrx is a run with XML as its content.
func wrx(properties, content string) string {
	if properties != "" {
		properties = "<w:rPr>" + properties + "</w:rPr>"
	}
	return "<w:r>" + properties + content + "</w:r>"
}

const (
	bold   = "<w:b/>"
	italic = "<w:i/>"
)

// wtbl is a table whose grid has columns of 1000 twentieths of a point.
func wtbl(columns int, rows ...string) string {
	return wtblw(columns, 1000, rows...)
}

func wtblw(columns, width int, rows ...string) string {
	grid := strings.Repeat(fmt.Sprintf(`<w:gridCol w:w="%d"/>`, width), columns)
	return "<w:tbl><w:tblPr/><w:tblGrid>" + grid + "</w:tblGrid>" + strings.Join(rows, "") + "</w:tbl>"
}

func wtr(cells ...string) string { return "<w:tr>" + strings.Join(cells, "") + "</w:tr>" }

// wtrp is a row with properties.
func wtrp(properties string, cells ...string) string {
	return "<w:tr><w:trPr>" + properties + "</w:trPr>" + strings.Join(cells, "") + "</w:tr>"
}

func wtc(content ...string) string { return wtcp("", content...) }

// wtcp is a cell with properties besides none.
func wtcp(properties string, content ...string) string {
	if properties != "" {
		properties = "<w:tcPr>" + properties + "</w:tcPr>"
	}
	return "<w:tc>" + properties + strings.Join(content, "") + "</w:tc>"
}

// by is the attributes of a tracked change with that number, as operations in
// these tests make it.
func by(id int) string {
	return fmt.Sprintf(` w:id="%d" w:author="Ana B" w:date="2026-01-02T03:04:05Z"`, id)
}

// wins is a tracked insertion, wdel a tracked deletion of text in one run.
func wins(id int, content string) string { return "<w:ins" + by(id) + ">" + content + "</w:ins>" }

func wdel(id int, properties, text string) string {
	return "<w:del" + by(id) + ">" + wrx(properties, `<w:delText xml:space="preserve">`+escape(text)+`</w:delText>`) + "</w:del>"
}

// wfield is a complex field with its result.
func wfield(instr, result string) string {
	char := func(kind string) string { return wrx("", `<w:fldChar w:fldCharType="`+kind+`"/>`) }
	return char("begin") + wrx("", `<w:instrText xml:space="preserve"> `+instr+` </w:instrText>`) + char("separate") + wr(result) + char("end")
}

// editCase is one operation on a small document.
type editCase struct {
	name string
	body string // the content of the body before, without the last section
	op   string // the operation's members, without braces
	want string // the content after
	rep  formats.OpReport
	more []string // parts besides the main one that the operation writes
}

// bodyOf returns the content of the body without the last section.
func bodyOf(t testing.TB, src formats.Source) string {
	t.Helper()
	_, rest, ok := strings.Cut(mainXML(t, src), "<w:body>")
	require.True(t, ok)
	return strings.TrimSuffix(rest, "<w:sectPr/></w:body></w:document>")
}

// checkEdits applies each operation to its document: the body says what it
// should, the answer too, and all other parts keep their bytes.
func checkEdits(t *testing.T, cases []editCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := withBody(t, c.body)
			after := checkEdit(t, src, c)
			require.Equal(t, c.want, bodyOf(t, after))
			require.Equal(t, otherPrefix(c.want), editedInOtherPrefix(t, c.body, "{"+c.op+"}"), "elements take the prefix of the document")
		})
	}
}

// otherPrefix writes the elements of a body with another prefix.
func otherPrefix(body string) string {
	return strings.NewReplacer("<w:", "<x:", "</w:", "</x:", " w:", " x:").Replace(body)
}

// editedInOtherPrefix applies an operation to a document whose elements have
// another prefix than usual, and returns the body.
func editedInOtherPrefix(t *testing.T, body, op string) string {
	t.Helper()
	e, err := begin(ctx, nil)
	require.NoError(t, err)
	e.opt = options(t)
	e.ed.Set(e.main, []byte(`<x:document xmlns:x="`+nsW+`" xmlns:mc="`+nsMC+`"><x:body>`+otherPrefix(body)+`<x:sectPr/></x:body></x:document>`))
	e.do(t, op)
	doc, err := e.ed.ReadXML(ctx, e.main)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(doc), "<x:body>")
	return strings.TrimSuffix(rest, "<x:sectPr/></x:body></x:document>")
}

// checkEdit applies one operation and compares the answer and the other parts.
func checkEdit(t *testing.T, src formats.Source, c editCase) formats.Source {
	t.Helper()
	before, err := formats.ReadAll(src, 1<<24)
	require.NoError(t, err)
	after, rep, err := applyWith(t, src, options(t), "{"+c.op+"}")
	require.NoError(t, err)
	require.Len(t, rep.Ops, 1)
	want := c.rep
	want.Op = opName(t, c.op)
	checkMoved(t, src, formats.FromBytes("after.docx", after), rep.Ops[0].Moved)
	rep.Ops[0].Moved = ""
	require.Equal(t, want, rep.Ops[0])
	formatstest.SameParts(t, before, after, append([]string{blankMain}, c.more...)...)
	if c.rep.Unchanged {
		require.Equal(t, before, after, "an operation that changes nothing leaves the file")
	}
	return formats.FromBytes("after.docx", after)
}

var opMember = regexp.MustCompile(`"op":"(\w+)"`)

func opName(t testing.TB, members string) string {
	t.Helper()
	m := opMember.FindStringSubmatch(members)
	require.NotNil(t, m, members)
	return m[1]
}

// badEdit is an operation that is refused.
type badEdit struct {
	op   string // its members, without braces
	code formats.Code
	text string // in the error
}

// checkBadEdits applies each operation to a document: it fails with its code
// and words, and writes nothing.
func checkBadEdits(t *testing.T, src formats.Source, cases []badEdit) {
	t.Helper()
	for _, c := range cases {
		out, rep, err := applyWith(t, src, options(t), "{"+c.op+"}")
		require.ErrorContains(t, err, c.text, c.op)
		require.ErrorContains(t, err, "operation 1 ("+opName(t, c.op)+")", c.op)
		require.Equal(t, c.code, formats.CodeOf(err), c.op)
		require.Empty(t, out, c.op)
		require.Empty(t, rep.Ops, c.op)
	}
}

// opJSON writes an operation.
func opJSON(t testing.TB, members map[string]any) string {
	t.Helper()
	b, err := json.Marshal(members)
	require.NoError(t, err)
	return string(b)
}

// warned is the answer of an operation with hits and warnings.
func warned(hits int, warnings ...string) formats.OpReport {
	return formats.OpReport{Hits: hits, Warnings: warnings}
}

func hits(n int) formats.OpReport { return formats.OpReport{Hits: n} }

// checkMoved reads the paragraph that an answer says has another address now, before and
// after.
func checkMoved(t *testing.T, before, after formats.Source, moved string) {
	t.Helper()
	if moved == "" {
		return
	}
	m := regexp.MustCompile(`^the former (\S+) is now (\S+), and so on$`).FindStringSubmatch(moved)
	require.NotNil(t, m, moved)
	textAt := func(src formats.Source, address string) string {
		for line := range strings.Lines(readWith(t, src, "", formats.IncludeAddresses, formats.IncludeHeaders, formats.IncludeNotes, formats.IncludeComments)) {
			if _, text, ok := strings.Cut(line, "["+address+"]"); ok {
				return strings.TrimSpace(text)
			}
		}
		return "nothing"
	}
	was := textAt(before, m[1])
	require.NotEqual(t, "nothing", was, moved)
	require.Equal(t, was, textAt(after, m[2]), moved)
}
