package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
)

// blockedWriter accepts nothing until it is opened, like a client that does
// not read.
type blockedWriter struct {
	gate chan struct{}
	mu   sync.Mutex
	buf  bytes.Buffer
}

func (w *blockedWriter) Write(b []byte) (int, error) {
	<-w.gate
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(b)
}

func delta(text string) engine.Notification {
	return engine.Notification{Method: "WorkshopAssistantStreamDelta", Params: agent.StreamDelta{WorkbenchID: "w", MessageID: "a-1", TokenDelta: text}}
}

// TestSlowReaderGetsJoinedDeltas: waiting deltas are joined, everything else
// stays in order, and seq counts without gaps.
func TestSlowReaderGetsJoinedDeltas(t *testing.T) {
	w := &blockedWriter{gate: make(chan struct{})}
	o := NewOutbox(func(b []byte) error { _, err := w.Write(append(b, '\n')); return err })
	o.Notify(engine.Notification{Method: "WorkshopToolExecuting", Params: agent.ToolExecuting{WorkbenchID: "w", ToolName: "read_file"}})
	for i := range 10_000 {
		o.Notify(delta(fmt.Sprint(i % 10)))
		if i == 4999 {
			o.Notify(engine.Notification{Method: "WorkshopToolComplete", Params: agent.ToolComplete{WorkbenchID: "w", ToolName: "read_file"}})
		}
	}
	require.NoError(t, o.Send([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)))
	close(w.gate)
	require.NoError(t, o.Close())

	var text strings.Builder
	var methods []string
	seq := 0.0
	for line := range strings.Lines(w.buf.String()) {
		var m struct {
			Method string
			ID     int
			Params map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		if m.Method != "" {
			seq++
			require.Equal(t, seq, m.Params["seq"])
		}
		methods = append(methods, m.Method)
		if s, ok := m.Params["token_delta"].(string); ok {
			text.WriteString(s)
		}
	}
	require.Equal(t, strings.Repeat("0123456789", 1000), text.String())
	require.Contains(t, methods, "WorkshopToolComplete")
	require.Empty(t, methods[len(methods)-1], "the response comes last")
	require.Less(t, len(methods), 10, "waiting deltas are joined")
}
