package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// calls are the requests at work, by session: the SDK waits for them when a session is
// ended, and does not end them.
type calls struct {
	mu       sync.Mutex // protects sessions and their n
	sessions map[mcp.Session]*sessionCalls
}

// sessionCalls are those of one session.
type sessionCalls struct {
	ctx  context.Context // done when the session is ended
	end  context.CancelFunc
	n    int
	user string // over HTTP
}

// runKey is the key of the context of Run in those of requests, which the SDK does not end
// with it.
type runKey struct{}

// begin notes a request, whose context also ends when its session is ended. done must be
// called when it has been carried out.
func (c *calls) begin(ctx context.Context, req mcp.Request) (_ context.Context, done func()) {
	session := req.GetSession()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[session]
	if s == nil {
		s = &sessionCalls{}
		s.ctx, s.end = context.WithCancel(context.Background())
		if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
			s.user = extra.TokenInfo.UserID
		}
		c.sessions[session] = s
	}
	s.n++
	ctx, cancel := context.WithCancel(ctx)
	stop, stopRun := context.AfterFunc(s.ctx, cancel), func() bool { return true }
	if run, ok := ctx.Value(runKey{}).(context.Context); ok {
		stopRun = context.AfterFunc(run, cancel)
	}
	return ctx, func() {
		stop()
		stopRun()
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		if s.n--; s.n == 0 {
			s.end()
			if c.sessions[session] == s {
				delete(c.sessions, session)
			}
		}
	}
}

// end cancels the requests of the sessions of which is returns true.
func (c *calls) end(is func(id, user string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for session, s := range c.sessions {
		if is(session.ID(), s.user) {
			s.end()
			delete(c.sessions, session) // one that comes now is not canceled
		}
	}
}
