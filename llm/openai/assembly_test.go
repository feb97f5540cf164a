package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/openai"
)

// serving serves one body for every request.
func serving(t *testing.T, status int, contentType, body string, header ...string) *openai.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	return openai.New(openai.Options{BaseURL: srv.URL + "/v1", IdleTimeout: 2 * time.Second})
}

// chunks writes deltas as a standard stream; "!" ends it without [DONE].
func chunks(deltas ...string) string {
	var sb strings.Builder
	done := true
	for _, d := range deltas {
		switch {
		case d == "!":
			done = false
		case strings.HasPrefix(d, "raw:"):
			sb.WriteString(d[4:])
		case strings.HasPrefix(d, "finish:"):
			fmt.Fprintf(&sb, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%s}]}\n\n", d[7:])
		default:
			fmt.Fprintf(&sb, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
		}
	}
	if done {
		sb.WriteString("data: [DONE]\n\n")
	}
	return sb.String()
}

func tc(members string) string { return `{"tool_calls":[{` + members + `}]}` }

type want struct {
	text  string
	calls []string // name and arguments
	err   llm.Kind
}

// TestL04Assembly: L-04 and the quirks of DESIGN section 5, over real HTTP.
func TestL04Assembly(t *testing.T) {
	two := []string{`a {"x":1}`, `b {"y":2}`}
	for name, c := range map[string]struct {
		body string
		want want
	}{
		"standard": {chunks(`{"role":"assistant","content":"Hi "}`, `{"content":"you"}`, `finish:"stop"`), want{text: "Hi you"}},
		"interleaved by index": {chunks(tc(`"index":0,"id":"1","type":"function","function":{"name":"a","arguments":""}`), tc(`"index":1,"id":"2","function":{"name":"b","arguments":"{\"y\""}`),
			tc(`"index":0,"function":{"arguments":"{\"x\":1}"}`), tc(`"index":1,"function":{"arguments":":2}"}`), `finish:"tool_calls"`), want{calls: two}},
		"index missing":           {chunks(tc(`"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}`), tc(`"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}`), `finish:"tool_calls"`), want{calls: two}},
		"index null":              {chunks(tc(`"index":null,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}`), tc(`"index":null,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}`), `finish:"tool_calls"`), want{calls: two}},
		"index repeated":          {chunks(tc(`"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}`), tc(`"index":0,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}`), `finish:"tool_calls"`), want{calls: two}},
		"index not from 0":        {chunks(tc(`"index":1,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}`), tc(`"index":3,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}`), `finish:"tool_calls"`), want{calls: two}},
		"id on every chunk":       {chunks(tc(`"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}`), tc(`"index":0,"id":"1","function":{"arguments":":1}"}`), `finish:"tool_calls"`), want{calls: two[:1]}},
		"id missing":              {chunks(tc(`"index":0,"function":{"name":"a","arguments":"{\"x\":1}"}`), tc(`"index":1,"function":{"name":"b","arguments":"{\"y\":2}"}`), `finish:"tool_calls"`), want{calls: two}},
		"id used twice":           {chunks(tc(`"index":0,"id":"c","function":{"name":"a","arguments":"{\"x\":1}"}`), tc(`"index":1,"id":"c","function":{"name":"b","arguments":"{\"y\":2}"}`), `finish:"tool_calls"`), want{calls: two}},
		"name late":               {chunks(tc(`"index":0,"id":"1","function":{"arguments":""}`), tc(`"index":0,"function":{"name":"a","arguments":"{\"x\":1}"}`), `finish:"tool_calls"`), want{calls: two[:1]}},
		"arguments object":        {chunks(tc(`"index":0,"id":"1","function":{"name":"a","arguments":{"x":1}}`), `finish:"tool_calls"`), want{calls: two[:1]}},
		"arguments empty":         {chunks(tc(`"index":0,"id":"1","function":{"name":"a","arguments":""}`), `finish:"tool_calls"`), want{calls: []string{"a {}"}}},
		"arguments encoded twice": {chunks(tc(`"index":0,"id":"1","function":{"name":"a","arguments":"\"{\\\"x\\\":1}\""}`), `finish:"tool_calls"`), want{calls: two[:1]}},
		"finish stop with calls":  {chunks(tc(`"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}`), `finish:"stop"`), want{calls: two[:1]}},
		"finish null then done":   {chunks(`{"content":"x"}`, `finish:null`), want{text: "x"}},
		"no done":                 {chunks(`{"content":"x"}`, `finish:"stop"`, "!"), want{text: "x"}},
		"usage without choices":   {chunks(`{"content":"x"}`, `finish:"stop"`, "raw:data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1,\"total_tokens\":4}}\n\n"), want{text: "x"}},
		"comments, BOM, CRLF":     {"\xef\xbb\xbf: keep-alive\r\n\r\n" + strings.Repeat(": ping\r\n\r\n", 500) + strings.ReplaceAll(chunks(`{"content":"x"}`, `finish:"stop"`), "\n", "\r\n"), want{text: "x"}},
		"data over lines":         {"data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", want{text: "x"}},
		"no last blank line":      {strings.TrimRight(chunks(`{"content":"x"}`, `finish:"stop"`, "!"), "\n"), want{text: "x"}},
		"very long line":          {chunks(`{"content":"`+strings.Repeat("y", 3<<20)+`"}`, `finish:"stop"`), want{text: strings.Repeat("y", 3<<20)}},
		"cut in text":             {chunks(`{"content":"par"}`, "!"), want{text: "par", err: llm.KindUnavailable}},
		"cut in a call":           {chunks(`{"content":"t"}`, tc(`"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}`), "!"), want{text: "t", err: llm.KindUnavailable}},
		"cut before anything":     {"", want{err: llm.KindUnavailable}},
		"error in the stream":     {chunks(`{"content":"x"}`, "raw:data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n", "!"), want{text: "x", err: llm.KindUnavailable}},
		"error as a string":       {"data: {\"error\":\"boom\"}\n\n", want{err: llm.KindUnavailable}},
	} {
		t.Run(name, func(t *testing.T) {
			client := serving(t, 200, "text/event-stream", c.body)
			var streamed strings.Builder
			var told []llm.ToolCall
			resp, err := client.Chat(context.Background(), llm.Request{Key: "k", Model: "m", Messages: []llm.Message{{Role: "user", Content: "hi"}}, Stream: true, OnDelta: func(d string) { require.NotEmpty(t, d); streamed.WriteString(d) }, OnCall: func(c llm.ToolCall) { told = append(told, c) }})
			require.Equal(t, c.want.text, resp.Content)
			require.Equal(t, c.want.text, streamed.String(), "L-03: deltas are the text")
			if c.want.err != "" {
				var e *llm.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, c.want.err, e.Kind)
				require.Equal(t, c.want.text != "", e.Emitted)
				require.Empty(t, resp.ToolCalls, "L-07: no call of a broken answer")
				return
			}
			require.NoError(t, err)
			require.Equal(t, told, resp.ToolCalls)
			var got []string
			ids := map[string]bool{}
			for _, call := range resp.ToolCalls {
				require.NotEmpty(t, call.ID)
				require.False(t, ids[call.ID], "ids are unique")
				ids[call.ID] = true
				got = append(got, call.Function.Name+" "+call.Function.Arguments)
			}
			require.Equal(t, c.want.calls, got)
		})
	}
}

