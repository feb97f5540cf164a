package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/ipc/jsonrpc"
)

// TestReadLineSkipsWhatIsTooLong: I-05.
func TestReadLineSkipsWhatIsTooLong(t *testing.T) {
	in := strings.Repeat("x", MaxLine+1) + "\nnext\n" + strings.Repeat("y", MaxLine) + "\nlast"
	r := bufio.NewReader(strings.NewReader(in))
	_, err := jsonrpc.ReadLine(r)
	require.ErrorIs(t, err, jsonrpc.ErrTooLarge)
	line, err := jsonrpc.ReadLine(r)
	require.NoError(t, err)
	require.Equal(t, "next\n", string(line))
	line, err = jsonrpc.ReadLine(r)
	require.NoError(t, err)
	require.Len(t, line, MaxLine+1)
	line, err = jsonrpc.ReadLine(r)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "last", string(line))
}

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: engine.PseudoModel})
	require.NoError(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}

// TestEndOfInputDrains: Serve answers any input and returns; malformed lines
// do not make it wait for an answer that never comes.
func TestEndOfInputDrains(t *testing.T) {
	for _, in := range []string{
		"", "\n\n", "null\n", "5\n", `"x"` + "\n", "{}\n", "[{}]\n", "[]\n", "[1]\n", `{"jsonrpc":"2.0","id":null,"method":"EngineGetInfo"}`,
		`{"jsonrpc":"2.0","method":"EngineGetInfo"}`, `[{"jsonrpc":"2.0","method":"EngineGetInfo"},{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo"}]`,
		`{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo"}`,
		`{"id":1,"method":"EngineGetInfo"}`, `{"jsonrpc":"2.0","id":{},"method":"EngineGetInfo"}`, `{"jsonrpc":"2.0","id":1,"method":""}`,
		`{"jsonrpc":"2.0","id":1,"method":5}`, `{"jsonrpc":"2.0","id":1,"method":"x","error":{}}`, `{"jsonrpc":"2.0","id":7,"method":"$/cancelRequest","params":{"id":1}}`,
	} {
		var out bytes.Buffer
		require.NoError(t, Serve(context.Background(), newEngine(t), strings.NewReader(in), &out, Options{}), in)
		for line := range strings.Lines(out.String()) {
			require.True(t, json.Valid([]byte(line)), "%q gave %q", in, line)
		}
	}
}

// TestCancelIsNeverBehindRunningCalls: $/cancelRequest ends a run that waits
// for its model, and the run answers USER_CANCELED (W-14).
func TestCancelIsNeverBehindRunningCalls(t *testing.T) {
	asked := make(chan struct{}, 1)
	release := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer model.Close()
	defer close(release)
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: "m", BaseURL: model.URL, APIKey: "k"})
	require.NoError(t, err)
	defer e.Close()
	pr, pw := io.Pipe()
	or, ow := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), e, pr, ow, Options{}); ow.Close() }()
	lines := bufio.NewReader(or)
	answer := func(id string) map[string]json.RawMessage {
		for {
			line, err := lines.ReadBytes('\n')
			require.NoError(t, err)
			var m map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(line, &m))
			if string(m["id"]) == id {
				return m
			}
		}
	}
	member := func(raw json.RawMessage, name string) string {
		var m map[string]any
		require.NoError(t, json.Unmarshal(raw, &m))
		s, _ := m[name].(string)
		return s
	}
	fmt.Fprintln(pw, `{"jsonrpc":"2.0","id":1,"method":"WorkbenchCreate","params":{"name":"w"}}`)
	wb := member(answer("1")["result"], "workbench_id")
	fmt.Fprintf(pw, `{"jsonrpc":"2.0","id":2,"method":"WorkshopSendUserMessage","params":{"workbench_id":%q,"text":"hi"}}`+"\n", wb)
	msg := member(answer("2")["result"], "message_id")
	fmt.Fprintf(pw, `{"jsonrpc":"2.0","id":3,"method":"WorkshopRunAgent","params":{"workbench_id":%q,"message_id":%q}}`+"\n", wb, msg)
	<-asked
	fmt.Fprintln(pw, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}`)
	var rpc struct {
		Data engine.ErrorInfo `json:"data"`
	}
	require.NoError(t, json.Unmarshal(answer("3")["error"], &rpc))
	require.Equal(t, engine.CodeUserCanceled, rpc.Data.ErrorCode)
	pw.Close()
	require.NoError(t, <-done)
}

func BenchmarkThroughput(b *testing.B) {
	e := newEngine(b)
	pr, pw := io.Pipe()
	or, ow := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), e, pr, ow, Options{}); ow.Close() }()
	lines := bufio.NewReader(or)
	b.ReportAllocs()
	b.Run("sequential", func(b *testing.B) {
		for i := range b.N {
			fmt.Fprintf(pw, `{"jsonrpc":"2.0","id":%d,"method":"EngineGetInfo"}`+"\n", i)
			if _, err := lines.ReadSlice('\n'); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pipelined", func(b *testing.B) {
		go func() {
			w := bufio.NewWriterSize(pw, 64<<10)
			for i := range b.N {
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"method":"EngineGetInfo"}`+"\n", i)
			}
			w.Flush()
		}()
		for range b.N {
			if _, err := lines.ReadSlice('\n'); err != nil {
				b.Fatal(err)
			}
		}
	})
	pw.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
