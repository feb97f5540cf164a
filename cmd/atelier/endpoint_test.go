package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/quote"
)

// conversation is a model that reads, edits and writes, for two runs.
const conversation = `
-- model-1 --
{"text":"I will "}
{"text":"read it.\n"}
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"datos.csv"}}}
-- model-2 --
{"call":{"id":"tc-2","name":"write_text_file","arguments":{"path":"data.csv","content":"Product,Price\nOil,9\n"}}}
{"call":{"id":"tc-3","name":"xlsx_operations","arguments":{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Summary"}]}]}}}
-- model-3 --
{"text":"Done."}
`

const secret = "sk-test-0123456789abcdef0123456789"

// TestRunAgainstAnEndpoint: with a key, the run streams, is recorded, and the
// recording replays with the same results (L-05, L-11, D-21, W-04).
func TestRunAgainstAnEndpoint(t *testing.T) {
	srv := serveFixture(t, conversation)
	dir, home := docsFolder(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "datos.csv"), []byte("Producto,Precio\nAceite,9\n"), 0o644))
	recorded := filepath.Join(t.TempDir(), "run.txtar")
	cmd := exec.Command(program(t), "run", "Translate datos.csv", "--in", dir, "--home", home, "--model", "some-model", "--record", recorded, "--log", "debug")
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	text := string(out)
	for _, want := range []string{"I will read it.\n· read_file datos.csv", "· write_text_file data.csv", "Done.", "added     data.csv", "modified  sales.xlsx", "atelier publish --in " + quote.Argument(dir)} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, secret)
	require.Contains(t, string(srv.Requests()[1].Body), "Producto,Precio", "the model gets what it read")

	b, err := os.ReadFile(recorded)
	require.NoError(t, err)
	require.NotContains(t, string(b), secret)
	out, err = exec.Command(program(t), "replay", recorded).CombinedOutput()
	require.NoError(t, err, string(out))
	changed := strings.Replace(string(b), "Oil,9", "Oil,8", 1)
	require.NotEqual(t, string(b), changed)
	require.NoError(t, os.WriteFile(recorded, []byte(changed), 0o600))
	out, err = exec.Command(program(t), "replay", recorded).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "FAIL")
	require.Contains(t, string(out), "Oil,8")
	noSecret(t, home)
}

// noSecret searches all files left on disk (L-11).
func noSecret(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, rerr := os.ReadFile(path)
			require.NoError(t, rerr)
			require.NotContains(t, string(b), secret, path)
		}
		return err
	})
	require.NoError(t, err)
}

// A refused key is reported without showing it; the draft and folder are
// unchanged.
func TestRefusedKey(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte(`{"error":{"message":"Incorrect API key provided: ` + secret + `"}}`))
	}))
	defer srv.Close()
	home := t.TempDir()
	cmd := exec.Command(program(t), "run", "x", "--in", docsFolder(t), "--home", home, "--model", "some-model")
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL+"/v1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "check the API key")
	require.NotContains(t, string(out), secret)
	noSecret(t, home)
}
