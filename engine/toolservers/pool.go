package toolservers

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
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
	StartTime time.Duration               // for a server to start and answer; 0 is 60 seconds
	Log       *slog.Logger                // nil logs nothing
	Now       func() time.Time            // nil is time.Now
	// Changed is told that the tools of a server changed, or its state; nil tells nobody.
	// It must not block.
	Changed func(server string)
}

// Pool has the connections to servers, one each, begun when first needed. It is safe for
// concurrent use.
type Pool struct {
	opt     Options
	configs reader
	decided decisions
	ctx     context.Context // ends with Close
	stop    context.CancelFunc
	running sync.WaitGroup // starts and ends under way

	mu     sync.Mutex // protects the fields below
	all    map[string]*connection
	closed bool
}

// New makes a pool; nothing starts yet.
func New(opt Options) *Pool {
	if opt.Getenv == nil {
		opt.Getenv = os.LookupEnv
	}
	if opt.IdleAfter == 0 {
		opt.IdleAfter = 10 * time.Minute
	}
	if opt.Timeout == 0 {
		opt.Timeout = time.Minute
	}
	if opt.StartTime == 0 {
		opt.StartTime = time.Minute
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	p := &Pool{opt: opt, decided: decisions{home: opt.Home}, all: map[string]*connection{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Close ends all servers with what they started, and waits until they have ended.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	all := p.all
	p.all = map[string]*connection{}
	p.mu.Unlock()
	p.stop()
	closeAll(all)
	p.running.Wait()
	return nil
}

func closeAll(all map[string]*connection) {
	var wait sync.WaitGroup
	for _, c := range all {
		wait.Go(c.close)
	}
	wait.Wait()
}

// begin counts work that Close waits for; false: the pool is closed.
func (p *Pool) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running.Add(1)
	return true
}

// connection returns the connection of a server.
func (p *Pool) connection(r resolved) *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.all[r.key]
	if c == nil {
		c = &connection{p: p, key: r.key}
		if p.closed {
			c.gone = true
			return c
		}
		p.all[r.key] = c
	}
	return c
}

// drop ends the connections of servers of that name, without waiting.
func (p *Pool) drop(name string) {
	p.mu.Lock()
	ended := map[string]*connection{}
	for key, c := range p.all {
		if key == name || strings.HasSuffix(key, "\x00"+name) {
			ended[key] = c
			delete(p.all, key)
		}
	}
	if p.closed || len(ended) == 0 {
		p.mu.Unlock()
		return
	}
	p.running.Add(1)
	p.mu.Unlock()
	go func() {
		defer p.running.Done()
		closeAll(ended)
		p.changed(name)
	}()
}

// CloseFolder ends the servers that were started for a folder.
func (p *Pool) CloseFolder(folder string) {
	p.mu.Lock()
	ended := map[string]*connection{}
	for key, c := range p.all {
		if strings.HasPrefix(key, folder+"\x00") {
			ended[key] = c
			delete(p.all, key)
		}
	}
	p.mu.Unlock()
	closeAll(ended)
}

func (p *Pool) changed(server string) {
	if p.opt.Changed != nil {
		p.opt.Changed(server)
	}
}

// Test connects to one server and lists its tools, also where it failed just now.
func (p *Pool) Test(ctx context.Context, s Scope, name string) (Server, []Tool, error) {
	r, err := p.lookUp(s, name)
	if err != nil {
		return p.server(r), nil, err
	}
	tools, notes, err := p.toolsOf(ctx, s, &r, true)
	out := p.server(r)
	tools, more := named(tools)
	out.Notes = slices.Concat(out.Notes, notes, more)
	return out, tools, err
}
