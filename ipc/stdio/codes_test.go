package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// I-04: only invalid JSON is a parse error; JSON that is not a request is an
// invalid request, with the id if it has one.
func TestI04Codes(t *testing.T) {
	e := newEngine(t)
	for line, want := range map[string][]string{
		`{x`:       {"-32700 null"},
		`{"a":1}}`: {"-32700 null"},
		`7`:        {"-32600 null"},
		`"x"`:      {"-32600 null"},
		`null`:     {"-32600 null"},
		`[]`:       {"-32600 null"},
		`[1]`:      {"-32600 null"},
		`{"jsonrpc":"1.0","id":1,"method":"EngineGetInfo"}`:                       {"-32600 1"},
		`{"jsonrpc":2.0,"id":1,"method":"EngineGetInfo"}`:                         {"-32600 1"},
		`{"jsonrpc":"2.0","id":1,"method":7}`:                                     {"-32600 1"},
		`{"jsonrpc":"2.0","id":1}`:                                                {"-32600 1"},
		`{"jsonrpc":"2.0","id":{},"method":"EngineGetInfo"}`:                      {"-32600 null"},
		`{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo","params":7}`:            {"-32600 1"},
		`{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo","params":[]}`:           {"-32602 1"},
		`{"jsonrpc":"2.0","id":1,"method":"Nope"}`:                                {"-32601 1"},
		`[{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo"},7]`:                   {"0 1", "-32600 null"},
		`[{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo"},{"id":2,"method":3}]`: {"0 1", "-32600 2"},
	} {
		var out bytes.Buffer
		require.NoError(t, Serve(context.Background(), e, strings.NewReader(line+"\n"), &out, Options{}), line)
		type response struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		var got []response
		if answer := bytes.TrimSpace(out.Bytes()); answer[0] == '[' {
			require.NoError(t, json.Unmarshal(answer, &got), line)
		} else {
			got = make([]response, 1)
			require.NoError(t, json.Unmarshal(answer, &got[0]), line)
		}
		var codes []string
		for _, r := range got {
			b, err := json.Marshal(r.Error.Code)
			require.NoError(t, err)
			codes = append(codes, string(b)+" "+string(r.ID))
		}
		require.Equal(t, want, codes, line)
	}
}
