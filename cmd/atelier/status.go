package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/budget"
	"atelier/internal/quote"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/spend"
)

// folderStatus is the output of 'atelier status --json'.
type folderStatus struct {
	Folder       string              `json:"folder"`
	Known        bool                `json:"known"` // something was run on the folder; otherwise the rest is missing
	WorkbenchID  string              `json:"workbench_id,omitempty"`
	ModelID      string              `json:"model_id,omitempty"`
	Draft        *draftStatus        `json:"draft,omitempty"`
	Conversation *conversationStatus `json:"conversation,omitempty"`
	Limits       *limitStatus        `json:"limits,omitempty"`
	Usage        *spend.Totals       `json:"usage,omitempty"`
	InUse        *workshop.Holder    `json:"in_use,omitempty"` // the process that has it open for writing
	Mode         *engine.ModeResult  `json:"mode,omitempty"`
}

type draftStatus struct {
	HasDraft  bool          `json:"has_draft"`
	CreatedAt string        `json:"created_at,omitempty"`
	Changes   []draftChange `json:"changes"` // what publish would write
}

type draftChange struct {
	Path       string `json:"path"`
	ChangeType string `json:"change_type"`
	From       string `json:"from,omitempty"`            // of a rename
	Outside    string `json:"changed_outside,omitempty"` // publishing it is a conflict
}

type conversationStatus struct {
	Messages int    `json:"messages"` // of the user and of the model
	LastAt   string `json:"last_at,omitempty"`
	Answered bool   `json:"answered"` // whether the last message of the user was answered
}

// limitStatus has the limits of runs on the folder, unless a flag sets
// others.
type limitStatus struct {
	MaxTurns    int           `json:"max_turns"`
	MaxCalls    int           `json:"max_calls_per_turn"`
	ToolTimeout string        `json:"tool_timeout"`
	MemoryLimit int64         `json:"memory_limit"` // bytes
	Budget      engine.Budget `json:"budget"`
}

