package workshop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"atelier/internal/budget"
)

// The types of record (W-50…W-53).
const (
	TypeUser       = "user_message"
	TypeAssistant  = "assistant_message"
	TypeToolResult = "tool_result"
	TypeSystem     = "system_event" // skipped when messages for a model are built
)

// Record is one line of conversation.jsonl (W-50…W-53).
type Record struct {
	Type       string         `json:"type"`
	MessageID  string         `json:"message_id"`
	Role       string         `json:"role,omitempty"`
	Text       string         `json:"text,omitempty"`
	ToolCalls  []RecordCall   `json:"tool_calls,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitempty"`
	Content    string         `json:"content,omitempty"`
	ToolName   string         `json:"tool_name,omitempty"`
	Success    *bool          `json:"success,omitempty"`
	EventKind  string         `json:"event_kind,omitempty"` // of a system_event
	Images     []ImageRef     `json:"images,omitempty"`     // of a tool_result: what the model is shown with it
	CreatedAt  time.Time      `json:"created_at"`
	Metadata   map[string]any `json:"metadata,omitempty"`
}

// WithoutKeep returns r without what its calls keep for the endpoint they came from:
// it is nobody else's business, and has the model's thoughts.
func (r Record) WithoutKeep() Record {
	r.ToolCalls = slices.Clone(r.ToolCalls)
	for i := range r.ToolCalls {
		r.ToolCalls[i].Keep = ""
	}
	return r
}

// RecordCall is a tool call of an assistant_message; arguments is JSON text.
type RecordCall struct {
	ID       string         `json:"id"`
	Function RecordFunction `json:"function"`
	Keep     string         `json:"keep,omitempty"` // what the model's endpoint wants back with the call (llm.ToolCall)
}

// RecordFunction is the function of a RecordCall.
type RecordFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// MarshalJSON writes the members a record type always has, also when empty.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	b, err := json.Marshal(plain(r))
	if err != nil {
		return nil, err
	}
	always := map[string]string{}
	switch r.Type {
	case TypeUser, TypeAssistant:
		if r.Text == "" {
			always["text"] = `""`
		}
	case TypeToolResult:
		if r.Content == "" {
			always["content"] = `""`
		}
	}
	for k, v := range always {
		b = append(b[:len(b)-1], fmt.Sprintf(`,%q:%s}`, k, v)...)
	}
	return b, nil
}

// Conversation is the transcript of a workbench: a file of records, one a
// line, each on disk before Append returns. A line that a crash cut is dropped
// at open, never joined to the next.
type Conversation struct {
	path     string
	readOnly bool
	unsynced bool // Options.Unsynced
	now      func() time.Time
	newID    func() string
	mark     func(messageID string) error // notes what the files were when records are written, the first of which has that id
	unmark   func()                       // they were not written
	drafted  func() []byte                // what the draft's rows became since the record before, as JSON
	tell     func(what string)            // of damaged lines, once

	mu         sync.Mutex // one writer at a time
	keptMu     sync.Mutex // guards kept, keptMemory and written; taken after mu
	kept       *keptRecords
	keptMemory *budget.Entry // of kept
	written    os.FileInfo   // the file after the last write of this process
	toldDamage atomic.Bool
}

func openConversation(path string, now func() time.Time, newID func() string, readOnly bool) (*Conversation, error) {
	c := &Conversation{path: path, now: now, newID: newID, readOnly: readOnly}
	if readOnly {
		return c, nil
	}
	return c, c.cutTail()
}

