package folderwatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"atelier/internal/regularfile"
)

// Options configure a Watcher. Dir and Refuse are needed.
type Options struct {
	Dir string
	// Refuse returns why a file or folder is not taken, as a kind of files such as
	// "hidden files"; "" takes it. rel is '/'-separated. What is below a refused folder
	// is not looked at; folders are not told.
	Refuse func(rel string, dir bool) string
	Settle time.Duration // for which size and time of a file are unchanged before it is dealt with; 0: 2 s
	Poll   time.Duration // look at the whole folder so often and use no events; 0: use events
	Look   time.Duration // between full looks with events; 0: 10 min
	Most   int           // files that wait at a time; 0: 20,000
	Told   func(Note)    // nil tells nothing; one call at a time
}

// Note is something that a person should know of.
type Note struct {
	Event string // ignored, polling, overflow, unreadable
	Rel   string // the file or folder, "" when it is none
	Text  string
}

// Watcher finds files that settled. One goroutine calls Next.
type Watcher struct {
	opt   Options
	store *Store

	events *fsnotify.Watcher // nil: polling
	wake   chan struct{}     // 1 place: something came
	began  time.Time
	tell   sync.Mutex // held while something is told

	mu        sync.Mutex // protects the rest
	waiting   map[string]*entry
	queue     []string // entries that settled, in that order
	lookAt    time.Time
	beyond    bool                 // a look found more than Most
	again     map[string]time.Time // new folders that are looked at once more, and when
	nextRetry time.Time
	forgotAt  time.Time
	told      map[string]bool
}

// entry is a file that may have to be dealt with.
type entry struct {
	size, mtime int64
	since       time.Time // size and time are as they were then
	hash        bool      // compare the content even if size and time are known
	settled     bool
	queued      bool
}

// New begins to watch. It reads nothing yet; the first Next looks at the folder.
// The caller closes the Watcher, not the store before.
func New(o Options, store *Store) (*Watcher, error) {
	if st, err := os.Stat(o.Dir); err != nil {
		return nil, err
	} else if !st.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", o.Dir)
	}
	dir, err := filepath.EvalSymlinks(o.Dir)
	if err != nil {
		return nil, err
	}
	o.Dir = dir
	if o.Settle <= 0 {
		o.Settle = 2 * time.Second
	}
	if o.Look <= 0 {
		o.Look = 10 * time.Minute
	}
	if o.Most <= 0 {
		o.Most = 20_000
	}
	w := &Watcher{opt: o, store: store, wake: make(chan struct{}, 1), waiting: map[string]*entry{}, again: map[string]time.Time{}, told: map[string]bool{}, nextRetry: time.Now(), began: time.Now()}
	if o.Poll > 0 {
		return w, nil
	}
	if kind := networkOf(dir); kind != "" {
		w.poll("it is on a network file system (" + kind + "), which has no events for changes by other machines")
		return w, nil
	}
	if w.events, err = fsnotify.NewWatcher(); err != nil {
		w.poll(err.Error())
		return w, nil
	}
	go w.collect(w.events)
	return w, nil
}

// defaultPoll is the time between full looks where there are no events.
const defaultPoll = 30 * time.Second

// poll continues without events.
func (w *Watcher) poll(why string) {
	w.mu.Lock()
	w.opt.Poll = defaultPoll
	w.mu.Unlock()
	w.note("polling", "", fmt.Sprintf("the folder is looked at every %s instead of waiting for events: %s", defaultPoll, why))
}

// Close ends the watching.
func (w *Watcher) Close() error {
	w.mu.Lock()
	events := w.events
	w.events = nil
	w.mu.Unlock()
	if events == nil {
		return nil
	}
	return events.Close()
}

// Next waits for files that settled and returns at most most of them. A file whose
// work was interrupted is returned alone and after the others, so that a file which
// ends the process holds up no other. The error is that of ctx, or of the store.
func (w *Watcher) Next(ctx context.Context, most int) ([]File, error) {
	for {
		if err := w.lookIfDue(ctx); err != nil {
			return nil, err
		}
		if err := w.lookAgain(ctx); err != nil {
			return nil, err
		}
		if err := w.retryDue(ctx); err != nil {
			return nil, err
		}
		if err := w.settle(ctx); err != nil {
			return nil, err
		}
		files, err := w.take(ctx, most)
		if err != nil || len(files) > 0 {
			return files, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(w.pause()):
		case <-w.wake:
		}
	}
}

// pause is the time until there may be something to do without an event.
func (w *Watcher) pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	d := w.lookAt.Sub(now)
	if !w.nextRetry.IsZero() {
		d = min(d, w.nextRetry.Sub(now))
	}
	if len(w.waiting)+len(w.again) > 0 {
		d = min(d, w.opt.Settle/2)
	}
	return max(d, 10*time.Millisecond)
}

// Retry says that a file is to be tried again at that time.
func (w *Watcher) Retry(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nextRetry.IsZero() || at.Before(w.nextRetry) {
		w.nextRetry = at
	}
}

