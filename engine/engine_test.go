package engine_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats/formatstest"
	"atelier/internal/need"
	"atelier/workshop/agent"
)

type obj = map[string]any

// memoryKeys is a KeyStore for tests.
type memoryKeys struct{ m sync.Map }

func (k *memoryKeys) Get(p string) (string, error) {
	v, _ := k.m.Load(p)
	s, _ := v.(string)
	return s, nil
}
func (k *memoryKeys) Set(p, key string) error { k.m.Store(p, key); return nil }
func (k *memoryKeys) Delete(p string) error   { k.m.Delete(p); return nil }

func newEngine(t testing.TB, change ...func(*engine.Options)) *engine.Engine {
	t.Helper()
	opt := engine.Options{Home: t.TempDir(), Model: engine.PseudoModel, Keys: &memoryKeys{}}
	for _, f := range change {
		f(&opt)
	}
	if _, err := os.Stat(filepath.Join(opt.Home, "cache")); err != nil {
		formatstest.ShareCache(t, opt.Home)
	}
	e, err := engine.New(opt)
	require.NoError(t, err)
	stop := e.Subscribe(func(n engine.Notification) {
		asDescribed(t, n.Method, n.Params)
		if agent.WorkbenchOf(n) != "" {
			assert.Positive(t, n.Position, n.Method)
		}
	})
	t.Cleanup(func() {
		err := e.Close()
		stop()
		require.NoError(t, err)
	})
	return e
}

// call calls a method and gives its result as plain JSON.
func call(t testing.TB, e *engine.Engine, method string, params obj) (obj, *engine.ErrorInfo) {
	t.Helper()
	raw, err := json.Marshal(params)
	require.NoError(t, err)
	result, err := e.Call(context.Background(), method, raw)
	if err != nil {
		var info *engine.ErrorInfo
		require.ErrorAs(t, err, &info)
		return nil, info
	}
	asDescribed(t, method, result)
	b, err := json.Marshal(result)
	require.NoError(t, err)
	var out obj
	require.NoError(t, json.Unmarshal(b, &out))
	return out, nil
}

func must(t testing.TB, e *engine.Engine, method string, params obj) obj {
	t.Helper()
	out, info := call(t, e, method, params)
	require.Nil(t, info, "%s: %+v", method, info)
	return out
}

// folder makes a workbench on a new folder with the given files.
func folder(t testing.TB, e *engine.Engine, files map[string]string) (id, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return must(t, e, "WorkbenchCreate", obj{"name": "w", "root": dir})["workbench_id"].(string), dir
}

// TestEveryMethodSurvivesBadParams: no method panics or succeeds at something
// on params of a wrong shape; each error names a code.
func TestEveryMethodSurvivesBadParams(t *testing.T) {
	e := newEngine(t)
	id, dir := folder(t, e, map[string]string{"a.txt": "x"})
	for _, m := range engine.Methods() {
		if m.Name == "ProvidersValidate" {
			continue // would reach for the network
		}
		for _, raw := range []string{``, `null`, `[]`, `"x"`, `7`, `{`, `{"workbench_id":7}`, `{"workbench_id":"nope"}`, `{"workbench_id":"../.."}`,
			`{"workbench_id":"` + id + `","path":"../x","paths":["/etc/passwd"],"workbench_paths":["C:\\x"],"tool":"","name":" ","message_id":"u-1","source_paths":[""],"text":" ","provider_id":"x","destination_dir":"/nope"}`} {
			_, err := e.Call(context.Background(), m.Name, json.RawMessage(raw))
			if err != nil {
				var info *engine.ErrorInfo
				require.ErrorAs(t, err, &info, "%s %s", m.Name, raw)
				require.NotEmpty(t, info.ErrorCode)
				require.NotContains(t, info.Detail, "internal error", "%s %s", m.Name, raw)
			}
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "x", string(b))
}

// C-49: the old proposal flow is answered, not missing.
func TestC49LegacyMethods(t *testing.T) {
	for _, m := range []string{"WorkshopStreamAssistantReply", "WorkshopProposeChanges", "WorkshopApplyProposal"} {
		_, info := call(t, newEngine(t), m, obj{})
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
		require.Equal(t, "not supported; use WorkshopRunAgent", info.Detail)
	}
}

// W-55, W-64 and the checks before a run.
func TestRunIsRefusedWithAReason(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, nil)
	_, info := call(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": " \n"})
	require.Equal(t, "empty message", info.Detail)
	_, info = call(t, e, "WorkshopRunAgent", obj{"workbench_id": id})
	require.Contains(t, info.Detail, "message_id is required")
	_, info = call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": "u-none"})
	require.Contains(t, info.Detail, "u-none")
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hello"})["message_id"]
	for _, p := range []obj{{"workbench_id": id}, {"workbench_id": id, "agentic": nil}} {
		_, info = call(t, e, "WorkshopSetAgentic", p)
		require.NotNil(t, info, "%v", p)
		require.Equal(t, "agentic is required", info.Detail)
	}
	require.Equal(t, true, must(t, e, "WorkshopGetState", obj{"workbench_id": id})["agentic"], "what was left out switches nothing off")
	must(t, e, "WorkshopSetAgentic", obj{"workbench_id": id, "agentic": false})
	_, info = call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
	require.Equal(t, "agentic mode disabled", info.Detail)
	require.False(t, must(t, e, "DraftGetState", obj{"workbench_id": id})["has_draft"].(bool), "drafts go on working")
	must(t, e, "WorkshopSetAgentic", obj{"workbench_id": id, "agentic": true})
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
}

// L-06: no key gives PROVIDER_NOT_CONFIGURED with what to do; a refused key
// PROVIDER_AUTH_FAILED. L-11: the key is in no error.
func TestProviderErrors(t *testing.T) {
	e := newEngine(t, func(o *engine.Options) { o.Model = "gpt-5" })
	id, _ := folder(t, e, nil)
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hello"})["message_id"]
	_, info := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	require.Equal(t, engine.CodeNotConfigured, info.ErrorCode)
	require.Contains(t, info.Hint, "OPENAI_API_KEY")
	require.Equal(t, []string{"open_settings"}, info.Actions)

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte(`{"error":{"message":"Incorrect API key provided: sk-secret-123"}}`))
	}))
	defer srv.Close()
	e = newEngine(t, func(o *engine.Options) { o.Model, o.BaseURL = "gpt-5", srv.URL+"/v1" })
	id, _ = folder(t, e, nil)
	must(t, e, "ProvidersSetApiKey", obj{"provider_id": "openai", "api_key": "sk-secret-123"})
	msg = must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hello"})["message_id"]
	_, info = call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	require.Equal(t, engine.CodeAuthFailed, info.ErrorCode)
	b, err := json.Marshal(info)
	require.NoError(t, err)
	require.NotContains(t, string(b), "sk-secret-123")
	_, info = call(t, e, "ProvidersValidate", obj{"provider_id": "openai"})
	require.Equal(t, engine.CodeAuthFailed, info.ErrorCode)
}

