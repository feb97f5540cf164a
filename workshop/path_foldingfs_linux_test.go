package workshop

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldingFolder returns an empty folder on a file system that finds names in any case
// and with accents in any form, and keeps the form that a file was made with, as APFS
// does; "" where none can be mounted. Only a rename between two spellings of one file
// does nothing there: the kernel sees that both are one file and does not ask.
func foldingFolder(t *testing.T) string {
	t.Helper()
	back, dir := t.TempDir(), t.TempDir()
	root, err := fs.NewLoopbackRoot(back)
	if err != nil {
		t.Fatal(err)
	}
	f := &foldingFS{RawFileSystem: fs.NewNodeFS(root, &fs.Options{}), paths: map[uint64]string{fuse.FUSE_ROOT_ID: back}}
	server, err := fuse.NewServer(f, dir, &fuse.MountOptions{DirectMountStrict: true, DisableReadDirPlus: true})
	if err != nil {
		t.Logf("no file system can be mounted: %v", err)
		return ""
	}
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// foldingFS gives the file system below it the names as they are stored.
type foldingFS struct {
	fuse.RawFileSystem
	mu    sync.Mutex // protects paths
	paths map[uint64]string
}

func folded(name string) string { return cases.Fold().String(norm.NFC.String(name)) }

// stored returns the name that a folder has for a spelling; the spelling if it has none.
func (f *foldingFS) stored(folder uint64, name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := os.ReadDir(f.paths[folder])
	if err != nil {
		return name
	}
	for _, e := range entries {
		if folded(e.Name()) == folded(name) {
			return e.Name()
		}
	}
	return name
}

// learned keeps where a file is that the kernel has a number for.
func (f *foldingFS) learned(folder uint64, name string, out *fuse.EntryOut, status fuse.Status) fuse.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	if status.Ok() {
		f.paths[out.NodeId] = filepath.Join(f.paths[folder], name)
	}
	return status
}

func (f *foldingFS) Lookup(cancel <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	name = f.stored(h.NodeId, name)
	return f.learned(h.NodeId, name, out, f.RawFileSystem.Lookup(cancel, h, name, out))
}

func (f *foldingFS) Mkdir(cancel <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	name = f.stored(in.NodeId, name)
	return f.learned(in.NodeId, name, out, f.RawFileSystem.Mkdir(cancel, in, name, out))
}

func (f *foldingFS) Create(cancel <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	name = f.stored(in.NodeId, name)
	return f.learned(in.NodeId, name, &out.EntryOut, f.RawFileSystem.Create(cancel, in, name, out))
}

func (f *foldingFS) Unlink(cancel <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	return f.RawFileSystem.Unlink(cancel, h, f.stored(h.NodeId, name))
}

func (f *foldingFS) Rmdir(cancel <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	return f.RawFileSystem.Rmdir(cancel, h, f.stored(h.NodeId, name))
}

func (f *foldingFS) Link(cancel <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	name = f.stored(in.NodeId, name)
	return f.learned(in.NodeId, name, out, f.RawFileSystem.Link(cancel, in, name, out))
}

func (f *foldingFS) Rename(cancel <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	from, to = f.stored(in.NodeId, from), f.stored(in.Newdir, to)
	status := f.RawFileSystem.Rename(cancel, in, from, to)
	if status.Ok() {
		f.mu.Lock()
		defer f.mu.Unlock()
		before, after := filepath.Join(f.paths[in.NodeId], from), filepath.Join(f.paths[in.Newdir], to)
		for id, path := range f.paths {
			if rest, ok := strings.CutPrefix(path, before); ok && (rest == "" || rest[0] == '/') {
				f.paths[id] = after + rest
			}
		}
	}
	return status
}
