// Package eventlog numbers the notifications of one workbench and keeps the
// latest of them on disk, so that a client that lost its connection can have
// what it missed, also after a restart of the program.
//
// A Log keeps between one and two segments of SegmentMax bytes and nothing in
// memory. An event is written before anybody is told it, so the events that a
// killed program had told are all there. What cannot be vouched for (after a
// power failure, a full disk) is forgotten, and Since says so.
package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/internal/busyfile"
)

const (
	// SegmentMax is the maximum size of a segment in bytes. An event that is
	// larger is told and not kept.
	SegmentMax = 2 << 20
	// block is how many positions are reserved on disk at a time.
	block = 10_000

	current  = "events.jsonl"
	previous = "events.1.jsonl"
)

// Event is one notification of a workbench.
type Event struct {
	Position int64           `json:"p"` // from 1, rising, with gaps
	Method   string          `json:"m"`
	Params   json.RawMessage `json:"d"` // an object
}

// header is the first line of a segment: the position of the event before its
// first.
type header struct {
	After int64 `json:"after"`
}

// Log is the event log of one workbench. It is safe for concurrent use.
type Log struct {
	dir string // "" keeps nothing on disk

	mu       sync.Mutex // protects the fields below; held while an event is told
	loaded   bool
	keep     bool     // events are kept on disk
	f        *os.File // current segment, nil when none is open
	size     int64    // of the current segment in bytes
	curAfter int64    // header of the current segment
	last     int64    // latest position
	next     int64    // lowest position to give next
	limit    int64    // positions below it are reserved
	floor    int64    // events after it are all kept
}

// New makes the log whose files are in dir, which must exist. Nothing is read
// or written before it is needed. With dir "" nothing is kept.
func New(dir string) *Log { return &Log{dir: dir} }

// Add gives an event its position, keeps it, and calls tell with the position
// before any other event of the log is told. The error says why events up to
// this one can no longer be had; tell is called nevertheless.
func (l *Log) Add(method string, params json.RawMessage, tell func(position int64)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.load()
	if l.keep && l.next >= l.limit {
		if rerr := l.reserve(); rerr != nil {
			err = errors.Join(err, rerr, l.forget(l.last))
			l.keep = false
			l.next = max(l.next, time.Now().UnixMicro()) // above all that a later program will reserve
		}
	}
	p := l.next
	if l.keep {
		err = errors.Join(err, l.store(Event{p, method, params}))
	} else {
		l.floor = p
	}
	l.last, l.next = p, p+1
	tell(p)
	return err
}

// Since calls tell with the events after position, in order, before any later
// event is told; complete is false, and the list empty, if they are not all
// kept or position was never given. last is the latest position; a nil position
// means it.
func (l *Log) Since(position *int64, tell func(events []Event, last int64, complete bool)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.load()
	if position == nil || *position == l.last {
		tell(nil, l.last, true)
		return err
	}
	if *position < l.floor || *position > l.last || !l.keep {
		tell(nil, l.last, false)
		return err
	}
	events, rerr := l.read(*position)
	if rerr != nil || len(events) == 0 || events[len(events)-1].Position != l.last {
		tell(nil, l.last, false)
		return errors.Join(err, rerr)
	}
	tell(events, l.last, true)
	return err
}

// Close stores that all events are on disk. The log can be used again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.loaded || !l.keep || l.limit == 0 {
		return l.closeFile()
	}
	err := l.closeFile()
	if err == nil {
		err = writeMark(l.dir, mark{Next: l.next, Clean: true})
	}
	l.loaded, l.keep, l.limit, l.size = false, false, 0, 0
	return err
}

// closeFile syncs and closes the current segment.
func (l *Log) closeFile() error {
	if l.f == nil {
		return nil
	}
	err := errors.Join(l.f.Sync(), l.f.Close())
	l.f = nil
	return err
}

// load reads where an earlier program ended.
func (l *Log) load() error {
	if l.loaded {
		return nil
	}
	l.loaded = true
	if l.dir == "" {
		l.last = time.Now().UnixMicro()
		l.floor, l.next = l.last, l.last+1
		return nil
	}
	l.keep = true
	m, err := readMark(l.dir)
	if err != nil {
		m = mark{Next: time.Now().UnixMicro()}
	}
	l.next = max(m.Next, 1)
	if !m.Clean && (m.Boot == "" || m.Boot != bootID()) {
		return errors.Join(err, l.forget(l.next-1))
	}
	return errors.Join(err, l.scan())
}

