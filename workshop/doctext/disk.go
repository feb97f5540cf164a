package doctext

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"atelier/formats"
	"atelier/internal/busyfile"
)

// disk stores extracted text between runs, one compressed file per document.
// Its failures are not errors: the text is extracted again.
type disk struct {
	dir string
	max int64 // bytes of all files

	mu   sync.Mutex
	size int64 // of all files; -1 before they are counted
}

// diskVersion is part of each file's name: the texts of other versions are
// not used, and are deleted when space is needed.
const diskVersion = "3"

const diskExt = ".zst"

// head is the first line of a file; the addresses and the text follow it.
type head struct {
	Kind      formats.Kind
	Parts     []Part
	Cut       bool
	Blank     int
	Addresses int // bytes of them
}

func (d *disk) path(key string) string {
	return filepath.Join(d.dir, key[:2], strings.ReplaceAll(key[2:], " ", "-")+"-"+diskVersion+diskExt)
}

func (d *disk) get(key string) (Doc, bool) {
	path := d.path(key)
	packed, err := os.ReadFile(path)
	if err != nil {
		return Doc{}, false
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(4*MaxText), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return Doc{}, false
	}
	defer r.Close()
	b, err := r.DecodeAll(packed, nil)
	if err != nil {
		return Doc{}, false
	}
	first, text, ok := bytes.Cut(b, []byte("\n"))
	var h head
	if !ok || json.Unmarshal(first, &h) != nil || h.Addresses < 0 || h.Addresses > len(text) {
		return Doc{}, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // the most recently used stay longest
	return Doc{Kind: h.Kind, Text: string(text[h.Addresses:]), Parts: h.Parts, At: string(text[:h.Addresses]), Cut: h.Cut, Blank: h.Blank}, true
}

func (d *disk) put(key string, doc Doc) {
	first, err := json.Marshal(head{doc.Kind, doc.Parts, doc.Cut, doc.Blank, len(doc.At)})
	if err != nil {
		return
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return
	}
	packed := w.EncodeAll(slices.Concat(first, []byte("\n"), []byte(doc.At), []byte(doc.Text)), nil)
	w.Close()
	path := d.path(key)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), "tmp-*")
	if err != nil {
		return
	}
	_, err = f.Write(packed)
	if cerr := f.Close(); err != nil || cerr != nil || busyfile.Rename(f.Name(), path) != nil {
		os.Remove(f.Name())
		return
	}
	d.makeRoom(int64(len(packed)))
}

// makeRoom adds n bytes to the size and deletes the oldest files if the total
// exceeds the limit.
func (d *disk) makeRoom(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size >= 0 {
		if d.size += n; d.size <= d.max {
			return
		}
	}
	type file struct {
		path string
		size int64
		at   time.Time
	}
	var files []file
	d.size = 0
	_ = filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		st, err := e.Info()
		if err != nil {
			return nil
		}
		if !strings.HasSuffix(path, diskExt) && time.Since(st.ModTime()) > time.Hour {
			os.Remove(path) // left by a crash
			return nil
		}
		d.size += st.Size()
		files = append(files, file{path, st.Size(), st.ModTime()})
		return nil
	})
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.path, b.path)) })
	if d.size <= d.max {
		return
	}
	for _, f := range files {
		if d.size <= d.max*4/5 {
			return
		}
		if os.Remove(f.path) == nil {
			d.size -= f.size
		}
	}
}
