package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// randomLine returns a line that a client may send: mostly calls, some nonsense.
func randomLine(rnd *rand.Rand, id int) string {
	method := func(name, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, name, params)
	}
	n := fmt.Sprint(id)
	lines := []func() string{
		func() string { return callLine(n, "wait", "{}") },
		func() string { return callLine(n, "get_file_info", `{"path":"sales.xlsx"}`) },
		func() string { return callLine(n, "read_file", `{"path":"contrato.docx"}`) },
		func() string {
			return callLine(n, "write_text_file", fmt.Sprintf(`{"path":"a%d.txt","content":"%d"}`, rnd.IntN(5), rnd.IntN(100)))
		},
		func() string {
			return callLine(n, "xlsx_operations", fmt.Sprintf(`{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A1","value":%d}]}]}`, rnd.IntN(100)))
		},
		func() string {
			return callLine(n, askTool, `{"questions":[{"name":"a","question":"b?","schema":{"type":"string"}}]}`)
		},
		func() string { return callLine(n, "translate", `{"to":"en","paths":["notas.md"],"wait_seconds":600}`) },
		func() string { return callLine(n, "translate", `{"to":"en","paths":["notas.md"],"stop":true}`) },
		func() string {
			return callLine(n, []string{"review", "publish", "discard", "undo", "list_files", "no_such_tool"}[rnd.IntN(6)], "{}")
		},
		func() string { return callLine(n, "render", `{"path":"pixel.png"}`) },
		func() string { return method("resources/subscribe", `{"uri":"atelier://draft/a1.txt"}`) },
		func() string { return method("resources/list", "{}") },
		func() string { return method("resources/read", `{"uri":"atelier://content/sales.xlsx"}`) },
		func() string { return method("prompts/get", `{"name":"clean_workbook","arguments":{"workbook":"x"}}`) },
		func() string {
			return method("completion/complete", `{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"workbook","value":"sales.xlsx!"}}`)
		},
		func() string { return method("logging/setLevel", `{"level":"debug"}`) },
		func() string { return cancelLine(fmt.Sprint(rnd.IntN(id + 1))) },
		func() string { return cancelLine(fmt.Sprint(rnd.IntN(id + 1))) },
		func() string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"action":"accept","content":{"publish":true,"discard":true,"a":"x"}}}`, rnd.IntN(5))
		},
		func() string {
			return []string{"no JSON", "[]", initializeLine, `{"jsonrpc":"2.0"}`, initializedLine, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`}[rnd.IntN(6)]
		},
	}
	return lines[rnd.IntN(len(lines))]()
}

// randomStdio is a session over streams that ends in some state: its input ends, both
// streams break, or the server stops.
func randomStdio(t *testing.T, h *hostileRig, rnd *rand.Rand) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan struct{})
	go func() {
		h.srv.Run(ctx, stdio{inR, outW, 20 * time.Millisecond})
		outW.Close()
		inR.Close()
		close(ended)
	}() //nolint:errcheck // it ends as the session does
	answers := rnd.IntN(2) == 0
	read := make(chan struct{})
	var writing sync.Mutex
	send := func(l string) bool {
		writing.Lock()
		defer writing.Unlock()
		_, err := io.WriteString(inW, l+"\n")
		return err == nil
	}
	replies := make(chan string, 100)
	go func() {
		defer close(read)
		lines := bufio.NewScanner(outR)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var a answer
			if answers && json.Unmarshal(lines.Bytes(), &a) == nil && a.Method == "elicitation/create" {
				select {
				case replies <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"publish":true,"discard":true,"a":"x"}}}`, a.ID):
				default:
				}
			}
		}
	}()
	if rnd.IntN(10) > 0 {
		send(initializeLine)
		send(initializedLine)
	}
	for id := range rnd.IntN(12) {
		send(randomLine(rnd, id))
		select {
		case l := <-replies:
			send(l)
		default:
			if rnd.IntN(3) == 0 {
				time.Sleep(time.Duration(rnd.IntN(5)) * time.Millisecond)
			}
		}
	}
	switch rnd.IntN(3) {
	case 0:
		inW.Close()
	case 1:
		inW.Close()
		outR.Close()
	default:
		stop()
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("a session did not end")
	}
	inW.Close()
	outR.Close()
	<-read
}

// randomHTTP is a session over HTTP of which some requests break, and which may be left
// open.
func randomHTTP(h *hostileRig, url string, rnd *rand.Rand) {
	session := ""
	send := func(method, body string, most time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), most)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, method, url+"/mcp", strings.NewReader(body))
		if err != nil {
			return
		}
		for k, v := range map[string]string{"Authorization": "Bearer secret", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session} {
			if v != "" {
				req.Header.Set(k, v)
			}
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return // it broke
		}
		defer resp.Body.Close()
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		io.Copy(io.Discard, resp.Body) //nolint:errcheck // it may break
	}
	soon := func() time.Duration { return time.Duration(1+rnd.IntN(30)) * time.Millisecond }
	send(http.MethodPost, initializeLine, 5*time.Second)
	if rnd.IntN(5) > 0 {
		send(http.MethodPost, initializedLine, 5*time.Second)
	}
	for id := range rnd.IntN(8) {
		send(http.MethodPost, randomLine(rnd, id), soon())
		if rnd.IntN(4) == 0 {
			send(http.MethodGet, "", soon())
		}
	}
	if rnd.IntN(2) == 0 {
		send(http.MethodDelete, "", 5*time.Second)
	}
}

// Random sessions, several at once, over both transports, that end in every state leave
// no goroutine, no process and no temporary file.
func TestRandomSessionsLeaveNothing(t *testing.T) {
	temp := t.TempDir()
	h := newHostileRig(t, 8)
	t.Setenv("TMPDIR", temp)
	h.answers.Store(true)
	require.NoError(t, os.WriteFile(filepath.Join(h.folder, "pixel.png"), decoded(t, onePixel), 0o600))
	served := h.srv.HTTP()
	web := httptest.NewServer(served.Loopback("secret"))
	defer web.Close()
	processes := children(t)
	run := func(from, to int) {
		var all sync.WaitGroup
		var next atomic.Int64
		next.Store(int64(from))
		for range 4 {
			all.Go(func() {
				for i := next.Add(1) - 1; i < int64(to); i = next.Add(1) - 1 {
					rnd := rand.New(rand.NewPCG(uint64(i), campaign.Seed()))
					if rnd.IntN(4) == 0 {
						randomHTTP(h, web.URL, rnd)
					} else {
						randomStdio(t, h, rnd)
					}
				}
			})
		}
		all.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		served.Drain(ctx)
		http.DefaultClient.CloseIdleConnections()
		h.idle()
		s := h.connect("2025-11-25", nil)
		h.call(s, "translate", args{"to": "en", "paths": []any{"notas.md"}, "stop": true}) // it outlives its calls
		h.must(s, "list_files", args{})
		require.NoError(t, s.Close())
		h.idle()
	}
	n := campaign.Of(320, 1000)
	run(0, n/4+1)
	before := settled()
	run(n/4+1, n)
	require.LessOrEqual(t, settled(), before+5, "goroutines after %d sessions", n)
	require.Equal(t, processes, children(t))
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

// children counts the processes that this one started, 0 where that cannot be known.
func children(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil { // a thread may have ended
			n += len(strings.Fields(string(b)))
		}
	}
	return n
}
