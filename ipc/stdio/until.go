package stdio

import (
	"context"
	"io"
)

// until reads from a source until a context is done. It then returns io.EOF,
// even while a read of the source is blocked, which no signal can interrupt.
type until struct {
	done  <-chan struct{}
	want  chan []byte
	got   chan read
	piece []byte // filled by the reader; the unread rest
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
