package docx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

func TestFormatTable(t *testing.T) {
	src := withBody(t, wtbl(3, wtr(wtc(wp(wr("a"))), wtcp(`<w:gridSpan w:val="2"/>`, wp(wr("b")))), wtr(wtc(wp(wr("c"))), wtc(wp(wr("d"))), wtc(wp(wr("e")))))+wp())
	out, rep := edited(t, src, `{"op":"format_table","at":"t0","widths":[1,0.5,2],"alignment":"center"}`)
	require.Empty(t, rep.Ops[0].Warnings)
	require.Equal(t, `<w:tbl><w:tblPr><w:tblW w:w="5040" w:type="dxa"/><w:jc w:val="center"/><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid><w:gridCol w:w="1440"/><w:gridCol w:w="720"/><w:gridCol w:w="2880"/></w:tblGrid>`+
		wtr(wtcp(`<w:tcW w:w="1440" w:type="dxa"/>`, wp(wr("a"))), wtcp(`<w:tcW w:w="3600" w:type="dxa"/><w:gridSpan w:val="2"/>`, wp(wr("b"))))+
		wtr(wtcp(`<w:tcW w:w="1440" w:type="dxa"/>`, wp(wr("c"))), wtcp(`<w:tcW w:w="720" w:type="dxa"/>`, wp(wr("d"))), wtcp(`<w:tcW w:w="2880" w:type="dxa"/>`, wp(wr("e"))))+`</w:tbl>`+wp(), bodyOf(t, out))
	good(t, out)
	_, rep = edited(t, out, `{"op":"format_table","at":"t0","widths":[1,0.5,2],"alignment":"center"}`)
	require.True(t, rep.Ops[0].Unchanged)
	_, rep = edited(t, src, `{"op":"format_table","at":"t0","widths":[5,5,5]}`)
	require.Contains(t, rep.Ops[0].Warnings[0], "the table is 15 inches wide")
	bare := withBody(t, `<w:tbl>`+wtr(wtc(wp(wr("a"))), wtc(wp(wr("b"))))+`</w:tbl>`+wp())
	out, _ = edited(t, bare, `{"op":"format_table","at":"t0","widths":[1,2]}`)
	require.Contains(t, bodyOf(t, out), `</w:tblPr><w:tblGrid>`)
	good(t, out)
	for in, want := range map[string]string{
		`"at":"t0"`:                       "say what to set",
		`"at":"p0","alignment":"left"`:    "needs a table",
		`"at":"t0","widths":[1,2]`:        "the table has 3 columns; widths has 2",
		`"at":"t0","widths":[1,2,0]`:      "0.05 to 22",
		`"at":"t0","alignment":"justify"`: "left, center, right",
	} {
		_, _, err := applyWith(t, src, options(t), `{"op":"format_table",`+in+`}`)
		require.ErrorContains(t, err, want, in)
	}
}

// Over the real documents: the first table of each gets columns of half an inch;
// LibreOffice gives it that width.
func TestCorpusFormatTable(t *testing.T) {
	done := 0
	for _, path := range formatstest.Sample(t, "docx") {
		b := must(os.ReadFile(path))
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		p, err := d.body(ctx)
		require.NoError(t, err)
		tables := p.stories[0].kidsOf(tableNode)
		if len(tables) == 0 {
			continue
		}
		_, _, err = applyWith(t, src, options(t), `{"op":"format_table","at":"t0","widths":[0.5]}`)
		n := 1
		if err != nil {
			_, err = fmt.Sscanf(err.Error(), "operation 1 (format_table): the table has %d columns", &n)
			require.NoError(t, err, path)
		}
		out, _, err := applyWith(t, src, options(t), fmt.Sprintf(`{"op":"format_table","at":"t0","widths":[%s],"alignment":"right"}`, strings.TrimSuffix(strings.Repeat("0.5,", n), ",")))
		require.NoError(t, err, path)
		formatstest.SameParts(t, b, out, d.main)
		file := formatstest.Write(t, "table.docx", out)
		formatstest.Validate(t, file, path)
		require.Equal(t, read(t, src, ""), read(t, formats.FromBytes("t.docx", out), ""))
		done++
		if done == 1 && campaign.Of(0, 1) == 1 {
			require.Contains(t, string(must(os.ReadFile(formatstest.LibreOffice(t, file, "fodt")))), fmt.Sprintf(`style:width="%.4gin"`, float64(n)*0.5))
		}
	}
	formatstest.Report(t, "docx  widths of a table set in %d real documents", done)
}
