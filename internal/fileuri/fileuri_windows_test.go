package fileuri

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOfShare(t *testing.T) {
	require.Equal(t, "file://server/share/a%20b.md", Of(`\\server\share\a b.md`))
	got, ok := Path("file://server/share/a%20b.md")
	require.True(t, ok)
	require.Equal(t, `\\server\share\a b.md`, got)
	require.Equal(t, "file:///C:/x", Of(`C:\x`))
}
