package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/replay"
)

// fourItems is a model that creates a file in each of four items.
func fourItems(n int) string {
	var sb strings.Builder
	answer := func(lines ...string) {
		n++
		fmt.Fprintf(&sb, "-- model-%d --\n%s\n", n, strings.Join(lines, "\n"))
	}
	if n == 0 {
		answer(`{"text":"Four files are to be made."}`)
		answer(`{"text":"- [ ] 1. f1.txt — Write it\n- [ ] 2. f2.txt — Write it\n- [ ] 3. f3.txt — Write it\n- [ ] 4. f4.txt — Write it"}`)
		for i := 1; i <= 3; i++ {
			answer(fmt.Sprintf(`{"call":{"id":"tc-%d","name":"write_text_file","arguments":{"path":"f%d.txt","content":"%d\n"}}}`, i, i, i))
			answer(fmt.Sprintf(`{"text":"Wrote f%d.txt."}`, i))
		}
		return sb.String()
	}
	n = 0
	for i := 3; i <= 4; i++ {
		answer(fmt.Sprintf(`{"call":{"id":"td-%d","name":"write_text_file","arguments":{"path":"f%d.txt","content":"%d\n"}}}`, i, i, i))
		answer(fmt.Sprintf(`{"text":"Wrote f%d.txt."}`, i))
	}
	answer(`{"text":"All four files are written."}`)
	return sb.String()
}

// hold passes the first n requests to the model and blocks the others.
type hold struct {
	http.Handler
	mu      sync.Mutex
	left    int
	waiting chan struct{} // closed when the first one is blocked
	done    chan struct{} // closed at the end of the test
}

func (h *hold) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") { // requests for information about the endpoint
		h.Handler.ServeHTTP(w, r)
		return
	}
	h.mu.Lock()
	h.left--
	wait := h.left < 0
	if h.left == -1 {
		close(h.waiting)
	}
	h.mu.Unlock()
	if wait {
		<-h.done
		return
	}
	h.Handler.ServeHTTP(w, r)
}

func serveHeld(t *testing.T, fixture string, requests int) (url string, sent func() []replay.Request, waiting <-chan struct{}) {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	model, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { model.Close() })
	h := &hold{Handler: model, left: requests, waiting: make(chan struct{}), done: make(chan struct{})}
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		close(h.done)
		srv.Close()
	})
	return srv.URL + "/v1", model.Requests, h.waiting
}

// TestV01KilledAfterItem2: the process of a run in phases is killed in item 3
// of 4, at each of its steps. `atelier run --resume` does items 3 and 4 and
// the summary, without repeating research, the plan, or items 1 and 2.
func TestV01KilledAfterItem2(t *testing.T) {
	for _, requests := range []int{6, 7} { // before item 3 did anything; after it wrote its file
		t.Run(fmt.Sprint(requests), func(t *testing.T) {
			home, dir := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o644))
			atelier := func(url string, args ...string) *exec.Cmd {
				cmd := exec.Command(program(t), append(args, "--in", dir, "--home", home)...)
				cmd.Env = append(os.Environ(), "OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL="+url, "ATELIER_MODEL=some-model")
				return cmd
			}
			url, _, waiting := serveHeld(t, fourItems(0), requests)
			first := atelier(url, "run", "Write four files", "--workflow", "rpi")
			require.NoError(t, first.Start())
			<-waiting
			require.NoError(t, first.Process.Kill())
			require.Error(t, first.Wait())

			url, sent, _ := serveHeld(t, fourItems(1), 100)
			text, err := atelier(url, "run", "--resume").CombinedOutput()
			require.NoError(t, err, string(text))
			require.Contains(t, string(text), "· phase: implement\n· item 3 of 4: f3.txt\n")
			require.NotContains(t, string(text), "phase: plan")
			require.NotContains(t, string(text), "item 2 of 4")
			require.Contains(t, string(text), "All four files are written.")
			require.Len(t, sent(), 5)
			require.Contains(t, string(sent()[0].Body), "It was begun before and broken off")

			text, err = atelier(url, "publish").CombinedOutput()
			require.NoError(t, err, string(text))
			for i := 1; i <= 4; i++ {
				b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)))
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("%d\n", i), string(b))
			}
		})
	}
}