// scan finds the first and the last event on disk, and removes a line that was
// not written to its end, which nobody was told.
func (l *Log) scan() error {
	l.floor, l.last = l.next-1, l.next-1
	found := false
	for _, name := range []string{previous, current} {
		b, err := os.ReadFile(filepath.Join(l.dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		h, events, whole, perr := parse(b, 0)
		if err = errors.Join(err, perr); err != nil || found && len(events) > 0 && h.After != l.last {
			return errors.Join(err, l.forget(l.next-1))
		}
		if !found {
			l.floor, found = h.After, true
		}
		l.last = h.After
		if n := len(events); n > 0 {
			l.last = events[n-1].Position
		}
		if name == current {
			l.curAfter, l.size = h.After, int64(whole)
			if err := os.Truncate(filepath.Join(l.dir, name), l.size); err != nil {
				return errors.Join(err, l.forget(l.next-1))
			}
		}
	}
	return nil
}

// parse reads a segment: the events after position, and the length of its whole
// lines in bytes.
func parse(b []byte, position int64) (h header, events []Event, whole int, err error) {
	for first := true; ; first = false {
		i := bytes.IndexByte(b[whole:], '\n')
		if i < 0 {
			if first {
				err = errors.New("event log: a segment without a header")
			}
			return h, events, whole, err
		}
		line := b[whole : whole+i]
		whole += i + 1
		if first {
			err = json.Unmarshal(line, &h)
		} else {
			var ev Event
			if err = json.Unmarshal(line, &ev); err == nil && ev.Position > position {
				events = append(events, ev)
			}
		}
		if err != nil {
			return h, nil, whole, err
		}
	}
}

// read returns the kept events after position.
func (l *Log) read(position int64) ([]Event, error) {
	var all []Event
	for _, name := range []string{previous, current} {
		b, err := os.ReadFile(filepath.Join(l.dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, events, _, err := parse(b, position)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	return all, nil
}

// reserve stores that the next positions are in use, so that no later program
// gives one of them again, whatever happens to this one. The segment comes
// first: a program that finds a mark without one does not know what was told.
func (l *Log) reserve() error {
	if err := l.room(0); err != nil {
		return err
	}
	limit := l.next + block
	if err := writeMark(l.dir, mark{Next: limit, Boot: bootID()}); err != nil {
		return err
	}
	l.limit = limit
	return nil
}

// store appends an event to the current segment.
func (l *Log) store(ev Event) error {
	line, err := json.Marshal(ev)
	if err != nil {
		return errors.Join(err, l.forget(ev.Position))
	}
	line = append(line, '\n')
	if len(line) > SegmentMax {
		return l.forget(ev.Position)
	}
	if err := l.room(int64(len(line))); err != nil {
		return errors.Join(err, l.forget(ev.Position))
	}
	if _, err := l.f.Write(line); err != nil {
		return errors.Join(err, l.forget(ev.Position))
	}
	l.size += int64(len(line))
	return nil
}

// room opens a segment that has room for n more bytes.
func (l *Log) room(n int64) error {
	path := filepath.Join(l.dir, current)
	if l.size > 0 && l.size+n > SegmentMax {
		if err := l.closeFile(); err != nil {
			return err
		}
		if err := busyfile.Rename(path, filepath.Join(l.dir, previous)); err != nil {
			return err
		}
		l.floor, l.size = l.curAfter, 0
	}
	if l.f != nil {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.f = f
	if l.size > 0 {
		return nil
	}
	h, _ := json.Marshal(header{After: l.last})
	written, err := f.Write(append(h, '\n'))
	l.size, l.curAfter = int64(written), l.last
	return err
}

// forget removes what is kept: events up to position can no longer be had.
func (l *Log) forget(position int64) error {
	if l.f != nil {
		l.f.Close()
		l.f = nil
	}
	l.size, l.floor = 0, position
	l.last = max(l.last, position)
	var errs []error
	for _, name := range []string{previous, current} {
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
