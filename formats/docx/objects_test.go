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

// corpusFile returns a real document by the end of its name.
func corpusFile(t testing.TB, name string) formats.Source {
	t.Helper()
	for _, path := range formatstest.Corpus(t, "docx") {
		if strings.HasSuffix(path, name) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			return formats.FromBytes(filepath.Base(path), b)
		}
	}
	t.Skipf("the real document %s is absent", name)
	return nil
}

// Charts, diagrams and embedded objects are in their place, with what they show.
func TestReadsShowObjects(t *testing.T) {
	src := corpusFile(t, "shp-inline-shape-access.docx")
	text := shown(t, src, "")
	require.Contains(t, text, "\n[diagram: foo; bar; baz]\n")
	require.Contains(t, text, `[chart: column chart, 3 series; categories Sheet1!$A$2:$A$5: Category 1, Category 2, Category 3, Category 4; series "Series 1" (Sheet1!$B$1), Sheet1!$B$2:$B$5: 4.3, 2.5, 3.5, 4.5; `)
	require.NotContains(t, read(t, src, ""), "[chart")
	rd, err := Format().Reader.Read(ctx, src, formats.Selector{AsShown: true})
	require.NoError(t, err)
	require.NotContains(t, strings.Join(rd.Notes, ""), "charts")
	require.Contains(t, strings.Join(rd.Notes, ""), "pictures")

	embedded := shown(t, corpusFile(t, "complex2010.docx"), "")
	require.Contains(t, embedded, "[embedded object: PowerPoint.Slide.8, oleObject1.bin]")

	long := shown(t, corpusFile(t, "TranchartAmpersand.docx"), "")
	require.Contains(t, long, `[chart: line chart "Graphique 5b PER sur les résultats futurs", 4 series`)
	require.Equal(t, 4, strings.Count(long, "; series "), "each series has its share of a long chart")
	for l := range strings.SplitSeq(long, "\n") {
		if strings.HasPrefix(l, "[chart") {
			require.LessOrEqual(t, len([]rune(l)), objectText+2)
		}
	}
}

// A chart that is missing or broken is named, and many charts leave room.
func TestReadsOfBrokenAndManyObjects(t *testing.T) {
	frame := `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="` + nsR + `" r:id="rId77"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	require.Equal(t, "\n[chart: missing from the file]", shown(t, withBody(t, frame), ""))
	require.Equal(t, "[p0] \n[chart: missing from the file]", strings.TrimSpace(readShown(t, withBody(t, frame), "addresses")))
	many := shown(t, withBody(t, strings.Repeat(frame, 2000)), "")
	require.Less(t, len(many), 2000*70)
	require.Contains(t, many, "[chart: not shown; read fewer paragraphs at once]")
}

func readShown(t testing.TB, src formats.Source, include ...string) string {
	return shown(t, src, "", include...)
}
