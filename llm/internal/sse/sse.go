// Package sse reads event streams (WHATWG HTML, section 9.2.6) as model
// endpoints really send them:
//
//	r := sse.NewReader(resp.Body, sse.MaxEvent)
//	for {
//		ev, err := r.Next()
//		if err == io.EOF { break }
//		…
//	}
//
// Beyond the standard it passes on an event as soon as its data is a whole JSON
// object, so a missing blank line neither delays nor merges events, and it
// returns JSON or HTML that stands in the stream without a field name.
package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// MaxEvent is a limit for the bytes of one event or line that fits every answer
// of a model.
const MaxEvent = 64 << 20

// ErrTooLong is returned for an event or line over the limit of its Reader.
var ErrTooLong = errors.New("an event of the stream is too long")

// Event is one event of a stream.
type Event struct {
	Name string // the event field; "" when there was none
	Data []byte // the data lines joined by newlines; valid until the next call of Next
	Raw  bool   // Data stood in the stream without a field name
}

// Reader reads events. It is not safe for concurrent use.
type Reader struct {
	lines lineReader
	name  string
	data  []byte
	has   bool    // a data field was seen since the last event
	shape Balance // of data
	stray string
}

// NewReader reads from r events of at most so many bytes.
func NewReader(r io.Reader, most int) *Reader { return &Reader{lines: lineReader{r: r, most: most}} }

// Stray is the first line that was neither a field, a comment nor JSON: often
// the message of a proxy. It is at most 200 bytes long.
func (r *Reader) Stray() string { return r.stray }

// Next returns the next event. At the end of the stream it returns io.EOF; a
// broken connection gives the error of reading. Data of an event that was not
// finished when the connection broke is dropped; at a clean end it is returned.
func (r *Reader) Next() (Event, error) {
	r.name, r.data, r.has, r.shape = "", r.data[:0], false, Balance{}
	for {
		line, err := r.lines.next()
		if err != nil {
			if err == io.EOF && r.has {
				return r.event(), nil
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if r.has {
				return r.event(), nil
			}
			r.name = ""
			continue
		}
		ev, ready, err := r.take(line)
		if ready || err != nil {
			return ev, err
		}
	}
}

func (r *Reader) event() Event { return Event{Name: r.name, Data: r.data} }

// take handles one line; ready says that an event is complete.
func (r *Reader) take(line []byte) (ev Event, ready bool, err error) {
	field, value, ok := bytes.Cut(line, []byte(":"))
	switch {
	case ok && len(field) == 0: // a comment
		return ev, false, nil
	case ok && string(field) == "data":
		return r.takeData(bytes.TrimPrefix(value, []byte(" ")))
	case string(line) == "data":
		return r.takeData(nil)
	case ok && string(field) == "event":
		r.name = string(bytes.TrimSpace(value))
	case ok && (string(field) == "id" || string(field) == "retry"):
	default:
		return r.takeRaw(line)
	}
	return ev, false, nil
}

func (r *Reader) takeData(value []byte) (Event, bool, error) {
	if len(r.data)+len(value) >= r.lines.most {
		return Event{}, false, ErrTooLong
	}
	if r.has {
		r.data = append(r.data, '\n')
	}
	r.has = true
	r.data = append(r.data, value...)
	if r.shape.Done() { // more lines after a closed value: not JSON, wait for the end
		return Event{}, false, nil
	}
	r.shape.Feed(value)
	return r.event(), r.shape.Done() && whole(r.data), nil
}

// whole reports whether data, whose brackets are closed, needs no further line.
func whole(data []byte) bool {
	data = bytes.TrimSpace(data)
	return string(data) == "[DONE]" || data[0] == '{' && json.Valid(data)
}

// takeRaw handles a line without a known field name: a JSON body (which may be
// spread over lines), a web page, words, or the rest of a data line.
func (r *Reader) takeRaw(line []byte) (Event, bool, error) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return Event{}, false, nil
	case r.has && r.shape.Started() && !r.shape.Done(): // goes on a data line
		return r.takeData(text)
	}
	switch text[0] {
	case '<':
		return r.raw(text), true, nil
	case '{', '[':
		return r.takeJSON(text)
	}
	if r.stray == "" {
		r.stray = string(text[:min(len(text), 200)])
	}
	return Event{}, false, nil
}

func (r *Reader) takeJSON(line []byte) (Event, bool, error) {
	r.data = append(r.data[:0], line...)
	var b Balance
	b.Feed(line)
	for !b.Done() {
		next, err := r.lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Event{}, false, err
		}
		if len(r.data)+len(next) >= r.lines.most {
			return Event{}, false, ErrTooLong
		}
		r.data = append(append(r.data, '\n'), next...)
		b.Feed(next)
	}
	return Event{Name: r.name, Data: r.data, Raw: true}, true, nil
}

func (r *Reader) raw(text []byte) Event {
	r.data = append(r.data[:0], text...)
	return Event{Name: r.name, Data: r.data, Raw: true}
}
