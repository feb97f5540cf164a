package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"atelier/engine"
)

// listedFolder is one line of 'atelier list'.
type listedFolder struct {
	engine.WorkbenchInfo
	Gone     bool   `json:"gone,omitempty"` // the folder is not at its path
	HasDraft bool   `json:"has_draft"`
	Messages int    `json:"messages"`
	LastAt   string `json:"last_at,omitempty"`
	Error    string `json:"error,omitempty"` // why its state cannot be read
}

func newList(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the folders that have a draft or a conversation",
		Long: `Lists the folders that Atelier knows, the oldest first: whether there is a draft, how
many messages the conversation has, and the time of the last one. 'atelier status
--in DIR' shows more about one folder.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			known, err := engine.CallAs[engine.WorkbenchListResult](cmd.Context(), e, "WorkbenchList", engine.Empty{})
			if err != nil {
				return err
			}
			list := []listedFolder{}
			for _, w := range known.Workbenches {
				list = append(list, listed(cmd.Context(), e, w))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"folders": list})
			}
			if len(list) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "Nothing was run on any folder yet.")
				return nil
			}
			t := newTable(cmd.OutOrStdout(), "FOLDER", "DRAFT", "MESSAGES", "LAST")
			for _, f := range list {
				t.addRow(f.cells()...)
			}
			return t.print()
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// listed returns the state of one folder. An unreadable state does not hide
// the other folders.
func listed(ctx context.Context, e *engine.Engine, w engine.WorkbenchInfo) listedFolder {
	f := listedFolder{WorkbenchInfo: w}
	_, err := os.Stat(w.Root)
	f.Gone = errors.Is(err, fs.ErrNotExist)
	ref := engine.WorkbenchRef{WorkbenchID: w.WorkbenchID}
	if f.Gone {
		return f
	}
	draft, err := engine.CallAs[engine.DraftGetStateResult](ctx, e, "DraftGetState", ref)
	if err == nil {
		f.HasDraft = draft.HasDraft
		var talk *conversationStatus
		if talk, err = conversationOf(ctx, e, ref); err == nil {
			f.Messages, f.LastAt = talk.Messages, talk.LastAt
		}
	}
	if err != nil {
		f.Error = err.Error()
	}
	return f
}

func (f listedFolder) cells() []any {
	switch {
	case f.Gone:
		return []any{name(f.Root), "(the folder is gone)", "", ""}
	case f.Error != "":
		return []any{name(f.Root), "(" + name(f.Error) + ")", "", ""}
	}
	draft := "-"
	if f.HasDraft {
		draft = "yes"
	}
	return []any{name(f.Root), draft, f.Messages, localTime(f.LastAt)}
}
