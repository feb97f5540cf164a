//go:build !linux

package childgroup

// expendable does nothing: only Linux can be told which process to end first.
func expendable(int) {}
