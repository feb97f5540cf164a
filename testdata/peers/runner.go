package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// runner runs works in a temporary folder.
type runner struct {
	atelier string // the program
	tmp     string
	warm    string // a data folder in which a PDF was read
	rounds  int
	log     func(format string, args ...any)
	count   int // of folders made
}

// newRunner builds the program and prepares a data folder in tmp.
func newRunner(tmp string, rounds int, log func(string, ...any)) (*runner, error) {
	r := &runner{tmp: tmp, rounds: rounds, log: log}
	var err error
	if r.atelier, err = build(tmp); err != nil {
		return nil, err
	}
	dir, err := r.dir("first")
	if err == nil {
		err = writePDF(dir, 1, 1)
	}
	if err != nil {
		return nil, err
	}
	if r.warm, err = r.dir("home"); err == nil {
		_, err = calls(readPDF).do(r, r.warm, input{dir: dir, n: 1})
	}
	return r, err
}

// dir makes an empty folder.
func (r *runner) dir(name string) (string, error) {
	r.count++
	path := filepath.Join(r.tmp, fmt.Sprintf("%s-%d", name, r.count))
	return path, os.MkdirAll(path, 0o755)
}

// run runs a program of which the result is its output, and returns what it took.
// Files for that go into the folder dir.
func (r *runner) run(dir string, argv ...string) (usage, string, error) {
	file := filepath.Join(dir, "usage.json")
	cmd := measured(file, argv...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return usage{}, "", fmt.Errorf("%s: %w %s", strings.Join(argv, " "), err, clip(stderr.String()))
	}
	u, err := readUsage(file)
	return u, stdout.String(), err
}

// once does a work with Atelier in a data folder of this round.
func (r *runner) once(w work, in input) (usage, error) {
	home, err := r.dir("home")
	if err != nil {
		return usage{}, err
	}
	defer os.RemoveAll(home)
	if !w.first {
		if err := copyTree(home, r.warm); err != nil {
			return usage{}, err
		}
	}
	if w.again {
		if _, err := w.ours.do(r, home, in); err != nil {
			return usage{}, err
		}
	}
	return w.ours.do(r, home, in)
}

// peer does the work with another program.
func (r *runner) peer(p peer, in input) (usage, error) {
	out, err := r.dir("out")
	if err != nil {
		return usage{}, err
	}
	defer os.RemoveAll(out)
	in.out = out
	u, answer, err := r.run(r.tmp, p.argv(in)...)
	if err == nil && !strings.Contains(answer, p.want(in)) {
		err = fmt.Errorf("%s: no %q in the output: %s", p.name, p.want(in), clip(answer))
	}
	return u, err
}

// prepare makes the input of a work of the size n.
func (r *runner) prepare(w work, n int) (input, error) {
	dir, err := r.dir("in")
	if err != nil {
		return input{}, err
	}
	return input{dir: dir, n: n}, w.make(dir, n)
}

// result is what a work took on both sides: the medians of the rounds.
type result struct {
	ours  usage
	peers []usage // zero: the peer is not here
}

// compare does a work on both sides, in turn. A peer that is not installed is left out.
func (r *runner) compare(w work, n int) (res result, err error) {
	in, err := r.prepare(w, n)
	if err != nil {
		return res, err
	}
	defer os.RemoveAll(in.dir)
	var own []usage
	others := make([][]usage, len(w.peers))
	for range r.rounds {
		u, err := r.once(w, in)
		if err != nil {
			return res, err
		}
		r.log("  atelier %v, %d MB\n", u.CPU.Round(time.Millisecond), u.Memory>>20)
		own = append(own, u)
		for i, p := range w.peers {
			if p.here() != nil {
				continue
			}
			u, err := r.peer(p, in)
			if err != nil {
				return res, err
			}
			r.log("  %s %v, %d MB\n", p.name, u.CPU.Round(time.Millisecond), u.Memory>>20)
			others[i] = append(others[i], u)
		}
	}
	res.ours = median(own)
	for _, list := range others {
		res.peers = append(res.peers, median(list))
	}
	return res, nil
}

func median(list []usage) usage {
	if len(list) == 0 {
		return usage{}
	}
	var cpu []time.Duration
	var memory []int64
	for _, u := range list {
		cpu, memory = append(cpu, u.CPU), append(memory, u.Memory)
	}
	slices.Sort(cpu)
	slices.Sort(memory)
	return usage{cpu[len(cpu)/2], memory[len(memory)/2]}
}

// growth is how a work grows with its input: exponents of processor time without the
// start of the process, over each step of four times the size, and how many times the
// memory of the smallest the largest takes.
type growth struct {
	exponents []float64
	memory    float64
}

// grow does a work with Atelier at 1×, 4×, … of the size n, with so many steps.
// The least of the rounds counts.
func (r *runner) grow(w work, n, steps int) (g growth, err error) {
	idle, err := r.idle()
	if err != nil {
		return g, err
	}
	var sizes []usage
	for range steps + 1 {
		in, err := r.prepare(w, n)
		if err != nil {
			return g, err
		}
		best, err := r.least(w, in, r.rounds)
		os.RemoveAll(in.dir)
		if err != nil {
			return g, err
		}
		best.CPU = max(best.CPU-idle.CPU, time.Millisecond)
		r.log("  %d: %v, %d MB\n", n, best.CPU.Round(time.Millisecond), best.Memory>>20)
		sizes = append(sizes, best)
		n *= 4
	}
	for i := range steps {
		g.exponents = append(g.exponents, math.Log(float64(sizes[i+1].CPU)/float64(sizes[i].CPU))/math.Log(4))
	}
	g.memory = float64(sizes[steps].Memory) / float64(sizes[0].Memory)
	return g, nil
}

// idle is what a process takes that is asked nothing.
func (r *runner) idle() (usage, error) {
	w := work{make: func(string, int) error { return nil }, ours: calls(func(*session, input) error { return nil })}
	in, err := r.prepare(w, 0)
	if err != nil {
		return usage{}, err
	}
	return r.least(w, in, 3)
}

// least does a work with Atelier in some rounds and returns the least that they took.
func (r *runner) least(w work, in input, rounds int) (usage, error) {
	least := usage{CPU: math.MaxInt64, Memory: math.MaxInt64}
	for range rounds {
		u, err := r.once(w, in)
		if err != nil {
			return usage{}, err
		}
		least.CPU, least.Memory = min(least.CPU, u.CPU), min(least.Memory, u.Memory)
	}
	return least, nil
}
