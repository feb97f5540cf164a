package main

import (
	"context"
	"os"

	"golang.org/x/term"
)

// readSecret reads a line without echo. When ctx ends (Ctrl-C), it restores
// the echo.
func readSecret(ctx context.Context, f *os.File) ([]byte, error) {
	fd := int(f.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	type read struct {
		b   []byte
		err error
	}
	got := make(chan read, 1)
	go func() {
		b, err := term.ReadPassword(fd)
		got <- read{b, err}
	}()
	select {
	case r := <-got:
		return r.b, r.err
	case <-ctx.Done():
		_ = term.Restore(fd, before)
		return nil, errSilent // the person knows why it stopped
	}
}
