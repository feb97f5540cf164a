package budget

import "golang.org/x/sys/unix"

// physical returns the memory of the machine in bytes, 0 when it is not known.
func physical() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}
