package local

import (
	"io"
	"time"
)

// conn is one end of a connection: of a Unix socket, or of a named pipe on Windows.
type conn interface {
	io.ReadWriteCloser
	// CloseRead ends what is read; writing continues.
	CloseRead() error
	SetDeadline(time.Time) error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// acceptor waits for connections. After Close, Accept returns net.ErrClosed.
type acceptor interface {
	accept() (conn, error)
	Close() error
}

// Listener takes connections that only its owner can make.
type Listener struct {
	acceptor
	address string
}

// Address is what Dial takes.
func (l *Listener) Address() string { return l.address }
