package pdf

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/password"
	"atelier/formats/pdf/internal/layout"
)

const (
	maxBytes      = 512 << 20 // of a file
	maxText       = 8 << 20   // of one read; a longer one ends early and says so
	maxOutline    = 100       // titles in a map
	maxTitle      = 200       // characters of a title
	textPages     = 20        // pages looked at for has_text
	maxOutlineLvl = 16
	maxExtras     = 2000 // annotations of a page, fields of a form
)

// Options configure the reader; the zero value works.
type Options struct {
	// CacheDir keeps compiled code between runs; "" compiles in each process.
	CacheDir string
	// Timeout bounds each call, whatever the deadline of its context; 0 is 30
	// seconds.
	Timeout time.Duration
}

// Info is the map of a PDF (W-33), at most formats.MaxMap bytes of JSON.
// Members about text, annotations and form fields come from the first 20
// pages; pages_examined says so where there are more.
type Info struct {
	PageCount      int     `json:"page_count"`
	PagesExamined  int     `json:"pages_examined,omitempty"`
	ChunkPages     int     `json:"chunk_pages"` // pages to a chunk of a read (W-42)
	ChunkCount     int     `json:"chunk_count"`
	Encrypted      bool    `json:"encrypted"`                    // has restrictions, though it opens without a password
	HasText        bool    `json:"has_text"`                     // false: a scan, or pictures only
	WithoutText    string  `json:"pages_without_text,omitempty"` // "1,3-4", where others have text
	Title          string  `json:"title,omitempty"`
	Outline        []Title `json:"outline,omitempty"` // the first 100 bookmarks
	OutlineOmitted bool    `json:"outline_omitted,omitempty"`
	HasForms       bool    `json:"has_forms"`
	Fields         []Field `json:"form_fields,omitempty"`
	FieldsOmitted  int     `json:"form_fields_omitted,omitempty"`
	HasAnnotations bool    `json:"has_annotations"` // notes, highlights, stamps …
	Links          int     `json:"link_count,omitempty"`
	PageSize       string  `json:"page_size,omitempty"` // of the first page as it is shown: "595×842 pt"
}

// Title is one bookmark of the outline.
type Title struct {
	Title string `json:"title"`
	Level int    `json:"level"`          // 1 is the outermost
	Page  int    `json:"page,omitempty"` // 1-based, where it leads to a page
}

// Field is one field of a form.
type Field struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"` // "text", "checkbox", "radio", "combo", "list", "button", "signature"
	Value   string `json:"value,omitempty"`
	Checked bool   `json:"checked,omitempty"`
	Page    int    `json:"page,omitempty"` // 1-based
}

// pageExtras counts annotations, links and form fields of a page.
type pageExtras struct {
	annotations, links int
	fields             []Field
}

// document is an open PDF; the engines implement it.
type document interface {
	pages() int
	encrypted() bool
	title() string
	outline() []Title // at most maxOutline+1
	hasForm() bool
	extras(ctx context.Context, page int) pageExtras
	size(page int) (width, height float64) // in points, as shown
	label(page int) string                 // as printed, "" when it has none
	text(ctx context.Context, page int) (string, error)
	// content is text with what is known of positions, at least the text.
	content(ctx context.Context, page int) (layout.Page, error)
	pictured(ctx context.Context, page int) string // what a page without text is
	// picture draws a page, at most width × height pixels.
	picture(ctx context.Context, page, width, height int) ([]byte, error)
}

// The contents of a page without text.
const (
	pictured  = "it is a picture"
	scanned   = "it is a scan"
	drawn     = "it is a drawing"
	emptyPage = "it is empty"
)

// engine opens documents, in its own process. use calls fn with one and cleans
// up after it, unless it keeps the document open for the next call.
type engine interface {
	use(ctx context.Context, src formats.Source, fn func(context.Context, document) error) (open bool, err error)
}

// Format returns the PDF kind: Mapper and Reader.
func Format(o Options) *formats.Format {
	f := &format{newPool(o), newPageCache()}
	return &formats.Format{Kind: formats.KindPDF, Mapper: f, Reader: f}
}

type format struct {
	pool *pool
	kept *pageCache
}

// Map implements formats.Mapper; its value is an Info.
func (f *format) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (any, error) {
	r, err := f.do(ctx, src, job{Op: opMap}, nil)
	if err != nil {
		return nil, err
	}
	return r.Info, nil
}

