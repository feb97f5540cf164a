package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/ipc/jsonrpc"
)

// Options configure Serve; the zero value works.
type Options struct {
	Log *slog.Logger
	// Catalogue is whose tools the model gets; "" is the workshop's, and in plan
	// mode that of buildscale, whose tools can leave it.
	Catalogue string
	Workflow  string // agent (default), rpi or auto
}

// ErrStillRunning says that work did not end although it was canceled. The process
// must end without waiting for it: what it stored is kept, as after a crash.
var ErrStillRunning = errors.New("work in progress did not end after it was canceled")

const (
	afterEnd  = 15 * time.Second // that canceled work may take to end
	lastWords = 2 * time.Second  // that the client has to read the last answers
)

// Serve answers a client until in ends or ctx is done. Runs in progress are then
// canceled; what they did is kept, and the session can be loaded again.
func Serve(ctx context.Context, eng *engine.Engine, in io.Reader, out io.Writer, opt Options) error {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	w := newWire(in, out)
	a := newAgent(work, eng, opt)
	a.wire = w
	conn := sdk.NewAgentSideConnection(a, w, w)
	conn.SetLogger(opt.Log)
	a.connected(conn)
	close(w.ready)
	stop := eng.Subscribe(a.notify)
	defer stop()
	var err error
	select {
	case <-ctx.Done():
	case <-conn.Done():
	case <-w.box.Failed().Done():
		err = context.Cause(w.box.Failed())
	}
	a.mu.Lock() // work begins before, and is waited for, or not at all
	cancel()
	a.mu.Unlock()
	ended := make(chan struct{})
	go func() { a.working.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(afterEnd):
		return ErrStillRunning
	}
	if err != nil { // nothing can be written any more
		if errors.Is(err, jsonrpc.ErrNotRead) {
			opt.Log.Error("the client does not read its messages; the connection has ended")
		}
		return err
	}
	w.answered(lastWords)
	written := make(chan error, 1)
	go func() { written <- w.box.Close() }()
	select {
	case err = <-written:
	case <-time.After(lastWords):
		opt.Log.Warn("the last answers were not read")
	}
	return err
}
