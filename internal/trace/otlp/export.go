package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"atelier/internal/buildinfo"
	"atelier/internal/metrics"
	"atelier/internal/trace"
)

// Options configure an Exporter.
type Options struct {
	Log     *slog.Logger // is told of spans that were dropped
	Metrics *metrics.Set // counts spans; nil: nobody reads it
}

// Exporter sends spans. It is safe for concurrent use.
type Exporter struct {
	set    Settings
	log    *slog.Logger
	client *http.Client
	sent   *metrics.Counter
	lost   *metrics.Counter

	mu       sync.Mutex // protects what is below
	queue    []trace.Finished
	resource map[string]string
	dropped  int64 // in all
	closed   bool

	full  chan struct{} // has a token when a batch is full
	end   chan struct{} // closed by Close
	done  chan struct{}
	ctx   context.Context // of requests
	stop  context.CancelFunc
	told  time.Time // when the log was last told of dropped spans
	since int64     // how many were dropped then
}

// tellEvery is how often the log is told of spans that are dropped at most.
const tellEvery = 10 * time.Minute

// Start begins to send. Close ends it.
func Start(set *Settings, opt Options) *Exporter {
	e := &Exporter{set: *set, log: opt.Log, full: make(chan struct{}, 1), end: make(chan struct{}), done: make(chan struct{}),
		sent: opt.Metrics.Counter("atelier_trace_spans_sent_total", "Spans that the collector took."),
		lost: opt.Metrics.Counter("atelier_trace_spans_dropped_total", "Spans that were dropped: the queue was full, or the collector did not take them.", "reason")}
	e.resource = map[string]string{"service.name": set.Service, "service.version": buildinfo.Version(),
		"telemetry.sdk.name": "atelier", "telemetry.sdk.language": "go", "telemetry.sdk.version": buildinfo.Version()}
	maps.Copy(e.resource, set.Resource)
	e.client = &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: set.TLS, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	go e.work()
	return e
}

// Tracer makes the spans that are sent.
func (e *Exporter) Tracer() *trace.Tracer {
	if e == nil {
		return nil
	}
	return &trace.Tracer{Sample: e.set.Sample, Ended: e.add, Alone: !e.set.Propagate}
}

// Instance names this process among others of the service, before the first span.
func (e *Exporter) Instance(name string) {
	if e == nil || name == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.set.Resource["service.instance.id"] == "" {
		e.resource["service.instance.id"] = name
	}
}

// Where is the collector, without what may be secret in its address.
func (e *Exporter) Where() string {
	u, err := url.Parse(e.set.Endpoint)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// add puts a span into the queue.
func (e *Exporter) add(f trace.Finished) {
	e.mu.Lock()
	if e.closed || len(e.queue) >= e.set.Queue {
		e.mu.Unlock()
		e.drop(1, "queue_full")
		return
	}
	e.queue = append(e.queue, f)
	n := len(e.queue)
	e.mu.Unlock()
	if n >= e.set.Batch {
		select {
		case e.full <- struct{}{}:
		default:
		}
	}
}

func (e *Exporter) drop(n int64, reason string) {
	e.mu.Lock()
	e.dropped += n
	e.mu.Unlock()
	e.lost.Add(float64(n), reason)
}

// Dropped is how many spans were dropped.
func (e *Exporter) Dropped() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dropped
}

// take takes the next batch.
func (e *Exporter) take() []trace.Finished {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(len(e.queue), e.set.Batch)
	list := e.queue[:n:n]
	e.queue = e.queue[n:]
	if len(e.queue) == 0 {
		e.queue = nil // not the array of all spans before
	}
	return list
}

// work sends a batch when it is full, or after the delay.
func (e *Exporter) work() {
	defer close(e.done)
	tick := time.NewTicker(e.set.Delay)
	defer tick.Stop()
	ending := false
	for !ending {
		select {
		case <-e.full:
		case <-tick.C:
		case <-e.end:
			ending = true
		}
		for list := e.take(); len(list) > 0; list = e.take() {
			e.send(list)
		}
		e.tell()
	}
}

// tries is how often a batch is sent.
const tries = 3

// send sends a batch, or drops it.
func (e *Exporter) send(list []trace.Finished) {
	e.mu.Lock()
	resource := maps.Clone(e.resource)
	e.mu.Unlock()
	body := encode(resource, buildinfo.Version(), list)
	var err error
	for try := range tries {
		var n int64
		var again time.Duration
		if n, again, err = e.post(body); err == nil {
			n = min(n, int64(len(list)))
			e.sent.Add(float64(int64(len(list)) - n))
			if n > 0 {
				e.drop(n, "rejected")
			}
			return
		}
		if again < 0 || try == tries-1 {
			break
		}
		select {
		case <-e.ctx.Done():
		case <-e.end: // there is no time to wait
		case <-time.After(max(again, time.Second<<try)):
		}
	}
	reason := "unreachable"
	if errors.Is(err, errRefused) {
		reason = "refused"
	}
	e.drop(int64(len(list)), reason)
	e.log.Debug("spans were not taken", "collector", e.Where(), "err", err)
}

var errRefused = errors.New("the collector refused the spans")

// longestWait is how long a collector can ask to wait.
const longestWait = 30 * time.Second

// post sends one request. again is after how long another may go better, below 0 never.
func (e *Exporter) post(body []byte) (rejectedSpans int64, again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(e.ctx, e.set.Timeout)
	defer cancel()
	if e.set.Gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(body); err != nil {
			return 0, -1, err
		}
		if err := w.Close(); err != nil {
			return 0, -1, err
		}
		body = b.Bytes()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.set.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, -1, err
	}
	req.Header = e.set.Headers.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	if e.set.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := e.client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	switch code := res.StatusCode; {
	case code >= 200 && code < 300 && err == nil:
		return rejected(answer), 0, nil
	case code >= 200 && code < 300:
		return 0, -1, nil // they were taken; how many were rejected is not known
	case code == http.StatusTooManyRequests || code == http.StatusBadGateway || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return 0, min(time.Duration(max(seconds, 0))*time.Second, longestWait), fmt.Errorf("%w: status %d", errRefused, code)
	default:
		return 0, -1, fmt.Errorf("%w: status %d", errRefused, code)
	}
}

// tell tells the log of spans that were dropped since it was last told.
func (e *Exporter) tell() {
	n := e.Dropped()
	if n == e.since || !e.told.IsZero() && time.Since(e.told) < tellEvery {
		return
	}
	e.log.Warn("spans of traces were dropped, since the collector does not take them or not fast enough; nothing else is affected",
		"collector", e.Where(), "dropped", n, "told_again_after", tellEvery.String())
	e.told, e.since = time.Now(), n
}

// Close sends what waits, for so long at most. It tells the log what was dropped.
func (e *Exporter) Close(within time.Duration) {
	if e == nil {
		return
	}
	e.mu.Lock()
	again := e.closed
	e.closed = true
	e.mu.Unlock()
	if again {
		return
	}
	close(e.end)
	late := time.AfterFunc(within, e.stop)
	<-e.done
	late.Stop()
	e.stop()
	e.client.CloseIdleConnections()
	e.told = time.Time{}
	e.tell()
}