func newStatus(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status --in DIR",
		Short: "Show the state of a folder: draft, conversation, limits, and the process that uses it",
		Long: `Shows whether the folder has a draft and which files publishing it would change,
the length of the conversation, the model and limits of a run, the usage, and which
process has the folder open for writing. It only reads and works while another process
has the folder open. 'atelier list' lists the folders, 'atelier review' shows changes.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			st, err := statusOf(cmd.Context(), e, s, in)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), st)
			}
			printStatus(cmd.OutOrStdout(), st, in)
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return inFolder(cmd, &in)
}

func statusOf(ctx context.Context, e *engine.Engine, s *settings, dir string) (st folderStatus, err error) {
	if st.Folder, err = filepath.Abs(dir); err != nil {
		return st, err
	}
	wb, found, err := e.ReadFolder(ctx, dir)
	if err != nil || !found {
		return st, err
	}
	ref := engine.WorkbenchRef{WorkbenchID: wb.ID()}
	st.Folder, st.Known, st.WorkbenchID = wb.Root(), true, wb.ID()
	state, err := engine.CallAs[engine.WorkshopState](ctx, e, "WorkshopGetState", ref)
	if err != nil {
		return st, err
	}
	st.ModelID, st.Mode = first(s.model, state.ActiveModelID), &state.ModeResult
	if st.Draft, err = draftOf(ctx, e, wb); err != nil {
		return st, err
	}
	if st.Conversation, err = conversationOf(ctx, e, ref); err != nil {
		return st, err
	}
	used, err := engine.CallAs[engine.UsageResult](ctx, e, "WorkbenchGetUsage", engine.UsageParams{WorkbenchID: wb.ID(), Limit: 1})
	if err != nil {
		return st, err
	}
	st.Usage = &used.Totals
	l := agent.Limits{CallsPerTurn: s.maxCalls, Turns: s.maxTurns, ToolTimeout: s.toolTimeout}.WithDefaults()
	st.Limits = &limitStatus{l.Turns, l.CallsPerTurn, l.ToolTimeout.String(), budget.Process.Limit() + budget.Program, s.budget}
	who, held, err := e.Home().Holder(wb.ID())
	if held {
		st.InUse = &who
	}
	return st, err
}

func draftOf(ctx context.Context, e *engine.Engine, wb *workshop.Workbench) (*draftStatus, error) {
	st, err := engine.CallAs[engine.DraftGetStateResult](ctx, e, "DraftGetState", engine.WorkbenchRef{WorkbenchID: wb.ID()})
	if err != nil {
		return nil, err
	}
	d := &draftStatus{HasDraft: st.HasDraft, CreatedAt: st.CreatedAt, Changes: []draftChange{}}
	changes, err := wb.Changes(ctx) // without the slow comparison of contents that a review makes
	for _, c := range changes {
		d.Changes = append(d.Changes, draftChange{string(c.Path), c.Type, string(c.From), c.Outside})
	}
	return d, err
}

func conversationOf(ctx context.Context, e *engine.Engine, ref engine.WorkbenchRef) (*conversationStatus, error) {
	conv, err := engine.CallAs[engine.Conversation](ctx, e, "WorkshopGetConversation", ref)
	if err != nil {
		return nil, err
	}
	t := &conversationStatus{Answered: true}
	for _, r := range conv.Messages {
		if r.Type == workshop.TypeUser || r.Type == workshop.TypeAssistant && r.Text != "" {
			t.Messages++
		}
		t.LastAt = r.CreatedAt.UTC().Format(timeFormat)
	}
	if last := agent.LastRequest(conv.Messages); last != "" {
		_, t.Answered = agent.Answered(conv.Messages, last)
	}
	return t, nil
}

// timeFormat is that of the protocol.
const timeFormat = "2006-01-02T15:04:05.999999999Z07:00"

func printStatus(out io.Writer, st folderStatus, in string) {
	row := func(what, says string) { fmt.Fprintf(out, "%-13s %s\n", what, says) }
	row("Folder", name(st.Folder))
	if !st.Known {
		fmt.Fprintf(out, "Nothing was ever run on it; begin with: atelier run \"…\" --in %s\n", quote.Argument(in))
		return
	}
	switch n := len(st.Draft.Changes); {
	case !st.Draft.HasDraft:
		row("Draft", "none")
	case n == 0:
		row("Draft", "since "+localTime(st.Draft.CreatedAt)+"; publishing it would change nothing")
	default:
		row("Draft", fmt.Sprintf("since %s; publishing it changes %s:", localTime(st.Draft.CreatedAt), files(n)))
	}
	for _, c := range st.Draft.Changes {
		line := fmt.Sprintf("  %-8s %s", c.ChangeType, name(c.Path))
		if c.From != "" {
			line += " (was " + name(c.From) + ")"
		}
		if c.Outside != "" {
			line += "  ! the published file was " + c.Outside + " meanwhile: a conflict unless --force names it"
		}
		row("", line)
	}
	row("Conversation", conversationWords(st.Conversation, in))
	row("Model", name(st.ModelID))
	if st.Mode.Mode != "" && st.Mode.Mode != "build" {
		row("Mode", st.Mode.Mode)
	}
	row("Limits", limitWords(*st.Limits))
	if st.Usage.Requests > 0 {
		row("Used", usageWords(*st.Usage))
	}
	row("In use", holderWords(st.InUse))
}

func conversationWords(t *conversationStatus, in string) string {
	if t.Messages == 0 {
		return "empty"
	}
	says := plural(int64(t.Messages), "message") + ", last " + localTime(t.LastAt)
	if !t.Answered {
		says += "; the last one was not answered: atelier run --resume --in " + quote.Argument(in)
	}
	return says
}

func limitWords(l limitStatus) string {
	parts := []string{fmt.Sprintf("%d requests a run, %d tool calls a turn, %s a call, %d MiB of memory", l.MaxTurns, l.MaxCalls, l.ToolTimeout, l.MemoryLimit>>20)}
	b := l.Budget
	for _, bound := range []struct {
		there bool
		says  string
	}{
		{b.Tokens > 0, spend.FormatCount(b.Tokens) + " tokens a run"},
		{b.Cost > 0, spend.FormatMoney(b.Cost) + " of money a run"},
		{b.Seconds > 0, fmt.Sprintf("%g s of work a run", b.Seconds)},
		{b.WorkbenchTokens > 0, spend.FormatCount(b.WorkbenchTokens) + " tokens for the folder"},
		{b.WorkbenchCost > 0, spend.FormatMoney(b.WorkbenchCost) + " of money for the folder"},
	} {
		if bound.there {
			parts = append(parts, bound.says)
		}
	}
	if len(parts) == 1 {
		parts = append(parts, "no budget")
	}
	return strings.Join(parts, "; ")
}

func holderWords(h *workshop.Holder) string {
	if h == nil {
		return "by no process"
	}
	says := "by process " + first(h.Process, "(unknown)")
	if what := h.Activity.String(); what != "" {
		says += ": " + what + " is in progress"
	}
	return says
}
