//lint:file-ignore SA1019 roots belong to revisions before 2026-07-28, which are spoken too

package toolservers

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/fileuri"
)

const (
	oldest      = "2025-11-25" // offered to servers that do not answer server/discover
	maxAsks     = 8            // requests of a server at once
	sayEvery    = time.Second  // how often a change of tools is told
	closeTime   = 3 * time.Second
	unaskedRate = 1000 // messages a second that a server may send unasked
	unaskedMost = 5000 // of them at once
)

var errFlood = errors.New("it sent more than 5,000 messages that nobody asked for")

// session is one connection to a server, from its start to its end.
type session struct {
	name                     string
	title, version, protocol string
	sdk                      *mcp.ClientSession
	process                  *process // nil for http servers
	ctx                      context.Context
	cancel                   context.CancelFunc
	done                     chan struct{} // closed when all has ended
	closing                  sync.Once
	asks                     chan struct{} // a token for each request of the server at work
	listing                  chan struct{} // a token for who asks for the tools
	say                      func()        // tells that tools changed, not too often
	users                    int           // calls that use it; protected by connection.mu

	mu    sync.Mutex // protects the fields below
	odd   error      // an answer that is not of the protocol, the first
	cause error      // why it ended, the first that was noticed
	calls map[string]*underWay
	next  int64
	meter meter
	cache toolCache
	left  []string // tools that the SDK left out, and why
}

// connect starts a session. legacy says that the server knows no server/discover, which
// the result tells for the next time. lost is called when the session ends by itself.
func (p *Pool) connect(ctx context.Context, s Scope, r *resolved, legacy bool, lost func(*session)) (*session, bool, error) {
	return p.connectWith(ctx, s, r, legacy, p.authOf(r), lost)
}

func (p *Pool) connectWith(ctx context.Context, s Scope, r *resolved, legacy bool, h auth.OAuthHandler, lost func(*session)) (*session, bool, error) {
	ctx, cancel := context.WithTimeout(withCaller(ctx, caller{workbench: s.Workbench}), p.opt.StartTime)
	defer cancel()
	x, err := p.open(ctx, r, legacy, h)
	if err != nil && !legacy && ctx.Err() == nil && !final(err) {
		// Some servers of earlier revisions end at a request that they do not know.
		if second, err2 := p.open(ctx, r, true, h); err2 == nil {
			x, legacy, err = second, true, nil
		}
	}
	if err != nil {
		return nil, legacy, err
	}
	go x.watch(lost)
	return x, legacy, nil
}

// final reports whether another attempt would end the same way.
func final(err error) bool {
	var e *Error
	var need *needSignIn
	return errors.As(err, &e) || errors.As(err, &need) || refusedBy(err) != nil
}

// open starts one attempt.
func (p *Pool) open(ctx context.Context, r *resolved, legacy bool, h auth.OAuthHandler) (*session, error) {
	x := &session{name: r.name, done: make(chan struct{}), asks: make(chan struct{}, maxAsks), listing: make(chan struct{}, 1), calls: map[string]*underWay{}}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.say = x.sayer(func() { p.changed(r.name) })
	var t mcp.Transport
	var first *firstAnswer
	var err error
	if r.kind == kindStdio {
		if x.process, err = startProcess(r, p.opt.Getenv); err != nil {
			x.cancel()
			return nil, &Error{Server: r.name, Kind: NotStarted, What: redact(err.Error(), r), Do: "correct its entry in " + r.path, Err: err}
		}
		t = &stdioTransport{p: x.process, fail: x.fail, count: x.count}
	} else {
		first = &firstAnswer{OAuthHandler: h}
		if t, err = p.httpTransport(r, x, first); err != nil {
			x.cancel()
			return nil, err
		}
	}
	o := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		ElicitationHandler:          x.elicit,
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { x.stale() },
		ProgressNotificationHandler: x.progress,
		Logger:                      slog.New(&sdkLog{slog.DiscardHandler, x}),
	}
	if r.entry.Roots && r.folder != "" {
		o.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "atelier", Title: "Atelier", Version: p.opt.Version}, o)
	if o.Capabilities.RootsV2 != nil {
		c.AddRoots(&mcp.Root{URI: fileuri.Of(r.folder), Name: filepath.Base(r.folder)})
	}
	c.AddReceivingMiddleware(x.bounded)
	so := &mcp.ClientSessionOptions{}
	if legacy {
		so.ProtocolVersion = oldest
	}
	// The SDK opens the stream of messages without the context of the start.
	stop := context.AfterFunc(ctx, x.cancel)
	x.sdk, err = c.Connect(ctx, t, so)
	if !stop() && err == nil {
		err = ctx.Err()
		_ = x.sdk.Close() // its error is that of the end
	}
	if refused := first.end(); refused != nil && err != nil {
		err = refused // the SDK continues with the handshake of earlier revisions, and tells of that
	}
	if err != nil {
		err = x.reason(err, ctx)
		x.release()
		return nil, err
	}
	if i := x.sdk.InitializeResult(); i != nil {
		x.protocol = line(i.ProtocolVersion, 40)
		if i.ServerInfo != nil {
			x.title, x.version = line(i.ServerInfo.Title, 100), line(i.ServerInfo.Version, 60)
			if x.title == "" {
				x.title = line(i.ServerInfo.Name, 100)
			}
		}
	}
	return x, nil
}