// L-06, W-15: errors are typed, carry what Retry-After asks for, and hold no
// key, even when the endpoint sends it back (L-11).
func TestL06TypedErrors(t *testing.T) {
	const key = "sk-very-secret-key-0123456789"
	for name, c := range map[string]struct {
		status int
		body   string
		header []string
		kind   llm.Kind
		wait   time.Duration
	}{
		"401":              {401, `{"error":{"message":"bad key ` + key + `"}}`, nil, llm.KindUnauthorized, 0},
		"403":              {403, `no ` + key, nil, llm.KindUnauthorized, 0},
		"429 seconds":      {429, `{"error":{"message":"slow"}}`, []string{"Retry-After", "7"}, llm.KindRateLimited, 7 * time.Second},
		"429 milliseconds": {429, `{}`, []string{"Retry-After-Ms", "250", "Retry-After", "7"}, llm.KindRateLimited, 250 * time.Millisecond},
		"502 page":         {502, `<html><body>Bad gateway</body></html>`, nil, llm.KindUnavailable, 0},
		"503":              {503, ``, nil, llm.KindUnavailable, 0},
		"200 with error":   {200, `{"error":{"message":"overloaded","type":"server_error"}}`, nil, llm.KindUnavailable, 0},
		"context length":   {400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, nil, llm.KindContextLength, 0},
		"400":              {400, `{"error":{"message":"unknown model"}}`, nil, llm.KindInvalid, 0},
	} {
		t.Run(name, func(t *testing.T) {
			client := serving(t, c.status, "application/json", c.body, c.header...)
			_, err := client.Chat(context.Background(), llm.Request{Key: key, Model: "m", Messages: []llm.Message{{Role: "user", Content: "hi"}}, Stream: true})
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.kind, e.Kind, "%v", err)
			require.Equal(t, c.wait, e.RetryAfter)
			require.NotContains(t, fmt.Sprintf("%v %+v", err, errors.Unwrap(err)), key)
		})
	}
}

