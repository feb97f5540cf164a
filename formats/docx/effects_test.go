package docx

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// clauses is a contract with numbered clauses, items, a table of contents, cross
// references by field, and references typed in the text.
func clauses(t testing.TB) formats.Source {
	lists := def(1, lvl(0, 1, "decimal", "%1.", ""), lvl(1, 1, "lowerLetter", "(%2)", "")) + num(1, 1, "")
	more := listStyle("Clause", "heading 1", "Normal", `<w:numId w:val="1"/>`)
	head := func(mark, text string) string {
		end := ""
		if mark != "" {
			id := `w:id="` + mark[4:] + `"`
			mark, end = `<w:bookmarkStart `+id+` w:name="`+mark+`"/>`, `<w:bookmarkEnd `+id+`/>`
		}
		return `<w:p><w:pPr><w:pStyle w:val="Clause"/></w:pPr>` + mark + `<w:r><w:t>` + text + `</w:t></w:r>` + end + `</w:p>`
	}
	toc := `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC \o "1-3"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1.</w:t><w:tab/><w:t>Scope</w:t><w:tab/><w:t>1</w:t></w:r></w:p>` +
		`<w:p><w:r><w:t>2.</w:t><w:tab/><w:t>Payment</w:t><w:tab/><w:t>1</w:t></w:r></w:p><w:p><w:r><w:t>3.</w:t><w:tab/><w:t>Term</w:t><w:tab/><w:t>2</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`
	body := toc + head("", "Scope") + item(1, 1, "goods") + item(1, 1, "services") +
		styledPara("", "Clause 3 says how it ends, clause 2 what is paid.") +
		head("_Ref2", "Payment") + wp(wr("As in "), wfield(`REF _Ref3 \\r \\h`, "3"), wr(" and "), wfield(`REF _Ref2 \\h`, "Payment"), wr(".")) + head("_Ref3", "Term") + styledPara("", "The end.")
	return withLists(t, lists, more, strings.ReplaceAll(body, `\\`, `\`))
}

func effectsOf(t testing.TB, src formats.Source, ops ...string) []string {
	t.Helper()
	_, rep := edited(t, src, ops...)
	return rep.Effects
}

// Writes tell what moved on: numbers of headings, labels, references, tables of
// contents.
func TestEffectsOfInsertAndDelete(t *testing.T) {
	src := clauses(t)
	require.Equal(t, []string{
		`2 heading numbers changed: p8 "2." → "3." "Payment", p10 "3." → "4." "Term"`,
		`1 cross reference shows what was before until its field is updated: p9 shows "3", now "4."`,
		`3 headings differ from the table of contents until that is updated: p7 "2. Delivery", p8 "3. Payment", p10 "4. Term"`,
		`2 references typed in the text name another place now: p6 says "Clause 3", which was "Term" and is now "4.", p6 says "clause 2", which was "Payment" and is now "3."`,
	}, effectsOf(t, src, `{"op":"insert_paragraph","at":"p7","where":"before","text":"Delivery","style":"heading 1"}`))
	require.Equal(t, []string{
		`1 heading number changed: p8 "3." → "2." "Term"`,
		`1 cross reference shows what was before until its field is updated: p7 shows "3", now "2."`,
		`1 cross reference lost its target: p7 shows "Payment"`,
		`1 heading differs from the table of contents until that is updated: p8 "2. Term"`,
		`1 entry of the table of contents without a heading, until that is updated`,
		`2 references typed in the text name another place now: p6 says "Clause 3", which was "Term" and is now "2.", p6 says "clause 2", which was "Payment" and is gone`,
	}, effectsOf(t, src, `{"op":"delete_paragraph","at":"p7"}`))
	require.Equal(t, []string{`1 list label changed: p4 "(b)" → "(a)"`}, effectsOf(t, src, `{"op":"delete_paragraph","at":"p4"}`))
	require.Equal(t, []string{`2 list labels changed: p4 "(a)" → none, p5 "(b)" → "(a)"`}, effectsOf(t, src, `{"op":"format_paragraph","at":"p4","list":"none"}`))
}

// A heading with another text is told where a field repeats it.
func TestEffectsOfTexts(t *testing.T) {
	src := clauses(t)
	want := []string{
		`1 cross reference shows what was before until its field is updated: p8 shows "Payment", now "Prices"`,
		`1 heading differs from the table of contents until that is updated: p7 "2. Prices"`,
		`1 entry of the table of contents without a heading, until that is updated`,
	}
	require.Equal(t, want, effectsOf(t, src, `{"op":"set_paragraph","at":"p7","text":"Prices"}`))
	require.Empty(t, effectsOf(t, src, `{"op":"set_paragraph","at":"p10","text":"The very end."}`))
	require.Contains(t, effectsOf(t, src, `{"op":"set_paragraph","at":"p7","text":"2. Prices"}`), `1 text begins with the label that its list shows before it: p7 "2. Prices"`)
	require.Contains(t, effectsOf(t, src, `{"op":"insert_paragraph","at":"p5","text":"(c) works","list":"continue"}`), `1 text begins with the label that its list shows before it: p6 "(c) works"`)
}

// Only what is so after all operations is told: an insertion that is deleted
// again causes nothing.
func TestEffectsAddUp(t *testing.T) {
	src := clauses(t)
	require.Empty(t, effectsOf(t, src, `{"op":"insert_paragraph","at":"p7","where":"before","text":"Delivery","style":"heading 1"}`, `{"op":"delete_paragraph","at":"p7"}`))
	rapid.Check(t, func(rt *rapid.T) {
		at := rapid.IntRange(0, 10).Draw(rt, "at")
		where := rapid.SampledFrom([]string{"before", "after"}).Draw(rt, "where")
		style := rapid.SampledFrom([]string{"Normal", "heading 1"}).Draw(rt, "style")
		made := at
		if where == "after" {
			made++
		}
		require.Empty(rt, effectsOf(t, src, fmt.Sprintf(`{"op":"insert_paragraph","at":"p%d","where":%q,"text":"Delivery","style":%q}`, at, where, style), fmt.Sprintf(`{"op":"delete_paragraph","at":"p%d"}`, made)))
	})
}

// The labels that effects name are those that a read of the result shows, over
// real documents, and what they do not name has the label it had.
func TestCorpusEffects(t *testing.T) {
	told := 0
	for _, path := range formatstest.Corpus(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		if d, err := openDocument(ctx, src); err != nil {
			continue
		} else if nb, err := d.numbering(ctx); err != nil || len(nb.nums) == 0 {
			continue
		}
		for _, at := range listedPlaces(t, src) {
			before := bodyLabels(t, src)
			out, rep, err := applyWith(t, src, options(t), `{"op":"insert_paragraph","at":"`+at+`","where":"before","text":"INSERTED","like":"`+at+`"}`)
			require.NoError(t, err)
			after := slices.DeleteFunc(bodyLabels(t, formats.FromBytes("x.docx", out)), func(l labelled) bool { return l.text == "INSERTED" })
			require.Len(t, after, len(before))
			moved := 0
			for i := range after {
				if after[i].label != before[i].label && !after[i].bullet {
					moved++
				}
			}
			said := 0
			for _, e := range rep.Effects {
				n := 0
				if _, err := fmt.Sscanf(e, "%d", &n); err == nil && (strings.Contains(e, " number") && strings.Contains(e, "heading") || strings.Contains(e, "list label")) && strings.Contains(e, "→") {
					said += n
				}
			}
			require.Equal(t, moved, said, "%s %s: %v", path, at, rep.Effects)
			told += said
			_, rep, err = applyWith(t, src, options(t), `{"op":"insert_paragraph","at":"`+at+`","where":"before","text":"INSERTED","like":"`+at+`"}`, `{"op":"delete_paragraph","at":"`+rep.Ops[0].Made+`"}`)
			require.NoError(t, err)
			require.Empty(t, rep.Effects)
		}
	}
	require.Positive(t, told)
	formatstest.Report(t, "docx  labels that moved on: %d told", told)
}

// Lists of very many paragraphs in 9 levels have a bounded answer.
func TestEffectsInLongLists(t *testing.T) {
	var levels []string
	for at := range 9 {
		levels = append(levels, lvl(at, 1, "decimal", fmt.Sprintf("%%%d.", at+1), ""))
	}
	var body strings.Builder
	n := 45_000
	for i := range n {
		body.WriteString(item(1, i%9, fmt.Sprintf("%d see section 4 %x", i*7919, i*i*i*2654435761)))
	}
	src := withLists(t, def(1, levels...)+num(1, 1, ""), "", body.String())
	effects := effectsOf(t, src, `{"op":"insert_paragraph","at":"p0","text":"x","list":"continue"}`)
	require.Less(t, len(strings.Join(effects, "")), 2000)
	require.Contains(t, effects[0], fmt.Sprintf("%d list labels changed: ", n/9-1))
}
