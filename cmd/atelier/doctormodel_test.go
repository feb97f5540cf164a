package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// localModel is a local server that lists its window and writes calls into
// the text.
func localModel(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case strings.HasSuffix(r.URL.Path, "/models"):
		io.WriteString(w, `{"data":[{"id":"house:8b","max_model_len":16384}]}`)
	case strings.Contains(string(body), "heron-4711"):
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"It is heron-4711.\"}}]}\n\ndata: [DONE]\n\n")
	case strings.Contains(string(body), `"tools"`):
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"<tool_call>{\\\"name\\\":\\\"look_up_stock\\\",\\\"arguments\\\":{\\\"article\\\":\\\"A-17\\\"}}</tool_call>\"}}]}\n\ndata: [DONE]\n\n")
	default:
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"1 2 3\"}}]}\n\ndata: [DONE]\n\n")
	}
}

// A person with a local server: the doctor finds its deviations, and with the
// proposed entry in config.json everything works.
func TestDoctorProposesWhatHelps(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(localModel))
	defer srv.Close()
	home := t.TempDir()
	config := func(more string) {
		text := `{"providers":{"house":{"base_url":"` + srv.URL + `/v1"}}` + more + `}`
		require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(text), 0o600))
	}
	doctor := func() string {
		out, err := exec.Command(program(t), "doctor", "--home", home, "--model", "house:house:8b").CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	config("")
	out := doctor()
	require.Regexp(t, `note +tool calls +calls come inside the text`, out)
	require.Regexp(t, `note +usage +no token counts`, out)
	require.Regexp(t, `skip +overflow`, out)
	from, to := strings.Index(out, "\n{"), strings.LastIndex(out, "\n}")
	require.Greater(t, to, from, out)
	var proposed struct{ Models json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(out[from:to+2]), &proposed), out)
	config(`,"models":` + string(proposed.Models))
	out = doctor()
	require.Regexp(t, `ok +tool calls +look_up_stock`, out)
	require.NotContains(t, out, "put it into config.json")

	srv.Close()
	b, err := exec.Command(program(t), "doctor", "--home", home, "--model", "house:house:8b").CombinedOutput()
	require.Error(t, err)
	require.Regexp(t, `FAIL +reachable`, string(b))
}
