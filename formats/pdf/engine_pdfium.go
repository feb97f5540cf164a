//go:build !purepdf

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerr "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"atelier/formats"
)

// memoryPages bounds what one instance can allocate: 64 KiB each, 1.5 GiB.
const memoryPages = 24 << 10

// wasmEngine runs PDFium in WebAssembly. Each use gets a new instance of the
// compiled module, so that no document can leave anything behind for the next.
type wasmEngine struct {
	cacheDir string
	slots    chan struct{} // one token per document that may be open at once

	mu   sync.Mutex // guards pool
	pool pdfium.Pool
}

func newEngine(o Options) engine {
	return &wasmEngine{cacheDir: o.CacheDir, slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))}
}

// start compiles PDFium at the first use.
func (e *wasmEngine) start() (_ pdfium.Pool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pool != nil {
		return e.pool, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("PDFium did not start: %v", r)
		}
	}()
	// Close-on-done lets a call be cut off in the middle of a page.
	rc := wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(memoryPages)
	if e.cacheDir != "" {
		// A cache that cannot be used costs time, nothing else.
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(e.cacheDir, "pdfium")); err == nil {
			rc = rc.WithCompilationCache(cache)
		}
	}
	e.pool, err = webassembly.Init(webassembly.Config{
		MinIdle: 0, MaxIdle: 1, MaxTotal: cap(e.slots),
		// Without a configuration of its own the library mounts the host's "/".
		FSConfig:      wazero.NewFSConfig(),
		RuntimeConfig: rc,
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	return e.pool, err
}

func (e *wasmEngine) use(ctx context.Context, src formats.Source, fn func(context.Context, document) error) error {
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	pool, err := e.start()
	if err != nil {
		return err
	}
	in, err := pool.GetInstance(time.Minute)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopWith(ctx, in)
	defer in.Close()
	d, err := open(in, src)
	if err != nil {
		return err
	}
	return fn(ctx, d)
}

// stopWith makes the instance's calls end with ctx. The library has no way to
// pass a context, but keeps the one it uses in an exported field.
func stopWith(ctx context.Context, in pdfium.Pdfium) {
	g, ok := in.(interface{ GetImplementation() interface{} })
	if !ok {
		return
	}
	v := reflect.ValueOf(g.GetImplementation())
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return
	}
	if f := v.Elem().FieldByName("Context"); f.IsValid() && f.CanSet() {
		f.Set(reflect.ValueOf(&ctx).Elem())
	}
}

// wasmDoc is an open document. It is loaded into the instance's memory, so
// flattening changes that copy only.
type wasmDoc struct {
	in    pdfium.Pdfium
	ref   references.FPDF_DOCUMENT
	count int
}

func open(in pdfium.Pdfium, src formats.Source) (document, error) {
	res, err := in.OpenDocument(&requests.OpenDocument{FileReader: io.NewSectionReader(src, 0, src.Size()), FileReaderSize: src.Size()})
	switch {
	case err == nil:
	case errors.Is(err, pdfiumerr.ErrPassword), errors.Is(err, pdfiumerr.ErrSecurity):
		return nil, needsPassword(src)
	default:
		return nil, err
	}
	n, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: res.Document})
	if err != nil {
		return nil, err
	}
	if n.PageCount == 0 {
		return nil, errors.New("it has no pages")
	}
	return &wasmDoc{in: in, ref: res.Document, count: n.PageCount}, nil
}

func (d *wasmDoc) pages() int { return d.count }

func (d *wasmDoc) encrypted() bool {
	r, err := d.in.FPDF_GetSecurityHandlerRevision(&requests.FPDF_GetSecurityHandlerRevision{Document: d.ref})
	return err == nil && r.SecurityHandlerRevision >= 0
}

func (d *wasmDoc) title() string {
	r, err := d.in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.ref, Tag: "Title"})
	if err != nil {
		return ""
	}
	return r.Value
}

// outline walks the bookmarks itself: a damaged file may have a circle in
// them, which the library's own walk would follow for ever.
func (d *wasmDoc) outline() []Title {
	w := outlineWalk{d: d}
	w.children(nil, 1)
	return w.titles
}

type outlineWalk struct {
	d      *wasmDoc
	titles []Title
}

func (w *outlineWalk) children(of *references.FPDF_BOOKMARK, level int) {
	first, err := w.d.in.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: w.d.ref, Bookmark: of})
	if err != nil {
		return
	}
	for b := first.Bookmark; b != nil && len(w.titles) <= maxOutline; {
		t, err := w.d.in.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *b})
		if err != nil {
			return
		}
		w.titles = append(w.titles, Title{t.Title, level, w.d.bookmarkPage(*b)})
		if level < maxOutlineLvl {
			w.children(b, level+1)
		}
		next, err := w.d.in.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: w.d.ref, Bookmark: *b})
		if err != nil {
			return
		}
		b = next.Bookmark
	}
}

// text is the page's text with form fields and annotations, which only exist
// as text once flattened into the page; the page is loaded again for that.
func (d *wasmDoc) text(ctx context.Context, page int) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	p, err := d.flattened(page)
	if err != nil {
		return "", d.pageError(ctx, page, err)
	}
	defer d.in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: p.Page})
	ref := p.Page
	tp, err := d.in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &ref}})
	if err != nil {
		return "", d.pageError(ctx, page, err)
	}
	defer d.in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: tp.TextPage})
	n, err := d.in.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: tp.TextPage})
	if err != nil || n.Count <= 0 {
		return "", d.pageError(ctx, page, err)
	}
	var s *responses.FPDFText_GetText
	s, err = d.in.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: tp.TextPage, Count: n.Count})
	if err != nil {
		return "", d.pageError(ctx, page, err)
	}
	return s.Text, nil
}

// flattened loads a page with its annotations and fields as content. Most pages
// have none: they are loaded once.
func (d *wasmDoc) flattened(page int) (*responses.FPDF_LoadPage, error) {
	load := &requests.FPDF_LoadPage{Document: d.ref, Index: page}
	p, err := d.in.FPDF_LoadPage(load)
	if err != nil {
		return nil, err
	}
	ref := requests.Page{ByReference: &p.Page}
	if n, err := d.in.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: ref}); err == nil && n.Count == 0 {
		return p, nil
	}
	if d.hasForm() {
		// Asking for the fields makes the look of those that have none in the
		// file: what programs fill in without drawing it would be lost.
		_, _ = d.in.GetForm(&requests.GetForm{Page: ref})
	}
	// A page that cannot be flattened is read as it is.
	_, _ = d.in.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: ref, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
	_, _ = d.in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: p.Page})
	return d.in.FPDF_LoadPage(load)
}

func (d *wasmDoc) pageError(ctx context.Context, page int, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, os.ErrClosed) {
		return err
	}
	return formats.Errorf(formats.CodeCorrupt, "page %d cannot be read: %w", page+1, err)
}
