//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/trace/otlp/otlptest"
)

// marker is in each text, prompt and name of the tests of traces, and may be in no span.
const marker = "Zyx9"

// tracesTo are the variables of a process whose spans go to a collector.
func tracesTo(url string) []string {
	return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + url, "OTEL_BSP_SCHEDULE_DELAY=50"}
}

// One trace has what two servers do for a request, and a run with its continuation on another
// server; nothing of a document is in it.
func TestHTTPClusterTraces(t *testing.T) {
	campaign.Slow(t)
	c := otlptest.New(t)
	m := serveSteps(t, 6, 200*time.Millisecond)
	r := startNodes(t, 1, 2, []string{"--model", "m", "--allow-egress"}, append(tracesTo(c.URL), "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=key-"+marker, "ATELIER_MODEL=m")...)
	r.must(r.each, "PUT", file(marker+"-name.txt"), marker+" text")
	owner, others := r.owner()
	const parent = "4bf92f3577b34da6a3ce929d0e0e4736"
	req, err := http.NewRequestWithContext(t.Context(), "PUT", others[0].url+"/api/v1/workspaces/"+r.workspace+file(marker+"-b.txt"), strings.NewReader(marker))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Traceparent", "00-"+parent+"-00f067aa0ba902b7-01")
	req.Header.Set("X-Request-Id", "of-the-test")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, 200, res.StatusCode)

	in := func(trace, name, parent string) otlptest.Span {
		return c.Find(t, name+" below "+parent, func(s otlptest.Span) bool {
			return (trace == "" || s.Trace == trace) && strings.HasPrefix(s.Name, name) && (parent == "" || s.Parent == parent)
		})
	}
	const route = "PUT /api/v1/workspaces/{id}/files/content"
	first := in(parent, route, "00f067aa0ba902b7")
	passed := in(parent, "pass on", first.ID)
	second := in(parent, route, passed.ID)
	commit := in(parent, "commit to the log", second.ID)
	assert.Positive(t, commit.Attrs["atelier.bytes"])
	assert.Equal(t, "of-the-test", first.Attrs["atelier.request.id"])
	assert.Equal(t, "of-the-test", second.Attrs["atelier.request.id"])
	assert.Equal(t, int64(200), second.Attrs["http.response.status_code"])
	assert.Equal(t, r.workspace, second.Attrs["atelier.workspace.id"])
	assert.Equal(t, second.Resource["service.instance.id"], first.Attrs["atelier.answered_by"])
	assert.NotEqual(t, second.Resource["service.instance.id"], first.Resource["service.instance.id"])
	in("", "take the workspace over", "")

	r.must([]*httpNode{owner}, "POST", "/runs", fmt.Sprintf(`{"text":"%s: do the steps."}`, marker))
	begun := in("", "POST /api/v1/workspaces/{id}/runs", "")
	tool := in(begun.Trace, "tool call", "")
	assert.Equal(t, "write_text_file", tool.Attrs["gen_ai.tool.name"])
	asked := in(begun.Trace, "model request", "")
	assert.Equal(t, "m", asked.Attrs["gen_ai.request.model"])
	assert.Equal(t, int64(10), asked.Attrs["gen_ai.usage.input_tokens"])
	require.False(t, m.done())
	r.kill(owner)
	close(m.hold)
	run := in(begun.Trace, "run", begun.ID) // the one of the server that was killed has no end
	assert.NotEqual(t, owner.url, "")
	assert.Equal(t, first.Resource["service.instance.id"], run.Resource["service.instance.id"])
	require.Eventually(t, m.done, 30*time.Second, 50*time.Millisecond)
	in("", "make the files from the log", "")
	for _, n := range r.each {
		assert.Contains(t, n.log.String(), "traces are sent")
	}
	for _, secret := range []string{marker, r.token, "step-", "Step 0", "do the steps", httpUser, "All steps"} {
		assert.NotContains(t, c.Raw(), secret)
	}
}

