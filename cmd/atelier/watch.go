package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/internal/folderwatch"
	"atelier/llm/relay"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/translate"
)

func newWatch(s *settings) *cobra.Command {
	return group("watch", "Work on the documents of a folder as they come", newWatchTranslate(s), newWatchRun(s))
}

// watchFlags configure how a folder is watched.
type watchFlags struct {
	settle, poll time.Duration
	json         bool
}

func (f *watchFlags) add(fl *pflag.FlagSet) {
	fl.DurationVar(&f.settle, "settle", 2*time.Second, "time for which size and date of a file are unchanged before work on it begins")
	fl.DurationVar(&f.poll, "poll", 0, "look at the whole folder so often instead of waiting for events of the system, such as 30s for a network file system")
	fl.BoolVar(&f.json, "json", false, "print what happens as JSON, one event a line")
}

func (f *watchFlags) check() error {
	switch {
	case f.settle < 100*time.Millisecond || f.settle > time.Hour:
		return errors.New("--settle: give a time from 100ms to 1h")
	case f.poll < 0 || f.poll > 0 && f.poll < 100*time.Millisecond:
		return errors.New("--poll: give a time of at least 100ms")
	}
	return nil
}

// folderWork is the work on a folder that is watched.
type folderWork struct {
	s    *settings
	how  watchFlags
	dir  string // that is watched, without symbolic links
	out  string // that of the results, absolute
	e    *engine.Engine
	tell watchPrinter

	store   *folderwatch.Store
	watcher *folderwatch.Watcher
	ended   <-chan struct{} // closed by the first signal
}

// folderTask is what is done with the files of a folder.
type folderTask interface {
	// prepare checks the flags before the first file comes. The recipe identifies what
	// is done with files; note, if any, is told at the start.
	prepare(ctx context.Context) (recipe, note string, err error)
	// refuse says which files and folders are ignored, "" for none.
	refuse(rel string, folder bool) string
	// work does it with files that settled. Its error ends the watch.
	work(ctx context.Context, files []folderwatch.File) error
}

// personError ends the program with exitPerson.
type personError struct{ error }

func (e personError) Unwrap() error { return e.error }

// needsPerson reports whether a watch that ended with err would do harm, or nothing,
// if a service manager started it again: a budget is used and would be used once more,
// the job was cancelled, a consent is missing, or every document would be done again.
func needsPerson(err error) bool {
	if errors.Is(err, errWatchBudget) || errors.Is(err, relay.ErrCanceled) || errors.Is(err, folderwatch.ErrGone) {
		return true
	}
	var info *engine.ErrorInfo
	return errors.As(err, &info) && slices.Contains([]string{engine.CodeEgressConsent, engine.CodeEgressBlocked, runerr.CodeBudget}, info.ErrorCode)
}

// run watches dir until the first signal, and ends the files at work then. It takes
// most files at once.
func (w *folderWork) run(cmd *cobra.Command, dir, out string, most int, task folderTask) error {
	err := w.watch(cmd, dir, out, most, task)
	if err != nil && needsPerson(err) {
		return personError{err}
	}
	return err
}

