package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/internal/metrics"
	"atelier/internal/trace"
	"atelier/internal/trace/otlp/otlptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started is an exporter to an address, with its log and its figures.
func started(t *testing.T, url string, change func(*Settings)) (e *Exporter, log *locked, figures func() string) {
	t.Helper()
	set, _, err := FromEnv(env("OTEL_EXPORTER_OTLP_ENDPOINT", url, "OTEL_BSP_SCHEDULE_DELAY", "20", "OTEL_SERVICE_NAME", "tested"))
	require.NoError(t, err)
	if change != nil {
		change(set)
	}
	log, m := &locked{}, metrics.NewSet()
	e = Start(set, Options{Log: slog.New(slog.NewTextHandler(log, nil)), Metrics: m})
	t.Cleanup(func() { e.Close(0) })
	return e, log, func() string {
		var b bytes.Buffer
		require.NoError(t, m.Write(&b))
		return b.String()
	}
}

type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func spans(e *Exporter, n int) {
	for i := range n {
		_, s := trace.Start(e.Tracer().Into(context.Background()), "work", trace.Int("i", i))
		s.End()
	}
}

// The messages are read by the types that OpenTelemetry publishes.
func TestSpansArrive(t *testing.T) {
	for _, zip := range []bool{false, true} {
		c := otlptest.New(t)
		e, log, figures := started(t, c.URL, func(s *Settings) {
			s.Gzip = zip
			s.Headers.Set("Api-Key", "k")
			s.Resource["deployment.environment.name"] = "test"
		})
		e.Instance("server-1")
		ctx := trace.Continue(e.Tracer().Into(t.Context()), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		begun := time.Now()
		ctx, outer := trace.StartKind(ctx, trace.Server, "outer", trace.String("s", "a text with ümlauts"), trace.Int("n", -5), trace.Bool("yes", true), trace.Bool("no", false))
		_, inner := trace.StartKind(ctx, trace.Client, "inner")
		inner.Fail("CODE")
		inner.End()
		outer.End()
		got := c.Wait(t, 2)
		in, out := got["inner"], got["outer"]
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", out.Trace)
		require.Equal(t, "b7ad6b7169203331", out.Parent)
		require.Equal(t, out.ID, in.Parent)
		require.Equal(t, "SPAN_KIND_SERVER", out.Kind)
		require.Equal(t, "SPAN_KIND_CLIENT", in.Kind)
		require.Equal(t, map[string]any{"s": "a text with ümlauts", "n": int64(-5), "yes": true, "no": false}, out.Attrs)
		require.True(t, in.Failed)
		require.False(t, out.Failed)
		require.Equal(t, uint32(flagRecorded|flagRemoteKnown|flagRemote), out.Flags)
		require.Equal(t, uint32(flagRecorded|flagRemoteKnown), in.Flags)
		require.WithinDuration(t, begun, out.Begun, time.Second)
		require.False(t, out.Ended.Before(out.Begun))
		require.Equal(t, "tested", out.Resource["service.name"])
		require.Equal(t, "server-1", out.Resource["service.instance.id"])
		require.Equal(t, "test", out.Resource["deployment.environment.name"])
		require.Equal(t, "k", c.Header().Get("Api-Key"))
		e.Close(time.Second)
		require.Contains(t, figures(), "atelier_trace_spans_sent_total 2")
		require.Empty(t, log.String())
	}
}

// Many spans come in batches, each once.
func TestBatches(t *testing.T) {
	c := otlptest.New(t)
	e, _, figures := started(t, c.URL, func(s *Settings) { s.Batch, s.Delay = 100, time.Hour })
	spans(e, 1000)
	e.Close(5 * time.Second)
	require.Len(t, c.All(), 1000)
	ids := map[string]bool{}
	for _, s := range c.All() {
		ids[s.ID] = true
	}
	require.Len(t, ids, 1000)
	require.Contains(t, figures(), "atelier_trace_spans_sent_total 1000")
	spans(e, 3) // after the end
	require.EqualValues(t, 3, e.Dropped())
}

// A collector that hangs costs dropped spans and nothing else: no span waits, the queue has
// a bound, and the log tells once.
func TestCollectorHangs(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-release
	}))
	defer s.Close()
	defer close(release)
	e, log, figures := started(t, s.URL, func(set *Settings) { set.Queue, set.Batch, set.Timeout = 100, 50, 50*time.Millisecond })
	begun := time.Now()
	spans(e, 100_000)
	require.Less(t, time.Since(begun), 5*time.Second)
	require.Greater(t, e.Dropped(), int64(99_000))
	e.mu.Lock()
	require.LessOrEqual(t, len(e.queue), 100)
	e.mu.Unlock()
	begun = time.Now()
	e.Close(200 * time.Millisecond)
	require.Less(t, time.Since(begun), 5*time.Second)
	require.EqualValues(t, 100_000, e.Dropped())
	require.Contains(t, figures(), `reason="queue_full"`)
	require.Contains(t, figures(), `reason="unreachable"`)
	require.LessOrEqual(t, strings.Count(log.String(), "were dropped"), 2, "once, and at the end")
	require.Contains(t, log.String(), "dropped=100000")
}

// What a collector refuses is counted; what it asks to have again is sent again.
func TestCollectorRefuses(t *testing.T) {
	var asked atomic.Int64
	for _, c := range []struct {
		name    string
		answer  http.HandlerFunc
		dropped int64
		reason  string
	}{
		{"refuses", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) }, 5, "refused"},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, 5, "refused"},
		{"is busy once", func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}, 0, ""},
		{"takes a part", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(otlptest.Rejects(t, 2, "too old"))
		}, 2, "rejected"},
		{"answers nonsense", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "\x0a\xff\xff nonsense") }, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var elsewhere atomic.Bool
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if r.URL.Path == "/elsewhere" {
					elsewhere.Store(true)
				}
				c.answer(w, r)
			}))
			defer s.Close()
			e, _, figures := started(t, s.URL, nil)
			spans(e, 5)
			require.Eventually(t, func() bool {
				return strings.Contains(figures(), fmt.Sprintf("atelier_trace_spans_sent_total %d\n", 5-c.dropped)) && e.Dropped() == c.dropped
			}, 10*time.Second, 10*time.Millisecond)
			require.False(t, elsewhere.Load())
			if c.reason != "" {
				require.Contains(t, figures(), fmt.Sprintf(`atelier_trace_spans_dropped_total{reason=%q} %d`, c.reason, c.dropped))
			}
		})
	}
	require.EqualValues(t, 2, asked.Load())
}

// A collector that is not there, with https where it has none.
func TestNoCollector(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	e, log, _ := started(t, strings.Replace(url, "http:", "https:", 1), nil)
	spans(e, 3)
	time.Sleep(50 * time.Millisecond)
	e.Close(time.Second)
	require.EqualValues(t, 3, e.Dropped())
	require.Contains(t, log.String(), "dropped=3")
}

func TestRejectedReadsAnything(t *testing.T) {
	whole := otlptest.Rejects(t, 300, "why")
	require.EqualValues(t, 300, rejected(whole))
	for i := range whole {
		require.GreaterOrEqual(t, rejected(whole[:i]), int64(0))
	}
	require.Zero(t, rejected(nil))
	require.Zero(t, rejected([]byte("{}")))
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	require.NoError(t, w.Close())
	require.Zero(t, rejected(b.Bytes()))
}
