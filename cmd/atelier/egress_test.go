package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// proxies are the proxies of scripts, with the requests to each.
var proxies sync.Map // []string by address

// world is the script command `world`: sets HTTP_PROXY to a proxy that
// answers for every host itself, as a model that says "Done." or lists
// itself.
func world(ts *testscript.TestScript, _ bool, _ []string) {
	srv := newWorld(func(address, what string) {
		had, _ := proxies.Load(address)
		list, _ := had.([]string)
		proxies.Store(address, append(list, what))
	})
	ts.Defer(srv.Close)
	ts.Setenv("HTTP_PROXY", srv.URL)
}

func newWorld(seen func(address, what string)) *httptest.Server {
	var mu sync.Mutex
	var srv *httptest.Server
	srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen(srv.URL, r.URL.Host)
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, `{"data":[{"id":"far"}]}`)
			return
		}
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"}}]}\n\ndata: [DONE]\n\n")
	}))
	srv.Start()
	return srv
}

// proxyAsked is `asked N`: the proxy of HTTP_PROXY got N requests.
func proxyAsked(ts *testscript.TestScript, _ bool, args []string) {
	had, _ := proxies.Load(ts.Getenv("HTTP_PROXY"))
	list, _ := had.([]string)
	if want, err := strconv.Atoi(args[0]); err != nil || len(list) != want {
		ts.Fatalf("the proxy was asked %d times: %v", len(list), list)
	}
}

// The person at the terminal sees who gets what. Only yes is a consent, and
// it is remembered.
func TestConsentAtTheTerminal(t *testing.T) {
	n := 0
	srv := newWorld(func(string, string) { n++ })
	defer srv.Close()
	proxy, err := url.Parse(srv.URL)
	require.NoError(t, err)
	home, dir := t.TempDir(), t.TempDir()
	if runtime.GOOS == "windows" {
		t.Skip("names have no line breaks on Windows")
	}
	for _, name := range []string{"b.txt", "a\nname.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644))
	}
	begin := func() (*engine.Engine, string) {
		e, err := engine.New(engine.Options{Home: home, BaseURL: "http://models.example.com/v1", APIKey: "key", Model: "far",
			HTTPClient: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}})
		require.NoError(t, err)
		wb, err := e.OpenFolder(t.Context(), dir)
		require.NoError(t, err)
		return e, wb.ID()
	}
	for _, typed := range []string{"", "\n", "n\n", "yess\n", "no", "Y\n"} {
		e, id := begin()
		var out bytes.Buffer
		err := consenter{bufio.NewReader(strings.NewReader(typed)), &out, true}.run(t.Context(), e, id, "")
		require.Contains(t, out.String(), "far at models.example.com (openai) is not on this machine. It would be sent the conversation, and what it reads of:\n  a⟦U+000A⟧name.txt\n  b.txt\n")
		if typed == "Y\n" {
			require.NoError(t, err)
		} else {
			var info *engine.ErrorInfo
			require.ErrorAs(t, err, &info, "%q", typed)
			require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
		}
		require.NoError(t, e.Close())
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.txt"), []byte("x"), 0o644))
	e, id := begin()
	defer e.Close()
	var out bytes.Buffer
	err = consenter{bufio.NewReader(strings.NewReader("y\n")), &out, true}.run(t.Context(), e, id, "")
	require.NoError(t, err)
	require.Contains(t, out.String(), "of:\n  c.txt\n(2 files it may be sent already.)\n")
	out.Reset()
	require.NoError(t, consenter{nil, &out, true}.run(t.Context(), e, id, ""), "remembered")
	require.Empty(t, out.String())
	err = consenter{nil, &out, false}.run(t.Context(), e, id, "other")
	require.Error(t, err, "another model, and nobody is there")
	require.Zero(t, n, "asking sends nothing")

	// Ctrl-C ends the wait for an answer.
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	done := make(chan error)
	go func() {
		done <- consenter{bufio.NewReader(r), io.Discard, true}.run(ctx, e, id, "other")
	}()
	cancel()
	require.True(t, errors.Is(<-done, context.Canceled))
}

// local_only is a policy: neither flag nor environment overrides it.
func TestEgressSetting(t *testing.T) {
	for _, c := range []struct {
		allow           bool
		env, file, want string
	}{
		{false, "", "", ""}, {false, "", "ask", "ask"}, {false, "allow_all", "ask", "allow_all"}, {true, "", "", "allow_all"}, {true, "ask", "ask", "allow_all"},
		{true, "allow_all", "local_only", "local_only"}, {true, "local_only", "allow_all", "local_only"}, {false, "ask", "allow_all", "ask"},
	} {
		got, err := egressSetting(c.allow, c.env, c.file)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%+v", c)
	}
	_, err := egressSetting(false, "", "localonly")
	require.ErrorContains(t, err, `egress of config.json must be ask, allow_all or local_only, not "localonly"`)
	_, err = egressSetting(false, "yes", "")
	require.ErrorContains(t, err, "ATELIER_EGRESS must be")
}

// A killed program leaves the log entry of the request in progress.
func TestEgressOfAKilledProgram(t *testing.T) {
	arrived := make(chan int64, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		arrived <- n
		<-r.Context().Done()
	}))
	defer srv.Close()
	home, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("x"), 0o644))
	cmd := exec.Command(program(t), "run", "Read it", "--in", dir, "--home", home, "--model", "far", "--allow-egress")
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL=http://models.example.com/v1", "HTTP_PROXY="+srv.URL)
	require.NoError(t, cmd.Start())
	sent := <-arrived
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	srv.CloseClientConnections()
	out, err := exec.Command(program(t), "egress", "--in", dir, "--home", home, "--json").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), fmt.Sprintf(`"bytes_out":%d,"bytes_in":0,"status":0`, sent))
	require.Contains(t, string(out), `"ended":false`)
	out, err = exec.Command(program(t), "egress", "--in", dir, "--home", home).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Regexp(t, `run +openai +models.example.com +far +≤ [0-9.]+ (B|KiB) +\? +not known`, string(out))
	noSecret(t, home)
}
