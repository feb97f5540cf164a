package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// pair is a model on this machine, "near", and one elsewhere, "first", which a
// server plays both of.
type pair struct {
	*remote
	e       *engine.Engine
	id, dir string
	calls   [][2]string // what near calls next, one in each answer
	far     []string    // bodies that first got
	farCall [][2]string // what first calls next
	home    string
}

func newPair(t *testing.T, files map[string]string) *pair {
	p := &pair{home: t.TempDir()}
	p.remote = newRemote(t, func(n int, w http.ResponseWriter, r *http.Request) {
		next := &p.calls
		if strings.HasPrefix(r.Host, "models.example.com") {
			p.far = append(p.far, p.bodies[n-1])
			next = &p.farCall
		}
		if !strings.HasSuffix(r.URL.Path, "/completions") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if len(*next) > 0 && strings.Contains(p.bodies[n-1], `"tools"`) {
			c := (*next)[0]
			*next = (*next)[1:]
			io.WriteString(w, toolCall(n, c[0], c[1]))
			return
		}
		io.WriteString(w, text("Done."))
	})
	p.open(t)
	p.id, p.dir = folder(t, p.e, files)
	return p
}

func (p *pair) open(t *testing.T) {
	p.e = newEngine(t, p.use, func(o *engine.Options) {
		o.Home = p.home
		o.Providers = append(o.Providers, engine.Provider{ID: "here", BaseURL: p.URL + "/v1", Models: []string{"near"}})
	})
}

// near has the model of this machine make calls.
func (p *pair) near(t *testing.T, catalogue string, calls ...[2]string) {
	t.Helper()
	p.calls = calls
	_, info := runText(t, p.e, p.id, obj{"model_id": "near", "catalogue": catalogue})
	require.Nil(t, info)
	require.Empty(t, p.calls)
}

// run has the other model answer.
func (p *pair) run(t *testing.T, more obj) *engine.ErrorInfo {
	t.Helper()
	_, info := runText(t, p.e, p.id, more)
	return info
}

// asks is that the model elsewhere gets nothing before there is a consent to
// files, and everything after that.
func (p *pair) asks(t *testing.T, earlier []string, news ...string) {
	t.Helper()
	before := len(p.far)
	info := p.run(t, nil)
	require.NotNil(t, info)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, news, info.Paths)
	require.Equal(t, earlier, info.Egress.EarlierFiles)
	if len(earlier) > 0 {
		require.Contains(t, info.Detail, "read earlier in this conversation")
		require.Contains(t, info.Detail, earlier[0])
	}
	require.Equal(t, before, len(p.far), "nothing was sent")
	st := must(t, p.e, "EgressGetConsentStatus", obj{"workbench_id": p.id})
	require.Equal(t, false, st["consented"])
	require.Equal(t, info.Egress.ScopeHash, st["scope_hash"])
	require.EqualValues(t, len(news), st["new_count"])
	require.Equal(t, len(earlier) > 0, st["earlier_files"] != nil)
}

func (p *pair) remove(t *testing.T, names ...string) {
	t.Helper()
	for _, n := range names {
		require.NoError(t, os.Remove(filepath.Join(p.dir, n)))
	}
}

// lastFiles are those that the last row of the log names.
func (p *pair) lastFiles(t *testing.T) []any {
	t.Helper()
	list := must(t, p.e, "EgressListEvents", obj{"workbench_id": p.id, "limit": 1000})["events"].([]any)
	return list[len(list)-1].(obj)["files"].([]any)
}

// What a model on this machine read of a file that was removed since is in the
// conversation: a model elsewhere gets it after consent only, whichever tool it
// came from.
func TestRemovedFilesOfTheConversationAsk(t *testing.T) {
	files := map[string]string{"a.txt": "alpha", "secret.txt": "needle SECRET\n", "t.csv": "n,v\nSECRET,1\n"}
	for name, c := range map[string]struct {
		catalogue string
		call      [2]string
		gone      []string
	}{
		"read":     {"workshop", [2]string{"read_file", `{"path":"secret.txt"}`}, []string{"secret.txt"}},
		"segments": {"workshop", [2]string{"get_segments", `{"path":"secret.txt"}`}, []string{"secret.txt"}},
		"sql":      {"workshop", [2]string{"table_query", `{"path":"t.csv","query":"SELECT * FROM data"}`}, []string{"t.csv"}},
		"grep":     {"buildscale", [2]string{"grep", `{"pattern":"needle"}`}, []string{"secret.txt"}},
		"cat":      {"buildscale", [2]string{"cat", `{"paths":["/secret.txt"]}`}, []string{"secret.txt"}},
		"search":   {"aptix", [2]string{"rag_search_docs", `{"query":"needle"}`}, []string{"secret.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, files)
			p.near(t, c.catalogue, c.call)
			p.remove(t, c.gone...)
			grantFiles(t, p)
			p.asks(t, c.gone, c.gone...)
			grantNow(t, p.e, p.id, "first", true)
			require.Nil(t, p.run(t, nil))
			require.Contains(t, p.far[len(p.far)-1], "SECRET")
			require.Equal(t, []any{c.gone[0]}, p.lastFiles(t), "the row names what the request carries")
		})
	}
}

