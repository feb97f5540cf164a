package preview

import (
	"context"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"atelier/formats"
	"atelier/formats/libreoffice"
	"atelier/formats/ooxml/opc"
	"atelier/formats/pdf"
)

// The scales a page can be asked in (RV-04). At 1 a pixel is a point (1/72
// inch), of an image a pixel.
const (
	MinScale     = 0.25
	MaxScale     = 2.0
	MaxAreaScale = 8.0
)

// Values of Page.Rendering.
const (
	ByPDF         = "pdf"         // drawn from the document itself
	ByLibreOffice = "libreoffice" // by way of the pdf that LibreOffice makes of it
	ByText        = "text"        // its text alone, without its layout
	ByImage       = "image"       // it is a picture
)

// Options configure a Maker; the zero value works.
type Options struct {
	CacheDir      string // where pdfs made of office files are kept between calls; "" keeps none
	CacheBytes    int64  // how much of them; 0 is 256 MiB
	NoLibreOffice bool   // never call it
	NoTesseract   bool   // never call it
}

// Request says what to draw.
type Request struct {
	Page  int     // 0-based
	Scale float64 // MinScale to MaxScale, of an Area to MaxAreaScale; 0 is 1
	Area  *Area   // the part of the page to draw; nil is all of it
}

// Page is one drawn page.
type Page struct {
	PNG        []byte
	Index      int // 0-based
	Count      int // of pages that can be asked for
	ScaledDown bool
	Rendering  string // ByPDF, ByLibreOffice, ByText, ByImage
	Note       string // what a viewer should know of this picture, "" when nothing
}

// Maker draws pages. It is safe for concurrent use.
type Maker struct {
	set   *formats.Set
	cache cache
	// slots bounds how many LibreOffice processes run at once; each needs a
	// core and some hundred MiB.
	slots         chan struct{}
	noLibreOffice bool
	noTesseract   bool
	recognized    recognitions

	mu     sync.Mutex
	failed map[string]error // by content hash: what LibreOffice could not read it need not try again
}

// New makes a Maker for the formats of set.
func New(set *formats.Set, o Options) *Maker {
	if o.CacheBytes == 0 {
		o.CacheBytes = 256 << 20
	}
	return &Maker{
		set: set, cache: cache{dir: o.CacheDir, limit: o.CacheBytes},
		slots:         make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		noLibreOffice: o.NoLibreOffice, noTesseract: o.NoTesseract, failed: map[string]error{},
	}
}

// Page draws a page of src. Errors are *formats.Error: CodeInvalid for a scale
// out of range, CodeNotFound for a page that is not there, CodeUnsupported for
// a kind that has no pages, and what is wrong with a damaged file.
func (m *Maker) Page(ctx context.Context, src formats.Source, r Request) (Page, error) {
	if r.Scale == 0 {
		r.Scale = 1
	}
	if err := r.check(); err != nil {
		return Page{}, err
	}
	f, err := m.set.Detect(ctx, src)
	if err != nil {
		return Page{}, err
	}
	var p Page
	switch {
	case f.Kind == formats.KindPDF:
		if p, err = m.drawPDF(ctx, src, r); formats.CodeOf(err) == formats.CodeUnsupported {
			// A build without PDFium.
			p, err = m.drawText(ctx, f, src, r)
			p.Note = joinNotes("plain text view: this build cannot draw pdf pages", p.Note)
		}
	case f.Kind == formats.KindImage && !isSVG(src):
		p, err = drawImage(ctx, src, r)
	case m.forLibreOffice(f.Kind, src):
		p, err = m.drawOffice(ctx, f, src, r)
	default:
		p, err = m.drawText(ctx, f, src, r)
	}
	p.Index = r.Page
	if err == nil && r.Area != nil {
		p.PNG, err = crop(p.PNG, *r.Area)
	}
	return p, err
}

func (r Request) check() error {
	most := MaxScale
	if r.Area != nil {
		most = MaxAreaScale
	}
	switch {
	case !(r.Scale >= MinScale && r.Scale <= most):
		return formats.Errorf(formats.CodeInvalid, "invalid scale: %g; give %g to %g", r.Scale, MinScale, most)
	case r.Page < 0:
		return formats.Errorf(formats.CodeInvalid, "invalid page: %d; pages count from 0", r.Page)
	case r.Area != nil && !r.Area.Valid():
		return formats.Errorf(formats.CodeInvalid, "invalid area: %v; give fractions of the page, left before right and top before bottom", *r.Area)
	}
	return nil
}

func isSVG(src formats.Source) bool { return strings.EqualFold(path.Ext(src.Name()), ".svg") }

// office are the kinds that are pages only once LibreOffice laid them out; the
// extensions are those that Atelier has no kind for.
func (m *Maker) forLibreOffice(k formats.Kind, src formats.Source) bool {
	switch k {
	case formats.KindDocx, formats.KindXlsx, formats.KindPptx, formats.KindODT, formats.KindImage:
		return true
	}
	switch strings.ToLower(path.Ext(src.Name())) {
	case ".doc", ".xls", ".ppt", ".rtf", ".ods", ".odp":
		return true
	}
	return false
}

func (m *Maker) drawPDF(ctx context.Context, src formats.Source, r Request) (Page, error) {
	pic, err := pdf.Render(ctx, m.set.Kind(formats.KindPDF), src, r.Page+1, r.Scale)
	if formats.CodeOf(err) == formats.CodeNotFound {
		err = noPage(r.Page, pic.Pages)
	}
	return Page{PNG: pic.PNG, Count: pic.Pages, ScaledDown: pic.ScaledDown, Rendering: ByPDF}, err
}

func noPage(page, count int) error {
	return formats.Errorf(formats.CodeNotFound, "invalid page: %d; the document has pages 0 to %d", page, count-1)
}

// drawOffice goes through LibreOffice, and where that is not possible draws
// the text and says why.
func (m *Maker) drawOffice(ctx context.Context, f *formats.Format, src formats.Source, r Request) (Page, error) {
	var why string
	if m.noLibreOffice || !libreoffice.Installed() {
		why = "plain text view: LibreOffice is not installed"
	} else if opc.Locked(src) {
		why = "plain text view: the file is encrypted, and LibreOffice would put its content on the disk"
	} else {
		made, cut, err := m.convertToPDF(ctx, src)
		if err == nil {
			defer made.Close()
			var p Page
			if p, err = m.drawPDF(ctx, made, r); err == nil {
				p.Rendering = ByLibreOffice
				if cut {
					p.Note = cutNote
				}
				return p, nil
			}
			if c := formats.CodeOf(err); c == formats.CodeNotFound {
				return p, err
			}
		}
		if ctx.Err() != nil {
			return Page{}, ctx.Err()
		}
		why = "plain text view: " + err.Error()
	}
	p, err := m.drawText(ctx, f, src, r)
	p.Note = joinNotes(why, p.Note)
	return p, err
}

// Clear empties the cache and returns what it held; with dryRun it only counts.
func (m *Maker) Clear(dryRun bool) (files int, bytes int64, err error) { return m.cache.clear(dryRun) }

// Dir returns where a Maker's CacheDir is put inside a folder of caches.
func Dir(caches string) string { return filepath.Join(caches, "previews") }
