//go:build unix

package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// works is a program that says its version.
const works = "#!/bin/sh\necho 'atelier 9.9.9 (protocol 1)'\n"

// release serves a release of a program; answer, if any, answers other requests first
// and reports whether it did.
func release(t *testing.T, program string, answer func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	name := fmt.Sprintf("atelier_9.9.9_%s_%s", runtime.GOOS, runtime.GOARCH)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	archive := tar.NewWriter(z)
	require.NoError(t, archive.WriteHeader(&tar.Header{Name: name + "/atelier", Mode: 0o755, Size: int64(len(program))}))
	_, err := archive.Write([]byte(program))
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	require.NoError(t, z.Close())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case answer != nil && answer(w, r):
		case strings.HasSuffix(r.URL.Path, "_SHA256SUMS"):
			fmt.Fprintf(w, "%x  %s.tar.gz\n", sha256.Sum256(b.Bytes()), name)
		case strings.HasSuffix(r.URL.Path, ".tar.gz"):
			_, _ = w.Write(b.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return strings.Replace(srv.URL, "[::1]", "localhost", 1)
}

// installer returns a command that installs from an address, with short limits.
func installer(t *testing.T, from string, args ...string) *exec.Cmd {
	t.Helper()
	b, err := os.ReadFile("install.sh")
	require.NoError(t, err)
	text := string(b)
	for from, to := range map[string]string{"stall=30 ": "stall=1 ", "longest=1800 ": "longest=4 ", "largest=314572800 ": "largest=1048576 ", "--retry 2": "--retry 0", "--tries=2": "--tries=1"} {
		require.Contains(t, text, from)
		text = strings.Replace(text, from, to, 1)
	}
	script := filepath.Join(t.TempDir(), "install.sh")
	require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sh", append([]string{script, "--version", "9.9.9", "--from", from}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// only requires that the program is all that is in a folder.
func only(t *testing.T, dir, program string) {
	t.Helper()
	in, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, in, 1)
	b, err := os.ReadFile(filepath.Join(dir, "atelier"))
	require.NoError(t, err)
	require.Equal(t, program, string(b))
}

// In folders of any name, and for others to start it. What the script says to enter
// brings the folder into PATH, and does nothing else.
func TestFolders(t *testing.T) {
	from := release(t, works, nil)
	for name, umask := range map[string]string{"a b": "077", `it's "$(touch evil)" ` + "`touch evil`\n" + `back\slash`: "000", "-dash": "022"} {
		cmd := installer(t, from, "--dir", name)
		cmd.Args = append([]string{"sh", "-c", `umask ` + umask + `; exec "$@"`, "sh"}, cmd.Args...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		dir := filepath.Join(cmd.Dir, name)
		only(t, dir, works)
		for _, path := range []string{dir, filepath.Join(dir, "atelier")} {
			st, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o755), st.Mode().Perm())
		}
		_, hint, ok := strings.Cut(string(out), "such as with: ")
		require.True(t, ok, "%s", out)
		sh := exec.CommandContext(t.Context(), "sh", "-c", hint+"printf '%s' \"$PATH\"")
		sh.Dir = cmd.Dir
		path, err := sh.Output()
		require.NoError(t, err, hint)
		require.Equal(t, dir+":"+os.Getenv("PATH"), string(path))
		require.NoFileExists(t, filepath.Join(cmd.Dir, "evil"))
	}
	cmd := installer(t, from, "--dir", "x:y")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), "cannot be in PATH")

	home := installer(t, from)
	bin := filepath.Join(home.Dir, ".local", "bin")
	home.Env = append(home.Env, "HOME="+home.Dir, "PATH="+bin+":"+os.Getenv("PATH"))
	out, err = home.CombinedOutput()
	require.NoError(t, err)
	only(t, bin, works)
	require.NotContains(t, string(out), "PATH", "it is in PATH, and comes first")
}

