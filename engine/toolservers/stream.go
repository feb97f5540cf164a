package toolservers

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Streams of a server's messages (GET with text/event-stream). The SDK waits for the
// header of the first one before a session has started, and opens one again as soon as
// the server wants.
const (
	streamHeader = 3 * time.Second // how long the header is waited for
	streamsMost  = 10              // opened at once, and then
	streamsRate  = 1               // one in a second
)

// isStream reports whether a request opens a stream.
func isStream(req *http.Request) bool {
	return req.Method == http.MethodGet && strings.Contains(req.Header.Get("Accept"), "text/event-stream")
}

// streamMeter bounds how often streams are opened.
type streamMeter struct {
	mu   sync.Mutex
	left float64
	at   time.Time
}

// wait waits until a stream may be opened.
func (m *streamMeter) wait(ctx context.Context) error {
	m.mu.Lock()
	now := time.Now()
	if m.at.IsZero() {
		m.left = streamsMost
	} else {
		m.left = min(streamsMost, m.left+now.Sub(m.at).Seconds()*streamsRate)
	}
	m.at = now
	m.left--
	pause := time.Duration(0)
	if m.left < 0 {
		pause = time.Duration(-m.left / streamsRate * float64(time.Second))
	}
	m.mu.Unlock()
	if pause == 0 {
		return nil
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type headerResult struct {
	resp *http.Response
	err  error
}

// openStream opens a stream. Where the header does not come soon (some servers send it
// with their first message), the result is a stream that waits for it.
func openStream(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	came := make(chan headerResult, 1)
	go func() {
		resp, err := base.RoundTrip(req)
		came <- headerResult{resp, err}
	}()
	t := time.NewTimer(streamHeader)
	defer t.Stop()
	select {
	case h := <-came:
		return h.resp, h.err
	case <-t.C:
	}
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, ContentLength: -1, Body: &lateBody{ctx: req.Context(), came: came}, Request: req}, nil
}

// lateBody is the body of a stream whose header has not come yet.
type lateBody struct {
	ctx  context.Context // of the request, which ends before Close
	came chan headerResult
	body io.ReadCloser
}

// Read implements io.Reader. A header that says that there is no stream is as if nothing
// came.
func (b *lateBody) Read(p []byte) (int, error) {
	if b.body == nil {
		select {
		case h := <-b.came:
			switch {
			case h.err != nil:
				b.body = http.NoBody
			case h.resp.StatusCode != http.StatusOK || !strings.HasPrefix(h.resp.Header.Get("Content-Type"), "text/event-stream"):
				h.resp.Body.Close()
				b.body = http.NoBody
			default:
				b.body = h.resp.Body
			}
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	if b.body == http.NoBody {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	return b.body.Read(p)
}

// Close implements io.Closer. The request has been canceled.
func (b *lateBody) Close() error {
	if b.body == nil {
		if h := <-b.came; h.err == nil {
			b.body = h.resp.Body
		}
	}
	if b.body != nil {
		return b.body.Close()
	}
	return nil
}

// eventBody is a stream whose events are counted as they are read: the SDK keeps those
// that it has not handled yet.
type eventBody struct {
	io.ReadCloser
	count func() error
	blank bool // the last line end was at the beginning of a line, or of the stream
}

// Read implements io.Reader.
func (b *eventBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for _, c := range p[:n] {
		switch c {
		case '\n': // an empty line ends an event
			if b.blank {
				if err := b.count(); err != nil {
					return 0, err
				}
			}
			b.blank = true
		case '\r':
		default:
			b.blank = false
		}
	}
	return n, err
}
