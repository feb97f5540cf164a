package pdf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"atelier/formats"
	"atelier/internal/budget"
	"atelier/internal/childgroup"
)

// process is a running worker.
type process struct {
	cmd     *exec.Cmd
	wire    *wire
	started time.Time
	guard   io.Closer // what the system limits it by; may be nil
	idle    *time.Timer
	kept    *budget.Entry // while it is idle
	most    atomic.Int64  // memory that it was seen to have
	open    string        // the key of the document that it keeps open, "" when none
	ended   sync.Once
}

// startProcess starts this program anew as a worker and waits until it is
// ready, which takes seconds where nothing is compiled yet.
func startProcess(o Options) (*process, error) {
	self, err := executable()
	if err != nil {
		return nil, err
	}
	cache := o.CacheDir
	if cache != "" {
		if cache, err = filepath.Abs(cache); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"atelier", "pdf-worker"} // what lists of processes show
	cmd.Dir = os.TempDir()
	// Nothing else of the environment: it may have keys.
	cmd.Env = []string{
		fmt.Sprintf("%s=%d", workerVar, int((workerAge+startLimit+o.Timeout).Seconds())*2),
		"GOMAXPROCS=2", "GOTRACEBACK=none", "SystemRoot=" + os.Getenv("SystemRoot"),
	}
	prepare(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := childgroup.Start(cmd); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, wire: newWire(out, in), started: time.Now()}
	if p.guard, err = confine(cmd.Process.Pid); err != nil {
		p.end()
		return nil, err
	}
	limit := time.AfterFunc(startLimit, p.kill)
	defer limit.Stop()
	err = p.wire.send(message{Start: &start{CacheDir: cache}})
	var m message
	if err == nil {
		m, err = p.wire.receive()
	}
	if err == nil && m.Ready == nil {
		err = errors.New("it gave no sign")
	}
	if err == nil && m.Ready.Failed != "" {
		err = errors.New(m.Ready.Failed)
	}
	if err != nil {
		p.end()
		return nil, err
	}
	markCompiled(o.CacheDir)
	return p, nil
}

// executable is this program, also after its file was replaced by an update.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		const self = "/proc/self/exe"
		if _, err := os.Stat(self); err == nil {
			return self, nil
		}
	}
	return os.Executable()
}

// kill ends the process; a caller that waits for its answer sees the end of its
// output.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end kills the process and releases its resources.
func (p *process) end() {
	p.ended.Do(func() {
		p.kill()
		_ = p.cmd.Wait()
		if p.guard != nil {
			_ = p.guard.Close()
		}
	})
}

// refused reports whether a worker ended because the system refused it memory: Go's
// runtime exits with 2 then.
func (p *process) refused() bool {
	return p.cmd.ProcessState != nil && p.cmd.ProcessState.ExitCode() == 2
}

// killed reports whether a signal ended an ended worker.
func (p *process) killed() bool {
	return p.cmd.ProcessState != nil && p.cmd.ProcessState.ExitCode() == -1
}

// emitError is an error that the caller returned for a message.
type emitError struct{ error }

// exchange returns the worker a job and serves it until the reply comes. heard
// reports whether the worker said anything.
func (p *process) exchange(src formats.Source, j job, each func(message) error) (r reply, heard bool, err error) {
	if err := p.wire.send(message{Job: &j}); err != nil {
		return r, false, err
	}
	for {
		m, err := p.wire.receive()
		if err != nil {
			return r, heard, err
		}
		heard = true
		switch {
		case m.Reply != nil:
			return *m.Reply, true, nil
		case (m.Page != nil || m.Opened > 0) && each != nil:
			if err := each(m); err != nil {
				return r, true, emitError{err}
			}
		case m.Want != nil:
			if err := p.wire.send(message{Bytes: readContent(src, *m.Want)}); err != nil {
				return r, true, err
			}
		default:
			return r, true, errors.New("a message out of place")
		}
	}
}

// readContent reads what a worker wants of a file.
func readContent(src formats.Source, w want) *content {
	if w.Len < 0 || w.Len > blockSize {
		return &content{Failed: "too much at once"}
	}
	b := make([]byte, w.Len)
	n, err := src.ReadAt(b, w.Off)
	if err != nil && !(errors.Is(err, io.EOF) && n == len(b)) {
		return &content{Failed: err.Error()}
	}
	return &content{Data: b}
}
