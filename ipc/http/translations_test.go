package httpapi

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/engine/enginetest"
)

// translations is the rig as an app that translates.
type translations struct{ *rig }

func (r translations) path(more string) string {
	return "/api/v1/workspaces/" + r.ws + "/translations" + more
}

// result decodes the answer to a call that must go well.
func (r translations) result(a answer) map[string]any {
	r.t.Helper()
	require.Equal(r.t, 200, a.Status, a.Body)
	var reply struct{ Result map[string]any }
	require.NoError(r.t, json.Unmarshal([]byte(a.Body), &reply))
	return reply.Result
}

func (r translations) start(params map[string]any) answer {
	b, err := json.Marshal(params)
	require.NoError(r.t, err)
	return r.request("POST", r.path(""), string(b))
}

// Put implements enginetest.App.
func (r translations) Put(path, content string) {
	a := r.request("PUT", "/api/v1/workspaces/"+r.ws+"/files/content?path=/"+url.QueryEscape(path), content, "Content-Type", "text/plain")
	require.Equal(r.t, 200, a.Status, a.Body)
}

// Translate implements enginetest.App.
func (r translations) Translate(params map[string]any) map[string]any {
	r.t.Helper()
	id := r.result(r.start(params))["job_id"].(string)
	var status map[string]any
	require.Eventually(r.t, func() bool {
		status = r.result(r.request("GET", r.path("/"+id), ""))
		return status["status"] != "running"
	}, time.Minute, 5*time.Millisecond)
	return status
}

// Refused implements enginetest.App.
func (r translations) Refused(params map[string]any) string {
	a := r.start(params)
	require.Contains(r.t, []int{400, 404}, a.Status, a.Body)
	return a.Body
}

// Draft implements enginetest.App.
func (r translations) Draft(path string) string {
	a := r.request("GET", "/api/v1/workspaces/"+r.ws+"/files/content?version=draft&path=/"+url.QueryEscape(path), "")
	if a.Status == 404 {
		return ""
	}
	require.Equal(r.t, 200, a.Status)
	if len(a.Body) > 0 && a.Body[len(a.Body)-1] != '\n' {
		a.Body += "\n" // request takes it away
	}
	return a.Body
}

// Discard implements enginetest.App.
func (r translations) Discard() {
	r.result(r.request("POST", "/api/v1/workspaces/"+r.ws+"/draft/discard", ""))
}

// TR-05, TR-06, TR-10: all that a translation can is there over HTTP.
func TestTranslations(t *testing.T) { enginetest.Translation(t, translations{newLiveRig(t)}) }

// A job is the workspace's own; it counts as a run, it is listed, and it can be
// stopped.
func TestTranslationRoutes(t *testing.T) {
	r := translations{newLiveRig(t)}
	r.Put("a.md", "One.\n")
	end := r.Translate(map[string]any{"workbench_id": "another", "to": []string{"es"}, "paths": []string{"/a.md"}, "folder": "/out"})
	require.Equal(t, "complete", end["status"], end["error"])
	require.Contains(t, r.Draft("out/es/a.md"), "Ö")
	id := end["job_id"].(string)
	list := r.result(r.request("GET", r.path(""), ""))["jobs"].([]any)
	require.Len(t, list, 1)
	assert.Equal(t, id, list[0].(map[string]any)["job_id"])
	assert.Equal(t, map[string]any{"cancel_requested": false}, r.result(r.request("POST", r.path("/"+id+"/stop"), "")))
	assert.Equal(t, 404, r.request("GET", r.path("/t-0123456789abcdef"), "").Status)
	assert.Equal(t, 404, r.request("POST", r.path("/nonsense/stop"), "").Status)
	assert.Equal(t, 400, r.request("GET", r.path("/"+id+"?limit=1001"), "").Status)
	assert.Equal(t, 200, r.request("GET", r.path("/"+id+"?offset=0&limit=1000"), "").Status)
	for _, path := range []string{"", "/" + id} {
		assert.Equal(t, 403, r.request("GET", r.path(path), "", "Authorization", "Bearer "+r.eveToken).Status)
	}
	other := translations{r.rig}.workspace("Two", r.ann)
	assert.Equal(t, 404, r.request("GET", "/api/v1/workspaces/"+other+"/translations/"+id, "").Status, "a job of another workspace")
}

