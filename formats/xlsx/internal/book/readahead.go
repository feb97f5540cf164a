package book

import (
	"io"
)

// ReadAhead reads a stream in a separate goroutine, so that a large part is
// inflated on one core while it is scanned on another.
type ReadAhead struct {
	src    io.ReadCloser
	full   chan piece
	free   chan []byte
	stop   chan struct{}
	Ended  chan struct{}
	cur    piece
	at     int
	closed bool
}

type piece struct {
	b   []byte
	n   int
	err error
}

// Pieces grow, so that a reader that wants the beginning alone does not wait for more, and
// one of a whole part seldom waits.
const (
	aheadPieces = 3
	aheadFirst  = 64 << 10
	aheadSize   = 512 << 10
)

// NewReadAhead begins to read src; Close ends it and closes src.
func NewReadAhead(src io.ReadCloser) *ReadAhead {
	r := &ReadAhead{src: src, full: make(chan piece, aheadPieces), free: make(chan []byte, aheadPieces), stop: make(chan struct{}), Ended: make(chan struct{})}
	for range aheadPieces {
		r.free <- nil
	}
	go r.run()
	return r
}

func (r *ReadAhead) run() {
	defer close(r.Ended)
	for size := aheadFirst; ; size = min(2*size, aheadSize) {
		var p piece
		select {
		case p.b = <-r.free:
		case <-r.stop:
			return
		}
		if len(p.b) < size {
			p.b = make([]byte, size)
		}
		for p.n < len(p.b) && p.err == nil {
			var n int
			n, p.err = r.src.Read(p.b[p.n:])
			p.n += n
			select {
			case <-r.stop:
				return
			default:
			}
		}
		r.full <- p // never blocks: there are no more pieces than places
		if p.err != nil {
			return
		}
	}
}

// Read implements io.Reader.
func (r *ReadAhead) Read(b []byte) (int, error) {
	for r.at == r.cur.n {
		if r.cur.err != nil {
			return 0, r.cur.err
		}
		if r.closed {
			return 0, io.ErrClosedPipe
		}
		if r.cur.b != nil {
			r.free <- r.cur.b
		}
		r.cur, r.at = <-r.full, 0
	}
	n := copy(b, r.cur.b[r.at:r.cur.n])
	r.at += n
	return n, nil
}

// Close ends the goroutine, then closes the stream.
func (r *ReadAhead) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	close(r.stop)
	<-r.Ended
	return r.src.Close()
}
