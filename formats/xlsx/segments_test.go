package xlsx

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/sheetml"
)

func segments(t testing.TB, in []byte) map[string]formats.Segment {
	t.Helper()
	list, err := Format().Segmenter.Segments(context.Background(), src(in), formats.SegmentOptions{})
	require.NoError(t, err)
	m := map[string]formats.Segment{}
	for _, s := range list {
		require.NotContains(t, m, s.ID)
		m[s.ID] = s
	}
	return m
}

func replace(t testing.TB, in []byte, targets map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(context.Background(), src(in), &out, targets, formats.ReplaceOptions{}))
	return out.Bytes()
}

const richSST = `<sst xmlns="` + sheetml.Namespace + `"><si><t>Hello</t></si><si><r><rPr><b/></rPr><t>Big</t></r><r><t xml:space="preserve"> small &amp; long text</t></r><rPh sb="0" eb="1"><t>x</t></rPh><phoneticPr fontId="1"/></si><si><t>12.5</t></si><si><t>https://a.b/c</t></si><si><t>me@x.org</t></si><si><t>unused</t></si></sst>`

func TestSegmentsOfCells(t *testing.T) { // TR-04
	in := raw(t, map[string]string{"xl/sharedStrings.xml": richSST},
		`<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="s"><v>4</v></c></row><row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="str"><f>A1&amp;"x"</f><v>Hellox</v></c><c r="C2" t="inlineStr"><is><t>In line</t></is></c><c r="D2"><v>7</v></c></row></sheetData><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Report&amp;RPage &amp;P</oddHeader><oddFooter>&amp;P</oddFooter></headerFooter>`)
	segs := segments(t, in)
	require.Len(t, segs, 4)
	require.Equal(t, "Hello", segs["sst:0"].Text)
	require.Equal(t, "S1!A1", segs["sst:0"].Place)
	require.Equal(t, "<1>Big</1> small &amp; long text", segs["sst:1"].Text)
	require.Equal(t, "S1!C2", segs["cell:1:C2"].Place)
	require.Equal(t, "<1/>Report<2/>Page <3/>", segs["page:1:oddHeader"].Text)

	out := replace(t, in, map[string]string{"sst:0": "Hola", "sst:1": "texto largo &lt;y> <1>grande</1>", "cell:1:C2": " En línea", "page:1:oddHeader": "<1/>5 informes<2/>Página <3/>"})
	require.Equal(t, "Sheet: S1\nA1: Hola, B1: texto largo <y> grande, C1: 12.5, D1: https://a.b/c, E1: me@x.org\nA2: Hola, B2: =A1&\"x\", C2:  En línea, D2: 7", read(t, out, formats.Selector{}))
	require.Contains(t, part(t, out, "xl/sharedStrings.xml"), `<si><r><t xml:space="preserve">texto largo &lt;y&gt; </t></r><r><rPr><b/></rPr><t>grande</t></r><phoneticPr fontId="1"/></si><si><t>12.5</t></si>`)
	require.Contains(t, part(t, out, sheet1), `<oddHeader>&amp;L&amp;&quot;Arial,Bold&quot;&amp;12 5 informes&amp;RPágina &amp;P</oddHeader><oddFooter>&amp;P</oddFooter>`)
	require.Contains(t, part(t, out, "xl/workbook.xml"), "fullCalcOnLoad")

	again := segments(t, out)
	for id := range segs {
		require.Contains(t, again, id, "ids are stable under Replace")
	}
	// Back to the source by the same ids.
	back := replace(t, out, map[string]string{"sst:0": segs["sst:0"].Text, "sst:1": segs["sst:1"].Text, "cell:1:C2": segs["cell:1:C2"].Text})
	require.Equal(t, segs["sst:1"].Text, segments(t, back)["sst:1"].Text)
}

