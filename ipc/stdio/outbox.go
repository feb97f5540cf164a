package stdio

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"sync"

	"atelier/engine"
	"atelier/workshop/agent"
)

// outbox queues all output lines in order until the client reads them. Adding
// a line never waits for the client.
type outbox struct {
	w    io.Writer
	wake chan struct{} // has a token if there may be something to write
	done chan struct{} // closed when the writer has ended

	mu     sync.Mutex // protects the fields below
	queue  []item
	seq    map[string]int64 // last number used, by workbench
	closed bool
	err    error // of the writer; later lines are dropped
}

// item is a line to write: encoded bytes, or a notification that is not
// encoded yet.
type item struct {
	line []byte
	note *engine.Notification
	seq  int64
}

func newOutbox(w io.Writer) *outbox {
	o := &outbox{w: w, wake: make(chan struct{}, 1), done: make(chan struct{}), seq: map[string]int64{}}
	go o.run()
	return o
}

// send queues an encoded line (without its newline).
func (o *outbox) send(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	o.queue = append(o.queue, item{line: bytes.Clone(line)})
	o.signal()
	return nil
}

// notify queues a notification. It joins two consecutive deltas of the same
// message while they wait.
func (o *outbox) notify(n engine.Notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if d, ok := n.Params.(agent.StreamDelta); ok && len(o.queue) > 0 {
		last := &o.queue[len(o.queue)-1]
		if last.note != nil {
			if prev, ok := last.note.Params.(agent.StreamDelta); ok && prev.WorkbenchID == d.WorkbenchID && prev.MessageID == d.MessageID {
				prev.TokenDelta += d.TokenDelta
				last.note.Params, last.note.Position = prev, n.Position
				return
			}
		}
	}
	o.add(agent.WorkbenchOf(n), n)
}

// Resume implements engine.Connection.
func (o *outbox) Resume(workbenchID string, missed []engine.Notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	for _, n := range missed {
		o.add(workbenchID, n)
	}
}

// add queues a notification of a workbench. The caller holds o.mu.
func (o *outbox) add(workbenchID string, n engine.Notification) {
	o.seq[workbenchID]++
	o.queue = append(o.queue, item{note: &n, seq: o.seq[workbenchID]})
	o.signal()
}

// signal wakes the writer. The caller holds o.mu.
func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// close ends the writer after it has written all queued lines, and waits for
// it.
func (o *outbox) close() error {
	o.mu.Lock()
	o.closed = true
	o.signal()
	o.mu.Unlock()
	<-o.done
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *outbox) run() {
	defer close(o.done)
	var buf []byte
	for {
		it, ok := o.next()
		if !ok {
			return
		}
		buf = appendLine(buf[:0], it)
		if _, err := o.w.Write(buf); err != nil {
			o.mu.Lock()
			o.err, o.queue = err, nil
			o.mu.Unlock()
			return
		}
	}
}

// next waits for an item; it returns false if the outbox is closed and empty.
func (o *outbox) next() (item, bool) {
	for {
		o.mu.Lock()
		if len(o.queue) > 0 {
			it := o.queue[0]
			o.queue[0] = item{}
			o.queue = o.queue[1:]
			o.mu.Unlock()
			return it, true
		}
		o.queue = nil
		closed := o.closed
		o.mu.Unlock()
		if closed {
			return item{}, false
		}
		<-o.wake
	}
}

// appendLine encodes an item as one line. A notification's position and seq
// become members of its params.
func appendLine(buf []byte, it item) []byte {
	if it.note == nil {
		return append(append(buf, it.line...), '\n')
	}
	params, err := json.Marshal(it.note.Params)
	if err != nil || len(params) < 2 || params[0] != '{' {
		params = []byte("{}")
	}
	buf = append(buf, `{"jsonrpc":"2.0","method":"`...)
	buf = append(buf, it.note.Method...)
	buf = append(buf, `","params":`...)
	buf = append(buf, params[:len(params)-1]...)
	if len(params) > 2 {
		buf = append(buf, ',')
	}
	if it.note.Position > 0 {
		buf = append(buf, `"position":`...)
		buf = append(strconv.AppendInt(buf, it.note.Position, 10), ',')
	}
	buf = append(buf, `"seq":`...)
	return append(strconv.AppendInt(buf, it.seq, 10), "}}\n"...)
}
