package pdf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats"
)

const (
	maxBytes      = 512 << 20 // of a file
	maxText       = 8 << 20   // of one read; a longer one ends early and says so
	maxOutline    = 100       // titles in a map
	maxTitle      = 200       // characters of a title
	textPages     = 20        // pages looked at for has_text
	maxOutlineLvl = 16
)

// Options are what the reader needs from its host; the zero value works.
type Options struct {
	// CacheDir keeps compiled code between runs; "" compiles in each process.
	CacheDir string
}

// Info is the map of a PDF (W-33).
type Info struct {
	PageCount      int     `json:"page_count"`
	Encrypted      bool    `json:"encrypted"` // has restrictions, though it opens without a password
	HasText        bool    `json:"has_text"`  // false: a scan, or pictures only (first 20 pages looked at)
	Title          string  `json:"title,omitempty"`
	Outline        []Title `json:"outline,omitempty"`         // the first 100 bookmarks
	OutlineOmitted bool    `json:"outline_omitted,omitempty"` // there are more
}

// Title is one bookmark of the outline.
type Title struct {
	Title string `json:"title"`
	Level int    `json:"level"` // 1 is the outermost
}

// document is an open PDF; the engines implement it.
type document interface {
	pages() int
	encrypted() bool
	title() string
	outline() []Title // at most maxOutline+1
	text(ctx context.Context, page int) (string, error)
}

// engine opens documents. use calls fn with one and cleans up after it.
type engine interface {
	use(ctx context.Context, src formats.Source, fn func(context.Context, document) error) error
}

// Format is the PDF kind: Mapper and Reader.
func Format(o Options) *formats.Format {
	f := &format{engine: newEngine(o)}
	return &formats.Format{Kind: formats.KindPDF, Mapper: f, Reader: f}
}

type format struct{ engine engine }

// Map implements formats.Mapper; its value is an Info.
func (f *format) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (any, error) {
	var info Info
	err := f.with(ctx, src, func(ctx context.Context, d document) error {
		info = Info{PageCount: d.pages(), Encrypted: d.encrypted(), Title: clean(d.title()), Outline: d.outline()}
		if len(info.Outline) > maxOutline {
			info.Outline, info.OutlineOmitted = info.Outline[:maxOutline], true
		}
		for i := range info.Outline {
			info.Outline[i].Title = clip(strings.TrimSpace(clean(info.Outline[i].Title)))
		}
		info.Title = clip(info.Title)
		for p := 0; p < min(info.PageCount, textPages) && !info.HasText; p++ {
			s, err := d.text(ctx, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			info.HasText = err == nil && strings.IndexFunc(clean(s), func(r rune) bool { return !unicode.IsSpace(r) }) >= 0
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

// Read implements formats.Reader: the selected pages joined by "\n".
func (f *format) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	var out formats.Text
	err := f.with(ctx, src, func(ctx context.Context, d document) error {
		pages, err := parsePages(sel.Pages, d.pages())
		if err != nil {
			return err
		}
		var sb strings.Builder
		for i, p := range pages {
			s, err := d.text(ctx, p)
			if err != nil {
				return err
			}
			if i > 0 {
				sb.WriteByte('\n')
			}
			sb.WriteString(clean(s))
			if sb.Len() > maxText && i+1 < len(pages) {
				pages = pages[:i+1]
				break
			}
		}
		out = formats.Text{Text: sb.String(), Chunk: chunkOf(pages, d.pages())}
		return nil
	})
	return out, err
}

// with checks what can be checked without an engine, and makes whatever comes
// out of one a typed error.
func (f *format) with(ctx context.Context, src formats.Source, fn func(context.Context, document) error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case src.Size() == 0:
		return formats.Errorf(formats.CodeCorrupt, "%s is empty (0 bytes)", src.Name())
	case src.Size() > maxBytes:
		return formats.Errorf(formats.CodeTooLarge, "%s has %d bytes; the limit for a PDF is %d MiB", src.Name(), src.Size(), maxBytes>>20)
	}
	// Viewers accept the header anywhere in the first 1,024 bytes (ISO 32000-1,
	// annex H.3, note 13).
	head := make([]byte, min(src.Size(), 1024+5))
	if _, err := src.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if !bytes.Contains(head, []byte("%PDF-")) {
		return formats.Errorf(formats.CodeCorrupt, "%s is not a PDF: it has no %%PDF- header", src.Name())
	}
	err := f.engine.use(ctx, src, fn)
	var typed *formats.Error
	switch {
	case err == nil || errors.As(err, &typed):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return corrupt(src, err)
}

func corrupt(src formats.Source, err error) error {
	return formats.Errorf(formats.CodeCorrupt, "%s is damaged or not a PDF: %w", src.Name(), err)
}

func needsPassword(src formats.Source) error {
	return formats.Errorf(formats.CodeEncrypted, "%s is encrypted and needs a password; open it with its password, save it without one and add it again", src.Name())
}

// clean drops what PDFs put into text that is no text: NUL, U+FFFE and U+0002,
// which PDFium puts where a hyphen ends a line. Line ends become "\n".
func clean(s string) string {
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

func clip(s string) string {
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	return string([]rune(s)[:maxTitle-1]) + "…"
}
