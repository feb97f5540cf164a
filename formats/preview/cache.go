package preview

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/formats"
	"atelier/internal/busyfile"
)

// cache keeps pdfs by the hash of the content they were made of.
type cache struct {
	dir   string // "" keeps none
	limit int64  // bytes
}

// open returns a cached file, nil when there is none. It updates the file's
// time, which says when it was last used.
func (c cache) open(key string) formats.SourceCloser {
	if c.dir == "" {
		return nil
	}
	name := filepath.Join(c.dir, key+".pdf")
	src, err := formats.OpenFile(name)
	if err != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // a hint only
	return src
}

// store moves a complete file into the cache and removes others to make room.
func (c cache) store(key, file string) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	if err := busyfile.Rename(file, filepath.Join(c.dir, key+".pdf")); err != nil {
		return err
	}
	return c.shrink(key + ".pdf")
}

// shrink removes the least recently used files until the others fit. The newest
// one stays even when it alone is too large.
func (c cache) shrink(newest string) error {
	list, err := c.files()
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var sum int64
	for _, st := range list {
		sum += st.Size()
		if sum > c.limit && st.Name() != newest {
			// One that another process has open or removed is not a reason to
			// fail.
			_ = os.Remove(filepath.Join(c.dir, st.Name()))
		}
	}
	return nil
}

func (c cache) files() ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) || c.dir == "" {
		return nil, nil
	}
	var out []fs.FileInfo
	for _, e := range entries {
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".pdf") {
			out = append(out, st)
		}
	}
	return out, err
}

func (c cache) clear(dryRun bool) (files int, bytes int64, err error) {
	list, err := c.files()
	for _, st := range list {
		if !dryRun {
			if rerr := os.Remove(filepath.Join(c.dir, st.Name())); rerr != nil {
				err = rerr
				continue
			}
		}
		files++
		bytes += st.Size()
	}
	// Files that a killed conversion left.
	if c.dir != "" && !dryRun {
		left, _ := filepath.Glob(filepath.Join(c.dir, workPrefix+"*"))
		for _, d := range left {
			if st, serr := os.Stat(d); serr == nil && time.Since(st.ModTime()) > time.Hour {
				_ = os.RemoveAll(d)
			}
		}
	}
	return files, bytes, err
}
