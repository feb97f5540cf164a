package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Programs of Windows end lines with CR LF, also some messages and not others. Each
// request is answered once, empty lines are ignored, and answers end with LF.
func TestLinesWithCarriageReturns(t *testing.T) {
	e := newEngine(t)
	in := "\r\n" +
		`{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo"}` + "\r\n\r\n" +
		`{"jsonrpc":"2.0","id":2,"method":"WorkbenchCreate","params":{"name":"a\r\nb"}}` + "\n" +
		`{x` + "\r\n" +
		`[{"jsonrpc":"2.0","id":3,"method":"EngineGetInfo"}]` + "\r\n" +
		`{"jsonrpc":"2.0","id":4,"method":"EngineGetInfo"}` + "\r"
	var out bytes.Buffer
	require.NoError(t, Serve(context.Background(), e, strings.NewReader(in), &out, Options{}))
	require.NotContains(t, out.String(), "\r")
	got := map[string]string{}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "["), "]")
		var m struct {
			ID            json.RawMessage
			Result, Error json.RawMessage
			Method        string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		if m.Method != "" {
			continue
		}
		require.NotContains(t, got, string(m.ID))
		got[string(m.ID)] = string(m.Error)
		if m.Error == nil {
			require.NotEmpty(t, m.Result)
		}
	}
	require.Len(t, got, 5)
	for _, id := range []string{"1", "2", "3", "4"} {
		require.Empty(t, got[id], id)
	}
	require.Contains(t, got["null"], "-32700")
}
