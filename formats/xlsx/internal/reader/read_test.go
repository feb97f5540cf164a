package reader

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// opened opens a workbook that is in order.
func opened(t testing.TB, b []byte) reading {
	t.Helper()
	wb, err := openReading(context.Background(), xlsxtest.Source(b))
	require.NoError(t, err)
	return wb
}

func readBook(t testing.TB, b []byte, sel formats.Selector) formats.Text {
	t.Helper()
	text, err := Reader{}.Read(context.Background(), xlsxtest.Source(b), sel)
	require.NoError(t, err)
	return text
}

// lines joins lines.
func joined(lines ...string) string { return strings.Join(lines, "\n") }

const (
	commentsPart = "xl/comments1.xml"
	note         = `<comments><authors><author>Ana</author></authors><commentList><comment ref="B2" authorId="0"><text><t>two
lines</t></text></comment><comment ref="A9"><text><t>below</t></text></comment></commentList></comments>`
)

// what each of sel.Include adds.
func TestWhatAReadIncludes(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{
		commentsPart:  note,
		xlsxtest.Main: xlsxtest.Book(`<sheets><sheet name="S1" sheetId="1" r:id="rId1"/><sheet name="S2" sheetId="2" state="hidden" r:id="rId2"/></sheets><calcPr fullCalcOnLoad="1"/>`),
	}, `<cols><col min="2" max="3" hidden="1"/><col min="5" max="5" width="9"/><col min="6" max="6" hidden="true"/></cols>`+
		`<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f><v>2</v></c></row><row r="2" hidden="1"><c r="A2"><f>A1+1</f></c><c r="B2" t="inlineStr"><is><t>x</t></is></c></row>`+
		`<row r="3" hidden="0"><c r="A3"><f t="array" ref="A3">SUM(A1:A2)</f><v>1</v></c></row></sheetData>`,
		`<sheetData><row r="1" hidden="1"><c r="A1"/></row></sheetData>`)
	plain := joined("Sheet: S1", "A1: 1, B1: 2", "A2: =A1+1, B2: x", "A3: 1", "(no value for 1 formula here)", "", "Sheet: S2")
	require.Equal(t, plain, readBook(t, b, formats.Selector{}).Text)
	for include, want := range map[string]string{
		formats.IncludeFormulas: joined("Sheet: S1", "A1: 1, B1: =A1*2 → 2", "A2: =A1+1, B2: x", "A3: {=SUM(A1:A2)} → 1",
			"(no value yet for 1 of the formulas here: the file is to be calculated when a spreadsheet program opens it)", "", "Sheet: S2"),
		formats.IncludeHidden:    joined("Sheet: S1", "(hidden columns: B:C, F:F)", "A1: 1, B1: 2", "A2: =A1+1, B2: x (hidden row)", "A3: 1", "(no value for 1 formula here)", "", "Sheet: S2", "(this sheet is hidden)"),
		formats.IncludeComments:  joined("Sheet: S1", "A1: 1, B1: 2", "A2: =A1+1, B2: x", "A3: 1", "(no value for 1 formula here)", "Comments:", `B2 (Ana): two\nlines`, "A9: below", "", "Sheet: S2"),
		formats.IncludeEstimates: joined("Sheet: S1", "A1: 1, B1: 2", "A2: =A1+1 → ~2 (estimate), B2: x", "A3: 1", "(no value yet for 1 of the formulas here: the file is to be calculated when a spreadsheet program opens it)", "", "Sheet: S2"),
		"other":                  plain,
	} {
		require.Equal(t, want, readBook(t, b, formats.Selector{Include: []string{include}}).Text, include)
	}
	require.Equal(t, joined("Sheet: S1", "A1: 1", "A2: =A1+1", "(no value for 1 formula here)", "", "Sheet: S1", "B2: x", "Comments:", `B2 (Ana): two\nlines`), readBook(t, b, formats.Selector{Range: "A1:A2,B2", Include: []string{formats.IncludeComments}}).Text, "comments of a range are those in it")
}

