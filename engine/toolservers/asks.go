package toolservers

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// meter counts messages that nobody asked for.
type meter struct {
	left float64
	at   time.Time
}

// count counts a message of the server that is not an answer.
func (x *session) count() error {
	x.mu.Lock()
	now := time.Now()
	m := &x.meter
	if m.at.IsZero() {
		m.left = unaskedMost
	} else {
		m.left = min(unaskedMost, m.left+now.Sub(m.at).Seconds()*unaskedRate)
	}
	m.at = now
	m.left--
	over := m.left < 0
	x.mu.Unlock()
	if over {
		x.fail(errFlood)
		return errFlood
	}
	return nil
}

// countEvent counts an event of an http server, and ends the session after too many.
func (x *session) countEvent() error {
	err := x.count()
	if err != nil {
		go x.close()
	}
	return err
}

// bounded limits what a server may ask at once.
func (x *session) bounded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		select {
		case x.asks <- struct{}{}:
			defer func() { <-x.asks }()
			return next(ctx, method, req)
		default:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests at once"}
		}
	}
}

// sayer returns a function that calls say at most once in sayEvery, also after the last
// change.
func (x *session) sayer(say func()) func() {
	var mu sync.Mutex
	waiting := false
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if waiting {
			return
		}
		waiting = true
		time.AfterFunc(sayEvery, func() {
			mu.Lock()
			waiting = false
			mu.Unlock()
			if x.ctx.Err() == nil {
				say()
			}
		})
	}
}

// elicit answers a question of the server by the person, where a call has one.
func (x *session) elicit(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	call := x.asker(ctx)
	if call == nil || call.ask == nil {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	q := Question{Server: x.name, URL: line(req.Params.URL, 2000)}
	q.Message, _ = clean(clip(req.Params.Message, MaxDescription))
	if req.Params.RequestedSchema != nil {
		b, err := json.Marshal(req.Params.RequestedSchema)
		if err != nil || len(b) > MaxSchema {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the schema of the question is too large"}
		}
		q.Schema = b
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(x.ctx, cancel)()
	defer context.AfterFunc(call.ctx, cancel)()
	call.timer.pause()
	defer call.timer.resume()
	a, err := call.ask(ctx, q)
	if err != nil {
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	if a.Action != "accept" && a.Action != "decline" {
		a.Action = "cancel"
	}
	if a.Action != "accept" {
		a.Content = nil
	}
	return &mcp.ElicitResult{Action: a.Action, Content: a.Content}, nil
}

// asker returns the call that a question belongs to: that of the context, else the only
// one under way; nil where that is not known.
func (x *session) asker(ctx context.Context) *underWay {
	if c, ok := ctx.Value(underWayKey{}).(*underWay); ok {
		return c
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.calls) != 1 {
		return nil
	}
	for _, c := range x.calls {
		return c
	}
	return nil
}

// progress tells a call of its progress.
func (x *session) progress(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	token, ok := req.Params.ProgressToken.(string)
	if !ok {
		return
	}
	x.mu.Lock()
	c := x.calls[token]
	x.mu.Unlock()
	if c != nil {
		c.told(Progress{Done: req.Params.Progress, Total: req.Params.Total, Message: line(req.Params.Message, 300)})
	}
}