// A translation by a worker is one trace of both processes.
func TestClusterTranslationTraces(t *testing.T) {
	campaign.Slow(t)
	c := otlptest.New(t)
	m := serveSegments(t, nil)
	r := newClusterRig(t, 1, m)
	in := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(in, marker+"-name.md"), []byte(marker+" is a text.\n\nAnother "+marker+".\n"), 0o600))
	w := r.command("worker", "--model", "m", "--name", "w1")
	w.Env = append(w.Env, tracesTo(c.URL)...)
	r.start(w)
	require.Eventually(t, func() bool { return len(r.status().Workers) == 1 }, time.Minute, 100*time.Millisecond)
	cmd := r.translate(in, filepath.Join(t.TempDir(), "out"))
	cmd.Env = append(cmd.Env, tracesTo(c.URL)...)
	b, err := combined(cmd)
	require.NoError(t, err, b)
	find := func(trace, name, parent string) otlptest.Span {
		return c.Find(t, name, func(s otlptest.Span) bool {
			return (trace == "" || s.Trace == trace) && s.Name == name && (parent == "" || s.Parent == parent)
		})
	}
	job := find("", "translation", "")
	assert.Equal(t, int64(2), job.Attrs["atelier.documents"])
	asked := find(job.Trace, "model request", "")
	waited := find(job.Trace, "wait for a worker", asked.ID)
	worked := find(job.Trace, "worker request", waited.ID)
	assert.Equal(t, "w1", worked.Resource["service.instance.id"])
	assert.Equal(t, "m", worked.Attrs["gen_ai.request.model"])
	for _, secret := range []string{marker, "Another", "is a text", "OPENAI"} {
		assert.NotContains(t, c.Raw(), secret)
	}

	// Without --cluster the variables are no reason to send anything.
	n := len(c.All())
	cmd = r.command("translate", in, "--to", "de", "--out", filepath.Join(t.TempDir(), "out"), "--engine", "pseudo")
	cmd.Args = append(cmd.Args[:1], "translate", in, "--to", "de", "--out", filepath.Join(t.TempDir(), "out"), "--engine", "pseudo", "--home", t.TempDir())
	cmd.Env = append(cmd.Env, tracesTo(c.URL)...)
	b, err = combined(cmd)
	require.NoError(t, err, b)
	require.Len(t, c.All(), n)
}

// A collector that hangs costs requests nothing: spans are dropped and counted, and the server
// ends in time.
func TestHTTPCollectorHangs(t *testing.T) {
	t.Parallel()
	ctx, release := context.WithCancel(t.Context())
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-ctx.Done()
	}))
	defer hangs.Close()
	defer release()
	s := startHTTPWith(t, t.TempDir(), []string{"--metrics", "127.0.0.1:0", "--rate", "0"}, append(tracesTo(hangs.URL), "OTEL_BSP_MAX_QUEUE_SIZE=5", "OTEL_EXPORTER_OTLP_TIMEOUT=500")...)
	line, err := s.out.ReadString('\n')
	require.NoError(t, err)
	at := strings.TrimSpace(strings.TrimPrefix(line, "figures on "))
	ws := s.workspace(t, t.TempDir())
	begun := time.Now()
	for i := range 20 {
		status, body := s.send(t, "POST", "/workspaces/"+ws+"/tools", obj{"tool": "write", "args": obj{"path": fmt.Sprintf("/%d.md", i), "content": "x"}})
		require.Equal(t, 200, status, body)
	}
	require.Less(t, time.Since(begun), 10*time.Second)
	dropped := scrape(t, at)["atelier_trace_spans_dropped_total"]
	require.NotNil(t, dropped)
	n := 0.0
	for _, m := range dropped.GetMetric() {
		n += m.GetCounter().GetValue()
	}
	require.Greater(t, n, 10.0)
}

// A variable that cannot be used is no reason not to start; the log says why there are no
// traces.
func TestTracesThatCannotBe(t *testing.T) {
	for name, value := range map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "nowhere"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
			t.Setenv(name, value)
			var log bytes.Buffer
			require.Nil(t, startTraces(slog.New(slog.NewTextHandler(&log, nil)), nil))
			require.Contains(t, log.String(), name)
		})
	}
}
