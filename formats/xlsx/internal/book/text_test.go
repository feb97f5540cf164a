package book_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
)

func TestTextsOnALine(t *testing.T) {
	for v, want := range map[string]string{"": "", "a": "a", "a\nb": `a\nb`, "a\r\nb": `a\nb`, "a\rb\n": `a\nb\n`, "\r\r\n": `\n\n`, `a\nb`: `a\nb`} {
		require.Equal(t, want, book.OneLine(v))
	}
	require.Equal(t, "grö…", book.Clip("größer", 3))
	require.Equal(t, "größer", book.Clip("größer", 6))
}

func TestErrorOfAPart(t *testing.T) {
	require.NoError(t, book.CorruptPart(nil, "p"))
	err := book.CorruptPart(io.EOF, "xl/a.xml")
	require.EqualError(t, err, "xl/a.xml: EOF")
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}
