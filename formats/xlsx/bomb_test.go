package xlsx

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/reader"
	"atelier/internal/campaign"
)

// TestX18TwoSheetsOverOnePart: the second has no cells, so nothing is read more
// than once.
func TestX18TwoSheetsOverOnePart(t *testing.T) {
	in := edited(t, raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`), "xl/workbook.xml", swap("</sheets>", `<sheet name="S2" sheetId="2" r:id="rId1"/></sheets>`))
	require.Contains(t, read(t, in, formats.Selector{}), "Sheet: S1\nA1: 1\n\nSheet: S2")
}

// FuzzRead maps and reads a workbook with the given sheet, strings and styles.
func FuzzRead(f *testing.F) {
	for i, s := range fuzzSeeds {
		f.Add(s, `<sst><si><t>a</t></si><si/><si><r><t>b</t></r></si></sst>`, `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\-mm"/></numFmts><cellXfs><xf numFmtId="170"/></cellXfs></styleSheet>`, []string{"", "A1:C3", "T[a]"}[i%3])
	}
	f.Add(`<worksheet><cols><col min="2" max="3" hidden="1"/></cols><sheetData><row r="1" hidden="1"><c r="A1"><f>SUM(B1:B2)+1</f></c><c r="B1"><v>1</v></c></row></sheetData><autoFilter ref="A1:B2"/><mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`, "", "", "1:1,S1!B:B")
	f.Fuzz(mapAndRead)
}

// mapAndRead maps and reads a workbook of the given parts: every failure is a
// typed one.
func mapAndRead(t *testing.T, sheet, sst, styles, rng string) {
	in := src(raw(t, map[string]string{sheet1: sheet, "xl/sharedStrings.xml": sst, "xl/styles.xml": styles}, ""))
	m, err := Format().Mapper.Map(context.Background(), in, formats.MapOptions{Detail: true})
	if err != nil {
		require.NotEmpty(t, formats.CodeOf(err), "%v", err)
	} else {
		require.LessOrEqual(t, m.(*reader.Map).Size(), formats.MaxMap)
	}
	_, err = Format().Reader.Read(context.Background(), in, formats.Selector{Range: rng, Include: []string{formats.IncludeAll}})
	if err != nil {
		require.NotEmpty(t, formats.CodeOf(err), "%v", err)
	}
}

// TestX18MutatedSheets is a fuzzing of reads that every run of the tests does.
func TestX18MutatedSheets(t *testing.T) {
	sheet := `<worksheet><dimension ref="A1:C3"/><cols><col min="2" max="3" hidden="1"/></cols><sheetData><row r="1" hidden="1"><c r="A1" s="1" t="s"><v>1</v></c><c r="B1"><f>SUM(B2:B3)+1</f></c></row><row><c t="inlineStr"><is><t>x</t></is></c><c r="B2"><f t="shared" si="0" ref="B2:B3">A1&amp;"y"</f></c></row><row r="3"><c r="B3"><f t="shared" si="0"/><v>3</v></c></row></sheetData><autoFilter ref="A1:B2"/><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells></worksheet>`
	sst := `<sst><si><t>a</t></si><si><r><t>b</t></r><rPh><t>c</t></rPh></si><si/></sst>`
	styles := `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]yyyy\-mm;#,##0.0_)"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>`
	n := campaign.Of(1500, 5000)
	rnd := rand.New(rand.NewPCG(1, campaign.Seed()))
	mutate := func(s string) string {
		b := []byte(s)
		for range rnd.IntN(4) {
			i, j := rnd.IntN(len(b)), rnd.IntN(len(b))
			switch rnd.IntN(4) {
			case 0:
				b[i] = "<>/\"'=&;:0129AZaz! \x00\xff"[rnd.IntN(21)]
			case 1:
				b = append(b[:min(i, j):min(i, j)], b[max(i, j):]...)
			case 2:
				b = append(b[:i:i], append([]byte(string(b[j:min(len(b), j+rnd.IntN(60))])), b[i:]...)...)
			default:
				b = append(b[:i:i], append([]byte("1048577"), b[i:]...)...)
			}
			if len(b) == 0 {
				return s
			}
		}
		return string(b)
	}
	ranges := []string{"", "A1:C3", "B:B", "2:3", "A1,B2", "T[a]", "S1!A1:XFD1048576"}
	for range n {
		mapAndRead(t, mutate(sheet), mutate(sst), mutate(styles), mutate(ranges[1+rnd.IntN(6)]))
	}
}