// W-13, W-14: one run at a time; a cancel ends it with USER_CANCELED.
func TestOneRunAndItsCancel(t *testing.T) {
	asked := make(chan struct{})
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer srv.Close()
	defer close(release)
	e := newEngine(t, func(o *engine.Options) { o.Model, o.BaseURL, o.APIKey = "gpt-5", srv.URL+"/v1", "k" })
	var methods []string
	var mu sync.Mutex
	defer e.Subscribe(func(n engine.Notification) { mu.Lock(); methods = append(methods, n.Method); mu.Unlock() })()
	id, _ := folder(t, e, nil)
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hello"})["message_id"]
	ended := make(chan *engine.ErrorInfo, 1)
	go func() {
		_, info := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
		ended <- info
	}()
	<-asked
	require.True(t, must(t, e, "WorkshopGetState", obj{"workbench_id": id})["running"].(bool))
	_, info := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	require.Equal(t, "workshop run already in progress", info.Detail)
	_, info = call(t, e, "DraftPublish", obj{"workbench_id": id})
	require.Equal(t, "a run is already in progress in this workbench", info.Detail)
	require.True(t, must(t, e, "WorkshopCancelRun", obj{"workbench_id": id})["cancel_requested"].(bool))
	info = <-ended
	require.Equal(t, engine.CodeUserCanceled, info.ErrorCode)
	require.False(t, must(t, e, "WorkshopCancelRun", obj{"workbench_id": id})["cancel_requested"].(bool))
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, methods, "WorkshopRunCancelRequested")
}

// I-10, W-60, W-61, I-24, K-02: ToolCall writes the draft; a publish over an
// outside change is a conflict that names the path and keeps both.
func TestDraftLifeThroughToolCall(t *testing.T) {
	e := newEngine(t)
	var notes []engine.Notification
	defer e.Subscribe(func(n engine.Notification) { notes = append(notes, n) })()
	id, dir := folder(t, e, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	write := func(name, text string) {
		r := must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": name, "content": text}})
		require.True(t, r["success"].(bool), "%v", r)
		require.Nil(t, r["error"])
	}
	write("a.txt", "ONE\n")
	write("new.txt", "three\n")
	st := must(t, e, "DraftGetState", obj{"workbench_id": id})
	require.Equal(t, "workshop", st["source_kind"])
	require.Equal(t, "agent", st["source_ref"])
	set := must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"].([]any)
	require.Len(t, set, 2)
	require.Equal(t, "modified", set[0].(obj)["change_type"])
	require.Equal(t, "added", set[1].(obj)["change_type"])
	diff := must(t, e, "ReviewGetTextDiff", obj{"workbench_id": id, "path": "a.txt"})
	require.Len(t, diff["hunks"], 1)
	_, info := call(t, e, "ReviewGetTextDiff", obj{"workbench_id": id, "path": "b.txt"})
	require.Contains(t, info.Detail, "does not change b.txt")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("someone else\n"), 0o644))
	_, info = call(t, e, "DraftPublish", obj{"workbench_id": id})
	require.Equal(t, engine.CodeConflictPublished, info.ErrorCode)
	require.Equal(t, []string{"a.txt"}, info.Paths)
	require.NoFileExists(t, filepath.Join(dir, "new.txt"), "a conflict publishes nothing")
	r := must(t, e, "DraftPublish", obj{"workbench_id": id, "paths": []string{"new.txt"}})
	require.Equal(t, []any{"new.txt"}, r["published"])
	require.FileExists(t, filepath.Join(dir, "new.txt"))
	must(t, e, "DraftPublish", obj{"workbench_id": id, "force": []string{"a.txt"}})
	b, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "ONE\n", string(b))

	var methods []string
	for _, n := range notes {
		methods = append(methods, n.Method)
	}
	require.Contains(t, methods, "DraftStateChanged")
	require.Contains(t, methods, "WorkbenchFilesChanged")
}

