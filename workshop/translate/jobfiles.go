package translate

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"atelier/workshop"
)

// Files are the files that a job reads and writes beside its documents and their
// translations: glossaries, TMX, XLIFF and reports. They are files of the machine
// (HostFiles) or of a workbench's draft (DraftFiles). Implementations are safe
// for concurrent use.
type Files interface {
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// XLIFF returns the XLIFF documents below the folder name, or name itself
	// when it is an XLIFF document.
	XLIFF(ctx context.Context, name string) ([]string, error)
	// Write makes the file with what write produces: wholly, or not at all.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	// WriteBelow makes the file rel ('/'-separated) below the folder dir.
	WriteBelow(ctx context.Context, dir, rel string, write func(io.Writer) error) error
}

func isXLIFF(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".xlf" || ext == ".xliff"
}

// HostFiles are files of the machine.
type HostFiles struct {
	// WriteFile writes a file that a person named; it must be set.
	WriteFile func(path string, write func(io.Writer) error) error
}

// Open implements Files.
func (HostFiles) Open(_ context.Context, name string) (io.ReadCloser, error) { return os.Open(name) }

// XLIFF implements Files.
func (HostFiles) XLIFF(_ context.Context, name string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(name, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && isXLIFF(file) {
			found = append(found, file)
		}
		return err
	})
	return found, err
}

// Write implements Files.
func (h HostFiles) Write(_ context.Context, name string, write func(io.Writer) error) error {
	return h.WriteFile(name, write)
}

// WriteBelow implements Files.
func (HostFiles) WriteBelow(_ context.Context, dir, rel string, write func(io.Writer) error) error {
	file := filepath.Join(dir, filepath.FromSlash(rel))
	if err := writeAtomic(dir, file, write, func(string) error { return nil }); err != nil {
		return fmt.Errorf("%s cannot be written: %w", file, err)
	}
	return nil
}

// DraftFiles are files of a workbench as its draft has them; what is written goes
// into the draft.
func DraftFiles(wb *workshop.Workbench) Files {
	return draftFiles{wb.DraftView(workshop.Cause{Tool: "translate"})}
}

type draftFiles struct{ view workshop.View }

// readCloser reads a source from its beginning to its end.
type readCloser struct {
	io.Reader
	io.Closer
}

func (d draftFiles) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	p, err := workshop.ParseStrict(name)
	if err != nil {
		return nil, err
	}
	src, err := d.view.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	return readCloser{io.NewSectionReader(src, 0, src.Size()), src}, nil
}

func (d draftFiles) XLIFF(ctx context.Context, name string) ([]string, error) {
	p, err := workshop.ParseStrict(name)
	if err != nil {
		return nil, err
	}
	if p != "" {
		e, err := d.view.Stat(ctx, p)
		switch {
		case err != nil:
			return nil, err
		case !e.IsDir && isXLIFF(name):
			return []string{string(p)}, nil
		case !e.IsDir:
			return nil, nil
		}
	}
	list, err := d.view.List(ctx, p, workshop.ListOptions{Recursive: true, NoHash: true})
	var found []string
	for _, e := range list {
		if !e.IsDir && !e.Virtual && e.Refused == "" && isXLIFF(string(e.Path)) {
			found = append(found, string(e.Path))
		}
	}
	return found, err
}

func (d draftFiles) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	p, err := workshop.ParseStrict(name)
	if err != nil {
		return err
	}
	_, err = d.view.Put(ctx, p, workshop.PutOptions{}, write)
	if err != nil {
		err = fmt.Errorf("%s cannot be written: %w", p, err)
	}
	return err
}

func (d draftFiles) WriteBelow(ctx context.Context, dir, rel string, write func(io.Writer) error) error {
	p, err := workshop.ParseStrict(dir)
	if err != nil {
		return err
	}
	return d.Write(ctx, path.Join(string(p), rel), write)
}
