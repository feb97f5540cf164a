//go:build linux

package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/campaign"
)

// The floor of a work is what no program can save: to inflate the parts that it
// reads and, for an edit, to deflate those that it writes, with our codec and level.
// Each work and its floor run in a process by themselves; processor seconds and the
// peak of resident memory are compared, which depend little on what else the machine
// does.

var (
	floorRows    = flag.Int("floor-rows", 100_000, "rows of the workbooks of the benchmark Floor")
	floorProfile = flag.String("floor-profile", "", "folder for the processor profiles of the works of the benchmark Floor")
)

// floorWork is one work on one workbook.
type floorWork struct {
	name   string
	book   string // see floorBooks
	op     string // operations as JSON; map, read or review. ROWS is the number of rows
	writes bool   // so that its floor deflates
}

var floorWorks = []floorWork{
	{"set10", "formulas", `[{"op":"set_cells","sheet":"S1","cells":[CELLS]}]`, true},
	{"set10Calculated", "formulas", `[{"op":"set_cells","sheet":"S1","cells":[CELLS]}]`, true},
	{"insert", "formulas", `[{"op":"insert_rows","sheet":"S1","row":3,"count":1}]`, true},
	{"replace", "formulas", `[{"op":"replace_text","search":"item","replace":"thing"}]`, true},
	{"replaceShared", "formulas", `[{"op":"replace_text","search":"north","replace":"south"}]`, true},
	{"sort", "formulas", `[{"op":"sort_range","sheet":"S1","range":"A1:JROWS","by":[{"column":"C"},{"column":"A","descending":true}]}]`, true},
	{"map", "formulas", "map", false},
	{"mapLong", "longtext", "map", false},
	{"readLong", "longtext", "read", false},
	{"setLong", "longtext", `[{"op":"set_cells","sheet":"S1","cells":[CELLS]}]`, true},
	{"readStrings", "strings", "read", false},
	{"readStringsEnd", "strings", "readEnd", false},
	{"setStrings", "strings", `[{"op":"set_cells","sheet":"S1","cells":[CELLS]}]`, true},
	{"replaceStrings", "strings", `[{"op":"replace_text","search":"customer","replace":"client"}]`, true},
	{"setRunning", "shared", `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A3","value":7}]}]`, true},
	{"reviewShared", "shared", "review", false},
}

// floorBooks write the rows of a workbook, with its shared strings.
var floorBooks = map[string]struct {
	strings func(rows int) []string
	row     func(b []byte, r, rows int) []byte
}{
	// Ten cells a row: numbers, shared and inline texts, a formula.
	"formulas": {func(int) []string {
		list := []string{"north", "south", "east", "west", "pending"}
		for i := range 500 {
			list = append(list, fmt.Sprintf("note %d", i))
		}
		return list
	}, func(b []byte, r, _ int) []byte {
		x := uint64(r)*6364136223846793005 + 1442695040888963407
		b = fmt.Appendf(b, `<c r="A%d"><v>%d</v></c><c r="B%d" t="inlineStr"><is><t>item %d</t></is></c>`, r, r, r, r)
		b = fmt.Appendf(b, `<c r="C%d" t="s"><v>%d</v></c><c r="D%d"><v>%d.%d</v></c>`, r, x>>62, r, x>>50&1023, x>>57&63)
		b = fmt.Appendf(b, `<c r="E%d"><v>%d.25</v></c><c r="F%d" t="inlineStr"><is><t>2026-03-%02d</t></is></c>`, r, x>>40&0xffff, r, x>>30%28+1)
		b = fmt.Appendf(b, `<c r="G%d" t="s"><v>4</v></c><c r="H%d"><v>%d</v></c><c r="I%d" t="s"><v>%d</v></c>`, r, r, r%7, r, 5+r%500)
		return fmt.Appendf(b, `<c r="J%d"><f>A%d*D%d</f><v>%d</v></c>`, r, r, r, r)
	}},
	// One text of 32,000 characters in every cell.
	"longtext": {func(int) []string { return []string{strings.Repeat("abcdefgh", 4000)} }, func(b []byte, r, _ int) []byte {
		for c := range 10 {
			b = fmt.Appendf(b, `<c r="%c%d" t="s"><v>0</v></c>`, 'A'+c, r)
		}
		return b
	}},
	// A different shared string in every row.
	"strings": {func(rows int) []string {
		list := make([]string, rows)
		for i := range list {
			list[i] = fmt.Sprintf("customer %d of %d", i*7919%rows, rows)
		}
		return list
	}, func(b []byte, r, _ int) []byte {
		return fmt.Appendf(b, `<c r="A%d" t="s"><v>%d</v></c><c r="B%d"><v>%d</v></c>`, r, r-1, r, r)
	}},
	// A shared formula over all rows.
	"shared": {nil, func(b []byte, r, rows int) []byte {
		b = fmt.Appendf(b, `<c r="A%d"><v>%d</v></c>`, r, r)
		if r == 1 {
			return fmt.Appendf(b, `<c r="B1"><f t="shared" ref="B1:B%d" si="0">A1*2+SUM($A$1:A1)</f><v>2</v></c>`, rows)
		}
		return fmt.Appendf(b, `<c r="B%d"><f t="shared" si="0"/><v>%d</v></c>`, r, r)
	}},
}

