package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// app drives the built binary over stdio like a desktop app.
type app struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser

	mu    sync.Mutex
	lines []message
	more  *sync.Cond
	ended bool
	next  int
}

type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  map[string]any  `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func startApp(t *testing.T, home string, env ...string) *app {
	t.Helper()
	return startAppWith(t, []string{"--home", home}, env...)
}

// startAppWith is startApp with flags of serve.
func startAppWith(t *testing.T, flags []string, env ...string) *app {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"serve"}, flags...)...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "ATELIER_MODEL=pseudo")
	cmd.Env = append(cmd.Env, env...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	a := &app{t: t, cmd: cmd, in: in}
	a.more = sync.NewCond(&a.mu)
	go a.read(out)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("stderr: %s", stderr.String())
		}
	})
	return a
}

// read collects every line of stdout; each must be one JSON object (I-01).
func (a *app) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		a.mu.Lock()
		if len(line) > 0 {
			var m message
			if jerr := json.Unmarshal(line, &m); jerr != nil || m.JSONRPC != "2.0" {
				a.t.Errorf("stdout has a line that is no JSON-RPC object: %q", line)
			}
			a.lines = append(a.lines, m)
		}
		a.ended = err != nil
		a.more.Broadcast()
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (a *app) send(line string) {
	a.t.Helper()
	_, err := io.WriteString(a.in, line+"\n")
	require.NoError(a.t, err)
}

// await returns the first message from index on that match accepts, and its
// index.
func (a *app) await(from int, what string, match func(message) bool) (message, int) {
	a.t.Helper()
	timer := time.AfterFunc(60*time.Second, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.ended = true
		a.more.Broadcast()
	})
	defer timer.Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := from; ; i++ {
		for i >= len(a.lines) {
			require.False(a.t, a.ended, "the program gave no %s", what)
			a.more.Wait()
		}
		if match(a.lines[i]) {
			return a.lines[i], i
		}
	}
}

func (a *app) start(method string, params any) string {
	a.t.Helper()
	a.next++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.next, "method": method, "params": params})
	require.NoError(a.t, err)
	a.send(string(b))
	return fmt.Sprint(a.next)
}

func (a *app) reply(id string) (message, int) {
	a.t.Helper()
	return a.await(0, "answer to call "+id, func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// call makes a call that must succeed and decodes its result.
func (a *app) call(method string, params, into any) int {
	a.t.Helper()
	m, i := a.reply(a.start(method, params))
	require.Nil(a.t, m.Error, "%s: %+v", method, m.Error)
	if into != nil {
		require.NoError(a.t, json.Unmarshal(m.Result, into))
	}
	return i
}

// callError makes a call that must fail and returns the data of its error.
func (a *app) callError(method string, params any) (data obj) {
	a.t.Helper()
	m, _ := a.reply(a.start(method, params))
	require.NotNil(a.t, m.Error, "%s: %s", method, m.Result)
	require.NoError(a.t, json.Unmarshal(m.Error.Data, &data))
	return data
}

type obj = map[string]any

func docsFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mis documentos ☂")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../testdata/documents")))
	return dir
}

// TestDesktopApp runs a whole session of a desktop app: I-01, I-20, I-21,
// I-22, I-23, I-24, I-25, W-01, W-19, W-60.
func TestDesktopApp(t *testing.T) {
	a := startApp(t, t.TempDir())
	dir := docsFolder(t)
	var info struct {
		EngineVersion string `json:"engine_version"`
		APIVersion    string `json:"api_version"`
	}
	a.call("EngineGetInfo", obj{}, &info)
	require.Equal(t, "1", info.APIVersion)

	var wb struct {
		ID   string `json:"workbench_id"`
		Root string `json:"root"`
	}
	a.call("WorkbenchCreate", obj{"name": "Docs", "root": dir}, &wb)
	var msg struct {
		ID string `json:"message_id"`
	}
	a.call("WorkshopSendUserMessage", obj{"workbench_id": wb.ID, "text": "Translate all documents to English"}, &msg)
	var run struct {
		MessageID string `json:"message_id"`
		HasDraft  bool   `json:"has_draft"`
	}
	end := a.call("WorkshopRunAgent", obj{"workbench_id": wb.ID, "message_id": msg.ID}, &run)
	require.True(t, run.HasDraft)
	checkRunNotifications(t, a.lines[:end], wb.ID, run.MessageID)
	for _, late := range a.lines[end:] {
		require.NotContains(t, []string{"WorkshopToolExecuting", "WorkshopToolComplete", "WorkshopAssistantStreamDelta"}, late.Method, "a notification of the run came after its answer")
	}

	var changes struct {
		Changes []struct {
			Path       string `json:"path"`
			ChangeType string `json:"change_type"`
			Summary    string `json:"summary"`
		} `json:"changes"`
	}
	a.call("ReviewGetChangeSet", obj{"workbench_id": wb.ID}, &changes)
	require.NotEmpty(t, changes.Changes)
	before, err := os.ReadFile(filepath.Join(dir, "notas.md"))
	require.NoError(t, err)
	original, err := os.ReadFile("../../testdata/documents/notas.md")
	require.NoError(t, err)
	require.Equal(t, original, before, "a run must not touch a published file (W-19)")

	var tool struct {
		Success bool                  `json:"success"`
		Result  struct{ Text string } `json:"result"`
		Error   json.RawMessage       `json:"error"`
	}
	a.call("ToolCall", obj{"workbench_id": wb.ID, "profile": "workshop", "tool": "read_file", "args": obj{"path": "notas.md", "line_count": "12"}}, &tool)
	require.True(t, tool.Success)
	require.Contains(t, tool.Result.Text, "[")
	a.call("ToolCall", obj{"workbench_id": wb.ID, "tool": "read_file", "args": obj{"path": "../x"}}, &tool)
	require.False(t, tool.Success)
	require.Contains(t, string(tool.Error), "SANDBOX_VIOLATION")

	var pub struct {
		Published    []string `json:"published"`
		CheckpointID string   `json:"checkpoint_id"`
	}
	a.call("DraftPublish", obj{"workbench_id": wb.ID}, &pub)
	require.Len(t, pub.Published, len(changes.Changes))
	require.NotEmpty(t, pub.CheckpointID)
	after, err := os.ReadFile(filepath.Join(dir, "notas.md"))
	require.NoError(t, err)
	require.NotEqual(t, original, after)
	var st struct {
		HasDraft bool `json:"has_draft"`
	}
	a.call("DraftGetState", obj{"workbench_id": wb.ID}, &st)
	require.False(t, st.HasDraft)

	require.NoError(t, a.in.Close())
	require.NoError(t, a.cmd.Wait(), "at the end of input the program exits 0 (I-05)")
}

// checkRunNotifications: each Executing has its Complete, seq has no gap,
// text comes before the end, and the final message is announced.
func checkRunNotifications(t *testing.T, lines []message, workbench, final string) {
	t.Helper()
	open := map[string]bool{}
	seen := map[string]int{}
	seq := 0.0
	for _, m := range lines {
		if m.Method == "" {
			continue
		}
		require.Equal(t, workbench, m.Params["workbench_id"], m.Method)
		seq++
		require.Equal(t, seq, m.Params["seq"], "seq has a gap at %s", m.Method)
		seen[m.Method]++
		id, _ := m.Params["tool_call_id"].(string)
		switch m.Method {
		case "WorkshopToolExecuting":
			require.False(t, open[id])
			open[id] = true
		case "WorkshopToolComplete":
			require.True(t, open[id], "Complete without Executing")
			delete(open, id)
			require.Contains(t, m.Params, "success")
		case "WorkshopAssistantMessageComplete":
			require.Equal(t, final, m.Params["message_id"])
		}
	}
	require.Empty(t, open, "a tool call was never completed")
	for _, method := range []string{"WorkshopToolExecuting", "WorkshopAssistantStreamDelta", "WorkshopAssistantMessageComplete", "DraftStateChanged"} {
		require.NotZero(t, seen[method], method)
	}
}

// TestBadLines: I-02…I-04, I-05, I-06, I-08: each bad line gets its error and
// the connection continues.
func TestBadLines(t *testing.T) {
	a := startApp(t, t.TempDir())
	for _, c := range []struct {
		line, message string
		code          int
	}{
		{`garbage`, "", -32700},
		{`{"jsonrpc":"2.0","id":1`, "", -32700},
		{`{"jsonrpc":"1.0","id":2,"method":"EngineGetInfo"}`, "", -32600},
		{`{"jsonrpc":"2.0","id":3,"method":"Nope"}`, "", -32601},
		{`{"jsonrpc":"2.0","id":4,"method":"WorkbenchOpen","params":{"workbench_id":7}}`, "workbench_id: expected a string", -32602},
		{`{"jsonrpc":"2.0","id":5,"method":"EngineGetInfo","params":[1]}`, "params must be an object", -32602},
		{`{"jsonrpc":"2.0","id":6,"method":"EngineGetInfo","api_version":"2"}`, "api_version", -32000},
		{`{"jsonrpc":"2.0","id":7,"result":{}}`, "method is missing", -32600},
		{`{"jsonrpc":"2.0","id":8,"method":"WorkbenchOpen","params":{"workbench_id":".."}}`, "", -32000},
		{`{"jsonrpc":"2.0","id":9,"method":"WorkshopProposeChanges"}`, "use WorkshopRunAgent", -32000},
		{`{"jsonrpc":"2.0","id":10,"method":"EngineGetInfo","params":"` + strings.Repeat("x", 16<<20) + `"}`, "message too large", -32600},
		{`[]`, "", -32600},
	} {
		from := len(a.snapshot())
		a.send(c.line)
		m, _ := a.await(from, "answer to "+c.line[:min(len(c.line), 60)], func(m message) bool { return m.Error != nil })
		require.Equal(t, c.code, m.Error.Code, c.line[:min(len(c.line), 60)])
		require.Contains(t, m.Error.Message, c.message)
	}
	a.send("")
	a.send(`{"jsonrpc":"2.0","method":"EngineGetInfo"}`) // no id: no answer
	a.send(`{"jsonrpc":"2.0","id":"ok","method":"EngineGetInfo","api_version":"1","params":null}`)
	m, _ := a.await(0, "answer", func(m message) bool { return string(m.ID) == `"ok"` })
	require.Nil(t, m.Error)
	require.NoError(t, a.in.Close())
	require.NoError(t, a.cmd.Wait())
}

func (a *app) snapshot() []message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]message(nil), a.lines...)
}

// TestManyRequestsAtOnce: I-07: 100 concurrent requests, every line parses,
// every one is answered; then the end of input drains pending calls (I-05).
func TestManyRequestsAtOnce(t *testing.T) {
	a := startApp(t, t.TempDir())
	var batch strings.Builder
	for i := range 100 {
		fmt.Fprintf(&batch, `{"jsonrpc":"2.0","id":%d,"method":"WorkbenchCreate","params":{"name":"n%d"}}`+"\n", i, i)
	}
	_, err := io.WriteString(a.in, batch.String())
	require.NoError(t, err)
	require.NoError(t, a.in.Close())
	a.mu.Lock()
	for !a.ended {
		a.more.Wait()
	}
	a.mu.Unlock()
	require.NoError(t, a.cmd.Wait())
	answered := map[string]bool{}
	for _, m := range a.snapshot() {
		if m.Method == "" {
			require.Nil(t, m.Error, "%+v", m.Error)
			answered[string(m.ID)] = true
		}
	}
	require.Len(t, answered, 100)
}
