package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"atelier/internal/folderwatch"
	"atelier/workshop/translate"
)

// watchEvent is a line of 'watch --json'.
type watchEvent struct {
	Time string `json:"time"` // RFC 3339
	// Event is watching, ignored, polling, overflow, unreadable, begun, done, failed,
	// undone, problem, note or stopped.
	Event    string           `json:"event"`
	Path     string           `json:"path,omitempty"`     // of a document, below the folder
	Dir      string           `json:"dir,omitempty"`      // watching: the folder
	Out      string           `json:"out,omitempty"`      // watching: where copies are written
	Text     string           `json:"text,omitempty"`     // what a person is told
	Outputs  []watchEventMade `json:"outputs,omitempty"`  // done, failed: the document in each language
	Changes  []watchEventFile `json:"changes,omitempty"`  // done by 'watch run': what the model changed
	Files    []string         `json:"files,omitempty"`    // done by 'watch run': the results, below out
	Answer   string           `json:"answer,omitempty"`   // done by 'watch run': what the model said
	RetryAt  string           `json:"retry_at,omitempty"` // failed: when it is tried again unchanged; absent: when it changes
	Complete *bool            `json:"complete,omitempty"` // stopped: nothing at work was interrupted
}

// watchEventMade is a document in one language.
type watchEventMade struct {
	Language   string   `json:"language"`
	Status     string   `json:"status"` // ok, flagged, skipped, failed
	Output     string   `json:"output"`
	Segments   int      `json:"segments"`
	Translated int      `json:"translated"`
	Flags      int      `json:"flags"`
	Warnings   []string `json:"warnings,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// watchEventFile is a change that a model made.
type watchEventFile struct {
	Path       string   `json:"path"`
	ChangeType string   `json:"change_type"` // added, modified, deleted, renamed
	Summary    string   `json:"summary"`
	Warnings   []string `json:"warnings,omitempty"`
}

// watchPrinter tells what a watch does.
type watchPrinter struct {
	out  io.Writer
	json bool
	mu   sync.Mutex // one line at a time
}

func (p *watchPrinter) event(e watchEvent, text func(io.Writer)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		e.Time = time.Now().UTC().Format(time.RFC3339Nano)
		_ = jsonLine(p.out, e) // a reader that is gone ends nothing
		return
	}
	text(p.out)
}

func (p *watchPrinter) line(e watchEvent) {
	p.event(e, func(out io.Writer) { fmt.Fprintln(out, e.Text) })
}

func (p *watchPrinter) begins(dir, out, note string) {
	text := fmt.Sprintf("Watching %s; results go to %s. Ctrl-C ends it after the documents at work.", dir, out)
	if note != "" {
		text += "\n" + note
	}
	p.line(watchEvent{Event: "watching", Dir: dir, Out: out, Text: text})
}

func (p *watchPrinter) ends(interrupted bool) {
	complete := !interrupted
	text := "Stopped. Start it again to continue."
	if interrupted {
		text = "Stopped at work. What is done is kept: start it again to continue."
	}
	p.line(watchEvent{Event: "stopped", Complete: &complete, Text: text})
}

// note tells a remark of the watcher.
func (p *watchPrinter) note(n folderwatch.Note) {
	text := n.Text
	switch {
	case n.Event == "ignored" && n.Rel != "":
		text = fmt.Sprintf("ignored  %s: %s are ignored; others of this kind are not told", name(n.Rel), n.Text)
	case n.Rel != "":
		text = name(n.Rel) + ": " + n.Text
	}
	p.line(watchEvent{Event: n.Event, Path: n.Rel, Text: text})
}

func (p *watchPrinter) problem(err error) {
	p.line(watchEvent{Event: "problem", Text: explain(err)})
}

func (p *watchPrinter) begun(f folderwatch.File) {
	e := watchEvent{Event: "begun", Path: f.Rel}
	if f.Interrupted > 0 {
		e.Text = fmt.Sprintf("the work on it was interrupted %d times before", f.Interrupted)
	}
	p.event(e, func(out io.Writer) {
		if e.Text != "" {
			fmt.Fprintf(out, "again    %s: %s\n", name(f.Rel), e.Text)
		}
	})
}

// outcomeEvent is the event of an outcome; when says when the file is tried again.
func outcomeEvent(f folderwatch.File, o folderwatch.Outcome, retry time.Time) (e watchEvent, when string) {
	e = watchEvent{Event: "done", Path: f.Rel}
	switch {
	case o.Undone:
		e.Event, e.Text = "undone", "stopped; it is gone on with at the next start"
	case o.Failed != "":
		e.Event, e.Text = "failed", o.Failed
	}
	when = "when it changes"
	if !retry.IsZero() {
		e.RetryAt = retry.UTC().Format(time.RFC3339)
		when = "at " + retry.Format(time.TimeOnly)
	}
	return e, when
}

// ran tells what a model did with a document.
func (p *watchPrinter) ran(f folderwatch.File, made runMade, o folderwatch.Outcome, retry time.Time) {
	e, when := outcomeEvent(f, o, retry)
	e.Answer, e.Files = made.answer, made.outputs
	for _, c := range made.changes {
		e.Changes = append(e.Changes, watchEventFile{c.Path, c.ChangeType, c.Summary, c.Warnings})
	}
	p.event(e, func(out io.Writer) {
		switch {
		case o.Undone:
			fmt.Fprintf(out, "stopped  %s\n", name(f.Rel))
			return
		case o.Failed != "":
			fmt.Fprintf(out, "failed   %s: %s\n%s is tried again %s.\n", name(f.Rel), o.Failed, name(f.Rel), when)
			return
		}
		fmt.Fprintf(out, "done     %s\n", name(f.Rel))
		printChanges(out, made.changes)
		for _, c := range made.changes {
			for _, w := range c.Warnings {
				fmt.Fprintf(out, "  warning: %s: %s\n", name(c.Path), w)
			}
		}
		for _, path := range made.outputs {
			fmt.Fprintf(out, "  wrote %s\n", name(path))
		}
	})
}

// ended tells the outcome of a document.
func (p *watchPrinter) ended(f folderwatch.File, made []translate.FileReport, o folderwatch.Outcome, retry time.Time) {
	e, when := outcomeEvent(f, o, retry)
	for _, r := range made {
		e.Outputs = append(e.Outputs, watchEventMade{r.Language, string(r.Status), r.Output, r.Segments, r.Translated, r.FlagsTotal, r.Warnings, r.Error})
	}
	p.event(e, func(out io.Writer) {
		for _, r := range made {
			fmt.Fprintf(out, "%-8s %s (%s, %d of %d segments)\n", r.Status, name(f.Rel), r.Language, r.Translated, r.Segments)
			printRemarks(out, r, "")
		}
		switch {
		case o.Undone:
			fmt.Fprintf(out, "stopped  %s\n", name(f.Rel))
		case o.Failed != "":
			if len(made) == 0 {
				fmt.Fprintf(out, "failed   %s: %s\n", name(f.Rel), o.Failed)
			}
			fmt.Fprintf(out, "%s is tried again %s.\n", name(f.Rel), when)
		}
	})
}