// floorBook writes a workbook of floorBooks, unless it is there, and returns its path.
func floorBook(t testing.TB, dir, name string, rows int) string {
	path := filepath.Join(dir, fmt.Sprintf("%s-%d.xlsx", name, rows))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	of := floorBooks[name]
	var sst strings.Builder
	sst.WriteString(`<sst xmlns="` + sheetml.Namespace + `">`)
	if of.strings != nil {
		for _, s := range of.strings(rows) {
			sst.WriteString("<si><t>" + s + "</t></si>")
		}
	}
	in := raw(t, map[string]string{"xl/sharedStrings.xml": sst.String() + "</sst>"}, "Data")
	zr, err := zip.NewReader(bytes.NewReader(in), int64(len(in)))
	require.NoError(t, err)
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	zw := zip.NewWriter(f)
	for _, e := range zr.File {
		if e.Name != sheet1 {
			require.NoError(t, zw.Copy(e))
			continue
		}
		w, err := zw.Create(e.Name)
		require.NoError(t, err)
		b := []byte(`<worksheet xmlns="` + sheetml.Namespace + `"><dimension ref="A1:J` + strconv.Itoa(rows) + `"/><sheetData>`)
		for r := 1; r <= rows; r++ {
			b = append(of.row(fmt.Appendf(b, `<row r="%d">`, r), r, rows), "</row>"...)
			if len(b) > 1<<20 || r == rows {
				_, err := w.Write(b)
				require.NoError(t, err)
				b = b[:0]
			}
		}
		_, err = io.WriteString(w, "</sheetData></worksheet>")
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return path
}

// job is what a process does for the work, on workbooks in a folder.
func (w floorWork) job(t testing.TB, dir string, rows int) floorJob {
	var cells []string
	for i := range 10 {
		cells = append(cells, fmt.Sprintf(`{"cell":"D%d","value":99}`, i*rows/10+3))
	}
	j := floorJob{Book: floorBook(t, dir, w.book, rows), Rows: rows, Calculate: w.name == "setRunning" || w.name == "set10Calculated"}
	j.Op = strings.NewReplacer("ROWS", strconv.Itoa(rows), "CELLS", strings.Join(cells, ",")).Replace(w.op)
	if w.op == "review" {
		j.After = filepath.Join(dir, fmt.Sprintf("%s-%d-edited.xlsx", w.book, rows))
		if _, err := os.Stat(j.After); err != nil {
			src, err := formats.OpenFile(j.Book)
			require.NoError(t, err)
			defer src.Close()
			out, err := os.Create(j.After)
			require.NoError(t, err)
			defer out.Close()
			_, err = Format().Editor.Apply(t.Context(), src, out, []json.RawMessage{json.RawMessage(`{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":"=A1*3"}]}`)}, formats.ApplyOptions{})
			require.NoError(t, err)
		}
	}
	return j
}

// run does a job in a process by itself.
func (j floorJob) run(t testing.TB) (c floorCost) {
	self, err := os.Executable()
	require.NoError(t, err)
	raw, err := json.Marshal(j)
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), "ATELIER_TEST_FLOOR="+string(raw))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, j.Op)
	require.NoError(t, json.Unmarshal(out, &c))
	require.Empty(t, c.Err)
	return c
}

// floor is the job that is the floor of j.
func (w floorWork) floor(j floorJob) floorJob {
	if w.writes {
		return floorJob{Op: "copy", Book: j.Book}
	}
	return floorJob{Op: "inflate", Book: j.Book}
}

