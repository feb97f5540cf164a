package workshop

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultHome returns the data folder of this user: on Linux atelier in
// $XDG_DATA_HOME or ~/.local/share, on macOS Atelier in ~/Library/Application
// Support, on Windows Atelier in %LocalAppData%. A folder that an older version made
// in %AppData% is used as long as there is none in %LocalAppData%; see RoamingHome.
func DefaultHome() (string, error) {
	switch runtime.GOOS {
	case "linux":
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "atelier"), nil
		}
		home, err := os.UserHomeDir()
		return filepath.Join(home, ".local", "share", "atelier"), err
	case "windows":
		return windowsHome(os.UserCacheDir, os.UserConfigDir)
	}
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "Atelier"), err
}

// RoamingHome returns the data folder that older versions made in %AppData% on
// Windows, and where it belongs now; "" where there is none. Windows copies %AppData%
// between machines in some networks, and the databases of a data folder would be
// copied at each logon.
func RoamingHome() (roaming, local string) {
	if runtime.GOOS != "windows" {
		return "", ""
	}
	return roamingHome(os.UserCacheDir, os.UserConfigDir)
}

// windowsHome is DefaultHome on Windows; the functions return %LocalAppData% and
// %AppData%.
func windowsHome(localDir, roamingDir func() (string, error)) (string, error) {
	roaming, local := roamingHome(localDir, roamingDir)
	if roaming != "" && (local == "" || !isFolder(local)) {
		return roaming, nil
	}
	if local == "" {
		return "", errors.New("%LocalAppData% is not set")
	}
	return local, nil
}

// roamingHome is RoamingHome on Windows.
func roamingHome(localDir, roamingDir func() (string, error)) (roaming, local string) {
	if dir, err := localDir(); err == nil {
		local = filepath.Join(dir, "Atelier")
	}
	if dir, err := roamingDir(); err == nil {
		if roaming = filepath.Join(dir, "Atelier"); roaming == local || !isFolder(roaming) {
			roaming = ""
		}
	}
	return roaming, local
}

func isFolder(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}