// grantFiles consents to what is in the folder, and to nothing of the
// conversation, as a consent that was given before there was one.
func grantFiles(t *testing.T, p *pair) {
	t.Helper()
	var back []func()
	for _, name := range []string{"conversation.jsonl", "rpi"} {
		at := filepath.Join(p.home, "workbenches", p.id, name)
		if os.Rename(at, at+".away") == nil {
			back = append(back, func() {
				require.NoError(t, os.RemoveAll(at))
				require.NoError(t, os.Rename(at+".away", at))
			})
		}
	}
	grantNow(t, p.e, p.id, "first", true)
	for _, f := range back {
		f()
	}
}

// What a summary was made of goes with it, also after a restart.
func TestSummariesCarryTheirSources(t *testing.T) {
	p := newPair(t, map[string]string{"a.txt": "alpha", "secret.txt": strings.Repeat("SECRET of the house. ", 400)})
	p.near(t, "workshop", [2]string{"read_file", `{"path":"secret.txt"}`})
	p.near(t, "workshop")
	r := must(t, p.e, "WorkshopCompact", obj{"workbench_id": p.id, "model_id": "near"})
	require.Positive(t, r["summarised"])
	p.remove(t, "secret.txt")
	grantFiles(t, p)
	p.asks(t, []string{"secret.txt"}, "secret.txt")

	require.NoError(t, p.e.Close())
	p.open(t)
	p.asks(t, []string{"secret.txt"}, "secret.txt")
	grantNow(t, p.e, p.id, "first", false)
	require.Nil(t, p.run(t, nil))
	require.NotContains(t, p.far[0], "SECRET", "the summary stands for it")
	require.Equal(t, []any{"secret.txt"}, p.lastFiles(t))
}

// An undo takes back what was read; a result that was taken back can still be
// recalled, but not by a model that may not see it.
func TestRecalledResultsStayHere(t *testing.T) {
	p := newPair(t, map[string]string{"a.txt": "alpha", "secret.txt": "SECRET"})
	p.near(t, "workshop", [2]string{"read_file", `{"path":"a.txt"}`})
	kept := must(t, p.e, "WorkshopGetConversation", obj{"workbench_id": p.id})["messages"].([]any)
	p.near(t, "workshop", [2]string{"read_file", `{"path":"secret.txt"}`})
	must(t, p.e, "WorkshopUndoToMessage", obj{"workbench_id": p.id, "message_id": kept[len(kept)-1].(obj)["message_id"]})
	log := must(t, p.e, "WorkshopGetToolLog", obj{"workbench_id": p.id})["entries"].([]any)
	require.Equal(t, []any{"a.txt"}, log[0].(obj)["sources"])
	require.Equal(t, []any{"secret.txt"}, log[1].(obj)["sources"])
	p.remove(t, "secret.txt")
	grantNow(t, p.e, p.id, "first", true)
	p.farCall = [][2]string{{"recall_tool_result", `{"entry_id":1}`}, {"recall_tool_result", `{"entry_id":2}`}}
	require.Nil(t, p.run(t, nil))
	all := strings.Join(p.far, "")
	require.Contains(t, all, "alpha")
	require.NotContains(t, all, "SECRET")
	require.Contains(t, all, "has not allowed")
	require.Equal(t, []any{"a.txt"}, p.lastFiles(t))
}

