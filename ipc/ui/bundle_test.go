package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// The review app is one document: nothing in it is loaded from elsewhere, and its script
// is one that a browser takes.
func TestReviewAppIsWhole(t *testing.T) {
	html, err := ReviewApp("the_tool", `k"<>`)
	require.NoError(t, err)
	for _, outside := range []string{"src=\"", "href=\"", "@import", "fetch(", "XMLHttpRequest", " import "} {
		require.NotContains(t, html, outside)
	}
	require.Contains(t, html, `data-key="k&#34;&lt;&gt;"`)
	require.Contains(t, html, "data-theme=dark")
	require.Equal(t, 1, strings.Count(html, "<script"))
	node := need.Program(t, "node", "nodejs")
	script, err := bundle("review.js")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "app.mjs")
	require.NoError(t, os.WriteFile(path, []byte(script), 0o600))
	out, err := exec.Command(node, "--check", path).CombinedOutput()
	require.NoError(t, err, string(out))
}

// A module that the bundle would break is an error when the program is built, not in the
// browser.
func TestBundleRefusesWhatItDoesNotKnow(t *testing.T) {
	_, err := bundle("no-such-module.js")
	require.Error(t, err)
}
