//go:build unix

package regularfile

import (
	"os"
	"syscall"
)

const flags = os.O_RDONLY | syscall.O_NONBLOCK
