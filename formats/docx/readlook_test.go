package docx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// shown reads a document as a reader sees it.
func shown(t testing.TB, src formats.Source, section string, include ...string) string {
	t.Helper()
	text, err := Format().Reader.Read(ctx, src, formats.Selector{Section: section, AsShown: true, Include: include})
	require.NoError(t, err)
	return text.Text
}

// A read shows the label of each list item before its text, in tables too. The
// paragraphs of the document say their labels themselves.
func TestReadsShowListLabels(t *testing.T) {
	src := kindsOfLists(t)
	plain := strings.Split(read(t, src, ""), "\n")
	lines := strings.Split(shown(t, src, ""), "\n")
	require.Len(t, lines, len(plain))
	labelled := 0
	for i, l := range lines {
		label, ok := strings.CutSuffix(l, plain[i])
		require.True(t, ok, "%q: %q", l, plain[i])
		if plain[i] == "" || strings.HasPrefix(plain[i], "=") {
			continue
		}
		labelled++
		require.NotEmpty(t, label, l)
		require.True(t, strings.HasPrefix(plain[i], strings.TrimSpace(label)+" "), l)
	}
	require.Equal(t, 42, labelled)
	require.Contains(t, lines, "5. 5. in a cell")
	require.Contains(t, lines, "3", "an empty item shows its label alone")
}

// A heading with its label names its section too.
func TestSectionsByLabel(t *testing.T) {
	src := withLists(t, def(1, lvl(0, 1, "decimal", "%1.", ""))+num(1, 1, ""), listStyle("Clause", "heading 1", "Normal", `<w:numId w:val="1"/>`),
		styledPara("Clause", "Scope")+styledPara("", "what it is about")+styledPara("Clause", "Term")+styledPara("", "how long"))
	for _, section := range []string{"Term", "2. Term", "2. TERM", "1"} {
		require.Equal(t, "2. Term\nhow long", shown(t, src, section), section)
	}
	_, err := Format().Reader.Read(ctx, src, formats.Selector{Section: "3. Term", AsShown: true})
	require.EqualError(t, err, "section not found: 3. Term")
}

// "styles" shows style, list, level and direct formatting of each paragraph.
func TestReadStyles(t *testing.T) {
	src := withLists(t, def(1, lvl(0, 1, "decimal", "%1.", ""), lvl(1, 1, "lowerLetter", "(%2)", ""))+num(4, 1, ""),
		`<w:style w:type="paragraph" w:styleId="Mid"><w:name w:val="Mid"/><w:pPr><w:jc w:val="center"/></w:pPr></w:style>`,
		item(4, 0, "one")+item(4, 1, "under")+styledPara("", "plain")+styledPara("Mid", "centred")+
			`<w:p><w:pPr><w:pStyle w:val="Mid"/><w:keepNext/><w:pageBreakBefore/><w:widowControl w:val="0"/><w:spacing w:after="240"/><w:jc w:val="right"/></w:pPr><w:r><w:rPr><w:b/><w:lang w:val="de-DE"/></w:rPr><w:t>bo</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>ld</w:t></w:r></w:p>`+
			`<w:p><w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>b</w:t></w:r></w:p>`)
	require.Equal(t, strings.Join([]string{
		"[p0 1. Normal; list 4 level 0] one",
		"[p1 (a) Normal; list 4 level 1] under",
		"[p2 Normal] plain",
		"[p3 Mid; alignment centred by style] centred",
		"[p4 Mid; alignment right, keep with next, page break before, spacing after 12 pt; text bold] bold",
		"[p5 Normal; text with different formatting] ab"}, "\n"), readWith(t, src, "", "styles"))
	require.Equal(t, "[p1 (a)] under", readWith(t, src, "p1", "addresses"))
}

// Reads of real documents differ from their text only by labels, and those are
// the ones that TestCorpusLabelsAgreeWithLibreOffice compares with LibreOffice's.
func TestCorpusReadsShowLabels(t *testing.T) {
	labels := 0
	for _, path := range formatstest.Corpus(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		if _, err := Format().Reader.Read(ctx, src, formats.Selector{}); err != nil {
			continue
		}
		text := "\n" + strings.Join(strings.Fields(shown(t, src, "")), " ")
		for _, l := range bodyLabels(t, src) {
			if l.label != "" {
				labels++
				require.Contains(t, text, shownLabel(l.label)+" "+l.text, path)
			}
		}
		for l := range strings.SplitSeq(readWith(t, src, "", "styles"), "\n[p") {
			require.Less(t, strings.IndexByte(l, ']'), maxLook+40, path)
		}
	}
	require.Greater(t, labels, 200)
}
