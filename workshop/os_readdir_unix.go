//go:build unix && !linux

package workshop

import (
	"errors"
	"os"
	"syscall"
)

// readDir lists a folder by name and type. ReadDir of a file opened in an
// os.Root looks every entry up, which takes longer than all the rest of a walk;
// that of the same open folder under another descriptor does not.
func readDir(f *os.File) ([]os.DirEntry, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, dupErr := -1, error(nil)
	err = conn.Control(func(own uintptr) {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if fd, dupErr = syscall.Dup(int(own)); dupErr == nil {
			syscall.CloseOnExec(fd)
		}
	})
	if err = errors.Join(err, dupErr); err != nil {
		return nil, err
	}
	d := os.NewFile(uintptr(fd), f.Name())
	defer d.Close()
	return d.ReadDir(-1)
}
