package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/folderwatch"
	"atelier/workshop/agent/runerr"
)

// watchRun has a model do one task with each document that comes into a folder.
type watchRun struct {
	folderWork
	f    runFlags
	to   string // --out
	jobs int
	only []string // patterns of names
	task string
	id   string // the recipe

	mu     sync.Mutex // protects the fields below
	tokens int64      // used so far
	cost   float64
	stale  bool // workbenches are open that are not needed now
	swept  bool // what is left of documents that are gone is removed
}

// notOfRunWatches are the flags of a run that concern a folder's draft or a person.
var notOfRunWatches = []string{"in", "plan", "web"}

func newWatchRun(s *settings) *cobra.Command {
	w := &watchRun{folderWork: folderWork{s: s}}
	cmd := &cobra.Command{
		Use:   "run DIR {TEXT | -} --out DIR",
		Short: "Have the model do a task with each document that is put into a folder or changes there",
		Long: `Watches a folder and the folders in it, and has the model do what TEXT (with -, the
text on standard input) says with each document that is new or has changed. Each
document is worked on alone, in a draft of a copy: the watched folder does not change.
Below --out are then the changed document, NAME.review.html with the changes,
NAME.answer.md with what the model said, and in NAME.files what else it wrote. A file
of another content that is there already stays; the result gets a number.

The model is told that no person can answer, and calls that need an approval are refused.
What was done is kept in --out/.atelier by content: after a restart, or a kill, no
document is forgotten, and a run that was interrupted is continued. A document that
fails holds up no other; it is tried again when it changes, and by itself if a model or
a file system was the reason. --max-tokens and --max-cost limit one start of the watch,
--max-time each document. The first Ctrl-C or SIGTERM ends the watch after the
documents at work, the second stops those too; what is done of them is kept.`,
		Example: `  atelier watch run inbox "Correct the spelling" --out corrected
  atelier watch run inbox - --out summaries --only '*.docx' --only '*.pdf' < task.txt`,
		Args: usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return w.start(cmd, args) },
	}
	var all cobra.Command
	w.f.add(&all)
	all.Flags().VisitAll(func(fl *pflag.Flag) {
		if !slices.Contains(notOfRunWatches, fl.Name) {
			cmd.Flags().AddFlag(fl)
		}
	})
	cmd.Flags().Lookup("max-tokens").Usage = "tokens that one start of the watch may use"
	cmd.Flags().Lookup("max-cost").Usage = "money that one start of the watch may use; the model's price must be in config.json"
	cmd.Flags().Lookup("max-time").Usage = "time of work that a document may use, such as 10m"
	cmd.Flags().StringVar(&w.to, "out", "", "folder for the results (required)")
	cmd.Flags().StringArrayVar(&w.only, "only", nil, "work only on files whose names fit this pattern, such as '*.docx' (repeatable)")
	cmd.Flags().IntVar(&w.jobs, "jobs", 1, "documents at once")
	w.how.add(cmd.Flags())
	return cmd
}

func (w *watchRun) start(cmd *cobra.Command, args []string) error {
	if err := errors.Join(w.check(), w.how.check()); err != nil {
		return usageError{err}
	}
	task := args[1:]
	if err := readTask(cmd, task); err != nil {
		return err
	}
	if w.task = strings.TrimSpace(task[0]); w.task == "" {
		return usageError{errors.New("say what to do with each document: atelier watch run DIR TEXT --out DIR")}
	}
	return w.run(cmd, args[0], w.to, w.jobs, w)
}

func (w *watchRun) check() error {
	switch {
	case w.to == "":
		return errors.New("say where the results go: --out DIR")
	case w.jobs < 1 || w.jobs > 16:
		return fmt.Errorf("--jobs %d: give a number from 1 to 16", w.jobs)
	}
	for _, p := range w.only {
		if _, err := path.Match(p, "a"); err != nil {
			return fmt.Errorf("--only %q: %w", p, err)
		}
	}
	return w.f.check()
}

// prepare returns the recipe: the task, the model and how the model works.
func (w *watchRun) prepare(ctx context.Context) (recipe, note string, err error) {
	if err := w.e.Missing(ctx, w.s.model); err != nil { // every document would fail
		return "", "", err
	}
	b, err := json.Marshal([]any{"run", w.task, w.s.model, w.s.baseURL, w.f.catalogue, w.f.workflow, w.f.allowTools})
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(b)
	w.id = hex.EncodeToString(sum[:])
	if w.s.model == engine.PseudoModel {
		note = "Model: the built-in offline one, which does little; set OPENAI_API_KEY for a real model."
	}
	return w.id, note, nil
}

