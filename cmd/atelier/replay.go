package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"atelier/workshop/agent/transcript"
)

type replayFlags struct {
	update  bool
	only    string
	timeout time.Duration
}

func newReplay(*settings) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay {FILE | DIR}…",
		Short: "Play recorded conversations again and compare results and files",
		Long: `Runs each recorded conversation (txtar; of a folder, every .txtar in it) through
the real loop and tools, with the model's answers served from the recording over
local HTTP, and compares tool results, events, the conversation and files with
the recording. Each difference is printed with its place, and the exit code is
1. --update writes the new results into the file instead.`,
		Example: `  atelier run "Translate the Sales sheet" --in ./folder --record run.txtar
  atelier replay run.txtar
  atelier replay --only results ./recordings`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.only != "" && !slices.Contains(transcript.Onlys, f.only):
				return usageError{fmt.Errorf("--only is one of %s", strings.Join(transcript.Onlys, ", "))}
			case f.only != "" && f.update:
				return usageError{errors.New("--update writes everything that is wanted; leave --only out")}
			}
			paths, err := transcriptFiles(args)
			if err != nil {
				return err
			}
			return f.replay(cmd.Context(), cmd.OutOrStdout(), paths)
		},
	}
	cmd.Flags().BoolVar(&f.update, "update", false, "write the new results into the file")
	cmd.Flags().StringVar(&f.only, "only", "", "compare only this: "+strings.Join(transcript.Onlys, ", "))
	cmd.Flags().DurationVar(&f.timeout, "timeout", 5*time.Minute, "time limit for one file; 0 is no limit")
	return cmd
}

// transcriptFiles returns the named files, and the files in the named
// folders.
func transcriptFiles(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		st, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			paths = append(paths, arg)
			continue
		}
		before := len(paths)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".txtar" {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(paths) == before {
			return nil, fmt.Errorf("there is no .txtar file in %s", arg)
		}
	}
	return paths, nil
}

// replayed is the result of replaying one file.
type replayed struct {
	rep     transcript.Report
	err     error
	written bool
}

// replay replays files, as many in parallel as there are CPUs, and reports in
// order.
func (f *replayFlags) replay(ctx context.Context, out io.Writer, paths []string) error {
	done := make([]chan replayed, len(paths))
	for i := range done {
		done[i] = make(chan replayed, 1)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	defer wg.Wait()
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		wg.Go(func() {
			for i := range next {
				done[i] <- f.one(ctx, paths[i])
			}
		})
	}
	go func() {
		defer close(next)
		for i := range paths {
			next <- i
		}
	}()
	same, differ, broken, written := 0, 0, 0, 0
	for i, path := range paths {
		r := <-done[i]
		switch {
		case r.err != nil:
			broken++
			fmt.Fprintf(out, "ERROR %s: %v\n", path, r.err)
		case r.written:
			written++
			fmt.Fprintf(out, "wrote %s\n", path)
		case r.rep.OK():
			same++
			fmt.Fprintf(out, "ok    %s%s\n", path, f.note(r.rep))
		default:
			differ++
			fmt.Fprintf(out, "FAIL  %s%s\n%s\n", path, f.note(r.rep), r.rep.Diff)
		}
	}
	if len(paths) > 1 || differ+broken > 0 {
		fmt.Fprintf(out, "%s: %d as recorded, %d different, %d not playable", files(len(paths)), same, differ, broken)
		if f.update {
			fmt.Fprintf(out, ", %d written", written)
		}
		fmt.Fprintln(out)
	}
	if differ+broken > 0 {
		return errSilent
	}
	return nil
}

// note returns additional information about a file.
func (f *replayFlags) note(r transcript.Report) string {
	var notes []string
	if r.Compared == 0 {
		notes = append(notes, "nothing to compare")
	}
	if r.Unused > 0 {
		notes = append(notes, fmt.Sprintf("%d recorded answers were not asked for", r.Unused))
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

func (f *replayFlags) one(ctx context.Context, path string) (r replayed) {
	b, err := os.ReadFile(path)
	if err != nil {
		return replayed{err: err}
	}
	r.rep, r.err = transcript.Run(ctx, b, transcript.Options{Documents: documentsFor(path), Only: f.only, Timeout: f.timeout})
	if r.err == nil && f.update && string(r.rep.Updated) != string(b) {
		r.err, r.written = os.WriteFile(path, r.rep.Updated, 0o644), true
	}
	return r
}

// documentsFor returns the testdata/documents folder at or above a
// transcript, or "": copy sections name its files.
func documentsFor(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return ""
	}
	for {
		docs := filepath.Join(dir, "testdata", "documents")
		if st, err := os.Stat(docs); err == nil && st.IsDir() {
			return docs
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
