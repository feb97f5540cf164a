package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"atelier/engine"
	"atelier/workshop/agent"
)

// checkTask checks that the arguments contain a task: TEXT, or --resume.
func (f *runFlags) checkTask(args []string) error {
	switch {
	case f.resume && len(args) > 0:
		return usageError{errors.New("--resume goes on with the last message; leave TEXT out")}
	case f.resume && len(f.attach) > 0:
		return usageError{errors.New("--attach sends files with a new message; leave --resume out")}
	case f.resume && f.record != "":
		return usageError{errors.New("--record needs a run from its beginning, not --resume")}
	case !f.resume && len(args) == 0:
		return usageError{errors.New("say what to do: atelier run TEXT, - for a text on standard input, or --resume")}
	}
	return nil
}

// readTask replaces - by the text on standard input, which may be longer than
// a command line.
func readTask(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] != "-" {
		return nil
	}
	in := cmd.InOrStdin()
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(cmd.ErrOrStderr(), "Type the task; Ctrl-D on an empty line ends it.")
	}
	b, err := readAll(cmd.Context(), io.LimitReader(in, maxTask+1))
	if err == nil && len(b) > maxTask {
		err = fmt.Errorf("the text on standard input is longer than %d MiB: put it into a file of the folder", maxTask>>20)
	}
	args[0] = strings.TrimSpace(string(b))
	if err == nil && args[0] == "" {
		err = usageError{errors.New("there is no text on standard input")}
	}
	return err
}

// readAll is io.ReadAll that ends with the context: Ctrl-C does not interrupt
// a read of a terminal or a pipe.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	done := make(chan struct{})
	var read []byte
	var rerr error
	go func() {
		defer close(done)
		read, rerr = io.ReadAll(r)
	}()
	select {
	case <-done:
		return read, rerr
	case <-ctx.Done():
		return nil, errSilent // the person knows why it stopped
	}
}

// maxTask limits a task from standard input in bytes.
const maxTask = 1 << 20

// task returns the message to answer: a new one, or the last one if its run
// was interrupted. A run in phases continues in phases.
func (f *runFlags) task(ctx context.Context, e *engine.Engine, id string, args []string, attached []engine.AttachmentParams) (messageID string, err error) {
	if !f.resume {
		msg, err := engine.CallAs[engine.MessageRef](ctx, e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: id, Text: args[0], Attachments: attached})
		return msg.MessageID, err
	}
	ref := engine.WorkbenchRef{WorkbenchID: id}
	conv, err := engine.CallAs[engine.Conversation](ctx, e, "WorkshopGetConversation", ref)
	if err != nil {
		return "", err
	}
	messageID = agent.LastRequest(conv.Messages)
	if _, answered := agent.Answered(conv.Messages, messageID); answered || messageID == "" {
		return "", errors.New("there is nothing to go on with: every message was answered")
	}
	st, err := engine.CallAs[engine.WorkshopState](ctx, e, "WorkshopGetState", ref)
	if err == nil && st.Unfinished != nil {
		f.workflow = cmp.Or(f.workflow, agent.WorkflowRPI)
	}
	return messageID, err
}