// BenchmarkFloor reports for each work its processor seconds, how many times its floor
// that is, and its peak of resident memory. It keeps workbooks in the temporary folder.
func BenchmarkFloor(b *testing.B) {
	dir := filepath.Join(os.TempDir(), "atelier-floor")
	require.NoError(b, os.MkdirAll(dir, 0o700))
	for _, w := range floorWorks {
		b.Run(w.name, func(b *testing.B) {
			j := w.job(b, dir, *floorRows)
			if *floorProfile != "" {
				j.Profile = filepath.Join(*floorProfile, w.name+".pprof")
			}
			var cpu, floor float64
			var peak int64
			for b.Loop() {
				floor += w.floor(j).run(b).CPU
				c := j.run(b)
				cpu, peak = cpu+c.CPU, max(peak, c.Peak)
			}
			b.ReportMetric(cpu/float64(b.N), "cpu-s")
			b.ReportMetric(cpu/floor, "x-floor")
			b.ReportMetric(float64(peak)/1024, "peak-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// floorCost is what a process took.
type floorCost struct {
	CPU  float64 // seconds, of user and system
	Peak int64   // KiB of resident memory at its peak
	Err  string
}

// TestMain turns the test's program into a process that is measured.
func TestMain(m *testing.M) {
	if job := os.Getenv("ATELIER_TEST_FLOOR"); job != "" {
		if err := measureFloor(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// floorJob says what a process does.
type floorJob struct {
	Op, Book, After, Profile string
	Rows                     int
	Calculate                bool
}

// measureFloor does a job and writes what it cost.
func measureFloor(job string) error {
	var j floorJob
	if err := json.Unmarshal([]byte(job), &j); err != nil {
		return err
	}
	src, err := formats.OpenFile(j.Book)
	if err != nil {
		return err
	}
	defer src.Close()
	if j.Profile != "" {
		f, err := os.Create(j.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var c floorCost
	from := cpuSeconds()
	if err := doFloorWork(context.Background(), j, src); err != nil {
		c.Err = err.Error()
	}
	c.CPU, c.Peak = cpuSeconds()-from, formatstest.ProcStatus("self", "VmHWM")
	return json.NewEncoder(os.Stdout).Encode(c)
}

// No work takes many times its floor, nor memory that grows with the cells: bounds so
// wide that only another order of growth passes them.
func TestWorksStayNearTheirFloor(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() || campaign.Race {
		t.Skip("it measures processor time and memory")
	}
	const rows = 50_000
	dir := t.TempDir()
	for _, w := range floorWorks {
		t.Run(w.name, func(t *testing.T) {
			j := w.job(t, dir, rows)
			floor, c := w.floor(j).run(t), j.run(t)
			require.Less(t, c.CPU, 0.5+25*floor.CPU, "seconds; the floor is %.2f", floor.CPU)
			require.Less(t, c.Peak>>10, int64(160), "MB")
		})
	}
}

func cpuSeconds() float64 {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	sec := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return sec(ru.Utime) + sec(ru.Stime)
}

func doFloorWork(ctx context.Context, j floorJob, src formats.Source) error {
	f := Format()
	switch j.Op {
	case "inflate":
		return copyParts(ctx, src, false)
	case "copy":
		return copyParts(ctx, src, true)
	case "map":
		_, err := f.Mapper.Map(ctx, src, formats.MapOptions{})
		return err
	case "read":
		_, err := f.Reader.Read(ctx, src, formats.Selector{Sheet: "S1", Range: "A1:J200"})
		return err
	case "readEnd":
		_, err := f.Reader.Read(ctx, src, formats.Selector{Sheet: "S1", Range: fmt.Sprintf("A%d:J%d", j.Rows-200, j.Rows)})
		return err
	case "review":
		after, err := formats.OpenFile(j.After)
		if err != nil {
			return err
		}
		defer after.Close()
		_, err = f.Differ.Diff(ctx, src, after, formats.DiffOptions{})
		return err
	}
	var ops []json.RawMessage
	if err := json.Unmarshal([]byte(j.Op), &ops); err != nil {
		return err
	}
	_, err := f.Editor.Apply(ctx, src, io.Discard, ops, formats.ApplyOptions{Calculate: j.Calculate})
	return err
}

// copyParts inflates the sheet and the string table, and deflates them again where an
// edit does.
func copyParts(ctx context.Context, src formats.Source, deflate bool) error {
	wb, err := open(ctx, src)
	if err != nil {
		return err
	}
	for _, part := range []string{wb.Sheets[0].Part, wb.RelPart(book.RelStrings)} {
		if part == "" {
			continue
		}
		rc, err := wb.Package.Stream(ctx, part)
		if err != nil {
			return err
		}
		var w io.Writer = io.Discard
		if deflate {
			z, err := flate.NewWriter(w, flate.DefaultCompression)
			if err != nil {
				return err
			}
			defer z.Close()
			w = z
		}
		if _, err := io.Copy(w, rc); err != nil {
			return err
		}
		rc.Close()
	}
	return nil
}
