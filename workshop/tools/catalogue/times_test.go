package catalogue_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// B11-01: a file is not updated before it was created, also when an older copy
// was put in its place.
func TestUpdatedNotBeforeCreated(t *testing.T) {
	onBothViews(t, nil, func(s *scale) {
		for range 20 { // the clock of a file system is coarser than ours
			s.ok("write", args("path", "/a.txt", "content", "abc", "overwrite", true))
			s.inOrder()
			s.ok("rm", args("path", "/a.txt"))
		}
		s.ok("write", args("path", "/a.txt", "content", "abc"))
		if path := filepath.Join(s.dir, "a.txt"); fileThere(path) {
			old := time.Now().Add(-time.Hour)
			require.NoError(s, os.Chtimes(path, old, old))
			s.inOrder()
		}
	})
}

func fileThere(path string) bool { _, err := os.Stat(path); return err == nil }

// inOrder checks the times that every tool tells of /a.txt.
func (s *scale) inOrder() {
	info := s.ok("file_info", args("path", "/a.txt"))
	require.LessOrEqual(s, instant(s, info["created_at"]), instant(s, info["updated_at"]))
	require.Equal(s, info["updated_at"], entry(s, "/a.txt")["updated_at"])
	for tool, a := range map[string]string{"glob": `{"pattern":"a.txt"}`, "find": `{"name":"a.txt"}`} {
		if m := s.ok(tool, a)["matches"].([]any); len(m) > 0 {
			require.Equal(s, info["updated_at"], m[0].(object)["updated_at"], tool)
		}
	}
}

func instant(s *scale, v any) int64 {
	at, err := time.Parse(time.RFC3339Nano, v.(string))
	require.NoError(s, err)
	return at.UnixNano()
}
