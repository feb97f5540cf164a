package acp

import (
	"context"
	"fmt"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// Bounds of a conversation that is sent.
const (
	maxReplay     = 16 << 20 // bytes in all; what came before is left out
	maxReplayed   = 950      // updates; clients queue some, the Go SDK 1,024, and cannot ask us to wait
	maxReplayText = 1 << 20  // characters of one message
)

// replay sends the stored conversation.
func (s *session) replay(ctx context.Context) error {
	c, err := engine.CallAs[engine.Conversation](ctx, s.a.eng, "WorkshopGetConversation", s.ref())
	if err != nil {
		return err
	}
	records := c.Messages
	left := leftOut(records)
	if left > 0 {
		s.say(fmt.Sprintf("(%d earlier records of the conversation are not shown; 'atelier show' prints all of it.)\n", left))
	}
	results := map[string]workshop.Record{}
	for _, r := range records[left:] {
		if r.Type == workshop.TypeToolResult {
			results[r.ToolCallID] = r
		}
	}
	for _, r := range records[left:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.replayRecord(r, results)
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

// leftOut returns how many records at the beginning are not sent.
func leftOut(records []workshop.Record) int {
	size, updates := 0, 0
	for i, r := range slices.Backward(records) {
		size, updates = size+weight(r), updates+updatesOf(r)
		if size > maxReplay || updates > maxReplayed {
			return i + 1
		}
	}
	return 0
}

// updatesOf returns how many updates a record is sent as.
func updatesOf(r workshop.Record) int {
	switch {
	case r.Type == workshop.TypeUser:
		return 1
	case r.Type != workshop.TypeAssistant:
		return 0
	case r.Text != "":
		return 1 + len(r.ToolCalls)
	}
	return len(r.ToolCalls)
}

func (s *session) replayRecord(r workshop.Record, results map[string]workshop.Record) {
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
			result, ended := results[c.ID]
			s.replayCall(c, result, ended)
		}
	}
}

// replayCall sends a call with its result.
func (s *session) replayCall(c workshop.RecordCall, result workshop.Record, ended bool) {
	status := sdk.ToolCallStatusCompleted
	if !ended || result.Success != nil && !*result.Success {
		status = sdk.ToolCallStatusFailed // or it was broken off
	}
	paths := tools.PathsOf([]byte(c.Function.Arguments))
	path := ""
	if len(paths) == 1 {
		path = paths[0]
	}
	s.send(sdk.StartToolCall(s.calls.begin(c.ID), title(c.Function.Name, path, paths), sdk.WithStartKind(s.kindOf(c.Function.Name)), sdk.WithStartStatus(status),
		sdk.WithStartLocations(s.locations(path, paths)), sdk.WithStartRawInput(rawInput(c.Function.Arguments)), sdk.WithStartContent(shownResult(result.Content))))
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
