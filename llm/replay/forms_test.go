package replay_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/replay"
)

// Programs that others wrote send what clients of ours do not: contents that are a text
// only, namespaces of tools, and requests of Google's form.
func TestFormsOfOtherPrograms(t *testing.T) {
	f, err := replay.Parse([]byte(`
-- model-1 --
{"text":"Reading."}
{"call":{"id":"c1","name":"docs__read","arguments":{"path":"a.txt"}}}
{"usage":{"prompt_tokens":10,"completion_tokens":3}}
-- model-* --
{"text":"A title"}
`))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{Answer: func(r replay.Request) int { return min(len(r.Tools), 1) }})
	require.NoError(t, err)
	defer srv.Close()
	post := func(path, body string) string {
		resp, err := http.Post(srv.URL+path, "application/json", strings.NewReader(body))
		require.NoError(t, err)
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode, string(b))
		return string(b)
	}
	said := post("/models/g-1:streamGenerateContent?alt=sse", `{"systemInstruction":{"parts":[{"text":"be brief"}]},
		"contents":[{"role":"user","parts":[{"text":"hi"},{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]},
		{"role":"model","parts":[{"functionCall":{"id":"c0","name":"docs__read","args":{"path": "b"}}}]},
		{"role":"user","parts":[{"functionResponse":{"id":"c0","name":"docs__read","response":{"output":"text"}}}]}],
		"tools":[{"functionDeclarations":[{"name":"docs__read","parametersJsonSchema":{"type":"object"}}]}]}`)
	require.Contains(t, said, `"parts":[{"text":"Reading."}]`)
	require.Contains(t, said, `"functionCall":{"args":{"path":"a.txt"},"id":"c1","name":"docs__read"}`)
	require.Contains(t, said, `"finishReason":"STOP"`)
	require.Contains(t, said, `"promptTokenCount":10`)
	r := srv.Requests()[0]
	require.Equal(t, "g-1", r.Model)
	require.JSONEq(t, `{"type":"object"}`, string(r.Tools[0].Function.Parameters))
	require.Equal(t, []string{llm.RoleSystem, llm.RoleUser, llm.RoleAssistant, llm.RoleTool}, []string{r.Messages[0].Role, r.Messages[1].Role, r.Messages[2].Role, r.Messages[3].Role})
	require.Equal(t, []byte{0, 1, 2}, r.Messages[1].Images[0].Data)
	require.Equal(t, `{"path":"b"}`, r.Messages[2].ToolCalls[0].Function.Arguments)
	require.Equal(t, `{"output":"text"}`, r.Messages[3].Content)

	said = post("/responses", `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],
		"tools":[{"type":"namespace","name":"docs","tools":[{"type":"function","name":"read","parameters":{"type":"object"}}]}]}`)
	require.Contains(t, said, `"name":"read","namespace":"docs"`)
	require.Contains(t, said, `"content":[{"annotations":[],"text":"Reading.","type":"output_text"}]`)
	require.Equal(t, "docs__read", srv.Requests()[1].Tools[0].Function.Name)

	said = post("/messages", `{"model":"m","stream":true,"system":"be brief","messages":[{"role":"user","content":"hi"}]}`)
	require.Contains(t, said, `"text":"A title"`)
	require.Contains(t, said, `"model":"m"`)
	require.Equal(t, "be brief", srv.Requests()[2].Messages[0].Content)
	require.Equal(t, "hi", srv.Requests()[2].Messages[1].Content)
}
