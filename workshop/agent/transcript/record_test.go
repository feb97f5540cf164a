package transcript

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"atelier/llm/replay/redact"
	"atelier/workshop/agent"
)

// recordAll plays a transcript as a live run would be, with ids drawn at random,
// and records each of its runs.
func recordAll(t *testing.T, file string, change func(*script), red func() *redact.Redactor) []Recorded {
	t.Helper()
	var out []Recorded
	opt := Options{observe: func(ctx context.Context, cfg *agent.Config, message string) (context.Context, func(error)) {
		script, err := parse([]byte(file), nearestDocuments())
		require.NoError(t, err)
		o := RecordOptions{Settings: script.config.Settings}
		if red != nil {
			o.Redact = red()
		}
		o.Catalogue = catalogueOf(file)
		rctx, rec, err := Record(ctx, cfg, message, o)
		require.NoError(t, err)
		return rctx, func(runErr error) {
			r, err := rec.End(context.WithoutCancel(ctx), runErr)
			require.NoError(t, err)
			out = append(out, r)
		}
	}}
	p, done, err := newPlayer([]byte(file), opt)
	require.NoError(t, err)
	defer done()
	p.newID = func() string { return uuid.Must(uuid.NewV7()).String() }
	if change != nil {
		change(p.script)
	}
	require.NoError(t, p.play(t.Context()))
	return out
}

func catalogueOf(file string) string {
	s, err := parse([]byte(file), nearestDocuments())
	if err != nil {
		return ""
	}
	return s.config.Catalogue
}

// D-21: every run of the golden transcripts can be recorded, and comes out the
// same when it is played: those that end well, are canceled, fail, wait, ask,
// plan, compact, go on in phases; later runs of a conversation with what came
// before.
func TestD21RecordsEveryKindOfRun(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "transcripts", "*.txtar"))
	require.NoError(t, err)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			if strings.Contains(string(file), `"wait":true`) || strings.Contains(string(file), `"wait": true`) {
				return // a tool of transcripts, which no live run has
			}
			recorded := recordAll(t, string(file), nil, nil)
			runs := strings.Count(string(file), `"run":true`) - strings.Count(string(file), `"crash_after"`)
			if strings.Contains(string(file), "-- client --") {
				require.Len(t, recorded, runs)
			}
			for _, r := range recorded {
				require.Empty(t, r.Differs, "%s", r.File)
				if testing.Short() {
					continue // it was played to find that out
				}
				rep, err := Run(t.Context(), r.File, Options{})
				require.NoError(t, err)
				require.True(t, rep.OK(), "%s", rep.Diff)
				require.GreaterOrEqual(t, rep.Compared, 2)
			}
		})
	}
}

const (
	liveKey  = "tvly-9f86d081884c7d65+9a2f/eaa0c"
	liveName = "Xanthippe"
	liveHost = "xanthippes-mac.local"
)

// traces are all ways in which something is found in a file.
func traces(s string) []string {
	once := fmt.Sprintf("%q", s)
	twice := fmt.Sprintf("%q", strings.Trim(once, `"`))
	return []string{s, strings.Trim(once, `"`), strings.Trim(twice, `"`), strings.ReplaceAll(s, "/", `\/`), url.QueryEscape(s), url.PathEscape(s)}
}

