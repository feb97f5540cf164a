package workshop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A content that stands for another one has its size and hash, and a change that
// began from it is taken; one that began from another content is not.
func TestReplacedContent(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "saved", "b.txt": "b"})
	now := "not saved"
	v := Intercept(r.draft(), Hooks{Replace: func(_ context.Context, p Path) ([]byte, bool) { return []byte(now), p == "a.txt" }})
	require.Equal(t, map[string]string{"a.txt": "not saved", "b.txt": "b"}, tree(t, v))
	e, err := v.Stat(ctx, "a.txt")
	require.NoError(t, err)
	require.EqualValues(t, len(now), e.Size)
	now = "typed on"
	_, err = v.Put(ctx, "a.txt", PutOptions{BaseHash: e.Hash}, text("not saved, edited"))
	require.True(t, IsFault(err, Conflict), "%v", err)
	e, err = v.Stat(ctx, "a.txt")
	require.NoError(t, err)
	_, err = v.Put(ctx, "a.txt", PutOptions{BaseHash: e.Hash}, text("typed on, edited"))
	require.NoError(t, err)
	require.Equal(t, "typed on, edited", content(t, r.draft(), "a.txt"))
	require.Equal(t, "saved", r.disk()["a.txt"])
	f, err := v.(Explorer).Explore(ctx, "")
	require.NoError(t, err)
	defer f.Close()
	for _, it := range f.Items() {
		if it.Name == "a.txt" {
			c, err := f.Open(ctx, it)
			require.NoError(t, err)
			require.EqualValues(t, len("typed on"), c.Size())
			require.NoError(t, c.Close())
		}
	}
}
