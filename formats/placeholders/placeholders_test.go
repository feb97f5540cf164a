package placeholders

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"Lorem ipsum dolor":            "Lorem ipsum",
		"the price is [●] or TBD":      "[●]|TBD",
		"[Insert your text here], XXX": "[Insert your text here]|XXX",
		"Click to add title":           "Click to add",
		"WHO, XXL and [x] are fine":    "",
		"What???":                      "???",
	} {
		var got []string
		for _, f := range Find(text, 4) {
			got = append(got, f.Text)
		}
		require.Equal(t, want, strings.Join(got, "|"), text)
	}
	require.Len(t, Find(strings.Repeat("TBD ", 100), 4), 4)
}
