package openai

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

var textTools = toolsOf([]llm.Tool{
	{Function: llm.FunctionDef{Name: "read_file", Parameters: json.RawMessage(`{"properties":{"path":{"type":"string"}}}`)}},
	{Function: llm.FunctionDef{Name: "list_files"}},
})

// readText gives text in pieces of n bytes, 0 at once.
func readText(s string, n int) (text, thought string, calls []llm.ToolCall) {
	var think thinking
	t := textCalls{tools: textTools}
	var out, th strings.Builder
	for s != "" {
		piece := s
		if n > 0 && n < len(s) {
			piece = s[:n]
		}
		s = s[len(piece):]
		said, thought := think.split(piece)
		out.WriteString(t.add(said))
		th.WriteString(thought)
	}
	said, more := think.end()
	out.WriteString(t.add(said))
	said, last, calls := t.end(0, 1)
	return out.String() + said, th.String() + more + last, calls
}

// However an answer is cut into pieces, its calls are the same, and text is only
// blank space different: blanks before a call that was not there yet.
func FuzzTextCalls(f *testing.F) {
	vectors, err := filepath.Glob("testdata/quirks/t*.txtar")
	require.NoError(f, err)
	for _, path := range vectors {
		b, err := os.ReadFile(path)
		require.NoError(f, err)
		var all strings.Builder
		for line := range strings.Lines(string(b)) {
			var c chunk
			if strings.HasPrefix(line, `{"choices"`) && json.Unmarshal([]byte(line), &c) == nil && c.Choices[0].Delta != nil {
				all.WriteString(string(c.Choices[0].Delta.Content))
			}
		}
		f.Add(all.String(), uint8(3))
	}
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		text, thought, calls := readText(s, 0)
		text2, thought2, calls2 := readText(s, int(n)+1)
		require.Equal(t, calls, calls2)
		require.Equal(t, strings.TrimSpace(text), strings.TrimSpace(text2))
		require.Equal(t, thought, thought2)
		for _, c := range calls {
			require.NotNil(t, textTools[c.Function.Name])
		}
		if calls == nil && thought == "" && !strings.Contains(s, "<|") && !strings.Contains(s, thinkOpen) {
			require.Equal(t, s, text, "nothing is lost")
		}
	})
}

// A long call in small pieces takes time in proportion.
func BenchmarkLongTextCall(b *testing.B) {
	s := `<tool_call>{"name":"read_file","arguments":{"path":"` + strings.Repeat("x", 1<<20) + `"}}</tool_call>`
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		_, _, calls := readText(s, 4)
		require.Len(b, calls, 1)
	}
}
