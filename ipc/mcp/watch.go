package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine"
)

// maxSubscriptions bounds the resources that clients of one server subscribe to.
const maxSubscriptions = 1000

// watcher tells clients which resources changed. What the engine says only wakes it: it
// looks itself which of the subscribed files are other ones now.
type watcher struct {
	s     *Server
	wake  chan struct{}
	ended chan struct{}
	stop  context.CancelFunc

	mu    sync.Mutex        // protects the fields below
	users map[string]int    // subscriptions by URI
	state map[string]string // of the files, by path, when they were looked at last
}

func newWatcher(s *Server) *watcher {
	ctx, stop := context.WithCancel(context.Background())
	w := &watcher{s: s, wake: make(chan struct{}, 1), ended: make(chan struct{}), stop: stop, users: map[string]int{}}
	go w.run(ctx)
	return w
}

func (w *watcher) close() {
	w.stop()
	<-w.ended
}

// notify is called by the engine, and does not wait.
func (w *watcher) notify(n engine.Notification) {
	switch n.Params.(type) {
	case engine.DraftStateChanged, engine.WorkbenchFilesChanged:
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func (w *watcher) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	if _, _, ok := pathOf(uri); !ok && uri != reviewURI {
		return mcp.ResourceNotFoundError(uri)
	}
	id, err := w.s.workbench(ctx, req, req.Session)
	if err != nil {
		return protocolError(err)
	}
	now, err := w.look(ctx, id)
	if err != nil {
		return protocolError(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.users[uri] == 0 && len(w.users) >= maxSubscriptions {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there are too many subscriptions; end some first"}
	}
	w.users[uri]++
	if w.state == nil {
		w.state = now
	}
	return nil
}

func (w *watcher) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.users[req.Params.URI]--; w.users[req.Params.URI] <= 0 {
		delete(w.users, req.Params.URI)
	}
	return nil
}

func (w *watcher) run(ctx context.Context) {
	defer close(w.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			w.tell(ctx)
		}
	}
}

// tell sends the notifications of what changed.
func (w *watcher) tell(ctx context.Context) {
	w.s.mu.Lock()
	id := w.s.id
	w.s.mu.Unlock()
	if id == "" {
		return
	}
	now, err := w.look(ctx, id)
	if err != nil {
		w.s.opt.Log.Warn("the files cannot be looked at", "err", err)
		return
	}
	w.mu.Lock()
	before := w.state
	w.state = now
	var changed []string
	for uri := range w.users {
		_, path, ok := pathOf(uri)
		if !ok || before[path] != now[path] {
			changed = append(changed, uri)
		}
	}
	w.mu.Unlock()
	if before == nil || !sameNames(before, now) {
		w.s.sdk.AddResource(w.s.reviewResource(), w.s.readReview) // tells that the list is another one
	}
	for _, uri := range changed {
		if err := w.s.sdk.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			w.s.opt.Log.Debug("a client did not take a notification", "err", err)
		}
	}
}

// look returns what each file is now: another value for another content.
func (w *watcher) look(ctx context.Context, id string) (map[string]string, error) {
	files, err := w.s.files(ctx, id)
	if err != nil {
		return nil, err
	}
	digests, err := w.s.opt.Engine.DraftHashes(ctx, id)
	if err != nil {
		return nil, err
	}
	state := make(map[string]string, len(files))
	for _, f := range files {
		state[f.Path] = f.ModifiedAt + " " + digests[f.Path]
	}
	return state, nil
}

func sameNames(a, b map[string]string) bool {
	for name := range a {
		if _, ok := b[name]; !ok {
			return false
		}
	}
	return len(a) == len(b)
}
