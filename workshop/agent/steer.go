package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// When a message that is sent during a run is taken up.
const (
	SteerNow   = "now"   // at the next safe point: after the results of the calls in progress
	SteerAfter = "after" // as a turn of its own, once the run has given its answer
	// SteerHold keeps a message until the run has ended, which does not answer
	// it: it waits for a run of its own.
	SteerHold = "hold"
)

// Bounds of what waits for a run.
const (
	steerText = 64 << 10 // bytes of one message
	steerMost = 100      // messages
)

// settingQueue is where a workbench keeps what waits, so that a crash loses none
// of it.
const settingQueue = "queued_messages"

// metaSteer marks a message of the user that was taken up in the middle of a
// run: the id of the message the run answers.
const metaSteer = "steers"

// Queued is a message that waits for a run to take it up.
type Queued struct {
	MessageID string    `json:"message_id"` // it keeps it in the conversation
	Text      string    `json:"text"`
	When      string    `json:"when"`
	Run       string    `json:"run"` // the message the run answers
	At        time.Time `json:"at"`
}

// SteerQueued says that a message waits for the run in progress.
type SteerQueued struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
	Text        string `json:"text"`
	When        string `json:"when"` // now, after or hold
}

// SteerTaken says that a message that waited is in the conversation now.
type SteerTaken struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
}

// Steering is what the user says while a run works. Everything that is accepted
// becomes a message of the conversation under the id it got: taken up by the
// run, or stored when the run ends early, or, after a crash, when the next
// Steering is made. It is safe for concurrent use.
type Steering struct {
	wb     *workshop.Workbench
	events Sink
	now    func() time.Time

	mu     sync.Mutex // protects the fields below, and the setting
	hear   func(Queued)
	run    string // the message that is answered now
	queue  []Queued
	closed bool
}

// NewSteering returns the steering of a run that answers a message. It first stores
// what an earlier run left behind.
func NewSteering(ctx context.Context, wb *workshop.Workbench, messageID string, events Sink, now func() time.Time) (*Steering, error) {
	if events == nil {
		events = discard{}
	}
	if now == nil {
		now = time.Now
	}
	return &Steering{wb: wb, events: events, now: now, run: messageID}, SettleQueue(ctx, wb)
}

// Push takes a message of the user and returns the id it has from now on. The
// error is an *Error; closed says that it is because the run has ended.
func (s *Steering) Push(ctx context.Context, text, when string) (id string, closed bool, err error) {
	switch {
	case strings.TrimSpace(text) == "":
		return "", false, runerr.Errorf(runerr.CodeValidation, "empty message")
	case len(text) > steerText && when != SteerHold:
		e := runerr.Errorf(runerr.CodeValidation, "the message has %d bytes; one that is sent during a run can have %d", len(text), steerText)
		e.Hint = "put the text into a file, or wait until the run has ended"
		return "", false, e
	case when != SteerNow && when != SteerAfter && when != SteerHold:
		return "", false, runerr.Errorf(runerr.CodeValidation, "when must be %s or %s", SteerNow, SteerAfter)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", true, runerr.Errorf(runerr.CodeValidation, "the run has ended")
	}
	if len(s.queue) >= steerMost {
		e := runerr.Errorf(runerr.CodeValidation, "%d messages wait for the run already", len(s.queue))
		e.Hint = "wait until the run has taken some of them up"
		return "", false, e
	}
	q := Queued{MessageID: s.wb.Conversation().NewMessageID("u-"), Text: text, When: when, Run: s.run, At: s.now().UTC()}
	next := append(s.queue[:len(s.queue):len(s.queue)], q)
	if err := saveQueue(ctx, s.wb, next); err != nil {
		return "", false, err
	}
	s.queue = next
	if s.hear != nil {
		s.hear(q)
	}
	s.events.Emit(Event{Method: EventSteerQueued, Params: SteerQueued{s.wb.ID(), q.MessageID, q.Text, q.When}})
	return q.MessageID, false, nil
}

// Listen has f told of each message that waits, and of each from now on before
// anybody else is. f must not call back.
func (s *Steering) Listen(f func(Queued)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hear = f
	for _, q := range s.queue {
		f(q)
	}
}

// Queued lists what waits.
func (s *Steering) Queued() []Queued {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Queued(nil), s.queue...)
}

