package preview

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"

	"golang.org/x/image/draw"

	"atelier/formats"
)

// Area is a part of a page, in fractions of its width and height from the left and from
// the top.
type Area struct{ Left, Top, Right, Bottom float64 }

// Valid reports whether the area is inside the page and not empty.
func (a Area) Valid() bool {
	return a.Left >= 0 && a.Top >= 0 && a.Right <= 1 && a.Bottom <= 1 && a.Left < a.Right && a.Top < a.Bottom
}

// in returns a part of an area as a part of the page.
func (a Area) in(outer Area) Area {
	w, h := outer.Right-outer.Left, outer.Bottom-outer.Top
	return Area{outer.Left + a.Left*w, outer.Top + a.Top*h, outer.Left + a.Right*w, outer.Top + a.Bottom*h}
}

// rect returns the pixels of the area, at least one each way.
func (a Area) rect(of image.Rectangle) image.Rectangle {
	w, h := float64(of.Dx()), float64(of.Dy())
	r := image.Rect(int(math.Floor(a.Left*w)), int(math.Floor(a.Top*h)), int(math.Ceil(a.Right*w)), int(math.Ceil(a.Bottom*h)))
	return r.Add(of.Min).Intersect(of)
}

// crop returns the part of a picture.
func crop(data []byte, a Area) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the drawn page cannot be read: %v", err)
	}
	r := a.rect(from.Bounds())
	to := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(to, to.Bounds(), from, r.Min, draw.Src)
	var b bytes.Buffer
	err = png.Encode(&b, to)
	return b.Bytes(), err
}

// inked returns the part of a picture that holds all that is not white; all of it when
// it is blank.
func inked(data []byte) (Area, error) {
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return Area{}, formats.Errorf(formats.CodeCorrupt, "the drawn page cannot be read: %v", err)
	}
	b := from.Bounds()
	found := image.Rectangle{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.GrayModel.Convert(from.At(x, y)).(color.Gray).Y < 250 {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if found.Empty() {
		return Area{0, 0, 1, 1}, nil
	}
	found = found.Inset(-1).Intersect(b)
	w, h := float64(b.Dx()), float64(b.Dy())
	return Area{float64(found.Min.X-b.Min.X) / w, float64(found.Min.Y-b.Min.Y) / h, float64(found.Max.X-b.Min.X) / w, float64(found.Max.Y-b.Min.Y) / h}, nil
}
