package toolservers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"atelier/internal/childgroup"
)

// inherited are the variables of the environment that a server gets beside those of its
// entry.
var inherited = func() []string {
	if runtime.GOOS == "windows" {
		return []string{"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
			"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"}
	}
	return []string{"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}
}()

// Times of the end of a program (the protocol's shutdown over stdio): its input is
// closed, then it is asked to end, then it is killed with all that it started.
const (
	endOfInput = 1500 * time.Millisecond
	endAsked   = time.Second
	endOfPipes = 500 * time.Millisecond
)

// process is a running program with its pipes.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *bufio.Reader
	pipes  []*os.File // our ends of its output
	stderr *tail
	read   sync.WaitGroup // reading of standard error
	cancel context.CancelFunc
	exited chan struct{} // closed when it has ended and nothing of its group is left
	err    error         // of its end; after exited
	ending sync.Once
}

// startProcess starts the program of a server.
func startProcess(r *resolved, getenv func(string) (string, bool)) (*process, error) {
	dir, err := r.workFolder()
	if err != nil {
		return nil, err
	}
	env := environment(r.filled.Env, getenv)
	program, err := findProgram(r.filled.Command, dir, env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{cancel: cancel, stderr: &tail{}, exited: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, program, r.filled.Args...)
	p.cmd.Dir, p.cmd.Env = dir, env
	childgroup.Own(p.cmd)
	var theirs []*os.File
	closeAll := func(list ...*os.File) {
		for _, f := range list {
			f.Close()
		}
	}
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	for _, f := range []*os.File{inR, outW, errW} {
		if f != nil {
			theirs = append(theirs, f)
		}
	}
	for _, f := range []*os.File{outR, errR} {
		if f != nil {
			p.pipes = append(p.pipes, f)
		}
	}
	p.in = inW
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
		err = childgroup.Start(p.cmd)
	}
	closeAll(theirs...)
	if err != nil {
		cancel()
		closeAll(p.pipes...)
		if inW != nil {
			inW.Close()
		}
		return nil, fmt.Errorf("%s cannot be started: %w", r.filled.Command, err)
	}
	p.out = bufio.NewReaderSize(outR, 64<<10)
	p.read.Go(func() { _, _ = io.Copy(p.stderr, errR) }) // it ends with the pipe
	go p.wait()
	return p, nil
}

// wait waits for the end of the program and ends what it left behind.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	childgroup.Kill(p.cmd)
	p.cancel()
	// A program outside the group may have the pipes still.
	done := make(chan struct{})
	go func() { p.read.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(endOfPipes):
	}
	for _, f := range p.pipes {
		_ = f.SetReadDeadline(time.Now().Add(endOfPipes)) // pipes of Unix take one; elsewhere the close ends the read
	}
	p.read.Wait()
	close(p.exited)
}

// end ends the program and waits for that.
func (p *process) end() {
	p.ending.Do(func() {
		p.in.Close()
		if p.within(endOfInput) {
			return
		}
		childgroup.Ask(p.cmd)
		if p.within(endAsked) {
			return
		}
		p.cancel() // kills the group
	})
	<-p.exited
}

func (p *process) within(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// closePipes closes what was read from.
func (p *process) closePipes() {
	for _, f := range p.pipes {
		f.Close()
	}
}

// how says how the program ended, "" before it did.
func (p *process) how() string {
	select {
	case <-p.exited:
	default:
		return ""
	}
	var exit *exec.ExitError
	if errors.As(p.err, &exit) {
		return exit.String()
	}
	return "exit status 0"
}

// environment returns the environment of a server.
func environment(own map[string]string, getenv func(string) (string, bool)) []string {
	var out []string
	for _, name := range inherited {
		if _, set := own[name]; set {
			continue
		}
		if v, ok := getenv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	for name, v := range own {
		out = append(out, name+"="+v)
	}
	return out
}

// findProgram returns the path of a program: as written, or in the folder, or on the
// PATH that the server gets.
func findProgram(name, dir string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		if _, err := exec.LookPath(name); err != nil {
			return "", fmt.Errorf("there is no program %s", name)
		}
		return name, nil
	}
	if strings.ContainsAny(name, `/\`) {
		path := filepath.Join(dir, name)
		if _, err := exec.LookPath(path); err != nil {
			return "", fmt.Errorf("there is no program %s in %s", name, dir)
		}
		return path, nil
	}
	for _, v := range env {
		path, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, d := range filepath.SplitList(path) {
			if !filepath.IsAbs(d) {
				continue
			}
			if found, err := exec.LookPath(filepath.Join(d, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("there is no program %s on the PATH; install it, or write its full path", name)
}

// maxTail is how many bytes of standard error are kept.
const maxTail = 4 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-maxTail):]...)
	if over := len(t.buf) - maxTail; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// maxTold is how many bytes of standard error an error repeats.
const maxTold = 600

// last returns the last lines, clean.
func (t *tail) last() string {
	t.mu.Lock()
	text := string(t.buf)
	t.mu.Unlock()
	text, _ = clean(strings.ToValidUTF8(text, ""))
	text = strings.TrimSpace(text)
	if len(text) > maxTold {
		text = "…" + strings.ToValidUTF8(text[len(text)-maxTold:], "")
	}
	return text
}
