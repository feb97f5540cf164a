package docx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

const narrowPage = `<w:sectPr><w:pgSz w:w="8391" w:h="11906"/><w:pgMar w:top="1440" w:right="720" w:bottom="1440" w:left="720"/></w:sectPr>`

// Writes tell of tables that got wider than the text of their section.
func TestEffectsOfWideTables(t *testing.T) {
	body := wtblw(3, 3000, wtr(wtc(wp(wr("a"))), wtc(wp()), wtc(wp()))) + `<w:p/>`
	src := withBody(t, body)
	effects := effectsOf(t, src, `{"op":"set_page_setup","paper":"A5","margin_left":0.5,"margin_right":0.5}`)
	require.Equal(t, []string{"1 table is wider than the text of its pages: t0 (15.88 cm of 12.26 cm)"}, effects)
	require.Empty(t, effectsOf(t, src, `{"op":"set_page_setup","orientation":"landscape"}`))
	wide := changedParts(t, src, swap(t, "word/document.xml", `<w:sectPr/>`, narrowPage))
	require.Empty(t, effectsOf(t, wide, `{"op":"append_paragraph","text":"x"}`, `{"op":"set_table_cell","at":"t0.r0.c0","text":"`+strings.Repeat("other ", 20)+`"}`), "it was so before")
	require.Empty(t, effectsOf(t, wide, `{"op":"set_page_setup","margin_top":1.2}`))
	columns := withBody(t, body+`<w:sectPr><w:cols w:num="3"/></w:sectPr>`)
	require.Empty(t, effectsOf(t, columns, `{"op":"set_page_setup","margin_top":1.2}`))
}

// Writes tell of rows that got higher than a page, and of texts that are too
// long for a row of fixed height.
func TestEffectsOfRows(t *testing.T) {
	src := withBody(t, wtblw(1, 3000, wtr(wtc(wp(wr("head")))), wtr(wtc(wp(wr("short")))), wtrp(`<w:trHeight w:val="400" w:hRule="exact"/>`, wtc(wp(wr("fixed")))))+`<w:p/>`+narrowPage)
	long := strings.Repeat("word ", 400)
	require.Equal(t, []string{"1 row is higher than a page: t0.r1"}, effectsOf(t, src, `{"op":"set_table_cell","at":"t0.r1.c0","text":"`+long+`"}`))
	require.Equal(t, []string{"1 row has a fixed height that is too low for its text: t0.r2"}, effectsOf(t, src, `{"op":"set_table_cell","at":"t0.r2.c0","text":"`+long[:200]+`"}`))
	out, _ := edited(t, src, `{"op":"set_table_cell","at":"t0.r1.c0","text":"`+long+`"}`)
	require.Empty(t, effectsOf(t, out, `{"op":"set_table_cell","at":"t0.r1.c0","text":"`+long+` more"}`))
	require.Empty(t, effectsOf(t, out, `{"op":"add_table_row","at":"t0","cells":["x"]}`))
	require.Equal(t, []string{"1 row is higher than a page: t0.r0"}, effectsOf(t, src, `{"op":"set_table_cell","at":"t0.r0.c0","text":"`+long+`"}`))
}

// The row that is told to be higher than a page takes two pages in LibreOffice.
func TestRowsHigherThanAPageInLibreOffice(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed")
	}
	src := withBody(t, wtblw(1, 3000, wtr(wtc(wp(wr("first")))))+`<w:p/>`+narrowPage)
	out, rep := edited(t, src, fmt.Sprintf(`{"op":"set_table_cell","at":"t0.r0.c0","text":"%s"}`, strings.Repeat("word ", 400)))
	require.Len(t, rep.Effects, 1)
	b, err := formats.ReadAll(out, 1<<20)
	require.NoError(t, err)
	pdf := formatstest.LibreOffice(t, formatstest.Write(t, "tall.docx", b), "pdf")
	text, err := exec.Command("pdftotext", "-layout", pdf, "-").Output()
	require.NoError(t, err)
	require.Greater(t, strings.Count(string(text), "\f"), 1)
}

// Edits of real documents that concern no table tell of none.
func TestCorpusTableEffects(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		for _, ops := range [][]string{{`{"op":"append_paragraph","text":"x"}`}, {`{"op":"insert_paragraph","at":"p0","where":"before","text":"x"}`, `{"op":"delete_paragraph","at":"p0"}`}} {
			_, rep, err := apply(t, src, ops...)
			if err != nil {
				continue
			}
			require.Empty(t, rep.Effects, path)
		}
	}
}
