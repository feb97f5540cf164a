package transcript

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the want sections of testdata/transcripts anew")

func TestGolden(t *testing.T) { // D-20
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "transcripts", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			rep, err := Run(t.Context(), file, Options{})
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(path, rep.Updated, 0o644))
				return
			}
			require.True(t, rep.OK(), "%s", rep.Diff)
			require.GreaterOrEqual(t, rep.Compared, 2)
			again, err := Run(t.Context(), file, Options{})
			require.NoError(t, err)
			require.Equal(t, string(rep.Updated), string(again.Updated), "two playings differ")
		})
	}
}

func play(t *testing.T, text string) Report {
	rep, err := Run(t.Context(), []byte(text), Options{})
	require.NoError(t, err)
	return rep
}

const small = `A small transcript.
-- config --
{"model": "pseudo"}
-- files/a.txt --
Hello there.
-- client --
{"send": "Translate a.txt to German"}
{"run": true}
`

func TestDifferencesAreShown(t *testing.T) {
	rep := play(t, small)
	require.True(t, rep.OK(), "nothing is wanted, so nothing can differ")
	require.Zero(t, rep.Compared)
	full := string(rep.Updated)
	require.True(t, strings.HasPrefix(full, small))
	require.Contains(t, full, "-- want-files/a.txt --\n[Ĥéļļö ţĥéŕé.~]\n")
	require.Contains(t, full, `{"type":"user_message","message_id":"u-1","role":"user","text":"Translate a.txt to German"}`)
	require.Contains(t, full, `"workbench_id":"wb-1"`)
	require.NotContains(t, full, "want-requests")

	rep = play(t, full)
	require.True(t, rep.OK(), rep.Diff)
	require.Equal(t, 3, rep.Compared)
	require.Equal(t, full, string(rep.Updated))

	rep = play(t, strings.Replace(full, "\n[Ĥéļļö", "\n[Ĥállö", 1))
	require.Equal(t, []string{"want-files/a.txt"}, rep.Mismatches)
	require.Contains(t, rep.Diff, "-[Ĥállö ţĥéŕé.~]\n+[Ĥéļļö ţĥéŕé.~]\n")

	// A file that nobody expects is a difference too.
	at := strings.Index(full, "-- want-files/a.txt --")
	rep = play(t, full[:at])
	require.Equal(t, []string{"want-files/a.txt"}, rep.Mismatches)
}

// A recording from before records had sources plays as it did; one that has some
// is held to them.
func TestOldRecordingsHaveNoSources(t *testing.T) {
	text := small + "{\"send\":\"What is in a.txt?\"}\n{\"run\":true}\n-- want-conversation --\n"
	full := string(play(t, text).Updated)
	require.Contains(t, full, `"sources":[]`)
	old := regexp.MustCompile(`,"metadata":\{"sources":\[[^\]]*\]\}|,"sources":\[[^\]]*\]`).ReplaceAllString(full, "")
	require.NotContains(t, old, "sources")
	rep := play(t, old)
	require.True(t, rep.OK(), rep.Diff)
	require.Equal(t, full, string(rep.Updated))
	require.False(t, play(t, strings.Replace(full, `"sources":[]`, `"sources":["b.txt"]`, 1)).OK())
}

func TestActions(t *testing.T) {
	rep := play(t, small+`{"publish": true}
{"reopen": true}
{"send": "What files are here?"}
{"run": true}
-- base64/b.bin --
AAEC
-- want-conversation --
`)
	out := string(rep.Updated)
	require.Contains(t, out, `"has_draft":false`)
	require.Contains(t, out, "- a.txt (text, ")
	require.Contains(t, out, "- b.bin (binary, 3 bytes)")
	require.NotContains(t, out, "want-files/b.bin")
	require.Contains(t, out, "want-files/a.txt", "a published change is a change")

	rep = play(t, small+`{"discard": true}`+"\n")
	require.NotContains(t, string(rep.Updated), "want-files")
}

func TestCopies(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.txt"), []byte("copied"), 0o644))
	rep, err := Run(t.Context(), []byte("-- config --\n{\"model\":\"pseudo\"}\n-- copy --\nsub/y.txt x.txt\n-- client --\n{\"send\":\"list files here\"}\n{\"run\":true}\n"), Options{Documents: dir})
	require.NoError(t, err)
	require.Contains(t, string(rep.Updated), "sub/y.txt (text, 6 bytes)")
}

func TestMistakesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"just prose":                                     "no transcript",
		"-- modle --\nx":                                 "line 1, section modle: unknown section",
		"-- config --\n{\"limit\":1}":                    `unknown field "limit"`,
		"-- client --\n{\"sned\":\"x\"}":                 `unknown field "sned"`,
		"-- files/../x --\nx":                            "no path inside the folder",
		"-- base64/x --\n!!!":                            "illegal base64",
		"-- lines/a.txt --\nmany\nx":                     "no number of lines",
		"-- copy --\none":                                `is not "NAME SOURCE"`,
		"-- copy --\na.txt nowhere.txt":                  "nowhere.txt",
		"-- copy --\na.txt ../../../../../../etc/passwd": "etc/passwd",
		small + "{}":                                     "line 9, section client: {}: it must say one thing",
		small + `{"send":"a","run":true}`:                "one thing to do",
		small + `{"send":"a","count":2}`:                 "belong to run",
		small + `{"run":true,"count":2}`:                 "count with one of them",
		small + "-- files/a.txt --\nagain\n":             "the section stands twice",
		"-- model --\n{\"text\":\"a\"}\nnonsense":        "line 3, section model: want one JSON object a line",
		"-- model --\n{\"text\":\"a\"}\n-- config --\n{\"catalogue\":\"house\"}": "line 3, section config",
		"-- conversation --\n{\"type\":\"user_message\"}":                        "a record needs type and message_id",
		"-- tool-log --\n{\"id\":2,\"tool\":\"a\"}\n{\"id\":1,\"tool\":\"a\"}":   "line 3, section tool-log",
		"-- tool-log --\n{\"id\":2000000,\"tool\":\"a\"}":                        "from 1 to 1000000",
		"-- rpi/../x --\nx":                  "no name of a file",
		"-- config --\n{\"folder\":\"a/b\"}": "no name of a folder",
		"-- model --\n{\"text\":\"a\"}\n-- config --\n{\"types\":{\"a\":\"plan\"}}":            "no file of the transcript",
		small + `{"send":"hi"}` + "\n" + `{"run":true,"cancel_after":"WorkshopToolExecuting"}`: "the run ended before WorkshopToolExecuting",
		"-- client --\n{\"send\":\"x\"}": "no model",
	} {
		_, err := Run(t.Context(), []byte(text), Options{Documents: t.TempDir()})
		require.Error(t, err)
		require.Contains(t, filepath.ToSlash(err.Error()), want)
	}
}

