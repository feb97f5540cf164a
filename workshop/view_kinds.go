package workshop

import (
	"context"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"atelier/formats"
)

// kinds caches the kinds of files whose names promise none, so that a listing
// reads each of them once. The zero value is ready; it is safe for concurrent use.
type kinds struct {
	mu        sync.Mutex // protects the fields below
	published map[Path]seenKind
	objects   map[string]formats.Kind // by hash
}

type seenKind struct {
	looks
	kind formats.Kind
}

// mostKinds bounds each map of a cache; a full one is emptied.
const mostKinds = 50_000

func (k *kinds) ofPublished(p Path, l looks) (formats.Kind, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.published[p]
	return s.kind, ok && s.looks == l
}

func (k *kinds) keepPublished(p Path, l looks, kind formats.Kind) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.published == nil || len(k.published) >= mostKinds {
		k.published = map[Path]seenKind{}
	}
	k.published[p] = seenKind{l, kind}
}

func (k *kinds) ofObject(hash string) (formats.Kind, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kind, ok := k.objects[hash]
	return kind, ok
}

func (k *kinds) keepObject(hash string, kind formats.Kind) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.objects == nil || len(k.objects) >= mostKinds {
		k.objects = map[string]formats.Kind{}
	}
	k.objects[hash] = kind
}

// setKind gives an entry its kind and media type: those that its name promises,
// otherwise those of the content that of finds. Content that cannot be read is
// binary.
func (e *Entry) setKind(of func() formats.Kind) {
	e.Kind = formats.KindOfName(e.Name())
	if e.Kind == formats.KindBinary && e.Refused == "" {
		e.Kind = of()
	}
	e.MIME = formats.MIMEOf(e.Name(), e.Kind)
}

// publishedKind returns the kind of the content of a published file that looks like
// st; name is what it is called in from.
func (wb *Workbench) publishedKind(p Path, from opener, name string, st fs.FileInfo) formats.Kind {
	l := looksOf(st)
	if k, ok := wb.kinds.ofPublished(p, l); ok {
		return k
	}
	begun := time.Now()
	f, now, err := from.openToRead(name)
	if err != nil {
		return formats.KindBinary
	}
	defer f.Close()
	if !now.Mode().IsRegular() {
		return formats.KindBinary
	}
	k, err := formats.KindOf(f, now.Size(), name)
	if err == nil && l == looksOf(now) && l.settled(begun) {
		wb.kinds.keepPublished(p, l, k)
	}
	return k
}

// opener opens files to read by the name that they have in it.
type opener interface {
	openToRead(name string) (Content, fs.FileInfo, error)
}

func (d *openedDir) openToRead(name string) (Content, fs.FileInfo, error) { return d.open(name) }

// inRoot opens files below a root.
type inRoot struct{ *os.Root }

func (r inRoot) openToRead(name string) (Content, fs.FileInfo, error) {
	f, err := r.OpenFile(name, openForReading, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return plainContent{f, st.Size()}, st, nil
}

// objectKind returns the kind of a content that the workbench keeps.
func (wb *Workbench) objectKind(hash, name string) formats.Kind {
	if k, ok := wb.kinds.ofObject(hash); ok {
		return k
	}
	f, st, err := wb.objects.openRaw(hash) // a look at the first bytes is not worth reading all of it
	if err != nil {
		return formats.KindBinary
	}
	defer f.Close()
	k, err := formats.KindOf(f, st.Size(), name)
	if err == nil {
		wb.kinds.keepObject(hash, k)
	}
	return k
}

// changedKind returns the kind of a file that changes: of its new content, or of the
// published one when it goes.
func (wb *Workbench) changedKind(ctx context.Context, p Path, newHash string) formats.Kind {
	e := Entry{Path: p}
	e.setKind(func() formats.Kind {
		if newHash != "" {
			return wb.objectKind(newHash, e.Name())
		}
		src, err := published{wb}.Open(ctx, p)
		if err != nil {
			return formats.KindBinary
		}
		defer src.Close()
		k, _ := formats.KindOf(io.ReaderAt(src), src.Size(), e.Name()) // binary, when it cannot be read
		return k
	})
	return e.Kind
}