func (w *folderWork) watch(cmd *cobra.Command, dir, out string, most int, task folderTask) (err error) {
	if w.dir, err = filepath.Abs(dir); err == nil {
		w.dir, err = filepath.EvalSymlinks(w.dir)
	}
	if err != nil {
		return err
	}
	if w.out, err = filepath.Abs(out); err != nil {
		return err
	}
	if w.dir == w.out {
		return usageError{errors.New("--out is the watched folder: choose another")}
	}
	ctx := cmd.Context()
	w.ended = ctx.Done()
	work, release := untilSecondSignal(ctx)
	defer release()
	if w.e, err = w.s.engine(); err != nil {
		return err
	}
	defer func() { w.e.Close() }()
	w.tell = watchPrinter{out: cmd.OutOrStdout(), json: w.how.json}
	recipe, note, err := task.prepare(work)
	if err != nil {
		return err
	}
	w.store, err = folderwatch.OpenStore(ctx, filepath.Join(w.out, ".atelier", "watch.db"), recipe)
	if errors.Is(err, folderwatch.ErrLocked) {
		return fmt.Errorf("another 'atelier watch' is at work for %s; end it, or choose another --out", out)
	} else if err != nil {
		return fmt.Errorf("cannot write to %s: %w", out, err)
	}
	defer w.store.Close()
	w.watcher, err = folderwatch.New(folderwatch.Options{Dir: w.dir, Refuse: task.refuse, Settle: w.how.settle, Poll: w.how.poll, Told: w.tell.note}, w.store)
	if err != nil {
		return err
	}
	defer w.watcher.Close()
	w.tell.begins(dir, out, note)
	for ctx.Err() == nil {
		files, err := w.watcher.Next(ctx, most)
		if ctx.Err() != nil {
			break
		}
		if err == nil {
			err = w.patiently(out, func() error { return w.store.Begin(work, files) })
		}
		if err == nil {
			err = task.work(work, files)
		}
		if err != nil && work.Err() == nil {
			return err
		}
	}
	w.tell.ends(work.Err() != nil)
	if work.Err() != nil {
		return errSilent
	}
	return nil
}

// record stores the outcome of a file; retry is when it is tried again unchanged.
func (w *folderWork) record(ctx context.Context, f folderwatch.File, o folderwatch.Outcome) (retry time.Time, err error) {
	err = w.patiently(w.out, func() (err error) {
		retry, err = w.store.End(context.WithoutCancel(ctx), f, o)
		return err
	})
	if err != nil {
		return retry, fmt.Errorf("what was done cannot be recorded: %w", err)
	}
	if !retry.IsZero() {
		w.watcher.Retry(retry)
	}
	return retry, nil
}

// roomEvery is the time between looks whether a full disk has room.
var roomEvery = 30 * time.Second

// patiently records something, again while the disk is full, until the first signal.
// Nothing is begun meanwhile: it would be paid for, and forgotten.
func (w *folderWork) patiently(out string, record func() error) error {
	for told := false; ; told = true {
		err := record()
		if err == nil || !errors.Is(workshop.StorageFault(err), workshop.ErrDiskFull) {
			return err
		}
		if !told {
			w.tell.problem(fmt.Errorf("the disk of %s is full: free some space. Nothing is begun until then; it is tried again every %s", out, roomEvery))
		}
		select {
		case <-w.ended:
			return err
		case <-time.After(roomEvery):
		}
	}
}

// untilSecondSignal returns a context that ends with the second signal; ctx ends
// with the first.
func untilSecondSignal(ctx context.Context) (context.Context, func()) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	second := make(chan os.Signal, 1)
	stop := context.AfterFunc(ctx, func() {
		signal.Notify(second, os.Interrupt, syscall.SIGTERM)
		select {
		case <-second:
			cancel()
		case <-work.Done():
		}
	})
	return work, func() {
		stop()
		signal.Stop(second)
		cancel()
	}
}

// refuseAlways says which files and folders no task takes, and the name of the file.
func (w *folderWork) refuseAlways(rel string, folder bool) (why, name string) {
	name = rel[strings.LastIndexByte(rel, '/')+1:]
	if !folder {
		return folderwatch.Temporary(name), name
	}
	path := filepath.Join(w.dir, filepath.FromSlash(rel))
	_, err := os.Stat(filepath.Join(path, ".atelier", "watch.db"))
	switch {
	case strings.HasPrefix(name, "."):
		return "hidden folders", name
	case err == nil || translate.OutputFolder(path, w.out):
		return "output folders", name
	}
	return "", name
}

// extOf is the extension of a name in a remark, " (.ext)"; "" for a long one or none.
func extOf(name string) string {
	if ext := strings.ToLower(filepath.Ext(name)); ext != "" && len(ext) <= 12 {
		return " (" + ext + ")"
	}
	return ""
}
