package pdf

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// killing is a file whose first reads kill the worker that asks for them.
type killing struct {
	formats.Source
	kills atomic.Int32
	armed atomic.Bool
}

func (k *killing) ReadAt(b []byte, off int64) (int, error) {
	if k.armed.Load() && k.kills.Add(-1) >= 0 {
		for _, pid := range workers(os.Getpid()) {
			n, _ := strconv.Atoi(pid)
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
	return k.Source.ReadAt(b, off)
}

// A worker that another process kills does not make a good document damaged;
// one whose worker is killed twice may work later.
func TestWorkerKilledFromOutside(t *testing.T) {
	f := limited(t, time.Minute)
	read := func(kills int32) (formats.Text, error) {
		src := &killing{Source: formats.FromBytes("good.pdf", formatstest.PDFPage("", fmt.Sprintf("BT /F1 12 Tf 20 500 Td (Dear sir %d) Tj ET", kills), ""))}
		src.kills.Store(kills + 1) // the first read is the program's own, of the header
		src.armed.Store(true)
		return f.Reader.Read(t.Context(), src, formats.Selector{})
	}
	text, err := read(1)
	require.NoError(t, err)
	require.Contains(t, text.Text, "Dear sir")
	_, err = read(100)
	require.Equal(t, formats.CodeUnavailable, formats.CodeOf(err))
	text, err = read(-1)
	require.NoError(t, err, "other documents are read as before")
	require.Contains(t, text.Text, "Dear sir")
}
