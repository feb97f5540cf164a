package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"atelier/engine"
	"atelier/formats"
)

// job is the translation that the flags ask for, with files of the machine.
func (f *translateFlags) job(ctx context.Context, s *settings, e *engine.Engine, paths []string, ask consenter) (engine.HostTranslation, error) {
	instructions, err := f.instructionsText()
	if err != nil {
		return engine.HostTranslation{}, err
	}
	p := engine.TranslateStartParams{
		To: f.to, From: f.from, Engine: f.engine, Model: f.model(s), InPlace: f.place.on, Glossary: f.glossary, Instructions: instructions, DoNotTranslate: f.keep,
		SheetNames: f.sheetNames, Masters: f.masters, Force: f.force, Budget: f.budget.budget(), Strict: f.strict, Sentences: f.sentences, DryRun: f.dryRun,
		TMX: f.tmx, TMXOut: f.tmxOut, XLIFFIn: f.review.xliffIn, XLIFFOut: f.review.xliffOut, XLIFFVersion: f.review.version,
		Reports: slices.DeleteFunc(slices.Clone(f.reports), func(r string) bool { return r == "-" }), Jobs: f.jobs, Rate: f.rate, TokenRate: f.tokenRate,
	}
	if f.priceIn != 0 || f.priceOut != 0 {
		p.Price = &engine.TranslatePrice{Input: f.priceIn, Output: f.priceOut}
	}
	h := engine.HostTranslation{Params: p, Inputs: paths, Out: f.out, Memory: f.memory, Title: titleOf(paths), Param: flagOf, Consent: ask.allow,
		WriteFile: writeNamed}
	if f.place.on {
		err = f.place.enter(ctx, e, &h)
	}
	return h, err
}

// writeNamed writes a file that the person named.
func writeNamed(path string, write func(io.Writer) error) error {
	return writeOut(path, forAll, write)
}

// flagOf is the flag that sets a member of the params.
func flagOf(param string) string {
	if param == "reports" {
		return "--report"
	}
	return "--" + strings.ReplaceAll(param, "_", "-")
}

// instructionsText is the text of --instructions, which may name a file.
func (f *translateFlags) instructionsText() (string, error) {
	file, ok := strings.CutPrefix(f.instructions, "@")
	if !ok {
		return f.instructions, nil
	}
	b, err := formats.OpenFile(file)
	if err != nil {
		return "", fmt.Errorf("--instructions: %w", err)
	}
	defer b.Close()
	text, err := formats.ReadAll(b, 1<<20)
	if err != nil {
		return "", fmt.Errorf("--instructions: %w", err)
	}
	return string(text), nil
}

// model is the model that translates: that of --model, else the built-in one when
// there is neither a key nor an endpoint (TR-09).
func (f *translateFlags) model(s *settings) string {
	switch {
	case f.engine == "pseudo", f.engine == "" && s.model == "" && s.apiKey+s.configKey == "" && s.baseURL == "":
		return engine.PseudoModel
	case s.model != "" && !(f.engine == "model" && s.model == engine.PseudoModel):
		return s.model
	}
	return engine.DefaultModel
}

// titleOf is the title of reports about paths.
func titleOf(paths []string) string {
	if len(paths) != 1 {
		return formats.Count(len(paths), "file and folder", "files and folders")
	}
	if abs, err := filepath.Abs(paths[0]); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(paths[0])
}
