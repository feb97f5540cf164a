package quote

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

func TestQuote(t *testing.T) {
	require.Equal(t, `""`, Double(""))
	require.Equal(t, `"a ""b"""`, Double(`a "b"`))
	require.Equal(t, `'it''s "x"'`, Single(`it's "x"`))
	require.Equal(t, `a "b".md`, OneLine(`a "b".md`))
	require.Equal(t, `"a\nb\"\u200e"`, OneLine("a\nb\"\u200e"))
}

func TestArgument(t *testing.T) {
	require.Equal(t, `/home/ann`, argument("/home/ann", "linux"))
	require.Equal(t, `'/home/a b'`, argument("/home/a b", "linux"))
	require.Equal(t, `C:\Users\Ann`, argument(`C:\Users\Ann`, "windows"))
	require.Equal(t, `"C:\Users\Ann Lee"`, argument(`C:\Users\Ann Lee`, "windows"))
	hard := "a\\ \"b\" $HOME `id` 'c' !"
	out, err := exec.Command(need.Program(t, "sh", "dash"), "-c", "printf %s "+argument(hard, "linux")).Output()
	require.NoError(t, err)
	require.Equal(t, hard, string(out))
}