// The rows and columns of a window, wherever the content begins.
func TestWindowOfARead(t *testing.T) {
	grid := func(from, n, cols int) []byte {
		rows := make([]string, from-1, from+n)
		for r := range n {
			rows = append(rows, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d|", from+r), cols), "|"))
		}
		return xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...))
	}
	for _, c := range []struct {
		name          string
		b             []byte
		first, last   string
		tail          string
		shown, chunks int
		next          string
	}{
		{"200 rows", grid(1, 200, 1), "A1: 1", "A200: 200", "", 0, 0, ""},
		{"201 rows", grid(1, 201, 1), "A1: 1", "A200: 200", "\n... (truncated at 200 rows)", 1, 5, `sheet="S1" range="A201"`},
		{"from row 100", grid(100, 201, 1), "A100: 100", "A299: 299", "\n... (truncated at 200 rows)", 1, 6, `sheet="S1" range="A300"`},
		{"50 columns", grid(1, 2, 50), "A1: 1", "AX2: 2", "", 0, 0, ""},
		{"51 columns", grid(1, 2, 51), "A1: 1", "AX2: 2", "\n... (truncated at 50 columns)", 1, 1, `sheet="S1" range="AY1:AY2"`},
		{"both", grid(1, 201, 51), "A1: 1", "AX200: 200", "\n... (truncated at 200 rows)\n... (truncated at 50 columns)", 1, 5, `sheet="S1" range="A201:AX201"`},
	} {
		text := readBook(t, c.b, formats.Selector{})
		require.True(t, strings.HasPrefix(text.Text, "Sheet: S1\n"+c.first), c.name)
		require.True(t, strings.HasSuffix(text.Text, c.last+c.tail), "%s: …%s", c.name, text.Text[max(0, len(text.Text)-80):])
		if c.shown == 0 {
			require.Nil(t, text.Chunk, c.name)
			continue
		}
		require.Equal(t, c.next, text.Chunk.Next, c.name)
		require.Equal(t, c.chunks, text.Chunk.TotalChunks, c.name)
		require.True(t, text.Chunk.HasMore, c.name)
	}
}

// Reading the chunks that each part names gives the rows of the whole, each once.
func TestChunksGiveTheWhole(t *testing.T) {
	var rows []string
	for r := range 730 {
		if r%7 == 3 {
			rows = append(rows, "")
			continue
		}
		rows = append(rows, fmt.Sprintf("%d|text %d", r+1, r+1))
	}
	b := xlsxtest.Raw(t, nil, `<dimension ref="A1:B730"/>`+xlsxtest.Grid(rows...))
	whole := readBook(t, b, formats.Selector{Range: "A:C"})
	require.Nil(t, whole.Chunk)
	sel, got, parts := formats.Selector{}, "Sheet: S1", 0
	for {
		text := readBook(t, b, sel)
		body, _, _ := strings.Cut(strings.TrimPrefix(text.Text, "Sheet: S1"), "\n...")
		got += body
		if parts++; text.Chunk == nil {
			break
		}
		sel = nextOf(t, text.Chunk.Next)
	}
	require.True(t, whole.Text == got)
	require.Equal(t, 4, parts)
}

// nextOf reads what a chunk says to ask for next.
func nextOf(t testing.TB, next string) (sel formats.Selector) {
	t.Helper()
	for f := range strings.SplitSeq(next, `" `) {
		name, value, ok := strings.Cut(strings.TrimSuffix(f, `"`), `="`)
		require.True(t, ok, next)
		switch name {
		case "sheet":
			sel.Sheet = value
		case "range":
			sel.Range = value
		default:
			t.Fatalf("%s of %s", name, next)
		}
	}
	return sel
}

// A read of over 4 MiB ends, and says where.
func TestLongReadsEnd(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for r := 1; r <= 160; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d" t="str"><v>%s</v></c></row>`, r, r, xlsxtest.LongText(r, 31_500))
	}
	b := xlsxtest.Raw(t, nil, sb.String()+"</sheetData>", xlsxtest.Grid("1"), xlsxtest.Grid("2"))
	text := readBook(t, b, formats.Selector{})
	require.True(t, strings.HasSuffix(text.Text, "\n... (truncated at row 134)\n\n... (truncated: 2 more sheets; read them by name)"), text.Text[len(text.Text)-120:])
	require.Equal(t, `sheet="S1" range="A135:A160"`, text.Chunk.Next)
	text = readBook(t, b, formats.Selector{Range: "A1:A150,A2"})
	require.True(t, strings.HasSuffix(text.Text, "\n... (truncated at row 134)\n\n... (truncated: 1 more ranges)"))
	require.Equal(t, "A1:A134", text.Chunk.Range)
}

func TestReadsOfOddFiles(t *testing.T) {
	_, err := Reader{}.Read(context.Background(), xlsxtest.Source([]byte("x")), formats.Selector{})
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	none := xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book("<sheets/>")}, "")
	_, err = Reader{}.Read(context.Background(), xlsxtest.Source(none), formats.Selector{})
	require.EqualError(t, err, "book.xlsx has no sheets")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	damaged := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1`)
	for _, read := range []func(context.Context, formats.Source, formats.Selector) (formats.Text, error){Reader{}.Read, Reader{}.ReadFitting} {
		_, err = read(context.Background(), xlsxtest.Source(damaged), formats.Selector{})
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	}
	require.Equal(t, "Sheet: S1", readBook(t, xlsxtest.Raw(t, nil, `<dimension ref="A1"/>`), formats.Selector{}).Text, "a sheet without cells")
}
