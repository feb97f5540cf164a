package main

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/internal/folderwatch"
	"atelier/llm/relay"
	"atelier/workshop/translate"
)

// notOfWatches are the flags of a translation that concern one run over everything, or
// a folder's draft.
var notOfWatches = map[string]bool{"report": true, "force": true, "dry-run": true, "tmx-out": true, "xliff-in": true, "in-place": true, "in": true, "max-time": true, "fail-on-flagged": true}

func newWatchTranslate(s *settings) *cobra.Command {
	w := &watchTranslate{folderWork: folderWork{s: s}}
	cmd := &cobra.Command{
		Use:   "translate DIR --to LANG --out DIR",
		Short: "Translate each document that is put into a folder or changes there",
		Long: `Watches a folder and the folders in it, and writes a translated copy of each
document that is new or has changed below --out, as 'atelier translate' does. Work on
a file begins when its size and date have been unchanged for --settle. Lock files of
office programs, hidden files, unfinished downloads, and kinds of files that cannot be
translated are ignored.

What was done is kept in --out/.atelier by content: after a restart, or a kill, no
document is forgotten or translated twice. A document that fails holds up no other;
it is tried again when it changes, and by itself if a model or a file system was the
reason. --jobs is also how many documents are taken at once. The first Ctrl-C or
SIGTERM ends the watch after the documents at work, the second stops those too;
what is done of them is kept.`,
		Example: `  atelier watch translate inbox --to es --out translated
  atelier watch translate /mnt/share/inbox --to de,fr --out translated --poll 30s --json`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return w.start(cmd, args[0]) },
	}
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	w.f.add(all)
	all.VisitAll(func(fl *pflag.Flag) {
		if !notOfWatches[fl.Name] {
			cmd.Flags().AddFlag(fl)
		}
	})
	w.how.add(cmd.Flags())
	w.f.cluster.addOnly(cmd.Flags(), "let the workers of a cluster (atelier worker) ask the model")
	return cmd
}

// watchTranslate translates what comes into a folder.
type watchTranslate struct {
	folderWork
	f translateFlags

	tokens int64 // used so far
	cost   float64
	said   atomic.Value // of the cluster, last: a string
}

func (w *watchTranslate) start(cmd *cobra.Command, dir string) error {
	if err := errors.Join(w.f.check(), w.how.check()); err != nil {
		return usageError{err}
	}
	ctx, end, err := w.f.traced(cmd.Context(), w.s)
	if err != nil {
		return err
	}
	defer end()
	cmd.SetContext(ctx)
	return w.run(cmd, dir, w.f.out, w.f.jobs, w)
}

// refuse says which files are not documents to translate.
func (w *watchTranslate) refuse(rel string, folder bool) string {
	why, name := w.refuseAlways(rel, folder)
	if why != "" || folder || translate.Wanted(name) {
		return why
	}
	return "files that cannot be translated" + extOf(name)
}

// prepare checks what the flags name before the first document comes, reads --tmx
// into the memory, and returns the recipe of the translations.
func (w *watchTranslate) prepare(ctx context.Context) (recipe, note string, err error) {
	if err := w.f.makeRoom(); err != nil {
		return "", "", err
	}
	t, err := w.job(ctx, nil)
	if err != nil {
		return "", "", err
	}
	defer t.Close()
	w.f.tmx = nil
	if t.Pseudo() {
		note = "Engine: the built-in offline model. It marks text instead of translating it; set OPENAI_API_KEY for a real model."
	}
	return t.Recipe(), note, nil
}

// job is the translation of files.
func (w *watchTranslate) job(ctx context.Context, files []folderwatch.File) (*engine.Translation, error) {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	job, err := w.f.job(ctx, w.s, w.e, paths, consenter{})
	if err != nil {
		return nil, err
	}
	job.Root, job.Title = w.dir, titleOf([]string{w.dir})
	if w.f.cluster.on() {
		w.f.cluster.resolve(w.s)
		job.Cluster, job.ClusterID, job.Say = &w.f.cluster, w.f.clusterID(), w.say
	}
	if b := job.Params.Budget; b != nil {
		left := *b
		left.Tokens, left.Cost = max(0, b.Tokens-w.tokens), max(0, b.Cost-w.cost)
		if b.Tokens > 0 && left.Tokens == 0 || b.Cost > 0 && left.Cost == 0 {
			return nil, errWatchBudget
		}
		job.Params.Budget = &left
	}
	return w.e.NewTranslation(ctx, job)
}

