package acp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
)

// job is a translation that a prompt waits for.
type job struct {
	s    *session
	call sdk.ToolCallId
	id   string // set before a notification of it is handled
	done chan engine.TranslateJob
}

// cancel asks the translation to stop.
func (j *job) cancel() {
	_, _ = engine.CallAs[engine.CancelRunResult](context.WithoutCancel(j.s.a.work), j.s.a.eng, "TranslateCancel", engine.TranslateRef{WorkbenchID: j.s.id, JobID: j.id})
}

// cmdTranslate translates documents into the folder "translated" of the draft.
func (s *session) cmdTranslate(ctx context.Context, args string) (next, error) {
	words := s.pathsOf(args)
	if len(words) == 0 {
		s.say("Say the language, and which files if not all: /translate de contract.docx\n")
		return next{}, nil
	}
	p := engine.TranslateStartParams{WorkbenchID: s.id, To: strings.Split(words[0], ","), Paths: words[1:]}
	j := &job{s: s, call: sdk.ToolCallId("translate-" + s.a.number()), done: make(chan engine.TranslateJob, 1)}
	var err error
	for range 3 {
		s.mu.Lock()
		s.job = nil
		s.mu.Unlock()
		var started engine.TranslateStarted
		if started, err = engine.CallAs[engine.TranslateStarted](ctx, s.a.eng, "TranslateStart", p); err == nil {
			j.id = started.JobID
			break
		}
		ok, aerr := s.allow(ctx, err)
		if aerr != nil || !ok {
			if aerr == nil {
				s.declined(ctx, nil)
			}
			return next{}, aerr
		}
	}
	if err != nil {
		return next{}, err
	}
	s.mu.Lock()
	s.job = j
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.job = nil
		s.mu.Unlock()
	}()
	s.send(sdk.StartToolCall(j.call, "Translate into "+strings.Join(p.To, ", "), sdk.WithStartKind(sdk.ToolKindEdit), sdk.WithStartStatus(sdk.ToolCallStatusInProgress)))
	return next{}, s.waitFor(ctx, j)
}

// waitFor waits until a translation has ended, and says how.
func (s *session) waitFor(ctx context.Context, j *job) error {
	// It may have ended before the session knew of it.
	st, err := engine.CallAs[engine.TranslateStatusResult](ctx, s.a.eng, "TranslateStatus", engine.TranslateStatusParams{WorkbenchID: s.id, JobID: j.id})
	end := st.TranslateJob
	if err == nil && end.Status == "running" {
		select {
		case end = <-j.done:
		case <-s.ctx.Done(): // nothing tells the end of the job any more
			j.cancel()
			return refused(codeServer, "the session was closed; what is translated is kept, and the same command continues")
		case <-ctx.Done():
			j.cancel()
			select {
			case end = <-j.done:
			case <-s.ctx.Done():
				return ctx.Err()
			}
		}
	}
	if err != nil {
		return err
	}
	s.events.flush(s.ctx)
	status, text := sdk.ToolCallStatusCompleted, fmt.Sprintf("%s: %d of %s", end.Status, end.FilesDone, counted(end.Files, "document", "documents"))
	if end.Status != "complete" {
		status = sdk.ToolCallStatusFailed
	}
	if end.Failed > 0 {
		text += fmt.Sprintf(", %d failed", end.Failed)
	}
	if end.Untranslated > 0 {
		text += fmt.Sprintf(", %d without any translation", end.Untranslated)
	}
	if end.Flagged > 0 {
		text += fmt.Sprintf(", %d to look at", end.Flagged)
	}
	if end.Error != "" {
		text += "\n" + name(end.Error)
	}
	if end.Status == "canceled" || end.Status == "budget_exceeded" {
		text += "\nWhat is done is kept; the same command continues."
	}
	s.send(sdk.UpdateToolCall(j.call, sdk.WithUpdateStatus(status), sdk.WithUpdateContent([]sdk.ToolCallContent{textContent(text)})))
	if err := ctx.Err(); err != nil {
		return err
	}
	s.say("Translation " + text + "\n")
	s.tellDraft(ctx, true)
	return nil
}

func (s *session) jobOf(id string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.job != nil && s.job.id == id {
		return s.job
	}
	return nil
}

// translated says how far a translation is.
func (s *session) translated(p engine.TranslateProgress) {
	if j := s.jobOf(p.JobID); j != nil {
		text := fmt.Sprintf("%d of %s; %s (%s): %d of %d texts", p.FilesDone, counted(p.Files, "document", "documents"), name(p.Path), p.Language, p.Done, p.Segments)
		s.send(sdk.UpdateToolCall(j.call, sdk.WithUpdateStatus(sdk.ToolCallStatusInProgress), sdk.WithUpdateContent([]sdk.ToolCallContent{textContent(text)})))
	}
}

func (s *session) translateEnded(p engine.TranslateCompleted) {
	if j := s.jobOf(p.JobID); j != nil {
		j.done <- p.TranslateJob
	}
}