// D-20: what is shown of a difference says where it is, and what came instead,
// however long the lines are.
func TestD20ReadableDifferences(t *testing.T) {
	const made = `Two calls.
-- files/a.txt --
Hello there.
-- client --
{"send": "Go"}
{"run": true}
-- model-1 --
{"call":{"id":"1","name":"read_file","arguments":{"path":"a.txt"}}}
{"call":{"id":"2","name":"write_text_file","arguments":{"path":"b.txt","content":"one\ntwo\nthree\n"}}}
-- model-2 --
{"text":"Done."}
-- model-3 --
{"text":"Nobody asks for this."}
`
	full := string(play(t, made).Updated)
	rep := play(t, full)
	require.True(t, rep.OK(), rep.Diff)
	require.Equal(t, 1, rep.Unused)
	for change, want := range map[[2]string]string{
		{`"content":"Hello there.`, `"content":"` + strings.Repeat("long ", 200) + `Hello where.`}: "-- want-conversation --\nline 3, tool_result read_file\n",
		{`"success":true`, `"success":false`}:                                                      "-- want-events --\nline 4, WorkshopToolComplete write_text_file\n  params.success\n    -false\n    +true\n",
		{"one\ntwo\nthree\n", "one\n2\nthree\n"}:                                                   "-- want-files/b.txt --\n@@ line 1 @@\n one\n-2\n+two\n three\n",
		{`{"returned":`, `{"method":"WorkshopPhaseStarted","params":{}}` + "\n" + `{"returned":`}:  "is missing: {\"method\":\"WorkshopPhaseStarted\"",
		{`"turns":2`, `"turns":3`}:                                                                 "what the run returned\n  returned.turns\n    -3\n    +2\n",
	} {
		at := strings.LastIndex(full, change[0])
		require.Positive(t, at, change[0])
		rep := play(t, full[:at]+change[1]+full[at+len(change[0]):])
		require.Contains(t, rep.Diff, want)
		require.Len(t, rep.Mismatches, 1)
		for line := range strings.Lines(rep.Diff) {
			require.Less(t, len(line), 400)
		}
	}
	broken := strings.Replace(full, `"arguments":{"path":"a.txt"}`, `"arguments":{"path":"z.txt"}`, 1)
	rep = play(t, broken)
	require.Contains(t, rep.Diff, "line 2, assistant_message\n  tool_calls[0].function.arguments.path\n    -a.txt\n    +z.txt\n")
	require.Contains(t, rep.Diff, "line 3, tool_result read_file\n  content\n")
	for only, mismatches := range map[string][]string{
		OnlyResults: {"want-conversation"}, OnlyConversation: {"want-conversation"}, OnlyEvents: {"want-events"}, OnlyFiles: nil, OnlyPlan: nil,
	} {
		rep, err := Run(t.Context(), []byte(broken), Options{Only: only})
		require.NoError(t, err)
		require.Equal(t, mismatches, rep.Mismatches, only)
		if only == OnlyResults {
			require.NotContains(t, rep.Diff, "assistant_message")
		}
	}
	w, g := shorten(strings.Repeat("a", 500)+"X"+strings.Repeat("b", 500), strings.Repeat("a", 500)+"YZ"+strings.Repeat("b", 500))
	require.Equal(t, "…"+strings.Repeat("a", 40)+"X"+strings.Repeat("b", 40)+"…", w)
	require.Equal(t, "…"+strings.Repeat("a", 40)+"YZ"+strings.Repeat("b", 40)+"…", g)
	var many list
	many.jsonLines(strings.Repeat("{\"a\":1}\n", 100), strings.Repeat("{\"a\":2}\n", 100))
	require.Contains(t, many.String(), "… and 60 more")
	require.Equal(t, `\u001b[31m`, visible("\x1b[31m"))
}

// A transcript whose model waits for ever ends all the same.
func TestPlayingEnds(t *testing.T) {
	_, err := Run(t.Context(), []byte("-- model --\n{\"hang\":true}\n"), Options{Timeout: 300 * time.Millisecond})
	require.ErrorContains(t, err, "it had not ended after 300ms")
}

func TestNames(t *testing.T) {
	n := newNames()
	id := counter()
	a, b, c := id(), id(), id()
	require.Equal(t, "a-1 u-1 a-2 id-1 a-1", n.replace("a-"+b+" u-"+a+" a-"+c+" "+c+" a-"+b))
	require.Equal(t, "no ids", n.replace("no ids"))
}
