package translate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"atelier/formats"
	"atelier/formats/inline"
	"atelier/llm"
	"atelier/workshop/tools/catalogue"
)

// Options configure a run. To, Out, Formats and Client are needed.
type Options struct {
	From    string   // language of the originals; "" lets the model see for itself
	To      []string // languages (codes or names); more than one gives a folder each
	Out     string   // folder of the translated copies
	Jobs    int      // documents at once; 0 is 2
	Force   bool     // do again what an earlier run finished, and replace what is in the way
	Formats *formats.Set
	Client  llm.Client
	Model   string
	APIKey  string
	// Sleep waits before a request is tried again; nil really waits. It returns
	// ctx's error when ctx ends first.
	Sleep func(ctx context.Context, d time.Duration) error
	// Progress, when set, is called with each step; one call at a time.
	Progress func(Progress)
}

// Progress is one step of a run.
type Progress struct {
	Input, Output string
	Segments      int    // in the document
	Done          int    // translated so far
	Status        Status // "" while at work
}

// Status of a file at the end.
type Status string

// The statuses of D-10.
const (
	StatusOK      Status = "ok"
	StatusFlagged Status = "flagged" // written, but a person should look at the flags
	StatusSkipped Status = "skipped" // done by an earlier run and unchanged
	StatusFailed  Status = "failed"
)

// Report is the outcome of a run (D-10).
type Report struct {
	Engine string       `json:"engine"`
	Files  []FileReport `json:"files"`
}

// Failed counts the files that failed.
func (r Report) Failed() int {
	n := 0
	for _, f := range r.Files {
		if f.Status == StatusFailed {
			n++
		}
	}
	return n
}

