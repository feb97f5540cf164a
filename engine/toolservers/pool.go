package toolservers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// KeyStore keeps secrets by name: the tokens of servers that the person signed in to.
type KeyStore interface {
	Get(name string) (string, error) // "" when there is none
	Set(name, secret string) error
	Delete(name string) error
}

// Options configure a Pool. Home, Transport and Keys are required.
type Options struct {
	Home      string            // data folder: mcp.json, and what was approved
	Transport http.RoundTripper // package egress: requests get their purpose here
	Keys      KeyStore
	Version   string                      // of Atelier, which servers are told
	Getenv    func(string) (string, bool) // for ${VAR} and what servers inherit; nil is os.LookupEnv
	IdleAfter time.Duration               // a server that no call uses ends; 0 is 10 minutes
	Timeout   time.Duration               // of a call whose entry has none; 0 is 60 seconds
	StartTime time.Duration               // for a server to start and answer; 0 is 30 seconds
	Log       *slog.Logger                // nil logs nothing
	Now       func() time.Time            // nil is time.Now
	// Changed is told that the tools of a server changed, or its state; nil tells nobody.
	// It must not block.
	Changed func(server string)
}

// Pool has the connections to servers, one each, begun when first needed. It is safe for
// concurrent use.
type Pool struct {
	opt Options
}

// New makes a pool; nothing starts yet.
func New(opt Options) *Pool { return &Pool{opt: opt} }

// Close ends all servers with what they started, and waits until they have ended.
func (p *Pool) Close() error { return nil }

var errNotYet = errors.New("not there yet")

// List returns the servers of a scope without starting any.
func (p *Pool) List(ctx context.Context, s Scope) (Listing, error) { return Listing{}, errNotYet }

// Configured reports whether a scope has a server that may be used, without starting any.
// It is cheap: files are read again only when they changed.
func (p *Pool) Configured(s Scope) bool { return false }

// Tools returns the tools of all servers of a scope, starting those that are not running,
// all at once. A server that fails is in Toolset.Failed; the error is that of ctx.
func (p *Pool) Tools(ctx context.Context, s Scope) (Toolset, error) { return Toolset{}, errNotYet }

// Call calls a tool. The error is an *Error, or that of ctx, and then the server was told
// to stop. A tool that says that it failed is no error: Result.IsError.
func (p *Pool) Call(ctx context.Context, s Scope, c Call) (*Result, error) { return nil, errNotYet }

// Set adds a server to mcp.json of the data folder or replaces it; members of the entry
// that are not known stay. The server ends if it runs.
func (p *Pool) Set(ctx context.Context, name string, e Entry) error { return errNotYet }

// Enable switches a server of the data folder on or off.
func (p *Pool) Enable(ctx context.Context, name string, on bool) error { return errNotYet }

// Remove removes a server from mcp.json of the data folder, with its tokens.
func (p *Pool) Remove(ctx context.Context, name string) error { return errNotYet }

// Decide approves or declines the entry of a folder's server whose hash the person was
// shown, or forgets the decision; decision is approve, decline or forget.
func (p *Pool) Decide(ctx context.Context, s Scope, name, decision, hash string) error {
	return errNotYet
}

// ApproveTool keeps that the person approved a tool as it is, so that a later change is
// told (Tool.Approval).
func (p *Pool) ApproveTool(ctx context.Context, s Scope, server, tool, hash string) error {
	return errNotYet
}

// Test connects to one server and lists its tools, also where it failed just now.
func (p *Pool) Test(ctx context.Context, s Scope, name string) (Server, []Tool, error) {
	return Server{}, nil, errNotYet
}

// SignIn signs in to a server with OAuth. show gets the address that the person opens in
// a browser; SignIn returns when the browser came back to a loopback address of this
// machine, or ctx ended.
func (p *Pool) SignIn(ctx context.Context, s Scope, name string, show func(address string)) error {
	return errNotYet
}

// SignOut forgets the tokens of a server.
func (p *Pool) SignOut(ctx context.Context, s Scope, name string) error { return errNotYet }
