package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// httpServer is a running `atelier http` with one user.
type httpServer struct {
	home, url, token string
	env              []string
	out              *bufio.Reader // what it prints after its address
}

const httpUser = "ann@example.org"

// startHTTP runs `atelier http` on a data folder until the test ends.
func startHTTP(t *testing.T, home string, env ...string) *httpServer {
	t.Helper()
	return startHTTPWith(t, home, nil, env...)
}

// startHTTPWith is startHTTP with more flags.
func startHTTPWith(t *testing.T, home string, flags []string, env ...string) *httpServer {
	t.Helper()
	s := &httpServer{home: home, env: append(os.Environ(), "OPENAI_API_KEY=", "ATELIER_MODEL=pseudo", "ATELIER_JWT_SECRET=0123456789abcdef0123456789abcdef")}
	s.env = append(s.env, env...)
	withPDFReader(t, home)
	cmd := exec.Command(program(t), append([]string{"http", "--addr", "127.0.0.1:0", "--home", home}, flags...)...)
	cmd.Env = s.env
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	require.NoError(t, err)
	s.url = strings.TrimPrefix(strings.TrimSpace(line), "listening on ") + "/api/v1"
	s.admin(t, "user", "add", "--email", httpUser)
	s.token = s.admin(t, "token", "--user", httpUser)["access_token"].(string)
	return s
}

// admin runs a command of `atelier http` that prints JSON.
func (s *httpServer) admin(t testing.TB, args ...string) obj {
	t.Helper()
	cmd := exec.Command(program(t), append(append([]string{"http"}, args...), "--home", s.home)...)
	cmd.Env = s.env
	out, err := cmd.Output()
	require.NoError(t, err, "%v: %s", args, out)
	var r obj
	require.NoError(t, json.Unmarshal(out, &r))
	return r
}

// workspace creates a workspace of the user on a folder and returns its id.
func (s *httpServer) workspace(t *testing.T, dir string) string {
	t.Helper()
	return s.admin(t, "workspace", "add", "--name", "One", "--owner", httpUser, "--root", dir)["id"].(string)
}

// send sends a request of the user and returns the status and body of the answer.
func (s *httpServer) send(t *testing.T, method, path string, body any) (int, string) {
	t.Helper()
	b, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewReader(b))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(got)
}
