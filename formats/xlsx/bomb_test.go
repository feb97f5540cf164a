package xlsx

import (
	"context"
	"fmt"
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
	f.Fuzz(func(t *testing.T, sheet, sst, styles, rng string) {
		in := src(raw(t, map[string]string{sheet1: sheet, "xl/sharedStrings.xml": sst, "xl/styles.xml": styles}, ""))
		forget()
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
	})
}
