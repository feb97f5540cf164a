package engine_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm"
	"atelier/llm/models"
)

// An image that a model asks for is in the request after it, and its bytes are in the
// log of what left the machine, with the file they are of; a request to a model that is
// not known to take images has words.
func TestImagesLeaveTheMachine(t *testing.T) {
	var b bytes.Buffer
	im := image.NewRGBA(image.Rect(0, 0, 300, 200))
	for i := range im.Pix {
		im.Pix[i] = uint8(i * 7919 >> 3)
	}
	im.Set(0, 0, color.White)
	require.NoError(t, png.Encode(&b, im))
	for _, sees := range []bool{true, false} {
		v := newRemote(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				io.WriteString(w, toolCall(n, "read_file", `{"path":"photo.png"}`))
				return
			}
			io.WriteString(w, text("A photo."))
		})
		e := newEngine(t, func(o *engine.Options) {
			v.use(o)
			o.Models = []models.Rule{{Model: "first", Settings: models.Settings{Images: &sees}}}
		})
		id, _ := folder(t, e, map[string]string{"photo.png": b.String()})
		grantNow(t, e, id, "first", true)
		_, info := runText(t, e, id, nil)
		require.Nil(t, info)

		var sent struct{ Messages []llm.Message }
		require.NoError(t, json.Unmarshal([]byte(v.bodies[1]), &sent))
		if !sees {
			require.Zero(t, llm.CountImages(sent.Messages))
			continue
		}
		require.Equal(t, 1, llm.CountImages(sent.Messages))
		shown := sent.Messages[len(sent.Messages)-1].Images[0]
		drawn, err := png.Decode(bytes.NewReader(shown.Data))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, 300, 200), drawn.Bounds())

		events := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
		last := events[len(events)-1].(obj)
		require.Equal(t, []any{"photo.png"}, last["files"])
		require.Greater(t, last["bytes_out"].(float64), float64(len(shown.Data)))
		require.Equal(t, float64(v.in[1]), last["bytes_out"])
	}
}
