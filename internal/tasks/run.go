package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Runner runs tasks with a program, each in folders of its own.
type Runner struct {
	Program  string // path of atelier
	Testdata string // folder that documents/ and texts/ of a task are in
	Corpus   string // folder of corpus/; may be absent
	Env      []string
	// Time limits one run; default 10 minutes.
	Time time.Duration
	// Office calculates and draws documents; nil: such checks are left out.
	Office Office
}

// Model is who does a task.
type Model struct {
	Args []string // for the program, such as --model NAME
	Env  []string
}

// Outcome is what became of a task.
type Outcome struct {
	Task     *Task
	Failures []string // checks that failed, or why the run did
	LeftOut  []string // checks that need what is not there
	Answer   string   // the model's last words
	Calls, FailedCalls, Turns,
	InputTokens, CachedTokens, OutputTokens int
	Costs   []Cost
	Time    time.Duration
	Results string // of the calls, as a section of a task holds them
}

// Cost is an amount of money.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// Passed says whether all checks agree.
func (o Outcome) Passed() bool { return len(o.Failures) == 0 }

// ErrAbsent says that a document of the corpus is not there, or cannot be made.
var ErrAbsent = errors.New("a document is not there")

// Run has a model do a task and checks what came of it. Its changes are
// published. The error says that the task could not begin.
func (r Runner) Run(ctx context.Context, t *Task, m Model) (o Outcome, err error) {
	o.Task = t
	dir, err := os.MkdirTemp("", "atelier-task-")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir)
	folder, home := filepath.Join(dir, "folder"), filepath.Join(dir, "home")
	if err := r.lay(ctx, t, folder, filepath.Join(dir, "setup")); err != nil {
		return o, err
	}
	before, err := readFolder(folder)
	if err != nil {
		return o, err
	}
	limit := r.Time
	if limit <= 0 {
		limit = 10 * time.Minute
	}
	rctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	p := r.in(folder, home, m)
	out, runErr := p.do(rctx, append([]string{"run", "-", "--in", folder, "--json"}, m.Args...), t.Prompt)
	o.Time = time.Since(start)
	o.read(out)
	if runErr != nil {
		o.Failures = append(o.Failures, "the run failed: "+runErr.Error())
	}
	if err := p.conversation(ctx, &o); err != nil {
		return o, err
	}
	review, err := p.do(ctx, []string{"review", "--in", folder}, "")
	if err != nil {
		o.Failures = append(o.Failures, "the review failed: "+err.Error())
	}
	if o.hasDraft(out) {
		if _, err := p.do(ctx, []string{"publish", "--in", folder}, ""); err != nil {
			o.Failures = append(o.Failures, "publishing failed: "+err.Error())
		}
	}
	after, err := readFolder(folder)
	if err != nil {
		return o, err
	}
	s := &state{before: before, after: after, folder: folder, scratch: dir, review: string(review), answer: o.Answer, office: r.Office}
	for _, c := range t.checks {
		switch err := c.run(ctx, s); {
		case errors.Is(err, errNeeds):
			o.LeftOut = append(o.LeftOut, fmt.Sprintf("%s: %s", c.line, err))
		case err != nil:
			o.Failures = append(o.Failures, fmt.Sprintf("%s: %s", c.line, err))
		}
	}
	return o, nil
}

