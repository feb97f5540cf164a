// Command tasks has a model do the tasks of this folder and shows how it does:
//
//	go run ./testdata/tasks --model NAME [--base-url URL] [--api API] [flags]
//
// It takes the model from where atelier takes it: flags, OPENAI_BASE_URL,
// OPENAI_API_KEY, config.json. The documents of the tasks, made up ones and public test
// files, are sent to it. Each task runs in folders of its own; nothing else is read.
//
//	--only PATTERN   tasks whose name or kind matches
//	--scripted       the steps recorded in the tasks, without a model
//	--waiting        also tasks that wait for something that is missing
//	--json           one JSON object a task, and one with the sums
//	--corpus DIR     folder of public documents (ATELIER_CORPUS, default
//	                 ../shared/corpus); tasks that need it are left out without
//	--time D         for one task, default 10m
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"atelier/internal/tasks"
)

type settings struct {
	model, baseURL, api, only, corpus string
	scripted, waiting, json           bool
	time                              time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.model, "model", "", "model to use")
	flag.StringVar(&s.baseURL, "base-url", "", "address of the endpoint (OPENAI_BASE_URL)")
	flag.StringVar(&s.api, "api", "", "chat, anthropic or responses (ATELIER_API)")
	flag.StringVar(&s.only, "only", "", "tasks whose name or kind matches this regular expression")
	flag.StringVar(&s.corpus, "corpus", cmp.Or(os.Getenv("ATELIER_CORPUS"), "../shared/corpus"), "folder of public documents")
	flag.BoolVar(&s.scripted, "scripted", false, "play the steps recorded in the tasks, without a model")
	flag.BoolVar(&s.waiting, "waiting", false, "also tasks that wait for something that is missing")
	flag.BoolVar(&s.json, "json", false, "print JSON")
	flag.DurationVar(&s.time, "time", 10*time.Minute, "time for one task")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "tasks:", err)
		stop()
		os.Exit(1)
	}
}

