//go:build !purepdf

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerr "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"atelier/formats"
)

// wasmEngine runs PDFium in WebAssembly. Each document gets a new instance of the
// compiled module, so that no document can leave anything for the next. Calls
// cannot be interrupted, because the checks for that would double the time of
// all calls; the process is killed instead.
type wasmEngine struct {
	pool pdfium.Pool
	open *wasmDoc // kept for the next job on the same content; nil: none
}

// compiles says that this engine is compiled before it can be used.
const compiles = true

// keptMemory is the memory up to which an instance is kept with its document.
const keptMemory = 64 << 20

// newEngine compiles PDFium, or takes it from cacheDir.
func newEngine(cacheDir string) (_ engine, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("PDFium did not start: %v", r)
		}
	}()
	rc := wazero.NewRuntimeConfig().WithMemoryLimitPages(engineMemory >> 16)
	if cacheDir != "" {
		// A cache that cannot be used costs time, nothing else.
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(cacheDir, "pdfium")); err == nil {
			rc = rc.WithCompilationCache(cache)
		}
	}
	pool, err := webassembly.Init(webassembly.Config{
		MinIdle: 0, MaxIdle: 1, MaxTotal: 1,
		// Without its own configuration the library mounts the host's "/".
		FSConfig:      wazero.NewFSConfig(),
		RuntimeConfig: rc,
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, err
	}
	return &wasmEngine{pool: pool}, nil
}

func (e *wasmEngine) use(ctx context.Context, src formats.Source, fn func(context.Context, document) error) (open bool, err error) {
	d, err := e.document(src)
	if err == nil {
		err = fn(ctx, d)
	}
	switch {
	case d == nil:
		return false, err
	case d.memory() > engineMemory/4*3:
		// It may have left out what did not fit into memory.
		return false, &lastError{tooMuchMemory(src)}
	case d.trap != nil:
		// The instance is not closed: its state is undefined. The error is a
		// list of WebAssembly functions without useful information.
		return false, &lastError{unreadable(src)}
	case err == nil && d.key != "" && d.memory() <= keptMemory:
		e.open = d
		return true, nil
	}
	d.in.Close()
	return false, err
}

// document opens the document of a job, or returns the one that is open when it
// has the same content and the job needs no page that flattening has changed.
func (e *wasmEngine) document(src formats.Source) (*wasmDoc, error) {
	var j job
	if r, ok := src.(*remote); ok {
		j = r.job
	}
	if d := e.open; d != nil {
		e.open = nil
		if d.key == j.Key && d.unchanged(j) {
			return d, nil
		}
		d.in.Close()
	}
	in, err := e.pool.GetInstance(time.Minute)
	if err != nil {
		return nil, err
	}
	d := &wasmDoc{in: in, key: j.Key, flat: map[int]bool{}}
	return d, d.openFile(src)
}

// unchanged reports whether no page that a job needs was flattened.
func (d *wasmDoc) unchanged(j job) bool {
	if len(d.flat) == 0 {
		return true
	}
	pages, err := parsePages(j.Pages, d.count)
	return j.Op == opPages && err == nil && !slices.ContainsFunc(pages, func(p int) bool { return d.flat[p] })
}

// wasmDoc is an open document. It is loaded into the instance's memory, so
// flattening changes that copy only.
type wasmDoc struct {
	in    pdfium.Pdfium
	key   string       // of its content, "" when it is not known or is secret
	flat  map[int]bool // pages that were flattened
	ref   references.FPDF_DOCUMENT
	count int
	trap  error // by which PDFium ended, as it does when it gets no memory
	// direct is made by raw when it is first needed.
	direct *raw
}

func (d *wasmDoc) openFile(src formats.Source) error {
	req := &requests.OpenDocument{FileReader: io.NewSectionReader(src, 0, src.Size()), FileReaderSize: src.Size()}
	if r, ok := src.(*remote); ok && r.job.Password != "" {
		req.Password = &r.job.Password
	}
	res, err := d.in.OpenDocument(req)
	switch {
	case !d.failed(err):
	case errors.Is(err, pdfiumerr.ErrPassword), errors.Is(err, pdfiumerr.ErrSecurity):
		return needsPassword(src)
	default:
		return err
	}
	d.ref = res.Document
	n, err := d.in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})
	if d.failed(err) {
		return err
	}
	if n.PageCount == 0 {
		return errors.New("it has no pages")
	}
	d.count = n.PageCount
	return nil
}

