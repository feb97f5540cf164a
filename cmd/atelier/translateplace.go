package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/translate"
)

// translatePlace are the flags of translating in place: into the draft of a
// folder, which is then reviewed and published or discarded.
type translatePlace struct {
	on bool
	in string
	wb *workshop.Workbench
}

func (f *translatePlace) add(fl *pflag.FlagSet) {
	fl.BoolVar(&f.on, "in-place", false, "put translations in the originals' places in the draft of --in, for review and publish, instead of copies below --out")
	fl.StringVar(&f.in, "in", ".", "folder to work on, with --in-place")
}

func (f *translatePlace) check(all *translateFlags) error {
	switch {
	case !f.on && f.in != ".":
		return errors.New("--in names the folder of --in-place: add that, or leave it out")
	case f.on && all.out != "":
		return errors.New("--in-place and --out exclude each other")
	case f.on && len(all.to) > 1:
		return errors.New("--in-place takes one language; use --out for several")
	}
	return nil
}

// enter opens the folder's workbench; leave gives it free.
func (f *translatePlace) enter(ctx context.Context, e *engine.Engine, all *translateFlags) (leave func(), err error) {
	if !f.on {
		return func() {}, nil
	}
	if f.wb, err = e.OpenFolder(ctx, f.in); err != nil {
		return nil, err
	}
	unlock, err := f.wb.Begin(workshop.ActTranslation)
	if err != nil {
		return nil, err
	}
	dir := translate.StateDir(f.wb)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		unlock()
		return nil, err
	}
	if all.memory == "" {
		all.memory = filepath.Join(dir, "memory.db")
	}
	return unlock, nil
}

// documents are those of paths, which are of the host or below the folder.
func (f *translatePlace) documents(ctx context.Context, opt *translate.Options, paths []string) (err error) {
	if !f.on {
		return nil
	}
	where := translate.DraftOptions{To: opt.To}
	for _, p := range paths {
		path, err := f.path(ctx, p)
		if err != nil {
			return err
		}
		where.Paths = append(where.Paths, path)
	}
	opt.Ledger = filepath.Join(translate.StateDir(f.wb), "job.db")
	opt.Documents, err = translate.InDraft(f.wb, where)
	return err
}

func (f *translatePlace) path(ctx context.Context, arg string) (workshop.Path, error) {
	p, err := draftPath(ctx, f.wb, arg)
	if err != nil || p == "." {
		return "", err
	}
	return workshop.ParseStrict(p)
}

// inputs names the documents of a job, as they are on the host.
func (f *translateFlags) inputs(ctx context.Context, paths []string) ([]string, error) {
	opt := translate.Options{To: f.to, Out: f.out}
	if err := f.place.documents(ctx, &opt, paths); err != nil {
		return nil, err
	}
	docs, err := translate.Inputs(ctx, opt, paths)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range docs {
		p, err := f.onHost(d)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (f *translateFlags) onHost(d translate.Document) (string, error) {
	if f.place.on {
		return filepath.Abs(filepath.Join(f.place.wb.Root(), filepath.FromSlash(d.Path)))
	}
	return filepath.Abs(d.Path)
}

// wasListed reports whether a document is one of those that the model may be
// sent, and did not come after that was known.
func (f *translateFlags) wasListed(d translate.Document) bool {
	p, err := f.onHost(d)
	return err == nil && f.listed[p]
}

// client is that of the model, once its consent is there. Nothing is asked for a
// dry run, whose client sends nothing.
func (f *translateFlags) client(ctx context.Context, e *engine.Engine, model string, paths []string, ask consenter) (llm.Client, string, error) {
	for {
		docs, err := f.inputs(ctx, paths)
		if err != nil {
			return nil, "", err
		}
		client, key, err := e.Client(ctx, model, docs)
		if err == nil || client != nil && f.dryRun {
			f.listed = make(map[string]bool, len(docs))
			for _, d := range docs {
				f.listed[d] = true
			}
			return client, key, nil
		}
		// Then once more: documents may have come while the person was reading.
		if err := ask.allow(ctx, err, func(*engine.ErrorInfo) error { return e.GrantFiles(ctx, model, docs, true) }); err != nil {
			return nil, "", err
		}
	}
}

func (f *translatePlace) tell(out io.Writer) {
	if f.on {
		fmt.Fprintf(out, "The translations are in the draft: atelier review --in %[1]s shows them, atelier publish --in %[1]s puts them in place.\n", f.in)
	}
}
