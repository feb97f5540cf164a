package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The summary of a release can be read in two minutes, at 220 words a minute.
func TestChangelogSummary(t *testing.T) {
	b, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(b), "\n## ")
	require.True(t, ok)
	summary, _, ok := strings.Cut(rest, "\n## In detail\n")
	require.True(t, ok, "the list of all changes follows under its own heading")
	require.Less(t, len(strings.Fields(summary)), 440)
}