// refuse says which files are not documents.
func (w *watchRun) refuse(rel string, folder bool) string {
	why, name := w.refuseAlways(rel, folder)
	switch {
	case why != "" || folder:
		return why
	case len(w.only) > 0 && !slices.ContainsFunc(w.only, func(p string) bool { ok, _ := path.Match(p, name); return ok }):
		return "files that --only leaves out"
	case formats.KindOfName(name) == formats.KindBinary:
		return "files that are not documents" + extOf(name)
	}
	return ""
}

// work does the task with files that settled. Its error ends the watch.
func (w *watchRun) work(ctx context.Context, files []folderwatch.File) error {
	if err := w.renew(); err != nil {
		return err
	}
	if !w.swept {
		w.swept = true
		if err := w.sweep(ctx); err != nil {
			w.tell.problem(fmt.Errorf("what is left of documents that are gone stays: %w", err))
		}
	}
	budget, err := w.share(len(files))
	if err != nil {
		return errors.Join(err, w.undone(ctx, files))
	}
	errs := make([]error, len(files))
	var all sync.WaitGroup
	for i, f := range files {
		w.tell.begun(f)
		all.Go(func() { errs[i] = w.one(ctx, f, budget) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (w *watchRun) undone(ctx context.Context, files []folderwatch.File) (err error) {
	for _, f := range files {
		_, rerr := w.record(ctx, f, folderwatch.Outcome{Undone: true})
		err = errors.Join(err, rerr)
	}
	return err
}

// renew closes the workbenches of documents that wait to be tried again: there may be
// many while an endpoint does not answer.
func (w *watchRun) renew() (err error) {
	if !w.stale {
		return nil
	}
	w.stale = false
	w.e.Close()
	w.e, err = w.s.engine()
	return err
}

// share is the budget of each of n documents, nil for none.
func (w *watchRun) share(n int) (*engine.Budget, error) {
	b := w.f.budget.budget()
	if b == nil {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if b.Tokens > 0 && w.tokens >= b.Tokens || b.Cost > 0 && w.cost >= b.Cost {
		return nil, errWatchBudget
	}
	if b.Tokens > 0 {
		b.Tokens = max(1, (b.Tokens-w.tokens)/int64(n))
	}
	if b.Cost > 0 {
		b.Cost = (b.Cost - w.cost) / float64(n)
	}
	return b, nil
}

// one does the task with a file, and records and tells what became of it.
func (w *watchRun) one(ctx context.Context, f folderwatch.File, budget *engine.Budget) error {
	r := folderRun{w: w, f: f, budget: budget}
	err := r.do(ctx)
	o, final := w.outcomeOf(ctx, err)
	if o.Undone || o.Again {
		w.mu.Lock()
		w.stale = true
		w.mu.Unlock()
	} else if cerr := r.clear(context.WithoutCancel(ctx)); cerr != nil {
		w.tell.problem(fmt.Errorf("%s: its working copy stays: %w", f.Rel, cerr))
	}
	retry, rerr := w.record(ctx, f, o)
	if rerr != nil {
		return rerr
	}
	w.tell.ran(f, r.made, o, retry)
	if final {
		return err
	}
	return nil
}

// outcomeOf classifies the error of a run; final ends the watch.
func (w *watchRun) outcomeOf(ctx context.Context, err error) (o folderwatch.Outcome, final bool) {
	if err == nil {
		return o, false
	}
	var info *engine.ErrorInfo
	code, again := "", true // an error of the file system may pass
	if errors.As(err, &info) {
		code, again = info.ErrorCode, info.Retryable
	}
	switch {
	case ctx.Err() != nil:
		return folderwatch.Outcome{Undone: true}, false
	case code == runerr.CodeEgressConsent || code == runerr.CodeEgressBlocked:
		return folderwatch.Outcome{Undone: true}, true
	case code == runerr.CodeBudget && (w.f.budget.tokens > 0 || w.f.budget.cost > 0):
		return folderwatch.Outcome{Undone: true}, true
	}
	again = again || slices.Contains([]string{runerr.CodeAuthFailed, runerr.CodeNotConfigured, runerr.CodeUnavailable, runerr.CodeNetwork, runerr.CodeWriteFailed, runerr.CodeDiskFull}, code)
	return folderwatch.Outcome{Failed: err.Error(), Again: again}, false
}
