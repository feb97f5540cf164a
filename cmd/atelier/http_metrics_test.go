package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// scrape reads figures as Prometheus does.
func scrape(t *testing.T, url string) map[string]*dto.MetricFamily {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, expfmt.TypeTextPlain, expfmt.ResponseFormat(resp.Header).FormatType())
	p := expfmt.NewTextParser(model.LegacyValidation)
	out, err := p.TextToMetricFamilies(resp.Body)
	require.NoError(t, err)
	return out
}

// TestHTTPMetrics: `atelier http --metrics` serves the figures at a separate address,
// and not at that of the API.
func TestHTTPMetrics(t *testing.T) {
	t.Parallel()
	s := startHTTPWith(t, t.TempDir(), []string{"--metrics", "127.0.0.1:0"})
	line, err := s.out.ReadString('\n')
	require.NoError(t, err)
	at := strings.TrimSpace(strings.TrimPrefix(line, "figures on "))
	require.True(t, strings.HasSuffix(at, "/metrics"), line)
	ws := s.workspace(t, t.TempDir())
	status, body := s.send(t, "POST", "/workspaces/"+ws+"/tools", obj{"tool": "write", "args": obj{"path": "/a.md", "content": "x"}})
	require.Equal(t, 200, status, body)
	status, _ = s.send(t, "GET", "/workspaces/nonsense/runs", nil)
	require.Equal(t, 400, status)

	got := scrape(t, at)
	one := func(name string) float64 {
		f := got[name]
		require.NotNil(t, f, name)
		require.Len(t, f.GetMetric(), 1, name)
		m := f.GetMetric()[0]
		return m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	for _, name := range []string{"atelier_build_info", "atelier_workspaces_open", "atelier_memory_budget_limit_bytes", "atelier_tool_calls_total", "atelier_http_refused_total", "go_goroutines", "process_start_time_seconds"} {
		require.Positive(t, one(name), name)
	}
	require.Zero(t, one("atelier_questions_waiting"))
	require.Zero(t, one("atelier_event_followers"))
	require.Len(t, got["atelier_http_requests_total"].GetMetric(), 2)
	require.Len(t, got["atelier_http_request_seconds"].GetMetric(), 2)
	require.Equal(t, "write", got["atelier_tool_calls_total"].GetMetric()[0].GetLabel()[1].GetValue())

	api := strings.TrimSuffix(s.url, "/api/v1")
	for _, url := range []string{api + "/metrics", strings.TrimSuffix(at, "/metrics") + "/api/v1/health"} {
		resp, err := http.Get(url)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		require.Equal(t, http.StatusNotFound, resp.StatusCode, url)
	}
}
