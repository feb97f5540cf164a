package xlsx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// withLayouts makes parts of every size be written as patches, or none.
func withLayouts(t testing.TB, all bool) {
	from, step, share := book.LayoutFrom, book.PlaceStep, maxDeflatedShare
	t.Cleanup(func() { book.LayoutFrom, book.PlaceStep, maxDeflatedShare = from, step, share })
	book.LayoutFrom, book.PlaceStep, maxDeflatedShare = math.MaxInt64, 16<<10, share
	if all {
		book.LayoutFrom, book.PlaceStep, maxDeflatedShare = 1, 1, 2
	}
}

// entries inflates all entries of a zip with the standard library, which checks sizes
// and sums.
func entries(t testing.TB, b []byte) map[string][]byte {
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	out := map[string][]byte{}
	for _, f := range zr.File {
		r, err := f.Open()
		require.NoError(t, err)
		out[f.Name], err = io.ReadAll(r)
		require.NoError(t, err, f.Name)
	}
	return out
}

// sameAsWhole requires that an edit written as patches has the parts of the edit written
// as a whole.
func sameAsWhole(t *testing.T, in []byte, list string) {
	t.Helper()
	for _, calculate := range []bool{false, true} {
		sameAsWholeWith(t, in, list, formats.ApplyOptions{Calculate: calculate, Now: time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)})
	}
}

func sameAsWholeWith(t *testing.T, in []byte, list string, opt formats.ApplyOptions) {
	t.Helper()
	do := func() ([]byte, formats.Report, error) {
		var out bytes.Buffer
		report, err := Format().Editor.Apply(t.Context(), src(in), &out, ops(t, list), opt)
		return out.Bytes(), report, err
	}
	withLayouts(t, false)
	whole, report, err := do()
	withLayouts(t, true)
	patched, again, err2 := do()
	require.Equal(t, fmt.Sprint(err), fmt.Sprint(err2))
	if err != nil {
		return
	}
	require.Equal(t, report, again)
	want, got := entries(t, whole), entries(t, patched)
	for name := range want {
		require.Equal(t, string(want[name]), string(got[name]), "%s\n%s", list, name)
	}
	require.Len(t, got, len(want))
}

// randomPlaces are operations that change cells, rows and formats at random places.
func randomPlaces(rnd *rand.Rand, sheet string, rows int) string {
	cell := func() string { return cellref.Name(1+rnd.IntN(rows), 1+rnd.IntN(12)) }
	var list []string
	for range 1 + rnd.IntN(4) {
		row := 1 + rnd.IntN(rows)
		list = append(list, []string{
			fmt.Sprintf(`{"op":"set_cells","sheet":%s,"cells":[{"cell":%q,"value":%d},{"cell":%q,"value":"new text"}]}`, sheet, cell(), row, cell()),
			fmt.Sprintf(`{"op":"set_cells","sheet":%s,"cells":[{"cell":%q,"value":"=A1+1"}]}`, sheet, cell()),
			fmt.Sprintf(`{"op":"set_style","sheet":%s,"range":"B%d:C%d","style":{"font_bold":true}}`, sheet, row, row+rnd.IntN(5)),
			fmt.Sprintf(`{"op":"hide_rows","sheet":%s,"from":%d,"to":%d}`, sheet, row, row+rnd.IntN(3)),
			fmt.Sprintf(`{"op":"set_row_heights","sheet":%s,"heights":{"%d":30}}`, sheet, row),
			`{"op":"replace_text","search":"new text","replace":"newer"}`,
			`{"op":"replace_text","search":"an","replace":"on"}`,
		}[rnd.IntN(7)])
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestPatchedSheetsAreThoseWrittenAsAWhole(t *testing.T) {
	for n, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			wb, err := open(t.Context(), src(in))
			if !typedError(t, err) {
				return
			}
			rnd := rand.New(rand.NewPCG(uint64(n), 9))
			for i, s := range wb.Sheets {
				if s.Worksheet() && i < 3 {
					sameAsWhole(t, in, randomPlaces(rnd, jsonString(s.Name), 5+rnd.IntN(200)))
				}
			}
		})
	}
}