// failed reports whether a call failed, and records when it ended PDFium.
func (d *wasmDoc) failed(err error) bool {
	if err != nil && d.trap == nil && strings.Contains(err.Error(), "wasm error") {
		d.trap = err
	}
	return err != nil
}

// memory returns how much the instance has taken. The library does not tell,
// but keeps the module in an exported field.
func (d *wasmDoc) memory() uint64 {
	m, ok := d.inside("Module").(api.Module)
	if !ok || m.Memory() == nil {
		return 0
	}
	return uint64(m.Memory().Size())
}

func (d *wasmDoc) pages() int { return d.count }

func (d *wasmDoc) encrypted() bool {
	r, err := d.in.FPDF_GetSecurityHandlerRevision(&requests.FPDF_GetSecurityHandlerRevision{Document: d.ref})
	return !d.failed(err) && r.SecurityHandlerRevision >= 0
}

func (d *wasmDoc) title() string {
	r, err := d.in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.ref, Tag: "Title"})
	if d.failed(err) {
		return ""
	}
	return r.Value
}

// outline walks the bookmarks itself: a damaged file may have a circle in them,
// which the library's own walk would follow forever.
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
	if w.d.failed(err) {
		return
	}
	for b := first.Bookmark; b != nil && len(w.titles) <= maxOutline; {
		t, err := w.d.in.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *b})
		if w.d.failed(err) {
			return
		}
		w.titles = append(w.titles, Title{t.Title, level, w.d.bookmarkPage(*b)})
		if level < maxOutlineLvl {
			w.children(b, level+1)
		}
		next, err := w.d.in.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: w.d.ref, Bookmark: *b})
		if w.d.failed(err) {
			return
		}
		b = next.Bookmark
	}
}

// text returns the page's text.
func (d *wasmDoc) text(ctx context.Context, page int) (text string, err error) {
	err = d.textPage(ctx, page, func(p openPage) { text = p.text })
	return text, err
}

// textPage passes a page's text with form fields and annotations, which only
// exist as text once flattened into the page; the page is loaded again for
// that.
func (d *wasmDoc) textPage(ctx context.Context, page int, use func(openPage)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := d.flattened(page)
	if d.failed(err) {
		return d.pageError(ctx, page, err)
	}
	defer d.close(p)
	ref := p.Page
	tp, err := d.in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &ref}})
	if d.failed(err) {
		return d.pageError(ctx, page, err)
	}
	defer func() {
		if d.trap == nil {
			_, _ = d.in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: tp.TextPage})
		}
	}()
	n, err := d.in.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: tp.TextPage})
	if d.failed(err) {
		return d.pageError(ctx, page, err)
	}
	o := openPage{count: n.Count}
	if o.count > 0 {
		s, err := d.in.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: tp.TextPage, Count: n.Count})
		if d.failed(err) {
			return d.pageError(ctx, page, err)
		}
		o.text = s.Text
	}
	o.page, _ = d.handle("pageRefs", ref)
	o.chars, _ = d.handle("textPageRefs", tp.TextPage)
	use(o)
	if d.trap != nil {
		return d.pageError(ctx, page, d.trap)
	}
	return nil
}

// flattened loads a page with its annotations and fields as content. Most pages
// have none: they are loaded once.
func (d *wasmDoc) flattened(page int) (*responses.FPDF_LoadPage, error) {
	load := &requests.FPDF_LoadPage{Document: d.ref, Index: page}
	p, err := d.in.FPDF_LoadPage(load)
	if d.failed(err) {
		return nil, err
	}
	ref := requests.Page{ByReference: &p.Page}
	if n, err := d.in.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: ref}); !d.failed(err) && n.Count == 0 {
		return p, nil
	}
	if d.hasForm() {
		// Asking for the fields makes the look of those that have none in the
		// file: what programs fill in without drawing it would be lost.
		_, err := d.in.GetForm(&requests.GetForm{Page: ref})
		d.failed(err)
	}
	d.flat[page] = true
	// A page that cannot be flattened is read as it is.
	_, err = d.in.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: ref, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
	d.failed(err)
	d.close(p)
	return d.in.FPDF_LoadPage(load)
}

func (d *wasmDoc) close(p *responses.FPDF_LoadPage) {
	if d.trap == nil {
		_, _ = d.in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: p.Page})
	}
}

func (d *wasmDoc) pageError(ctx context.Context, page int, err error) error {
	if !d.failed(err) {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return formats.Errorf(formats.CodeCorrupt, "page %d cannot be read: %w", page+1, err)
}
