package httpapi

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/metrics"
	"atelier/llm/replay"
	"atelier/workshop"
)

// newFiguresRig serves a model that replays a fixture, and counts.
func newFiguresRig(t *testing.T, fixture string) (*rig, *metrics.Set) {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	set := metrics.NewSet()
	figures := NewFigures(set)
	return newRigWith(t, engine.Options{Model: "some-model", BaseURL: srv.URL, Watch: figures.Watch()}, func(o *Options) {
		o.Figures, o.Metrics, o.Tools = figures, set, o.Engine.(*engine.Engine).Live()
	}), set
}

// values are the figures as Prometheus reads them, by name and labels.
func values(t *testing.T, set *metrics.Set) map[string]float64 {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, set.Write(&b))
	p := expfmt.NewTextParser(model.LegacyValidation)
	list, err := p.TextToMetricFamilies(&b)
	require.NoError(t, err)
	out := map[string]float64{}
	for name, f := range list {
		for _, m := range f.GetMetric() {
			key := name
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			switch {
			case m.GetHistogram() != nil:
				out[key] = float64(m.GetHistogram().GetSampleCount())
			case m.GetCounter() != nil:
				out[key] = m.GetCounter().GetValue()
			default:
				out[key] = m.GetGauge().GetValue()
			}
		}
	}
	return out
}

// TestFigures: what a server does is in its figures, which Prometheus' reader reads, and
// nothing that a caller chose is in a label.
func TestFigures(t *testing.T) {
	r, set := newFiguresRig(t, asking)
	r.result("write", `{"path":"/private.md","content":"x"}`)
	assert.Equal(t, 404, r.tool(`{"tool":"invented-tool"}`).Status)
	assert.Equal(t, 404, r.tool(`{"tool":"read","args":{"path":"/none-private"}}`).Status)
	assert.Equal(t, 401, r.request("GET", "/api/v1/workspaces", "", "Authorization", "Bearer nonsense-private").Status)
	assert.Equal(t, 404, r.request("GET", "/private-path", "").Status)
	assert.Equal(t, 405, r.request("BREW", r.toolsPath(), "").Status)

	run := r.startRun("do it")
	var question sse
	done := make(chan bool)
	r.follow(run, "", func(e sse) bool { question = e; return e.name == "question_pending" })
	go func() { r.follow(run, "", nil); close(done) }()
	require.Eventually(t, func() bool { return values(t, set)["atelier_event_followers"] == 1 }, 5*time.Second, 5*time.Millisecond)
	v := values(t, set)
	assert.Equal(t, 1.0, v["atelier_runs run"])
	assert.Equal(t, 0.0, v["atelier_runs translation"])
	assert.Equal(t, 1, r.engine.Figures().Questions)
	assert.Equal(t, 1, r.engine.Figures().Workbenches)
	assert.Equal(t, 200, r.answers(question.data.Data["question_id"].(string), `{"answers":{"go_on":"Yes"}}`).Status)
	<-done
	require.Eventually(t, func() bool { return values(t, set)["atelier_event_followers"] == 0 }, 5*time.Second, 5*time.Millisecond)
	require.Equal(t, 0, r.engine.Figures().Questions)

	v = values(t, set)
	tools := "/api/v1/workspaces/{id}/tools"
	for key, want := range map[string]float64{
		"atelier_runs run": 0,
		"atelier_http_requests_total " + tools + " POST 200":     1,
		"atelier_http_requests_total " + tools + " POST 404":     2,
		"atelier_http_requests_total " + tools + " other 405":    1,
		"atelier_http_requests_total / GET 404":                  1,
		"atelier_http_requests_total /api/v1/workspaces GET 401": 1,
		"atelier_http_request_seconds " + tools:                  4,
		"atelier_http_refused_total INVALID_TOKEN":               1,
		"atelier_http_refused_total NOT_FOUND":                   3,
		"atelier_http_refused_total METHOD_NOT_ALLOWED":          1,
		"atelier_tool_calls_total api write ok":                  1,
		"atelier_tool_calls_total api read failed":               1,
		"atelier_tool_calls_total run ask_user ok":               1,
	} {
		got, ok := v[key]
		if !assert.True(t, ok, "%s is not there", key) {
			continue
		}
		assert.Equal(t, want, got, key)
	}
	asked, tokens := 0.0, 0.0
	for key, n := range v {
		assert.NotContains(t, key, "private", "what a caller sent")
		assert.NotContains(t, key, "invented")
		assert.NotContains(t, key, r.ws)
		assert.NotContains(t, key, r.ann.ID)
		if strings.HasPrefix(key, "atelier_model_requests_total ") {
			assert.Contains(t, key, "some-model")
			asked += n
		}
		if strings.HasPrefix(key, "atelier_model_tokens_total ") {
			tokens += n
		}
	}
	assert.Equal(t, 2.0, asked)
	assert.Positive(t, tokens)
}

// TestFiguresOfModels: a caller who names models that do not exist makes no series.
func TestFiguresOfModels(t *testing.T) {
	set := metrics.NewSet()
	f := NewFigures(set)
	use := func(model, state string) {
		f.used(workshop.Usage{Provider: "p", Model: model, State: state, Tokens: workshop.Tokens{Input: 2, Output: 1}})
	}
	use("made-up", workshop.UsageFailed)
	for i := range 2 * modelsMost {
		use("m"+strings.Repeat("x", i), workshop.UsageOK)
	}
	use("m", workshop.UsageFailed)
	v := values(t, set)
	assert.Equal(t, 1.0, v["atelier_model_requests_total p m failed"])
	assert.Equal(t, 1.0, v["atelier_model_requests_total other other failed"])
	assert.Equal(t, float64(modelsMost), v["atelier_model_requests_total other other ok"])
	n := 0
	for key := range v {
		if strings.HasPrefix(key, "atelier_model_requests_total ") {
			n++
		}
	}
	assert.Equal(t, modelsMost+3, n)
}

// TestNoFigures: a server whose figures nobody reads has no route for them.
func TestNoFigures(t *testing.T) {
	r := newRig(t)
	assert.Equal(t, http.StatusNotFound, r.request("GET", "/metrics", "").Status)
	assert.Equal(t, 200, r.tool(`{"tool":"ls"}`).Status)
}
