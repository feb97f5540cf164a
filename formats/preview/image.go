package preview

import (
	"bytes"
	"context"
	"image"
	_ "image/gif"  // register the decoder
	_ "image/jpeg" // register the decoder
	"image/png"
	"io"
	"math"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // register the decoder

	"atelier/formats"
)

const (
	maxImageBytes  = 256 << 20  // of a file
	maxImagePixels = 64_000_000 // of an image that is decoded: 256 MB
	maxPixels      = 8_000_000  // of a picture given back
)

// drawImage scales a png, jpeg, gif (its first frame) or webp.
func drawImage(ctx context.Context, src formats.Source, r Request) (p Page, err error) {
	defer func() {
		// A document must not end the process if a decoder panics.
		if e := recover(); e != nil {
			p, err = Page{}, formats.Errorf(formats.CodeCorrupt, "%s cannot be read as an image: %v", src.Name(), e)
		}
	}()
	if r.Page > 0 {
		return Page{Count: 1}, noPage(r.Page, 1)
	}
	if src.Size() > maxImageBytes {
		return Page{}, formats.Errorf(formats.CodeTooLarge, "%s has %d bytes; the limit for a picture is %d MiB", src.Name(), src.Size(), maxImageBytes>>20)
	}
	cfg, _, err := image.DecodeConfig(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return Page{}, formats.Errorf(formats.CodeCorrupt, "%s is damaged or not an image: %w", src.Name(), err)
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return Page{}, formats.Errorf(formats.CodeCorrupt, "%s has no size", src.Name())
	}
	if float64(cfg.Width)*float64(cfg.Height) > maxImagePixels {
		return Page{}, formats.Errorf(formats.CodeTooLarge, "%s has %d × %d pixels; at most %d million are drawn", src.Name(), cfg.Width, cfg.Height, maxImagePixels/1_000_000)
	}
	img, _, err := image.Decode(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return Page{}, formats.Errorf(formats.CodeCorrupt, "%s is damaged: %w", src.Name(), err)
	}
	if err := ctx.Err(); err != nil {
		return Page{}, err
	}
	p = Page{Count: 1, Rendering: ByImage}
	w, h := float64(cfg.Width)*r.Scale, float64(cfg.Height)*r.Scale
	if w*h > maxPixels {
		f := math.Sqrt(maxPixels / (w * h))
		w, h, p.ScaledDown = w*f, h*f, true
	}
	to := image.Rect(0, 0, max(1, int(w)), max(1, int(h)))
	if to.Dx() != img.Bounds().Dx() || to.Dy() != img.Bounds().Dy() {
		small := image.NewNRGBA(to)
		draw.ApproxBiLinear.Scale(small, to, img, img.Bounds(), draw.Src, nil)
		img = small
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return Page{}, err
	}
	p.PNG = buf.Bytes()
	return p, nil
}
