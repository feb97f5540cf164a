package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options configure Run.
type Options struct {
	Kills int
	Seed  uint64
	Child []string // the command that calls Child, to which arguments are appended
	Dir   string   // an empty folder to work in
	// PerBench is how many kills a workbench gets before a new one is
	// created; 0 is 100.
	PerBench int
	Progress func(Report) // called from time to time; may be nil
}

// Run kills children until there were Options.Kills, and checks the workbench
// after each. The error is the first violated promise, with the operations
// before it.
func Run(ctx context.Context, opt Options) (Report, error) {
	if opt.PerBench == 0 {
		opt.PerBench = 100
	}
	r := &runner{opt: opt, rand: rand.New(rand.NewPCG(opt.Seed, 1)), took: map[string]time.Duration{}, report: newReport(opt.Seed)}
	begun := time.Now()
	for bench := 0; r.report.Kills < opt.Kills; bench++ {
		if err := ctx.Err(); err != nil {
			return r.report, err
		}
		if err := r.bench(ctx, filepath.Join(opt.Dir, fmt.Sprint(bench))); err != nil {
			return r.report, fmt.Errorf("seed %d, workbench %d, kill %d: %w\nlast: %s", opt.Seed, bench, r.report.Kills, err, r.history())
		}
		r.report.Time = time.Since(begun)
		if opt.Progress != nil {
			opt.Progress(r.report)
		}
	}
	return r.report, nil
}

type runner struct {
	opt    Options
	rand   *rand.Rand
	took   map[string]time.Duration // how long an operation takes, by kind
	report Report

	home, dir, host string
	model           *state
	mine            tree // the user's files that no operation may touch
	serial          int
	log             []string // the operations on this workbench
}

func (r *runner) history() string {
	b, _ := json.Marshal(r.log[max(0, len(r.log)-12):])
	return string(b)
}

// bench kills children that work on one workbench.
func (r *runner) bench(ctx context.Context, at string) error {
	defer os.RemoveAll(at)
	r.home, r.dir, r.host, r.log = filepath.Join(at, "home"), filepath.Join(at, "work"), filepath.Join(at, "host"), nil
	r.mine = tree{"mine.txt": hashOf("mine"), "d/_mine.csv": hashOf("mine")}
	for _, dir := range []string{r.host, filepath.Join(r.dir, "d")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for p := range r.mine {
		if err := os.WriteFile(filepath.Join(r.dir, filepath.FromSlash(p)), []byte("mine"), 0o644); err != nil {
			return err
		}
	}
	r.model = newState(tree{})
	for n := 0; n < r.opt.PerBench && r.report.Kills < r.opt.Kills; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.round(ctx); err != nil {
			return err
		}
	}
	return nil
}

// round runs one child, kills it and checks the workbench. Sometimes the next
// child is killed while it opens, which repairs, before the check.
func (r *runner) round(ctx context.Context) error {
	flying, after, err := r.live(ctx)
	if err != nil {
		return err
	}
	committed := flying != nil && slices.Contains([]string{"committed", "swap", "swapped", "undo", "undone"}, flying.Failpoint)
	for r.rand.IntN(4) == 0 || committed && r.rand.IntN(2) == 0 {
		if err := r.killOpening(ctx); err != nil {
			return err
		}
	}
	return r.check(ctx, flying, after)
}

// live sends operations to a child and kills it during the last. It returns
// the operation in flight, or nil if it was acknowledged, and the state after
// its success.
func (r *runner) live(ctx context.Context) (*op, *state, error) {
	free := r.rand.IntN(2) == 0
	opening := op{}
	if free {
		opening.Nth = -1
	}
	c, err := r.start(ctx, opening)
	if err != nil {
		return nil, nil, err
	}
	defer c.kill()
	hello, err := c.read()
	if err != nil || hello.Error != "" {
		return nil, nil, fmt.Errorf("the workbench cannot be opened: %s %w", hello.Error, orNil(err))
	}
	if len(hello.Repaired) > 0 {
		return nil, nil, fmt.Errorf("a checked workbench needed repair: %q", hello.Repaired)
	}
	for range r.rand.IntN(5) {
		o, err := r.choose()
		if err != nil {
			return nil, nil, err
		}
		begun := time.Now()
		if err := c.send(o); err != nil {
			return nil, nil, err
		}
		answer, err := c.read()
		if err != nil {
			return nil, nil, fmt.Errorf("the child ended by itself in %s: %w", o, err)
		}
		if err := r.acknowledge(o, answer); err != nil {
			return nil, nil, err
		}
		r.took[o.Kind] = (3*r.took[o.Kind] + time.Since(begun)) / 4
	}
	o, err := r.choose()
	if err != nil {
		return nil, nil, err
	}
	if !free {
		r.aim(&o)
	}
	begun := time.Now()
	if err := c.send(o); err != nil {
		return nil, nil, err
	}
	if o.Failpoint == "" {
		time.AfterFunc(r.delay(o.Kind), func() { c.cmd.Process.Kill() })
	}
	answer, err := c.read()
	if err == nil {
		if o.Failpoint == "" {
			r.took[o.Kind] = (3*r.took[o.Kind] + time.Since(begun)) / 4
		}
		c.kill()
		r.report.killed("between operations")
		return nil, nil, r.acknowledge(o, answer)
	}
	c.kill()
	where := o.Kind
	if o.Failpoint != "" {
		where += " at " + o.Failpoint
	}
	r.report.killed(where)
	return &o, r.model.after(o, ""), nil
}

