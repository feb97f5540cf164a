package engine_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/models"
	"atelier/workshop/agent"
)

// vendor is an endpoint of its own kind: it takes only ids of its form, and
// numbers its calls in it.
type vendor struct {
	mu     sync.Mutex
	keys   []string
	models []string
	bodies []string
	answer func(n int) string // the delta of answer n, from 1
	list   string
}

func (v *vendor) serve(t *testing.T) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		b, _ := io.ReadAll(r.Body)
		var req struct{ Model string }
		_ = json.Unmarshal(b, &req) // a GET has no body
		v.mu.Lock()
		defer v.mu.Unlock()
		v.keys = append(v.keys, r.Header.Get("Authorization"))
		if strings.HasSuffix(r.URL.Path, "/models") {
			if v.list == "" {
				w.WriteHeader(http.StatusNotFound)
			}
			io.WriteString(w, v.list)
			return
		}
		v.models, v.bodies = append(v.models, req.Model), append(v.bodies, string(b))
		io.WriteString(w, "data: {\"choices\":[{\"delta\":"+v.answer(len(v.bodies))+"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func say(text string) func(int) string {
	return func(int) string { return `{"content":"` + text + `"}` }
}

// Several providers at once; a model switched in mid conversation sees all of
// it, with calls and results, in a form its endpoint takes.
func TestModelSwitchKeepsTheHistory(t *testing.T) {
	one := &vendor{answer: func(n int) string {
		if n == 1 {
			return `{"reasoning_content":"SECRET THOUGHT","tool_calls":[{"index":0,"id":"functions.list_files:0|one","function":{"name":"list_files","arguments":"{}"}}]}`
		}
		return `{"content":"There is a.txt."}`
	}}
	two := &vendor{answer: say("As said, a.txt.")}
	e := newEngine(t, func(o *engine.Options) {
		o.Model, o.BaseURL, o.APIKey = "first", one.serve(t), "key-one"
		o.Providers = []engine.Provider{{ID: "second", BaseURL: two.serve(t), APIKey: "key-two", Models: []string{"mistral-medium"}}}
	})
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	run := func(text string) obj {
		msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})["message_id"]
		return must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	}
	run("Which files are there?")
	must(t, e, "WorkshopSetActiveModel", obj{"workbench_id": id, "model_id": "second:mistral-medium"})
	run("Say it again.")
	require.Equal(t, []string{"mistral-medium"}, two.models, "the endpoint gets its own name of the model")
	require.Equal(t, []string{"Bearer key-two"}, slices.Compact(two.keys))
	var req struct {
		Messages []struct {
			Role, Content string
			ToolCallID    string                `json:"tool_call_id"`
			ToolCalls     []struct{ ID string } `json:"tool_calls"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(two.bodies[0]), &req))
	var roles []string
	for _, m := range req.Messages {
		roles = append(roles, m.Role)
	}
	require.Equal(t, []string{"system", "user", "assistant", "tool", "assistant", "user"}, roles)
	require.Regexp(t, `^[A-Za-z0-9]{9}$`, req.Messages[3].ToolCallID)
	require.Equal(t, req.Messages[3].ToolCallID, req.Messages[2].ToolCalls[0].ID)
	require.Contains(t, req.Messages[3].Content, "a.txt")
	require.NotContains(t, two.bodies[0], "SECRET THOUGHT", "reasoning of another model is not passed on")

	must(t, e, "WorkshopSetActiveModel", obj{"workbench_id": id, "model_id": "first"})
	run("And once more.")
	last := one.bodies[len(one.bodies)-1]
	require.Contains(t, last, "functions.list_files:0|one", "the first provider gets its ids as they were")
	require.Contains(t, last, "As said, a.txt.")
	for _, k := range one.keys {
		require.Equal(t, "Bearer key-one", k)
	}
}

func TestModelsList(t *testing.T) {
	one := &vendor{list: `{"data":[{"id":"gpt-5-mini"},{"id":"served","max_model_len":9000}]}`}
	down := &vendor{}
	e := newEngine(t, func(o *engine.Options) {
		o.BaseURL, o.Model = one.serve(t), "gpt-5"
		o.Providers = []engine.Provider{{ID: "down", BaseURL: down.serve(t), Models: []string{"qwen3"}}}
		o.Models = []models.Rule{{Model: "qwen3", Settings: models.Settings{Window: 12345}}}
	})
	r := must(t, e, "ModelsList", obj{})
	got := map[string]any{}
	for _, m := range r["models"].([]any) {
		got[m.(obj)["model_id"].(string)] = m.(obj)["context_tokens"]
	}
	require.Equal(t, map[string]any{"gpt-5": 400000.0, "gpt-5-mini": 400000.0, "served": 9000.0, "down:qwen3": 12345.0, "pseudo": nil}, got)
	require.Equal(t, "down", r["failed"].([]any)[0].(obj)["provider_id"], "one that fails does not hide the others")

	c := must(t, e, "ModelsGetCapabilities", obj{"model_id": "down:qwen3"})
	require.Equal(t, 12345.0, c["context_tokens"])
	require.Equal(t, "down", c["provider_id"])
	_, info := call(t, e, "ModelsList", obj{"provider_id": "nobody"})
	require.Contains(t, info.Detail, "unknown provider_id: nobody (there is openai, down)")
	require.True(t, must(t, e, "ProvidersValidate", obj{"provider_id": "pseudo"})["ok"].(bool))
}

// The environment comes before the store, the store before config.json.
func TestWhereAKeyComesFrom(t *testing.T) {
	v := &vendor{answer: say("ok")}
	address := v.serve(t)
	ask := func(env, config string, stored bool) string {
		e := newEngine(t, func(o *engine.Options) { o.BaseURL, o.APIKey, o.ConfigKey, o.Model = address, env, config, "m" })
		if stored {
			must(t, e, "ProvidersSetApiKey", obj{"provider_id": "openai", "api_key": "from-store"})
		}
		require.True(t, must(t, e, "ProvidersValidate", obj{"provider_id": "openai"})["ok"].(bool))
		source, _ := must(t, e, "ProvidersGetStatus", obj{})["providers"].([]any)[0].(obj)["key_source"].(string)
		return source + " " + v.keys[len(v.keys)-1]
	}
	require.Equal(t, "environment Bearer from-env", ask("from-env", "from-config", true))
	require.Equal(t, "stored Bearer from-store", ask("", "from-config", true))
	require.Equal(t, "config Bearer from-config", ask("", "from-config", false))
	require.Equal(t, " ", strings.TrimSuffix(ask("", "", false), "Bearer "))
}

// A key that was stored outlives the process and is nowhere to be read (L-11).
func TestAStoredKeyOutlivesTheEngine(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	t.Setenv(engine.EnvKeychain, "off")
	t.Setenv(engine.EnvPassphrase, "")
	v := &vendor{answer: say("ok")}
	home, address := t.TempDir(), v.serve(t)
	const key = "sk-stored-0123456789"
	for i := range 2 {
		e, err := engine.New(engine.Options{Home: home, BaseURL: address, Model: "m"})
		require.NoError(t, err)
		if i == 0 {
			must(t, e, "ProvidersSetApiKey", obj{"provider_id": "openai", "api_key": key})
		} else {
			must(t, e, "ProvidersValidate", obj{"provider_id": "openai"})
			must(t, e, "ProvidersClearApiKey", obj{"provider_id": "openai"})
			_, there := must(t, e, "ProvidersGetStatus", obj{})["providers"].([]any)[0].(obj)["key_source"]
			require.False(t, there)
		}
		require.NoError(t, e.Close())
		require.NoError(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				b, rerr := os.ReadFile(path)
				require.NoError(t, rerr)
				require.NotContains(t, string(b), key, path)
			}
			return err
		}))
	}
	require.Equal(t, "Bearer "+key, v.keys[0])
}

func TestBadProvidersAreRefused(t *testing.T) {
	for want, p := range map[string]engine.Provider{
		"small letters": {ID: "My Server", BaseURL: "http://h"}, "taken": {ID: "openai", BaseURL: "http://h"}, "address": {ID: "x"}, "its endpoint": {ID: "x", BaseURL: "http://u:p@h"},
		"headers: host is set": {ID: "x", BaseURL: "http://h", Headers: map[string]string{"host": "other"}},
	} {
		_, err := engine.New(engine.Options{Home: t.TempDir(), Providers: []engine.Provider{p}})
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "u:p")
	}
	_, err := engine.New(engine.Options{Home: t.TempDir(), Models: []models.Rule{{Model: "x", Settings: models.Settings{Effort: "huge"}}}})
	require.ErrorContains(t, err, "reasoning_effort")
}

// The window in the table is the one a run keeps to.
func TestTheWindowOfTheTable(t *testing.T) {
	compacted := func(window int) bool {
		v := &vendor{answer: say("Good.")}
		e := newEngine(t, func(o *engine.Options) {
			o.BaseURL, o.Model = v.serve(t), "m"
			o.Models = []models.Rule{{Model: "m", Settings: models.Settings{Window: window, Tools: models.ToolsFull}}}
		})
		var mu sync.Mutex
		seen := false
		defer e.Subscribe(func(n engine.Notification) {
			mu.Lock()
			defer mu.Unlock()
			seen = seen || n.Method == agent.EventContextCompacted
		})()
		id, _ := folder(t, e, nil)
		for _, text := range []string{strings.Repeat("many words ", 3000), "And now?"} {
			msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})["message_id"]
			must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
		}
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
	require.True(t, compacted(14_000))
	require.False(t, compacted(200_000))
	require.False(t, compacted(0), "nothing is known, so nothing is done ahead")
}
