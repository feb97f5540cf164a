package pptx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/image"
)

// A picture that is placed freely stays in the room it is given, in its own
// proportion and in the middle.
func TestPictureFitsRoom(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		pic := image.Picture{Width: rapid.IntRange(1, 9000).Draw(r, "w"), Height: rapid.IntRange(1, 9000).Draw(r, "h")}
		room := frame{x: 100, y: 200, w: float64(rapid.IntRange(1e5, 1e7).Draw(r, "room w")), h: float64(rapid.IntRange(1e5, 1e7).Draw(r, "room h"))}
		nan := math.NaN()
		f := fitPicture(pic, room, nan, nan, nan, nan)
		require.LessOrEqual(t, f.w, room.w+1)
		require.LessOrEqual(t, f.h, room.h+1)
		require.InDelta(t, room.x+room.w/2, f.x+f.w/2, 1)
		require.InDelta(t, room.y+room.h/2, f.y+f.h/2, 1)
		if f.w > 1000 && f.h > 1000 {
			require.InEpsilon(t, float64(pic.Width)/float64(pic.Height), f.w/f.h, 0.01)
		}
		at := fitPicture(pic, room, 5, nan, 1000, nan)
		require.Equal(t, 5.0, at.x)
		require.Equal(t, 1000.0, at.w)
	})
}

func TestFrames(t *testing.T) {
	a := frame{0, 0, 10, 10}
	for _, tc := range []struct {
		b    frame
		area float64
	}{{frame{5, 5, 10, 10}, 25}, {frame{10, 0, 5, 5}, 0}, {frame{20, 20, 1, 1}, 0}, {frame{2, 2, 3, 3}, 9}, {a, 100}} {
		require.Equal(t, tc.area, a.overlap(tc.b))
		require.Equal(t, tc.area, tc.b.overlap(a))
	}
	nan := math.NaN()
	require.Equal(t, frame{1, 0, 10, 4}, a.moved(1, nan, nan, 4))
	require.Equal(t, a, a.moved(nan, nan, nan, nan))
	require.Equal(t, `<a:xfrm><a:off x="1" y="-2"/><a:ext cx="3" cy="4"/></a:xfrm>`, frame{1.4, -1.6, 3, 4}.xfrmXML("a:xfrm"))
	require.Equal(t, 1.33, inches(1219200))
}

// Groups in groups: each scales and shifts what it holds; one that says
// nothing leaves it.
func TestPlacesInGroups(t *testing.T) {
	tr, err := parse(ctx, "x", []byte(`<p:grpSp xmlns:p="`+nsP+`" xmlns:a="`+nsA+`"><p:grpSpPr><a:xfrm><a:off x="100" y="100"/><a:ext cx="200" cy="400"/><a:chOff x="10" y="20"/><a:chExt cx="100" cy="100"/></a:xfrm></p:grpSpPr></p:grpSp>`))
	require.NoError(t, err)
	g := &shape{n: tr.Root}
	in := onSlide.inside(g)
	require.Equal(t, frame{100, 100, 200, 400}, in.of(frame{10, 20, 100, 100}))
	require.Equal(t, frame{200, 300, 20, 40}, in.of(frame{60, 70, 10, 10}))
	twice := in.inside(g)
	require.Equal(t, in.of(frame{100, 100, 200, 400}), twice.of(frame{10, 20, 100, 100}))
	bare, err := parse(ctx, "x", []byte(`<p:grpSp xmlns:p="`+nsP+`"><p:grpSpPr/></p:grpSp>`))
	require.NoError(t, err)
	require.Equal(t, onSlide, onSlide.inside(&shape{n: bare.Root}))
	flat, err := parse(ctx, "x", []byte(`<p:grpSp xmlns:p="`+nsP+`" xmlns:a="`+nsA+`"><p:grpSpPr><a:xfrm><a:off x="1" y="1"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr></p:grpSp>`))
	require.NoError(t, err)
	require.Equal(t, frame{1, 1, 2, 2}, onSlide.inside(&shape{n: flat.Root}).of(frame{0, 0, 2, 2}), "no division by nothing")
}

func TestFamilies(t *testing.T) {
	for typ, want := range map[string]string{"ctrTitle": "title", "title": "title", "subTitle": "body", "obj": "body", "pic": "body", "dt": "dt", "sldNum": "sldNum", "ftr": "ftr"} {
		require.Equal(t, want, masterType(typ), typ)
	}
}
