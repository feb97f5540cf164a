package textsafe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain\tand\nlong ñ 漢 العربية":   "plain\tand\nlong ñ 漢 العربية",
		"a\u202eb\u2069":                 "a⟦U+202E⟧b⟦U+2069⟧",
		"\ufeff\u200b\x1b[2J":            "⟦U+FEFF⟧⟦U+200B⟧⟦U+001B⟧[2J",
		"tag \U000E0041":                 "tag ⟦U+E0041⟧",
		"in\u00advoice\u2063\u3164":      "in⟦U+00AD⟧voice⟦U+2063⟧⟦U+3164⟧",
		"a\u2028b\u115f\uffa0\u034f":     "a⟦U+2028⟧b⟦U+115F⟧⟦U+FFA0⟧⟦U+034F⟧",
		"pay\u200dpal ad\u200cmin\ufe0f": "pay⟦U+200D⟧pal ad⟦U+200C⟧min⟦U+FE0F⟧",
		// Ordinary text stays: a family, a heart, a keycap, Persian, Hindi, a Han variant.
		"👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 می\u200cخواهم क्\u200dष 葛\U000E0100": "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 می\u200cخواهم क्\u200dष 葛\U000E0100",
		"\u0600123 👍🏽": "\u0600123 👍🏽",
	} {
		require.Equal(t, want, Text(in))
	}
}
