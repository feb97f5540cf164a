package docx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/internal/campaign"
)

const tracked = `"track_changes":true`

func TestTrackChangesShown(t *testing.T) {
	campaign.Slow(t)
	src := made(t, sample, `{"op":"add_table","rows":[["x","y"],["z","w"]]}`)
	out, _ := edited(t, src, `{"op":"replace_text","search":"intro","replace":"start",`+tracked+`}`,
		`{"op":"insert_paragraph","at":"p2","text":"inserted",`+tracked+`}`,
		`{"op":"delete_paragraph","at":"p1",`+tracked+`}`,
		`{"op":"set_paragraph","at":"p6","text":"Subject",`+tracked+`}`,
		`{"op":"delete_table_row","at":"t0.r0",`+tracked+`}`,
		`{"op":"add_table_row","at":"t0","cells":["n"],`+tracked+`}`,
		`{"op":"format_text","search":"deep","bold":true,`+tracked+`}`,
		`{"op":"format_paragraph","at":"p0","alignment":"right",`+tracked+`}`)
	good(t, out)
	text := readWith(t, out, "", "changes")
	require.Contains(t, text, "[-intro-]{+start+}")
	require.Contains(t, text, "{+inserted+}")
	require.Contains(t, text, "[-The Title-]")
	require.Contains(t, text, "[-Sub-]{+Subject+}")
	require.Contains(t, text, "[-x-]\t[-y-]")
	require.Contains(t, mainXML(t, out), `w:author="Ana B" w:date="2026-01-02T03:04:05Z"`)
	m, err := Format().Mapper.Map(ctx, out, formats.MapOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"Ana B"}, m.(*Map).Changes.Authors)
	require.Equal(t, 2, m.(*Map).Changes.Formatting)

	yes, rep := edited(t, out, `{"op":"accept_changes"}`)
	require.Positive(t, rep.Ops[0].Hits)
	require.Equal(t, "before\nstart\ninserted\nTerms\na & b\tc\nSubject\ndeep\npoint\nz\tw\nn\t\n", read(t, yes, ""))
	require.Contains(t, mainXML(t, yes), `<w:jc w:val="right"/>`)
	good(t, yes)
	no, _ := edited(t, out, `{"op":"reject_changes"}`)
	require.Equal(t, read(t, src, ""), read(t, no, ""))
	require.NotContains(t, mainXML(t, no), `<w:jc w:val="right"/>`)
	require.NotContains(t, mainXML(t, no), "<w:b/>")
	good(t, no)
	for _, s := range []formats.Source{yes, no} {
		for _, mark := range []string{"<w:ins", "<w:del", "Change", joinMark} {
			require.NotContains(t, mainXML(t, s), mark)
		}
	}
	_, rep = edited(t, yes, `{"op":"accept_changes"}`)
	require.Contains(t, rep.Ops[0].Warnings[0], "no tracked changes")
}

// Only the changes of one author are settled.
func TestSettleByAuthor(t *testing.T) {
	src := made(t, `{"op":"append_paragraph","text":"one two three"}`)
	out, _ := edited(t, src, `{"op":"replace_text","search":"one","replace":"1","author":"A",`+tracked+`}`, `{"op":"replace_text","search":"three","replace":"3","author":"B",`+tracked+`}`)
	out, _ = edited(t, out, `{"op":"reject_changes","author":"A"}`)
	require.Equal(t, "one two [-three-]{+3+}", readWith(t, out, "", "changes"))
	out, _ = edited(t, out, `{"op":"accept_changes","author":"B"}`)
	require.Equal(t, "one two 3", readWith(t, out, "", "changes"))
}

