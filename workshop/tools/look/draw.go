package look

import (
	"context"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/preview"
	"atelier/llm"
)

// drawPage makes the image of a page, or of the area of it that r has.
func drawPage(ctx context.Context, m *preview.Maker, src formats.Source, r preview.Request, zoom float64) (preview.Page, llm.Image, error) {
	most := preview.MaxScale
	switch {
	case isImage(src):
		most = 1 // an image is not drawn larger than it is
	case r.Area != nil:
		most = preview.MaxAreaScale
	}
	return drawScaled(func(scale float64) (preview.Page, error) {
		r.Scale = scale
		return m.Page(ctx, src, r)
	}, zoom, most)
}

// drawScaled draws at first with a pixel for 1/72 inch, then with as many as fit.
func drawScaled(draw func(scale float64) (preview.Page, error), zoom, most float64) (preview.Page, llm.Image, error) {
	p, err := draw(1)
	if err != nil {
		return p, llm.Image{}, err
	}
	width, height, err := sizeOf(p.PNG)
	if err != nil {
		return p, llm.Image{}, err
	}
	want := min(small*zoom, MaxSide) / float64(max(width, height, 1))
	if scale := min(max(want, preview.MinScale), most); scale < 0.95 || scale > 1.05 {
		if p, err = draw(scale); err != nil {
			return p, llm.Image{}, err
		}
	}
	im, err := fit(p.PNG, int(min(small*zoom, MaxSide)))
	return p, im, err
}

// imageExtensions are those of files whose pixels are drawn as they are.
var imageExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

func isImage(src formats.Source) bool {
	return slices.Contains(imageExtensions, strings.ToLower(path.Ext(src.Name())))
}
