package clustertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"atelier/internal/need"
)

// Disk is a file system of a node that can lose power: what was not synced to it is then gone.
type Disk struct {
	Dir   string
	image string
	t     testing.TB
}

// The request with which ext4 stops at once (include/uapi/linux/ext4.h): nothing that is in
// memory, its journal too, is written any more.
const (
	ext4Shutdown   = 0x8004587d // _IOR('X', 125, __u32)
	ext4NoLogFlush = 2
)

// NewDisks makes empty disks of ext4, each in a file, and mounts them; a test that may not
// mount is skipped.
func NewDisks(t testing.TB, n int, megabytes int64) (disks []*Disk) {
	t.Helper()
	mkfs := need.Program(t, "mkfs.ext4", "e2fsprogs")
	for range n {
		d := &Disk{t: t, image: filepath.Join(t.TempDir(), "disk")}
		if err := os.WriteFile(d.image, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(d.image, megabytes<<20); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(mkfs, "-q", "-F", "-m", "0", d.image).CombinedOutput(); err != nil {
			t.Fatalf("mkfs.ext4: %v: %s", err, out)
		}
		d.Dir = need.Mount(t, "-o", "loop", d.image)
		disks = append(disks, d)
	}
	return disks
}

// Stores are the folders of disks, for Options.
func Stores(disks []*Disk) (dirs []string) {
	for _, d := range disks {
		dirs = append(dirs, d.Dir)
	}
	return dirs
}

// Sync writes everything to a disk.
func (d *Disk) Sync() {
	f, err := os.Open(d.Dir)
	if err == nil {
		defer f.Close()
		err = unix.Syncfs(int(f.Fd()))
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// off takes the power from a disk.
func (d *Disk) off() {
	f, err := os.Open(d.Dir)
	if err == nil {
		defer f.Close()
		err = unix.IoctlSetPointerInt(int(f.Fd()), ext4Shutdown, ext4NoLogFlush)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// on mounts a disk again, with what had been written to it.
func (d *Disk) on() {
	for _, args := range [][]string{{"umount", d.Dir}, {"mount", "-o", "loop", d.image, d.Dir}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			d.t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
}

// LosePower ends all servers, and everything on their disks that was not synced, at one time.
// Restart starts them again.
func (s *Servers) LosePower(disks []*Disk) {
	for i := range s.each {
		s.Pause(i)
	}
	for _, d := range disks {
		d.off()
	}
	for i := range s.each {
		s.Kill(i)
	}
	for _, d := range disks {
		d.on()
	}
}
