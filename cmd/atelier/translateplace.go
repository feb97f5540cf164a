package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"atelier/engine"
)

// translatePlace are the flags of translating in place: into the draft of a
// folder, which is then reviewed and published or discarded.
type translatePlace struct {
	on bool
	in string
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

// enter makes the draft of the folder the place of a job: its inputs become paths
// of the workbench.
func (f *translatePlace) enter(ctx context.Context, e *engine.Engine, h *engine.HostTranslation) error {
	wb, err := e.OpenFolder(ctx, f.in)
	if err != nil {
		return err
	}
	h.Workbench = wb
	h.Inputs, err = draftPaths(ctx, wb, h.Inputs)
	return err
}

func (f *translatePlace) tell(out io.Writer) {
	if f.on {
		fmt.Fprintf(out, "The translations are in the draft: atelier review --in %[1]s shows them, atelier publish --in %[1]s puts them in place.\n", f.in)
	}
}
