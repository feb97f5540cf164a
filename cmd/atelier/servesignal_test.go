package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// signalled is a server whose run waits for the model.
type signalled struct {
	cmd     *exec.Cmd
	in      io.Writer
	out     *bufio.Reader
	dir     string
	home    string
	release chan struct{} // lets the model answer
	ended   chan error
}

func newSignalled(t *testing.T, flags ...string) *signalled {
	s := &signalled{dir: docsFolder(t), home: t.TempDir(), release: make(chan struct{}), ended: make(chan error, 1)}
	waiting := make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"The beginning\"}}]}\n\n")
		w.(http.Flusher).Flush()
		waiting <- struct{}{}
		select {
		case <-s.release:
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\" and the end.\"}}]}\n\ndata: [DONE]\n\n")
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(srv.Close)
	s.cmd = exec.Command(program(t), append([]string{"serve", "--home", s.home, "--model", "m"}, flags...)...)
	s.cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL)
	var err error
	s.in, err = s.cmd.StdinPipe() // stays open: only a signal ends the program
	require.NoError(t, err)
	out, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { out.Close() })
	s.cmd.Stdout, s.out = w, bufio.NewReader(out)
	require.NoError(t, s.cmd.Start())
	w.Close()
	t.Cleanup(func() { s.cmd.Process.Kill() })
	go func() { s.ended <- s.cmd.Wait() }()
	s.send(1, "WorkbenchCreate", obj{"name": "w", "root": s.dir})
	id := s.answer(t, 1)["result"].(obj)["workbench_id"]
	s.send(2, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Hello"})
	s.send(3, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": s.answer(t, 2)["result"].(obj)["message_id"]})
	select {
	case <-waiting:
	case <-time.After(time.Minute):
		t.Fatal("the run did not begin")
	}
	for { // until the program has the model's text
		line, err := s.out.ReadString('\n')
		require.NoError(t, err)
		if strings.Contains(line, "The beginning") {
			return s
		}
	}
}

func (s *signalled) send(id int, method string, params obj) {
	line, _ := json.Marshal(obj{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	s.in.Write(append(line, '\n'))
}

func (s *signalled) answer(t *testing.T, id int) obj {
	for {
		line, err := s.out.ReadBytes('\n')
		require.NoError(t, err)
		var m obj
		require.NoError(t, json.Unmarshal(line, &m))
		if m["id"] == float64(id) {
			return m
		}
	}
}

// end waits for the program and checks that the folder is free and the
// conversation complete.
func (s *signalled) end(t *testing.T, has string) {
	select {
	case err := <-s.ended:
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		t.Fatal("it did not end")
	}
	out, err := exec.Command(program(t), "run", "Go on", "--in", s.dir, "--home", s.home, "--model", "pseudo").CombinedOutput()
	require.NoError(t, err, "%s", out)
	got, err := os.ReadFile(conversationIn(t, s.home))
	require.NoError(t, err)
	require.Contains(t, string(got), has)
}

// Serve ends at a signal like http, although its input stays open.
func TestServeEndsAtASignal(t *testing.T) {
	need.Signals(t)
	t.Run("a run is let end", func(t *testing.T) {
		s := newSignalled(t)
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		time.Sleep(100 * time.Millisecond)
		close(s.release)
		require.Nil(t, s.answer(t, 3)["error"])
		s.end(t, "The beginning and the end.")
	})
	t.Run("for no longer than it may", func(t *testing.T) {
		s := newSignalled(t, "--drain", "200ms")
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
		require.Equal(t, "USER_CANCELED", s.answer(t, 3)["error"].(obj)["data"].(obj)["error_code"])
		s.end(t, "The beginning")
	})
	t.Run("a second signal", func(t *testing.T) {
		s := newSignalled(t, "--drain", "10m")
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		time.Sleep(300 * time.Millisecond) // two at once would be one
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		require.Equal(t, "USER_CANCELED", s.answer(t, 3)["error"].(obj)["data"].(obj)["error_code"])
		s.end(t, "The beginning")
	})
	t.Run("answers that nobody reads", func(t *testing.T) {
		s := newSignalled(t, "--drain", "0s")
		for i := range 20 { // more than the pipe holds
			s.send(10+i, "ToolsList", obj{})
		}
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		s.end(t, "The beginning")
	})
}

func conversationIn(t *testing.T, home string) string {
	found, err := filepath.Glob(filepath.Join(home, "*", "*", "conversation.jsonl"))
	require.NoError(t, err)
	if len(found) == 0 {
		found, err = filepath.Glob(filepath.Join(home, "*", "conversation.jsonl"))
		require.NoError(t, err)
	}
	require.Len(t, found, 1)
	return found[0]
}
