package translator

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"atelier/internal/childgroup"
)

// pipeline is a running mode of Apertium in null-flush mode: a text ended by
// NUL goes in, its translation ended by NUL comes out.
type pipeline struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *tail

	cancel context.CancelFunc
}

// startPipeline runs a mode's script. "-n" of it is: no marks on words that the
// dictionaries lack.
func startPipeline(script string) (*pipeline, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pipeline{cancel: cancel, cmd: exec.CommandContext(ctx, "bash", "-c", script, "apertium", "-n", ""), err: &tail{}}
	p.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	p.cmd.Stderr = p.err
	p.cmd.WaitDelay = time.Second
	childgroup.Own(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := childgroup.Start(p.cmd); err != nil {
		return nil, fmt.Errorf("apertium cannot be started: %w", err)
	}
	return p, nil
}

// ask translates one text in Apertium's stream format. After an error the
// pipeline is of no more use.
func (p *pipeline) ask(ctx context.Context, text string) (string, error) {
	type answer struct {
		text []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		if _, err := io.WriteString(p.in, text+"\x00"); err != nil {
			done <- answer{nil, err}
			return
		}
		b, err := readUpTo(p.out, 16*len(text)+4096)
		done <- answer{b, err}
	}()
	t := time.NewTimer(apertiumTime)
	defer t.Stop()
	select {
	case a := <-done:
		if a.err != nil {
			return "", fmt.Errorf("apertium: %w: %s", a.err, p.err)
		}
		return string(a.text), nil
	case <-t.C:
		return "", errors.New("apertium gave no answer in time")
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readUpTo reads to the next NUL, at most limit bytes.
func readUpTo(r *bufio.Reader, limit int) ([]byte, error) {
	var out []byte
	for {
		b, err := r.ReadSlice(0)
		out = append(out, b...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(out, []byte{0}), nil
		case len(out) > limit:
			return nil, fmt.Errorf("its answer has more than %d bytes", limit)
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// end stops all programs of the pipeline.
func (p *pipeline) end() {
	p.in.Close()
	p.cancel()   // the whole group; they hold nothing
	p.cmd.Wait() // says that it was killed
}

// tail keeps the last of what the programs complain about.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if n := len(t.b) - 500; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.b))
}
