package translate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"modernc.org/sqlite"

	"atelier/formats"
	"atelier/internal/budget"
	"atelier/llm"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/terms"
	"atelier/workshop/translate/translator"
)

// DefaultJobs is how many documents are translated at once.
const DefaultJobs = 2

// Options configure a run. To, Out, Formats and Engine are needed.
type Options struct {
	From    string   // language of the originals; "" lets the engine see for itself
	To      []string // languages (codes or English names); more than one gives a folder each
	Root    string   // files below it that are named by themselves keep their path below it; "": their name
	Out     string   // folder of the translated copies and of the ledger
	Jobs    int      // documents at once; 0 is DefaultJobs
	Batches int      // batches of one document that are asked for at once; 0: one
	Force   bool     // do again what an earlier run finished, and replace what is in the way
	DryRun  bool     // count only: nothing is asked and nothing written
	// Only leaves out documents for which it is false, such as those that came
	// after the others were allowed to leave the machine; nil: none.
	Only func(Document) bool
	// Withheld says why a document is not given to a model, "" where it is; nil:
	// all are. Such a document is skipped, and the report says so.
	Withheld func(Document) string
	Formats  *formats.Set
	Engine   translator.Translator

	Instructions string // for the model
	Glossary     *terms.Glossary
	Protected    *terms.Protected // do-not-translate
	Strict       bool             // refuse what is else only flagged: terms, numbers, untranslated text
	Sentences    bool             // translate sentence by sentence
	Segments     formats.SegmentOptions
	Price        Price

	Memory  *memory.Memory // filled from first, and filled; nil: none
	Suggest bool           // give the engine translations of similar texts

	// Documents is where the job reads and writes; nil: the host's paths and Out.
	Documents Documents
	// Shared keeps the texts for several processes; nil: this process works alone.
	Shared Shared
	// Ledger is the database's path; "" is LedgerName below Out.
	Ledger string
	// Given, when set, has translations by a person for a document in a
	// language. They go before everything else; a document for which there are
	// any is made anew.
	Given func(ctx context.Context, d Document, src formats.Source, to string) (Given, error)
	// Allow, when set, is asked before each batch; an error fails the document,
	// whose translations so far are kept.
	Allow func(ctx context.Context) error
	// Admit, when set, waits until a batch of a document may be begun, and returns the
	// context to ask for it with and what is called when it was asked for. Documents have
	// numbers in the order in which they should be done, so that those that are done are
	// written while others are asked for; it is called before texts are claimed.
	Admit func(ctx context.Context, document int) (context.Context, func(), error)
	// Progress, when set, is called with each step; one call at a time.
	Progress func(Progress)
}

// Run translates the files and folders of paths. The error is nil even when
// files failed (see Report.Failed); it is set when the run could not begin or
// ctx ended, with the report of what was done.
func Run(ctx context.Context, opt Options, paths []string) (Report, error) {
	rep := Report{Engine: opt.Engine.Name(), DryRun: opt.DryRun}
	if err := opt.checkLanguages(); err != nil {
		return rep, err
	}
	r := &runner{began: time.Now().Truncate(time.Millisecond), opt: opt, docs: opt.Documents, recipe: opt.recipe(), weight: semaphore.NewWeighted(heavy), seen: map[flight]bool{}}
	host, _ := r.docs.(*folders)
	if r.docs == nil {
		host = &folders{paths: paths, root: opt.Root, out: opt.Out}
		r.docs = host
	}
	docs, err := r.docs.List(ctx)
	if err != nil {
		return rep, err
	}
	if opt.Only != nil {
		docs = slices.DeleteFunc(slices.Clone(docs), func(d Document) bool { return !opt.Only(d) })
	}
	if len(docs) == 0 {
		return rep, errors.New("there is nothing to translate: no document of a kind that can be was found")
	}
	tasks := r.plan(docs, &rep)
	if host != nil {
		outputs := make([]string, len(tasks))
		for i, t := range tasks {
			outputs[i] = t.output
		}
		if err := host.spare(outputs); err != nil {
			rep.Files = nil
			return rep, err
		}
	}
	closeLedger, err := r.openLedger(ctx)
	if err != nil {
		return rep, err
	}
	defer closeLedger()
	ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	var g errgroup.Group
	g.SetLimit(max(1, cmpOr(opt.Jobs, DefaultJobs)))
	for i, t := range tasks {
		slot := &rep.Files[i]
		g.Go(func() error {
			if ctx.Err() == nil {
				r.file(ctx, t, slot)
			}
			return nil
		})
	}
	g.Wait()
	for _, f := range rep.Files {
		rep.Total.add(f.Figures)
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return rep, nil // each file says so
	}
	return rep, ctx.Err()
}

// checkLanguages brings the languages into their usual form and asks the
// translator whether it has them.
func (o *Options) checkLanguages() (err error) {
	if o.To, err = languages(o.To); err != nil {
		return err
	}
	if o.From != "" {
		if o.From, err = Language(o.From); err != nil {
			return err
		}
	}
	c, ok := o.Engine.(interface{ Check(from, to string) error })
	if !ok {
		return nil
	}
	for _, to := range o.To {
		if err := c.Check(o.From, to); err != nil {
			return err
		}
	}
	return nil
}

