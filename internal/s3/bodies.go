package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// slowest is how many bytes a second a store may take or give at the least.
const slowest = 64 << 10

// watch ends a request of which nothing passes any more, or that takes too long.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	silence time.Duration
	silent  *time.Timer
	late    *time.Timer
	begun   time.Time
}

func newWatch(ctx context.Context, silence time.Duration, size int64) *watch {
	w := &watch{silence: silence, begun: time.Now()}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.silent = time.AfterFunc(silence, func() { w.cancel(fmt.Errorf("it did not answer for %s", silence)) })
	w.late = time.AfterFunc(allowed(size), func() { w.cancel(errors.New("it was too slow")) })
	return w
}

// allowed is how long a request of a size may take.
func allowed(size int64) time.Duration {
	return time.Minute + time.Duration(max(0, size)/slowest)*time.Second
}

// moved notes that something passed.
func (w *watch) moved() { w.silent.Reset(w.silence) }

// allow is how many bytes the answer has.
func (w *watch) allow(size int64) { w.late.Reset(allowed(size)) }

func (w *watch) end() {
	w.silent.Stop()
	w.late.Stop()
	w.cancel(nil)
}

// sent is the body of a request.
type sent struct {
	from  io.Reader
	watch *watch

	mu   sync.Mutex // protects what is read from, and the fields below
	over bool
	err  error // of from
}

func (s *sent) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return 0, errors.New("the request has ended")
	}
	n, err := s.from.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	s.watch.moved()
	return n, err
}

func (s *sent) Close() error { return nil }

// stop ends reading: the next request reads the same again.
func (s *sent) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// failed is the error of what was to be sent.
func (s *sent) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// received is the body of an answer.
type received struct {
	io.ReadCloser
	watch *watch
}

func (r *received) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		if cause := context.Cause(r.watch.ctx); cause != nil {
			err = cause
		}
	}
	r.watch.moved()
	return n, err
}

func (r *received) Close() error {
	defer r.watch.end()
	return r.ReadCloser.Close()
}

// resumes is how often a body that ended early is continued.
const resumes = 5

// Get opens an object. What is read ends with io.EOF only when all of it was read.
func (c *Client) Get(ctx context.Context, object string) (io.ReadCloser, error) {
	res, err := c.do(ctx, call{op: http.MethodGet, object: object})
	if err != nil {
		return nil, err
	}
	return &resumed{c: c, ctx: ctx, object: object, tag: res.Header.Get("Etag"), body: res.Body, size: res.ContentLength, left: resumes}, nil
}

// resumed reads an object, in several answers where one ends early.
type resumed struct {
	c           *Client
	ctx         context.Context
	object, tag string
	body        io.ReadCloser
	size, at    int64 // size is -1 where it is not known
	left        int
}

func (r *resumed) Read(b []byte) (int, error) {
	for {
		n, err := r.body.Read(b)
		r.at += int64(n)
		if err == nil || err == io.EOF && (r.size < 0 || r.at == r.size) {
			return n, err
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if r.ctx.Err() != nil || r.left == 0 || r.size < 0 {
			return n, r.c.unanswered(r.ctx, http.MethodGet, r.object, err)
		}
		if err := r.resume(); err != nil {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
	}
}

// resume asks for the rest.
func (r *resumed) resume() error {
	r.left--
	r.body.Close()
	h := http.Header{"Range": {fmt.Sprintf("bytes=%d-", r.at)}}
	if r.tag != "" {
		h.Set("If-Match", r.tag)
	}
	res, err := r.c.do(r.ctx, call{op: http.MethodGet, object: r.object, header: h})
	if err != nil {
		r.left, r.body = 0, http.NoBody
		return err
	}
	r.body = res.Body
	if res.StatusCode != http.StatusPartialContent { // it has no ranges: the same bytes come again
		if _, err := io.CopyN(io.Discard, res.Body, r.at); err != nil {
			return r.c.unanswered(r.ctx, http.MethodGet, r.object, err)
		}
	}
	return nil
}

// Close ends reading.
func (r *resumed) Close() error { return r.body.Close() }
