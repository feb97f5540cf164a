package xlsx

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// applyAt applies operations as a person at a time.
func applyAt(t testing.TB, in []byte, js string) ([]byte, formats.Report) {
	t.Helper()
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(t.Context(), src(in), &out, ops(t, js), formats.ApplyOptions{Author: "Ben", Now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)})
	require.NoError(t, err)
	return out.Bytes(), rep
}

const threadPart = "xl/threadedComments/threadedComment1.xml"

// A thread begins, is answered, resolved, and opened by another answer; programs
// that know no threads see it as a note.
func TestThreadsAreAnswered(t *testing.T) {
	in := smallBook(t)
	out, rep := applyAt(t, in, `[{"op":"add_comment","sheet":"S1","cell":"B2","text":"why <3>?","author":"Ana","thread":true},{"op":"add_comment","sheet":"S1","cell":"B2","text":"since"},{"op":"resolve_comment","sheet":"S1","cell":"b2"},{"op":"add_comment","sheet":"S2","cell":"A1","text":"another"}]`)
	require.Equal(t, []string{"comment thread S1!B2", "reply to the thread S1!B2", "", "comment thread S2!A1"}, []string{rep.Ops[0].Made, rep.Ops[1].Made, rep.Ops[2].Made, rep.Ops[3].Made})
	for _, o := range rep.Ops {
		require.Empty(t, o.Warnings)
		require.Equal(t, 1, o.Hits)
	}
	got := part(t, out, threadPart)
	require.Regexp(t, `<threadedComment ref="B2" dT="2026-03-04T05:06:07.00" personId="(\{[0-9A-F-]{36}\})" id="(\{[0-9A-F-]{36}\})" done="1"><text>why &lt;3&gt;\?</text></threadedComment><threadedComment ref="B2" dT="[^"]*" personId="\{[0-9A-F-]{36}\}" id="\{[0-9A-F-]{36}\}" parentId="\{[0-9A-F-]{36}\}"><text>since</text>`, got)
	people := part(t, out, "xl/persons/person1.xml")
	require.Equal(t, 2, strings.Count(people, "<person "), people)
	require.Contains(t, people, `displayName="Ben"`)
	notes, err := excel(t, out).GetComments("S1")
	require.NoError(t, err)
	require.Len(t, notes, 1)
	require.True(t, strings.HasPrefix(notes[0].Author, "tc={"))
	require.True(t, strings.HasSuffix(notes[0].Text, "Comment:\n    why <3>?\nReply:\n    since"), notes[0].Text)
	require.Contains(t, read(t, out, formats.Selector{Sheet: "S1", Include: []string{formats.IncludeComments}}), "B2 (Ana, resolved): why <3>?\nB2 (Ben, reply): since")
	valid(t, out, in)
	again, _ := applyAt(t, in, `[{"op":"add_comment","sheet":"S1","cell":"B2","text":"why <3>?","author":"Ana","thread":true},{"op":"add_comment","sheet":"S1","cell":"B2","text":"since"},{"op":"resolve_comment","sheet":"S1","cell":"b2"},{"op":"add_comment","sheet":"S2","cell":"A1","text":"another"}]`)
	require.Equal(t, out, again, "the same edit gives the same bytes")

	open, rep := applyAt(t, out, `[{"op":"add_comment","sheet":"S1","cell":"B2","text":"really?"}]`)
	require.Equal(t, []string{"the thread was resolved and is open again"}, rep.Ops[0].Notes)
	require.NotContains(t, part(t, open, threadPart), "done")
	lines := strings.Join(told(diffOf(t, out, open)), "\n")
	require.Contains(t, lines, "comment added S1!B2:  → Ben, reply: really?")
	require.Contains(t, lines, "comment changed S1!B2: Ana: why <3>? (resolved) → Ana: why <3>?")

	shut, _ := applyAt(t, open, `[{"op":"resolve_comment","sheet":"S1","cell":"B2"}]`)
	reopened, _ := applyAt(t, shut, `[{"op":"resolve_comment","sheet":"S1","cell":"B2","resolved":false}]`)
	require.Equal(t, formatstest.Parts(t, open), formatstest.Parts(t, reopened))
	_, rep = applyAt(t, reopened, `[{"op":"resolve_comment","sheet":"S1","cell":"B2","resolved":false}]`)
	require.Equal(t, []string{"the thread of B2 is open already; nothing was changed"}, rep.Ops[0].Warnings)

	gone, _ := applyAt(t, out, `[{"op":"delete_comment","sheet":"S1","cell":"B2"},{"op":"delete_comment","sheet":"S2","cell":"A1"}]`)
	for name := range formatstest.Parts(t, gone) {
		require.NotContains(t, strings.ToLower(name), "comment")
	}
	runRefusals(t, notedBook(t), []refusal{
		{`{"op":"resolve_comment","sheet":"S1","cell":"B2"}`, formats.CodeInvalid, "has no comment thread, and only threads are resolved"},
		{`{"op":"resolve_comment","sheet":"S1","cell":"Z9"}`, formats.CodeInvalid, "has no comment thread"},
	})
	plain, rep := applyAt(t, notedBook(t), `[{"op":"add_comment","sheet":"S1","cell":"Z9","text":"x"}]`)
	require.Equal(t, "comment S1!Z9", rep.Ops[0].Made, "a file without threads gets a note")
	require.NotContains(t, formatstest.Parts(t, plain), threadPart)
}

// Threads that Excel wrote are answered in place, with the people it knows.
func TestThreadsOfExcel(t *testing.T) {
	path := ""
	for _, p := range formatstest.Corpus(t, "xlsx") {
		if strings.HasSuffix(filepath.Base(p), "xlsx_comments.xlsx") {
			path = p
		}
	}
	if path == "" {
		t.Skip("the corpus has no workbook with threads")
	}
	in, err := os.ReadFile(path)
	require.NoError(t, err)
	wb, err := open(t.Context(), src(in))
	require.NoError(t, err)
	sheet := jsonString(wb.Sheets[0].Name)
	out, rep := applyAt(t, in, `[{"op":"add_comment","sheet":`+sheet+`,"cell":"F7","text":"count again","author":"Jane Smith (JS)"},{"op":"add_comment","sheet":`+sheet+`,"cell":"J1","text":"new"},{"op":"add_comment","sheet":`+sheet+`,"cell":"A1","text":"instead"}]`)
	require.Equal(t, []string{"the comment that A1 had was replaced"}, rep.Ops[2].Warnings)
	got := part(t, out, threadPart)
	require.Contains(t, got, `personId="{ED88F4F5-A552-4A41-970D-6B23DC2319F4}" id="`)
	require.Contains(t, got, `parentId="{04C1C54B-2744-A647-93D1-A99C27C7EFDC}"><text>count again</text></threadedComment><threadedComment ref="G12"`)
	require.NotContains(t, got, "instead")
	require.Contains(t, part(t, out, "xl/persons/person.xml"), `displayName="Ben"`)
	require.Contains(t, part(t, out, comments1), "I never thought it would be so low\nReply:\n    count again")
	valid(t, out, in)
	formatstest.SameParts(t, in, out, threadPart, comments1, vml1, "xl/persons/person.xml")
	back := formatstest.LibreOffice(t, formatstest.Write(t, "threads.xlsx", out), "pdf")
	require.FileExists(t, back)
}