// What cannot be done is said, and changes nothing.
func TestRefuses(t *testing.T) {
	from := release(t, works, nil)
	says := func(cmd *exec.Cmd, want string) {
		t.Helper()
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "%s", out)
		require.Contains(t, string(out), want)
		temp, err := os.ReadDir(strings.TrimPrefix(cmd.Env[len(os.Environ())+1], "TMPDIR="))
		require.NoError(t, err)
		require.Empty(t, temp)
	}
	folder := installer(t, from, "--dir", "bin")
	require.NoError(t, os.MkdirAll(filepath.Join(folder.Dir, "bin", "atelier"), 0o755))
	says(folder, "bin/atelier is a folder")
	in, err := os.ReadDir(filepath.Join(folder.Dir, "bin", "atelier"))
	require.NoError(t, err)
	require.Empty(t, in)

	homeless := installer(t, from)
	homeless.Env = append(homeless.Env, "HOME=")
	says(homeless, "HOME is not set")
	says(installer(t, from, "--version", "../../etc"), "not a version")
	says(installer(t, from, "--version", "1.0.0"), "do not name")

	// One that does not run leaves the old one in its place.
	broken := installer(t, release(t, "#!/bin/sh\nexit 1\n", nil), "--dir", "bin")
	bin := filepath.Join(broken.Dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "atelier"), []byte("old"), 0o755))
	says(broken, "does not run")
	only(t, bin, "old")

	// So does a signal before the rename.
	mark := filepath.Join(t.TempDir(), "mark")
	stopped := installer(t, release(t, "#!/bin/sh\n: >'"+mark+"'\nsleep 30\n", nil), "--dir", bin)
	require.NoError(t, stopped.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(mark); return err == nil }, 30*time.Second, 5*time.Millisecond)
	require.NoError(t, syscall.Kill(-stopped.Process.Pid, syscall.SIGTERM))
	require.Error(t, stopped.Wait())
	only(t, bin, "old")
}

// A server that hangs, sends without end, or redirects to an address that anybody on
// the way can answer for, has the script end with a word, with curl and with wget.
func TestServers(t *testing.T) {
	hold := make(chan struct{})
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }))
	t.Cleanup(plain.Close)
	from := release(t, works, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasPrefix(r.URL.Path, "/hangs"):
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		case strings.HasPrefix(r.URL.Path, "/endless"):
			for block := make([]byte, 64<<10); r.Context().Err() == nil; {
				if _, err := w.Write(block); err != nil {
					return true
				}
			}
		case strings.HasPrefix(r.URL.Path, "/away"):
			http.Redirect(w, r, plain.URL, http.StatusFound)
		default:
			return false
		}
		return true
	})
	t.Cleanup(func() { close(hold) })
	tools := map[string]string{"curl": os.Getenv("PATH")}
	wget := need.Program(t, "wget", "wget")
	path := t.TempDir()
	require.NoError(t, os.Symlink(wget, filepath.Join(path, "wget")))
	for _, name := range []string{"sh", "uname", "mktemp", "rm", "cp", "mv", "mkdir", "chmod", "awk", "sha256sum", "shasum", "cut", "tar", "gzip", "head", "tail", "grep", "sed", "timeout"} {
		if full, err := exec.LookPath(name); err == nil {
			require.NoError(t, os.Symlink(full, filepath.Join(path, name)))
		}
	}
	tools["wget"] = path
	for tool, path := range tools {
		for server, want := range map[string]string{"hangs": "cannot be downloaded", "endless": "cannot be downloaded", "away": map[string]string{"curl": "cannot be downloaded", "wget": "does not begin with https"}[tool]} {
			t.Run(tool+" "+server, func(t *testing.T) {
				t.Parallel()
				cmd := installer(t, from+"/"+server, "--dir", "bin")
				cmd.Env = append(cmd.Env, "PATH="+path)
				out, err := cmd.CombinedOutput()
				require.Error(t, err)
				require.Contains(t, string(out), want)
				require.NoDirExists(t, filepath.Join(cmd.Dir, "bin"))
			})
		}
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			cmd := installer(t, from, "--dir", "bin")
			cmd.Env = append(cmd.Env, "PATH="+path)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			only(t, filepath.Join(cmd.Dir, "bin"), works)
		})
	}
}

// Several at once leave a whole program and nothing else.
func TestAtOnce(t *testing.T) {
	from, dir := release(t, works, nil), t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		cmd := installer(t, from, "--dir", dir)
		all.Go(func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	only(t, dir, works)
}
