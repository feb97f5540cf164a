package stdio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"atelier/engine"
)

// applicationError is the JSON-RPC code of every error from the engine
// (I-03).
const applicationError = jrpc2.Code(-32000)

// concurrency limits the calls that run at once, only to limit memory. It
// does not depend on the number of processors, because most calls wait for a
// model or a disk.
const concurrency = 1 << 14

// Options configure Serve; the zero value works.
type Options struct {
	Log *slog.Logger
	// Drain is how long calls in progress may continue after ctx is done;
	// then they are canceled. 0 cancels them at once.
	Drain time.Duration
	// Hurry, when closed, ends that time early; it may be nil.
	Hurry <-chan struct{}
}

// ErrStillRunning says that calls did not end although they were canceled. The
// process must end without waiting for them: what they stored is kept, as after
// a crash.
var ErrStillRunning = errors.New("calls in progress did not end after they were canceled")

// How long Serve waits for canceled calls.
const (
	afterDrain = 15 * time.Second // when their time was over
	afterHurry = 2 * time.Second  // when a person asked again
)

// lastWords is how long the client has to read the last answers after calls
// were canceled.
const lastWords = 2 * time.Second

// Serve answers requests from in on out until in ends or ctx is done, and
// returns nil after every pending call was answered. When ctx is done, it
// reads no more requests, and calls in progress have Options.Drain. If one
// ignores its cancellation, the error is ErrStillRunning.
func Serve(ctx context.Context, eng *engine.Engine, in io.Reader, out io.Writer, opt Options) error {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	box := newOutbox(out)
	work, cancel := context.WithCancel(engine.WithConnection(context.WithoutCancel(ctx), box))
	defer cancel()
	stop := eng.Subscribe(box.notify)
	calls := &assigner{eng: eng, log: opt.Log}
	srv := jrpc2.NewServer(calls, &jrpc2.ServerOptions{
		Concurrency:    concurrency,
		DisableBuiltin: true,
		NewContext:     func() context.Context { return work },
	})
	// After the end of input, questions can get no answers.
	srv.Start(newLineChannel(newUntil(ctx, in), box, eng.Unattended))
	ended, late, stuck := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		opt.Log.Info("stopping; calls and runs in progress are let end", "for", opt.Drain)
		grace := afterDrain
		select {
		case <-time.After(opt.Drain):
		case <-opt.Hurry:
			grace = afterHurry
		case <-ended:
		}
		cancel()
		time.AfterFunc(lastWords, func() { close(late) })
		select {
		case <-time.After(grace):
		case <-opt.Hurry:
			time.Sleep(min(grace, afterHurry))
		case <-ended:
		}
		close(stuck)
	}()
	answered := make(chan error, 1)
	go func() {
		err := srv.Wait()
		calls.detachedCalls.Wait()
		answered <- err
	}()
	var err error
	select {
	case err = <-answered:
	case <-stuck:
		return ErrStillRunning
	}
	stop()
	close(ended)
	written := make(chan error, 1)
	go func() { written <- box.close() }()
	select {
	case werr := <-written:
		err = cmp.Or(err, werr)
	case <-late:
		opt.Log.Warn("the last answers were not read")
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

type assigner struct {
	eng           *engine.Engine
	log           *slog.Logger
	detachedCalls sync.WaitGroup // requests without id that are still running
}

// Assign implements jrpc2.Assigner.
func (a *assigner) Assign(ctx context.Context, method string) jrpc2.Handler {
	if method == "$/cancelRequest" {
		return cancelRequest
	}
	if !engine.HasMethod(method) {
		return nil
	}
	req := jrpc2.InboundRequest(ctx)
	if req != nil && req.IsNotification() {
		return a.detached
	}
	return a.call
}

// Names implements jrpc2.Namer.
func (a *assigner) Names() []string { return nil }

func (a *assigner) call(ctx context.Context, req *jrpc2.Request) (any, error) {
	var params json.RawMessage
	if err := req.UnmarshalParams(&params); err != nil {
		return nil, err
	}
	result, err := a.eng.Call(ctx, req.Method(), params)
	if err != nil {
		return nil, wireError(err)
	}
	return result, nil
}

// detached runs a request without id (I-08) in the background, because jrpc2
// delays later requests until a notification's handler returns.
func (a *assigner) detached(ctx context.Context, req *jrpc2.Request) (any, error) {
	var params json.RawMessage
	if err := req.UnmarshalParams(&params); err != nil {
		return nil, err
	}
	method := req.Method()
	a.detachedCalls.Go(func() {
		if _, err := a.eng.Call(ctx, method, params); err != nil {
			a.log.Warn("a request without id failed", "method", method, "err", err)
		}
	})
	return nil, nil
}

// cancelRequest is $/cancelRequest{id}: it cancels the context of the call
// with that id, which then answers USER_CANCELED.
func cancelRequest(ctx context.Context, req *jrpc2.Request) (any, error) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := req.UnmarshalParams(&p); err != nil {
		return nil, err
	}
	jrpc2.ServerFromContext(ctx).CancelRequest(string(p.ID))
	return struct{}{}, nil
}

// wireError converts the engine's error to JSON-RPC (I-03, I-04).
func wireError(err error) error {
	var info *engine.ErrorInfo
	if !errors.As(err, &info) {
		return jrpc2.Errorf(jrpc2.InternalError, "%s", err)
	}
	code := applicationError
	switch info.ErrorCode {
	case engine.CodeMethodNotFound:
		code = jrpc2.MethodNotFound
	case engine.CodeInvalidParams:
		code = jrpc2.InvalidParams
	}
	return (&jrpc2.Error{Code: code, Message: info.Error()}).WithData(info)
}
