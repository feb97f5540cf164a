package folderwatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// collect notes what events are about, until the watcher is closed.
func (w *Watcher) collect(events *fsnotify.Watcher) {
	for {
		select {
		case ev, ok := <-events.Events:
			if !ok {
				return
			}
			if ev.Op != fsnotify.Chmod {
				w.event(ev.Name)
			}
		case err, ok := <-events.Errors:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.noteAgain("overflow", "", "more changed than the system's queue of events holds; the whole folder is looked at")
			}
			w.mu.Lock()
			w.lookAt = time.Now()
			w.mu.Unlock()
			w.rouse()
		}
	}
}

func (w *Watcher) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// event notes a path that an event named: a file, or a folder with what is in it.
func (w *Watcher) event(path string) {
	rel, ok := w.rel(path)
	if !ok || rel == "." || w.refusedAbove(rel) {
		return
	}
	st, err := os.Lstat(path)
	if err != nil {
		return // gone; if it comes back there is another event
	}
	if st.IsDir() {
		w.mu.Lock()
		w.again[path] = time.Now().Add(w.opt.Settle)
		if len(w.again) > mostAgain {
			clear(w.again)
			w.lookAt = time.Now().Add(w.opt.Settle)
		}
		w.mu.Unlock()
		if err := w.walk(context.Background(), path, func(rel string, _ fs.FileInfo) { w.saw(rel, true) }); err != nil {
			w.mu.Lock()
			w.lookAt = time.Now()
			w.mu.Unlock()
		}
	} else if w.takes(rel, st.Mode()) {
		w.saw(rel, true)
	}
	w.rouse()
}

func (w *Watcher) rel(path string) (string, bool) {
	rel, err := filepath.Rel(w.opt.Dir, path)
	return filepath.ToSlash(rel), err == nil
}

// refusedAbove reports whether a folder above rel is refused.
func (w *Watcher) refusedAbove(rel string) bool {
	for i, c := range rel {
		if c == '/' && w.opt.Refuse(rel[:i], true) != "" {
			return true
		}
	}
	return false
}

// takes reports whether a file is one to deal with, and tells why it is not.
func (w *Watcher) takes(rel string, mode fs.FileMode) bool {
	why := w.opt.Refuse(rel, false)
	if why == "" && !mode.IsRegular() {
		if why = "pipes, sockets and devices"; mode&fs.ModeSymlink != 0 {
			why = "symbolic links"
		}
	}
	if why != "" {
		w.note("ignored", rel, why)
	}
	return why == ""
}

// saw makes a file one that may have to be dealt with, once it has settled.
func (w *Watcher) saw(rel string, hash bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.waiting[rel]
	if e == nil {
		if len(w.waiting) >= w.opt.Most {
			w.beyond = true
			return
		}
		e = &entry{}
		w.waiting[rel] = e
	}
	e.size, e.settled, e.since = -1, false, time.Now()
	e.hash = e.hash || hash
}

