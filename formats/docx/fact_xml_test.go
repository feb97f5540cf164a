package docx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// changedParts packs src with some of its parts changed; a part that becomes
// empty is left out.
func changedParts(t testing.TB, src formats.Source, change func(parts map[string]string)) formats.Source {
	t.Helper()
	b, err := formats.ReadAll(src, 1<<26)
	require.NoError(t, err)
	parts := map[string]string{}
	for k, v := range formatstest.Parts(t, b) {
		parts[k] = string(v)
	}
	change(parts)
	var names []string
	for k, v := range parts {
		if v != "" {
			names = append(names, k)
		}
	}
	sort.Strings(names)
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, n := range names {
		w, err := zw.Create(n)
		require.NoError(t, err)
		_, err = w.Write([]byte(parts[n]))
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return formats.FromBytes("x.docx", buf.Bytes())
}

// swap replaces one text in a part, which must hold it.
func swap(t testing.TB, part, old, now string) func(map[string]string) {
	return func(p map[string]string) {
		require.Contains(t, p[part], old, part)
		p[part] = strings.Replace(p[part], old, now, 1)
	}
}

const (
	xmlnsR   = ` xmlns:r="` + nsR + `"`
	xmlnsAll = xmlnsW + xmlnsR + ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"` + xmlnsA + ` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"`
)

// richBody has one of most items that no operation makes.
const richBody = `<w:p><w:r><w:t>one</w:t></w:r></w:p>` +
	`<w:p><w:pPr><w:jc w:val="left"/></w:pPr><w:r><w:t xml:space="preserve">two </w:t></w:r><w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr><w:t>words</w:t></w:r></w:p>` +
	`<w:p><w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr><w:t>three</w:t></w:r></w:p>` +
	`<w:p><w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr><w:t>four</w:t></w:r></w:p>` +
	`<w:p><w:bookmarkStart w:id="1" w:name="here"/><w:r><w:t xml:space="preserve">five </w:t></w:r><w:bookmarkEnd w:id="1"/><w:r><w:t>six</w:t></w:r></w:p>` +
	`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>` +
	`<w:p><w:pPr><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:type w:val="nextPage"/></w:sectPr></w:pPr></w:p>` +
	`<w:p><m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath><w:r><w:t>is a sum</w:t></w:r></w:p>` +
	`<w:sdt><w:sdtPr><w:tag w:val="agreed"/><w:lock w:val="sdtLocked"/><w14:checkbox><w14:checked w14:val="0"/></w14:checkbox></w:sdtPr><w:sdtContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:sdtContent></w:sdt>` +
	`<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor behindDoc="0"><wp:positionH relativeFrom="column"><wp:posOffset>0</wp:posOffset></wp:positionH><wp:extent cx="1800000" cy="720000"/><wp:wrapNone/><wp:docPr id="7" name="Box 1"/><a:graphic><a:graphicData uri="x"><wps:wsp><wps:spPr><a:prstGeom prst="rect"/></wps:spPr><wps:txbx><w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape id="b"><v:textbox><w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>` +
	`<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>c1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>c2</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>c3</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>c4</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
	`<w:p><w:r><w:t>last</w:t></w:r></w:p><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"/></w:sectPr>`

func rich(t testing.TB) formats.Source {
	return changedParts(t, made(t, `{"op":"set_paragraphs","paragraphs":[{"text":"x"}]}`), func(p map[string]string) {
		p[blankMain] = `<w:document` + xmlnsAll + `><w:body>` + richBody + `</w:body></w:document>`
	})
}

func TestFactsOfXML(t *testing.T) {
	base := rich(t)
	main := func(old, now string) func(map[string]string) { return swap(t, blankMain, old, now) }
	for _, c := range []struct {
		name   string
		change func(map[string]string)
		want   []string
	}{
		{"alike", func(p map[string]string) { p[blankMain] = strings.ReplaceAll(p[blankMain], "Calibri", "Arial") }, []string{"body | p1 formatting:  → two words [font Calibri → Arial: “words”]", "format changed | p2–p3: font Calibri → font Arial"}},
		{"empty paragraph", main(`<w:t>one</w:t></w:r></w:p>`, `<w:t>one</w:t></w:r></w:p><w:p/><w:p/>`), []string{"paragraphs added | p1–p2:  → 2 empty paragraphs"}},
		{"page break before", main(`<w:jc w:val="left"/>`, `<w:pageBreakBefore/><w:jc w:val="both"/><w:outlineLvl w:val="1"/>`), []string{"body | p1 formatting:  → two words [alignment left → justified; outline level → 2; page break before added]"}},
		{"hidden", main(`<w:t>three</w:t>`, `<w:t>three</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t>`), []string{"body | p2 modified: three → threesecret [font Calibri removed: “secret”; hidden text added: “secret”]", "hidden_text added | p2:  → text formatted as hidden: “secret” ⚠ p2: text that cannot be seen, formatted as hidden: “secret”"}},
		{"white", main(`<w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr><w:t>three`, `<w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>three`), []string{"body | p2 formatting:  → three [font colour → white; font Calibri removed]", "hidden_text added | p2:  → text white on white: “three” ⚠ p2: text that cannot be seen, white on white: “three”"}},
		{"small", main(`<w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr><w:t>three`, `<w:rPr><w:sz w:val="2"/></w:rPr><w:t>three`), []string{"body | p2 formatting:  → three [font Calibri removed; font size → 1 pt]", "hidden_text added | p2:  → text of 1 pt: “three” ⚠ p2: text that cannot be seen, of 1 pt: “three”"}},
		{"bookmark moved", main(`<w:bookmarkStart w:id="1" w:name="here"/><w:r><w:t xml:space="preserve">five </w:t></w:r>`, `<w:r><w:t xml:space="preserve">five </w:t></w:r><w:bookmarkStart w:id="1" w:name="here"/>`), []string{"body | p4 formatting:  → five six [bookmark here stands elsewhere in the text]"}},
		{"bookmark", main(`w:name="here"`, `w:name="there"`), []string{"bookmark added | p4:  → “there”", "bookmark removed | p4: “here” → "}},
		{"field", main(` PAGE `, ` NUMPAGES `), []string{"field changed | p5: field PAGE → field NUMPAGES"}},
		{"field out", main(` PAGE `, ` INCLUDETEXT "http://evil.example/x" `), []string{"field changed | p5: field PAGE → field INCLUDETEXT \"http://evil.example/x\" ⚠ p5: new field that reaches out: INCLUDETEXT \"http://evil.example/x\""}},
		{"section", main(`<w:pgSz w:w="11906" w:h="16838"/><w:type w:val="nextPage"/>`, `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/><w:cols w:num="2"/>`), []string{"page_setup changed | section 1: page 21 cm × 29.7 cm, begins at next page → columns 2, page 29.7 cm × 21 cm, landscape"}},
		{"section gone", main(`<w:p><w:pPr><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:type w:val="nextPage"/></w:sectPr></w:pPr></w:p>`, ``), []string{"section removed | section 1, up to p6: section: page 21 cm × 29.7 cm, begins at next page → "}},
		{"margins", main(`w:top="1440"`, `w:top="720"`), []string{"page_setup changed | section 2: margins top 2.54 cm, right 2.54 cm, bottom 2.54 cm, left 2.54 cm → margins top 1.27 cm, right 2.54 cm, bottom 2.54 cm, left 2.54 cm"}},
		{"equation", main(`a+b`, `a-b`), []string{"equation changed | p7: equation “a+b” → equation “a-b”"}},
		{"equation gone", main(`<m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath>`, ``), []string{"equation removed | p7: equation “a+b” →  ⚠ p7: lost: an equation “a+b”"}},
		{"control", main(`<w14:checked w14:val="0"/>`, `<w14:checked w14:val="1"/>`), []string{"control changed | p8: content control: check box not checked, lock sdt locked, tag agreed → content control: check box checked, lock sdt locked, tag agreed"}},
		{"lock", main(`<w:lock w:val="sdtLocked"/>`, ``), []string{"control changed | p8: content control: check box not checked, lock sdt locked, tag agreed → content control: check box not checked, tag agreed"}},
		{"box text", func(p map[string]string) {
			p[blankMain] = strings.ReplaceAll(p[blankMain], "in the box", "in this box")
		}, []string{"body | x0.p0 modified: in the box → in this box"}},
		{"box text in one", main("in the box", "in this box"), []string{"body | x0.p0 modified: in the box → in this box", "shape changed | p9: text box “Box 1”, 5 × 2 cm, in front of the text, 0 cm from the left of the column → text box “Box 1”, 5 × 2 cm, in front of the text, 0 cm from the left of the column (in its details)"}},
		{"box size", main(`cx="1800000"`, `cx="3600000"`), []string{"shape changed | p9: text box “Box 1”, 5 × 2 cm, in front of the text, 0 cm from the left of the column → text box “Box 1”, 10 × 2 cm, in front of the text, 0 cm from the left of the column"}},
		{"box gone", main(`<mc:AlternateContent>`, `<w:t>x</w:t><mc:AlternateContent>`), []string{"body | p9 added:  → x"}},
		{"merge", main(`<w:tcW w:w="4000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>c1</w:t></w:r></w:p></w:tc><w:tc>`, `<w:tcW w:w="8000" w:type="dxa"/><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>c1</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:shd w:val="clear" w:fill="FF0000"/></w:tcPr>`), []string{"merge added | t0.r0.c0:  → merged over columns: 2", "table changed | t0.r0.c0: cell width 7.06 cm → cell width 14.11 cm", "table changed | t0.r0.c1:  → shading red"}},
		{"vmerge", main(`<w:tc><w:p><w:r><w:t>c4`, `<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p><w:r><w:t>c4`), []string{"hidden_text added | t0.r1.c1.p0:  → text covered by a merged cell: “c4” ⚠ t0.r1.c1.p0: text that cannot be seen, covered by a merged cell: “c4”", "merge added | t0.r1.c1:  → merged with the cell above"}},
		{"rows", main(`<w:tr><w:tc><w:tcPr>`, `<w:tr><w:trPr><w:tblHeader/><w:trHeight w:val="600"/></w:trPr><w:tc><w:tcPr>`), []string{"table changed | t0.r0:  → repeated header row", "table changed | t0.r0:  → row height 1.06 cm"}},
		{"table", main(`<w:tblW w:w="5000" w:type="pct"/>`, `<w:tblW w:w="4000" w:type="pct"/><w:jc w:val="center"/><w:tblBorders><w:top w:val="single" w:sz="8"/></w:tblBorders>`), []string{"table changed | t0: width 100 % → alignment centred, borders top single 1 pt, width 80 %"}},
		{"unknown", main(`<w:t>last</w:t>`, `<w:t>last</w:t><w:newThing w:val="1"/>`), []string{"part added | p10:  → new thing 1 ⚠ p10: holds what cannot be told here: new thing 1"}},
		{"unknown block", main(`last</w:t></w:r></w:p>`, `last</w:t></w:r></w:p><w:novel/>`), []string{"part added | body:  → novel ⚠ body: changed in a way that cannot be told here: novel"}},
		{"altchunk", main(`last</w:t></w:r></w:p>`, `last</w:t></w:r></w:p><w:altChunk r:id="rId99"/>`), []string{"embedded_object added | p10:  → embedded document  ⚠ p10: new embedded document: "}},
		{"symbol", main(`<w:t>last</w:t>`, `<w:t>last</w:t><w:sym w:font="Wingdings" w:char="F0A7"/>`), []string{"symbol added | p10:  → symbol F0A7 of Wingdings"}},
		{"cell split", main(`<w:t>c3</w:t>`, `<w:t>c3</w:t></w:r></w:p><w:p/><w:p><w:r>`), []string{"body | t0.r1.c0 formatting:  → c3 [paragraphs in the cell: 1 → 3]"}},
		{"background", main(`<w:body>`, `<w:background w:color="FF0000"/><w:body>`), []string{"page_setup added | page background:  → red"}},
		{"style", swap(t, "word/styles.xml", `<w:b/>`, `<w:i/><w:vanish/>`), []string{"style changed | style “Title”: bold → italic, hidden text ⚠ style “Title”: text in this style is hidden"}},
		{"protection", swap(t, "word/settings.xml", `</w:settings>`, `<w:documentProtection w:edit="readOnly" w:enforcement="1"/><w:trackRevisions/></w:settings>`), []string{"protection added | document:  → no editing", "property added | settings:  → track changes"}},
		{"default", swap(t, "word/styles.xml", `<w:docDefaults>`, `<w:docDefaults><!-- -->`), nil},
		{"swapped", func(p map[string]string) {
			p[blankMain] = strings.NewReplacer(">three<", ">four<", ">four<", ">three<").Replace(p[blankMain])
		}, []string{"body | p2 removed: three → ", "body | p3 added:  → three"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := changedParts(t, base, c.change)
			d := diff(t, base, after)
			if os.Getenv("FACTS_SHOW") != "" {
				for _, l := range told(d) {
					fmt.Printf("WANT\t%s\t%q\n", c.name, l)
				}
			}
			require.Equal(t, c.want, told(d))
			require.Len(t, told(diff(t, after, base)), len(c.want), "the other way round")
		})
	}
}

// A picture that a header lost, another picture file, a header that is no longer
// used: none of it changes a word of text.
func TestFactsPicturesAndHeaders(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx"))
	require.NoError(t, err)
	base := formats.FromBytes("a.docx", b)
	cut := func(part, open, end string) func(map[string]string) {
		return func(p map[string]string) {
			i := strings.Index(p[part], open)
			require.Positive(t, i, part)
			j := strings.Index(p[part][i:], end)
			p[part] = p[part][:i] + p[part][i+j+len(end):]
		}
	}
	for _, c := range []struct {
		name   string
		change func(map[string]string)
		kind   string
		warns  string
	}{
		{"header picture", cut("word/header1.xml", "<w:drawing", "</w:drawing>"), formats.FactPicture, "header 1 (h0.p0): lost: PNG picture"},
		{"picture file", func(p map[string]string) { p["word/media/image1.png"] += "x" }, formats.FactPicture, ""},
		{"header reference", cut("word/document.xml", "<w:headerReference", "/>"), formats.FactPageSetup, "no longer shown: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := diff(t, base, changedParts(t, base, c.change))
			require.Empty(t, d.Groups)
			require.NotEmpty(t, d.Facts)
			for _, f := range d.Facts {
				require.Equal(t, c.kind, f.Kind, "%+v", f)
			}
			if c.warns == "" {
				return
			}
			require.Len(t, d.Warnings, 1)
			require.Contains(t, d.Warnings[0], c.warns)
		})
	}
}
