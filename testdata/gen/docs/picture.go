package docs

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// logo draws an olive branch in a ring: 240×240.
func logo() ([]byte, error) {
	green, gold := color.NRGBA{0x2E, 0x7D, 0x6B, 255}, color.NRGBA{0xD9, 0x8E, 0x32, 255}
	return draw(240, 240, func(x, y float64) color.Color {
		dx, dy := x-120, y-120
		d := math.Hypot(dx, dy)
		switch {
		case d > 114:
			return color.NRGBA{}
		case d > 102:
			return green
		case math.Hypot((dx-26)*.8, dy-34) < 19 || math.Hypot((dx+34)*.8, dy+2) < 17:
			return gold
		}
		for i := -3.0; i <= 3; i++ {
			cx, cy := i*24, -i*14
			side := math.Mod(i+10, 2)*2 - 1
			lx, ly := dx-cx-side*6, dy-cy-side*22
			if u, v := lx*.55+ly*.83, lx*.83-ly*.55; u*u/400+v*v/60 < 1 {
				return green
			}
		}
		if math.Abs(dy+dx*.58) < 3 && math.Abs(dx) < 84 {
			return green
		}
		return color.White
	})
}

// landscape draws an olive grove under a low sun: 640×360.
func landscape() ([]byte, error) {
	bands := []color.NRGBA{{0x8A, 0x9A, 0x5B, 255}, {0x5F, 0x7A, 0x4A, 255}, {0x2E, 0x7D, 0x6B, 255}, {0x1F, 0x4E, 0x5F, 255}}
	return draw(640, 360, func(x, y float64) color.Color {
		for i := len(bands) - 1; i >= 0; i-- {
			f := float64(i)
			ridge := 170 + f*46 + 22*math.Sin(x/(90-f*12)+f*1.7) + 9*math.Sin(x/31+f)
			if y > ridge {
				return bands[i]
			}
			// Round trees on the ridges in front.
			step := 38 + f*14
			cx := math.Floor(x/step)*step + step/2
			top := 170 + f*46 + 22*math.Sin(cx/(90-f*12)+f*1.7) + 9*math.Sin(cx/31+f)
			if i > 0 && math.Hypot(x-cx, (y-top+6)*1.2) < 7+f*3 {
				return bands[i]
			}
		}
		if math.Hypot(x-470, y-112) < 44 {
			return color.NRGBA{0xF6, 0xC4, 0x6A, 255}
		}
		t := math.Floor(y/24) / 9
		return color.NRGBA{uint8(0xFB - 20*t), uint8(0xE3 - 50*t*.6), uint8(0xC0 - 60*t*.4), 255}
	})
}

// draw creates a paletted picture, which keeps the file small.
func draw(w, h int, at func(x, y float64) color.Color) ([]byte, error) {
	palette := color.Palette{}
	index := map[color.NRGBA]uint8{}
	img := image.NewPaletted(image.Rect(0, 0, w, h), nil)
	for y := range h {
		for x := range w {
			c := color.NRGBAModel.Convert(at(float64(x)+.5, float64(y)+.5)).(color.NRGBA)
			i, ok := index[c]
			if !ok {
				i = uint8(len(palette))
				index[c] = i
				palette = append(palette, c)
			}
			img.SetColorIndex(x, y, i)
		}
	}
	img.Palette = palette
	var buf bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, img)
	return buf.Bytes(), err
}
