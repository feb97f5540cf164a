package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats"
	"atelier/formats/docx"
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

// So is a picture inside a document, in the request after the read that asked for it.
func TestPicturesInDocumentsLeaveTheMachine(t *testing.T) {
	var b bytes.Buffer
	im := image.NewRGBA(image.Rect(0, 0, 60, 40))
	for i := range im.Pix {
		im.Pix[i] = uint8(i*7919>>3) | uint8(i%4/3*255)
	}
	require.NoError(t, png.Encode(&b, im))
	var doc bytes.Buffer
	_, err := docx.Format().Editor.Apply(t.Context(), nil, &doc, []json.RawMessage{json.RawMessage(`{"op":"add_image","path":"p.png","alt":"A photo"}`)},
		formats.ApplyOptions{Open: func(context.Context, string) (formats.SourceCloser, error) {
			return opened{formats.FromBytes("p.png", b.Bytes())}, nil
		}})
	require.NoError(t, err)
	v := newRemote(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			io.WriteString(w, toolCall(n, "read_file", `{"path":"report.docx","include":["images"]}`))
			return
		}
		io.WriteString(w, text("A photo."))
	})
	sees := true
	e := newEngine(t, func(o *engine.Options) {
		v.use(o)
		o.Models = []models.Rule{{Model: "first", Settings: models.Settings{Images: &sees}}}
	})
	id, _ := folder(t, e, map[string]string{"report.docx": doc.String()})
	grantNow(t, e, id, "first", true)
	_, info := runText(t, e, id, nil)
	require.Nil(t, info)

	var sent struct{ Messages []llm.Message }
	require.NoError(t, json.Unmarshal([]byte(v.bodies[1]), &sent))
	require.Equal(t, 1, llm.CountImages(sent.Messages))
	shown := sent.Messages[len(sent.Messages)-1].Images[0]
	drawn, err := png.Decode(bytes.NewReader(shown.Data))
	require.NoError(t, err)
	require.Equal(t, im.At(31, 17), color.RGBAModel.Convert(drawn.At(31, 17)))
	events := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
	last := events[len(events)-1].(obj)
	require.Equal(t, []any{"report.docx"}, last["files"])
	require.Greater(t, last["bytes_out"].(float64), float64(len(shown.Data)))
	require.Equal(t, float64(v.in[1]), last["bytes_out"])
}

// opened is a file that needs no closing.
type opened struct{ formats.Source }

func (opened) Close() error { return nil }
