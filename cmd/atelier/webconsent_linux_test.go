package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run with --web that read a file asks at the terminal before it fetches a
// page, because the address could contain what was read. The model gets a no
// as a result, and nothing is fetched (S-19).
func TestWebPageIsAskedForAtTerminal(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"read","arguments":{"uri":"file:///a.md"}}}
-- model-2 --
{"call":{"id":"tc-2","name":"read","arguments":{"uri":"http://pages.invalid/chairs?q=alpha"}}}
-- model-3 --
{"call":{"id":"tc-3","name":"read","arguments":{"uri":"http://pages.invalid/tables"}}}
-- model-4 --
{"text":"Done."}
`)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("alpha"), 0o644))
	k := startChat(t, []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + srv.URL, "TERM=xterm"},
		"run", "Look it up", "--in", dir, "--home", t.TempDir(), "--model", "m", "--catalogue", "sila", "--web")
	k.sees("Fetch a page from pages.invalid? The address has 35 bytes: http://pages.invalid/chairs?q=alpha. It could carry what was read of a.md", 1)
	k.types("no: not that one")
	k.sees("Fetch a page from pages.invalid?", 2)
	k.types("once")
	k.sees("Done.", 1)
	require.NoError(t, k.ends(), k.shown())
	requests := srv.Requests()
	require.Len(t, requests, 4)
	told := func(n int) string { return requests[n].Messages[len(requests[n].Messages)-1].Content }
	require.Contains(t, told(2), "nothing was fetched from pages.invalid: the address could carry what was read of a.md, and the user does not allow it: not that one")
	require.NotContains(t, told(3), "nothing was fetched", "the second was tried")
	require.Contains(t, told(3), "pages.invalid")
}
