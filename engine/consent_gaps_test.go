package engine_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// What one model made of a file is news to another: it could be that file under
// another name.
func TestWhatAnotherModelMadeAsks(t *testing.T) {
	v := newRemote(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			io.WriteString(w, toolCall(n, "mv", `{"source":"/secret.txt","destination":"/plain.txt"}`))
			return
		}
		io.WriteString(w, text("Done."))
	})
	e := newEngine(t, v.use)
	id, dir := folder(t, e, map[string]string{"a.txt": "alpha"})
	grantNow(t, e, id, "second:big", true)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("SECRET"), 0o644))
	grantNow(t, e, id, "first", true)
	_, info := runText(t, e, id, obj{"catalogue": "buildscale"})
	require.Nil(t, info)
	st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
	require.Equal(t, true, st["consented"], "it is no news to the model that made it")
	require.Equal(t, true, st["persisted"])
	before := v.count()
	_, info = runText(t, e, id, obj{"model_id": "second:big"})
	require.NotNil(t, info)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, []string{"plain.txt"}, info.Paths)
	require.Equal(t, before, v.count())
}

// What the user opens in the editor while a run is at work waits for the next
// run, unless the run knows the file.
func TestLateOpenFilesStayHere(t *testing.T) {
	v := newRemote(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n <= 2 {
			io.WriteString(w, toolCall(n, "workspace_read_file", `{"docPath":"elsewhere/x.cs"}`))
			return
		}
		io.WriteString(w, text("Done."))
	})
	e := newEngine(t, v.use)
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	grantNow(t, e, id, "first", true)
	v.onAnswer = func(n int) {
		if n == 1 {
			must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{{"docPath": "Elsewhere/x.cs", "content": "SECRET"}, {"docPath": "w/a.txt", "content": "as edited"}}})
		}
	}
	_, info := runText(t, e, id, obj{"catalogue": "aptix"})
	require.Nil(t, info)
	all := strings.Join(v.bodies, "")
	require.False(t, strings.Contains(all, "SECRET"), "it was sent")
	require.True(t, strings.Contains(all, "as edited"), "a file it knows")
	_, info = runText(t, e, id, obj{"catalogue": "aptix"})
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
}

// Standing context that comes after the consent was looked up, here while a
// server says what window it has, is not told.
func TestLateStandingContextStaysHere(t *testing.T) {
	var dir string
	v := newRemote(t, nil)
	v.answer = func(_ int, w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_ = os.MkdirAll(filepath.Join(dir, ".atelier/context"), 0o755)
			_ = os.WriteFile(filepath.Join(dir, ".atelier/context/late.md"), []byte("SECRET"), 0o644)
			io.WriteString(w, `{"models":[{"name":"first","context_length":100000}]}`)
			return
		}
		io.WriteString(w, text("Done."))
	}
	e := newEngine(t, v.use, func(o *engine.Options) { o.BaseURL = "http://models.lan/v1" })
	id, at := folder(t, e, map[string]string{"a.txt": "alpha"})
	dir = at
	grantNow(t, e, id, "first", true)
	_, info := runText(t, e, id, nil)
	require.Nil(t, info)
	require.FileExists(t, filepath.Join(dir, ".atelier/context/late.md"))
	require.False(t, strings.Contains(strings.Join(v.bodies, ""), "SECRET"), "it was sent")
}

// What the user puts into the draft while a run is at work waits as well.
func TestLateDraftFilesStayHere(t *testing.T) {
	v := newRemote(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n <= 2 {
			io.WriteString(w, toolCall(n, "read_file", `{"path":"late.txt"}`))
			return
		}
		io.WriteString(w, text("Done."))
	})
	e := newEngine(t, v.use)
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	grantNow(t, e, id, "first", true)
	v.onAnswer = func(n int) {
		if n == 1 {
			must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "late.txt", "content": "SECRET"}})
		}
	}
	_, info := runText(t, e, id, nil)
	require.Nil(t, info)
	require.False(t, strings.Contains(strings.Join(v.bodies, ""), "SECRET"), "it was sent")
	_, info = runText(t, e, id, nil)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, []string{"late.txt"}, info.Paths)
}

// The same of documents that a translation would find.
func TestLateDocumentsAreNotTranslated(t *testing.T) {
	var dir string
	v := newRemote(t, nil)
	translated := translates(v)
	v.answer = func(n int, w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_ = os.WriteFile(filepath.Join(dir, "late.txt"), []byte("SECRET of the house"), 0o644)
			io.WriteString(w, `{"models":[{"name":"first","context_length":100000}]}`)
			return
		}
		translated(n, w, r)
	}
	e := newEngine(t, v.use, func(o *engine.Options) { o.BaseURL = "http://models.lan/v1" })
	done := listen(t, e, nil)
	id, at := folder(t, e, map[string]string{"a.txt": "Good morning to all."})
	dir = at
	grantNow(t, e, id, "first", true)
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}})
	require.EqualValues(t, "complete", done.next(t).Status)
	require.FileExists(t, filepath.Join(dir, "late.txt"))
	all := strings.Join(v.bodies, "")
	require.True(t, strings.Contains(all, "Good morning"))
	require.False(t, strings.Contains(all, "SECRET"), "it was sent")
	_, info := call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}})
	require.Equal(t, []string{"late.txt"}, info.Paths)
}

// A server on this machine that passes a model's requests on to the cloud, as
// its name says, is not this machine.
func TestCloudModelsOfALocalServerAsk(t *testing.T) {
	v := newRemote(t, says("Done."))
	begin := func(mode string) (*engine.Engine, string) {
		e := newEngine(t, func(o *engine.Options) { o.Model, o.BaseURL, o.Egress = "gpt-oss:120b-cloud", v.URL+"/v1", mode })
		id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
		return e, id
	}
	e, id := begin("")
	_, info := runText(t, e, id, nil)
	require.NotNil(t, info)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Contains(t, info.Detail, "passes it on")
	require.Zero(t, v.count())
	_, info = runText(t, e, id, obj{"model_id": "gpt-oss:20b"})
	require.Nil(t, info, "a model that runs here")
	v.answer = func(n int, w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			io.WriteString(w, `{"models":[{"name":"gpt-oss:120b-cloud","context_length":100000}]}`)
			return
		}
		must(t, e, "EgressRevokeWorkshopConsent", obj{"workbench_id": id})
		io.WriteString(w, toolCall(n, "list_files", `{}`))
	}
	grantNow(t, e, id, "gpt-oss:120b-cloud", false)
	before := v.count()
	_, info = runText(t, e, id, nil)
	require.NotNil(t, info, "it was taken back during the run")
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, before+3, v.count(), "the questions for the window and for images, and one request")
	list := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
	require.Equal(t, false, list[len(list)-1].(obj)["local"])

	e, id = begin(engine.EgressLocalOnly)
	before = v.count()
	_, info = runText(t, e, id, nil)
	require.NotNil(t, info)
	require.Equal(t, engine.CodeEgressBlocked, info.ErrorCode)
	require.Equal(t, before, v.count())
}
