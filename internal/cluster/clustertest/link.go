package clustertest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Link passes TCP connections on to an address until it is cut.
type Link struct {
	listener net.Listener
	to       string

	mu      sync.Mutex
	cut     bool
	stalled chan struct{} // closed: data passes
	open    map[net.Conn]bool
}

// NewLink makes a link to an address, which ends with the test.
func NewLink(t testing.TB, to string) *Link {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{listener: listener, to: to, stalled: make(chan struct{}), open: map[net.Conn]bool{}}
	close(l.stalled)
	go l.serve()
	t.Cleanup(func() {
		listener.Close()
		l.Cut()
		l.Mend()
	})
	return l
}

// Addr is the address of the link, HOST:PORT.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Cut ends all connections and refuses new ones until Mend.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for c := range l.open {
		c.Close()
	}
	clear(l.open)
}

// Stall keeps connections but passes nothing on until Mend, as a network that loses
// packets does.
func (l *Link) Stall() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.stalled:
		l.stalled = make(chan struct{})
	default:
	}
}

// Mend ends a cut or a stall.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
	select {
	case <-l.stalled:
	default:
		close(l.stalled)
	}
}

func (l *Link) serve() {
	for {
		in, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.pass(in)
	}
}

func (l *Link) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer out.Close()
	if !l.track(in, out) {
		return
	}
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() {
			l.copy(pair[0], pair[1])
			in.Close()
			out.Close()
			done <- struct{}{}
		}()
	}
	<-done
	<-done
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, in)
	delete(l.open, out)
}

func (l *Link) track(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return false
	}
	for _, c := range conns {
		l.open[c] = true
	}
	return true
}

func (l *Link) copy(to io.Writer, from io.Reader) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		l.mu.Lock()
		stalled := l.stalled
		l.mu.Unlock()
		<-stalled
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Links are cut, stalled and mended together.
type Links []*Link

// Cut cuts all.
func (l Links) Cut() {
	for _, each := range l {
		each.Cut()
	}
}

// Stall stalls all.
func (l Links) Stall() {
	for _, each := range l {
		each.Stall()
	}
}

// Mend mends all.
func (l Links) Mend() {
	for _, each := range l {
		each.Mend()
	}
}
