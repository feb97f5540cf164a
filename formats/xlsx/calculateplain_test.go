package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// mixedFormulas is a workbook whose formulas read cells above, below and beside them, have
// values of all types or none, are arrays, or fail.
func mixedFormulas(t testing.TB, rnd *rand.Rand, rows int) []byte {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for r := 1; r <= rows; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d"><v>%d.5</v></c><c r="C%d" t="inlineStr"><is><t>item %d</t></is></c>`, r, r, r, r, r*7%100, r, r)
		for col := 4; col <= 6; col++ {
			at, k := cellref.Name(r, col), 1+rnd.IntN(rows)
			f := []string{
				fmt.Sprintf("$A$1*B%d+SUM(A%d:B%d)", r, r, r),
				fmt.Sprintf("%s+$A$1", cellref.Name(max(1, r-1), col)),
				fmt.Sprintf("E%d&amp;C%d", k, r),
				fmt.Sprintf("SUM($A$1:A%d)", k),
				fmt.Sprintf("1/(A%d-3)", k),
				fmt.Sprintf("NOSUCH(A%d)", k),
				fmt.Sprintf("INDIRECT(\"A%d\")", k),
			}[rnd.IntN(7)]
			value := []string{"", "<v>7</v>", "<v>-0.25</v>"}[rnd.IntN(3)]
			if col == 6 && r%9 == 0 && r < rows {
				fmt.Fprintf(&sb, `<c r="%s"><f t="array" ref="%s:%s">A%d:A%d*$A$1</f><v>1</v></c>`, at, at, cellref.Name(r+1, col), r, r+1)
				continue
			}
			if col == 6 && r%9 == 1 && r > 1 {
				fmt.Fprintf(&sb, `<c r="%s"><v>2</v></c>`, at)
				continue
			}
			fmt.Fprintf(&sb, `<c r="%s"><f>%s</f>%s</c>`, at, f, value)
		}
		sb.WriteString("</row>")
	}
	return xlsxtest.Raw(t, nil, sb.String()+"</sheetData>")
}

// Values that are calculated from an intermediate workbook that is not deflated are those
// from a deflated one, and the result is deflated.
func TestPlainIntermediateIsTheDeflatedOne(t *testing.T) {
	was := maxPlain
	t.Cleanup(func() { maxPlain = was })
	opt := formats.ApplyOptions{Calculate: true, Now: time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)}
	rnd := rand.New(rand.NewPCG(3, 5))
	calculated := 0
	for range 12 {
		in := mixedFormulas(t, rnd, 20+rnd.IntN(30))
		for _, list := range []string{
			`[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":3},{"cell":"C2","value":"x"}]}]`,
			`[{"op":"set_cells","sheet":"S1","cells":[{"cell":"H1","value":"=SORT(B1:B9)"},{"cell":"A1","value":2}]},{"op":"set_style","sheet":"S1","range":"A1:B4","style":{"font_bold":true}}]`,
			`[{"op":"insert_rows","sheet":"S1","row":4,"count":2},{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":5}]},{"op":"ensure_sheet","sheet":"New"}]`,
			`[{"op":"sort_range","sheet":"S1","range":"A1:C15","by":[{"column":"B"}]}]`,
		} {
			do := func(limit int64) ([]byte, formats.Report) {
				maxPlain = limit
				var out bytes.Buffer
				rep, err := Format().Editor.Apply(t.Context(), src(in), &out, ops(t, list), opt)
				require.NoError(t, err, list)
				return out.Bytes(), rep
			}
			deflated, want := do(0)
			plain, got := do(was)
			require.Equal(t, want, got, list)
			calculated += got.Calculated
			require.Equal(t, entries(t, deflated), entries(t, plain), list)
			requireDeflated(t, plain)
		}
	}
	require.Greater(t, calculated, 1000)
}

// requireDeflated requires that all entries of a workbook are deflated.
func requireDeflated(t testing.TB, b []byte) {
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	for _, f := range zr.File {
		require.Equal(t, uint16(zip.Deflate), f.Method, f.Name)
	}
}

// A workbook whose formulas get no other value is deflated too.
func TestPlainIntermediateWithoutResultsIsDeflated(t *testing.T) {
	in := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>NOSUCH(A1)</f><v>1</v></c></row></sheetData>`)
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(t.Context(), src(in), &out, ops(t, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":3}]}]`), formats.ApplyOptions{Calculate: true})
	require.NoError(t, err)
	require.Zero(t, rep.Calculated)
	requireDeflated(t, out.Bytes())
}

// What is read back from a spool is what was written, in memory and in a file.
func TestSpoolReadsWhatWasWritten(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, spoolChunk - 1, spoolChunk, 3*spoolChunk + 17, maxSpool + 3*spoolChunk} {
		s, want := &spool{}, make([]byte, size)
		for i := range want {
			want[i] = byte(i * 31 >> 3)
		}
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+rnd.IntN(2*spoolChunk))
			_, err := s.Write(rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		got := s.source("x")
		require.EqualValues(t, size, got.Size())
		require.Equal(t, size > maxSpool, s.file != nil)
		for range 50 {
			b, off := make([]byte, rnd.IntN(3*spoolChunk)), rnd.IntN(size+10)
			n, err := got.ReadAt(b, int64(off))
			left := max(0, size-off)
			require.Equal(t, min(len(b), left), n)
			require.Equal(t, len(b) > left, err != nil, "%v", err)
			require.True(t, bytes.Equal(want[min(off, size):min(off, size)+n], b[:n]))
		}
		require.NoError(t, s.Close())
	}
}
