package libreoffice

import (
	_ "embed"
	"os"
	"path/filepath"
)

// settingsFile is the settings of each profile: a document is not trusted, so
// nothing in it may run or reach out. Linked pictures and sections are not
// fetched, links to other books are not updated, and the proxy is a closed
// port in case something uses the network anyway. The last version that used the
// profile is said to be newer than any: with a profile of an older version, or a new
// one, LibreOffice first tests how it draws, for about seven times as long as it takes
// to convert a document. Each version ignores settings that it does not know.
//
//go:embed registrymodifications.xcu
var settingsFile []byte

// makeProfile writes the settings into dir, a profile to be.
func makeProfile(dir string) error {
	user := filepath.Join(dir, "user")
	if err := os.MkdirAll(user, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), settingsFile, 0o600)
}
