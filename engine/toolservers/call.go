package toolservers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	progressEvery = 100 * time.Millisecond
	lastOfStream  = time.Second // for the end of a stream whose answer has come
)

// errLate ends calls that take too long.
var errLate = errors.New("it did not answer in time")

// underWay is a call under way.
type underWay struct {
	ctx   context.Context
	ask   func(context.Context, Question) (Answer, error)
	timer *pausable
	say   func(Progress)

	mu   sync.Mutex
	last time.Time // when progress was told
}

type underWayKey struct{}

// told tells progress, not too often.
func (u *underWay) told(p Progress) {
	if u.say == nil || u.ctx.Err() != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := time.Now(); now.Sub(u.last) >= progressEvery {
		u.last = now
		u.say(p)
	}
}

// pausable is a timer that can be paused.
type pausable struct {
	mu     sync.Mutex
	left   time.Duration
	since  time.Time
	paused int
	timer  *time.Timer
}

func newPausable(d time.Duration, f func()) *pausable {
	return &pausable{left: d, since: time.Now(), timer: time.AfterFunc(d, f)}
}

func (t *pausable) pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paused++; t.paused == 1 && t.timer.Stop() {
		t.left = max(0, t.left-time.Since(t.since))
	}
}

func (t *pausable) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paused--; t.paused == 0 {
		t.since = time.Now()
		t.timer.Reset(t.left)
	}
}

func (t *pausable) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.paused++ // so that no resume starts it again
	t.timer.Stop()
}

// Call calls a tool. The error is an *Error, or that of ctx, and then the server was told
// to stop. A tool that says that it failed is not an error: Result.IsError.
func (p *Pool) Call(ctx context.Context, s Scope, c Call) (*Result, error) {
	r, err := p.lookUp(s, c.Server)
	if err != nil {
		return nil, err
	}
	args, err := arguments(c)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for attempt := 0; ; attempt++ {
		res, err := p.callOnce(ctx, s, &r, c, args)
		// A server that forgot the session did not look at the request.
		if err != nil && errors.Is(err, mcp.ErrSessionMissing) && attempt == 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		res.BytesOut, res.Elapsed = len(args), time.Since(began)
		return res, nil
	}
}

// arguments returns the arguments of a call.
func arguments(c Call) (json.RawMessage, error) {
	args := c.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	bad := func(what, do string) error {
		return &Error{Server: clip(c.Server, maxName), Kind: BadArguments, What: what, Do: do}
	}
	if len(args) > MaxArguments {
		return nil, bad(fmt.Sprintf("the arguments have %d KiB", len(args)>>10), fmt.Sprintf("at most %d KiB can be sent", MaxArguments>>10))
	}
	if _, err := parseObject(args); err != nil {
		return nil, bad("the arguments are not a JSON object", "send an object such as {}")
	}
	return args, nil
}

func (p *Pool) callOnce(ctx context.Context, s Scope, r *resolved, c Call, args json.RawMessage) (*Result, error) {
	conn := p.connection(*r)
	x, err := conn.acquire(ctx, s, r, false)
	if err != nil {
		return nil, err
	}
	defer conn.release(x)
	calling, cancel := context.WithCancelCause(withCaller(ctx, caller{s.Workbench, c.Tool}))
	stop := context.AfterFunc(x.ctx, func() { cancel(context.Canceled) })
	ended := func() { stop(); cancel(nil) }
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = p.timeoutOf(*r)
	}
	u := &underWay{ctx: calling, ask: c.Ask, say: c.Progress, timer: newPausable(timeout, func() { cancel(errLate) })}
	defer u.timer.stop()
	calling = context.WithValue(calling, underWayKey{}, u)
	if err := x.offered(calling, r, c); err != nil {
		defer ended()
		return nil, p.callFailure(ctx, calling, x, r, err, c.Tool)
	}
	token := x.enter(u)
	defer x.leave(token)
	params := &mcp.CallToolParams{Name: c.Tool, Arguments: args}
	params.SetProgressToken(token)
	res, err := x.sdk.CallTool(calling, params)
	if err != nil {
		defer ended()
		return nil, p.callFailure(ctx, calling, x, r, err, c.Tool)
	}
	if x.process == nil {
		time.AfterFunc(lastOfStream, ended) // the SDK reads the stream to its end to use the connection again
	} else {
		ended()
	}
	return resultOf(res), nil
}

// offered checks that a tool is there, and as it was offered.
func (x *session) offered(ctx context.Context, r *resolved, c Call) error {
	tools, _, err := x.list(ctx, c.Hash != "")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Tool == c.Tool })
	if i < 0 {
		return &Error{Server: r.name, Kind: Unknown, What: fmt.Sprintf("it has no tool %q", line(c.Tool, 100)), Do: toolNames(tools)}
	}
	if c.Hash != "" && tools[i].Hash != c.Hash {
		return &Error{Server: r.name, Kind: ToolChanged, What: fmt.Sprintf("its tool %s is not as it was offered: its description or its arguments changed", tools[i].Tool), Do: "look at it again before it is called; nothing was sent"}
	}
	return nil
}

func toolNames(tools []Tool) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Tool)
	}
	if len(names) == 0 {
		return "it has no tools"
	}
	return "it has " + clip(strings.Join(names, ", "), 400)
}

func (x *session) enter(u *underWay) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.next++
	token := "call-" + strconv.FormatInt(x.next, 10)
	x.calls[token] = u
	return token
}

func (x *session) leave(token string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.calls, token)
}

// callFailure returns the error of a call: that of the caller's context where it ended.
func (p *Pool) callFailure(ctx, calling context.Context, x *session, r *resolved, err error, tool string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return x.failure(calling, r, err, "the call of "+line(tool, 100))
}
