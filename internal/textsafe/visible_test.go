package textsafe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain\tand\nlong ñ 漢 العربية": "plain\tand\nlong ñ 漢 العربية",
		"a\u202eb\u2069":               "a⟦U+202E⟧b⟦U+2069⟧",
		"\ufeff\u200b\x1b[2J":          "⟦U+FEFF⟧⟦U+200B⟧⟦U+001B⟧[2J",
		"tag \U000E0041":               "tag ⟦U+E0041⟧",
	} {
		require.Equal(t, want, Text(in))
	}
}
