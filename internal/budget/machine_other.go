//go:build !linux && !darwin && !windows

package budget

// physical returns the memory of the machine in bytes, 0 when it is not known.
func physical() int64 { return 0 }