// A run in phases keeps what it read out of the conversation, but not whose
// content its research, its plan and its answer are made of.
func TestPhasesCarryTheirSources(t *testing.T) {
	p := newPair(t, map[string]string{"a.txt": "alpha", "secret.txt": "SECRET"})
	step := 0
	both := p.answer
	p.answer = func(n int, w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "models.example.com") || !strings.HasSuffix(r.URL.Path, "/completions") {
			both(n, w, r)
			return
		}
		step++
		switch step {
		case 1:
			io.WriteString(w, toolCall(n, "read_file", `{"path":"secret.txt"}`))
		case 2:
			io.WriteString(w, text("It says SECRET."))
		case 3:
			io.WriteString(w, text("- [ ] 1. One — Look at SECRET"))
		default: // the endpoint fails in the first item
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	_, info := runText(t, p.e, p.id, obj{"model_id": "near", "workflow": "rpi"})
	require.NotNil(t, info)
	p.remove(t, "secret.txt")
	grantFiles(t, p)
	p.asks(t, []string{"secret.txt"}, "secret.txt")
	require.Empty(t, p.far)
	grantNow(t, p.e, p.id, "first", false)
	p.answer = both
	require.Nil(t, p.run(t, nil))
	require.Contains(t, p.far[0], "Look at SECRET", "the plan that was left")
	require.Equal(t, []any{"secret.txt"}, p.lastFiles(t))
}

// What a model was told of standing context and of files that the user had open
// is in what it said.
func TestWhatWasToldAsksOnceItIsGone(t *testing.T) {
	p := newPair(t, map[string]string{"a.txt": "alpha"})
	house := filepath.Join(p.dir, ".atelier/context/house.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(house), 0o755))
	require.NoError(t, os.WriteFile(house, []byte("SECRET of the house"), 0o644))
	must(t, p.e, "SessionSetActiveFiles", obj{"session_id": p.id, "files": []obj{{"docPath": "Elsewhere/x.cs", "content": "SECRET"}, {"docPath": "w/a.txt", "content": "edited"}}})
	p.near(t, "aptix")
	require.Equal(t, []any{".atelier/context/house.md", "a.txt", "open in the editor: elsewhere/x.cs"}, p.lastFiles(t))
	must(t, p.e, "SessionSetActiveFiles", obj{"session_id": p.id, "files": []obj{}})
	p.remove(t, ".atelier/context/house.md")
	grantFiles(t, p)
	gone := []string{".atelier/context/house.md", "open in the editor: elsewhere/x.cs"}
	p.asks(t, gone, gone...)
}

// A model that made a file, read it and removed it is asked about none of that.
func TestOwnFilesAskNobody(t *testing.T) {
	p := newPair(t, map[string]string{"a.txt": "alpha"})
	grantNow(t, p.e, p.id, "first", true)
	p.farCall = [][2]string{{"write", `{"path":"/tmp.txt","content":"mine"}`}, {"read", `{"path":"/tmp.txt"}`}, {"grep", `{"pattern":"mine"}`},
		{"mv", `{"source":"/a.txt","destination":"/b.txt"}`}, {"read", `{"path":"/b.txt"}`}, {"rm", `{"path":"/tmp.txt"}`}}
	require.Nil(t, p.run(t, obj{"catalogue": "buildscale"}))
	require.Empty(t, p.farCall)
	require.Equal(t, []any{"a.txt"}, p.lastFiles(t))
	must(t, p.e, "DraftDiscard", obj{"workbench_id": p.id})
	require.Nil(t, p.run(t, nil))
}

// Records of an older program do not say their sources: they may carry whatever
// the workbench knew of.
func TestOldRecordsMayCarryEverything(t *testing.T) {
	p := newPair(t, map[string]string{"a.txt": "alpha", "secret.txt": "SECRET"})
	p.near(t, "workshop", [2]string{"write_text_file", `{"path":"note.txt","content":"SECRET noted"}`})
	conv := filepath.Join(p.home, "workbenches", p.id, "conversation.jsonl")
	b, err := os.ReadFile(conv)
	require.NoError(t, err)
	b = regexp.MustCompile(`,?"sources":\[[^\]]*\]`).ReplaceAll(b, nil)
	b = bytes.ReplaceAll(b, []byte(`{,`), []byte(`{`))
	b = regexp.MustCompile(`,"crc":"[0-9a-f]{8}"`).ReplaceAll(b, nil) // it had no checksums either
	for _, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		require.True(t, json.Valid(line), "%s", line)
	}
	require.NoError(t, os.WriteFile(conv, b, 0o600))
	must(t, p.e, "DraftDiscard", obj{"workbench_id": p.id})
	grantFiles(t, p)
	p.asks(t, []string{"note.txt"}, "note.txt")
	grantNow(t, p.e, p.id, "first", false)
	require.Nil(t, p.run(t, nil))
	require.NoError(t, p.e.RequireConsent(context.Background(), p.id, ""))
}
