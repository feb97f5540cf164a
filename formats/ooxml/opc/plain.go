package opc

import (
	"archive/zip"
	"context"
	"io"
)

// StorePlain makes Write leave changed parts of the package undeflated, for a copy that is
// read once and dropped, as long as they have together at most limit bytes before the
// edit. Parts that are patched are deflated. It returns their names, which the edit that
// makes the last copy gives to [Edit.Deflate].
func (e *Edit) StorePlain(limit int64) (names []string) {
	e.store = map[string]bool{}
	for _, f := range e.pkg.zr.File {
		k := foldName(f.Name)
		if _, patched := e.patches[k]; patched || e.changed[k] == nil || e.pkg.byName[k] != f {
			continue
		}
		size := int64(f.UncompressedSize64)
		if data, ok := e.data[k]; ok {
			size = int64(len(data))
		}
		if limit -= size; limit < 0 {
			limit += size
			continue
		}
		e.store[k] = true
		names = append(names, f.Name)
	}
	return names
}

// Deflate makes Write deflate parts that are stored plainly, also where the edit does not
// change them.
func (e *Edit) Deflate(names []string) {
	e.deflate = map[string]bool{}
	for _, name := range names {
		e.deflate[foldName(name)] = true
	}
}

// method is how Write stores a changed part.
func (e *Edit) method(name string) uint16 {
	if e.store[foldName(name)] {
		return zip.Store
	}
	return zip.Deflate
}

// copyPart writes the part that f has.
func (e *Edit) copyPart(ctx context.Context, w io.Writer, f *zip.File) error {
	r, err := e.pkg.stream(ctx, f)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}
