//go:build linux

package workshop

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// again runs a test of this file in a process of its own, with fewer rights or
// less space than this one has. It reports whether this is that process.
func again(t *testing.T, attr *syscall.SysProcAttr) (child bool) {
	t.Helper()
	const mark = "ATELIER_TEST_AGAIN"
	if os.Getenv(mark) == t.Name() {
		return true
	}
	dir, err := os.MkdirTemp("", "again") // not t.TempDir: others may not enter it
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"="+t.Name(), "TMPDIR="+dir)
	cmd.SysProcAttr = attr
	if attr != nil && attr.Credential != nil { // the test binary may lie where others cannot look
		self := filepath.Join(dir, "self")
		b, err := os.ReadFile("/proc/self/exe")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(self, b, 0o755))
		cmd.Path, cmd.Dir = self, dir
	}
	out, err := cmd.CombinedOutput()
	switch {
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("%s", out)
	case cmd.ProcessState == nil:
		t.Skip("a process of its own user namespace cannot be started: ", err)
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS")
	return false
}

// tmpfs mounts a small file system, or skips.
func tmpfs(t *testing.T, size string) string {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("mounting a small tmpfs needs root or user namespaces: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// ownMounts is a process that may mount without being root of the machine.
func ownMounts() *syscall.SysProcAttr {
	id := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	gid := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: id, GidMappings: gid}
}

// fill leaves n bytes free in dir, and returns how to free the rest again.
func fill(t *testing.T, dir string, n int64) (free func()) {
	path := filepath.Join(dir, "filler")
	var st syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &st))
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	if size := int64(st.Bavail)*st.Bsize - n; size > 0 {
		_, err = f.Write(make([]byte, size))
		require.NoError(t, err)
	}
	return func() { require.NoError(t, os.Remove(path)) }
}

// K-07: the folder of the user is full: nothing is published, nothing is lost,
// and once there is space it works.
func TestK07RootFull(t *testing.T) {
	if !again(t, ownMounts()) {
		return
	}
	dir := tmpfs(t, "1m")
	r := &rig{t: t, home: t.TempDir(), dir: filepath.Join(dir, "work")}
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("old"), 0o644))
	r.open()
	defer func() { r.h.Close() }()
	r.put("a.txt", "new")
	r.put("new/b.txt", strings.Repeat("b", 200<<10))
	free := fill(t, dir, 100<<10)
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.ErrorIs(t, err, ErrDiskFull)
	require.Len(t, AsFault(err).Paths, 1)
	require.Equal(t, map[string]string{"a.txt": "old"}, r.disk())
	require.Equal(t, "new", content(t, r.draft(), "a.txt"))
	free()
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"a.txt": "new", "new/b.txt": strings.Repeat("b", 200<<10)}, r.disk())
	r.verified()
}

// K-07: the folder of the state is full, at whatever point of the work: each
// call succeeds wholly or says that the disk is full, reading works, and once
// there is space everything does.
func TestK07StateFull(t *testing.T) {
	if !again(t, ownMounts()) {
		return
	}
	refused := map[string]int{}
	for left := int64(0); left <= 240<<10; left += 8 << 10 {
		dir := tmpfs(t, "2m")
		r := &rig{t: t, home: filepath.Join(dir, "home"), dir: t.TempDir()}
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("old"), 0o644))
		r.open()
		r.say("u-1", TypeUser)
		r.put("a.txt", "new")
		free := fill(t, dir, left)
		r.workWhileFull(refused)
		free()
		require.NoError(t, r.wb.Conversation().Append(Record{Type: TypeUser, MessageID: "u-9", Text: "after"}))
		r.put("b.txt", "after")
		r.publish(PublishOptions{})
		require.Equal(t, tree(t, r.draft()), r.disk())
		r.verified()
		r.reopen()
		require.Empty(t, r.wb.Recovered())
		_, err := r.wb.UndoTo(ctx, "u-1")
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a.txt": "old"}, r.disk())
		require.NoError(t, r.h.Close())
		require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH))
	}
	t.Log("refused: ", refused)
	for _, call := range []string{"put", "say", "publish", "checkpoint"} {
		require.Positive(t, refused[call], "%s was never refused: the test tests nothing", call)
	}
}

