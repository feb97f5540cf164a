package password

import (
	"context"
	"slices"
	"sync"
)

// Watched notes which encrypted files were opened under a context. It is safe for
// concurrent use.
type Watched struct {
	above *Watched
	mu    sync.Mutex // guards names
	names []string
}

// Watch returns a context whose Watched notes the encrypted files that are opened
// under it. Those around it note them too.
func Watch(ctx context.Context) (context.Context, *Watched) {
	above, _ := ctx.Value(watchKey{}).(*Watched)
	w := &Watched{above: above}
	return context.WithValue(ctx, watchKey{}, w), w
}

// Opened notes that the file of that name was opened with a password.
func Opened(ctx context.Context, name string) {
	w, _ := ctx.Value(watchKey{}).(*Watched)
	for ; w != nil; w = w.above {
		w.mu.Lock()
		if !slices.Contains(w.names, name) {
			w.names = append(w.names, name)
		}
		w.mu.Unlock()
	}
}

// Any reports whether an encrypted file was opened.
func (w *Watched) Any() bool { return len(w.Names()) > 0 }

// Names lists their base names.
func (w *Watched) Names() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.names)
}
