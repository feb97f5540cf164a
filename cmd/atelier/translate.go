package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/formats"
	"atelier/workshop/translate"
)

type translateFlags struct {
	to                             []string
	from, out                      string
	engine                         string
	reports                        []string
	jobs                           int
	force, dryRun, strict          bool
	failOnFlagged                  bool
	masters, sheetNames, sentences bool
	glossary, memory               string
	tmx, keep                      []string
	tmxOut                         string
	instructions                   string
	rate, tokenRate                int
	priceIn, priceOut              float64
	budget                         budgetFlags
	review                         translateReview
	place                          translatePlace
	cluster                        clusterFlags
}

func newTranslate(s *settings) *cobra.Command {
	var f translateFlags
	cmd := &cobra.Command{
		Use:   "translate PATH… --to LANG --out DIR",
		Short: "Write translated copies of documents and folders",
		Long: `Translates documents (folders with their structure) into copies below --out that
keep formatting, formulas, charts and pictures. Originals are never touched.

What is done is kept in --out/.atelier: a job that is stopped continues where it
was, and a second run does again only what changed or failed. Texts that occur
often are translated once, and the translation memory is asked first.

Without an API key the built-in offline model is used: it marks text instead of
translating it, which shows what a model would be given.`,
		Example: `  atelier translate testdata/documents --to en --out translated
  atelier translate report.docx --from es --to en,de --out translated --model gpt-5
  atelier translate contracts --to es --out translated --glossary terms.csv --report report.json
  atelier translate contracts --to es --in-place --in .
  atelier translate contracts --to es --out translated --dry-run --price-in 1.25 --price-out 10
  atelier translate contracts --to es --out translated --model gpt-5 --cluster nats://10.0.0.1:4222`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, s, args) },
	}
	f.add(cmd.Flags())
	cmd.Flags().Lookup("jobs").Usage = "documents at once; with --cluster 16 where it is not given"
	f.cluster.addOnly(cmd.Flags(), "let the workers of a cluster (atelier worker) ask the model")
	return cmd
}

// add adds the flags of a translation.
func (f *translateFlags) add(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.to, "to", nil, "target language or languages, such as en or en,de")
	fl.StringVar(&f.from, "from", "", "language of the originals; left out, the model sees for itself")
	fl.StringVar(&f.out, "out", "", "folder for the translated copies")
	fl.StringVar(&f.engine, "engine", "", "model, pseudo, apertium (when installed) or none (people translate: --xliff-out, --xliff-in); left out, model when a key is set, else pseudo")
	fl.IntVar(&f.jobs, "jobs", 2, "documents at once")
	fl.StringArrayVar(&f.reports, "report", nil, "write a report to this file: a page when it ends in .html, else JSON; - for standard output; may be repeated")
	fl.BoolVar(&f.force, "force", false, "do again what an earlier run finished, and replace what is in the way")
	fl.BoolVar(&f.dryRun, "dry-run", false, "count words, repetitions, memory hits and estimated tokens; ask and write nothing")
	fl.StringVar(&f.glossary, "glossary", "", "terms to use: a CSV or TBX file")
	fl.StringArrayVar(&f.keep, "do-not-translate", nil, "what stays as it is: a word, a wildcard, /a regular expression/ or @file of them; may be repeated")
	fl.StringVar(&f.instructions, "instructions", "", "what the model is to mind: text, or @file")
	fl.StringVar(&f.memory, "memory", "", "translation memory to use and fill; left out, one of the output folder")
	fl.StringArrayVar(&f.tmx, "tmx", nil, "a TMX file to read into the translation memory first; may be repeated")
	fl.StringVar(&f.tmxOut, "tmx-out", "", "write the translation memory to this TMX file at the end")
	fl.BoolVar(&f.strict, "strict", false, "leave in the source language what misses a term or a number, instead of flagging it")
	fl.BoolVar(&f.failOnFlagged, "fail-on-flagged", false, "exit with 1 when a person should look at a document: a segment has a flag, of this run or an earlier one")
	fl.BoolVar(&f.masters, "masters", false, "pptx: texts of masters and layouts too")
	fl.BoolVar(&f.sentences, "sentences", false, "translate sentence by sentence: more repetitions and memory hits, less context")
	fl.BoolVar(&f.sheetNames, "sheet-names", false, "xlsx: names of sheets too")
	fl.IntVar(&f.rate, "rate", 0, "requests a minute at most, of all documents together; 0: as the endpoint allows")
	fl.IntVar(&f.tokenRate, "token-rate", 0, "tokens a minute at most")
	fl.Float64Var(&f.priceIn, "price-in", 0, "money for a million tokens to the model, for the cost in reports; default: the price in config.json")
	fl.Float64Var(&f.priceOut, "price-out", 0, "money for a million tokens from the model; default: the price in config.json")
	f.budget.addTo(fl, "tokens the translation may use, then it ends and keeps what is done; the same command continues",
		"money the translation may use, as --max-tokens; needs a price", "time the translation may use, such as 2h, as --max-tokens")
	f.review.add(fl)
	f.place.add(fl)
}

