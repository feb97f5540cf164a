package acp

import (
	"context"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
)

// Prompt answers a message of the person: a command, the answer to a question, or a
// task for the model.
func (a *server) Prompt(ctx context.Context, p sdk.PromptRequest) (sdk.PromptResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	if !a.begin() {
		return sdk.PromptResponse{}, refused(codeServer, "the connection ends")
	}
	defer a.working.Done()
	m, err := s.message(p.Prompt)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	end, err := s.turn(ctx)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	defer end()
	resp, err := s.prompt(ctx, m)
	if err != nil && ctx.Err() != nil {
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	}
	if err == nil {
		resp.UserMessageId = p.MessageId
	}
	return resp, err
}

// turn waits until the prompt before has ended, which another one cancels.
func (s *session) turn(ctx context.Context) (end func(), err error) {
	select {
	case s.next <- struct{}{}:
	default:
		return nil, refused(codeServer, "two prompts of this session are in progress; wait for an answer")
	}
	defer func() { <-s.next }()
	select {
	case s.prompts <- struct{}{}:
		return func() { <-s.prompts }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *session) prompt(ctx context.Context, m message) (sdk.PromptResponse, error) {
	ended := sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if name, rest, ok := commandOf(m.typed); ok {
		n, err := s.command(ctx, name, rest)
		if err != nil || n == (next{}) {
			return ended, err
		}
		m.text, m.stored = n.task, n.message
	} else if r != nil {
		asked, fits := s.typedAnswer(r, m.typed)
		switch {
		case asked && !fits:
			return ended, nil
		case asked:
			return s.follow(ctx, r)
		}
	}
	if r != nil {
		return ended, refused(codeServer, "a run is in progress; cancel it first")
	}
	id := m.stored
	if id == "" {
		var err error
		if id, err = s.store(ctx, m); err != nil || id == "" {
			return ended, err
		}
	}
	var err error
	if r, err = s.start(id); err != nil {
		return ended, err
	}
	return s.follow(ctx, r)
}

// store stores a message once its documents may go to the model. The id is "" when
// the person does not allow that.
func (s *session) store(ctx context.Context, m message) (id string, err error) {
	if len(m.files) == 0 {
		if ok, err := s.consent(ctx); err != nil || !ok {
			s.declined(ctx, err)
			return "", err
		}
	}
	msg, err := engine.CallAs[engine.MessageRef](ctx, s.a.eng, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: s.id, Text: m.text, Attachments: m.files})
	if err != nil || len(m.files) == 0 {
		return msg.MessageID, wireError(err)
	}
	ok, err := s.consent(ctx)
	if err == nil && ok {
		return msg.MessageID, nil
	}
	_, uerr := engine.CallAs[engine.UndoResult](context.WithoutCancel(ctx), s.a.eng, "WorkshopUndoToMessage", engine.UndoParams{WorkbenchID: s.id, MessageID: msg.MessageID, Before: true})
	if uerr != nil {
		s.say("The message is stored, but was not sent: " + explain(uerr) + "\n")
	}
	s.declined(ctx, err)
	return "", err
}

func (s *session) declined(ctx context.Context, err error) {
	if err == nil && ctx.Err() == nil {
		s.say("Nothing was sent: you did not allow it. Another model can be chosen in the session's options; one on this machine needs no permission.\n")
	}
}

// tellDraft says after a run what the draft changes.
func (s *session) tellDraft(ctx context.Context, has bool) {
	if !has {
		return
	}
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, s.a.eng, "ReviewGetChangeSet", s.ref())
	if err != nil || len(set.Changes) == 0 {
		return
	}
	var sb strings.Builder
	sb.WriteString("\n\nThe draft changes:\n")
	for i, c := range set.Changes {
		if i == fewItems {
			sb.WriteString("- and more files\n")
			break
		}
		sb.WriteString("- " + c.ChangeType + " **" + name(c.Path) + "**: " + name(c.Summary) + "\n")
	}
	sb.WriteString("\n/review shows it, /publish keeps it, /undo takes this turn back.\n")
	s.say(sb.String())
}
