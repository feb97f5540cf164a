package replica

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// The last byte of a content is not given where its bytes are not those of its hash, and all
// of it can be read again from the beginning.
func TestExact(t *testing.T) {
	right := bytes.Repeat([]byte("abc"), 1000)
	sum := sha256.Sum256(right)
	want := Content{Name: "n", Hash: hex.EncodeToString(sum[:]), Size: int64(len(right))}
	other := bytes.Clone(right)
	other[1500]++
	for name, b := range map[string][]byte{"other": other, "shorter": right[:2999], "empty": nil, "longer": append(bytes.Clone(right), 'x')} {
		got, err := io.ReadAll(newExact(bytes.NewReader(b), want))
		require.ErrorIs(t, err, errOther, name)
		require.Less(t, len(got), len(right), name)
	}
	e := newExact(bytes.NewReader(right), want)
	_, err := io.ReadFull(e, make([]byte, 10))
	require.NoError(t, err)
	for range 2 {
		_, err = e.Seek(0, io.SeekStart)
		require.NoError(t, err)
		got, err := io.ReadAll(e)
		require.NoError(t, err)
		require.True(t, bytes.Equal(right, got))
	}
}

// A file that was cut after its size was seen has no bytes that were never there.
func TestBetween(t *testing.T) {
	b, err := between(bytes.NewReader([]byte("abcde")), 2, 10)
	require.NoError(t, err)
	require.Equal(t, "cde", string(b))
	b, err = between(bytes.NewReader([]byte("abcde")), 7, 10)
	require.NoError(t, err)
	require.Empty(t, b)
}
