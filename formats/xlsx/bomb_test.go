package xlsx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// TestX18ReadingBombs: files made to take much memory or time are mapped and
// read within bounds, or refused with a typed error.
func TestX18ReadingBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("bombs are slow to build: left out with -short")
	}
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	cell := `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`
	sst := func(s string) map[string]string {
		return map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + nsMain + `">` + s + `</sst>`}
	}
	for name, build := range map[string]func() []byte{
		"merges": func() []byte {
			return raw(t, nil, cell+"<mergeCells>"+many(`<mergeCell ref="A1:B2"/>`, 3<<20)+"</mergeCells>")
		},
		"columns": func() []byte {
			return raw(t, nil, "<cols>"+many(`<col min="1" max="16384" hidden="1"/>`, 1<<20)+"</cols>"+cell)
		},
		"empty strings": func() []byte { return raw(t, sst(many("<si/>", 16<<20)), cell) },
		"one long string": func() []byte {
			return raw(t, sst("<si><t>"+many("x", 100<<20)+"</t></si>"), `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>`)
		},
		"one long cell": func() []byte {
			return raw(t, nil, `<sheetData><row r="1"><c r="A1" t="str"><v>`+many("x", 100<<20)+`</v></c></row></sheetData>`)
		},
		"cells everywhere": func() []byte {
			return raw(t, nil, "<sheetData>"+many(`<row><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row><row/>`, 1<<20)+"</sheetData>")
		},
		"cells of one row": func() []byte {
			return raw(t, nil, "<sheetData><row>"+many(`<c r="A1"><v>1</v></c><c r="C1"><v>1</v></c>`, 1<<20)+"</row></sheetData>")
		},
		"shared formulas": func() []byte {
			return raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="shared" si="0" ref="A1:A9">`+many("A1+", 10_000)+`1</f></c></row>`+many(`<row/><row><c><f t="shared" si="0"/></c></row>`, 300_000)+`</sheetData>`)
		},
		"masters": func() []byte { return raw(t, nil, "<sheetData>"+manyMasters(100_000)+"</sheetData>") },
		"names": func() []byte {
			return edited(t, raw(t, nil, cell), "xl/workbook.xml", swap("</sheets>", "</sheets><definedNames>"+many(`<definedName name="N">S1!A1</definedName>`, 2<<20)+"</definedNames>"))
		},
		"sheets": func() []byte {
			return edited(t, raw(t, nil, cell), "xl/workbook.xml", swap("</sheets>", many(`<sheet name="S" sheetId="1" r:id="rId1"/>`, 1<<20)+"</sheets>"))
		},
		"comments": func() []byte {
			return raw(t, map[string]string{"xl/comments1.xml": `<comments><commentList>` + many(`<comment ref="A1"/>`, 4<<20) + `</commentList></comments>`}, cell)
		},
		"tables": func() []byte {
			return raw(t, map[string]string{"xl/tables/table1.xml": `<table name="T" ref="A1:A2"><tableColumns>` + many(`<tableColumn name="x"/>`, 4<<20) + `</tableColumns></table>`}, cell)
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := src(build())
			debug.FreeOSMemory()
			forget()
			before := watchHeap()()
			peak := watchHeap()
			began := time.Now()
			_, err := Format().Mapper.Map(context.Background(), in, formats.MapOptions{Detail: true})
			typedError(t, err)
			for _, inc := range [][]string{nil, {formats.IncludeAll}} {
				_, err = Format().Reader.Read(context.Background(), in, formats.Selector{Include: inc})
				typedError(t, err)
			}
			took, grown := time.Since(began), int64(peak()-before)>>20
			t.Logf("%d KiB: %s, %d MiB", in.Size()>>10, took.Round(time.Millisecond), grown)
			require.Less(t, took, 20*time.Second, "on a busy machine; a second on an idle one")
			require.Less(t, grown, int64(120))
		})
	}
}

func manyMasters(n int) string {
	var sb strings.Builder
	for i := range n {
		fmt.Fprintf(&sb, `<row><c><f t="shared" si="%d">%s</f></c></row>`, i, strings.Repeat("A1+", 300))
	}
	return sb.String()
}

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
		require.LessOrEqual(t, m.(*Map).size(), formats.MaxMap)
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
	n := 5000
	if testing.Short() {
		n = 500
	}
	rnd := rand.New(rand.NewPCG(1, 2))
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