func TestReplaceRefusesBadTargets(t *testing.T) {
	in := raw(t, map[string]string{"xl/sharedStrings.xml": richSST}, `<sheetData><row r="1"><c r="A1" t="s"><v>1</v></c></row></sheetData>`)
	for id, target := range map[string]string{"sst:1": "no tags", "sst:9": "x", "nope": "x"} {
		var out bytes.Buffer
		err := Format().Segmenter.Replace(context.Background(), src(in), &out, map[string]string{id: target}, formats.ReplaceOptions{})
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
		require.ErrorContains(t, err, id)
		require.Zero(t, out.Len())
	}
	require.True(t, bytes.Equal(in, replace(t, in, nil)))
	require.True(t, bytes.Equal(in, replace(t, in, map[string]string{"sst:1": segments(t, in)["sst:1"].Text})), "an equal text changes nothing")
}

func TestTranslatedTableHeaders(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetRow("Sheet1", "A1", &[]any{"Total", "Amount", "Sum"})
		f.SetSheetRow("Sheet1", "A2", &[]any{1, 2, 3})
		require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "A1:C2", Name: "T"}))
		f.SetCellFormula("Sheet1", "E1", "SUM(T[Amount],T[Sum])")
	})
	targets := map[string]string{}
	for id, s := range segments(t, in) {
		if s.Text == "Amount" || s.Text == "Sum" {
			targets[id] = "Importe"
			require.NotEmpty(t, s.Notes)
			require.Equal(t, 255, s.MaxLength)
		}
	}
	require.Len(t, targets, 2)
	out := replace(t, in, targets)
	require.Equal(t, "Sheet: Sheet1\nA1: Total, B1: Importe, C1: Importe2, E1: =SUM(T[Importe],T[Importe2])", strings.SplitAfterN(read(t, out, formats.Selector{}), "\nA2", 2)[0][:strings.Index(read(t, out, formats.Selector{}), "\nA2")])
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
}

func TestCommentsShapesAndCharts(t *testing.T) { // TR-02
	in := fixture(t, func(f *excelize.File) {
		f.SetCellValue("Sheet1", "A1", 1)
		require.NoError(t, f.AddComment("Sheet1", excelize.Comment{Cell: "B2", Author: "Me", Text: "Check this"}))
		require.NoError(t, f.AddShape("Sheet1", &excelize.Shape{Cell: "D4", Type: "rect", Paragraph: []excelize.RichTextRun{{Text: "Box text"}}}))
		require.NoError(t, f.AddChart("Sheet1", "F8", &excelize.Chart{Type: excelize.Col, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "Chart title"}}}, Series: []excelize.ChartSeries{{Values: "Sheet1!$A$1"}}}))
	})
	targets := map[string]string{}
	for id, s := range segments(t, in) {
		targets[id] = strings.NewReplacer("Check this", "Prüfe das", "Box text", "Kastentext", "Chart title", "Titel").Replace(s.Text)
	}
	out := replace(t, in, targets)
	all := ""
	for _, s := range segments(t, out) {
		all += s.Text + "|"
	}
	for _, want := range []string{"Prüfe das", "Kastentext", "Titel"} {
		require.Contains(t, all, want)
	}
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
}

func TestTagsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var runs []run
		for range n {
			r := run{text: rapid.StringOfN(rapid.RuneFrom([]rune("ab <&")), 1, 4, -1).Draw(t, "text")}
			if p := rapid.SampledFrom([]string{"", "<b/>", "<i/>"}).Draw(t, "props"); p != "" {
				r.props = []byte(p)
			}
			runs = append(runs, r)
		}
		tg := tag(runs)
		back, err := tg.apply(tg.text)
		require.NoError(t, err)
		require.Equal(t, merge(runs), back)
	})
}

func TestCorpusReplace(t *testing.T) {
	ctx := context.Background()
	for _, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			list, err := Format().Segmenter.Segments(ctx, src(in), formats.SegmentOptions{})
			if !typedError(t, err) || len(list) == 0 {
				return
			}
			targets := map[string]string{}
			for i, s := range list {
				if i%2 == 0 && (s.MaxLength == 0 || sheetml.UTF16Len(s.Text) < s.MaxLength-1) {
					targets[s.ID] = s.Text + "·"
				}
			}
			out := replace(t, in, targets)
			after := segments(t, out)
			for _, s := range list {
				want, ok := targets[s.ID]
				if !ok {
					want = s.Text
				}
				require.Equal(t, want, after[s.ID].Text, s.Place)
			}
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
		})
	}
}
