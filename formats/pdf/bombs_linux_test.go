package pdf

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

const (
	allowed = 512 << 20 // bytes, of the program and a worker
	soon    = 2 * time.Second
)

// limited returns a separate format, whose calls take so long at most.
func limited(t testing.TB, timeout time.Duration) *formats.Format {
	f := Format(Options{CacheDir: formatstest.Cache, Timeout: timeout})
	t.Cleanup(func() { endIdle(f) })
	return f
}

// endIdle ends the workers that have nothing to do.
func endIdle(f *formats.Format) {
	p := f.Reader.(*format).pool
	for w := p.takeIdle(""); w != nil; w = p.takeIdle("") {
		w.end()
	}
}

// operations are all that can be done to a PDF.
var operations = map[string]func(context.Context, *formats.Format, formats.Source) error{
	"map": func(ctx context.Context, f *formats.Format, src formats.Source) error {
		_, err := f.Mapper.Map(ctx, src, formats.MapOptions{})
		return err
	},
	"read": func(ctx context.Context, f *formats.Format, src formats.Source) error {
		_, err := f.Reader.Read(ctx, src, formats.Selector{})
		return err
	},
	"search": func(ctx context.Context, f *formats.Format, src formats.Source) error {
		return f.Reader.(formats.Parter).Parts(ctx, src, func(formats.Part) error { return nil })
	},
	"preview": func(ctx context.Context, f *formats.Format, src formats.Source) error {
		_, err := Render(ctx, f, src, 1, 2)
		return err
	},
}