// say tells what a person should know of the cluster, once.
func (w *watchTranslate) say(what string) {
	if w.said.Swap(what) != what {
		w.tell.line(watchEvent{Event: "note", Text: what})
	}
}

var errWatchBudget = errors.New("the budget of the watch is used: --max-tokens and --max-cost limit one start of it; start it again to continue")

// work translates files that settled and records what became of each. Its error ends
// the watch.
func (w *watchTranslate) work(ctx context.Context, files []folderwatch.File) error {
	for _, f := range files {
		w.tell.begun(f)
	}
	t, err := w.job(ctx, files)
	if err != nil {
		return w.failed(ctx, files, err)
	}
	defer t.Close()
	res, err := t.Run(ctx, func(translate.Progress) {})
	w.tokens += int64(res.Report.Total.PromptTokens + res.Report.Total.CompletionTokens)
	w.cost += res.Report.Total.Cost
	if err == nil && ctx.Err() == nil && res.Over == nil && res.Ended == nil {
		err = res.Err // nothing was begun, such as while another job is at work below --out
	}
	if err != nil {
		return w.failed(ctx, files, err)
	}
	canceled := errors.Is(res.Ended, relay.ErrCanceled)
	byInput := map[string][]translate.FileReport{}
	for _, r := range res.Report.Files {
		byInput[r.Input] = append(byInput[r.Input], r)
	}
	for _, f := range files {
		made := byInput[f.Path]
		o := w.outcome(made, t.LeavesToPeople())
		if o.Failed != "" && (ctx.Err() != nil || res.Over != nil || canceled) {
			o = folderwatch.Outcome{Undone: true}
		}
		if err := w.record(ctx, f, made, o); err != nil {
			return err
		}
	}
	if res.Output != nil {
		w.tell.problem(res.Output)
	}
	switch {
	case res.Over != nil:
		return errors.Join(res.Over, errWatchBudget)
	case canceled:
		return res.Ended
	case res.Ended != nil:
		w.tell.problem(res.Ended)
	}
	return nil
}

// outcome is what the languages of one document came to together.
func (w *watchTranslate) outcome(made []translate.FileReport, toPeople bool) (o folderwatch.Outcome) {
	if len(made) == 0 {
		return folderwatch.Outcome{Failed: "it could not be read", Again: true}
	}
	rep := translate.Report{Files: made}
	if rep.Failed() == 0 && rep.Untranslated() > 0 && !toPeople {
		return folderwatch.Outcome{Failed: "nothing was translated: every segment was left in the source language"}
	}
	o.Again = true
	for _, r := range made {
		if r.Status == translate.StatusFailed {
			o.Failed = r.Error
			o.Again = o.Again && r.Retryable
		}
	}
	return o
}

// record stores and tells the outcome of a file.
func (w *watchTranslate) record(ctx context.Context, f folderwatch.File, made []translate.FileReport, o folderwatch.Outcome) error {
	retry, err := w.folderWork.record(ctx, f, o)
	if err == nil {
		w.tell.ended(f, made, o, retry)
	}
	return err
}

// failed is about a job that could not begin. What will not change by itself ends the
// watch; else the files are tried again.
func (w *watchTranslate) failed(ctx context.Context, files []folderwatch.File, err error) error {
	var info *engine.ErrorInfo
	final := errors.Is(err, errWatchBudget) || errors.As(err, &info) && slices.Contains([]string{engine.CodeEgressConsent, engine.CodeEgressBlocked}, info.ErrorCode)
	o := folderwatch.Outcome{Failed: err.Error(), Again: true}
	if final || ctx.Err() != nil {
		o = folderwatch.Outcome{Undone: true}
	}
	for _, f := range files {
		if rerr := w.record(ctx, f, nil, o); rerr != nil {
			return rerr
		}
	}
	if final {
		return err
	}
	return nil
}
