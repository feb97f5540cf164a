package egress

import (
	"context"
	"errors"
	"io"
	"net"
)

// failure names an error without its text, which may repeat an address with a
// key in it.
func failure(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.As(err, &dns):
		return "unknown host"
	case errors.As(err, &op) && op.Op == "dial":
		return "not reachable"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &op):
		return "connection lost"
	}
	return "failed"
}