// A change of properties inside properties that changed comes back too.
func TestRejectNestedFormatting(t *testing.T) {
	at := ` w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"`
	src := withBody(t, `<w:p><w:pPr><w:jc w:val="center"/><w:rPr><w:b/><w:rPrChange`+at+`><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:pPrChange`+at+`><w:pPr><w:jc w:val="left"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`)
	out, rep := edited(t, src, `{"op":"reject_changes"}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Contains(t, mainXML(t, out), `<w:pPr><w:jc w:val="left"/><w:rPr><w:i/></w:rPr></w:pPr>`)
	out, _ = edited(t, src, `{"op":"accept_changes"}`)
	require.Contains(t, mainXML(t, out), `<w:pPr><w:jc w:val="center"/><w:rPr><w:b/></w:rPr></w:pPr>`)
}

// Deleted paragraph marks join paragraphs; moves settle to one place.
func TestSettleMarksAndMoves(t *testing.T) {
	at := ` w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"`
	r := func(s string) string { return `<w:r><w:t>` + s + `</w:t></w:r>` }
	mark := func(what, pr string) string {
		return `<w:pPr>` + pr + `<w:rPr><w:` + what + at + `/></w:rPr></w:pPr>`
	}
	src := withBody(t, `<w:p>`+mark("del", `<w:jc w:val="center"/>`)+r("a")+`</w:p><w:p><w:pPr><w:jc w:val="right"/></w:pPr>`+r("b")+`</w:p>`+
		`<w:p><w:moveFromRangeStart w:id="5" w:name="m"/><w:moveFrom`+at+`>`+r("mv")+`</w:moveFrom><w:moveFromRangeEnd w:id="5"/>`+r("c")+`</w:p><w:p>`+mark("ins", "")+r("d")+`<w:moveTo`+at+`>`+r("mv")+`</w:moveTo></w:p><w:p>`+r("e")+`</w:p>`)
	out, _ := edited(t, src, `{"op":"accept_changes"}`)
	require.Equal(t, "ab\nc\ndmv\ne", read(t, out, ""))
	require.Contains(t, mainXML(t, out), `<w:p><w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r></w:p>`)
	out, _ = edited(t, src, `{"op":"reject_changes"}`)
	require.Equal(t, "a\nb\nmvc\nde", read(t, out, ""))
}

// Property: whatever is edited with tracked changes, accepting gives what the
// same edits give untracked, and rejecting gives the document as it was.
func TestTrackedEditsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var body strings.Builder
		n := rapid.IntRange(1, 4).Draw(rt, "paragraphs")
		for i := range n {
			body.WriteString("<w:p>")
			for range rapid.IntRange(0, 4).Draw(rt, "runs") {
				props := rapid.SampledFrom([]string{"", "<w:rPr><w:b/></w:rPr>"}).Draw(rt, "props")
				text := rapid.StringMatching(`[ab <é]{1,5}`).Draw(rt, "text")
				extra := rapid.SampledFrom([]string{"", "", "<w:tab/>", "<w:sym w:font=\"x\" w:char=\"F0\"/>"}).Draw(rt, "extra")
				run := `<w:r>` + props + `<w:t xml:space="preserve">` + escape(text) + `</w:t>` + extra + `</w:r>`
				if rapid.Bool().Draw(rt, "link") {
					run = `<w:hyperlink w:anchor="x">` + run + `</w:hyperlink>`
				}
				body.WriteString(run)
			}
			fmt.Fprintf(&body, "</w:p>")
			_ = i
		}
		src := withBody(t, body.String())
		var plainOps, trackedOps []string
		for range rapid.IntRange(1, 3).Draw(rt, "ops") {
			at := fmt.Sprintf("p%d", rapid.IntRange(0, n-1).Draw(rt, "at"))
			op := map[string]any{"op": rapid.SampledFrom([]string{"replace_text", "set_paragraph"}).Draw(rt, "op")}
			with := rapid.StringMatching(`[xy&\t ]{0,4}`).Draw(rt, "with")
			if op["op"] == "replace_text" {
				op["search"], op["replace"] = rapid.StringMatching(`[ab é]{1,2}`).Draw(rt, "search"), with
			} else {
				op["at"], op["text"] = at, with
			}
			b, _ := json.Marshal(op)
			plainOps = append(plainOps, string(b))
			op["track_changes"] = true
			b, _ = json.Marshal(op)
			trackedOps = append(trackedOps, string(b))
		}
		want, _ := edited(t, src, plainOps...)
		out, _ := edited(t, src, trackedOps...)
		require.Equal(rt, read(t, want, ""), read(t, out, ""), "tracked insertions are read, deletions are not")
		yes, _ := edited(t, out, `{"op":"accept_changes"}`)
		require.Equal(rt, read(t, want, ""), read(t, yes, ""))
		no, _ := edited(t, out, `{"op":"reject_changes"}`)
		require.Equal(rt, read(t, src, ""), read(t, no, ""))
		require.NotContains(rt, mainXML(t, no), "<w:ins")
		_, err := paragraph.Parse([]byte(mainXML(t, out)), paragraph.Word)
		require.NoError(rt, err)
	})
}