// sparseBook is a workbook of some megabytes in which rows are missing, have no number or
// are empty, with blanks between them.
func sparseBook(t testing.TB, prefix string, rows int) []byte {
	rnd := rand.New(rand.NewPCG(5, uint64(rows)))
	b := []byte(`<?xml version="1.0"?><` + prefix + `worksheet xmlns="` + sheetml.Namespace + `"><` + prefix + `dimension ref="A1:J` + strconv.Itoa(rows) + `"/><` + prefix + `sheetData>`)
	if prefix != "" {
		b = bytes.Replace(b, []byte("xmlns="), []byte("xmlns:"+strings.TrimSuffix(prefix, ":")+"="), 1)
	}
	tag := func(s string) string { return strings.NewReplacer("</", "</"+prefix, "<", "<"+prefix).Replace(s) }
	for r := 3; r <= rows; r++ {
		switch rnd.IntN(9) {
		case 0:
			continue
		case 1:
			b = fmt.Appendf(b, tag(`<row r="%d" ht="20"/>`)+"\n", r)
			continue
		}
		b = fmt.Appendf(b, tag(`<row r="%d">`), r)
		b = fmt.Appendf(b, tag(`<c r="A%d"><v>%d</v></c><c r="B%d" t="inlineStr"><is><t>an item %d</t></is></c>`), r, rnd.IntN(1e6), r, rnd.IntN(1e6))
		b = fmt.Appendf(b, tag(`<c r="D%d"><f>A%d*2</f><v>%d</v></c></row>`)+"\n ", r, r, rnd.IntN(1000))
	}
	b = append(b, "</"+prefix+"sheetData></"+prefix+"worksheet>"...)
	return raw(t, map[string]string{sheet1: string(b)}, "Data")
}

func TestPatchedLargeSheets(t *testing.T) {
	for _, prefix := range []string{"", "x:"} {
		in := sparseBook(t, prefix, 20_000)
		for seed := range uint64(8) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			sameAsWhole(t, in, strings.Replace(randomPlaces(rnd, `"S1"`, 21_000), `"an"`, fmt.Sprintf(`"item %d"`, rnd.IntN(100_000)), 1))
		}
	}
}

// Edits of few rows of a large sheet copy most of it, also those of an edit before, and
// the file does not grow with them.
func TestFewRowsLeaveTheRestDeflated(t *testing.T) {
	withLayouts(t, true)
	maxDeflatedShare = 0.6
	in := sparseBook(t, "", 60_000)
	size := len(in)
	for i := range 3 {
		out, _ := apply(t, in, fmt.Sprintf(`[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A30000","value":%d}]}]`, i))
		entries(t, out)
		was, now := deflatedPart(t, in), deflatedPart(t, out)
		n := 0
		for n < len(was) && n < len(now) && was[n] == now[n] {
			n++
		}
		require.Greater(t, n, len(was)/3, "of %d bytes, which are the same before row 30,000", len(was))
		require.Contains(t, read(t, out, formats.Selector{Sheet: "S1", Range: "A30000:D30000"}), fmt.Sprint(i))
		in = out
	}
	require.Less(t, len(in), size+size/20)
}

// deflatedPart returns the deflated bytes of the first sheet.
func deflatedPart(t testing.TB, b []byte) []byte {
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	f, err := zr.Open(sheet1)
	require.NoError(t, err)
	f.Close()
	for _, e := range zr.File {
		if e.Name == sheet1 {
			r, err := e.OpenRaw()
			require.NoError(t, err)
			out, err := io.ReadAll(r)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, flate.NewReader(bytes.NewReader(out)))
			require.NoError(t, err)
			return out
		}
	}
	t.Fatal("there is no sheet")
	return nil
}