// lookIfDue looks at the whole folder when it is time for that.
func (w *Watcher) lookIfDue(ctx context.Context) error {
	w.mu.Lock()
	now := time.Now()
	due := !now.Before(w.lookAt) || w.beyond && len(w.waiting) == 0
	if due {
		w.beyond = false
		if w.lookAt = now.Add(w.opt.Look); w.opt.Poll > 0 {
			w.lookAt = now.Add(w.opt.Poll)
		}
	}
	w.mu.Unlock()
	if !due {
		return nil
	}
	err := w.look(ctx, w.opt.Dir)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // the folder itself is away: it may come back
		w.note("unreadable", "", fmt.Sprintf("the folder cannot be looked at: %v; it is tried again every %s", err, defaultPoll))
		w.mu.Lock()
		w.lookAt = now.Add(defaultPoll)
		w.mu.Unlock()
		return nil
	}
	w.mu.Lock()
	delete(w.told, "unreadable\x00")
	w.mu.Unlock()
	if now.Sub(w.forgotAt) < 24*time.Hour {
		return nil
	}
	w.forgotAt = now
	return w.store.forget(ctx, func(rel string) bool {
		_, err := os.Lstat(filepath.Join(w.opt.Dir, filepath.FromSlash(rel)))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// look finds the files below root that have to be dealt with.
func (w *Watcher) look(ctx context.Context, root string) error {
	return w.walk(ctx, root, func(rel string, st fs.FileInfo) {
		w.mu.Lock()
		skip := w.waiting[rel] != nil || len(w.waiting) >= w.opt.Most && w.beyond
		w.mu.Unlock()
		if skip {
			return
		}
		if r, err := w.store.get(ctx, rel); err != nil || !w.store.settledAs(r, st.Size(), st.ModTime().UnixNano()) {
			w.saw(rel, false)
		}
	})
}

// mostAgain bounds the folders that are looked at once more; with more, the whole
// folder is.
const mostAgain = 1000

// lookAgain looks once more at folders that are new: where a folder was moved, the
// system's watch on its old place may end after that on its new place was made, and
// is the same one.
func (w *Watcher) lookAgain(ctx context.Context) error {
	var due []string
	w.mu.Lock()
	now := time.Now()
	for path, at := range w.again {
		if !now.Before(at) {
			due = append(due, path)
			delete(w.again, path)
		}
	}
	w.mu.Unlock()
	for _, path := range due {
		if err := w.look(ctx, path); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.mu.Lock()
			w.lookAt = time.Now()
			w.mu.Unlock()
		}
	}
	return nil
}

// walk calls do with the files below root that are to be dealt with, and lets the
// system say what happens in its folders. The error is that root cannot be read.
func (w *Watcher) walk(ctx context.Context, root string, do func(rel string, st fs.FileInfo)) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, ok := w.rel(path)
		if !ok {
			return nil
		}
		if err != nil {
			if path == root {
				return err
			}
			if !errors.Is(err, fs.ErrNotExist) {
				w.note("unreadable", rel, err.Error())
			}
			return nil
		}
		if d.IsDir() {
			if rel != "." && w.opt.Refuse(rel, true) != "" {
				return filepath.SkipDir
			}
			w.listen(path)
			return nil
		}
		if !w.takes(rel, d.Type()) {
			return nil
		}
		if st, err := d.Info(); err == nil { // else it is gone meanwhile
			do(rel, st)
		}
		return nil
	})
}

// listen asks the system for the events of a folder. Without them the whole folder
// is looked at again and again.
func (w *Watcher) listen(dir string) {
	w.mu.Lock()
	events := w.events
	w.mu.Unlock()
	if events == nil {
		return
	}
	err := events.Add(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fsnotify.ErrClosed) {
		return
	}
	w.mu.Lock()
	w.events = nil
	w.mu.Unlock()
	events.Close()
	hint := ""
	if strings.Contains(err.Error(), "no space left") {
		hint = " (the limit fs.inotify.max_user_watches is reached)"
	}
	w.poll(err.Error() + hint)
	w.mu.Lock()
	w.lookAt = time.Now().Add(defaultPoll)
	w.mu.Unlock()
}

// mostTold bounds what is remembered as told.
const mostTold = 200

// note tells something once: what is ignored once for each kind of files.
func (w *Watcher) note(event, rel, text string) {
	key := event + "\x00" + rel
	if event == "ignored" {
		key = event + "\x00" + text
	}
	w.mu.Lock()
	skip := w.told[key] || len(w.told) >= mostTold
	if !skip {
		w.told[key] = true
	}
	last := !skip && len(w.told) == mostTold
	w.mu.Unlock()
	if skip {
		return
	}
	w.noteAgain(event, rel, text)
	if last {
		w.noteAgain("ignored", "", "further remarks of this kind are not told")
	}
}

func (w *Watcher) noteAgain(event, rel, text string) {
	w.tell.Lock()
	defer w.tell.Unlock()
	if w.opt.Told != nil {
		w.opt.Told(Note{event, rel, text})
	}
}
