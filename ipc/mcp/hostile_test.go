package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/ipc/jsonrpc"
)

// raw is a client that writes lines.
type raw struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	end chan error
	// gone ends both streams, as a client that is killed does.
	gone func()
	stop func() // stops the server of this client
}

func (r *rig) raw() *raw {
	r.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &raw{r.t, inW, bufio.NewScanner(outR), make(chan error, 1), func() { inW.Close(); outR.Close() }, nil}
	c.out.Buffer(nil, 64<<20)
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	go func() { c.end <- r.srv.Run(ctx, stdio{inR, outW, 3 * time.Second}); outW.Close() }()
	r.t.Cleanup(func() {
		cancel()
		inW.Close()
		for c.out.Scan() {
		}
	})
	return c
}

func (c *raw) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		_, err := io.WriteString(c.in, l+"\n")
		require.NoError(c.t, err)
	}
}

type answer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int64
		Message string
	}
	Method string
}

// next returns the next message that is no notification.
func (c *raw) next() answer {
	c.t.Helper()
	for c.out.Scan() {
		var a answer
		require.NoError(c.t, json.Unmarshal(c.out.Bytes(), &a))
		if a.ID != nil {
			return a
		}
	}
	c.t.Fatal("the connection ended")
	return answer{}
}

func (c *raw) initialize(version string) answer {
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"raw","version":"0"}}}`, version))
	a := c.next()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

// Every revision since the first is negotiated, and an unknown one gets one that the
// server has.
func TestRevisions(t *testing.T) {
	r := newRig(t)
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "1999-01-01": "2025-11-25"} {
		c := r.raw()
		require.Contains(t, string(c.initialize(asked).Result), `"protocolVersion":"`+want+`"`)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_files","arguments":{}}}`)
		require.Contains(t, string(c.next().Result), "notas.md")
	}
	c := r.raw()
	c.initialize("2025-03-26")
	c.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	require.NotNil(t, c.next().Result, "that revision has batches")
	require.NotNil(t, c.next().Result)
	batch := make([]string, maxPending)
	for i := range batch {
		batch[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
	}
	c.send("[" + strings.Join(batch, ",") + "]")
	for range batch {
		require.NotNil(t, c.next().Result)
	}
}

// What is no message is answered, and the connection lives.
func TestHostileMessages(t *testing.T) {
	r := newRig(t)
	c := r.raw()
	c.initialize("2025-11-25")
	for _, l := range []string{
		"this is no JSON", `{"jsonrpc":"2.0"}`, `[]`, `{}`, `17`, `null`, `"x"`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":17}`, `{"jsonrpc":"2.0","id":1,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"atelier://draft/..%2F..%2Fetc%2Fpasswd"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"%%%"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"clean_workbook"}}`,
		strings.Repeat("x", jsonrpc.MaxMessage+10),
	} {
		c.send(l)
		a := c.next()
		require.NotNil(t, a.Error, "%.100s: %s", l, a.Result)
		require.NotEmpty(t, a.Error.Message)
	}
	c.send(`{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}`, `{"jsonrpc":"2.0","method":"no/such"}`)
	for _, a := range []string{`"text"`, `[1]`, `{"path":17}`, `{"path":"../../etc/passwd"}`, `{"path":"` + strings.Repeat("a/", 50_000) + `"}`, `null`} {
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":` + a + `}}`)
		got := c.next()
		require.True(t, got.Error != nil || strings.Contains(string(got.Result), `"isError":true`), "%.80s: %.200s", a, got.Result)
	}
	big := `{"path":"big.txt","content":"` + strings.Repeat("y", 10<<20) + `"}`
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write_text_file","arguments":` + big + `}}`)
	require.NotNil(t, c.next().Result)
	c.send(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	require.Nil(t, c.next().Error)
}

// stays is a writer that cannot be closed, such as standard output.
type stays struct{ io.Writer }

// Close implements io.Closer.
func (stays) Close() error { return nil }

// A server that stops does not wait for a client that does not read.
func TestStopWithoutAReader(t *testing.T) {
	campaign.Slow(t)
	r := newRig(t)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	defer outR.Close() // the write ends
	defer inW.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.srv.Run(ctx, Stdio(inR, stays{outW})) }()
	_, err := io.WriteString(inW, initializeLine+"\n")
	require.NoError(t, err)
	time.Sleep(50 * time.Millisecond) // the answer is being written
	began := time.Now()
	stop()
	require.NoError(t, <-ended)
	require.InDelta(t, lastCalls.Seconds(), time.Since(began).Seconds(), 5)
}

// The answers to calls come before the end that the end of input brings.
func TestCallsEndBeforeTheConnection(t *testing.T) {
	r := newRig(t)
	c := r.raw()
	c.initialize("2025-11-25")
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_file_info","arguments":{"path":"sales.xlsx"}}}`)
	c.in.Close()
	require.Contains(t, string(c.next().Result), "sales.xlsx")
	require.NoError(t, <-c.end)
}

// A client that sends and never reads holds a bounded number of requests: the server
// reads no more.
func TestClientThatDoesNotRead(t *testing.T) {
	r := newRig(t)
	c := r.raw()
	c.initialize("2025-11-25")
	here, there := net.Pipe() // a writer with a deadline
	go io.Copy(c.in, there)   //nolint:errcheck // it ends with the test
	defer here.Close()
	sent := 0
	for ; sent < 20_000; sent++ {
		require.NoError(t, here.SetWriteDeadline(time.Now().Add(2*time.Second)))
		if _, err := io.WriteString(here, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", sent+1)); err != nil {
			break
		}
	}
	require.Less(t, sent, 10_000)
	there.Close()
}

// settled returns the number of goroutines when it no longer falls.
func settled() int {
	n := runtime.NumGoroutine()
	for range 50 {
		time.Sleep(20 * time.Millisecond)
		if now := runtime.NumGoroutine(); now < n {
			n = now
		}
	}
	return n
}
