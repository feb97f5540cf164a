package image

import (
	"bytes"
	"context"
	"image"
	_ "image/gif"  // register the decoder
	_ "image/jpeg" // register the decoder
	_ "image/png"  // register the decoder
	"io"
	"math"
	"strconv"
	"strings"

	_ "golang.org/x/image/webp" // register the decoder

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// headerLimit bounds how far the size of a picture is searched for. JPEG may
// have metadata of some MiB before its frame header.
const headerLimit = 16 << 20

// svgLimit bounds the part of an svg file that must hold its root tag.
const svgLimit = 1 << 20

// Info is the map of an image (W-33).
type Info struct {
	Width  int    `json:"width"`  // pixels; 0 when an svg does not say
	Height int    `json:"height"` // pixels
	Format string `json:"format"` // png, jpeg, gif, webp, svg
}

// Format returns the image kind: it has a Mapper only.
func Format() *formats.Format {
	return &formats.Format{Kind: formats.KindImage, Mapper: mapper{}}
}

type mapper struct{}

// Map implements formats.Mapper; its value is an Info.
func (mapper) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (_ any, err error) {
	defer func() {
		// Decoders of the standard library do not panic on bad input by design;
		// a document must not end the process if one does.
		if r := recover(); r != nil {
			err = formats.Errorf(formats.CodeCorrupt, "%s cannot be read as an image: %v", src.Name(), r)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if src.Size() == 0 {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is empty (0 bytes)", src.Name())
	}
	if strings.HasSuffix(strings.ToLower(src.Name()), ".svg") {
		return mapSVG(src)
	}
	cfg, format, err := image.DecodeConfig(ctxReader{ctx, io.NewSectionReader(src, 0, min(src.Size(), headerLimit))})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is damaged or not an image of a known format (png, jpeg, gif, webp, svg): %w%s", src.Name(), err, formats.ButText(src))
	}
	return Info{Width: cfg.Width, Height: cfg.Height, Format: format}, nil
}

// mapSVG reads the root element: width and height, else the viewBox (SVG 2,
// 8.2 and 8.6).
func mapSVG(src formats.Source) (Info, error) {
	head := make([]byte, min(src.Size(), svgLimit))
	if n, err := src.ReadAt(head, 0); err != nil && err != io.EOF {
		return Info{}, err
	} else {
		head = head[:n]
	}
	sc := xmlscan.New(dropDoctype(xmlscan.UTF8(head)))
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Local != "svg" {
			return Info{}, formats.Errorf(formats.CodeCorrupt, "%s is not an svg image: its root element is <%s>", src.Name(), t.Local)
		}
		w, wOK := parseLength(t.AttrLocal("width"))
		h, hOK := parseLength(t.AttrLocal("height"))
		box := viewBox(t.AttrLocal("viewBox"))
		switch {
		case wOK && hOK:
		case box == nil:
		case wOK:
			h = w * box[3] / box[2]
		case hOK:
			w = h * box[2] / box[3]
		default:
			w, h = box[2], box[3]
		}
		return Info{Width: int(math.Round(w)), Height: int(math.Round(h)), Format: "svg"}, nil
	}
	return Info{}, formats.Errorf(formats.CodeCorrupt, "%s is damaged or not an svg image: no <svg> element found", src.Name())
}

// dropDoctype cuts the document type declaration that older svg files begin
// with; nothing in it is read.
func dropDoctype(b []byte) []byte {
	i := bytes.Index(b, []byte("<!DOCTYPE"))
	if i < 0 {
		return b
	}
	rest := b[i:]
	end := bytes.IndexByte(rest, '>')
	if sub := bytes.IndexByte(rest, '['); sub >= 0 && sub < end {
		if close := bytes.Index(rest, []byte("]>")); close >= 0 {
			end = close + 1
		}
	}
	if end < 0 {
		return b
	}
	return append(append([]byte(nil), b[:i]...), rest[end+1:]...)
}

// cssUnits are CSS pixels per unit (CSS Values 4, 6.2).
var cssUnits = map[string]float64{"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6}

// parseLength reads a length in CSS pixels; percentages and font units have none.
func parseLength(s string) (float64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	i := strings.LastIndexAny(s, "0123456789.") + 1
	factor, ok := cssUnits[strings.TrimSpace(s[i:])]
	n, err := strconv.ParseFloat(s[:i], 64)
	if !ok || err != nil || n <= 0 || n > 1e9 {
		return 0, false
	}
	return n * factor, true
}

func viewBox(s string) []float64 {
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	if len(fields) != 4 {
		return nil
	}
	box := make([]float64, 4)
	for i, f := range fields {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil || math.IsNaN(n) || math.Abs(n) > 1e9 || i >= 2 && n <= 0 {
			return nil
		}
		box[i] = n
	}
	return box
}

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