// Read implements formats.Reader.
func (f *format) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	sel.Limit = formats.TextLimit{}
	return f.ReadFitting(ctx, src, sel)
}

// ReadFitting implements formats.FittingReader.
func (f *format) ReadFitting(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	return f.reading(src).text(ctx, sel)
}

// Parts implements formats.Parter: each page.
func (f *format) Parts(ctx context.Context, src formats.Source, emit func(formats.Part) error) error {
	return f.reading(src).parts(ctx, emit)
}

var _ formats.Parter = (*format)(nil)

// do checks what can be checked without an engine, and passes the job to the
// pool.
func (f *format) do(ctx context.Context, src formats.Source, j job, each func(message) error) (reply, error) {
	switch {
	case ctx.Err() != nil:
		return reply{}, ctx.Err()
	case src.Size() == 0:
		return reply{}, formats.Errorf(formats.CodeCorrupt, "%s is empty (0 bytes)", src.Name())
	case src.Size() > maxBytes:
		return reply{}, formats.Errorf(formats.CodeTooLarge, "%s has %d bytes; the limit for a PDF is %d MiB", src.Name(), src.Size(), maxBytes>>20)
	}
	// Viewers accept the header anywhere in the first 1,024 bytes (ISO 32000-1,
	// annex H.3, note 13).
	head := make([]byte, min(src.Size(), 1024+5))
	if _, err := src.ReadAt(head, 0); err != nil && err != io.EOF {
		return reply{}, err
	}
	if !bytes.Contains(head, []byte("%PDF-")) {
		return reply{}, formats.Errorf(formats.CodeCorrupt, "%s is not a PDF: it has no %%PDF- header%s", src.Name(), formats.ButText(src))
	}
	j.Name, j.Size = src.Name(), src.Size()
	r, err := f.pool.do(ctx, src, j, each)
	if formats.CodeOf(err) != formats.CodeEncrypted {
		return r, err
	}
	secret := func(m message) error {
		if each == nil {
			return nil
		}
		m.secret = true
		return each(m)
	}
	err = password.Try(ctx, src.Name(), func(pw string) (bool, error) {
		j.Password, j.Key = pw, ""
		if r, err = f.pool.do(ctx, src, j, secret); formats.CodeOf(err) == formats.CodeEncrypted {
			return false, nil
		}
		return err == nil, err
	})
	if err == nil {
		password.Opened(ctx, src.Name())
	}
	return r, err
}

func corrupt(src formats.Source, err error) error {
	return formats.Errorf(formats.CodeCorrupt, "%s is damaged or not a PDF: %w", src.Name(), err)
}

func needsPassword(src formats.Source) error {
	return formats.Errorf(formats.CodeEncrypted, "%s is encrypted and needs a password; open it with its password, save it without one and add it again", src.Name())
}

func tooMuchMemory(src formats.Source) error {
	return formats.Errorf(formats.CodeTooLarge, "%s needs more memory than a PDF may take, 512 MB with the program itself; it may be made to exhaust programs: open it in a PDF viewer and save what you need of it as a new PDF", src.Name())
}

func tooLong(src formats.Source, limit time.Duration) error {
	return formats.Errorf(formats.CodeTooLarge, "%s was given up after %s, the limit of time for a PDF; name fewer pages or raise --tool-timeout, or it may be made to keep programs busy", src.Name(), limit)
}

// unreadable returns the error for a file that ended the engine.
func unreadable(src formats.Source) error {
	return formats.Errorf(formats.CodeCorrupt, "%s is damaged or made to break PDF readers: reading it broke off; open it in a PDF viewer and save it as a new PDF", src.Name())
}

// killed returns the error for a file whose worker was killed from outside.
func killed(src formats.Source, how string) error {
	return formats.Errorf(formats.CodeUnavailable, "%s could not be read: the process that reads it was killed %s, as the system does when memory is short (its log says so); try again later", src.Name(), how)
}

// cleanText drops what PDFs put into text that is not text: NUL, U+FFFE and
// U+0002, which PDFium puts where a hyphen ends a line. Line ends become "\n".
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch r {
		case 0, 2, 0xFFFE, 0xFFFF:
			return -1
		case '\r':
			return '\n'
		}
		return r
	}, s)
}