// delay returns a random moment during an operation of that kind.
func (r *runner) delay(kind string) time.Duration {
	longest := r.took[kind]
	if longest == 0 {
		longest = 10 * time.Millisecond
	}
	return time.Duration(r.rand.Int64N(int64(longest) * 8 / 10))
}

// steps are the failpoints that an operation passes.
var steps = []string{"intent", "stage", "staged", "committed", "swap", "swapped"}

// aim makes two thirds of the publishes of a child with failpoints die at an
// exact step, because the steps are short and random moments seldom hit them.
func (r *runner) aim(o *op) {
	if !o.keeps() || o.Kind == opCheckpoint || r.rand.IntN(3) == 0 {
		return
	}
	at := steps
	if o.Kind == opUndo {
		at = append(slices.Clone(steps), "undo", "undone")
	}
	o.Failpoint, o.Nth = at[r.rand.IntN(len(at))], 1
	if o.Failpoint == "swap" || o.Failpoint == "stage" {
		o.Nth += r.rand.IntN(3)
	}
}

// acknowledge updates the model with the reply to an operation.
func (r *runner) acknowledge(o op, answer reply) error {
	if answer.Error == "" {
		next := r.model.after(o, answer.Hash)
		if answer.ID != "" {
			next.restores[answer.ID] = r.model.disk
		}
		if o.Kind == opForget {
			next.forget(answer.Kept)
		}
		r.model = next
		return nil
	}
	switch {
	case o.Kind == opRestore && answer.Code == "CONFLICT": // the draft has those files
	case strings.HasSuffix(o.Kind, " all") && answer.Code == "NOT_FOUND": // the draft removes the folder, into which a file came since
	case o.Kind == opUndo && answer.Code == "NOT_FOUND" && r.model.lost:
	default:
		return fmt.Errorf("%s was refused: %s", o, answer.Error)
	}
	r.report.Refused++
	return nil
}

// killOpening kills a child while it opens the workbench.
func (r *runner) killOpening(ctx context.Context) error {
	o := op{Kind: opOpen}
	if r.rand.IntN(2) == 0 {
		o.Failpoint, o.Nth = []string{"recover", "recovered", "undo", "undone"}[r.rand.IntN(4)], 1
	}
	begun := time.Now()
	c, err := r.start(ctx, o)
	if err != nil {
		return err
	}
	if o.Failpoint == "" {
		time.AfterFunc(r.delay(opOpen), func() { c.cmd.Process.Kill() })
	}
	_, err = c.read()
	if err == nil {
		r.took[opOpen] = (3*r.took[opOpen] + time.Since(begun)) / 4
	}
	c.kill()
	r.log = append(r.log, "killed opening "+o.Failpoint)
	if err == nil {
		r.report.killed("between operations")
	} else {
		r.report.killed("opening" + ifSet(" at ", o.Failpoint))
	}
	return nil
}

func ifSet(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func orNil(err error) error {
	if err == nil {
		return errors.New("")
	}
	return err
}

// process is a running child.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	end sync.Once
}

func (r *runner) start(ctx context.Context, o op) (*process, error) {
	opening, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, r.opt.Child[0], append(slices.Clone(r.opt.Child[1:]), r.home, r.dir, string(opening))...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd: cmd, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

func (c *process) send(o op) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(b, '\n'))
	return err
}

// read waits for the next reply; an error means that the child is dead and
// sent none.
func (c *process) read() (reply, error) {
	var r reply
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(line, &r)
}

// kill kills the child, if it is still running, and waits for its end.
func (c *process) kill() {
	c.cmd.Process.Kill()
	c.end.Do(func() { c.cmd.Wait() })
}
