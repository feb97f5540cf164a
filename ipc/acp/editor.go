package acp

import (
	"context"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/formats"
	"atelier/workshop"
)

// Bounds of reading through the editor.
const (
	maxEditorText  = 4 << 20         // bytes of a text; longer ones are read from the disk
	maxEditorFiles = 1000            // files that are asked for in a run
	editorWait     = 5 * time.Second // for one file
	editorFresh    = 2 * time.Second // that a text counts before it is asked for again
)

// editor reads text files through the client, which knows what is not saved.
type editor struct {
	s *session

	mu    sync.Mutex // protects the fields below
	seen  map[string]seenText
	asked int  // in this run
	off   bool // the client failed in this run: it is not asked any more
}

// seenText is what the client had for a file.
type seenText struct {
	text string
	at   time.Time
	has  bool
}

// begin begins a run.
func (e *editor) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked, e.off = 0, false
	if e.s.a.canRead() {
		e.forgetTold() // it can be asked for
	}
}

// end ends a run: what came with its prompt is old from now on.
func (e *editor) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forgetTold()
}

// forgetTold forgets what came with a prompt. The caller holds e.mu.
func (e *editor) forgetTold() {
	for p, t := range e.seen {
		if t.at.IsZero() {
			delete(e.seen, p)
		}
	}
}

// told notes a text that came with a prompt.
func (e *editor) told(path, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.seen) < maxEditorFiles && len(text) <= maxEditorText {
		e.seen[path] = seenText{text: text, has: true}
	}
}

// text implements engine.RunHooks.EditorText.
func (e *editor) text(ctx context.Context, p workshop.Path) (string, bool) {
	path := string(p)
	if formats.KindOfName(path) != formats.KindText {
		return "", false
	}
	e.mu.Lock()
	defer e.mu.Unlock() // one question at a time
	if t, ok := e.seen[path]; ok && !t.at.IsZero() && time.Since(t.at) < editorFresh {
		return t.text, t.has
	}
	wb, err := e.s.workbench(ctx)
	if err != nil {
		return "", false
	}
	saved, exists, ok := textOf(ctx, wb.PublishedView(), p)
	if !ok || !exists { // another encoding than UTF-8, which the client has decoded
		return "", false
	}
	t, ok := e.seen[path]
	if !ok || !t.at.IsZero() {
		if e.off || e.asked >= maxEditorFiles || !e.s.a.canRead() {
			return "", false
		}
		e.asked++
		text, err := e.read(ctx, path)
		if slow(ctx, err) {
			e.off = true
			e.s.note("The editor does not answer; files are read as they are saved.")
		}
		t = seenText{text: text, at: time.Now(), has: err == nil && len(text) <= maxEditorText}
	}
	if t.text, ok = likeSaved(t.text, saved); !ok || !t.has {
		t.text, t.has = "", false
	}
	if !t.at.IsZero() {
		e.seen[path] = t
	}
	return t.text, t.has
}

// slow reports whether a request of ours was not answered in time.
func slow(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && strings.Contains(err.Error(), context.DeadlineExceeded.Error())
}

// likeSaved returns the text of an editor with the byte order mark and the line ends
// of the saved file, which editors leave out; false when it is the saved text.
func likeSaved(text, saved string) (string, bool) {
	const mark = "\uFEFF"
	if strings.HasPrefix(saved, mark) && !strings.HasPrefix(text, mark) {
		text = mark + text
	}
	if strings.Contains(saved, "\r\n") && !strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text, text != saved
}

// read asks the client for a text.
func (e *editor) read(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, editorWait)
	defer cancel()
	<-e.s.a.up
	r, err := e.s.a.conn.ReadTextFile(ctx, sdk.ReadTextFileRequest{SessionId: sdk.SessionId(e.s.id), Path: e.s.abs(path)})
	return r.Content, err
}

// unsaved returns the files of those whose text in the editor is not what is on disk.
func (e *editor) unsaved(ctx context.Context, wb *workshop.Workbench, paths []string) []string {
	if !e.s.a.canRead() {
		return nil
	}
	var out []string
	for _, p := range paths[:min(len(paths), maxEditorFiles)] {
		if formats.KindOfName(p) != formats.KindText {
			continue
		}
		saved, exists, ok := textOf(ctx, wb.PublishedView(), workshop.Path(p))
		if !ok || !exists {
			continue
		}
		text, err := e.read(ctx, p)
		if ctx.Err() != nil || slow(ctx, err) {
			break
		}
		if _, other := likeSaved(text, saved); err == nil && other {
			out = append(out, p)
		}
	}
	return out
}

// base returns the text of the editor that a change of the draft began from, false
// where none was read.
func (e *editor) base(path string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.seen[path]
	return t.text, ok && t.has
}

// write has the editor write a text.
func (e *editor) write(ctx context.Context, path, text string) error {
	<-e.s.a.up
	_, err := e.s.a.conn.WriteTextFile(ctx, sdk.WriteTextFileRequest{SessionId: sdk.SessionId(e.s.id), Path: e.s.abs(path), Content: text})
	return err
}
