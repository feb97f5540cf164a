//go:build !linux

package childgroup

// Expendable does nothing: only Linux can be told which process to end first.
func Expendable(int) {}
