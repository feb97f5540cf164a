package look

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"

	"atelier/formats"
	"atelier/llm"
)

// sizeOf returns the pixels of a PNG.
func sizeOf(data []byte) (width, height int, err error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, formats.Errorf(formats.CodeCorrupt, "the drawn page cannot be read: %v", err)
	}
	return c.Width, c.Height, nil
}

// fit makes a drawn page an image of at most side pixels each way and MaxBytes bytes: as
// PNG where that is small enough, else as JPEG, at last with fewer pixels.
func fit(data []byte, side int) (llm.Image, error) {
	width, height, err := sizeOf(data)
	if err != nil {
		return llm.Image{}, err
	}
	if len(data) <= MaxBytes && max(width, height) <= side {
		return llm.Image{MIME: "image/png", Data: data, Width: width, Height: height}, nil
	}
	drawn, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return llm.Image{}, formats.Errorf(formats.CodeCorrupt, "the drawn page cannot be read: %v", err)
	}
	for ; ; side = side * 3 / 4 {
		scaled := shrink(drawn, side)
		var b bytes.Buffer
		if err := png.Encode(&b, scaled); err != nil {
			return llm.Image{}, err
		}
		mime := "image/png"
		if b.Len() > MaxBytes {
			b.Reset()
			mime = "image/jpeg"
			if err := jpeg.Encode(&b, scaled, &jpeg.Options{Quality: 80}); err != nil {
				return llm.Image{}, err
			}
		}
		if b.Len() <= MaxBytes || side < 64 {
			at := scaled.Bounds()
			return llm.Image{MIME: mime, Data: b.Bytes(), Width: at.Dx(), Height: at.Dy()}, nil
		}
	}
}

// shrink scales an image so that neither side has more than side pixels, on white.
func shrink(from image.Image, side int) image.Image {
	at := from.Bounds()
	width, height := at.Dx(), at.Dy()
	if longer := max(width, height); longer > side {
		width, height = max(width*side/longer, 1), max(height*side/longer, 1)
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(to, to.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(to, to.Bounds(), from, at, draw.Over, nil)
	return to
}
