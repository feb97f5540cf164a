package pdf

import (
	"context"
	"math"

	"atelier/formats"
)

// maxPixels bounds a picture of a page; a larger one is drawn smaller.
const maxPixels = 8_000_000

// Picture is a drawn page.
type Picture struct {
	PNG        []byte
	Pages      int  // of the document
	ScaledDown bool // drawn smaller than asked, for its size
}

// Render draws a page (1-based) of src as a PNG, with what is filled into its
// form and with its annotations. Scale 1 makes a pixel of a point (1/72 inch).
// f is a format made by [Format]. Builds with the tag purepdf give
// CodeUnsupported.
func Render(ctx context.Context, f *formats.Format, src formats.Source, page int, scale float64) (Picture, error) {
	own, ok := f.Reader.(*format)
	if !ok {
		return Picture{}, formats.Errorf(formats.CodeUnsupported, "pages of a %s file cannot be drawn", f.Kind)
	}
	if !(scale > 0 && scale <= 20) {
		return Picture{}, formats.Errorf(formats.CodeInvalid, "invalid scale: %g (more than 0, at most 20)", scale)
	}
	r, err := own.do(ctx, src, job{Op: opRender, Page: page, Scale: scale}, nil)
	return r.Picture, err
}

// pictureOf draws a page (1-based) of a document.
func pictureOf(ctx context.Context, d document, page int, scale float64) (Picture, error) {
	out := Picture{Pages: d.pages()}
	if page < 1 || page > out.Pages {
		return out, formats.Errorf(formats.CodeNotFound, "invalid page: %d; the document has pages 1 to %d", page, out.Pages)
	}
	w, h := d.size(page - 1)
	if !(w > 0 && h > 0) {
		return out, formats.Errorf(formats.CodeCorrupt, "page %d has no size", page)
	}
	if most := math.Sqrt(maxPixels / (w * h)); scale > most {
		scale, out.ScaledDown = most, true
	}
	width := min(maxPixels, max(1, int(math.Round(w*scale))))
	height := min(maxPixels/width, max(1, int(math.Round(h*scale))))
	var err error
	out.PNG, err = d.picture(ctx, page-1, width, max(1, height))
	return out, err
}