// cutTail drops an unfinished last line. One that only lacks its line end gets it.
func (c *Conversation) cutTail() error {
	f, err := os.OpenFile(c.path, os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for end := st.Size(); end > 0; {
		start := max(0, end-int64(len(buf)))
		b := buf[:end-start]
		if _, err := f.ReadAt(b, start); err != nil && err != io.EOF {
			return err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			end = start + int64(i) + 1
			return endLine(f, end, st.Size())
		}
		end = start
	}
	return endLine(f, 0, st.Size())
}

// endLine makes a file of size bytes whose last whole line ends at end a file of
// whole lines.
func endLine(f *os.File, end, size int64) error {
	if end == size {
		return nil
	}
	tail := make([]byte, size-end)
	if _, err := f.ReadAt(tail, end); err != nil && err != io.EOF {
		return err
	}
	if n, ok := wholeTail(tail); ok {
		end += int64(n) + 1
		if _, err := f.WriteAt([]byte{'\n'}, end-1); err != nil {
			return err
		}
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	return f.Sync()
}

// Append adds records and returns when they are on disk: all of them or, when it
// fails, none. A zero CreatedAt becomes the present.
func (c *Conversation) Append(rs ...Record) error {
	if c.readOnly {
		return readOnlyWorkbench()
	}
	lines, err := c.lines(rs)
	if err != nil || len(lines) == 0 {
		return err
	}
	return c.append(func() ([]byte, error) {
		if id := firstID(rs); c.mark != nil && id != "" {
			return lines, c.mark(id)
		}
		return lines, nil
	})
}

// lines returns records as they stand in the file.
func (c *Conversation) lines(rs []Record) ([]byte, error) {
	var lines []byte
	for _, r := range rs {
		if r.CreatedAt.IsZero() {
			r.CreatedAt = c.now().UTC()
		}
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines, nil
}

// firstID returns the id by which the moment of records is found again.
func firstID(rs []Record) string {
	for _, r := range rs {
		if r.MessageID != "" {
			return r.MessageID
		}
	}
	return ""
}

// append adds the lines that prepare gives, which has c.mu and writes down first
// what must be on disk before them.
func (c *Conversation) append(prepare func() (lines []byte, err error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines, err := prepare()
	if err == nil && len(lines) > 0 {
		var draft []byte
		if c.drafted != nil {
			draft = c.drafted()
		}
		err = c.write(sealLines(lines, draft))
	}
	if err == nil {
		return nil
	}
	if c.unmark != nil {
		c.unmark()
	}
	return storageFault(fmt.Errorf("the conversation cannot be written: %w", err))
}

// write adds lines to the file and syncs it. c.mu is held.
func (c *Conversation) write(lines []byte) error {
	_, statErr := os.Stat(c.path)
	f, err := os.OpenFile(c.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err = f.Write(lines); err == nil && !c.unsynced {
		err = f.Sync()
	}
	if err != nil {
		f.Truncate(st.Size()) // a full disk must not leave half a line
		return err
	}
	if after, err := f.Stat(); err == nil {
		c.grew(st, after, lines)
	}
	if statErr != nil && !c.unsynced {
		return syncDir(filepath.Dir(c.path))
	}
	return nil
}

// EventUndo is the event_kind of a system_event that takes the conversation
// back: its metadata member "to" names the last message that stays, or "before"
// the first that does not.
const EventUndo = "undo"

// Records returns the conversation as it stands: what an undo took back is left out.
// What the records refer to is shared: it is not to be changed.
func (c *Conversation) Records() ([]Record, error) {
	live, err := c.Standing()
	return append(make([]Record, 0, len(live)+1), live...), err
}

// Standing is Records without a copy: the list is shared too, and not to be changed.
func (c *Conversation) Standing() ([]Record, error) {
	live, _, err := c.branches()
	return live[:len(live):len(live)], err
}

// branches returns the conversation as it stands, and as it stood before each undo,
// the oldest first. Both are shared.
func (c *Conversation) branches() (live []Record, past [][]Record, err error) {
	k, err := c.readAll()
	if err != nil {
		return nil, nil, err
	}
	c.tellDamage(k)
	live, past = k.branches()
	return live, past, nil
}

// placeOf finds where the conversation goes when it is taken to a message: in
// what stands, else in what was taken back last.
func placeOf(live []Record, past [][]Record, to, before string) (branch []Record, head int, ok bool) {
	if head, ok = headOf(live, to, before); ok {
		return live, head, true
	}
	for _, branch := range slices.Backward(past) {
		if head, ok := headOf(branch, to, before); ok {
			return branch, head, true
		}
	}
	return nil, 0, false
}

// headOf returns how many records stay when the conversation goes back: up to the
// message or step to and the results of its tool calls, or to before a message or a
// step.
func headOf(live []Record, to, before string) (int, bool) {
	for i, r := range live {
		switch {
		case r.Type == TypeToolResult || r.Type == TypeSystem && !r.IsStep():
		case before != "" && r.MessageID == before:
			return i, true
		case before == "" && r.MessageID == to:
			return i + 1 + resultsAfter(r, live[i+1:]), true
		}
	}
	return 0, false
}

// IsStep reports whether the record is an event that UndoBefore takes back: a version of
// a file was restored, changes of the draft were rejected or discarded, or another program
// changed the draft.
func (r Record) IsStep() bool {
	return r.Type == TypeSystem && slices.Contains([]string{EventRestore, EventReject, EventDiscard, EventGuest}, r.EventKind)
}

// resultsAfter returns how many of the records after a message are the results of its
// tool calls, with the events between them.
func resultsAfter(message Record, after []Record) (n int) {
	if message.Type != TypeAssistant {
		return 0
	}
	for j, r := range after {
		switch r.Type {
		case TypeToolResult:
			n = j + 1
		case TypeSystem:
		default:
			return n
		}
	}
	return n
}

// Times says when the first record was made and when the file last grew; ok is
// false while there is no record.
func (c *Conversation) Times() (created, modified time.Time, ok bool, err error) {
	f, err := os.Open(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return created, modified, false, nil
	}
	if err != nil {
		return created, modified, false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return created, modified, false, err
	}
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err == io.EOF {
		return created, modified, false, nil
	}
	var first Record
	if err != nil || json.Unmarshal(line, &first) != nil {
		first.CreatedAt = st.ModTime()
	}
	return first.CreatedAt, st.ModTime(), true, err
}

// NewMessageID makes an id such as "u-0199…": the prefix and a UUIDv7.
func (c *Conversation) NewMessageID(prefix string) string { return prefix + c.newID() }
