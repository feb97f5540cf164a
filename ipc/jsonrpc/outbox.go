package jsonrpc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"atelier/engine"
	"atelier/workshop/agent"
)

// ErrNotRead says that a client does not read what it is sent.
var ErrNotRead = errors.New("the client does not read its messages")

// Outbox queues all messages of a connection in order until the client reads
// them. Adding a message never waits for the client. It is the connection's
// engine.Connection.
type Outbox struct {
	write func(message []byte) error
	wake  chan struct{} // has a token if there may be something to write
	done  chan struct{} // closed when the writer has ended

	failed context.Context         // done when err is set
	fail   context.CancelCauseFunc // of failed

	mu     sync.Mutex // protects the fields below
	queue  []item
	limit  int              // of bytes in queue, 0 for none
	bytes  int              // in queue
	follow map[string]bool  // the workbenches whose notifications are queued, nil for all
	seq    map[string]int64 // last number used, by workbench
	closed bool
	err    error // of the writer; later messages are dropped
}

// item is a message to write: encoded, or a text delta, which later ones may
// join.
type item struct {
	line  []byte
	delta *agent.StreamDelta
	note  engine.Notification // of delta
	seq   int64               // of delta
}

// NewOutbox starts an outbox. write sends one message; it may append to its
// argument, but not keep it.
func NewOutbox(write func(message []byte) error) *Outbox {
	return newOutbox(write, 0, nil)
}

// NewOutboxOf is NewOutbox for a connection of several: it queues the
// notifications of those workbenches only that EventsResume was called for, and
// fails with ErrNotRead, for good, when more than limit bytes wait.
func NewOutboxOf(write func(message []byte) error, limit int) *Outbox {
	return newOutbox(write, limit, map[string]bool{})
}

func newOutbox(write func(message []byte) error, limit int, follow map[string]bool) *Outbox {
	o := &Outbox{write: write, limit: limit, follow: follow, wake: make(chan struct{}, 1), done: make(chan struct{}), seq: map[string]int64{}}
	o.failed, o.fail = context.WithCancelCause(context.Background())
	go o.run()
	return o
}

// Send queues an encoded message.
func (o *Outbox) Send(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	o.add(item{line: bytes.Clone(line)})
	return nil
}

// Notify queues a notification. It joins two consecutive deltas of the same
// message while they wait.
func (o *Outbox) Notify(n engine.Notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	id := agent.WorkbenchOf(n)
	if o.follow != nil && id != "" && !o.follow[id] {
		return
	}
	d, ok := n.Params.(agent.StreamDelta)
	if !ok {
		o.note(id, n)
		return
	}
	if len(o.queue) > 0 {
		last := &o.queue[len(o.queue)-1]
		if prev := last.delta; prev != nil && prev.WorkbenchID == d.WorkbenchID && prev.MessageID == d.MessageID {
			prev.TokenDelta += d.TokenDelta
			o.weigh(len(d.TokenDelta))
			last.note.Position = n.Position
			return
		}
	}
	o.seq[id]++
	o.add(item{delta: &d, note: n, seq: o.seq[id]})
}

// Resume implements engine.Connection.
func (o *Outbox) Resume(workbenchID string, missed []engine.Notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if o.follow != nil {
		o.follow[workbenchID] = true
	}
	for _, n := range missed {
		o.note(workbenchID, n)
	}
}

// note queues a notification of a workbench. The caller holds o.mu.
func (o *Outbox) note(workbenchID string, n engine.Notification) {
	o.seq[workbenchID]++
	o.add(item{line: appendNote(nil, n, o.seq[workbenchID])})
}

// add queues an item and wakes the writer. The caller holds o.mu.
func (o *Outbox) add(it item) {
	if o.err != nil {
		return
	}
	o.queue = append(o.queue, it)
	o.signal()
	o.weigh(it.weight())
}

// weigh counts bytes that came into the queue. The caller holds o.mu.
func (o *Outbox) weigh(n int) {
	o.bytes += n
	if o.limit > 0 && o.bytes > o.limit {
		o.end(ErrNotRead)
	}
}

// weight is about how many bytes an item takes.
func (it item) weight() int {
	n := len(it.line) + 64
	if it.delta != nil {
		n += len(it.delta.TokenDelta)
	}
	return n
}

// end drops all that waits and will come. The caller holds o.mu.
func (o *Outbox) end(err error) {
	o.err, o.queue, o.bytes = err, nil, 0
	o.fail(err)
}

// Failed is done when messages can no longer be sent; its cause is why.
func (o *Outbox) Failed() context.Context { return o.failed }

// signal wakes the writer. The caller holds o.mu.
func (o *Outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Close ends the writer after it has written all queued messages, and waits for
// it. The error is that of a write.
func (o *Outbox) Close() error {
	o.mu.Lock()
	o.closed = true
	o.signal()
	o.mu.Unlock()
	<-o.done
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *Outbox) run() {
	defer close(o.done)
	var buf []byte
	for {
		it, ok := o.next()
		if !ok {
			return
		}
		if it.delta != nil {
			it.note.Params = *it.delta
			buf = appendNote(buf[:0], it.note, it.seq)
		} else {
			buf = append(buf[:0], it.line...)
		}
		if err := o.write(buf); err != nil {
			o.mu.Lock()
			o.end(cmp.Or(o.err, err))
			o.mu.Unlock()
			return
		}
	}
}

// next waits for an item; it returns false if the outbox is closed and empty.
func (o *Outbox) next() (item, bool) {
	for {
		o.mu.Lock()
		if len(o.queue) > 0 {
			it := o.queue[0]
			o.queue[0] = item{}
			o.queue = o.queue[1:]
			o.bytes -= it.weight()
			o.mu.Unlock()
			return it, true
		}
		o.queue = nil
		closed := o.closed || o.err != nil
		o.mu.Unlock()
		if closed {
			return item{}, false
		}
		<-o.wake
	}
}

// appendNote encodes a notification. Its position and seq become members of its
// params.
func appendNote(buf []byte, n engine.Notification, seq int64) []byte {
	params, err := json.Marshal(n.Params)
	if err != nil || len(params) < 2 || params[0] != '{' {
		params = []byte("{}")
	}
	buf = append(buf, `{"jsonrpc":"2.0","method":"`...)
	buf = append(buf, n.Method...)
	buf = append(buf, `","params":`...)
	buf = append(buf, params[:len(params)-1]...)
	if len(params) > 2 {
		buf = append(buf, ',')
	}
	if n.Position > 0 {
		buf = append(buf, `"position":`...)
		buf = append(strconv.AppendInt(buf, n.Position, 10), ',')
	}
	buf = append(buf, `"seq":`...)
	return append(strconv.AppendInt(buf, seq, 10), "}}"...)
}
