package eventlog

import "golang.org/x/sys/unix"

// bootID names the start of the system by the UUID that macOS gives each one.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
