package docx

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// set_page_setup sets what it is given and keeps the rest of each section.
func TestSetPageSetup(t *testing.T) {
	src := withBody(t, `<w:p><w:pPr><w:sectPr><w:type w:val="nextPage"/><w:pgSz w:w="11906" w:h="16838" w:code="9"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="700" w:footer="700" w:gutter="0"/><w:cols w:num="2"/></w:sectPr></w:pPr></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>`)
	out, rep := edited(t, src, `{"op":"set_page_setup","at":"p0","orientation":"landscape","margin_left":0.5}`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.Contains(t, mainXML(t, out), `<w:sectPr><w:type w:val="nextPage"/><w:pgSz w:w="16838" w:h="11906" w:code="9" w:orient="landscape"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="720" w:header="700" w:footer="700" w:gutter="0"/><w:cols w:num="2"/></w:sectPr>`)
	require.Contains(t, mainXML(t, out), `<w:sectPr/>`, "the other section stays")
	good(t, out)

	all, rep := edited(t, out, `{"op":"set_page_setup","paper":"A5"}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Contains(t, mainXML(t, all), `<w:pgSz w:w="11906" w:h="8391" w:orient="landscape"/>`, "it stays landscape")
	require.Contains(t, mainXML(t, all), `<w:sectPr><w:pgSz w:w="8391" w:h="11906"/></w:sectPr>`)
	good(t, all)

	_, rep = edited(t, all, `{"op":"set_page_setup","paper":"a5"}`)
	require.True(t, rep.Ops[0].Unchanged)

	last, _ := edited(t, out, `{"op":"set_page_setup","at":"p1","margin_top":2}`)
	require.Contains(t, mainXML(t, last), `<w:sectPr><w:pgMar w:top="2880" w:right="1417" w:bottom="1417" w:left="1417" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr>`)

	bare, _ := edited(t, changedParts(t, withBody(t, `<w:p/>`), swap(t, "word/document.xml", `<w:sectPr/>`, ``)), `{"op":"set_page_setup","orientation":"landscape"}`)
	require.Contains(t, mainXML(t, bare), `<w:sectPr><w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/></w:sectPr>`)
	good(t, bare)
}

func TestSetPageSetupFaults(t *testing.T) {
	src := withBody(t, `<w:p/><w:sectPr><w:pgSz w:w="21cm" w:h="29cm"/></w:sectPr>`)
	for in, want := range map[string]string{
		`{"op":"set_page_setup"}`:                           "say what to set: paper, orientation, margin_top, margin_bottom, margin_left or margin_right",
		`{"op":"set_page_setup","paper":"B9"}`:              `paper "B9" is not one of A3, A4, A5, letter, legal, tabloid`,
		`{"op":"set_page_setup","orientation":"up"}`:        `orientation "up" is not portrait or landscape`,
		`{"op":"set_page_setup","margin_top":-1}`:           "margin_top must be 0 to 22 inches, not -1",
		`{"op":"set_page_setup","margin_top":"x"}`:          `margin_top: expected a number, got "x"`,
		`{"op":"set_page_setup","orientation":"landscape"}`: "the section has a length that cannot be changed here",
		`{"op":"set_page_setup","at":"p9","paper":"A4"}`:    "p9",
		`{"op":"set_pagesetup","paper":"A4"}`:               "unsupported op: set_pagesetup; did you mean set_page_setup?",
	} {
		_, _, err := applyWith(t, src, options(t), in)
		require.ErrorContains(t, err, want, in)
	}
	_, _, err := applyWith(t, withBody(t, `<w:p/>`), options(t), `{"op":"set_page_setup","paper":"A5","margin_left":3,"margin_right":3}`)
	require.ErrorContains(t, err, "the margins leave no room for text on a page of 5.827 by 8.268 inches")
}

// LibreOffice lays the pages out as they were set.
func TestSetPageSetupInLibreOffice(t *testing.T) {
	out, _, err := apply(t, nil, `{"op":"append_paragraph","text":"wide"}`, `{"op":"set_page_setup","paper":"letter","orientation":"landscape","margin_left":1.5}`)
	require.NoError(t, err)
	file := formatstest.Write(t, "wide.docx", out)
	formatstest.Validate(t, file, "")
	odt, err := os.ReadFile(formatstest.LibreOffice(t, file, "fodt"))
	require.NoError(t, err)
	for _, want := range []string{`fo:page-width="11in"`, `fo:page-height="8.5in"`, `style:print-orientation="landscape"`, `fo:margin-left="1.5in"`} {
		require.Contains(t, string(odt), want)
	}
}
