package translate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"atelier/formats"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/xliff"
)

// NotTaken is the flag of a unit of an XLIFF document that could not be used.
const NotTaken check.Code = "xliff"

// Returned are the XLIFF documents that came back from people: Given is for
// Options.Given.
type Returned struct {
	opt  Options
	from Files

	mu    sync.Mutex // protects used
	files []returnedFile
	bad   []FileReport
}

// returnedFile is one <file> of an XLIFF document.
type returnedFile struct {
	path  string
	index int // 0-based, in the document
	xliff.File
	used bool
}

// OpenReturned indexes the XLIFF documents (*.xlf, *.xliff) below dir, or the one
// that dir names, for a job. Documents that cannot be read are in Unused.
func OpenReturned(ctx context.Context, files Files, dir string, opt Options) (*Returned, error) {
	b := &Returned{opt: opt, from: files}
	names, err := files.XLIFF(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := b.index(ctx, name); err != nil {
			b.bad = append(b.bad, FileReport{Input: name, Status: StatusFailed, Error: err.Error()})
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no XLIFF document (*.xlf) in %s", dir)
	}
	return b, nil
}

func (b *Returned) index(ctx context.Context, path string) error {
	f, err := b.from.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := xliff.NewReader(f)
	if err != nil {
		return err
	}
	var files []returnedFile
	for i := 0; ; i++ {
		file, err := r.NextFile() // reads to the end: a cut document is refused here
		if errors.Is(err, io.EOF) && len(files) == 0 {
			return errors.New("the XLIFF document holds no file")
		}
		if errors.Is(err, io.EOF) {
			b.files = append(b.files, files...)
			return nil
		}
		if err != nil {
			return err
		}
		files = append(files, returnedFile{path: path, index: i, File: file})
	}
}

// speaks reports whether a file is for a language of the job. Some tools add a
// region, es-ES for es: that will do where the job has no such language.
func (b *Returned) speaks(f returnedFile, to string) bool {
	if strings.EqualFold(f.To, to) {
		return true
	}
	for _, other := range b.opt.To {
		if strings.EqualFold(f.To, other) {
			return false
		}
	}
	return len(f.To) > len(to) && strings.EqualFold(f.To[:len(to)+1], to+"-")
}

// find is the file of a document in a language: by its name, else by its hash.
func (b *Returned) find(d Document, hash, to string) (*returnedFile, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, same := range []func(returnedFile) bool{
		func(f returnedFile) bool { return f.Original == d.Rel },
		func(f returnedFile) bool { return f.Hash != "" && f.Hash == hash },
	} {
		var found *returnedFile
		for i := range b.files {
			f := &b.files[i]
			if !b.speaks(*f, to) || !same(*f) {
				continue
			}
			if found != nil {
				return nil, fmt.Errorf("two XLIFF documents are for %s in %s: %s and %s; leave one", d.Rel, to, found.path, f.path)
			}
			found = f
		}
		if found != nil {
			found.used = true
			return found, nil
		}
	}
	return nil, nil
}

// Given gives what came back for a document.
func (b *Returned) Given(ctx context.Context, d Document, src formats.Source, to string) (Given, error) {
	file, err := b.find(d, src.Hash(), to)
	if file == nil || err != nil {
		return Given{}, err
	}
	kind, err := b.opt.Formats.Detect(ctx, src)
	if err != nil {
		return Given{}, err
	}
	if kind.Segmenter == nil {
		return Given{}, nil // the job says so
	}
	segs, err := kind.Segmenter.Segments(ctx, src, b.opt.Segments)
	if err != nil {
		return Given{}, err
	}
	m, err := b.merge(ctx, file, src.Hash(), segs)
	if err != nil {
		return Given{}, fmt.Errorf("%s: %w", file.path, err)
	}
	g := Given{Targets: map[string]GivenTarget{}}
	for id, a := range m.Accepted {
		g.Targets[id] = GivenTarget{Target: a.Target, Confirmed: a.State.ByPerson()}
	}
	for _, r := range m.Refused {
		g.Flags = append(g.Flags, Flag{Segment: r.ID, Place: r.Place, Code: NotTaken, Source: r.Source, Target: r.Target, Reason: "not taken from " + filepath.Base(file.path) + ": " + r.Reason})
	}
	return g, nil
}

func (b *Returned) merge(ctx context.Context, f *returnedFile, hash string, segs []formats.Segment) (xliff.Merged, error) {
	in, err := b.from.Open(ctx, f.path)
	if err != nil {
		return xliff.Merged{}, err
	}
	defer in.Close()
	r, err := xliff.NewReader(in)
	for i := 0; err == nil && i <= f.index; i++ {
		_, err = r.NextFile()
	}
	if err != nil {
		return xliff.Merged{}, err
	}
	return xliff.Merge(r, hash, segs)
}

// Unused are the XLIFF documents that no document of the job used, as failed
// files of a report.
func (b *Returned) Unused() []FileReport {
	out := slices.Clone(b.bad)
	for _, f := range b.files {
		if !f.used {
			out = append(out, FileReport{Input: f.path, Language: f.To, Status: StatusFailed, Error: fmt.Sprintf("the job has no document %s in %s", f.Original, f.To)})
		}
	}
	return out
}
