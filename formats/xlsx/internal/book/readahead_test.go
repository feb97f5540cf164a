package book_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/book"
)

func TestReadAhead(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 100_000)
	for _, src := range []io.Reader{bytes.NewReader(want), iotest.HalfReader(bytes.NewReader(want)), iotest.DataErrReader(bytes.NewReader(want))} {
		r := book.NewReadAhead(io.NopCloser(src))
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		require.NoError(t, r.Close())
	}
	bad := errors.New("bad")
	r := book.NewReadAhead(io.NopCloser(io.MultiReader(bytes.NewReader(want), iotest.ErrReader(bad))))
	got, err := io.ReadAll(r)
	require.ErrorIs(t, err, bad)
	require.Len(t, got, len(want))
	require.NoError(t, r.Close())

	r = book.NewReadAhead(io.NopCloser(bytes.NewReader(want)))
	_, err = io.ReadFull(r, make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, r.Close(), "closed in the middle")
	require.NoError(t, r.Close())
	<-r.Ended
}
