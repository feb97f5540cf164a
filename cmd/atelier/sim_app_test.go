//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// simApp is one process of the program, driven like by a desktop app. It
// records violations of the protocol.
type simApp struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	writing sync.Mutex
	stderr  lockedBuffer
	gone    chan struct{} // closed at the end of its output

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	runs    map[int]string // calls that are runs, with their workbench
	benches map[string]*simWatch
	faults  []string
	alive   time.Time // time of its last output
}

// simWatch follows the notifications of a workbench.
type simWatch struct {
	seq       float64
	runs      int            // runs requested and not answered
	open      map[string]int // calls without their Complete
	deltas    map[string]string
	questions []obj
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func startSimApp(path, home, url string) (*simApp, error) {
	a := &simApp{cmd: exec.Command(path, "serve", "--home", home), gone: make(chan struct{}), waiting: map[int]chan message{}, runs: map[int]string{}, benches: map[string]*simWatch{}, alive: time.Now()}
	a.cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL="+url+"/v1", "ATELIER_MODEL=", "GOTRACEBACK=all")
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.cmd.Stderr = &a.stderr
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	go a.read(out)
	return a, nil
}

func (a *simApp) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

func (a *simApp) watch(id string) *simWatch {
	w := a.benches[id]
	if w == nil {
		w = &simWatch{open: map[string]int{}, deltas: map[string]string{}}
		a.benches[id] = w
	}
	return w
}

func (a *simApp) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil { // a cut line is that of a killed process
			close(a.gone)
			return
		}
		var m message
		jerr := json.Unmarshal(line, &m)
		a.mu.Lock()
		a.alive = time.Now()
		switch {
		case jerr != nil || m.JSONRPC != "2.0":
			a.fault("a line of its output is no JSON-RPC object: %q", line)
		case m.Method != "":
			a.notified(m)
		default:
			a.answered(m)
		}
		a.mu.Unlock()
	}
}

// answered: each request gets exactly one answer (I-01, I-07).
func (a *simApp) answered(m message) {
	var id int
	json.Unmarshal(m.ID, &id)
	ch := a.waiting[id]
	if ch == nil {
		a.fault("an answer to nothing, or a second one: %s", m.ID)
		return
	}
	delete(a.waiting, id)
	if bench, ok := a.runs[id]; ok {
		w := a.watch(bench)
		if w.runs--; w.runs == 0 && len(w.open) > 0 {
			a.fault("a run ended with calls that were never completed: %v", w.open)
		}
		if w.runs == 0 {
			w.questions = nil
		}
	}
	ch <- m
}

// ofRuns are the notifications that only come during a run.
var ofRuns = []string{"WorkshopToolExecuting", "WorkshopToolComplete", "WorkshopAssistantStreamDelta", "WorkshopAssistantMessageComplete", "WorkshopQuestionPending",
	"WorkshopPhaseStarted", "WorkshopPhaseCompleted", "WorkshopImplementProgress", "WorkshopSteerTaken", "WorkshopUsage", "WorkshopRateLimitWarning", "WorkshopAgentLoopWarning"}

// notified: seq has no gap, Executing has its Complete, no notification of a
// run comes after its answer (I-20…I-25).
func (a *simApp) notified(m message) {
	bench, _ := m.Params["workbench_id"].(string)
	if bench == "" {
		return
	}
	w := a.watch(bench)
	w.seq++
	if m.Params["seq"] != w.seq {
		a.fault("seq is %v at %s, expected %v", m.Params["seq"], m.Method, w.seq)
		w.seq, _ = m.Params["seq"].(float64)
	}
	if w.runs == 0 && slices.Contains(ofRuns, m.Method) {
		a.fault("%s after the end of the run: %v", m.Method, m.Params)
	}
	call, _ := m.Params["tool_call_id"].(string)
	switch m.Method {
	case "WorkshopToolExecuting":
		w.open[call]++
	case "WorkshopToolComplete":
		if w.open[call] == 0 {
			a.fault("Complete without Executing: %v", m.Params)
		}
		if w.open[call]--; w.open[call] <= 0 {
			delete(w.open, call)
		}
	case "WorkshopAssistantStreamDelta":
		w.deltas[m.Params["message_id"].(string)] += m.Params["token_delta"].(string)
	case "WorkshopQuestionPending":
		w.questions = append(w.questions, m.Params)
	}
}

// start sends a request; the channel gets its answer.
func (a *simApp) start(method string, params obj) <-chan message {
	a.mu.Lock()
	a.next++
	id, ch := a.next, make(chan message, 1)
	a.waiting[id] = ch
	if slices.Contains([]string{"WorkshopRunAgent", "WorkshopRegenerate", "WorkshopCompact"}, method) {
		bench := params["workbench_id"].(string)
		a.runs[id] = bench
		a.watch(bench).runs++
	}
	a.mu.Unlock()
	b, _ := json.Marshal(obj{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	a.writing.Lock()
	defer a.writing.Unlock()
	a.in.Write(append(b, '\n')) // on failure a.gone is closed
	return ch
}

// cancel cancels the call that ch belongs to (I-08).
func (a *simApp) cancel(ch <-chan message) {
	a.mu.Lock()
	id := 0
	for n, c := range a.waiting {
		if c == ch {
			id = n
		}
	}
	a.mu.Unlock()
	a.writing.Lock()
	defer a.writing.Unlock()
	fmt.Fprintf(a.in, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`+"\n", id)
}

// simPatience is how long an answer may take if it depends on nothing else.
const simPatience = 3 * time.Minute

// rss returns the process's memory in MiB, or 0 if unknown.
func (a *simApp) rss() (mib int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(b), "\n") {
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &mib); n == 1 {
			return mib >> 10
		}
	}
	return 0
}

// kill kills the process and waits for its end.
func (a *simApp) kill() {
	a.cmd.Process.Kill()
	<-a.gone
	a.cmd.Wait()
}
