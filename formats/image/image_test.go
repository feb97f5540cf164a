package image

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

func mapOf(name string, b []byte) (any, error) {
	return Format().Mapper.Map(context.Background(), formats.FromBytes(name, b), formats.MapOptions{})
}

func TestRasterW33(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 31, 17))
	var p, j, g bytes.Buffer
	require.NoError(t, png.Encode(&p, gray))
	require.NoError(t, jpeg.Encode(&j, gray, nil))
	require.NoError(t, gif.Encode(&g, gray, nil))
	// A lossless webp of 1×1 (RIFF, VP8L).
	w, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		b    []byte
		want Info
	}{
		"a.png": {p.Bytes(), Info{31, 17, "png"}}, "a.JPG": {j.Bytes(), Info{31, 17, "jpeg"}}, "a.gif": {g.Bytes(), Info{31, 17, "gif"}},
		"a.webp": {w, Info{1, 1, "webp"}}, "misnamed.gif": {p.Bytes(), Info{31, 17, "png"}},
	} {
		got, err := mapOf(name, c.b)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	b, err := json.Marshal(Info{31, 17, "png"})
	require.NoError(t, err)
	require.JSONEq(t, `{"width":31,"height":17,"format":"png"}`, string(b))
}

func TestSVG(t *testing.T) {
	for svg, want := range map[string]Info{
		`<svg width="300" height="150px"/>`:                     {300, 150, "svg"},
		`<svg width="1in" height="2.54cm" viewBox="0 0 5 5"/>`:  {96, 96, "svg"},
		`<svg viewBox="0 0 640,360"></svg>`:                     {640, 360, "svg"},
		`<svg width="100%" height="100%" viewBox="0 0 10 20"/>`: {10, 20, "svg"},
		`<svg width="50" viewBox="0 0 10 20"/>`:                 {50, 100, "svg"},
		`<svg height="40" viewBox="0 0 10 20"/>`:                {20, 40, "svg"},
		`<svg/>`:                                                {0, 0, "svg"},
		`<svg viewBox="0 0 0 0" width="-1" height="NaN"/>`:      {0, 0, "svg"},
		"\xef\xbb\xbf<?xml version=\"1.0\"?><!-- c --><s:svg xmlns:s='x' width='1' height='2'/>": {1, 2, "svg"},
		`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg width="7" height="8"/>`:         {7, 8, "svg"},
		`<!DOCTYPE svg [<!ENTITY a "b">]><svg width="7" height="8"/>`:                            {7, 8, "svg"},
	} {
		got, err := mapOf("a.svg", []byte(svg))
		require.NoError(t, err, svg)
		require.Equal(t, want, got, svg)
	}
}

func TestBad(t *testing.T) {
	var p bytes.Buffer
	require.NoError(t, png.Encode(&p, image.NewGray(image.Rect(0, 0, 4, 4))))
	for name, b := range map[string][]byte{
		"empty.png": {}, "cut.png": p.Bytes()[:12], "text.png": []byte("no picture"), "empty.svg": {}, "html.svg": []byte("<html/>"), "cut.svg": []byte("<svg width="),
		"text.svg": []byte("words"), "endless.svg": []byte(strings.Repeat(" ", 2<<20)), "doctype.svg": []byte("<!DOCTYPE svg ["), "cut.jpg": {0xff, 0xd8, 0xff},
	} {
		_, err := mapOf(name, b)
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%s: %v", name, err)
		require.Contains(t, err.Error(), name)
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Format().Mapper.Map(ctx, formats.FromBytes("a.png", []byte("x")), formats.MapOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzMap(f *testing.F) {
	f.Add("a.svg", []byte(`<svg viewBox="0 0 1 1"/>`))
	f.Add("a.png", []byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		if _, err := mapOf(name, b); err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
		}
	})
}

func TestProbeAndFit(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 200, 100))))
	p, err := Probe(b.Bytes())
	require.NoError(t, err)
	require.Equal(t, Picture{"png", "image/png", 200, 100}, p)
	for _, c := range [][5]int64{{0, 0, 0, 1905000, 952500}, {100, 0, 0, 100, 50}, {0, 100, 0, 200, 100}, {7, 9, 1, 7, 9}, {0, 0, 1000, 1000, 500}} {
		cx, cy := p.Fit(c[0], c[1], c[2])
		require.Equal(t, [2]int64{c[3], c[4]}, [2]int64{cx, cy})
	}
	_, err = Probe([]byte("no"))
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
}
