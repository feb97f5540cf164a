package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/formats"
	"atelier/workshop/translate"
	"atelier/workshop/translate/translator"
	"atelier/workshop/translate/xliff"
)

// translateReview are the flags of what people get to review, and give back.
type translateReview struct {
	xliffOut, xliffIn string
	version           string // of what is written
	returned          *translate.Returned
}

func (f *translateReview) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.xliffOut, "xliff-out", "", "folder for an XLIFF document of each translation, for people to review")
	fl.StringVar(&f.version, "xliff-version", "", "XLIFF version that --xliff-out writes: 2.1 or 1.2, for older tools; left out, 2.1 (--xliff-in reads both)")
	fl.StringVar(&f.xliffIn, "xliff-in", "", "folder of XLIFF documents that people have reviewed: what they say goes before everything else")
}

func (f *translateReview) check(dryRun bool) error {
	if f.xliffOut != "" && dryRun {
		return errors.New("--xliff-out writes and --dry-run does not: leave one out")
	}
	if f.version != "" && f.xliffOut == "" {
		return errors.New("--xliff-version is of what --xliff-out writes: add that, or leave it out; --xliff-in sees the version for itself")
	}
	if f.version != "" && !slices.Contains(xliff.Versions, xliff.Version(f.version)) {
		return fmt.Errorf("--xliff-version %s: use 2.1 or 1.2", f.version)
	}
	return nil
}

// open reads what came back, before anything is translated.
func (f *translateReview) open(opt *translate.Options) (err error) {
	if f.xliffIn == "" {
		return nil
	}
	if f.returned, err = translate.OpenReturned(context.Background(), translate.HostFiles{}, f.xliffIn, *opt); err != nil {
		return fmt.Errorf("--xliff-in: %w", err)
	}
	opt.Given = f.returned.Given
	return nil
}

// finish adds to the report what was not used, and writes what people review.
func (f *translateReview) finish(ctx context.Context, out io.Writer, rep *translate.Report, opt translate.Options) error {
	if f.returned != nil && ctx.Err() == nil {
		rep.Files = append(rep.Files, f.returned.Unused()...)
	}
	if f.xliffOut == "" || len(rep.Files) == 0 {
		return nil
	}
	// A job that was stopped gives what it has.
	ctx = context.WithoutCancel(ctx)
	l, err := openLedger(ctx, opt)
	if err != nil {
		return err
	}
	defer l.Close()
	n, err := translate.WriteXLIFF(ctx, translate.HostFiles{}, l, *rep, opt, f.xliffOut, xliff.Version(f.version))
	if err == nil {
		fmt.Fprintf(out, "XLIFF: %d in %s\n", n, f.xliffOut)
	}
	return err
}

func openLedger(ctx context.Context, opt translate.Options) (*translate.Ledger, error) {
	if opt.Ledger != "" {
		return translate.OpenLedger(ctx, opt.Ledger)
	}
	return translate.OpenLedger(ctx, filepath.Join(opt.Out, filepath.FromSlash(translate.LedgerName)))
}

// isPage says whether a report is to be a page for people.
func isPage(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".html" || ext == ".htm"
}

// writeTranslatePage writes the report as a page.
func writeTranslatePage(ctx context.Context, path string, rep translate.Report, opt translate.Options, inputs []string) (err error) {
	var l *translate.Ledger
	if !rep.DryRun {
		if l, err = openLedger(ctx, opt); err != nil {
			return err
		}
		defer l.Close()
	}
	title := formats.Count(len(inputs), "file and folder", "files and folders")
	if len(inputs) == 1 {
		title = filepath.Base(inputs[0])
		if abs, err := filepath.Abs(inputs[0]); err == nil {
			title = filepath.Base(abs)
		}
	}
	err = writeOut(path, forAll, func(w io.Writer) error {
		return translate.WritePage(context.WithoutCancel(ctx), w, l, rep, opt, translate.PageOptions{Title: title, Made: time.Now(), Version: engine.Version})
	})
	if err != nil {
		err = fmt.Errorf("--report: %w", err)
	}
	return err
}

// handsOut reports whether the job is meant to leave the texts to people, who get
// them as XLIFF.
func (f *translateReview) handsOut(opt translate.Options) bool {
	_, none := opt.Engine.(translator.None)
	return none && f.xliffOut != ""
}
