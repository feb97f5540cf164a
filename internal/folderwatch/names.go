package folderwatch

import (
	"path"
	"strings"
)

// unfinished are the endings of files that a browser or a copying program has not
// finished yet; the program renames them at the end.
var unfinished = map[string]bool{
	".part": true, ".partial": true, ".crdownload": true, ".download": true, ".filepart": true, ".opdownload": true, ".!ut": true,
	".tmp": true, ".temp": true, ".swp": true, ".swx": true, ".lck": true, ".lock": true,
}

// Temporary returns why a file with this name is not a document of a person, such
// as the lock file of an office program; "" for any other name.
func Temporary(name string) string {
	switch {
	case strings.HasPrefix(name, "~$"), strings.HasPrefix(name, ".~lock."):
		return "lock files of office programs"
	case strings.HasPrefix(name, "."):
		return "hidden files"
	case strings.HasSuffix(name, "~"), strings.HasPrefix(name, "~"):
		return "temporary files and copies of editors"
	case unfinished[strings.ToLower(path.Ext(name))]:
		return "unfinished and temporary files (" + strings.ToLower(path.Ext(name)) + ")"
	}
	return ""
}