// take stores what is to be taken up now and returns it, oldest first.
func (s *Steering) take(ctx context.Context) (taken []workshop.Record, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; i < len(s.queue); {
		if s.queue[i].When != SteerNow {
			i++
			continue
		}
		rec := s.queue[i].record()
		if err := s.store(ctx, i, rec); err != nil {
			return taken, err
		}
		taken = append(taken, rec)
	}
	return taken, nil
}

// next stores the message with which the run continues after its answer. When
// there is none, it ends.
func (s *Steering) next(ctx context.Context) (rec workshop.Record, when string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.queue {
		if q.When == SteerHold {
			continue
		}
		rec = q.record()
		rec.Metadata = nil // a turn of its own
		s.run = q.MessageID
		return rec, q.When, s.store(ctx, i, rec)
	}
	return rec, "", s.end(ctx)
}

// End stores what is left, in the order in which it came, and accepts nothing
// more.
func (s *Steering) End(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end(ctx)
}

func (s *Steering) end(ctx context.Context) error {
	s.closed = true
	for len(s.queue) > 0 {
		if err := s.store(ctx, 0, s.queue[0].record()); err != nil {
			return fmt.Errorf("messages that waited are not in the conversation yet: %w", err)
		}
	}
	return nil
}

// store moves message i of the queue to the conversation. The order makes a
// crash in between harmless: SettleQueue knows what is stored.
func (s *Steering) store(ctx context.Context, i int, rec workshop.Record) error {
	if err := s.wb.Conversation().Append(rec); err != nil {
		return err
	}
	s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
	s.events.Emit(Event{Method: EventSteerTaken, Params: SteerTaken{s.wb.ID(), rec.MessageID}})
	return saveQueue(context.WithoutCancel(ctx), s.wb, s.queue)
}

func (q Queued) record() workshop.Record {
	rec := workshop.Record{Type: workshop.TypeUser, MessageID: q.MessageID, Role: llm.RoleUser, Text: q.Text, CreatedAt: q.At}
	if q.When == SteerNow && q.Run != "" {
		rec.Metadata = map[string]any{metaSteer: q.Run}
	}
	return rec
}

func saveQueue(ctx context.Context, wb *workshop.Workbench, queue []Queued) error {
	text := ""
	if len(queue) > 0 {
		b, err := json.Marshal(queue)
		if err != nil {
			return err
		}
		text = string(b)
	}
	if err := wb.SetSetting(ctx, settingQueue, text); err != nil {
		return fmt.Errorf("the messages that wait cannot be kept: %w", err)
	}
	return nil
}

// Waiting returns the records of what waits for a run, or waited for one that died.
func Waiting(ctx context.Context, wb *workshop.Workbench) ([]workshop.Record, error) {
	text, err := wb.Setting(ctx, settingQueue)
	if err != nil || text == "" {
		return nil, err
	}
	var queue []Queued
	if err := json.Unmarshal([]byte(text), &queue); err != nil {
		return nil, fmt.Errorf("the messages that wait cannot be read: %w", err)
	}
	records, err := wb.Conversation().AllRecords()
	if err != nil {
		return nil, err
	}
	stored := map[string]bool{}
	for _, r := range records {
		stored[r.MessageID] = true
	}
	var out []workshop.Record
	for _, q := range queue {
		if !stored[q.MessageID] {
			out = append(out, q.record())
		}
	}
	return out, nil
}

// SettleQueue puts into the conversation what waited for a run that died. It
// must not be called while a run works.
func SettleQueue(ctx context.Context, wb *workshop.Workbench) error {
	left, err := Waiting(ctx, wb)
	if err != nil {
		return err
	}
	for _, rec := range left {
		if err := wb.Conversation().Append(rec); err != nil {
			return err
		}
	}
	if text, err := wb.Setting(ctx, settingQueue); err != nil || text == "" {
		return err
	}
	return saveQueue(ctx, wb, nil)
}

// Steers returns the message whose run took a message of the user up in its middle,
// "" for one that began a turn.
func Steers(rec workshop.Record) string {
	id, _ := rec.Metadata[metaSteer].(string)
	return id
}

// LastRequest returns the last message of the user that began a turn, "" when there
// is none.
func LastRequest(records []workshop.Record) string {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Type == workshop.TypeUser && Steers(records[i]) == "" {
			return records[i].MessageID
		}
	}
	return ""
}
