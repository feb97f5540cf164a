package stdio

import (
	"context"
	"io"
)

// until reads from a source until a context is done, and then gives io.EOF even
// while a read of the source waits, which no signal interrupts.
type until struct {
	done  <-chan struct{}
	want  chan []byte
	got   chan read
	piece []byte // what the reader fills; the rest of it is left
	rest  []byte
	err   error
}

type read struct {
	n   int
	err error
}

func newUntil(ctx context.Context, from io.Reader) *until {
	u := &until{done: ctx.Done(), want: make(chan []byte), got: make(chan read, 1), piece: make([]byte, 64<<10)}
	go func() {
		for {
			select {
			case p := <-u.want:
				n, err := from.Read(p)
				u.got <- read{n, err}
				if err != nil {
					return
				}
			case <-u.done:
				return
			}
		}
	}()
	return u
}

// Read implements io.Reader.
func (u *until) Read(p []byte) (int, error) {
	if len(u.rest) == 0 && u.err == nil {
		select {
		case u.want <- u.piece:
		case <-u.done:
			return 0, io.EOF
		}
		select {
		case r := <-u.got:
			u.rest, u.err = u.piece[:r.n], r.err
		case <-u.done:
			return 0, io.EOF
		}
	}
	if len(u.rest) == 0 {
		return 0, u.err
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
