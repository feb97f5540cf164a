package budget

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// physical returns the memory of the machine in bytes, 0 when it is not known.
func physical() int64 {
	// MEMORYSTATUSEX
	status := struct {
		length, load uint32
		total        uint64
		rest         [6]uint64
	}{}
	status.length = uint32(unsafe.Sizeof(status))
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(status.total)
}