// task is one document in one language.
type task struct {
	number int
	doc    Document
	to     string
	output string // '/'-separated, below the root of the outputs
}

func (r *runner) plan(docs []Document, rep *Report) []task {
	var tasks []task
	for _, d := range docs {
		for _, to := range r.opt.To {
			t := task{len(tasks), d, to, d.Rel}
			if len(r.opt.To) > 1 {
				t.output = to + "/" + d.Rel
			}
			tasks = append(tasks, t)
			rep.Files = append(rep.Files, FileReport{Input: d.Path, Output: r.docs.Where(t.output), Language: to, Status: StatusFailed, Error: "not begun"})
		}
	}
	r.total.Files = len(tasks)
	return tasks
}

func cmpOr(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}

// heavy is how many bytes of documents are open at once: a larger one runs
// alone, so that many workers do not sum up many large documents.
const heavy = 64 << 20

type runner struct {
	opt    Options
	docs   Documents
	ledger *Ledger    // nil in a dry run over a folder without one
	store  *textStore // of ledger
	recipe string
	began  time.Time // to the millisecond, as entries of the memory are dated
	tmp    string    // folder of temporary files; "": the system's
	weight *semaphore.Weighted
	stop   context.CancelCauseFunc // ends the whole job

	mu    sync.Mutex      // protects the rest and orders Progress calls
	seen  map[flight]bool // of a dry run: texts that another document asks for
	total Progress        // the job's own members
}

func (r *runner) openLedger(ctx context.Context) (func(), error) {
	path := r.opt.Ledger
	if path == "" {
		path = filepath.Join(r.opt.Out, filepath.FromSlash(LedgerName))
	}
	if r.opt.DryRun && !exists(path) {
		return func() {}, nil
	}
	l, err := OpenLedger(ctx, path)
	if err != nil {
		return nil, err
	}
	r.ledger, r.tmp = l, filepath.Dir(path)
	r.store = &textStore{ledger: l, shared: r.opt.Shared, force: r.opt.Force, flights: map[flight]*asking{}}
	if r.opt.DryRun {
		r.store.shared = nil
	}
	return func() { l.Close() }, nil
}

// rules of the checks for a language.
func (r *runner) rules(to string) check.Rules {
	_, pseudo := r.opt.Engine.(translator.Pseudo)
	return check.Rules{Glossary: r.opt.Glossary, Protected: r.opt.Protected, From: r.opt.From, To: to, Strict: r.opt.Strict && !pseudo, Mechanical: pseudo}
}

func (r *runner) progress(p Progress, u translator.Usage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.Usage.Add(u)
	if p.Status != "" {
		r.total.FilesDone++
		r.total.Words += p.Words
	}
	p.Files, p.FilesDone, p.Words, p.Usage = r.total.Files, r.total.FilesDone, r.total.Words, r.total.Usage
	if r.opt.Progress != nil {
		r.opt.Progress(p)
	}
}

// file translates one document into one language and fills rep.
func (r *runner) file(ctx context.Context, t task, rep *FileReport) {
	n := min(max(t.doc.Size, 1), heavy)
	if err := r.weight.Acquire(ctx, n); err != nil {
		return
	}
	defer r.weight.Release(n)
	err := r.guarded(ctx, t, rep)
	rep.Error = ""
	if err != nil {
		rep.Status, rep.Error, rep.Retryable = StatusFailed, err.Error(), elsewhere(err)
		if ctx.Err() != nil {
			rep.Error = fmt.Sprintf("stopped: %v", context.Cause(ctx))
		} else if ofRecords(err) {
			rep.Error = "the records of the translations cannot be used: " + rep.Error
		}
		if fatal(err) {
			r.stop(err)
		}
	}
	r.progress(Progress{Input: rep.Input, Output: rep.Output, Language: rep.Language, Segments: rep.Segments, Done: rep.Translated, Status: rep.Status, Words: rep.Words}, translator.Usage{})
}

// elsewhere reports whether an error comes from a model, a file system, a want of memory or
// the job's records rather than from the content of the document, so that the same document
// may succeed later.
func elsewhere(err error) bool {
	var asked *llm.Error
	var path *fs.PathError
	var link *os.LinkError
	return errors.As(err, &asked) || errors.As(err, &path) || errors.As(err, &link) || ofRecords(err) ||
		formats.Passing(err) || errors.As(err, new(*budget.WaitError))
}

// ofRecords reports whether the job's ledger or the memory could not be read or written,
// such as on a full disk. No document is read with SQLite.
func ofRecords(err error) bool {
	var db *sqlite.Error
	return errors.As(err, &db)
}

// guarded turns a panic over one document into its failure: no file ends the
// job, or the program.
func (r *runner) guarded(ctx context.Context, t task, rep *FileReport) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return r.document(ctx, t, rep)
}
