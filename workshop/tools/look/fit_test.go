package look

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// An image for a model has at most the given pixels and MaxBytes, also when it is one
// that PNG cannot make smaller.
func TestImagesFit(t *testing.T) {
	noise := image.NewRGBA(image.Rect(0, 0, 1500, 1000))
	rnd := rand.New(rand.NewPCG(61, 1))
	for i := range noise.Pix {
		noise.Pix[i] = byte(rnd.Uint32())
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, noise))
	require.Greater(t, b.Len(), MaxBytes)
	im, err := fit(b.Bytes(), 1200)
	require.NoError(t, err)
	require.Equal(t, "image/jpeg", im.MIME)
	require.LessOrEqual(t, len(im.Data), MaxBytes)
	require.LessOrEqual(t, max(im.Width, im.Height), 1200)
	drawn, err := jpeg.Decode(bytes.NewReader(im.Data))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, im.Width, im.Height), drawn.Bounds())

	b.Reset()
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 3000, 30))))
	im, err = fit(b.Bytes(), MaxSide)
	require.NoError(t, err)
	require.Equal(t, []any{"image/png", 2048, 20}, []any{im.MIME, im.Width, im.Height})

	_, err = fit([]byte("no image"), MaxSide)
	require.Error(t, err)
}