func (s settings) run(ctx context.Context) error {
	if s.model == "" && !s.scripted {
		return errors.New("say which model: --model NAME; or --scripted for the recorded steps")
	}
	only, err := regexp.Compile(s.only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	list, err := tasks.Load(filepath.Join("testdata", "tasks"))
	if err != nil {
		return fmt.Errorf("%w (run it in the folder of the repository)", err)
	}
	dir, err := os.MkdirTemp("", "atelier-tasks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "atelier")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/atelier").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	corpus, err := filepath.Abs(s.corpus)
	if err != nil {
		return err
	}
	r := tasks.Runner{Program: program, Testdata: "testdata", Corpus: corpus, Time: s.time, Office: tasks.LibreOffice()}
	if r.Office == nil {
		fmt.Fprintln(os.Stderr, "tasks: without LibreOffice and poppler-utils, formulas and pages are not checked")
	}
	t := table{json: s.json, enc: json.NewEncoder(os.Stdout)}
	for _, task := range list {
		if ctx.Err() != nil {
			break
		}
		if !only.MatchString(task.Name) && !only.MatchString(task.Kind) || task.Waits != "" && !s.waiting {
			continue
		}
		o, err := s.do(ctx, r, task)
		if errors.Is(err, tasks.ErrAbsent) {
			t.absent++
			continue
		}
		if err != nil {
			return err
		}
		t.row(o)
	}
	t.end()
	return ctx.Err()
}

func (s settings) do(ctx context.Context, r tasks.Runner, t *tasks.Task) (tasks.Outcome, error) {
	if s.scripted {
		e, err := tasks.Scripted(t.Script)
		if err != nil {
			return tasks.Outcome{}, err
		}
		defer e.Close()
		return r.Run(ctx, t, e.Model())
	}
	m := tasks.Model{Args: []string{"--model", s.model, "--allow-egress"}}
	for flag, value := range map[string]string{"--base-url": s.baseURL, "--api": s.api} {
		if value != "" {
			m.Args = append(m.Args, flag, value)
		}
	}
	return r.Run(ctx, t, m)
}

// table prints what became of the tasks.
type table struct {
	json                                                 bool
	enc                                                  *json.Encoder
	done, passed, absent, calls, failed, in, cached, out int
	leftOut                                              int
	time                                                 time.Duration
	costs                                                map[string]float64
}

type row struct {
	Task     string       `json:"task"`
	Kind     string       `json:"kind"`
	Passed   bool         `json:"passed"`
	Failures []string     `json:"failures,omitempty"`
	LeftOut  []string     `json:"left_out,omitempty"`
	Turns    int          `json:"turns"`
	Calls    int          `json:"calls"`
	Failed   int          `json:"failed_calls"`
	Input    int          `json:"input_tokens"`
	Cached   int          `json:"cached_tokens"`
	Output   int          `json:"output_tokens"`
	Costs    []tasks.Cost `json:"costs,omitempty"`
	Seconds  float64      `json:"seconds"`
}

func (t *table) row(o tasks.Outcome) {
	if t.done == 0 && !t.json {
		fmt.Printf("%-6s %-34s %6s %7s %9s %8s %7s %s\n", "", "task", "calls", "failed", "input", "output", "time", "cost")
	}
	t.done++
	if o.Passed() {
		t.passed++
	}
	t.calls += o.Calls
	t.failed += o.FailedCalls
	t.in += o.InputTokens
	t.cached += o.CachedTokens
	t.out += o.OutputTokens
	t.leftOut += len(o.LeftOut)
	t.time += o.Time
	if t.costs == nil {
		t.costs = map[string]float64{}
	}
	for _, c := range o.Costs {
		t.costs[c.Currency] += c.Amount
	}
	if t.json {
		t.enc.Encode(row{o.Task.Name, o.Task.Kind, o.Passed(), o.Failures, o.LeftOut, o.Turns, o.Calls, o.FailedCalls, o.InputTokens, o.CachedTokens, o.OutputTokens, o.Costs, o.Time.Seconds()})
		return
	}
	word := "passed"
	if !o.Passed() {
		word = "failed"
	}
	costs := map[string]float64{}
	for _, c := range o.Costs {
		costs[c.Currency] += c.Amount
	}
	fmt.Printf("%-6s %-34s %6d %7d %9d %8d %7s %s\n", word, o.Task.Name, o.Calls, o.FailedCalls, o.InputTokens, o.OutputTokens, o.Time.Round(100*time.Millisecond), money(costs))
	for _, f := range o.Failures {
		fmt.Printf("       %s\n", strings.ReplaceAll(f, "\n", "\n       "))
	}
}

func (t *table) end() {
	if t.json {
		t.enc.Encode(map[string]any{"tasks": t.done, "passed": t.passed, "absent": t.absent, "calls": t.calls, "failed_calls": t.failed,
			"input_tokens": t.in, "cached_tokens": t.cached, "output_tokens": t.out, "costs": t.costs, "seconds": t.time.Seconds(), "checks_left_out": t.leftOut})
		return
	}
	fmt.Printf("%d of %d tasks passed; %d calls, %d failed; %d tokens in (%d cached), %d out; %s; %s\n",
		t.passed, t.done, t.calls, t.failed, t.in, t.cached, t.out, t.time.Round(time.Second), cmp.Or(money(t.costs), "cost not known"))
	if t.absent > 0 {
		fmt.Printf("%d tasks were left out: their documents are not in the folder of --corpus.\n", t.absent)
	}
	if t.leftOut > 0 {
		fmt.Printf("%d checks were left out: they need LibreOffice and poppler-utils.\n", t.leftOut)
	}
}

func money(costs map[string]float64) string {
	var list []string
	for c, a := range costs {
		if c != "" {
			list = append(list, fmt.Sprintf("%.4f %s", a, c))
		}
	}
	return strings.Join(list, ", ")
}
