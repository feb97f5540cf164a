package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"atelier/engine"
	"atelier/workshop/tools/attachments"
)

// startRun is POST …/runs.
func (s *Server) startRun(w http.ResponseWriter, r *http.Request, c caller) error {
	var req task
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	if strings.TrimSpace(req.Text) == "" {
		return invalid("missing field `text`")
	}
	req.user = c.User.ID
	run, err := s.runs.start(r.Context(), c.Access.WorkspaceID, req)
	if err != nil {
		return err
	}
	started := startedRun{RunID: run.id, MessageID: run.message, Attachments: run.attachments}
	if n, waits := run.ticket.Ahead(); waits {
		started.Ahead = &n
	}
	return writeResult(w, started)
}

// startedRun is the result of POST …/runs.
type startedRun struct {
	RunID       string                   `json:"run_id"`
	MessageID   string                   `json:"message_id"`
	Attachments []attachments.Attachment `json:"attachments,omitempty"` // as they are in the draft
	Ahead       *int                     `json:"ahead,omitempty"`       // runs that have their turn before it, if it waits for its turn
}

// conversation is GET …/conversation: every message, call and result.
func (s *Server) conversation(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.answerWith(w, r, "WorkshopGetConversation", engine.WorkbenchRef{WorkbenchID: c.Access.WorkspaceID})
}

// runInfo is a run as GET …/runs lists it.
type runInfo struct {
	RunID     string    `json:"run_id"`
	MessageID string    `json:"message_id"`
	StartedAt time.Time `json:"started_at"`
	Running   bool      `json:"running"`         // it has not ended; it may wait
	State     runState  `json:"state"`           // queued, running or ended
	Ahead     *int      `json:"ahead,omitempty"` // of one that is queued: runs that have their turn before it
}

// runState is what a run does.
type runState string

const (
	runQueued  runState = "queued" // it waits for its turn
	runRunning runState = "running"
	runEnded   runState = "ended"
)

// listRuns is GET …/runs: the run in progress and those whose events are
// still stored, the most recently started first.
func (s *Server) listRuns(w http.ResponseWriter, _ *http.Request, c caller) error {
	return writeResult(w, map[string]any{"runs": s.runs.list(c.Access.WorkspaceID)})
}

func (s *Server) run(r *http.Request, c caller) (*run, error) {
	if run := s.runs.find(c.Access.WorkspaceID, r.PathValue("run")); run != nil {
		return run, nil
	}
	return nil, fail(http.StatusNotFound, codeNotFound, "Run not found; runs that have ended are kept for some minutes")
}

// stopRun is POST …/runs/{run}/stop. The run's changes so far are kept.
func (s *Server) stopRun(w http.ResponseWriter, r *http.Request, c caller) error {
	run, err := s.run(r, c)
	if err != nil {
		return err
	}
	_, _, ended, _ := run.log.after(0)
	run.cancel()
	return writeResult(w, map[string]bool{"stopping": !ended})
}

// writeTimeout is how long a follower may take to read an event.
const writeTimeout = 30 * time.Second

// runEvents is GET …/runs/{run}/events: server-sent events (WHATWG HTML,
// section 9.2), from the first or from the one after Last-Event-ID.
func (s *Server) runEvents(w http.ResponseWriter, r *http.Request, c caller) error {
	run, err := s.run(r, c)
	if err != nil {
		return err
	}
	last, err := lastEventID(r)
	if err != nil {
		return err
	}
	events, missed, ended, grown := run.log.after(last)
	if ended && len(events) == 0 {
		w.WriteHeader(http.StatusNoContent) // tells an EventSource not to reconnect
		return nil
	}
	leave, err := s.streams.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	defer s.opt.Figures.following()()
	if w := ownedOf(r.Context()); w != nil {
		defer w.Yields()() // the stream ends when the run leaves
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer events
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	readAll(w)
	st := stream{w: w, control: http.NewResponseController(w)}
	if missed > 0 {
		st.send(0, eventSessionInit, marshal(sessionInit{RunID: run.id, WorkspaceID: run.workspace, MessageID: run.message, Model: run.model, Missed: missed, Attachments: run.attachments}))
	}
	ping := time.NewTicker(s.opt.Ping)
	defer ping.Stop()
	for {
		for _, e := range events {
			st.send(e.ID, e.Type, e.Data)
			last = e.ID
		}
		if st.flush(); st.err != nil || ended {
			return nil // the follower is gone
		}
		select {
		case <-grown:
		case <-ping.C:
			a, err := s.opt.Accounts.Access(r.Context(), run.workspace, c.User.ID)
			if err != nil || !a.IsMember {
				return nil // the user is no longer a member
			}
			if u, err := s.opt.Accounts.User(r.Context(), c.User.ID); err != nil || u.RevokedUntil > c.User.RevokedUntil || u.Revocations > c.User.Revocations {
				return nil // the user's tokens were taken back
			}
			st.send(0, eventPing, []byte(`{}`))
		case <-r.Context().Done():
			return nil
		}
		events, _, ended, grown = run.log.after(last)
	}
}

func lastEventID(r *http.Request) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("last_event_id")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, invalid("Last-Event-ID must be the id of an event of this run")
	}
	return n, nil
}

// stream writes server-sent events; after an error it writes nothing more.
type stream struct {
	w       io.Writer
	control *http.ResponseController
	err     error
}

// send writes an event; id 0 leaves Last-Event-ID unchanged.
func (s *stream) send(id int64, kind string, data []byte) {
	if s.err != nil {
		return
	}
	s.err = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if s.err == nil && id > 0 {
		_, s.err = fmt.Fprintf(s.w, "id: %d\n", id)
	}
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, "event: %s\ndata: {\"type\":%q,\"data\":%s}\n\n", kind, kind, data)
	}
}

func (s *stream) flush() {
	if s.err == nil {
		s.err = s.control.Flush()
	}
}
