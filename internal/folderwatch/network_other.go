//go:build !linux

package folderwatch

// networkOf returns "": only Linux says so.
func networkOf(string) string { return "" }
