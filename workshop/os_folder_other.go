//go:build !linux

package workshop

import (
	"io/fs"
	"os"
)

// openedDir is an open folder, whose entries are reached by their names relative to it.
type openedDir struct{ root *os.Root }

// openDir opens a folder below a root.
func openDir(root *os.Root, name string) (*openedDir, error) {
	sub, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &openedDir{sub}, nil
}

// folder opens a folder inside this one.
func (d *openedDir) folder(name string) (*openedDir, error) { return openDir(d.root, name) }

func (d *openedDir) Close() error { return d.root.Close() }

// each calls f with the name and type of each entry, in the order of the file system. name
// is valid during the call.
func (d *openedDir) each(f func(name []byte, isDir, regular bool)) error {
	file, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer file.Close()
	des, err := readDir(file)
	for _, e := range des {
		f([]byte(e.Name()), e.IsDir(), e.Type().IsRegular())
	}
	return err
}

// lstat looks at an entry, not through a link.
func (d *openedDir) lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

// openedFile is an open file.
type openedFile struct {
	*os.File
	size int64
}

func (f *openedFile) Size() int64 { return f.size }

// open opens a file for reading.
func (d *openedDir) open(name string) (*openedFile, fs.FileInfo, error) {
	file, err := d.root.OpenFile(name, openForReading, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return &openedFile{file, st.Size()}, st, nil
}
