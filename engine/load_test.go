package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/campaign"
)

// counting is a model of zero latency over HTTP that makes calls, each seen in
// the conversation it is sent, before it answers.
type counting struct {
	calls int
	last  func() // before the last answer
}

func (c counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Messages []struct {
			Role string `json:"role"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	done := 0
	for i := len(req.Messages) - 1; i >= 0 && req.Messages[i].Role != "user"; i-- {
		if req.Messages[i].Role == "tool" {
			done++
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if done < c.calls {
		name, args := "read_file", `{\"path\":\"a.txt\"}`
		if done%2 == 1 {
			name, args = "write_text_file", `{\"path\":\"b.txt\",\"content\":\"`+strconv.Itoa(done)+`\"}`
		}
		fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"%s","arguments":"%s"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n", name, args)
		return
	}
	if c.last != nil {
		c.last()
	}
	fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

func loadedEngine(t testing.TB, c counting) *engine.Engine {
	t.Helper()
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	return newEngine(t, func(o *engine.Options) { o.Model, o.BaseURL = "m", srv.URL+"/v1" })
}

func runOnce(t testing.TB, e *engine.Engine, id string) error {
	msg, err := e.Call(context.Background(), "WorkshopSendUserMessage", json.RawMessage(`{"workbench_id":"`+id+`","text":"Go on"}`))
	if err != nil {
		return err
	}
	_, err = e.Call(context.Background(), "WorkshopRunAgent", json.RawMessage(`{"workbench_id":"`+id+`","message_id":"`+msg.(engine.MessageRef).MessageID+`"}`))
	return err
}

// heap is the live heap in bytes, and rss what the system counts for the
// process, 0 where it does not say.
func heap() (live, rss int64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b, err := os.ReadFile("/proc/self/status")
	if err == nil {
		for line := range bytes.Lines(b) {
			if f := strings.Fields(string(line)); len(f) == 3 && f[0] == "VmRSS:" {
				n, _ := strconv.ParseInt(f[1], 10, 64)
				rss = n << 10
			}
		}
	}
	return int64(m.HeapAlloc), rss
}

// BenchmarkRunsAtOnce is 100 runs of 4 calls in one engine, each in a workbench
// of its own, and what they hold while all wait for their last answer.
func BenchmarkRunsAtOnce(b *testing.B) {
	const runs = 100
	var live, rss int64
	for b.Loop() {
		b.StopTimer()
		var all sync.WaitGroup
		all.Add(runs)
		release := make(chan struct{})
		e := loadedEngine(b, counting{calls: 4, last: func() { all.Done(); <-release }})
		var ids []string
		for range runs {
			id, _ := folder(b, e, map[string]string{"a.txt": strings.Repeat("a line of text\n", 200)})
			ids = append(ids, id)
		}
		live0, rss0 := heap()
		b.StartTimer()
		errs := make(chan error, runs)
		for _, id := range ids {
			go func() { errs <- runOnce(b, e, id) }()
		}
		all.Wait()
		b.StopTimer()
		live1, rss1 := heap()
		live, rss = live1-live0, rss1-rss0
		b.StartTimer()
		close(release)
		for range runs {
			if err := <-errs; err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(live)/runs/1024, "KiB-heap/run")
	b.ReportMetric(float64(rss)/runs/1024, "KiB-rss/run")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/runs, "ms/run")
}

// TestHundredRunsAtOnce: 100 runs in one engine all end well, each with its own
// draft.
func TestHundredRunsAtOnce(t *testing.T) {
	runs := campaign.Of(100, 100)
	e := loadedEngine(t, counting{calls: 4})
	var ids []string
	for range runs {
		id, _ := folder(t, e, map[string]string{"a.txt": "one\n"})
		ids = append(ids, id)
	}
	errs := make(chan error, runs)
	for _, id := range ids {
		go func() { errs <- runOnce(t, e, id) }()
	}
	for range runs {
		require.NoError(t, <-errs)
	}
	for _, id := range ids {
		require.Equal(t, []string{"added b.txt"}, paths(must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})))
	}
}

// TestRunsLeaveNoMemory: the heap is as large after many runs as after few.
func TestRunsLeaveNoMemory(t *testing.T) {
	campaign.Slow(t)
	if campaign.Race {
		t.Skip("measures memory, which the race detector multiplies")
	}
	few, many := 20, 60
	if campaign.Full() {
		few, many = 100, 1000
	}
	e := loadedEngine(t, counting{calls: 1})
	var after int64
	id := ""
	for n := range many {
		if n%20 == 0 { // a conversation of its own, so that its length does not count
			id, _ = folder(t, e, map[string]string{"a.txt": "one\n"})
		}
		require.NoError(t, runOnce(t, e, id))
		_, info := call(t, e, "DraftDiscard", obj{"workbench_id": id})
		require.Nil(t, info)
		if n == few {
			after, _ = heap()
		}
	}
	now, rss := heap()
	t.Logf("heap %d KiB after %d runs, %d KiB after %d; rss %d MiB", after>>10, few, now>>10, many, rss>>20)
	perRun := (now - after) / int64(many-few)
	require.Less(t, perRun, int64(40<<10), "bytes a run leaves behind; an open workbench in twenty counts too")
}

// BenchmarkGetConversation is a conversation of so many records, as JSON.
func BenchmarkGetConversation(b *testing.B) {
	benchmarkConversation(b, "WorkshopGetConversation", 100, 10000)
}

// BenchmarkGetState is the state of a workbench with a conversation of so many records.
func BenchmarkGetState(b *testing.B) { benchmarkConversation(b, "WorkshopGetState", 10, 1000, 10000) }

// benchmarkConversation calls a method on conversations of so many records.
func benchmarkConversation(b *testing.B, method string, sizes ...int) {
	for _, records := range sizes {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			e := newEngine(b)
			id, dir := folder(b, e, nil)
			wb, err := e.OpenFolder(b.Context(), dir)
			require.NoError(b, err)
			text := strings.Repeat("words of some length ", 15)
			var sb strings.Builder
			for i := range records / 2 {
				fmt.Fprintf(&sb, `{"type":"user_message","message_id":"u-%d","role":"user","text":%q,"created_at":"2026-01-02T03:04:05Z"}
{"type":"assistant_message","message_id":"a-%d","role":"assistant","text":%q,"created_at":"2026-01-02T03:04:05Z"}
`, i, text, i, text)
			}
			require.NoError(b, os.WriteFile(filepath.Join(wb.Dir(), "conversation.jsonl"), []byte(sb.String()), 0o600))
			b.ReportAllocs()
			for b.Loop() {
				v, err := e.Call(b.Context(), method, json.RawMessage(`{"workbench_id":"`+id+`"}`))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
