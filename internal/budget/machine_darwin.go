package budget

import "golang.org/x/sys/unix"

// physical returns the memory of the machine in bytes, 0 when it is not known.
func physical() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
