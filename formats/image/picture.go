package image

import (
	"bytes"
	"image"

	"atelier/formats"
)

// Picture describes an image as office documents need it.
type Picture struct {
	Ext    string // of the part, without dot: png, jpeg, gif
	MIME   string
	Width  int // pixels
	Height int // pixels
}

// emuPerPixel is 914,400 EMU to the inch (ECMA-376-1, 20.1.2.1) at 96 pixels.
const emuPerPixel = 9525

// Probe reads the header of an image that office documents can show: png, jpeg
// or gif.
func Probe(b []byte) (_ Picture, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = formats.Errorf(formats.CodeCorrupt, "the picture cannot be read: %v", r)
		}
	}()
	cfg, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return Picture{}, formats.Errorf(formats.CodeInvalid, "the picture is damaged or of an unknown format; png, jpeg and gif can be used: %w", err)
	}
	switch format {
	case "png", "jpeg", "gif":
	default:
		return Picture{}, formats.Errorf(formats.CodeUnsupported, "a %s picture cannot be put into an office document; convert it to png first", format)
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return Picture{}, formats.Errorf(formats.CodeInvalid, "the picture has no size")
	}
	return Picture{Ext: format, MIME: "image/" + format, Width: cfg.Width, Height: cfg.Height}, nil
}

// Fit returns the size in EMU of the picture at 96 pixels to the inch, scaled
// down to a width of at most maxWidth EMU. width and height, in EMU, override
// it; one of them alone keeps the proportion.
func (p Picture) Fit(width, height, maxWidth int64) (cx, cy int64) {
	cx, cy = int64(p.Width)*emuPerPixel, int64(p.Height)*emuPerPixel
	scale := func(to int64) (int64, int64) { return to, max(1, cy*to/cx) }
	switch {
	case width > 0 && height > 0:
		return width, height
	case width > 0:
		return scale(width)
	case height > 0:
		return max(1, cx*height/cy), height
	case maxWidth > 0 && cx > maxWidth:
		return scale(maxWidth)
	}
	return cx, cy
}
