package pdf

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"atelier/formats"
)

// Prepare implements formats.Preparer: it compiles the engine into
// Options.CacheDir where that has no compiled code of this version, which takes
// seconds. A call that comes meanwhile waits for this instead of compiling a
// second time. Without a CacheDir it does nothing.
func (f *format) Prepare(ctx context.Context) error {
	if !compiles || f.pool.opt.CacheDir == "" {
		return nil
	}
	if _, err := os.Stat(compiledMark(f.pool.opt.CacheDir)); err == nil {
		return nil
	}
	mem, err := f.pool.reserve(ctx, usualMemory)
	if err != nil {
		return err
	}
	w, _, err := f.pool.worker(ctx, "")
	mem.Release()
	if err == nil {
		f.pool.release(w)
	}
	return err
}

var _ formats.Preparer = (*format)(nil)

// compiledMark returns the path of the empty file that says that the folder of
// compiled code has that of this version of the engine.
func compiledMark(cacheDir string) string {
	name := []string{"compiled", runtime.GOOS, runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if at := strings.LastIndexByte(d.Path, '/'); strings.HasSuffix(d.Path, "/wazero") || strings.HasSuffix(d.Path, "/go-pdfium") {
				name = append(name, d.Path[at+1:]+d.Version)
			}
		}
	}
	return filepath.Join(cacheDir, "pdfium", strings.Join(name, "-"))
}

// markCompiled makes that file, after a worker has started. A failure costs time
// later, nothing else.
func markCompiled(cacheDir string) {
	if !compiles || cacheDir == "" {
		return
	}
	if f, err := os.OpenFile(compiledMark(cacheDir), os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}
