package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/openai"
)

// endless answers with begin and then with more until the client leaves, and
// counts requests and bytes.
func endless(t *testing.T, o openai.Options, begin, more string) (c *openai.Client, requests, bytes *atomic.Int64) {
	t.Helper()
	requests, bytes = &atomic.Int64{}, &atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		block := strings.Repeat(more, max(1, 32<<10/len(more)))
		for piece := begin; ; piece = block {
			n, err := io.WriteString(w, piece)
			bytes.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	o.BaseURL = srv.URL
	return openai.New(o), requests, bytes
}

func delta(members string) string { return `data: {"choices":[{"delta":` + members + "}]}\n\n" }

func tooLarge(t *testing.T, err error, says string) {
	t.Helper()
	var e *llm.Error
	require.True(t, errors.As(err, &e), "%v", err)
	require.Equal(t, llm.KindTooLarge, e.Kind, "%v", err)
	require.ErrorIs(t, err, llm.ErrTooLarge)
	require.False(t, e.Retryable())
	require.Contains(t, e.Message, says)
}

// Whatever an endpoint sends without an end, the answer ends with an error of its
// own, after one request and a bounded number of bytes.
func TestEndlessAnswers(t *testing.T) {
	campaign.Slow(t)
	limits := llm.AnswerLimits{Text: 20_000, Arguments: 10_000, Calls: 30}
	for name, tc := range map[string]struct{ begin, more, says string }{
		"text":               {"", delta(`{"content":"and so on, "}`), "20000 bytes of text"},
		"text of the old":    {"", `data: {"choices":[{"text":"and so on, "}]}` + "\n\n", "20000 bytes of text"},
		"reasoning":          {"", delta(`{"reasoning_content":"hmm, "}`), "reasoning included"},
		"other reasoning":    {"", delta(`{"reasoning":"hmm, "}`), "reasoning included"},
		"tags of reasoning":  {delta(`{"content":"<think>"}`), delta(`{"content":"hmm, "}`), "reasoning included"},
		"reasoning details":  {"", delta(`{"reasoning_details":[{"type":"reasoning.text","text":"hmm, ","index":0}]}`), "reasoning included"},
		"many details":       {"", delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"aHVzaA=="}]}`), "reasoning included"},
		"held back":          {delta(`{"content":"<tool_call>"}`), delta(`{"content":"{\"name\": "}`), "20000 bytes of text"},
		"both":               {"", delta(`{"content":"and ","reasoning_content":"so on "}`), "20000 bytes of text"},
		"arguments":          {delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"put","arguments":"{\"a\":\""}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"more "}}]}`), "10000 bytes"},
		"a name":             {"", delta(`{"tool_calls":[{"index":0,"function":{"name":"put_"}}]}`) + delta(`{"tool_calls":[{"index":0,"function":{"name":"_put"}}]}`), "4 KiB"},
		"calls":              {"", delta(`{"tool_calls":[{"function":{"name":"put","arguments":"{\"a\":1}"}}]}`), "30 tool calls"},
		"a call repeated":    {"", delta(`{"tool_calls":[{"function":{"name":"put","arguments":"{}"}}]}`), "repeats its tool calls"},
		"calls in one event": {"", delta(`{"tool_calls":[` + strings.Repeat(`{"function":{"name":"put","arguments":"{\"a\":1}"}},`, 99) + `{}]}`), "30 tool calls"},
		"items of nothing":   {"", delta(`{"tool_calls":[` + strings.Repeat(`{},`, 100_000) + `{}]}`), "too many items"},
		"parts of nothing":   {"", delta(`{"content":[` + strings.Repeat(`{},`, 100_000) + `{}]}`), "too many items"},
		"choices of nothing": {"", `data: {"choices":[` + strings.Repeat(`{},`, 100_000) + "{}]}\n\n", "too many items"},
		"a line":             {`data: {"choices":[{"delta":{"content":"`, "and so on, ", "without an end"},
		"a body":             {`{"choices":[{"message":{"content":"`, "and so on, ", "without an end"},
		"signs of life":      {"", ": still there\n\n", "without an end"},
		"empty events":       {"", delta(`{"role":"` + strings.Repeat("assistant", 100) + `"}`), "without an end"},
	} {
		t.Run(name, func(t *testing.T) {
			c, requests, bytes := endless(t, openai.Options{Limits: limits, TextToolCalls: true}, tc.begin, tc.more)
			var text strings.Builder
			resp, err := c.Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Tools: []llm.Tool{listing("put")}, Stream: true, OnDelta: func(s string) { text.WriteString(s) }, OnCall: func(llm.ToolCall) { t.Error("a call was passed on") }})
			tooLarge(t, err, tc.says)
			require.LessOrEqual(t, len(resp.Content)+len(resp.Reasoning), limits.Text)
			require.Equal(t, text.String(), resp.Content)
			require.Empty(t, resp.ToolCalls)
			require.EqualValues(t, 1, requests.Load())
			require.Less(t, bytes.Load(), int64(64<<20))

			_, err = c.Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Tools: []llm.Tool{listing("put")}})
			tooLarge(t, err, "")
		})
	}
}

