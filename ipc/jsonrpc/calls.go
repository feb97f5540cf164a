package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

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

// Methods are what a connection can call: those of an engine, or of its Commands.
type Methods interface {
	Has(method string) bool
	Call(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// Start answers the messages of source over out, with ctx as the context of the
// calls. When source has ended, it calls ended, and wait returns after every call
// was answered.
func Start(ctx context.Context, methods Methods, source Source, out *Outbox, ended func(), log *slog.Logger) (wait func() error) {
	work := engine.WithConnection(ctx, out)
	calls := &assigner{methods: methods, log: log}
	srv := jrpc2.NewServer(calls, &jrpc2.ServerOptions{
		Concurrency:    concurrency,
		DisableBuiltin: true,
		NewContext:     func() context.Context { return work },
	})
	srv.Start(newChannel(source, out, ended))
	return func() error {
		err := srv.Wait()
		calls.detachedCalls.Wait()
		return err
	}
}

type assigner struct {
	methods       Methods
	log           *slog.Logger
	detachedCalls sync.WaitGroup // requests without id that are still running
}

// Assign implements jrpc2.Assigner.
func (a *assigner) Assign(ctx context.Context, method string) jrpc2.Handler {
	if method == "$/cancelRequest" {
		return cancelRequest
	}
	if !a.methods.Has(method) {
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
	result, err := a.methods.Call(ctx, req.Method(), params)
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
		if _, err := a.methods.Call(ctx, method, params); err != nil {
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
