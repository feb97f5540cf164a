package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"

	"atelier/engine"
	"atelier/llm/replay/redact"
	"atelier/workshop/agent"
	"atelier/workshop/agent/transcript"
)

// recorder writes runs as transcripts for 'atelier replay' (D-21).
type recorder struct {
	home string                                      // the data folder
	dir  string                                      // the current folder; "" is that of this process
	name func(wb, message string) string             // the file of a run
	told func(path string, differs []string)         // called for each recording; may be nil
	fail func(path string, err error) (failed error) // handles a run that cannot be recorded; nil continues
	// report, if not nil, is called with the end of each recording instead of told.
	report func(path string, differs []string, err error)

	mu   sync.Mutex
	errs error // of writing
}

// writable returns why a file cannot be written, before a run costs anything.
// It does not change an existing file.
func writable(path string) error {
	_, err := os.Lstat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = f.Close()
	if missing {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// begin is the engine's RecordFunc.
func (r *recorder) begin(ctx context.Context, cfg *agent.Config, run engine.RunStart) (context.Context, func(error), error) {
	path := r.name(cfg.Workbench.ID(), run.MessageID)
	rctx, rec, err := transcript.Record(ctx, cfg, run.MessageID, transcript.RecordOptions{
		Catalogue: run.Catalogue, Settings: run.Settings, API: run.API, Secrets: run.Secrets, Redact: r.redactor()})
	if err != nil {
		return ctx, func(error) {}, r.fail(path, err)
	}
	return rctx, func(runErr error) {
		differs, err := r.end(context.WithoutCancel(ctx), rec, runErr, path)
		if r.report != nil {
			r.report(path, differs, err)
			return
		}
		if err != nil {
			_ = r.fail(path, err) // the run itself ended as it did
			r.mu.Lock()
			defer r.mu.Unlock()
			r.errs = errors.Join(r.errs, fmt.Errorf("the recording %s cannot be written: %w", path, err))
			return
		}
		if r.told != nil {
			r.told(path, differs)
		}
	}, nil
}

// end writes the recording. Its errors are not errors of the run.
func (r *recorder) end(ctx context.Context, rec *transcript.Recording, runErr error, path string) (differs []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	out, err := rec.End(ctx, runErr)
	if err != nil {
		return nil, err
	}
	return out.Differs, os.WriteFile(path, out.File, 0o600)
}

// failed returns the error of writing, or nil.
func (r *recorder) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errs
}

// redactor knows the names of this machine and its user.
func (r *recorder) redactor() *redact.Redactor {
	red := redact.New()
	paths := func(dir, mark string) {
		red.Path(dir, mark)
		if abs, err := filepath.Abs(dir); err == nil && dir != "" {
			red.Path(abs, mark)
			if real, err := filepath.EvalSymlinks(abs); err == nil {
				red.Path(real, mark)
			}
		}
	}
	paths(r.home, "$DATA")
	if dir, err := os.UserHomeDir(); err == nil {
		paths(dir, "$HOME")
	}
	if dir, err := os.Getwd(); err == nil {
		paths(first(r.dir, dir), "$PWD")
	}
	if u, err := user.Current(); err == nil {
		red.Path(u.HomeDir, "$HOME")
		red.Name(u.Username, "$USER")
		red.Name(u.Name, "$USERNAME")
	}
	for _, env := range []string{"USER", "LOGNAME", "USERNAME"} {
		red.Name(os.Getenv(env), "$USER")
	}
	if host, err := os.Hostname(); err == nil {
		hostNames(red, host)
	}
	return red
}

// hostNames redacts a machine's name, with and without its domain.
func hostNames(red *redact.Redactor, host string) {
	red.Name(host, "$HOST")
	short, _, _ := strings.Cut(host, ".")
	red.Name(short, "$HOST")
}

// recordTo makes a command record its one run in a file.
func recordTo(path string) *recorder {
	return &recorder{
		name: func(_, _ string) string { return path },
		fail: func(_ string, err error) error { return fmt.Errorf("--record: %w", err) },
	}
}

// recordInto makes a server record each run in a separate file in dir.
func recordInto(dir, home string, log *slog.Logger) *recorder {
	r := &recorder{
		home: home,
		name: func(_, message string) string { return freeName(dir, message) },
		told: func(path string, differs []string) {
			if len(differs) > 0 {
				log.Warn("a recording differs from its run when it is played", "file", path, "differences", len(differs))
			}
		},
	}
	r.fail = func(path string, err error) error {
		log.Error("a run is not recorded", "file", path, "err", err)
		return nil
	}
	return r
}

// freeName returns an unused file name for a run of a message; a message can
// be run again.
func freeName(dir, message string) string {
	for n := 1; ; n++ {
		name := message + ".txtar"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.txtar", message, n)
		}
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path
		}
	}
}