func listing(name string) llm.Tool {
	return llm.Tool{Type: "function", Function: llm.FunctionDef{Name: name, Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
}

// Without settings an answer has at most 8 MiB, cut between letters.
func TestLimitsByDefault(t *testing.T) {
	c, _, _ := endless(t, openai.Options{}, "", delta(`{"content":"`+strings.Repeat("ä€", 1000)+`x"}`))
	resp, err := c.Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Stream: true})
	tooLarge(t, err, "8 MiB of text")
	require.Greater(t, len(resp.Content), llm.DefaultAnswerText-4)
	require.LessOrEqual(t, len(resp.Content), llm.DefaultAnswerText)
	require.True(t, utf8.ValidString(resp.Content))
}

// Without settings the arguments of an answer have at most 8 MiB, and it has at
// most 1,000 calls.
func TestCallLimitsByDefault(t *testing.T) {
	for says, tc := range map[string]struct{ begin, more string }{
		"8 MiB":            {delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"put","arguments":"{\"a\":\""}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"` + strings.Repeat("x", 1000) + `"}}]}`)},
		"1000 tool calls":  {"", delta(`{"tool_calls":[{"function":{"name":"put","arguments":"{\"a\":1}"}}]}`)},
		"repeats its tool": {"", delta(`{"tool_calls":[{"function":{"name":"put","arguments":"{}"}}]}`)},
	} {
		t.Run(says, func(t *testing.T) {
			c, _, bytes := endless(t, openai.Options{}, tc.begin, tc.more)
			_, err := c.Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Stream: true})
			tooLarge(t, err, says)
			require.Less(t, bytes.Load(), int64(64<<20))
		})
	}
}

// An answer that is as large as the limits allow arrives whole.
func TestAnswersUpToTheLimits(t *testing.T) {
	limits := llm.AnswerLimits{Text: 9000, Arguments: 5000, Calls: 3}
	args := `{"a":"` + strings.Repeat("x", 1000) + `"}`
	body := delta(`{"reasoning_content":"`+strings.Repeat("r", 4000)+`"}`) + delta(`{"content":"`+strings.Repeat("t", 5000)+`"}`)
	for i := range 3 {
		body += delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"put","arguments":%q}}]}`, i, i, args))
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, body+"data: [DONE]\n\n")
	}))
	defer srv.Close()
	resp, err := openai.New(openai.Options{BaseURL: srv.URL, Limits: limits}).Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Stream: true})
	require.NoError(t, err)
	require.Len(t, resp.Content, 5000)
	require.Len(t, resp.Reasoning, 4000)
	require.Len(t, resp.ToolCalls, 3)
	for _, less := range []llm.AnswerLimits{{Text: 8999, Arguments: 5000, Calls: 3}, {Text: 9000, Arguments: 3000, Calls: 3}, {Text: 9000, Arguments: 5000, Calls: 2}} {
		_, err = openai.New(openai.Options{BaseURL: srv.URL, Limits: less}).Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Stream: true})
		tooLarge(t, err, "")
	}
}

// An answer takes no time that grows with the square of its length.
func TestLargeAnswersAreReadOnce(t *testing.T) {
	campaign.Slow(t)
	for name, tc := range map[string]struct {
		event string
		n     int
	}{
		"details":         {delta(`{"reasoning_details":[{"type":"reasoning.text","text":"hm, ","index":0}]}`), 20_000},
		"parts":           {delta(`{"content":[` + strings.Repeat(`{"text":"a"},`, 60_000) + `{}]}`), 5},
		"markers":         {delta(`{"content":"` + strings.Repeat(`<tool_call>\n`, 1000) + `"}`), 200},
		"blocks":          {delta("{\"content\":\"" + strings.Repeat("```json\\n{\\n", 1000) + `"}`), 200},
		"calls of others": {delta(`{"content":"` + strings.Repeat(`<tool_call>{\"name\":\"get\",\"arguments\":{}}</tool_call>\n`, 100) + `"}`), 200},
		"calls in prose":  {delta(`{"content":"` + strings.Repeat(`so <tool_call>{\"name\":\"put\",\"arguments\":{}}</tool_call> it is `, 100) + `"}`), 200},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, strings.Repeat(tc.event, tc.n)+"data: [DONE]\n\n")
			}))
			defer srv.Close()
			begun := time.Now()
			_, err := openai.New(openai.Options{BaseURL: srv.URL, TextToolCalls: true}).Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Tools: []llm.Tool{listing("put")}, Stream: true})
			t.Log(time.Since(begun), err)
			require.Less(t, time.Since(begun), 20*time.Second)
		})
	}
}
