package httpapi

import (
	"encoding/json"
	"sync"
)

// event is one event of a run (V-06).
type event struct {
	ID   int64 // starts at 1
	Type string
	Data json.RawMessage
}

// eventLogMax limits the stored events of a run in bytes.
const eventLogMax = 2 << 20

// eventLog stores a run's events for followers, including those that connect
// late or reconnect. When it is full, it drops the oldest.
type eventLog struct {
	mu     sync.Mutex // protects the fields below
	events []event
	last   int64 // id of the newest event
	bytes  int
	closed bool
	grown  chan struct{} // closed at every change
	begun  bool
	kept   *runFile // has the events on disk too; nil: nothing
	early  []func() // additions before the first event
}

func newEventLog() *eventLog { return &eventLog{grown: make(chan struct{})} }

// begin appends the first event, and the additions before it.
func (l *eventLog) begin(kind string, data any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = true
	l.append(kind, marshal(data))
	for _, add := range l.early {
		add()
	}
	l.early = nil
}

// add appends an event, but not before the first one; after the last one
// it does nothing.
func (l *eventLog) add(kind string, data any) {
	b := marshal(data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		l.append(kind, b)
		return
	}
	l.early = append(l.early, func() { l.append(kind, b) })
}

// append adds an event. The caller holds l.mu.
func (l *eventLog) append(kind string, b json.RawMessage) {
	if l.closed {
		return
	}
	l.last++
	l.kept.add(event{l.last, kind, b})
	l.events = append(l.events, event{l.last, kind, b})
	l.bytes += weight(b)
	for l.bytes > eventLogMax && len(l.events) > 1 {
		l.bytes -= weight(l.events[0].Data)
		l.events = l.events[1:]
	}
	l.kept.shorten(l.events)
	l.wake()
}

// weight returns about how much memory an event takes.
func weight(b json.RawMessage) int { return len(b) + 64 }

// end appends the last event, unless kind is "", and marks the log as complete.
// Both are one change: a follower that saw the last event alone would wait for
// more, and send a ping behind it.
func (l *eventLog) end(kind string, data any) {
	b := marshal(data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if kind != "" {
		l.append(kind, b)
	}
	l.closed = true
	l.kept.end()
	l.wake()
}

// leave ends following without an end of the run: another server continues it.
func (l *eventLog) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.kept.close()
	l.wake()
}

func (l *eventLog) wake() {
	close(l.grown)
	l.grown = make(chan struct{})
}

// after returns the events after id, how many of them were dropped, whether
// the log is complete, and a channel that is closed at the next change.
func (l *eventLog) after(id int64) (events []event, missed int64, closed bool, grown <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.last - int64(len(l.events)) + 1
	missed = max(0, first-id-1)
	from := min(max(0, id+1-first), int64(len(l.events)))
	return l.events[from:len(l.events):len(l.events)], missed, l.closed, l.grown
}