// workers returns the running children of a process.
func workers(of int) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range all {
		pid := filepath.Base(filepath.Dir(path))
		if formatstest.ProcStatus(pid, "PPid") == int64(of) && formatstest.ProcStatus(pid, "VmRSS") > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// measured watches the memory of the workers until it is stopped; stop gives
// the most of any one, in bytes.
func measured() (stop func() int64) {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		var peak int64
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				most <- peak
				return
			case <-tick.C:
				for _, pid := range workers(os.Getpid()) {
					peak = max(peak, formatstest.ProcStatus(pid, "VmHWM")<<10)
				}
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}

func full() bool { return os.Getenv("ATELIER_CAMPAIGN") == "full" }

// TestBombs: whatever is done to a bomb ends within the limit of time and that
// of memory, with a result or a typed error that says what to do, and the next
// document is read. ATELIER_CAMPAIGN=full measures each operation on each bomb
// by itself and writes the table of docs/durability.md.
func TestBombs(t *testing.T) {
	if campaign.Race {
		t.Skip("measures limits of time, which a program with the race detector does not keep")
	}
	ctx := context.Background()
	good := formats.FromBytes("good.pdf", numbered(2))
	timeout := 400 * time.Millisecond
	if full() {
		timeout = 2 * time.Second
	}
	f := limited(t, timeout)
	var mostTime atomic.Int64
	attack := func(t testing.TB, b formatstest.Bomb, op string) (time.Duration, error) {
		src := formats.FromBytes("bomb.pdf", b.Bytes())
		start := time.Now()
		err := operations[op](ctx, f, src)
		took := time.Since(start)
		mostTime.Store(max(mostTime.Load(), int64(took)))
		assert.Less(t, took, 2*(timeout+soon), "%s, %s", b.Name, op)
		if err != nil {
			assert.NotEmpty(t, formats.CodeOf(err), "%s, %s: %v", b.Name, op, err)
			assert.NotContains(t, err.Error(), "wasm")
			assert.Less(t, len(err.Error()), 300)
		}
		return took, err
	}
	for _, b := range formatstest.PDFBombs {
		if !full() {
			continue
		}
		for _, op := range []string{"map", "read", "search", "preview"} {
			endIdle(f)
			stop := measured()
			took, err := attack(t, b, op)
			most := stop()
			result := "done"
			if err != nil {
				result = string(formats.CodeOf(err))
			}
			t.Logf("| %s, %.1f KB | %s | %.1f s | %d MB | %s |", b.Name, float64(len(b.Bytes()))/1e3, op, took.Seconds(), most>>20, result)
			require.Less(t, most+formatstest.ProcStatus("self", "VmRSS")<<10, int64(allowed))
			require.NoError(t, operations["read"](ctx, f, good))
		}
	}
	if full() {
		return
	}
	stop := measured()
	var side sync.WaitGroup
	three := make(chan struct{}, 3)
	for _, b := range formatstest.PDFBombs {
		side.Go(func() {
			three <- struct{}{}
			defer func() { <-three }()
			_, _ = attack(t, b, b.Worst)
		})
	}
	side.Wait()
	most := stop()
	t.Logf("longest %s, most memory of a worker %d MB", time.Duration(mostTime.Load()), most>>20)
	require.Less(t, most+formatstest.ProcStatus("self", "VmRSS")<<10, int64(allowed))
	// Good documents are read as before; on a busy machine one read may take longer than bombs may.
	var text formats.Text
	var err error
	for end := time.Now().Add(2 * time.Minute); ; {
		if text, err = f.Reader.Read(ctx, good, formats.Selector{}); err == nil || time.Now().After(end) {
			break
		}
	}
	require.NoError(t, err)
	require.Contains(t, text.Text, "Page number 2")
}

func bombNamed(t testing.TB, name string) formats.Source {
	for _, b := range formatstest.PDFBombs {
		if b.Name == name {
			return formats.FromBytes("bomb.pdf", b.Bytes())
		}
	}
	t.Fatal(name)
	return nil
}

// The errors name the limit that a document is over.
func TestErrorsNameTheLimit(t *testing.T) {
	if !canRender {
		t.Skip("made for PDFium, which a build with purepdf leaves out")
	}
	stop := measured()
	err := operations["preview"](context.Background(), limited(t, 20*time.Second), bombNamed(t, "pattern of itself"))
	most := stop()
	require.Greater(t, most, int64(workerMemory)/4)
	require.Less(t, most+formatstest.ProcStatus("self", "VmRSS")<<10, int64(allowed))
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	require.ErrorContains(t, err, "bomb.pdf needs more memory than a PDF may take, 512 MB")
	err = operations["preview"](context.Background(), limited(t, 300*time.Millisecond), bombNamed(t, "tiles"))
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	require.ErrorContains(t, err, "bomb.pdf was given up after 300ms")
}

// An honest document of some size is not a bomb: a page scanned in colour at
// 600 dots an inch, 104 MB as pixels.
func TestLargeScan(t *testing.T) {
	if !canRender {
		t.Skip("previews need PDFium, which a build with purepdf leaves out")
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	row := bytes.Repeat([]byte{200, 30, 30}, 4960)
	for range 7016 {
		_, err := z.Write(row)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	b := formatstest.PDFPage("", "400 0 0 600 0 0 cm /X Do", "", fmt.Sprintf("<< /Length %d /Type /XObject /Subtype /Image /Width 4960 /Height 7016 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(), packed.Bytes()))
	b = bytes.Replace(b, []byte("/Resources << "), []byte("/Resources << /XObject << /X 5 0 R >> "), 1)
	stop := measured()
	pic, err := Render(context.Background(), limited(t, time.Minute), formats.FromBytes("scan.pdf", b), 1, 1)
	t.Logf("%d MB", stop()>>20)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(pic.PNG))
	require.NoError(t, err)
	red, green, _, _ := img.At(200, 300).RGBA()
	require.Greater(t, red, 2*green)
}

// More endless documents than cores: others are read meanwhile, and each ends
// as soon as its caller is done with it.
func TestBombsSideBySide(t *testing.T) {
	if !canRender {
		t.Skip("made for PDFium, which a build with purepdf leaves out")
	}
	f := limited(t, time.Minute)
	good := formats.FromBytes("good.pdf", numbered(3))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 2)
	for _, name := range []string{"tiles", "dashes"} {
		src := bombNamed(t, name)
		go func() { ended <- operations["preview"](ctx, f, src) }()
	}
	require.Eventually(t, func() bool { return len(workers(os.Getpid())) >= 2 }, 20*time.Second, 10*time.Millisecond)
	for op, do := range operations {
		require.NoError(t, do(context.Background(), f, good), op)
	}
	require.Empty(t, ended, "the bombs have ended by themselves: they test nothing")
	cancel()
	start := time.Now()
	for range 2 {
		require.ErrorIs(t, <-ended, context.Canceled)
	}
	require.Less(t, time.Since(start), soon)
	require.NoError(t, operations["read"](context.Background(), f, good))
}

// A worker serves document after document; one that ended by itself is
// replaced; one that has nothing to do ends.
func TestWorkersAreUsedAgain(t *testing.T) {
	f := limited(t, 30*time.Second)
	good := formats.FromBytes("good.pdf", numbered(3))
	read := 0
	idle := func() *process {
		p := f.Reader.(*format).pool
		read++ // pages that were read are kept
		require.NoError(t, operations["read"](context.Background(), f, formats.FromBytes("good.pdf", numbered(3+read))))
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Len(t, p.idle, 1)
		return p.idle[0]
	}
	first := idle()
	require.Same(t, first, idle())
	require.NoError(t, first.cmd.Process.Kill())
	second := idle()
	require.NotSame(t, first, second)
	require.Same(t, second, idle())
	errEnough := errors.New("enough")
	err := f.Reader.(formats.Parter).Parts(context.Background(), good, func(formats.Part) error { return errEnough })
	require.ErrorIs(t, err, errEnough)
	third := idle()
	third.idle.Reset(0)
	require.Eventually(t, func() bool { return third.cmd.Process.Kill() != nil }, 10*time.Second, 5*time.Millisecond)
}

// TestMain turns the test's program into one that ends amid two bombs.
func TestMain(m *testing.M) {
	if how := os.Getenv("ATELIER_TEST_END"); how != "" {
		f := Format(Options{CacheDir: formatstest.Cache, Timeout: time.Hour})
		for _, b := range formatstest.PDFBombs {
			if b.Name == "tiles" || b.Name == "dashes" {
				go func() { _ = operations["preview"](context.Background(), f, formats.FromBytes("bomb.pdf", b.Bytes())) }()
			}
		}
		for len(workers(os.Getpid())) < 2 {
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Println(strings.Join(workers(os.Getpid()), " "))
		if how == "wait" {
			time.Sleep(time.Hour)
		}
		return
	}
	os.Exit(m.Run())
}

// The program ends at once while documents are at work, and no worker outlives
// it, also when it is killed.
func TestEndAmidBombs(t *testing.T) {
	if !canRender {
		t.Skip("made for PDFium, which a build with purepdf leaves out")
	}
	for _, how := range []string{"return", "wait"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ATELIER_TEST_END="+how)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		start := time.Now()
		if how == "wait" {
			require.NoError(t, cmd.Process.Kill())
		}
		_ = cmd.Wait()
		pids := strings.Fields(line)
		require.GreaterOrEqual(t, len(pids), 2)
		for _, pid := range pids {
			require.Eventually(t, func() bool { return !isWorker(pid) }, 2*soon, 5*time.Millisecond, "worker %s lives on", pid)
		}
		require.Less(t, time.Since(start), 2*soon)
	}
}

func isWorker(pid string) bool {
	b, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	return bytes.Contains(b, []byte("pdf-worker"))
}