// workWhileFull makes calls that may be refused for want of space, and checks
// after each that it was done wholly or not at all.
func (r *rig) workWhileFull(refused map[string]int) {
	t := r.t
	type seen struct {
		draft, disk map[string]string
		said        string
	}
	look := func() seen { return seen{tree(t, r.draft()), r.disk(), fmt.Sprint(r.ids())} }
	big := strings.Repeat("x", 60<<10)
	put := func(p string) error {
		_, err := r.draft().Put(ctx, Path(p), PutOptions{}, text(big))
		return err
	}
	for _, call := range []struct {
		name  string
		do    func() error
		after func(*seen)
	}{
		{"put", func() error { return put("big.txt") }, func(s *seen) { s.draft["big.txt"] = big }},
		{"say", func() error {
			return r.wb.Conversation().Append(Record{Type: TypeUser, MessageID: "u-2", Text: big})
		}, func(s *seen) { s.said = "[u-1 u-2]" }},
		{"publish", func() error { _, err := r.wb.Publish(ctx, PublishOptions{}); return err }, func(s *seen) { s.disk = maps.Clone(s.draft) }},
		{"checkpoint", func() error { _, err := r.wb.CreateCheckpoint(ctx, "x"); return err }, func(*seen) {}},
		{"put", func() error { return put("again.txt") }, func(s *seen) { s.draft["again.txt"] = big }},
	} {
		before := look()
		err := call.do()
		now := look()
		after := before
		after.draft = maps.Clone(before.draft)
		call.after(&after)
		if err == nil {
			require.Equal(t, after, now, call.name)
			continue
		}
		refused[call.name]++
		require.ErrorIs(t, err, ErrDiskFull, call.name)
		if call.name == "publish" && strings.Contains(err.Error(), "could not be recorded") {
			require.Equal(t, after, now, call.name)
			continue
		}
		require.Equal(t, before, now, call.name)
	}
}

// K-07 without mounting: a process may not write files beyond a size, which the
// system refuses as it does a full disk.
func TestK07FileSizeLimit(t *testing.T) {
	if !again(t, nil) {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	limit := func(n uint64) {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: old.Max}))
	}
	r := newRig(t, map[string]string{"a.txt": "old"})
	r.say("u-1", TypeUser)
	r.put("a.txt", "new")
	r.put("b.txt", strings.Repeat("b", 10<<10))
	limit(2 << 10)
	_, err := r.draft().Put(ctx, "c.txt", PutOptions{}, text(strings.Repeat("c", 4<<10)))
	require.ErrorIs(t, err, ErrDiskFull, "an object")
	_, err = r.draft().Put(ctx, "c.txt", PutOptions{}, text("c"))
	require.ErrorIs(t, err, ErrNotWritable, "the database")
	_, err = r.wb.Publish(ctx, PublishOptions{})
	require.Error(t, err)
	require.True(t, strings.HasPrefix(err.Error(), "nothing was published"), "%v", err)
	require.Error(t, r.wb.Conversation().Append(Record{Type: TypeUser, MessageID: "u-2", Text: strings.Repeat("u", 4<<10)}))
	require.Equal(t, []string{"u-1"}, r.ids())
	require.Equal(t, map[string]string{"a.txt": "old"}, r.disk())
	require.Equal(t, "new", content(t, r.draft(), "a.txt"))
	limit(old.Cur)
	r.say("u-2", TypeUser)
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"a.txt": "new", "b.txt": strings.Repeat("b", 10<<10)}, r.disk())
	r.verified()
}

// K-07 as a user without rights: folders and files that may not be written or
// read.
func TestK07Permissions(t *testing.T) {
	var attr *syscall.SysProcAttr
	if os.Getuid() == 0 {
		attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if !again(t, attr) {
		return
	}
	require.NotZero(t, os.Getuid())
	files := map[string]string{"a.txt": "1", "d/b.txt": "2", "secret.txt": "3"}
	r := newRig(t, files)
	sub := filepath.Join(r.dir, "d")
	r.put("a.txt", "A")
	r.put("d/b.txt", "B")

	require.NoError(t, os.Chmod(sub, 0o555))
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.ErrorIs(t, err, ErrNotWritable, "a folder that is read-only")
	require.Equal(t, []string{"d/b.txt"}, AsFault(err).Paths)
	require.Equal(t, files, r.disk())
	require.NoError(t, os.Chmod(sub, 0o755))

	require.NoError(t, os.Chmod(r.dir, 0o555))
	_, err = r.wb.Publish(ctx, PublishOptions{})
	require.ErrorIs(t, err, ErrNotWritable, "a root that is read-only")
	require.Equal(t, files, r.disk())
	require.NoError(t, os.Chmod(r.dir, 0o755))

	secret := filepath.Join(r.dir, "secret.txt")
	require.NoError(t, os.Chmod(secret, 0))
	es, err := r.draft().List(ctx, "", ListOptions{Recursive: true})
	require.NoError(t, err, "one unreadable file does not hide the others")
	require.Equal(t, "unreadable", es[len(es)-1].Refused)
	_, err = r.draft().Open(ctx, "secret.txt")
	require.ErrorIs(t, err, ErrNotReadable)
	_, err = r.draft().Put(ctx, "secret.txt", PutOptions{}, text("x"))
	require.ErrorIs(t, err, ErrNotReadable)
	_, err = r.wb.CreateCheckpoint(ctx, "x")
	require.ErrorIs(t, err, ErrNotReadable, "a checkpoint that leaves a file out is none")
	require.NoError(t, os.Chmod(secret, 0o644))

	require.NoError(t, os.Chmod(r.wb.objects.dir, 0o555))
	_, err = r.draft().Put(ctx, "c.txt", PutOptions{}, text("c"))
	require.ErrorIs(t, err, ErrNotWritable, "a data folder that is read-only")
	require.NoError(t, os.Chmod(r.wb.objects.dir, 0o700))
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"a.txt": "A", "d/b.txt": "B", "secret.txt": "3"}, r.disk())
	r.verified()
}
