// Package need skips a test where a program that it uses is absent, and says
// what to install. Continuous integration installs them all and sets
// ATELIER_NEEDS=all: there, what is absent fails the test.
//
//	soffice := need.Program(t, "soffice", "libreoffice-calc, -writer and -impress")
package need

import (
	"os"
	"os/exec"
	"testing"
)

// LibreOffice are the packages that have soffice.
const LibreOffice = "libreoffice-calc, libreoffice-writer and libreoffice-impress"

// Program is the path of a program; packages are those of Debian that have it.
func Program(t testing.TB, name, packages string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Absent(t, name, packages)
	}
	return path
}

// Absent skips the test, since something that packages would bring is absent.
func Absent(t testing.TB, what, packages string) {
	t.Helper()
	if os.Getenv("ATELIER_NEEDS") == "all" {
		t.Fatalf("%s is absent: install %s", what, packages)
	}
	t.Skipf("%s is absent: install %s", what, packages)
}
