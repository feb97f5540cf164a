package quote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/quote"
)

func TestQuote(t *testing.T) {
	require.Equal(t, `""`, quote.Double(""))
	require.Equal(t, `"a ""b"""`, quote.Double(`a "b"`))
	require.Equal(t, `'it''s "x"'`, quote.Single(`it's "x"`))
	require.Equal(t, `a "b".md`, quote.OneLine(`a "b".md`))
	require.Equal(t, `"a\nb\"\u200e"`, quote.OneLine("a\nb\"\u200e"))
}
