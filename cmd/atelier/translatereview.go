package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"atelier/workshop/translate/xliff"
)

// translateReview are the flags of what people get to review, and give back.
type translateReview struct {
	xliffOut, xliffIn string
	version           string // of what is written
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