// release gives back what a session that did not start has.
func (x *session) release() {
	x.cancel()
	if x.process != nil {
		x.process.end()
		x.process.closePipes()
	}
}

// watch waits for the end of the session.
func (x *session) watch(lost func(*session)) {
	err := x.sdk.Wait()
	own := x.ctx.Err() != nil && x.causeOf() == nil
	x.fail(err)
	x.cancel()
	_ = x.sdk.Close() // its error is that of the end, which is told already
	x.release()
	if !own && lost != nil {
		lost(x)
	}
	close(x.done)
}

// close ends the session and waits until all of it has ended.
func (x *session) close() {
	x.closing.Do(func() {
		x.cancel() // ends calls and questions under way
		closed := make(chan struct{})
		go func() { _ = x.sdk.Close(); close(closed) }()
		t := time.NewTimer(closeTime)
		defer t.Stop()
		select {
		case <-closed:
		case <-x.done:
		case <-t.C: // an answer that never ends
			if x.process != nil {
				x.process.end()
			}
		}
		<-closed
	})
	<-x.done
}

// ended reports whether the session has ended or is about to.
func (x *session) ended() bool {
	select {
	case <-x.done:
		return true
	default:
	}
	if x.process != nil {
		select {
		case <-x.process.exited:
			return true
		default:
		}
	}
	return x.causeOf() != nil
}

// fail keeps why the session ends, and ends it.
func (x *session) fail(err error) {
	if err == nil {
		return
	}
	x.mu.Lock()
	first := x.cause == nil
	if first {
		x.cause = err
	}
	x.mu.Unlock()
	if first && x.process != nil {
		x.process.cancel()
	}
}

// noteOdd keeps the first answer that is not of the protocol: it explains a start that
// fails.
func (x *session) noteOdd(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.odd == nil {
		x.odd = err
	}
}

func (x *session) causeOf() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.cause
}

// reason returns why a connection failed: what the session noticed comes before what the
// SDK says.
func (x *session) reason(err error, ctx context.Context) error {
	cause := x.causeOf()
	x.mu.Lock()
	odd := x.odd
	x.mu.Unlock()
	switch {
	case cause != nil:
		err = cause
	case odd != nil && !final(err):
		err = odd // the SDK may tell only that the connection is closed
	}
	e := &startError{err: err, late: errors.Is(ctx.Err(), context.DeadlineExceeded)}
	if x.process != nil {
		t := time.NewTimer(200 * time.Millisecond) // for what it writes at its end
		defer t.Stop()
		select {
		case <-x.process.exited:
		case <-t.C:
		}
		e.stderr = x.process.stderr.last()
		if cause == nil {
			e.how = x.process.how()
		}
	}
	return e
}

// startError is why a session did not start.
type startError struct {
	err         error
	late        bool
	how, stderr string
}

// Error implements error.
func (e *startError) Error() string { return e.err.Error() }

// Unwrap gives the cause.
func (e *startError) Unwrap() error { return e.err }
