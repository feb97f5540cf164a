package translate

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"atelier/formats"
)

// Document is one document to translate.
type Document struct {
	Path string // for people, and what Open takes
	Rel  string // its place below the output, '/'-separated
	Size int64  // in bytes, 0 when unknown
}

// Documents is where a job reads from and writes to: folders of the host, or a
// workbench's view and draft. Outputs are '/'-separated paths below its root.
// Implementations are safe for concurrent use.
type Documents interface {
	// List names what is to be translated.
	List(ctx context.Context) ([]Document, error)
	Open(ctx context.Context, d Document) (formats.SourceCloser, error)
	// Hash is the SHA-256 of what is at output now, "" when nothing is.
	Hash(ctx context.Context, output string) string
	// Write puts what write produces at output, wholly or not at all.
	// ready is called with its SHA-256 just before; its error ends the matter.
	Write(ctx context.Context, output string, write func(io.Writer) error, ready func(hash string) error) error
	// Where is output as a person is told.
	Where(output string) string
}

// Inputs are the documents that Run with the same options would translate.
func Inputs(ctx context.Context, opt Options, paths []string) ([]Document, error) {
	if opt.Documents == nil {
		return collect(paths, opt.Root, opt.Out)
	}
	return opt.Documents.List(ctx)
}

// folders are Documents of the host: files and folders in, a folder out.
type folders struct {
	paths []string
	root  string
	out   string
	found []Document
}

func (f *folders) List(context.Context) ([]Document, error) {
	docs, err := collect(f.paths, f.root, f.out)
	if err != nil {
		return nil, err
	}
	f.found = docs
	return docs, nil
}

func (f *folders) Open(_ context.Context, d Document) (formats.SourceCloser, error) {
	return formats.OpenFile(d.Path)
}

func (f *folders) Where(output string) string {
	return filepath.Join(f.out, filepath.FromSlash(output))
}

func (f *folders) Hash(_ context.Context, output string) string { return fileHash(f.Where(output)) }

func (f *folders) Write(_ context.Context, output string, write func(io.Writer) error, ready func(hash string) error) error {
	return writeAtomic(filepath.Join(f.out, ".atelier"), f.Where(output), write, ready)
}

// spare refuses outputs that would take an original's place.
func (f *folders) spare(outputs []string) error {
	originals := make([]os.FileInfo, len(f.found))
	for i, d := range f.found {
		originals[i], _ = os.Stat(d.Path) // nil: gone, and reported when it is opened
	}
	for _, o := range outputs {
		there, err := os.Stat(f.Where(o))
		if err != nil {
			continue // nothing is there to be replaced
		}
		for i, st := range originals {
			if st != nil && os.SameFile(st, there) {
				return fmt.Errorf("the translation would replace the original %s; choose another folder with --out", f.found[i].Path)
			}
		}
	}
	return nil
}
