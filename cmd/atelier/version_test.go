package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/buildinfo"
)

func TestVersion(t *testing.T) {
	atelier := program(t)
	out, err := exec.Command(atelier, "version", "--json").Output()
	require.NoError(t, err)
	var got buildinfo.Info
	require.NoError(t, json.Unmarshal(out, &got))
	want := buildinfo.Read()
	want.Protocol = engine.APIVersion
	require.Equal(t, want, got)
	require.Equal(t, []string{engine.Version, runtime.GOOS, runtime.GOARCH, runtime.Version()}, []string{got.Version, got.OS, got.Arch, got.Go})

	out, err = exec.Command(atelier, "version").Output()
	require.NoError(t, err)
	require.Regexp(t, `^atelier `+engine.Version+` \(protocol 1\)\n  commit   \w+(, with changes)?\n  date     \S+\n  go       go\S+\n  platform `+runtime.GOOS+`/`+runtime.GOARCH+`\n  build    (default|purepdf|cluster)\n$`, string(out))
}

func TestUpdateCheck(t *testing.T) {
	atelier := program(t)
	var newest atomic.Value
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprintf(w, `{"tag_name":%q,"html_url":"https://example.org/releases","published_at":"2027-01-02T03:04:05Z"}`, newest.Load())
	}))
	defer srv.Close()
	home := t.TempDir()
	run := func(env string, args ...string) (stdout, stderr string, code int) {
		cmd := exec.Command(atelier, append([]string{"update"}, args...)...)
		cmd.Env = append(os.Environ(), "ATELIER_HOME="+home, env)
		var a, b strings.Builder
		cmd.Stdout, cmd.Stderr = &a, &b
		_ = cmd.Run()
		return a.String(), b.String(), cmd.ProcessState.ExitCode()
	}

	out, _, code := run("")
	require.Zero(t, code)
	require.Contains(t, out, "atelier "+engine.Version+". To update:\n")
	_, errText, code := run("", "--check")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errText, "name the address with --from or ATELIER_RELEASES")
	_, errText, code = run("", "--json")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errText, "go with --check")
	require.Zero(t, asked.Load(), "only --check asks")

	for version, status := range map[string]string{"v999.0.0": "outdated", "0.0.1": "newer", engine.Version: "current"} {
		newest.Store(version)
		out, errText, code := run("ATELIER_RELEASES="+srv.URL, "--check", "--json")
		require.Zero(t, code, errText)
		require.JSONEq(t, fmt.Sprintf(`{"current":%q,"newest":%q,"status":%q,"published_at":"2027-01-02T03:04:05Z","url":"https://example.org/releases"}`,
			engine.Version, strings.TrimPrefix(version, "v"), status), out)
	}
	newest.Store("v999.0.0")
	out, _, code = run("ATELIER_RELEASES=https://unused.example.org", "--check", "--from", srv.URL)
	require.Zero(t, code)
	require.Contains(t, out, "the newest release is 999.0.0 of 2 January 2027.\nGet it from https://example.org/releases or:\n")
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), fmt.Appendf(nil, `{"releases":%q}`, srv.URL), 0o600))
	out, _, code = run("", "--check")
	require.Zero(t, code)
	require.Contains(t, out, "999.0.0")
	require.EqualValues(t, 5, asked.Load())

	_, errText, code = run("ATELIER_EGRESS=local_only", "--check", "--from", "https://releases.example.org/latest")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errText, "local_only")
	_, errText, code = run("", "--check", "--from", "http://releases.example.org/latest")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errText, "must begin with https://")
}

func TestUpdateLines(t *testing.T) {
	for _, c := range []struct {
		exe, system string
		names       []string
	}{
		{"/opt/homebrew/lib/node_modules/atelier-darwin-arm64/bin/atelier", "darwin", []string{"npm"}},
		{"/opt/homebrew/Caskroom/atelier/0.9.0/atelier", "darwin", []string{"Homebrew"}},
		{"C:/Users/x/scoop/apps/atelier/current/atelier.exe", "windows", []string{"Scoop"}},
		{"/usr/bin/atelier", "linux", []string{"Debian, Ubuntu", "Fedora, openSUSE", "Alpine"}},
		{"/home/x/.local/bin/atelier", "linux", []string{"npm", "Homebrew", "Debian, Ubuntu", "Fedora, openSUSE", "Alpine", "install.sh", "an archive"}},
		{"C:/Tools/atelier.exe", "windows", []string{"npm", "Scoop", "install.ps1", "an archive"}},
		{"", "darwin", []string{"npm", "Homebrew", "install.sh", "an archive"}},
	} {
		var names []string
		for line := range strings.Lines(updateLines(c.exe, c.system)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			names = append(names, name)
		}
		require.Equal(t, c.names, names, c.exe)
	}
}
