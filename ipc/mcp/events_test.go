package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/tools"
)

// What is kept for clients whose connection broke stays within its bounds, whatever the
// order of streams and sessions.
func TestEventsAreBounded(t *testing.T) {
	e := newEvents(10, 1000)
	ctx := t.Context()
	after := func(session, id string, index int) (out []string, err error) {
		for data, err := range e.After(ctx, session, id, index) {
			if err != nil {
				return nil, err
			}
			out = append(out, string(data))
		}
		return out, nil
	}
	for i := range 100 {
		session, id := fmt.Sprint("s", i%3), fmt.Sprint("c", i)
		require.NoError(t, e.Open(ctx, session, id))
		for j := range i % 7 {
			require.NoError(t, e.Append(ctx, session, id, []byte(fmt.Sprintf("%d %d", i, j))))
		}
		require.LessOrEqual(t, e.order.Len(), 10)
		require.LessOrEqual(t, e.size, 1000)
		require.Len(t, e.calls, e.order.Len())
	}
	got, err := after("s0", "c96", 2)
	require.NoError(t, err)
	require.Equal(t, []string{"96 3", "96 4"}, got)
	for _, wrong := range []int{-2, 5} {
		_, err = after("s0", "c96", wrong)
		require.ErrorIs(t, err, errNotKept)
	}
	_, err = after("s0", "c3", -1)
	require.ErrorIs(t, err, errNotKept, "it is forgotten")
	require.ErrorIs(t, e.Append(ctx, "s0", "c3", nil), errNotKept)
	require.NoError(t, e.Open(ctx, "s0", "big"))
	require.NoError(t, e.Append(ctx, "s0", "big", make([]byte, 2000)))
	require.Zero(t, e.size, "what is larger than the bound is not kept")
	require.NoError(t, e.Open(ctx, "s1", ""))
	require.ErrorIs(t, e.Append(ctx, "s1", "", []byte("a notification")), errNotKept)
	got, err = after("s1", "", 7)
	require.NoError(t, err)
	require.Empty(t, got)
	for i := range 3 {
		require.NoError(t, e.SessionClosed(ctx, fmt.Sprint("s", i)))
	}
	require.Empty(t, e.calls)
	require.Zero(t, e.size)
}

// A client whose connection breaks during a call comes again and gets the result.
func TestResultAfterABrokenConnection(t *testing.T) {
	hold := make(chan struct{})
	slow, err := tools.NewCatalogue(tools.Style{Name: "slow"}, tools.Direct("slow", tools.New("slow", "Waits.", tools.Read, func(ctx context.Context, _ *tools.Env, _ struct{}) (any, error) {
		select {
		case <-hold:
			return "the result", nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})))
	require.NoError(t, err)
	r := newRig(t, func(o *Options, _ *engine.Options) { o.Catalogue = slow })
	h := r.srv.HTTP()
	web := httptest.NewServer(h.Loopback("secret"))
	t.Cleanup(web.Close)
	session := ""
	send := func(ctx context.Context, method, body, last string) *http.Response {
		req, err := http.NewRequestWithContext(ctx, method, web.URL+"/mcp", strings.NewReader(body))
		require.NoError(t, err)
		for k, v := range map[string]string{"Authorization": "Bearer secret", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session, "Last-Event-ID": last} {
			if v != "" {
				req.Header.Set(k, v)
			}
		}
		resp, err := http.DefaultClient.Do(req)
		for tries := 0; err == nil && resp.StatusCode == http.StatusConflict && tries < 100; tries++ { // the server has not noticed the break
			resp.Body.Close()
			time.Sleep(20 * time.Millisecond)
			resp, err = http.DefaultClient.Do(req)
		}
		require.NoError(t, err)
		if resp.StatusCode >= 300 {
			b, _ := io.ReadAll(resp.Body)
			require.Fail(t, resp.Status, "%s %s: %s", method, last, b)
		}
		return resp
	}
	resp := send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, "")
	session = resp.Header.Get("Mcp-Session-Id")
	end := func(resp *http.Response) {
		_, err := io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
	}
	end(resp)
	end(send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""))
	ctx, vanish := context.WithTimeout(t.Context(), 20*time.Second)
	resp = send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{}}}`, "")
	last := ""
	for lines := bufio.NewScanner(resp.Body); last == "" && lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			last = id
		}
	}
	require.NotEmpty(t, last)
	vanish()
	resp.Body.Close()
	close(hold)
	resp = send(t.Context(), http.MethodGet, "", last)
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); ; {
		require.True(t, lines.Scan(), "the result did not come: %s", lines.Text())
		if strings.Contains(lines.Text(), "the result") {
			break
		}
	}
	send(t.Context(), http.MethodDelete, "", "").Body.Close()
}
