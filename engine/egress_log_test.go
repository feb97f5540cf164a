package engine_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/web"
)

// Each request has its row, whose bytes are those the endpoint counted; paths
// are in it, content and keys are not.
func TestEgressLog(t *testing.T) {
	v := newRemote(t, func(n int, w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			io.WriteString(w, `{"data":[{"id":"first"}]}`)
		case n == 1:
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case n == 2:
			io.WriteString(w, toolCall(n, "read_file", `{"path":"a.txt"}`))
		default:
			io.WriteString(w, text("Done."))
		}
	})
	e := newEngine(t, v.use)
	id, dir := folder(t, e, map[string]string{"a.txt": "TOP SECRET CONTENT"})
	grantNow(t, e, id, "first", true)
	_, info := runText(t, e, id, nil)
	require.Nil(t, info)
	must(t, e, "ModelsList", obj{"provider_id": "openai"})
	must(t, e, "ProvidersValidate", obj{"provider_id": "openai"})

	st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
	list := must(t, e, "EgressListEvents", obj{"workbench_id": id})
	require.Equal(t, false, list["has_more"])
	var got []obj
	var in, out []int64
	for _, ev := range list["events"].([]any) {
		ev := ev.(obj)
		_, err := time.Parse(time.RFC3339Nano, ev["timestamp"].(string))
		require.NoError(t, err)
		require.Equal(t, st["scope_hash"], ev["scope_hash"])
		require.Equal(t, "openai", ev["provider_id"])
		require.Equal(t, "first", ev["model_id"])
		require.Equal(t, "models.example.com", ev["host"])
		require.Equal(t, true, ev["ended"])
		require.Equal(t, false, ev["local"])
		got = append(got, obj{"kind": ev["kind"], "status": ev["status"], "retried": ev["retried"], "files": ev["files"]})
		if ev["kind"] == "run" {
			in, out = append(in, int64(ev["bytes_out"].(float64))), append(out, int64(ev["bytes_in"].(float64)))
		}
	}
	require.Equal(t, []obj{
		{"kind": "consent_granted", "status": 0.0, "retried": false, "files": []any{"a.txt"}},
		{"kind": "run", "status": 503.0, "retried": false, "files": []any{}},
		{"kind": "run", "status": 200.0, "retried": true, "files": []any{}},
		{"kind": "run", "status": 200.0, "retried": false, "files": []any{"a.txt"}},
	}, got)
	require.Equal(t, v.in[:3], in)
	require.Equal(t, v.out[:3], out)
	page := must(t, e, "EgressListEvents", obj{"workbench_id": id, "after": 1, "limit": 2})
	require.Len(t, page["events"], 2)
	require.Equal(t, true, page["has_more"])

	kinds := []string{}
	for _, ev := range must(t, e, "EgressListEvents", obj{})["events"].([]any) {
		kinds = append(kinds, ev.(obj)["kind"].(string))
	}
	require.Equal(t, []string{"models", "validate"}, kinds, "requests without a workbench")
	for _, name := range []string{"", "workbenches/" + id + "/"} {
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(filepath.Join(e.Home().Dir(), name, "egress.db"+suffix))
			require.NoError(t, err)
			require.NotContains(t, string(b), "SECRET CONTENT")
			require.NotContains(t, string(b), "sk-secret")
		}
	}
	require.NoFileExists(t, filepath.Join(dir, "egress.db"))
}

// What a summary sends has rows that say so.
func TestSummariesAreLogged(t *testing.T) {
	v := newRemote(t, says(strings.Repeat("A long answer. ", 400)))
	e := newEngine(t, v.use)
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	grantNow(t, e, id, "first", false)
	for range 3 {
		_, info := runText(t, e, id, nil)
		require.Nil(t, info)
	}
	v.answer = says("They talked.")
	require.Positive(t, must(t, e, "WorkshopCompact", obj{"workbench_id": id})["summarised"])
	events := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
	require.Equal(t, "summary", events[len(events)-1].(obj)["kind"])
	require.EqualValues(t, v.in[len(v.in)-1], events[len(events)-1].(obj)["bytes_out"])
	must(t, e, "EgressRevokeWorkshopConsent", obj{"workbench_id": id})
	before := v.count()
	_, info := call(t, e, "WorkshopCompact", obj{"workbench_id": id})
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, before, v.count())
}

// A redirect does not carry documents to where there is no consent.
func TestRedirectIsNoConsent(t *testing.T) {
	v := newRemote(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://evil.example.com/v1/chat/completions", http.StatusPermanentRedirect)
	})
	e := newEngine(t, v.use)
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	grantNow(t, e, id, "first", false)
	_, info := runText(t, e, id, nil)
	require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
	require.Contains(t, info.Detail, "redirects to http://evil.example.com/v1/chat/completions")
	require.False(t, info.Retryable)
	require.Equal(t, 1, v.count())
	events := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
	last := events[len(events)-1].(obj)
	require.Equal(t, "models.example.com", last["host"])
	require.EqualValues(t, http.StatusPermanentRedirect, last["status"])
}

// Pages that tools fetch are logged with their redirects, and a policy stops
// them.
func TestFetchesAreLogged(t *testing.T) {
	v := newRemote(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/page", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "Words of the page.")
	})
	host, port, err := net.SplitHostPort(v.Listener.Addr().String())
	require.NoError(t, err)
	fetch := func(o *engine.Options) {
		o.Fetch = web.NewHTTP(web.Options{Allow: loopback, Resolve: toLoopback(host)})
	}
	e := newEngine(t, fetch, func(o *engine.Options) { o.Egress = engine.EgressAllowAll })
	id, _ := folder(t, e, nil)
	r := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "sila", "tool": "read", "args": obj{"uri": "http://pages.example.com:" + port + "/from"}})
	require.Equal(t, true, r["success"], "%v", r)
	events := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
	require.Len(t, events, 2)
	for i, ev := range events {
		ev := ev.(obj)
		require.Equal(t, "fetch", ev["kind"])
		require.Equal(t, "pages.example.com:"+port, ev["host"])
		require.EqualValues(t, v.out[i], ev["bytes_in"])
	}

	e = newEngine(t, fetch, func(o *engine.Options) { o.Egress = engine.EgressLocalOnly })
	id, _ = folder(t, e, nil)
	r = must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "sila", "tool": "read", "args": obj{"uri": "http://pages.example.com:" + port + "/page"}})
	require.Equal(t, false, r["success"])
	require.Contains(t, r["error"].(obj)["detail"], "local_only")
	require.Equal(t, 2, v.count())
}