func (w *Watcher) retryDue(ctx context.Context) error {
	w.mu.Lock()
	due := !w.nextRetry.IsZero() && !time.Now().Before(w.nextRetry)
	w.mu.Unlock()
	if !due {
		return nil
	}
	rels, next, err := w.store.due(ctx, 100)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nextRetry = next; len(rels) == 100 {
		w.nextRetry = time.Now().Add(w.opt.Settle)
	}
	for _, rel := range rels {
		if w.waiting[rel] == nil {
			w.waiting[rel] = &entry{size: -1, hash: true, since: time.Now()}
		}
	}
	return nil
}

// settle queues what did not change for long enough.
func (w *Watcher) settle(ctx context.Context) (err error) {
	var gone []string
	defer func() {
		for _, rel := range gone {
			err = errors.Join(err, w.store.away(ctx, rel))
		}
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for rel, e := range w.waiting {
		if e.settled {
			continue
		}
		st, err := os.Lstat(filepath.Join(w.opt.Dir, filepath.FromSlash(rel)))
		switch {
		case err != nil || !st.Mode().IsRegular():
			delete(w.waiting, rel)
			gone = append(gone, rel)
		case st.Size() != e.size || st.ModTime().UnixNano() != e.mtime:
			e.size, e.mtime, e.since = st.Size(), st.ModTime().UnixNano(), now
		case now.Sub(e.since) >= w.opt.Settle:
			if e.settled = true; !e.queued {
				e.queued = true
				w.queue = append(w.queue, rel)
			}
		}
	}
	return nil
}

// pop takes the next file that settled off the queue.
func (w *Watcher) pop() (rel string, e *entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 {
		rel, w.queue = w.queue[0], w.queue[1:]
		e := w.waiting[rel]
		if e == nil {
			continue
		}
		if e.queued = false; !e.settled {
			continue // it changed meanwhile, and settles again
		}
		delete(w.waiting, rel)
		return rel, e
	}
	return "", nil
}

// take returns files that have to be dealt with.
func (w *Watcher) take(ctx context.Context, most int) (files []File, err error) {
	var interrupted []File
	for len(files) < most {
		rel, e := w.pop()
		if e == nil {
			break
		}
		f, err := w.examine(ctx, rel, e)
		switch {
		case err != nil:
			return nil, err
		case f == nil:
		case f.Interrupted > 0:
			interrupted = append(interrupted, *f)
		default:
			files = append(files, *f)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(files) == 0 && len(interrupted) > 0 {
		files, interrupted = interrupted[:1], interrupted[1:]
	}
	for _, f := range interrupted { // they wait behind what is queued by now
		if w.waiting[f.Rel] == nil {
			w.waiting[f.Rel] = &entry{size: f.Size, mtime: f.mtime, hash: true, settled: true, queued: true}
			w.queue = append(w.queue, f.Rel)
		}
	}
	return files, nil
}

// examine returns the file if it has to be dealt with, nil if its content was dealt
// with or it changes again.
func (w *Watcher) examine(ctx context.Context, rel string, e *entry) (*File, error) {
	r, err := w.store.get(ctx, rel)
	if err != nil || !e.hash && w.store.settledAs(r, e.size, e.mtime) {
		return nil, err
	}
	f := &File{Rel: rel, Path: filepath.Join(w.opt.Dir, filepath.FromSlash(rel)), Size: e.size, mtime: e.mtime}
	// It may have waited long behind others, and be a pipe by now.
	if st, serr := os.Lstat(f.Path); serr == nil && (!st.Mode().IsRegular() || st.Size() != e.size || st.ModTime().UnixNano() != e.mtime) {
		w.saw(rel, true)
		return nil, nil
	}
	f.Hash, err = hashOf(ctx, f.Path)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, w.store.away(ctx, rel)
	}
	if st, serr := os.Lstat(f.Path); serr == nil && (st.Size() != e.size || st.ModTime().UnixNano() != e.mtime) {
		w.saw(rel, true)
		return nil, nil
	}
	if r == nil || r.recipe != w.store.recipe || r.hash != f.Hash {
		return f, nil
	}
	switch {
	case r.state == stateBegun:
		f.Interrupted, f.tries = r.begun, r.tries
		if until := w.began.Add(interruptedDelay(r.begun)); time.Now().Before(until) {
			w.mu.Lock()
			w.waiting[rel] = &entry{size: e.size, mtime: e.mtime, hash: true, since: until.Add(-w.opt.Settle)}
			w.mu.Unlock()
			return nil, nil
		}
		return f, nil
	case r.state == stateWaiting || r.state == stateFailed && r.mtime != e.mtime:
		f.tries = r.tries
		return f, nil
	case r.mtime != e.mtime:
		return nil, w.store.touch(ctx, rel, e.mtime)
	}
	return nil, nil
}

// interruptedDelay is how long after the start a file waits whose work did not come to
// an end n times, since it may be what ends the process: none up to three times, then
// from a second up to ten minutes.
func interruptedDelay(n int) time.Duration {
	if n < 4 {
		return 0
	}
	return min(10*time.Minute, time.Second<<min(n-4, 10))
}

// hashOf is the SHA-256 of a file.
func hashOf(ctx context.Context, path string) (string, error) {
	f, err := regularfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return "", err
		}
	}
}
