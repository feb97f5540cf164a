package libreoffice

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"atelier/formats"
	"atelier/internal/budget"
	"atelier/internal/childgroup"
)

const (
	// timeout bounds one conversion.
	timeout = 2 * time.Minute
	// memory is what a conversion waits for: 220 MiB for a document of 300 pages.
	memory = 256 << 20
)

// findProgram finds LibreOffice; macOS and Windows do not put it on the path.
func findProgram() (string, error) {
	path, err := exec.LookPath("soffice")
	if err == nil {
		return path, nil
	}
	var usual []string
	switch runtime.GOOS {
	case "darwin":
		usual = []string{"/Applications/LibreOffice.app/Contents/MacOS/soffice"}
	case "windows":
		for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)")} {
			usual = append(usual, filepath.Join(root, "LibreOffice", "program", "soffice.exe"))
		}
	}
	for _, p := range usual {
		if st, serr := os.Stat(p); serr == nil && !st.IsDir() {
			return p, nil
		}
	}
	return "", err
}

// Installed reports whether LibreOffice can be called.
func Installed() bool {
	_, err := findProgram()
	return err == nil
}

// Convert makes a file of another format (pdf, xlsx …; or with an export filter
// and its options, as LibreOffice's --convert-to takes them) in dir, which must
// be empty but for the input and is the caller's to remove. No macro of the
// document runs, and nothing is fetched from the network. A failure is a
// CodeUnsupported error that says what LibreOffice could not do.
func Convert(ctx context.Context, path, format, dir string) (string, error) {
	soffice, err := findProgram()
	if err != nil {
		return "", formats.Errorf(formats.CodeUnsupported, "LibreOffice is not installed")
	}
	_, mem, err := budget.Process.Reserve(ctx, memory)
	if err != nil {
		return "", err
	}
	defer mem.Release()
	mem.Outside()
	run, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out := filepath.Join(dir, "out")
	profile := filepath.Join(dir, "profile")
	if err := makeProfile(profile); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(run, soffice, "-env:UserInstallation="+fileURL(profile), "--headless", "--norestore", "--convert-to", format, "--outdir", out, path)
	cmd.Dir = dir
	// What it leaves behind when it is killed is removed with dir.
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir)
	cmd.WaitDelay = 5 * time.Second
	childgroup.Own(cmd)
	err = childgroup.Run(cmd)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case run.Err() != nil:
		return "", formats.Errorf(formats.CodeUnsupported, "LibreOffice did not finish within %s", timeout)
	case childgroup.Killed(cmd):
		return "", formats.Errorf(formats.CodeUnavailable, "LibreOffice was killed, as the system does when memory is short (its log says so); try again later")
	case err != nil:
		return "", formats.Errorf(formats.CodeUnsupported, "LibreOffice could not convert the file: %w", err)
	}
	base := filepath.Base(path)
	ext, _, _ := strings.Cut(format, ":")
	made := filepath.Join(out, strings.TrimSuffix(base, filepath.Ext(base))+"."+ext)
	if _, err := os.Stat(made); err != nil {
		return "", formats.Errorf(formats.CodeUnsupported, "LibreOffice could not read the file")
	}
	return made, nil
}

// fileURL returns the URL of an absolute path; on Windows C:\x is file:///C:/x.
func fileURL(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}
