package pseudo

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/inline"
)

func TestRightToLeftLetters(t *testing.T) {
	got := In("Click <1>here</1> on {0} at https://example.com", 0, true)
	require.Contains(t, got, "{0}")
	require.Contains(t, got, "https://example.com")
	require.NoError(t, inline.Check("Click <1>here</1>", In("Click <1>here</1>", 0, true)))
	for _, r := range In("Hello world", 0, true) {
		require.False(t, unicode.Is(unicode.Latin, r), "%c", r)
	}
	require.Equal(t, Within("Hello", 7), In("Hello", 7, false))
}

// The letters change one for one: limits hold and tags stay.
func TestRightToLeftKeepsLengthAndTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a-zA-Z0-9 {}%<>/&]{0,40}`).Draw(t, "text")
		require.Equal(t, visible(Within(s, 31)), visible(In(s, 31, true)))
		require.Equal(t, inline.Check(s, Within(s, 0)) == nil, inline.Check(s, In(s, 0, true)) == nil)
	})
}
