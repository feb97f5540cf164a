package xlsx

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/libreoffice"
	"atelier/internal/campaign"
	"atelier/internal/need"
)

const wholePage = `{"op":"set_page_setup","sheet":"S1","orientation":"landscape","paper":"a4","fit":{"across":1},"margins":{"left":0.5,"top":1},"print_area":"A1:C4,E1:E9","repeat":{"rows":"1","columns":"A:B"},` +
	`"header":{"left":"R&&D","right":"[date]","first":{"center":"First"}},"footer":{"center":"Page &P of [pages]"},"breaks":{"after_rows":[3,2,3],"after_columns":["B"]},"print":{"center_across":true,"gridlines":true,"first_page_number":5,"order":"across"}}`

func TestPageSetup(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "set_page_setup sets everything in its place", ops: wholePage,
			rep: formats.OpReport{Hits: 1, Notes: []string{`header: left "R&D", right "[date]"`, `footer: center "Page [page] of [pages]"`, `header.first: center "First"`,
				"orientation: landscape", "paper: A4", "page order: across, then down", "first page number: 5", "fit: 1 page across, any number of pages down", "margins in inches: left 0.5, top 1", "centered across the page: yes", "gridlines printed: yes",
				"print area: A1:C4, E1:E9", "rows on each page: 1:1", "columns on each page: A:B", "page breaks after rows: 2, 3", "page breaks after columns: B"}},
			swap: map[string][]string{
				sheet1: {`<dimension`, `<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><dimension`, `</mergeCells>`, `</mergeCells><printOptions horizontalCentered="1" gridLines="1"/><pageMargins right="0.7" bottom="0.75" header="0.3" footer="0.3" left="0.5" top="1"/>` +
					`<pageSetup orientation="landscape" paperSize="9" fitToHeight="0" pageOrder="overThenDown" firstPageNumber="5" useFirstPageNumber="1"/>` +
					`<headerFooter differentFirst="1"><oddHeader>&amp;LR&amp;&amp;D&amp;R&amp;D</oddHeader><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter><firstHeader>&amp;CFirst</firstHeader></headerFooter>` +
					`<rowBreaks count="2" manualBreakCount="2"><brk id="2" max="16383" man="1"/><brk id="3" max="16383" man="1"/></rowBreaks><colBreaks count="1" manualBreakCount="1"><brk id="2" max="1048575" man="1"/></colBreaks>`},
				bookPart: {`</definedNames>`, `<definedName name="_xlnm.Print_Area" localSheetId="0">'S1'!$A$1:$C$4,'S1'!$E$1:$E$9</definedName><definedName name="_xlnm.Print_Titles" localSheetId="0">'S1'!$A:$B,'S1'!$1:$1</definedName></definedNames>`},
			},
		},
		{
			name: "set_page_setup leaves what it does not name", in: raw(t, nil, `<sheetPr><tabColor rgb="FF00FF00"/></sheetPr><sheetData/><pageMargins left="1" right="1" top="1" bottom="1" header="0.5" footer="0.5"/><pageSetup paperSize="9" scale="70" orientation="landscape"/><headerFooter><oddHeader>&amp;Ltop&amp;Rend</oddHeader></headerFooter>`),
			ops: `{"op":"set_page_setup","sheet":"S1","orientation":"portrait","fit":{"across":1,"down":1},"header":{"left":""},"margins":{"left":2}}`,
			rep: formats.OpReport{Hits: 1, Notes: []string{`header: right "end"`, "orientation: portrait", "fit: 1 page across, 1 page down", "margins in inches: left 2"}},
			swap: map[string][]string{sheet1: {`</sheetPr>`, `<pageSetUpPr fitToPage="1"/></sheetPr>`, `<pageMargins left="1" right="1"`, `<pageMargins right="1"`, ` footer="0.5"/>`, ` footer="0.5" left="2"/>`,
				`orientation="landscape"`, `orientation="portrait"`, `&amp;Ltop&amp;Rend`, `&amp;Rend`}},
		},
		{
			name: "set_page_setup to a scale", in: raw(t, nil, `<sheetPr><pageSetUpPr autoPageBreaks="0" fitToPage="1"/></sheetPr><sheetData/>`),
			ops: `{"op":"set_page_setup","sheet":"S1","scale":80}`, rep: formats.OpReport{Hits: 1, Notes: []string{"scale: 80%"}},
			swap: map[string][]string{sheet1: {` fitToPage="1"`, ``, `<sheetData/>`, `<sheetData/><pageSetup scale="80"/>`}},
		},
		{
			name: "set_page_setup changes one of the titles", in: lineBook(t), ops: `{"op":"set_page_setup","sheet":"S1","repeat":{"rows":"none"},"print_area":"none","breaks":{"after_rows":[]}}`,
			rep: formats.OpReport{Hits: 1, Notes: []string{"print area: the whole sheet", "rows on each page: none", "page breaks after rows: none"}},
			swap: map[string][]string{
				bookPart: {`<definedName name="_xlnm.Print_Area" localSheetId="0">S1!$A$1:$E$6</definedName>`, ``, `S1!$A:$B,S1!$1:$2`, `S1!$A:$B`},
				sheet1:   {`<rowBreaks count="2" manualBreakCount="2"><brk id="2" max="16383" man="1"/><brk id="5" max="16383" man="1"/></rowBreaks>`, ``},
			},
		},
		{
			name: "set_page_setup that is so already", in: lineBook(t), ops: `{"op":"set_page_setup","sheet":"S1","repeat":{"rows":"1:2"},"print_area":"A1:E6","breaks":{"after_rows":[2,5]},"print":{"center_down":false}}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`the pages of the sheet "S1" are set up so already; nothing was changed`}},
		},
	})
}

func TestPageSetupRefuses(t *testing.T) {
	with := func(members string) string { return `{"op":"set_page_setup","sheet":"S1",` + members + `}` }
	runRefusals(t, nil, []refusal{
		{`{"op":"set_page_setup","sheet":"S1"}`, formats.CodeInvalid, "nothing to set"},
		{`{"op":"set_page_setup","sheet":"S9","scale":50}`, formats.CodeNotFound, "unknown sheet: S9"},
		{with(`"orientation":"wide"`), formats.CodeInvalid, "expected portrait or landscape"},
		{with(`"paper":"A9"`), formats.CodeInvalid, "paper: expected A2 to A6"},
		{with(`"scale":5`), formats.CodeInvalid, "10 to 400"},
		{with(`"scale":50,"fit":{"across":1}`), formats.CodeInvalid, "not both"},
		{with(`"fit":{"across":-1}`), formats.CodeInvalid, "0 to 32767"},
		{with(`"margins":{"left":-1}`), formats.CodeInvalid, "invalid margin left"},
		{with(`"print_area":"1x"`), formats.CodeInvalid, "1x"},
		{with(`"repeat":{"rows":"A:B"}`), formats.CodeInvalid, "whole lines such as 1:2"},
		{with(`"repeat":{"columns":"A1:B2"}`), formats.CodeInvalid, "whole lines such as A:B"},
		{with(`"breaks":{"after_rows":[0]}`), formats.CodeInvalid, "invalid row 0"},
		{with(`"header":{"left":"a&Cb"}`), formats.CodeInvalid, "begin another section"},
		{with(`"print":{"order":"z"}`), formats.CodeInvalid, "down or across"},
		{`{"op":"define_name","name":"_xlnm.Print_Area","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "use set_page_setup with print_area"},
	})
}

