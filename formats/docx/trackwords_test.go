package docx

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/xmlscan"
)

// A tracked replacement marks the words that differ; what stays keeps its runs
// and their formatting.
func TestTrackedReplacementMarksWordsThatDiffer(t *testing.T) {
	run := func(props, text string) string {
		return `<w:r><w:rPr>` + props + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	src := withBody(t, `<w:p>`+run(`<w:b/>`, "The rent ")+run(`<w:i/>`, "is due ")+run(`<w:u w:val="single"/>`, "on the first of May.")+`</w:p>`+
		`<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="900"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="900" w:type="dxa"/></w:tcPr><w:p>`+run(`<w:b/>`, "cell one two")+`</w:p></w:tc></w:tr></w:tbl><w:p/>`)
	for _, c := range []struct{ op, want string }{
		{`"op":"replace_text","search":"The rent is due on the first of May","replace":"The rent is due on the second of June"`, "The rent is due on the [-first-]{+second+} of [-May-]{+June+}."},
		{`"op":"replace_text","search":"rent is due","replace":"rent and the deposit is due"`, "The rent {+and the deposit +}is due on the first of May."},
		{`"op":"replace_text","search":"is due on the","replace":"is due the"`, "The rent is due [-on -]the first of May."},
		{`"op":"replace_text","search":"the (\\w+) of (\\w+)","replace":"the $1 of next $2","regex":true`, "The rent is due on the first of {+next +}May."},
		{`"op":"replace_text","search":"(\\w+) (is)","replace":"$1 $2 now","regex":true`, "The rent is{+ now+} due on the first of May."},
		{`"op":"replace_text","search":"the rent","replace":"The rent"`, "The rent is due on the first of May."},
		{`"op":"replace_text","search":"rent is","replace":"rents are"`, "The [-rent-]{+rents+} [-is-]{+are+} due on the first of May."},
		{`"op":"set_paragraph","at":"p0","text":"The rent is due on the first of June."`, "The rent is due on the first of [-May-]{+June+}."},
		{`"op":"set_table_cell","at":"t0.r0.c0","text":"cell one three"`, "cell one [-two-]{+three+}"},
		{`"op":"replace_text","search":"one two","replace":"one or two"`, "cell one {+or +}two"},
	} {
		out, _ := edited(t, src, `{`+c.op+`,`+tracked+`}`)
		require.Contains(t, "\n"+readWith(t, out, "", "changes")+"\n", "\n"+c.want+"\n", c.op)
		no, _ := edited(t, out, `{"op":"reject_changes"}`)
		require.Equal(t, read(t, src, ""), read(t, no, ""), c.op)
		require.Equal(t, formatted(t, src), formatted(t, no), c.op)
		good(t, out)
	}
	out, _ := edited(t, src, `{"op":"replace_text","search":"The rent is due on the first","replace":"The rent is due on the last",`+tracked+`}`)
	x := mainXML(t, out)
	require.Contains(t, x, run(`<w:b/>`, "The rent ")+run(`<w:i/>`, "is due "), "runs that stay keep their bytes")
	require.Contains(t, x, `<w:ins w:id="2" w:author="Ana B" w:date="2026-01-02T03:04:05Z"><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>last</w:t></w:r></w:ins>`)
}

// formatted is each character of the body with the properties of its run.
func formatted(t testing.TB, src formats.Source) string {
	t.Helper()
	return formattedXML(mainXML(t, src))
}

func formattedXML(text string) string {
	doc := []byte(text)
	var sb strings.Builder
	props, in := "", false
	sc := xmlscan.New(doc)
	for sc.Next() {
		switch tok := sc.Token(); {
		case tok.Kind == xmlscan.Start && tok.Local == "r":
			props = ""
		case tok.Kind == xmlscan.Start && tok.Local == "rPr":
			props = string(doc[tok.Start:sc.Skip()])
		case tok.Kind == xmlscan.Start && tok.Local == "tab":
			fmt.Fprintf(&sb, "\t%s\n", props)
		case tok.Kind == xmlscan.Start || tok.Kind == xmlscan.End:
			in = tok.Kind == xmlscan.Start && tok.Local == "t"
		case tok.Kind == xmlscan.Text && in:
			for _, r := range xmlscan.Unescape(tok.Bytes()) {
				fmt.Fprintf(&sb, "%c%s\n", r, props)
			}
		}
	}
	return sb.String()
}

// What a replacement changes already says so, and is not counted as replaced.
func TestReplacementOfTheSame(t *testing.T) {
	src := made(t, `{"op":"set_paragraphs","paragraphs":[{"text":"Cat cat CAT"}]}`)
	out, rep := edited(t, src, `{"op":"replace_text","search":"cat","replace":"cat"}`)
	require.Equal(t, "cat cat cat", read(t, out, ""))
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Equal(t, []string{`1 already said "cat" and stay as they are`}, rep.Ops[0].Warnings)
	_, rep = edited(t, out, `{"op":"replace_text","search":"cat","replace":"cat"}`)
	require.Zero(t, rep.Ops[0].Hits)
	require.Equal(t, []string{`3 already said "cat" and stay as they are`}, rep.Ops[0].Warnings)
}

// Over any runs and any replacement: accepting gives what the untracked edit
// gives, rejecting what was there with its formatting, and no word is both
// deleted and inserted at one place.
func TestTrackedReplacementProperty(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "cat", "dog", " ", "  ", ".", "\t", "é", "ab"})
	rapid.Check(t, func(rt *rapid.T) {
		var body strings.Builder
		for i, w := range rapid.SliceOfN(word, 1, 14).Draw(rt, "words") {
			props := ""
			if rapid.Bool().Draw(rt, "bold") {
				props = "<w:rPr><w:b/></w:rPr>"
			}
			content := `<w:t xml:space="preserve">` + w + `</w:t>`
			if w == "\t" {
				content = "<w:tab/>"
			}
			run := "<w:r>" + props + content + "</w:r>"
			if i%5 == 4 {
				run = `<w:hyperlink w:anchor="x">` + run + `</w:hyperlink>`
			}
			body.WriteString(run)
		}
		src := withBody(t, "<w:p>"+body.String()+"</w:p>")
		op := map[string]any{"op": "replace_text", "regex": true,
			"search":  rapid.SampledFrom([]string{"cat", "a.*b", "(a|b)(.)", `(\w+)(\s+)(\w+)`, `\s+`, ".+", `\S+`, "a ?", "(dog|cat)"}).Draw(rt, "search"),
			"replace": rapid.SampledFrom([]string{"", "cat", "$1", "${1}x", "$2$1", "a b", "a cat b", "$3$2$1", "x\ty", "$1 $1"}).Draw(rt, "replace")}
		raw, err := json.Marshal(op)
		require.NoError(rt, err)
		on := options(t)
		on.TrackChanges = true
		out, _, err := applyWith(t, src, on, string(raw))
		require.NoError(rt, err)
		tracked := formats.FromBytes("t.docx", out)
		want, _ := edited(t, src, string(raw))
		no, _ := edited(t, tracked, `{"op":"reject_changes"}`)
		require.Equal(rt, formatted(t, src), formatted(t, no))
		yes, _ := edited(t, tracked, `{"op":"accept_changes"}`)
		require.Equal(rt, everyText(t, want), everyText(t, yes))
	})
}

// On real documents, a phrase of which a word changes.
func TestCorpusTrackedPhrases(t *testing.T) {
	phrases := 0
	for i, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		clean, _, err := applyWith(t, formats.FromBytes(filepath.Base(path), b), options(t), `{"op":"accept_changes"}`)
		if err != nil {
			continue
		}
		base := formats.FromBytes("base.docx", clean)
		ops := []string{`{"op":"replace_text","search":"(\\pL+) (\\pL+) (\\pL+)","replace":"$1 «$2» $3","regex":true}`}
		tracked := requireRevision(t, base, i%12 == 0, ops)
		text := readWith(t, tracked, "", "changes")
		phrases += strings.Count(text, "{+«+}")
		require.Equal(t, strings.Count(text, "{+«+}"), strings.Count(text, "{+»+}"), "the words stay")
		require.NotContains(t, text, "[-", "nothing was deleted")
	}
	formatstest.Report(t, "docx  tracked replacements that kept every word: %d", phrases)
}