// L-05, L-09, L-10: what is sent.
func TestL05Request(t *testing.T) {
	var got map[string]any
	var auth, path string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth, path = r.Header.Get("Authorization"), r.URL.Path
		json.NewDecoder(r.Body).Decode(&got)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(chunks(`{"content":"x"}`, `finish:"stop"`)))
	}))
	defer srv.Close()
	tool := llm.Tool{Type: "function", Function: llm.FunctionDef{Name: "a", Description: "d", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
	call := llm.ToolCall{ID: "1", Type: "function", Function: llm.FunctionCall{Name: "a", Arguments: "{}"}}
	msgs := []llm.Message{{Role: "user", Content: "hi"}, {Role: "assistant", ToolCalls: []llm.ToolCall{call}}, {Role: "tool", ToolCallID: "1", Content: "r"}}
	for _, base := range []string{srv.URL, srv.URL + "/", srv.URL + "/v1", srv.URL + "/v1/"} {
		_, err := openai.New(openai.Options{BaseURL: base}).Chat(context.Background(), llm.Request{Key: "key", Model: "m", Messages: msgs, Tools: []llm.Tool{tool}, Stream: true})
		require.NoError(t, err)
		require.Equal(t, "/v1/chat/completions", path)
		require.Equal(t, "Bearer key", auth)
		require.Equal(t, true, got["stream"])
		require.Equal(t, "auto", got["tool_choice"])
		require.Len(t, got["tools"], 1)
		sent := got["messages"].([]any)
		require.Equal(t, "1", sent[2].(map[string]any)["tool_call_id"])
		require.Len(t, sent[1].(map[string]any)["tool_calls"], 1)
	}
	_, err := openai.New(openai.Options{BaseURL: "https://api.example.com/v1"}).Chat(context.Background(), llm.Request{Model: "m", Messages: msgs})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindNoKey, e.Kind)
}

// A cancel in the middle of a stream, and an endpoint that falls silent, both
// end the call.
func TestCancelAndSilence(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(chunks(`{"content":"x"}`, "!")))
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer srv.Close()
	defer close(release)
	ctx, cancel := context.WithCancel(context.Background())
	resp, err := openai.New(openai.Options{BaseURL: srv.URL}).Chat(ctx, llm.Request{Key: "k", Model: "m", Messages: []llm.Message{{Role: "user"}}, Stream: true, OnDelta: func(string) { cancel() }})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindCanceled, e.Kind)
	require.Equal(t, "x", resp.Content)
	_, err = openai.New(openai.Options{BaseURL: srv.URL, IdleTimeout: 50 * time.Millisecond}).Chat(context.Background(), llm.Request{Key: "k", Model: "m", Messages: []llm.Message{{Role: "user"}}, Stream: true})
	require.ErrorAs(t, err, &e)
	require.Contains(t, []llm.Kind{llm.KindNetwork, llm.KindUnavailable}, e.Kind)
}
