package fileuri

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPath(t *testing.T) {
	for _, c := range []struct{ uri, unix, windows string }{
		{"file:///home/a%20b.md", "/home/a b.md", "/home/a b.md"},
		{"file://localhost/a", "/a", "/a"},
		{"file:/a/../b/", "/b", "/b"},
		{"file:///C:/Users/x.md", "/C:/Users/x.md", "C:/Users/x.md"},
		{"file:///c%3A/Users/x.md", "/c:/Users/x.md", "c:/Users/x.md"},
		{"file:///C:/", "/C:", "C:/"},
		{"file://server/share/x.md", "", "//server/share/x.md"},
		{"https://example.org/x", "", ""},
		{"file:", "", ""},
		{"file:///%zz", "", ""},
	} {
		for windows, want := range map[bool]string{false: c.unix, true: c.windows} {
			got, ok := pathOf(c.uri, windows)
			require.Equal(t, want != "", ok, "%s", c.uri)
			require.Equal(t, want, filepath.ToSlash(got), "%s", c.uri)
		}
	}
}

// The URI of a path is that path again.
func TestOf(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "a b.md", "ü#1%.md", "100% {x}.md", "a+b&c=d.md"} {
		p := filepath.Join(dir, name)
		got, ok := Path(Of(p))
		require.True(t, ok)
		require.Equal(t, p, got)
		require.Regexp(t, `^file:///[^ #]*$`, Of(p))
	}
}
