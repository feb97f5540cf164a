package preview

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"atelier/formats"
	"atelier/formats/libreoffice"
)

const (
	// maxOfficePages bounds what LibreOffice lays out: a workbook of 100,000
	// rows has thousands of pages and would take minutes.
	maxOfficePages = 100
	// maxOfficeBytes bounds the size of its input.
	maxOfficeBytes = 256 << 20
	// maxFailed bounds how many failures are remembered.
	maxFailed  = 256
	workPrefix = "work-"
)

var cutNote = fmt.Sprintf("LibreOffice laid out the first %d pages; there may be more", maxOfficePages)

// madeFile is a file that LibreOffice made, in the cache or in its own folder.
type madeFile struct {
	formats.SourceCloser
	work string // "" in the cache
}

func (p madeFile) Close() error {
	err := p.SourceCloser.Close()
	if p.work != "" {
		os.RemoveAll(p.work)
	}
	return err
}

// convertToPDF returns the pdf of an office file. cut says that pages were left
// out.
func (m *Maker) convertToPDF(ctx context.Context, src formats.Source) (made formats.SourceCloser, cut bool, err error) {
	return m.convertCopyToPDF(ctx, src, src.Hash(), func(w io.Writer) error { return copySource(src, w) })
}

func copySource(src formats.Source, w io.Writer) error {
	_, err := io.Copy(w, io.NewSectionReader(src, 0, src.Size()))
	return err
}

// convertCopyToPDF returns the pdf of what write makes of an office file; key stands
// for its content.
func (m *Maker) convertCopyToPDF(ctx context.Context, src formats.Source, key string, write func(io.Writer) error) (made formats.SourceCloser, cut bool, err error) {
	ext := strings.ToLower(path.Ext(src.Name()))
	key += strings.ReplaceAll(ext, ".", "-")
	if made, cut := m.cachedPDF(key); made != nil {
		return made, cut, nil
	}
	if err := m.lastFailure(key); err != nil {
		return nil, false, err
	}
	free, err := m.takeSlot(ctx, src)
	if err != nil {
		return nil, false, err
	}
	defer free()
	if made, cut := m.cachedPDF(key); made != nil { // by who had the slot before
		return made, cut, nil
	}
	work, err := m.workFolder()
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if made == nil || m.cache.dir != "" {
			os.RemoveAll(work)
		}
	}()
	file, err := convertCopy(ctx, write, ext, exportFilter(ext), work)
	if err != nil {
		if ctx.Err() == nil {
			m.rememberFailure(key, err)
		}
		return nil, false, err
	}
	if m.cache.dir == "" {
		f, err := formats.OpenFile(file)
		if err != nil {
			return nil, false, err
		}
		if cut, err = m.isCut(ctx, f); err != nil {
			f.Close()
			return nil, false, err
		}
		return madeFile{f, work}, cut, nil
	}
	f, err := formats.OpenFile(file)
	if err != nil {
		return nil, false, err
	}
	cut, err = m.isCut(ctx, f)
	f.Close()
	if err != nil {
		return nil, false, err
	}
	if cut {
		key += cutMark
	}
	if err := m.cache.store(key, file); err != nil {
		return nil, false, err
	}
	if made = m.cache.open(key); made == nil {
		return nil, false, formats.Errorf(formats.CodeUnsupported, "the pdf that LibreOffice made is gone again")
	}
	return made, cut, nil
}

// takeSlot waits until LibreOffice may run for src; the caller calls free.
func (m *Maker) takeSlot(ctx context.Context, src formats.Source) (free func(), err error) {
	if src.Size() > maxOfficeBytes {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s has %d bytes; LibreOffice is given at most %d MiB", src.Name(), src.Size(), maxOfficeBytes>>20)
	}
	select {
	case m.slots <- struct{}{}:
		return func() { <-m.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// CanConvert reports whether Convert has a program to work with.
func (m *Maker) CanConvert() bool { return !m.noLibreOffice && libreoffice.Installed() }

// Convert returns the file of another format, such as "pdf" or "docx", that
// LibreOffice makes of all of src. Closing it removes it.
func (m *Maker) Convert(ctx context.Context, src formats.Source, format string) (formats.SourceCloser, error) {
	if !m.CanConvert() {
		return nil, formats.Errorf(formats.CodeUnsupported, "LibreOffice is not installed")
	}
	free, err := m.takeSlot(ctx, src)
	if err != nil {
		return nil, err
	}
	defer free()
	work, err := m.workFolder()
	if err != nil {
		return nil, err
	}
	file, err := convertCopy(ctx, func(w io.Writer) error { return copySource(src, w) }, strings.ToLower(path.Ext(src.Name())), format, work)
	var made formats.SourceCloser
	if err == nil {
		made, err = formats.OpenFile(file)
	}
	if err != nil {
		os.RemoveAll(work)
		return nil, err
	}
	return madeFile{made, work}, nil
}

// cutMark is in the name of a kept pdf that lacks pages.
const cutMark = "-cut"

func (m *Maker) cachedPDF(key string) (formats.SourceCloser, bool) {
	if made := m.cache.open(key); made != nil {
		return made, false
	}
	if made := m.cache.open(key + cutMark); made != nil {
		return made, true
	}
	return nil, false
}

// isCut reports whether a pdf has as many pages as LibreOffice may lay out.
// An error means that this is not known.
func (m *Maker) isCut(ctx context.Context, f formats.Source) (bool, error) {
	_, err := m.drawPDF(ctx, f, Request{Page: maxOfficePages - 1, Scale: MinScale})
	if ctx.Err() != nil || formats.Passing(err) {
		return false, err
	}
	return err == nil, nil
}

// workFolder is on the volume of the cache, so that a rename can move into it.
func (m *Maker) workFolder() (string, error) {
	if m.cache.dir == "" {
		return os.MkdirTemp("", "atelier-preview-")
	}
	if err := os.MkdirAll(m.cache.dir, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(m.cache.dir, workPrefix)
}

// convertCopy converts a file that write fills: LibreOffice must not see those of the
// person.
func convertCopy(ctx context.Context, write func(io.Writer) error, ext, filter, work string) (string, error) {
	in := filepath.Join(work, "document"+ext)
	f, err := os.OpenFile(in, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", err
	}
	return libreoffice.Convert(ctx, in, filter, work)
}

// exportFilter limits the pages; each application has its own filter.
func exportFilter(ext string) string {
	app, more := "writer", ""
	switch ext {
	case ".xlsx", ".xlsm", ".xltx", ".xls", ".ods":
		app = "calc"
	case ".pptx", ".pptm", ".potx", ".ppsx", ".ppt", ".odp":
		// Hidden slides too, so that pages count as slides do.
		app, more = "impress", `,"ExportHiddenSlides":{"type":"boolean","value":"true"}`
	case ".svg":
		app = "draw"
	}
	return fmt.Sprintf(`pdf:%s_pdf_Export:{"PageRange":{"type":"string","value":"1-%d"}%s}`, app, maxOfficePages, more)
}

func (m *Maker) lastFailure(key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed[key]
}

func (m *Maker) rememberFailure(key string, err error) {
	if formats.CodeOf(err) == "" || formats.Passing(err) {
		return // the disk or the memory, not the document
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.failed) >= maxFailed {
		clear(m.failed)
	}
	m.failed[key] = err
}
