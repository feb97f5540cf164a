package pseudo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TR-09: the pseudo-translation into a language from right to left has no
// Latin letter but those that are kept, one letter for one.
func TestRightToLeft(t *testing.T) {
	out := In("Año <1>más</1> {0}", 0, true)
	require.Contains(t, out, "<1>")
	require.Contains(t, out, " {0}")
	require.Regexp(t, `^[^A-Za-zÀ-ž]+$`, In("Distribución común, Ñandú", 0, true))
	require.Equal(t, "https://example.com/a", In("https://example.com/a", 0, true))
}
