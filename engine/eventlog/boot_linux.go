package eventlog

import (
	"os"
	"strings"
)

// bootID names the start of the system: files that a killed program wrote are
// whole until the next one. "" is unknown.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