// I-09: files in and out of a managed workbench, each with its own status.
func TestFilesOfAManagedWorkbench(t *testing.T) {
	e := newEngine(t)
	id := must(t, e, "WorkbenchCreate", obj{"name": "Managed"})["workbench_id"].(string)
	dir := t.TempDir()
	src := filepath.Join(dir, "informe ñ.txt")
	require.NoError(t, os.WriteFile(src, []byte("x"), 0o644))
	need.Symlink(t, src, filepath.Join(dir, "link.txt"))
	r := must(t, e, "WorkbenchFilesAdd", obj{"workbench_id": id, "source_paths": []string{src, filepath.Join(dir, "link.txt"), dir, filepath.Join(dir, "no.txt")}})["add_results"].([]any)
	require.Equal(t, "added", r[0].(obj)["status"])
	for i, reason := range []string{"symlink", "directory", "not_found"} {
		require.NotEqual(t, "added", r[i+1].(obj)["status"])
		require.Contains(t, r[i+1].(obj)["reason"], reason)
	}
	files := must(t, e, "WorkbenchFilesList", obj{"workbench_id": id})["files"].([]any)
	require.Len(t, files, 1)
	require.Equal(t, "text", files[0].(obj)["file_kind"])
	for range 2 {
		must(t, e, "WorkbenchFilesExtract", obj{"workbench_id": id, "destination_dir": dir})
	}
	require.FileExists(t, filepath.Join(dir, "informe ñ (2).txt"))
	require.FileExists(t, filepath.Join(dir, "informe ñ (3).txt"))
	rm := must(t, e, "WorkbenchFilesRemove", obj{"workbench_id": id, "workbench_paths": []string{"informe ñ.txt"}})["remove_results"].([]any)
	require.Len(t, rm, 1)
	require.Empty(t, must(t, e, "WorkbenchFilesList", obj{"workbench_id": id})["files"])
}

// WorkbenchDelete takes an id, never a path (peers: ".." removed all data), and
// leaves a user's own folder alone.
func TestDeleteNeverLeavesItsOwnFolder(t *testing.T) {
	home := t.TempDir()
	e := newEngine(t, func(o *engine.Options) { o.Home = home })
	id, dir := folder(t, e, map[string]string{"a.txt": "x"})
	for _, bad := range []string{"..", ".", "", "../..", "/", "workbenches", id + "/.."} {
		_, info := call(t, e, "WorkbenchDelete", obj{"workbench_id": bad})
		require.NotNil(t, info, bad)
	}
	require.Len(t, must(t, e, "WorkbenchList", obj{})["workbenches"], 1)
	must(t, e, "WorkbenchDelete", obj{"workbench_id": id})
	require.Empty(t, must(t, e, "WorkbenchList", obj{})["workbenches"])
	require.FileExists(t, filepath.Join(dir, "a.txt"))
	entries, err := os.ReadDir(filepath.Join(home, "workbenches"))
	require.NoError(t, err)
	require.Empty(t, entries)
}

// TestCatalogueNames: catalogue and profile both name one; an unknown one is told.
func TestCatalogueNames(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, nil)
	_, info := call(t, e, "ToolCall", obj{"workbench_id": id, "profile": "magic", "tool": "list_files"})
	require.Contains(t, info.Detail, "unknown catalogue: magic")
	r := must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "list_files"})
	require.Equal(t, "[]", r["result"].(obj)["text"])
	r = must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "nope"})
	require.False(t, r["success"].(bool))
	require.Contains(t, r["error"].(obj)["detail"], "unknown tool: nope")
	tools := must(t, e, "ToolsList", obj{"catalogue": "workshop"})["tools"].([]any)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.(obj)["function"].(obj)["name"].(string))
	}
	require.Subset(t, names, strings.Fields("list_files read_file get_file_info write_text_file xlsx_operations docx_operations pptx_operations"))
}

// BenchmarkStart is start to first answer inside the process.
func BenchmarkStart(b *testing.B) {
	home := b.TempDir()
	for b.Loop() {
		e, err := engine.New(engine.Options{Home: home, Keys: &memoryKeys{}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Call(context.Background(), "EngineGetInfo", nil); err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}
