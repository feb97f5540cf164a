package transcript

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		"-- modle --\nx":                                 "section modle: unknown section",
		"-- config --\n{\"limit\":1}":                    `unknown field "limit"`,
		"-- client --\n{\"sned\":\"x\"}":                 `unknown field "sned"`,
		"-- files/../x --\nx":                            "no path inside the folder",
		"-- base64/x --\n!!!":                            "illegal base64",
		"-- lines/a.txt --\nmany\nx":                     "no number of lines",
		"-- copy --\none":                                `is not "NAME SOURCE"`,
		"-- copy --\na.txt nowhere.txt":                  "nowhere.txt",
		"-- copy --\na.txt ../../../../../../etc/passwd": "etc/passwd",
		small + "{}":                                     "line 3 of the client",
		small + `{"send":"hi"}` + "\n" + `{"run":true,"cancel_after":"WorkshopToolExecuting"}`: "the run ended before WorkshopToolExecuting",
		"-- client --\n{\"send\":\"x\"}": "no model",
	} {
		_, err := Run(t.Context(), []byte(text), Options{Documents: t.TempDir()})
		require.ErrorContains(t, err, want)
	}
}

func TestNames(t *testing.T) {
	n := newNames()
	id := counter()
	a, b, c := id(), id(), id()
	require.Equal(t, "a-1 u-1 a-2 id-1 a-1", n.replace("a-"+b+" u-"+a+" a-"+c+" "+c+" a-"+b))
	require.Equal(t, "no ids", n.replace("no ids"))
}