// D-21, L-11: nothing of the person, the machine and the keys is in a recording,
// in whatever form it was said, and the recording plays as the run did.
func TestD21NothingIsLeft(t *testing.T) {
	home := "/home/" + liveName
	encoded := base64.StdEncoding.EncodeToString([]byte("key " + liveKey + " of " + liveName))
	fixture := `Everything that must not get out.
-- files/config.json --
{"endpoint": "https://` + liveHost + `/v1?key=` + url.QueryEscape(liveKey) + `", "api_key": "` + liveKey + `", "docs": "` + strings.ReplaceAll(home, "/", `\/`) + `\/docs"}
-- files/` + liveName + `.md --
Written by ` + liveName + ` on ` + liveHost + ` in ` + home + `/docs.
-- base64/notes.bin --
` + base64.StdEncoding.EncodeToString([]byte("text in base64: "+liveKey+"\n-- files/x --\n"+home)) + `
-- client --
{"send":"My key is ` + liveKey + `, I am ` + liveName + `, see ` + home + `/docs"}
{"run":true,"answers":[{"token":"` + liveKey + `"}]}
{"send":"Once more"}
{"run":true}
-- model-1 --
{"text":"Hello Xan"}
{"text":"thippe, your key tvly-9f86d081"}
{"text":"884c7d65+9a2f/eaa0c is on xanthip"}
{"text":"pes-mac.local: /home/Xanth"}
{"text":"ippe/docs. ` + encoded[:20] + `"}
{"text":"` + encoded[20:] + `"}
{"call":{"id":"1","name":"read_file","arguments":{"path":"config.json"}}}
{"call":{"id":"2","name":"read_file","arguments":{"path":"` + liveName + `.md"}}}
{"call":{"id":"3","name":"read_file","arguments":{"path":"notes.bin"}}}
-- model-2 --
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"4","type":"function","function":{"name":"write_text_file","arguments":"{\"path\":\"Xanthippe"}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":".md\",\"content\":\"by Xan"}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"thippe: password=Geheim-2026-abc, \\\"tvly-9f86d081884c7d65\\u002b9a"}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"2f\\/eaa0c\\\"\\nsk-live-0123456789abcdefgh\"}"}}]}}]}
{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
-- model-3 --
{"status":429,"headers":{"Retry-After":"1"},"body":{"error":{"message":"key ` + liveKey + ` of ` + liveName + ` is over its limit"}}}
-- model-4 --
{"call":{"id":"5","name":"ask_user","arguments":{"questions":[{"name":"token","question":"Which token, ` + liveName + `?","schema":"{\"type\":\"string\"}"}]}}}
-- model-5 --
{"text":"Thank you."}
-- model-6 --
{"call":{"id":"6","name":"read_file","arguments":{"path":"` + liveName + `.md"}}}
-- model-7 --
{"text":"It still says Geheim-2026-abc."}
`
	recorded := recordAll(t, fixture, nil, func() *redact.Redactor {
		red := redact.New()
		red.Path(home, "$HOME")
		red.Name(liveName, "$USER")
		red.Name(liveHost, "$HOST")
		return red
	})
	require.Len(t, recorded, 2)
	for _, r := range recorded {
		text := string(r.File)
		require.Empty(t, r.Differs, text)
		for _, f := range txtar.Parse(r.File).Files {
			data := string(f.Data)
			if strings.HasPrefix(f.Name, "base64/") {
				b, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(data, "\n", ""))
				require.NoError(t, err)
				data = string(b)
			}
			for _, secret := range []string{liveKey, liveName, liveHost, home, "Geheim-2026-abc", "sk-live-0123456789abcdefgh"} {
				for _, trace := range traces(secret) {
					require.NotContains(t, f.Name+data, trace, f.Name)
				}
			}
			for i := range 3 { // wherever it stands in base64
				part := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + liveKey))[4:20]
				require.NotContains(t, data, part, f.Name)
			}
			require.NotContains(t, data, "atelier-replay-", "the folder of the run")
		}
		for _, piece := range []string{"Xanth", "tvly-", "pes-mac"} {
			require.NotContains(t, text, piece, "split over deltas")
		}
		rep, err := Run(t.Context(), r.File, Options{})
		require.NoError(t, err)
		require.True(t, rep.OK(), rep.Diff)
	}
	first := string(recorded[0].File)
	require.Contains(t, first, "-- files/$USER.md --\nWritten by $USER on $HOST in $HOME/docs.\n")
	require.Contains(t, first, `"content":"Hello $USER"`)
	require.Contains(t, first, `"status":429`)
	require.Contains(t, first, `"answers":[{"token":"REDACTED`)
	require.Contains(t, string(recorded[1].File), "-- conversation --\n")
}

// D-21: a recording whose run had more answers than it keeps says so.
func TestD21FullRecordingSaysSo(t *testing.T) {
	var got Recorded
	opt := Options{observe: func(ctx context.Context, cfg *agent.Config, message string) (context.Context, func(error)) {
		rctx, rec, err := Record(ctx, cfg, message, RecordOptions{})
		require.NoError(t, err)
		rec.model.Limit(20)
		return rctx, func(runErr error) {
			got, err = rec.End(context.WithoutCancel(ctx), runErr)
			require.NoError(t, err)
		}
	}}
	p, done, err := newPlayer([]byte("-- client --\n{\"send\":\"Hello\"}\n{\"run\":true}\n-- model-1 --\n{\"text\":\"A long answer that is not kept.\"}\n"), opt)
	require.NoError(t, err)
	defer done()
	require.NoError(t, p.play(t.Context()))
	require.Len(t, got.Differs, 1)
	require.Contains(t, got.Differs[0], "the rest of them is not recorded")
	require.Contains(t, string(got.File), "the rest of them is not recorded")
}
