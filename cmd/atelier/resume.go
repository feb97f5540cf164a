package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"atelier/engine"
	"atelier/workshop/agent"
)

// checkTask looks whether the arguments say what to do: TEXT, or --resume.
func (f *runFlags) checkTask(args []string) error {
	switch {
	case f.resume && len(args) > 0:
		return usageError{errors.New("--resume goes on with the last message; leave TEXT out")}
	case f.resume && f.record != "":
		return usageError{errors.New("--record needs a run from its beginning, not --resume")}
	case !f.resume && len(args) == 0:
		return usageError{errors.New("say what to do: atelier run TEXT, or --resume")}
	case f.workflow != "" && !slices.Contains(agent.Workflows(), f.workflow):
		return usageError{errors.New("--workflow is one of " + strings.Join(agent.Workflows(), ", "))}
	}
	return nil
}

// task is the message to answer: a new one, or the last when its run was broken
// off. A run in phases goes on in phases.
func (f *runFlags) task(ctx context.Context, e *engine.Engine, id string, args []string) (messageID string, err error) {
	if !f.resume {
		msg, err := callAs[engine.MessageRef](ctx, e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: id, Text: args[0]})
		return msg.MessageID, err
	}
	ref := engine.WorkbenchRef{WorkbenchID: id}
	conv, err := callAs[engine.Conversation](ctx, e, "WorkshopGetConversation", ref)
	if err != nil {
		return "", err
	}
	messageID = agent.LastRequest(conv.Messages)
	if _, answered := agent.Answered(conv.Messages, messageID); answered || messageID == "" {
		return "", errors.New("there is nothing to go on with: every message was answered")
	}
	st, err := callAs[engine.WorkshopState](ctx, e, "WorkshopGetState", ref)
	if err == nil && st.Unfinished != nil {
		f.workflow = cmp.Or(f.workflow, agent.WorkflowRPI)
	}
	return messageID, err
}
