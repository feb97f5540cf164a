package workshop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// K-11: garbage collection keeps the images that records of the conversation name, and
// removes the others.
func TestK11GCKeepsImages(t *testing.T) {
	r := newRig(t, nil)
	named, err := r.wb.KeepImage(t.Context(), []byte("named"))
	require.NoError(t, err)
	other, err := r.wb.KeepImage(t.Context(), []byte("other"))
	require.NoError(t, err)
	require.NoError(t, r.wb.Conversation().Append(Record{Type: TypeToolResult, MessageID: "tr-1", ToolCallID: "c", CreatedAt: time.Now(),
		Images: []ImageRef{{Object: named, Name: "page", MIME: "image/png", Width: 1, Height: 1}}}))
	r.age()
	_, err = r.wb.GC(t.Context(), GCOptions{})
	require.NoError(t, err)
	b, err := r.wb.Image(t.Context(), named)
	require.NoError(t, err)
	require.Equal(t, "named", string(b))
	_, err = r.wb.Image(t.Context(), other)
	require.Error(t, err)
	_, err = r.wb.Image(t.Context(), "../../x")
	require.Error(t, err)
	_, err = r.wb.KeepImage(t.Context(), make([]byte, MaxImage+1))
	require.Error(t, err)
}