// FileReport is the outcome of one document in one language.
type FileReport struct {
	Input      string `json:"input"`
	Output     string `json:"output"`
	Language   string `json:"language"`
	Status     Status `json:"status"`
	Segments   int    `json:"segments"`
	Translated int    `json:"translated"` // segments, repetitions included
	Characters int    `json:"characters"` // of the source text
	ToolCalls  int    `json:"tool_calls"`
	Turns      int    `json:"turns"`
	Flags      []Flag `json:"flags,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Flag is something a person should look at.
type Flag struct {
	Segment string `json:"segment"`
	Place   string `json:"place"`
	Source  string `json:"source"`
	Reason  string `json:"reason"`
}

// Run translates the files and folders of paths. The error is nil even when
// files failed (see Report.Failed); it is set when the run could not begin or
// ctx ended, with the report of what was done.
func Run(ctx context.Context, opt Options, paths []string) (Report, error) {
	rep := Report{Engine: opt.Model}
	ins, err := collect(paths, opt.Out)
	if err != nil {
		return rep, err
	}
	if len(ins) == 0 {
		return rep, errors.New("there is nothing to translate: no docx, xlsx, pptx, md, txt or csv was found")
	}
	if opt.Sleep == nil {
		opt.Sleep = llm.Sleep
	}
	tool, err := putTool()
	if err != nil {
		return rep, err
	}
	if err := os.MkdirAll(opt.Out, 0o755); err != nil {
		return rep, fmt.Errorf("the output folder cannot be made: %w", err)
	}
	r := &runner{opt: opt, ask: &asker{opt: opt, tool: tool}, state: loadState(opt.Out)}
	var outputs []string
	for _, in := range ins {
		for _, to := range opt.To {
			outputs = append(outputs, r.output(in, to))
		}
	}
	if err := sparesOriginals(ins, outputs); err != nil {
		return rep, err
	}
	var g errgroup.Group
	g.SetLimit(max(1, cmpOr(opt.Jobs, 2)))
	rep.Files = make([]FileReport, len(ins)*len(opt.To))
	for i, in := range ins {
		for j, to := range opt.To {
			slot := &rep.Files[i*len(opt.To)+j]
			*slot = FileReport{Input: in.path, Output: r.output(in, to), Language: to, Status: StatusFailed, Error: "not begun"}
			g.Go(func() error {
				if ctx.Err() == nil {
					r.file(ctx, in, to, slot)
				}
				return nil
			})
		}
	}
	g.Wait()
	return rep, ctx.Err()
}

func cmpOr(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}

// putTool is the schema of put_translations as every model sees it.
func putTool() (llm.Tool, error) {
	for _, t := range catalogue.Workshop().Tools() {
		if t.Function.Name == "put_translations" {
			return t, nil
		}
	}
	return llm.Tool{}, errors.New("the tool put_translations is not registered")
}

type runner struct {
	opt Options
	ask *asker

	mu    sync.Mutex // protects state and orders Progress calls
	state state
}

func (r *runner) output(in input, to string) string {
	if len(r.opt.To) > 1 {
		return filepath.Join(r.opt.Out, to, filepath.FromSlash(in.rel))
	}
	return filepath.Join(r.opt.Out, filepath.FromSlash(in.rel))
}

func (r *runner) progress(p Progress) {
	if r.opt.Progress != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.opt.Progress(p)
	}
}

// file translates one document into one language and fills rep.
func (r *runner) file(ctx context.Context, in input, to string, rep *FileReport) {
	err := r.translate(ctx, in, to, rep)
	rep.Error = ""
	if err != nil {
		rep.Status, rep.Error = StatusFailed, err.Error()
	}
	r.progress(Progress{Input: in.path, Output: rep.Output, Segments: rep.Segments, Done: rep.Translated, Status: rep.Status})
}

func (r *runner) translate(ctx context.Context, in input, to string, rep *FileReport) error {
	src, err := formats.OpenFile(in.path)
	if err != nil {
		return err
	}
	defer src.Close()
	engine := fmt.Sprintf("%s %s>%s", r.opt.Model, r.opt.From, to)
	key := filepath.ToSlash(rep.Output)
	if !r.opt.Force {
		r.mu.Lock()
		skip, err := r.state.verdict(key, rep.Output, src.Hash(), engine)
		r.mu.Unlock()
		if err != nil {
			return err
		}
		if skip {
			rep.Status = StatusSkipped
			return nil
		}
	}
	f, err := r.opt.Formats.Detect(ctx, src)
	if err != nil {
		return err
	}
	if f.Segmenter == nil {
		return fmt.Errorf("%s files cannot be translated", f.Kind)
	}
	segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	if err != nil {
		return err
	}
	targets, err := r.segments(ctx, in, to, segs, rep)
	if err != nil {
		return err
	}
	err = writeAtomic(rep.Output, func(out *os.File) error { return f.Segmenter.Replace(ctx, src, out, targets, formats.ReplaceOptions{}) })
	if err != nil {
		return err
	}
	rep.Status = StatusOK
	if len(rep.Flags) > 0 {
		rep.Status = StatusFlagged
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Done[key] = doneFile{Source: src.Hash(), Output: fileHash(rep.Output), Engine: engine, Flagged: rep.Status == StatusFlagged}
	return r.state.save(r.opt.Out)
}

// segments translates all segments of a document: each text once.
func (r *runner) segments(ctx context.Context, in input, to string, segs []formats.Segment, rep *FileReport) (map[string]string, error) {
	first := map[string]string{} // text → id of its first segment
	var unique []formats.Segment
	for _, s := range segs {
		rep.Characters += utf8.RuneCountInString(inline.Plain(s.Text))
		if _, again := first[textKey(s)]; !again {
			first[textKey(s)] = s.ID
			unique = append(unique, s)
		}
	}
	rep.Segments = len(segs)
	got := map[string]string{}
	for _, b := range split(unique) {
		o, err := r.ask.batch(ctx, filepath.Base(in.path), to, b)
		rep.ToolCalls += o.calls
		rep.Turns += o.turns
		if err != nil {
			return nil, err
		}
		for id, t := range o.targets {
			got[id] = t
		}
		rep.Flags = append(rep.Flags, o.flags...)
		rep.Translated = len(got)
		r.progress(Progress{Input: in.path, Output: rep.Output, Segments: rep.Segments, Done: len(got)})
	}
	targets := map[string]string{}
	for _, s := range segs {
		t, ok := got[first[textKey(s)]]
		if !ok {
			continue
		}
		targets[s.ID] = t
		if lost := lostNumbers(s.Text, t); len(lost) > 0 {
			rep.Flags = append(rep.Flags, Flag{Segment: s.ID, Place: s.Place, Source: s.Text, Reason: fmt.Sprintf("the number %s is missing in the translation", lost[0])})
		}
	}
	rep.Translated = len(targets)
	rep.Flags = slices.Clip(rep.Flags)
	return targets, nil
}

// textKey tells segments apart that need translations of their own: equal text
// under another length limit is not the same.
func textKey(s formats.Segment) string { return fmt.Sprintf("%d\x00%s", s.MaxLength, s.Text) }
