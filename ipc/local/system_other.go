//go:build !unix && !windows

package local

import "context"

// Listen returns ErrUnsupported: nothing here says who can open a socket.
func Listen(string) (*Listener, error) { return nil, ErrUnsupported }

func connect(context.Context, string) (conn, error) { return nil, ErrUnsupported }

func samePeer(conn) error { return ErrUnsupported }