// A second operation of the same call sees the first, also in a new sheet, and the
// schema takes what is made.
func TestPageSetupTwice(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"ensure_sheet","sheet":"It's"},{"op":"set_page_setup","sheet":"It's","repeat":{"rows":"1:2"}},{"op":"set_page_setup","sheet":"It's","repeat":{"columns":"A"},"footer":{"left":"y","first":{"right":"x"}}}]`)
	require.Contains(t, part(t, out, bookPart), `>'It''s'!$A:$A,'It''s'!$1:$2<`)
	require.Equal(t, []string(nil), rep.Ops[2].Warnings)
	valid(t, out, nil)
	one, _ := apply(t, smallBook(t), `[`+wholePage+`]`)
	valid(t, one, nil)
	text := read(t, one, formats.Selector{Sheet: "S1", Include: []string{formats.IncludePage}})
	for _, want := range []string{"landscape, A4, fit to 1 page wide and any number of pages tall", "print area A1:C4, E1:E9", "repeated on every page: columns A:B, rows 1:1", `footer: center "Page [page] of [pages]"`, "page breaks below rows 2, 3"} {
		require.Contains(t, text, want)
	}
	_, rep = apply(t, one, `[{"op":"set_page_setup","sheet":"S1","footer":{"right":"z"}}]`)
	require.Contains(t, rep.Ops[0].Warnings[0], "the first page of the sheet")
}

// LibreOffice prints the pages that the set-up asks for.
func TestPageSetupInLibreOffice(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	out, _ := apply(t, salesBook(t), `[{"op":"hide_sheet","sheet":"Resumen"},{"op":"set_page_setup","sheet":"Sales","orientation":"landscape","paper":"A5","print_area":"A4:C9","repeat":{"rows":"4"},"breaks":{"after_rows":[6]},"footer":{"center":"Seite [page] von [pages]"}}]`)
	dir := t.TempDir()
	in := filepath.Join(dir, "book.xlsx")
	require.NoError(t, os.WriteFile(in, out, 0o600))
	pdf, err := libreoffice.Convert(t.Context(), in, "pdf", dir)
	require.NoError(t, err)
	made, err := exec.CommandContext(t.Context(), need.Program(t, "pdftotext", "poppler-utils"), pdf, "-").Output()
	require.NoError(t, err)
	text := string(made)
	require.Contains(t, text, "Seite 1 von 2")
	require.Contains(t, text, "Seite 2 von 2")
}

// A set-up of the first sheet of each workbook leaves the other parts as they are.
func TestPageSetupOverTheCorpus(t *testing.T) {
	campaign.Slow(t)
	n := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		in := load(t, path)
		wb, err := open(t.Context(), src(in))
		if !typedError(t, err) {
			continue
		}
		for _, s := range wb.Sheets[:min(1, len(wb.Sheets))] {
			op := `{"op":"set_page_setup","sheet":` + jsonString(s.Name) + `,"orientation":"landscape","paper":"A3","fit":{"across":2},"margins":{"left":0.25},"repeat":{"rows":"2:3"},"print_area":"A1:D9","header":{"center":"probe [page]"},"footer":{"first":{"left":"x"}},"breaks":{"after_rows":[7]},"print":{"center_across":true}}`
			out, _, err := tryApply(t, in, `[`+op+`]`)
			if !typedError(t, err) {
				continue
			}
			n++
			formatstest.SameParts(t, in, out, s.Part, wb.Main)
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
			text := read(t, out, formats.Selector{Sheet: s.Name, Include: []string{formats.IncludePage}})
			for _, want := range []string{"landscape, A3, fit to 2 pages wide", "left 0.25", "print area A1:D9", "rows 2:3", `probe [page]`, "page breaks below rows 7"} {
				require.Contains(t, text, want, path)
			}
			again, rep := apply(t, out, `[`+op+`]`)
			require.Equal(t, out, again, path)
			require.True(t, rep.Ops[0].Unchanged, path)
		}
	}
	t.Log(n, "sheets")
	require.Greater(t, n, 20)
}

// Fields as Excel's window shows them, and in brackets alone, become codes.
func TestPageSetupFields(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"ensure_sheet","sheet":"S"},{"op":"set_page_setup","sheet":"S","header":{"left":"&[Date] &[Tab]","center":"[page] of [pages]"},"footer":{"right":"Page &[Page] of &[Pages]"}}]`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<oddHeader>&amp;L&amp;D &amp;A&amp;C&amp;P of &amp;N</oddHeader><oddFooter>&amp;RPage &amp;P of &amp;N</oddFooter>`)
	require.Contains(t, rep.Ops[1].Notes, `footer: right "Page [page] of [pages]"`)
}