// While a translation is at work, nothing else begins in its workspace; stopped,
// it keeps what is done and says so.
func TestTranslationStops(t *testing.T) {
	r := translations{newRig(t, func(o *Options) { o.Tools, o.MaxRuns, o.MaxQueue = o.Engine.(*engine.Engine).Live(), 1, -1 })}
	for i := range 20 {
		r.Put(string(rune('a'+i))+".md", "Text.\n")
	}
	held, release := make(chan bool), make(chan bool)
	first := true
	stop := r.engine.Subscribe(func(n engine.Notification) {
		if p, ok := n.Params.(engine.TranslateProgress); ok && p.Status != "" && first {
			first = false
			held <- true
			<-release
		}
	})
	defer stop()
	params := map[string]any{"to": []string{"es"}, "jobs": 1}
	id := r.result(r.start(params))["job_id"].(string)
	<-held
	for _, a := range []answer{r.start(params), r.request("POST", r.runsPath(), `{"text":"Read it"}`)} {
		assert.Equal(t, 409, a.Status, a.Body)
		assert.Contains(t, a.Body, "A translation is in progress in this workspace")
	}
	a := r.request("POST", "/api/v1/workspaces/"+r.workspace("Two", r.ann)+"/translations", `{"to":["es"]}`)
	assert.Equal(t, 503, a.Status, "it counts as a run: %s", a.Body)
	assert.Equal(t, map[string]any{"cancel_requested": true}, r.result(r.request("POST", r.path("/"+id+"/stop"), "")))
	close(release)
	require.Eventually(t, func() bool { return r.result(r.request("GET", r.path("/"+id), ""))["status"] == "canceled" }, time.Minute, time.Millisecond)
	end := r.Translate(params)
	assert.Equal(t, "complete", end["status"])
	assert.Equal(t, id, end["job_id"])
}

// A server that stops lets a translation end, and cancels it when that takes too
// long.
func TestServerWaitsForTranslations(t *testing.T) {
	r := translations{newLiveRig(t)}
	r.Put("a.md", "Text.\n")
	r.Put("b.md", "Text.\n")
	held, release := make(chan bool), make(chan bool)
	first := true
	stop := r.engine.Subscribe(func(n engine.Notification) {
		if p, ok := n.Params.(engine.TranslateProgress); ok && p.Status != "" && first {
			first = false
			held <- true
			<-release
		}
	})
	defer stop()
	id := r.result(r.start(map[string]any{"to": []string{"es"}, "jobs": 1}))["job_id"].(string)
	<-held
	stopped := make(chan bool)
	go func() { r.srv.runs.stopAll(); close(stopped) }()
	require.Eventually(t, func() bool {
		r.srv.runs.mu.Lock()
		defer r.srv.runs.mu.Unlock()
		return r.srv.runs.closing
	}, time.Minute, time.Millisecond)
	select {
	case <-stopped:
		t.Fatal("it did not wait for the job")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	<-stopped
	require.NotEqual(t, "running", r.result(r.request("GET", r.path("/"+id), ""))["status"])
}

// A translation by a model on another machine needs the owner's consent, which the
// answer says how to give; an estimate of its cost does not, since it sends nothing.
func TestTranslationConsent(t *testing.T) {
	rig, asked := far(t, func(o *Options) { o.Tools = o.Engine.(*engine.Engine).Live(); o.Ceiling = engine.Budget{Tokens: 100} })
	r := translations{rig}
	r.Put("a.md", "We pay the price.\n")
	a := r.start(map[string]any{"to": []string{"es"}})
	require.Equal(t, 403, a.Status, a.Body)
	assert.Contains(t, a.Body, `"consent":{"provider_id":"openai","model_id":"far","scope_hash":"`)
	end := r.Translate(map[string]any{"to": []string{"es"}, "dry_run": true, "price": map[string]any{"input": 1000, "output": 2000}})
	require.Equal(t, "complete", end["status"], end["error"])
	assert.Positive(t, end["figures"].(map[string]any)["cost"])
	assert.Zero(t, asked.Load())
	a = r.start(map[string]any{"to": []string{"es"}, "budget": map[string]any{"tokens": 101}})
	assert.Equal(t, 400, a.Status)
	assert.Contains(t, a.Body, "allows at most 100")
}
