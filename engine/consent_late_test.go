package engine_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// A file that comes while a run is at work does not go to its model, whichever
// tool asks; the next run asks the user.
func TestLateFilesStayHere(t *testing.T) {
	for catalogue, calls := range map[string][][2]string{
		"workshop": {{"list_files", `{}`}, {"read_file", `{"path":"late.txt"}`}, {"get_file_info", `{"path":"late.txt"}`}, {"get_segments", `{"path":"late.txt"}`},
			{"read_file", `{"path":"a.txt"}`}},
		"buildscale": {{"ls", `{"path":"/"}`}, {"read", `{"path":"/late.txt"}`}, {"cat", `{"paths":["/late.txt"]}`}, {"read_multiple_files", `{"paths":["/late.txt"]}`},
			{"grep", `{"pattern":"needle"}`}, {"mv", `{"source":"/late.txt","destination":"/b.txt"}`}, {"read", `{"path":"/b.txt"}`}},
		"sila":  {{"read", `{"uri":"file:///late.txt"}`}, {"move", `{"from":"file:///late.txt","to":"file:///b.txt"}`}, {"read", `{"uri":"file:///a.txt"}`}},
		"aptix": {{"rag_search_docs", `{"query":"needle"}`}, {"workspace_read_file", `{"docPath":"w/late.txt"}`}, {"workspace_read_file", `{"docPath":"w/a.txt"}`}},
	} {
		t.Run(catalogue, func(t *testing.T) { lateFile(t, catalogue, calls) })
	}
}

func lateFile(t *testing.T, catalogue string, calls [][2]string) {
	v := newRemote(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n <= len(calls) {
			io.WriteString(w, toolCall(n, calls[n-1][0], calls[n-1][1]))
			return
		}
		io.WriteString(w, text("Done."))
	})
	run := func(e *engine.Engine, id string) *engine.ErrorInfo {
		_, info := runText(t, e, id, obj{"catalogue": catalogue})
		return info
	}
	begin := func(mode string) (*engine.Engine, string) {
		e := newEngine(t, v.use, func(o *engine.Options) { o.Egress = mode })
		id, dir := folder(t, e, map[string]string{"a.txt": "needle of before"})
		v.bodies, v.in, v.out = nil, nil, nil
		v.onAnswer = func(n int) {
			if n == 1 {
				_ = os.WriteFile(filepath.Join(dir, "late.txt"), []byte("needle SECRET"), 0o644)
			}
		}
		return e, id
	}
	e, id := begin("")
	grantNow(t, e, id, "first", true)
	require.Nil(t, run(e, id))
	require.Equal(t, len(calls)+1, len(v.bodies))
	require.Contains(t, v.bodies[len(calls)], "needle of before")
	for i, b := range v.bodies {
		require.NotContains(t, b, "SECRET", "request %d", i+1)
	}
	info := run(e, id)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, []string{"late.txt"}, info.Paths)

	// Where nobody is asked, nothing is hidden.
	e, id = begin(engine.EgressAllowAll)
	require.Nil(t, run(e, id))
	require.Contains(t, strings.Join(v.bodies, ""), "SECRET")
}

// BenchmarkConsent is what a run to another machine pays before it begins.
func BenchmarkConsent(b *testing.B) {
	for _, files := range []int{100, 10_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			e, err := engine.New(engine.Options{Home: b.TempDir(), Keys: &memoryKeys{}, Model: "first", BaseURL: "http://models.example.com/v1", APIKey: "k"})
			require.NoError(b, err)
			defer e.Close()
			all := map[string]string{}
			for i := range files {
				all[fmt.Sprintf("f%05d.txt", i)] = "x"
			}
			id, _ := folder(b, e, all)
			st := must(b, e, "EgressGetConsentStatus", obj{"workbench_id": id})
			must(b, e, "EgressGrantWorkshopConsent", obj{"workbench_id": id, "provider_id": "openai", "model_id": "first", "scope_hash": st["scope_hash"], "persist": true})
			for b.Loop() {
				if err := e.RequireConsent(b.Context(), id, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What is taken back while a run is at work is taken back at once, and another
// model's consent is not touched by it.
func TestTakenBackDuringARun(t *testing.T) {
	for name, c := range map[string]struct {
		mode string // of the user, before
		undo func(e *engine.Engine, id string) (string, obj)
		ends bool
	}{
		"consent": {"ask", func(_ *engine.Engine, id string) (string, obj) {
			return "EgressRevokeWorkshopConsent", obj{"workbench_id": id}
		}, true},
		"another": {"ask", func(_ *engine.Engine, id string) (string, obj) {
			return "EgressRevokeWorkshopConsent", obj{"workbench_id": id, "model_id": "x"}
		}, false},
		"mode":          {"allow_all", func(*engine.Engine, string) (string, obj) { return "UserSetConsentMode", obj{"mode": "ask"} }, true},
		"mode, granted": {"granted", func(*engine.Engine, string) (string, obj) { return "UserSetConsentMode", obj{"mode": "ask"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := newRemote(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 1 {
					io.WriteString(w, toolCall(n, "list_files", `{}`))
					return
				}
				io.WriteString(w, text("Done."))
			})
			e := newEngine(t, v.use)
			id, dir := folder(t, e, map[string]string{"a.txt": "x"})
			if c.mode != "allow_all" {
				grantNow(t, e, id, "first", true)
			}
			if c.mode != "ask" {
				must(t, e, "UserSetConsentMode", obj{"mode": "allow_all", "approved": true})
			}
			v.onAnswer = func(n int) {
				if n == 1 {
					_ = os.WriteFile(filepath.Join(dir, "late.txt"), nil, 0o644) // which is another matter
					method, p := c.undo(e, id)
					must(t, e, method, p)
				}
			}
			_, info := runText(t, e, id, nil)
			if !c.ends {
				require.Nil(t, info)
				require.Equal(t, 2, v.count())
				return
			}
			require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
			require.Equal(t, 1, v.count(), "nothing was sent after that")
		})
	}
}

// Asking that is turned on again while a run is at work counts for each file: a
// consent to some does not let the others go on leaving.
func TestAskingAgainDuringARunCountsForEachFile(t *testing.T) {
	v := newRemote(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n {
		case 1:
			io.WriteString(w, toolCall(n, "read_file", `{"path":"a.txt"}`))
		case 2:
			io.WriteString(w, toolCall(n, "read_file", `{"path":"b.txt"}`))
		default:
			io.WriteString(w, text("Done."))
		}
	})
	e := newEngine(t, v.use)
	id, dir := folder(t, e, map[string]string{"a.txt": "alpha"})
	grantNow(t, e, id, "first", true)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("SECRET"), 0o644))
	must(t, e, "UserSetConsentMode", obj{"mode": "allow_all", "approved": true})
	v.onAnswer = func(n int) {
		if n == 1 {
			must(t, e, "UserSetConsentMode", obj{"mode": "ask"})
		}
	}
	_, info := runText(t, e, id, nil)
	require.NotNil(t, info)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Contains(t, info.Detail, "b.txt")
	require.Equal(t, 2, v.count(), "what was read of a.txt may go, that of b.txt not")
	require.NotContains(t, strings.Join(v.bodies, ""), "SECRET")
}
