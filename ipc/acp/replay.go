package acp

import (
	"context"
	"fmt"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// Bounds of a conversation that is sent.
const (
	maxReplay     = 16 << 20 // bytes in all; what came before is left out
	maxReplayText = 1 << 20  // characters of one message
)

// replay sends the stored conversation.
func (s *session) replay(ctx context.Context) error {
	c, err := engine.CallAs[engine.Conversation](ctx, s.a.eng, "WorkshopGetConversation", s.ref())
	if err != nil {
		return err
	}
	records, left := c.Messages, 0
	size := 0
	for i := len(records) - 1; i >= 0; i-- {
		if size += weight(records[i]); size > maxReplay {
			left = i + 1
			break
		}
	}
	if left > 0 {
		s.say(fmt.Sprintf("(%d earlier records of the conversation are not shown; 'atelier show' prints all of it.)\n", left))
	}
	ended := map[string]bool{}
	for _, r := range records[left:] {
		if r.Type == workshop.TypeToolResult {
			ended[r.ToolCallID] = true
		}
	}
	for _, r := range records[left:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.replayRecord(r, ended)
	}
	return s.replayState(ctx)
}

func weight(r workshop.Record) int {
	n := 200 + min(len(r.Text), maxReplayText) + min(len(r.Content), maxShown)
	for _, c := range r.ToolCalls {
		n += 200 + min(len(c.Function.Arguments), maxRaw)
	}
	return n
}

func (s *session) replayRecord(r workshop.Record, ended map[string]bool) {
	switch r.Type {
	case workshop.TypeUser:
		u := sdk.UpdateUserMessageText(textclip.Head(r.Text, maxReplayText))
		u.UserMessageChunk.MessageId = sdk.Ptr(r.MessageID)
		s.send(u)
	case workshop.TypeAssistant:
		if r.Text != "" {
			u := sdk.UpdateAgentMessageText(textclip.Head(r.Text, maxReplayText))
			u.AgentMessageChunk.MessageId = sdk.Ptr(r.MessageID)
			s.send(u)
		}
		for _, c := range r.ToolCalls {
			status := sdk.ToolCallStatusInProgress
			if !ended[c.ID] {
				status = sdk.ToolCallStatusFailed // it was broken off
			}
			paths := tools.PathsOf([]byte(c.Function.Arguments))
			path := ""
			if len(paths) == 1 {
				path = paths[0]
			}
			s.send(sdk.StartToolCall(s.calls.begin(c.ID), title(c.Function.Name, path, paths), sdk.WithStartKind(s.kindOf(c.Function.Name)),
				sdk.WithStartStatus(status), sdk.WithStartLocations(s.locations(path, paths)), sdk.WithStartRawInput(rawInput(c.Function.Arguments))))
		}
	case workshop.TypeToolResult:
		status := sdk.ToolCallStatusCompleted
		if r.Success != nil && !*r.Success {
			status = sdk.ToolCallStatusFailed
		}
		s.send(sdk.UpdateToolCall(s.calls.of(r.ToolCallID), sdk.WithUpdateStatus(status), sdk.WithUpdateContent(shownResult(r.Content))))
	}
}

// replayState says how the conversation continues: what waits, and the draft.
func (s *session) replayState(ctx context.Context) error {
	st, err := engine.CallAs[engine.WorkshopState](ctx, s.a.eng, "WorkshopGetState", s.ref())
	if err != nil {
		return err
	}
	if st.Unfinished != nil {
		s.say(fmt.Sprintf("\n\nA run in phases was broken off in its phase %s. /continue continues it.\n", st.Unfinished.Phase))
	}
	s.tellDraft(ctx, st.HasDraft)
	return nil
}
