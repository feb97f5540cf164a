package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Most is the size in bytes of the largest object: that which S3 takes in one piece.
const Most = 5 << 30

// Body is a content to be put.
type Body struct {
	Size   int64
	SHA256 string // in hexadecimal
	From   io.ReadSeeker
}

// call is a request that may be sent several times.
type call struct {
	op, object string
	query      url.Values
	header     http.Header
	body       *Body
}

// Put stores an object, in the place of one that has the name.
func (c *Client) Put(ctx context.Context, object string, b Body) error {
	if b.Size > Most {
		return &Error{Op: http.MethodPut, Object: object, Host: c.Host(), kind: ErrRefused, Err: fmt.Errorf("%d bytes are more than the 5 GiB that a store takes in one piece", b.Size)}
	}
	res, err := c.do(ctx, call{op: http.MethodPut, object: object, body: &b})
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Remove removes an object; one that is not there is no error.
func (c *Client) Remove(ctx context.Context, object string) error {
	res, err := c.do(ctx, call{op: http.MethodDelete, object: object})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Object is one that List found.
type Object struct {
	Name string `xml:"Key"`
	Size int64  `xml:"Size"`
}

// List returns the objects whose names begin so, in the order of the names.
func (c *Client) List(ctx context.Context, prefix string) ([]Object, error) {
	var all []Object
	for next := ""; ; {
		q := url.Values{"list-type": {"2"}, "prefix": {prefix}}
		if next != "" {
			q.Set("continuation-token", next)
		}
		res, err := c.do(ctx, call{op: http.MethodGet, query: q})
		if err != nil {
			return nil, err
		}
		var page struct {
			Objects []Object `xml:"Contents"`
			More    bool     `xml:"IsTruncated"`
			Next    string   `xml:"NextContinuationToken"`
		}
		err = xml.NewDecoder(io.LimitReader(res.Body, 16<<20)).Decode(&page)
		res.Body.Close()
		if err != nil {
			return nil, c.unanswered(ctx, "LIST", prefix, fmt.Errorf("its list cannot be read: %w", err))
		}
		all = append(all, page.Objects...)
		if !page.More {
			return all, nil
		}
		if page.Next == "" || page.Next == next {
			return nil, c.unanswered(ctx, "LIST", prefix, errors.New("its list does not end"))
		}
		next = page.Next
	}
}

// do sends a request until it is answered. The caller closes the body of the answer.
func (c *Client) do(ctx context.Context, what call) (*http.Response, error) {
	pause := 100 * time.Millisecond
	for begun := time.Now(); ; pause = min(2*pause, 2*time.Second) {
		res, err := c.once(ctx, what)
		if err == nil {
			return res, nil
		}
		if ctx.Err() != nil || !err.again() || time.Since(begun) > c.cfg.Patience {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// once sends a request once.
func (c *Client) once(ctx context.Context, what call) (*http.Response, *Error) {
	size, hash := int64(0), emptyHash
	if what.body != nil {
		size, hash = what.body.Size, what.body.SHA256
	}
	w := newWatch(ctx, c.cfg.Silence, size)
	object := what.object
	if object == "" {
		object = what.query.Get("prefix")
	}
	req, err := c.request(w.ctx, what)
	if err != nil {
		w.end()
		return nil, &Error{Op: what.op, Object: object, Host: c.Host(), Err: err, kind: ErrRefused}
	}
	if what.body != nil {
		if _, err := what.body.From.Seek(0, io.SeekStart); err != nil {
			w.end()
			return nil, &Error{Op: what.op, Object: object, Host: c.Host(), Err: err, kind: ErrRefused}
		}
		own := &sent{from: what.body.From, watch: w}
		defer own.stop() // the transport may read for a moment longer
		req.Body, req.ContentLength = own, size
		if size == 0 {
			req.Body = http.NoBody // else its length is not sent
		}
		if size > 1<<20 {
			req.Header.Set("Expect", "100-continue")
		}
		c.sign(req, hash, c.now())
		res, err := c.answer(w, what.op, object, req)
		if err != nil && own.failed() != nil {
			err = &Error{Op: what.op, Object: object, Host: c.Host(), Err: own.failed(), kind: ErrRefused}
		}
		return res, err
	}
	c.sign(req, hash, c.now())
	return c.answer(w, what.op, object, req)
}

func (c *Client) request(ctx context.Context, what call) (*http.Request, error) {
	at := *c.base
	at.Path += "/" + what.object
	if what.object == "" && c.cfg.PathStyle {
		at.Path = strings.TrimSuffix(at.Path, "/")
	}
	at.RawPath = encoded(at.Path, true)
	at.RawQuery = query(what.query)
	req, err := http.NewRequestWithContext(ctx, what.op, at.String(), nil)
	if err != nil {
		return nil, err
	}
	for name, v := range what.header {
		req.Header[name] = v
	}
	req.Header.Set("User-Agent", "atelier")
	return req, nil
}

// answer sends a request and returns its answer, or the error that it says.
func (c *Client) answer(w *watch, op, object string, req *http.Request) (*http.Response, *Error) {
	res, err := c.http.Do(req)
	if err != nil {
		defer w.end()
		return nil, c.unanswered(w.ctx, op, object, err)
	}
	w.moved()
	if res.StatusCode/100 != 2 {
		defer w.end()
		defer res.Body.Close()
		return nil, c.answered(op, object, res)
	}
	w.allow(res.ContentLength)
	res.Body = &received{res.Body, w}
	return res, nil
}
