package eventlog

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// bootID names the start of the system by its time, in 100 ns since 1601. The system
// moves that time with the clock and counts by how much, which is taken away again.
func bootID() string {
	// SYSTEM_TIMEOFDAY_INFORMATION
	var now struct {
		boot, current, zoneBias int64
		zone, reserved          uint32
		bootBias, sleepBias     int64
	}
	err := windows.NtQuerySystemInformation(windows.SystemTimeOfDayInformation, unsafe.Pointer(&now), uint32(unsafe.Sizeof(now)), nil)
	if err != nil || now.boot == 0 {
		return ""
	}
	return strconv.FormatInt(now.boot-now.bootBias, 10)
}