// lay makes the folder of a task.
func (r Runner) lay(ctx context.Context, t *Task, folder, home string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, c := range t.copies {
		kind, rest, _ := strings.Cut(c[1], "/")
		from := filepath.Join(r.Testdata, kind, filepath.FromSlash(rest))
		if kind == "corpus" {
			from = filepath.Join(r.Corpus, filepath.FromSlash(rest))
			if _, err := os.Stat(from); r.Corpus == "" || err != nil {
				return fmt.Errorf("%w: %s", ErrAbsent, rest)
			}
		}
		b, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := write(folder, c[0], b); err != nil {
			return err
		}
	}
	for name, b := range t.files {
		if err := write(folder, name, b); err != nil {
			return err
		}
	}
	if len(t.Setup) == 0 {
		return nil
	}
	script, err := Scripted(t.Setup)
	if err != nil {
		return err
	}
	defer script.Close()
	m := script.Model()
	p := r.in(folder, home, m)
	out, err := p.do(ctx, append([]string{"run", "Prepare.", "--publish", "--in", folder, "--json"}, m.Args...), "")
	var o Outcome
	o.read(out)
	if err == nil && o.FailedCalls > 0 {
		err = errors.Join(errors.New("a call failed"), p.conversation(ctx, &o))
		err = fmt.Errorf("%w\n%s", err, o.Results)
	}
	if err != nil && r.Office == nil && strings.Contains(o.Results, "LibreOffice") {
		return fmt.Errorf("%w: its setup needs LibreOffice", ErrAbsent)
	}
	if err != nil {
		return fmt.Errorf("the setup of %s: %w", t.Name, err)
	}
	return nil
}

func write(folder, name string, b []byte) error {
	host := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(host), 0o755); err != nil {
		return err
	}
	return os.WriteFile(host, b, 0o644)
}

func readFolder(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".atelier" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		files[p], err = fs.ReadFile(root, p)
		return err
	})
	return files, err
}

// program is the program for one folder.
type program struct {
	path, folder string
	env          []string
}

func (r Runner) in(folder, home string, m Model) program {
	env := append(os.Environ(), r.Env...)
	env = append(env, m.Env...)
	return program{path: r.Program, folder: folder, env: append(env, "ATELIER_HOME="+home)}
}

// do returns what the program writes on standard output. An error has what it said.
func (p program) do(ctx context.Context, args []string, in string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.env, strings.NewReader(in), &out, &errs
	err := cmd.Run()
	if err != nil {
		said := strings.TrimSpace(errs.String())
		if said == "" {
			said = lastLine(out.String())
		}
		err = fmt.Errorf("%w: %s", err, said)
	}
	return out.Bytes(), err
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// result is the last line that a run prints.
type result struct {
	Type  string `json:"type"`
	Turns int    `json:"turns"`
	Usage struct {
		Input  int    `json:"input_tokens"`
		Cached int    `json:"cached_tokens"`
		Output int    `json:"output_tokens"`
		Costs  []Cost `json:"costs"`
	} `json:"usage"`
	HasDraft bool `json:"has_draft"`
}

func (o *Outcome) hasDraft(out []byte) bool {
	var r result
	return json.Unmarshal([]byte(lastLine(string(out))), &r) == nil && r.HasDraft
}

// read takes over the figures of what a run printed.
func (o *Outcome) read(out []byte) {
	for line := range bytes.Lines(out) {
		var e struct {
			Method string `json:"method"`
			Params struct {
				Success bool `json:"success"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &e) != nil || e.Method != "WorkshopToolComplete" {
			continue
		}
		if o.Calls++; !e.Params.Success {
			o.FailedCalls++
		}
	}
	var r result
	if json.Unmarshal([]byte(lastLine(string(out))), &r) == nil && r.Type == "result" {
		o.Turns, o.InputTokens, o.CachedTokens, o.OutputTokens, o.Costs = r.Turns, r.Usage.Input, r.Usage.Cached, r.Usage.Output, r.Usage.Costs
	}
}

// conversation reads the answer and the results of calls.
func (p program) conversation(ctx context.Context, o *Outcome) error {
	out, err := p.do(ctx, []string{"show", "--in", p.folder, "--json"}, "")
	if err != nil {
		return err
	}
	var c struct {
		Messages []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Content  string `json:"content"`
			ToolName string `json:"tool_name"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(out, &c); err != nil {
		return err
	}
	var sb strings.Builder
	for _, m := range c.Messages {
		switch m.Type {
		case "assistant_message":
			if m.Text != "" {
				o.Answer = m.Text
			}
		case "tool_result":
			fmt.Fprintf(&sb, "%s:\n", m.ToolName)
			for l := range strings.Lines(m.Content) {
				if l = strings.TrimRight(l, " \t\r\n"); l != "" {
					fmt.Fprintf(&sb, "  %s\n", l)
				}
			}
		}
	}
	o.Results = sb.String()
	return nil
}
