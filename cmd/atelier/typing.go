package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"atelier/engine"
)

// terminalReader reads what the person types during a run: while a question is open,
// it is the answer; otherwise it is a message to the run.
type terminalReader struct {
	say  func(line string)
	from *os.File      // the terminal that is read; nil: none
	done chan struct{} // closed at the end of input

	asking sync.Mutex // one question at a time
	mu     sync.Mutex // protects the fields below
	open   *listening // the question that waits for lines; nil if there is none
	err    error      // why input ended
}

// listening is an open question.
type listening struct {
	lines   chan string
	gone    chan struct{}
	dropped chan struct{} // closed when the answer is no longer needed
}

// errDropped: the question is not open any more.
var errDropped = errors.New("the question is not open any more")

// newTerminalReader starts to read in, which reads from a terminal. No other code may
// read it from then on.
func newTerminalReader(in *bufio.Reader, from *os.File, say func(string)) *terminalReader {
	t := &terminalReader{say: say, from: from, done: make(chan struct{})}
	go t.read(in)
	return t
}

// read ends with the input; on a terminal it ends with the program.
func (t *terminalReader) read(in *bufio.Reader) {
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			t.typed(line)
		}
		if err != nil && waitForeground(t.from) {
			continue
		}
		if err != nil {
			t.mu.Lock()
			t.err = err
			t.mu.Unlock()
			close(t.done)
			return
		}
	}
}

func (t *terminalReader) typed(line string) {
	progressLine.typed()
	t.mu.Lock()
	q := t.open
	t.mu.Unlock()
	if q != nil {
		select {
		case q.lines <- line:
			return
		case <-q.gone: // it was answered elsewhere
		}
	}
	if line = strings.TrimSpace(line); line != "" {
		t.say(line)
	}
}

// listen takes lines as answers until the returned function is called.
func (t *terminalReader) listen() (stop func()) {
	t.asking.Lock()
	q := &listening{make(chan string), make(chan struct{}), make(chan struct{})}
	t.mu.Lock()
	t.open = q
	t.mu.Unlock()
	return func() {
		t.mu.Lock()
		t.open = nil
		t.mu.Unlock()
		close(q.gone)
		t.asking.Unlock()
	}
}

// drop closes the open question, if there is one: its run has ended.
func (t *terminalReader) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open != nil {
		close(t.open.dropped)
		t.open = nil
	}
}

// typedReader reads typed text as the answer to a question.
type typedReader struct {
	t    *terminalReader
	rest string
}

// Read implements io.Reader.
func (r *typedReader) Read(p []byte) (n int, err error) {
	if r.rest == "" {
		defer r.t.listen()()
		if r.rest, err = r.t.line(); err != nil {
			return 0, err
		}
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line returns the next typed line; call listen before.
func (t *terminalReader) line() (string, error) {
	t.mu.Lock()
	q := t.open
	t.mu.Unlock()
	if q == nil {
		return "", errDropped
	}
	select {
	case l := <-q.lines:
		return l, nil
	case <-q.dropped:
		return "", errDropped
	case <-t.done:
		t.mu.Lock()
		defer t.mu.Unlock()
		return "", t.err
	}
}

// steer sends lines to the run of a workbench.
func (p *prompter) steer(ctx context.Context, workbench string) func(string) {
	return func(line string) {
		_, err := engine.CallAs[engine.MessageRef](ctx, p.e, "WorkshopSteerRun", engine.SteerRunParams{WorkbenchID: workbench, Text: line})
		switch {
		case ctx.Err() != nil:
		case err != nil:
			fmt.Fprintf(p.out, "\n(not passed on: %s)\n", err)
		default:
			fmt.Fprint(p.out, "\n(passed on; it is taken up after what is going on now)\n")
		}
	}
}

// line returns the next line that the person types.
func (p *prompter) line() (string, error) {
	if p.typing != nil {
		return p.typing.line()
	}
	return p.in.ReadString('\n')
}