func (f *translateFlags) check() error {
	switch {
	case len(f.to) == 0:
		return errors.New("--to is required: the language to translate into, such as --to en")
	case f.out == "" && !f.place.on:
		return errors.New("--out is required: the folder for the translated copies")
	case f.engine != "" && f.engine != "model" && f.engine != "pseudo" && f.engine != "apertium" && f.engine != "none":
		return fmt.Errorf("unknown engine %q: use model, pseudo, apertium or none", f.engine)
	case f.jobs < 1 || f.jobs > 256:
		return fmt.Errorf("--jobs %d: give a number from 1 to 256", f.jobs)
	case f.rate < 0 || f.tokenRate < 0 || f.priceIn < 0 || f.priceOut < 0:
		return errors.New("--rate, --token-rate, --price-in and --price-out cannot be negative")
	}
	if err := f.budget.check(); err != nil {
		return err
	}
	if err := errors.Join(f.review.check(f.dryRun), f.place.check(f), f.cluster.check()); err != nil {
		return err
	}
	for i, to := range f.to {
		code, err := translate.Language(to)
		if err != nil {
			return fmt.Errorf("--to: %w", err)
		}
		f.to[i] = code
	}
	if f.from != "" {
		code, err := translate.Language(f.from)
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		f.from = code
	}
	return nil
}

func (f *translateFlags) run(cmd *cobra.Command, s *settings, paths []string) error {
	if err := f.check(); err != nil {
		return usageError{err}
	}
	if err := f.makeRoom(); err != nil {
		return err
	}
	ctx := cmd.Context()
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	out := cmd.OutOrStdout()
	ask := consenter{in: bufio.NewReader(cmd.InOrStdin()), out: out, there: somebodyThere(cmd.InOrStdin(), out) && !slices.Contains(f.reports, "-")}
	job, err := f.job(ctx, s, e, paths, ask)
	if err != nil {
		return err
	}
	var bar *progress
	if f.cluster.on() {
		f.cluster.resolve(s)
		job.Cluster, job.ClusterID, job.Say = &f.cluster, f.clusterID(), func(what string) { bar.say(what) }
		if !cmd.Flags().Changed("jobs") {
			job.Params.Jobs = 0 // as many as a cluster has by default
		}
	}
	ctx, endTraces, err := f.traced(ctx, s)
	if err != nil {
		return err
	}
	defer endTraces()
	t, err := e.NewTranslation(ctx, job)
	if err != nil {
		return err
	}
	defer t.Close()
	if slices.Contains(f.reports, "-") {
		out = os.Stderr
	}
	if t.Pseudo() {
		fmt.Fprintln(out, "Engine: the built-in offline model. It marks text instead of translating it; set OPENAI_API_KEY for a real model.")
	}
	bar = newProgress(out, t.Price())
	bar.several = len(f.to) > 1
	res, err := t.Run(ctx, bar.step)
	if err != nil {
		return err
	}
	bar.clear()
	if err = f.tell(cmd, out, t, res); res.Ended != nil {
		return res.Ended
	}
	return err
}

// tell prints what a translation came to; its error is the command's.
func (f *translateFlags) tell(cmd *cobra.Command, out io.Writer, t *engine.Translation, res engine.TranslationResult) error {
	if res.XLIFF >= 0 {
		fmt.Fprintf(out, "XLIFF: %d in %s\n", res.XLIFF, f.review.xliffOut)
	}
	rep := res.Report
	if len(rep.Files) > 0 {
		printReport(out, rep, t.Price())
		f.place.tell(out)
	}
	err := errors.Join(res.Err, res.Output)
	for _, r := range f.reports {
		if r == "-" {
			err = errors.Join(err, engine.WriteTranslateReport(cmd.OutOrStdout(), rep))
		}
	}
	switch {
	case cmd.Context().Err() != nil:
		fmt.Fprintln(out, "Stopped. What is done is kept: run the same command again to continue.")
		return errSilent
	case res.Over != nil:
		return errors.Join(err, res.Over)
	case err == nil && f.failOnFlagged && rep.Flagged() > 0:
		fmt.Fprintf(out, "%s with flags: look at the segments named above, or at --report (--fail-on-flagged)\n", formats.Count(rep.Flagged(), "document"))
		return errSilent
	case err == nil && (rep.Failed() > 0 || rep.Untranslated() > 0 && !t.LeavesToPeople()):
		return errSilent
	}
	return err
}

// makeRoom makes the folders of the files that are written at the end: a job should not
// find out after hours that it can't write its report.
func (f *translateFlags) makeRoom() error {
	files := map[string]string{"--tmx-out": f.tmxOut}
	for _, r := range f.reports {
		if r != "-" {
			files["--report "+r] = r
		}
	}
	for flag, path := range files {
		if path == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			return fmt.Errorf("%s is a folder; give the name of a file", flag)
		}
	}
	return nil
}
