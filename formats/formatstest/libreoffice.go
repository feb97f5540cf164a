package formatstest

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// LibreOffice converts path to the given format ("pdf", "csv" …) and returns
// the path of the result; it skips the test where soffice is absent.
//
// Starting LibreOffice takes ten times as long as converting a small document, so
// a process of tests keeps one running. What that one does not convert is tried
// again by one started for it alone, whose messages the failed test shows.
func LibreOffice(t testing.TB, path, format string) string {
	t.Helper()
	soffice := need.Program(t, "soffice", need.LibreOffice)
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	dir := t.TempDir()
	made := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+"."+strings.SplitN(format, ":", 2)[0])
	if office.convert(soffice, path, format, dir) && hasContent(made) {
		return made
	}
	alone := t.TempDir()
	require.NoError(t, newProfile(alone))
	out, err := convertOnce(soffice, alone, path, format, dir)
	require.NoError(t, err, out)
	require.True(t, hasContent(made), "LibreOffice made nothing of %s: %s", path, out)
	return made
}

// LibreOfficeOpens fails the test when LibreOffice cannot turn path into PDF. A run
// with small samples asks it about one file in four.
func LibreOfficeOpens(t testing.TB, path string) {
	t.Helper()
	if campaign.Small() && opened.Add(1)%4 != campaign.Seed()%4 {
		return
	}
	LibreOffice(t, path, "pdf")
}

// opened counts the files that LibreOffice was to open.
var opened atomic.Uint64

func hasContent(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Size() > 0
}

// newProfile makes a user profile in dir, of a newer version as LibreOffice sees it: so it
// does not test how it draws before it starts, which takes seconds.
func newProfile(dir string) error {
	user := filepath.Join(dir, "user")
	return errors.Join(os.MkdirAll(user, 0o700), os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(`<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>9999.0</value></prop></item>
</oor:items>
`), 0o600))
}

// convertOnce converts a file with the user profile in the folder profile.
// Where a LibreOffice with that profile runs, it does the work.
func convertOnce(soffice, profile, path, format, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, soffice, "-env:UserInstallation=file://"+profile, "--headless", "--norestore", "--convert-to", format, "--outdir", dir, path)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// office is the LibreOffice that this process keeps running.
var office runningOffice

type runningOffice struct {
	mu      sync.Mutex
	started bool
	profile string         // "" when it did not start
	stdin   io.WriteCloser // it ends when this is closed, by the end of this process too
}

// keepOffice starts LibreOffice with a document open, without which it would end
// after a conversion, and ends it and its own process group with its input.
const keepOffice = `"$1" -env:UserInstallation=file://"$2"/profile --headless --norestore --nologo "$2"/open.txt </dev/null >/dev/null 2>&1 &
cat >/dev/null
kill $!
wait
rm -rf "$2"
kill -KILL 0`

// convert reports whether the running LibreOffice took the request.
func (o *runningOffice) convert(soffice, path, format, dir string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.started {
		o.started = true
		o.start(soffice)
	}
	if o.profile == "" {
		return false
	}
	if _, err := convertOnce(soffice, o.profile, path, format, dir); err != nil {
		o.profile = ""
		_ = o.stdin.Close()
		return false
	}
	return true
}

func (o *runningOffice) start(soffice string) {
	dir, err := os.MkdirTemp("", "libreoffice")
	if err != nil {
		return
	}
	if errors.Join(os.WriteFile(filepath.Join(dir, "open.txt"), []byte("open"), 0o600), newProfile(filepath.Join(dir, "profile"))) != nil {
		return
	}
	cmd := exec.Command("sh", "-c", keepOffice, "sh", soffice, dir)
	ownGroup(cmd)
	if o.stdin, err = cmd.StdinPipe(); err != nil {
		return
	}
	if err := cmd.Start(); err != nil {
		return
	}
	go func() { _ = cmd.Wait() }()
	lock := filepath.Join(dir, ".~lock.open.txt#") // it is there once the document is open
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if _, err := os.Stat(lock); err == nil {
			o.profile = filepath.Join(dir, "profile")
			return
		}
	}
	_ = o.stdin.Close()
}
