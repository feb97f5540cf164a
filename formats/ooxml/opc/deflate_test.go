package opc

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	kflate "github.com/klauspost/compress/flate"
	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// failing fails after a few bytes.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

// A compressor that was used before writes what a new one writes, at every level,
// from several goroutines, after one that failed.
func TestDeflatersLeaveNothing(t *testing.T) {
	text := func(i int) []byte {
		return bytes.Repeat(fmt.Appendf(nil, `<a:t>words %d of a slide</a:t>`, i*7919), 40*(i%9+1))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 60 {
				level := []int{flate.DefaultCompression, flate.BestSpeed}[(i+g)%2]
				if i%7 == 0 {
					z, err := newDeflater(&failing{10}, level)
					if err == nil {
						_, _ = z.Write(text(i))
						err = z.Close()
					}
					if err == nil {
						t.Error("a full disk was not noticed")
					}
				}
				var got, want bytes.Buffer
				z, err := newDeflater(&got, level)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = z.Write(text(i))
				_ = z.Close()
				_ = z.Close()
				if _, err := z.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
					t.Error("a write after the end")
				}
				alone, _ := kflate.NewWriter(&want, level)
				_, _ = alone.Write(text(i))
				_ = alone.Close()
				if !bytes.Equal(want.Bytes(), got.Bytes()) {
					t.Error("other bytes than of a new compressor", i, level)
				}
			}
		})
	}
	wg.Wait()
}

// Relationships that an edit changes are those of the edit, those of the package
// stay, and a caller that changes what it got changes nothing.
func TestRelsAreKept(t *testing.T) {
	ctx := context.Background()
	e := NewEdit()
	e.Set("a.xml", []byte("<a/>"))
	e.Set("b.xml", []byte("<b/>"))
	_, err := e.AddRel(ctx, "a.xml", Relationship{Type: "t1", Target: "b.xml"})
	require.NoError(t, err)
	var made bytes.Buffer
	require.NoError(t, e.Write(ctx, &made))
	p, err := OpenZip(formats.FromBytes("a.zip", made.Bytes()))
	require.NoError(t, err)
	first, err := p.Rels(ctx, "a.xml")
	require.NoError(t, err)
	require.Len(t, first, 1)
	first[0].Target = "other"
	edit := p.Edit()
	again, err := edit.Rels(ctx, "a.xml")
	require.NoError(t, err)
	require.Equal(t, "b.xml", again[0].Target)
	_, err = edit.AddRel(ctx, "a.xml", Relationship{Type: "t2", Target: "a.xml"})
	require.NoError(t, err)
	more, err := edit.Rels(ctx, "a.xml")
	require.NoError(t, err)
	require.Len(t, more, 2)
	own, err := p.Rels(ctx, "a.xml")
	require.NoError(t, err)
	require.Len(t, own, 1)
	none, err := p.Rels(ctx, "b.xml")
	require.NoError(t, err)
	require.Empty(t, none)
}
