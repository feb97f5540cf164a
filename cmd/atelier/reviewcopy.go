package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"atelier/workshop"
)

// copyDraftFile copies the draft's version of a file to a new folder, to be
// opened in another program. The copy is read-only, because changes to it
// would be lost.
func copyDraftFile(ctx context.Context, wb *workshop.Workbench, out io.Writer, name string) error {
	p, err := workshop.ParseStrict(filepath.ToSlash(name))
	if err != nil {
		return err
	}
	src, err := wb.OpenVersion(ctx, p, "draft")
	if err != nil {
		return err
	}
	defer src.Close()
	dir, err := os.MkdirTemp("", "atelier-open-")
	if err != nil {
		return err
	}
	to := filepath.Join(dir, path.Base(string(p)))
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o400)
	if err == nil {
		_, err = io.Copy(f, io.NewSectionReader(src, 0, src.Size()))
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		return err
	}
	fmt.Fprintln(out, to)
	return nil
}
