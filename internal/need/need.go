// Package need skips a test if a program that it uses is not installed, and says
// what to install. Continuous integration installs all of them and sets
// ATELIER_NEEDS=all; then a missing program fails the test.
//
//	soffice := need.Program(t, "soffice", "libreoffice-calc, -writer and -impress")
package need

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// LibreOffice names the packages that contain soffice.
const LibreOffice = "libreoffice-calc, libreoffice-writer and libreoffice-impress"

// Program returns the path of a program; packages are the Debian packages
// that contain it.
func Program(t testing.TB, name, packages string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Absent(t, name, packages)
	}
	return path
}

// Absent skips the test because something from packages is not installed.
func Absent(t testing.TB, what, packages string) {
	t.Helper()
	if os.Getenv("ATELIER_NEEDS") == "all" {
		t.Fatalf("%s is absent: install %s", what, packages)
	}
	t.Skipf("%s is absent: install %s", what, packages)
}

// Modules installs modules of npm, each with its version, into an empty folder, and
// returns the folder; their code is in node_modules.
func Modules(t testing.TB, modules ...string) (dir string) {
	t.Helper()
	npm := Program(t, "npm", "npm and nodejs")
	dir = t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, npm, append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir}, modules...)...).CombinedOutput()
	if err != nil {
		t.Log(string(out))
		Absent(t, strings.Join(modules, ", "), "them with npm, which needs a network")
	}
	return dir
}

// Node returns the module of npm that contains a version of Node for this machine, and
// the program below the folder that Modules returns. Some modules need a newer one than
// the machine has.
func Node(version string) (module, program string) {
	system := runtime.GOOS
	if system == "windows" {
		system = "win"
	}
	name := "node-" + system + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return name + "@" + version, filepath.Join("node_modules", name, "bin", "node")
}

// Symlink makes a symbolic link, or skips the test on a Windows where this user
// may not make them or which ignores the call, as Wine does.
func Symlink(t testing.TB, target, link string) {
	t.Helper()
	if !TrySymlink(t, target, link) {
		t.Skip("symbolic links cannot be made here")
	}
}

// TrySymlink makes a symbolic link, or returns false where Symlink skips the test.
func TrySymlink(t testing.TB, target, link string) bool {
	t.Helper()
	err := os.Symlink(target, link)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink == 0 {
			err = errors.New(link + " is not a link")
		}
	}
	if err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	return err == nil
}

// Signals skips the test where no signal but a kill can be sent to another process.
func Signals(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows sends no signals to processes")
	}
}

// Mount mounts a file system on a new folder until the test ends, or skips the test where
// this process may not: args are those of mount(8) before the folder.
func Mount(t testing.TB, args ...string) (dir string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("file systems are mounted by root on Linux only")
	}
	mount := Program(t, "mount", "mount")
	dir = t.TempDir()
	if out, err := exec.Command(mount, append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("a file system cannot be mounted here, as in a container without the right to: %v: %s", err, out)
	}
	t.Cleanup(func() {
		for range 50 { // a process that was killed may hold it for a moment
			if exec.Command("umount", dir).Run() == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("%s cannot be unmounted", dir)
	})
	return dir
}
