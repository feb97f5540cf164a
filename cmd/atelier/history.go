package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/quote"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/agent"
)

// inFolder adds the flag that names the folder.
func inFolder(cmd *cobra.Command, in *string) *cobra.Command {
	cmd.Flags().StringVar(in, "in", ".", "folder")
	return cmd
}

func newUndo(s *settings) *cobra.Command {
	var in, to string
	var list, asJSON bool
	cmd := &cobra.Command{
		Use:   "undo --in DIR",
		Short: "Undo the last message and its changes, your last step, or everything since a message",
		Long: `Restores the conversation, the draft and, after a publish, the published files to
their state before your last message, your last step (changes that you rejected, files
that you discarded, a version that you restored), or the last change by another program
(atelier mcp), whichever came last; with --to ID, to their state at that message. --list
shows the messages and steps. The undone files are kept in a checkpoint.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && !list {
				return usageError{errors.New("--json goes with --list")}
			}
			open := openFolder
			if list {
				open = readFolder
			}
			e, wb, err := open(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			records, err := wb.Conversation().Records()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), engine.Conversation{Messages: listedMessages(records)})
			}
			if list {
				printMessages(cmd.OutOrStdout(), records)
				return nil
			}
			return undoTo(cmd.Context(), e, wb.ID(), records, to, cmd.OutOrStdout(), in)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "id of the last message that stays; it may be an undone one, which is then restored")
	cmd.Flags().BoolVar(&list, "list", false, "show the messages to which undo can return")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --list: print JSON")
	return inFolder(cmd, &in)
}

// undoTo undoes everything after the message to, or the last step if to is
// empty.
func undoTo(ctx context.Context, e *engine.Engine, workbench string, records []workshop.Record, to string, out io.Writer, in string) (err error) {
	p := engine.UndoParams{WorkbenchID: workbench, MessageID: to}
	if to == "" {
		if p.MessageID, err = lastStep(records); err != nil {
			return err
		}
		p.Before = true
	}
	p.Before = p.Before || slices.ContainsFunc(records, func(r workshop.Record) bool { return r.MessageID == to && r.IsStep() })
	r, err := engine.CallAs[engine.UndoResult](ctx, e, "WorkshopUndoToMessage", p)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Took back %s of the conversation.\n", formats.Count(r.RecordsUndone, "record"))
	for _, p := range r.PublishedFiles {
		fmt.Fprintln(out, "restored", name(p))
	}
	if r.HasDraft {
		fmt.Fprintf(out, "The draft is as it was then; see it with: atelier review --in %s\n", quote.Argument(in))
	} else {
		fmt.Fprintln(out, "There is no draft.")
	}
	return nil
}

// lastStep returns the last step that can be undone: a message of the user
// that started a turn, together with the messages to its run, or a restored
// version.
func lastStep(records []workshop.Record) (string, error) {
	for _, r := range slices.Backward(records) {
		switch {
		case r.IsStep():
			return r.MessageID, nil
		case r.Type == workshop.TypeUser && agent.Steers(r) == "":
			return r.MessageID, nil
		}
	}
	return "", fmt.Errorf("there is no message to take back")
}

func printMessages(out io.Writer, records []workshop.Record) {
	for _, r := range records {
		if r.IsStep() {
			done := map[string]string{workshop.EventRestore: "restored", workshop.EventReject: "rejected", workshop.EventDiscard: "discarded", workshop.EventGuest: "guest"}[r.EventKind]
			fmt.Fprintf(out, "%s  %-9s  %s (--to with this id goes to before it)\n", r.MessageID, done, name(r.StepPath()))
		}
		if r.Type != workshop.TypeUser && r.Type != workshop.TypeAssistant {
			continue
		}
		text := beginning(r.Text, 70)
		if text == "" {
			text = "(" + formats.Count(len(r.ToolCalls), "tool call") + ")"
		}
		fmt.Fprintf(out, "%s  %-9s  %s\n", r.MessageID, strings.TrimSuffix(r.Type, "_message"), text)
	}
}

// beginning returns the first n characters of a text, on one line.
func beginning(text string, n int) string {
	return textclip.Head(strings.Join(strings.Fields(text), " "), n)
}

// listedMessages returns the messages that 'atelier undo --list' shows.
func listedMessages(records []workshop.Record) []workshop.Record {
	list := []workshop.Record{}
	for _, r := range records {
		if r.IsStep() || r.Type == workshop.TypeUser || r.Type == workshop.TypeAssistant {
			list = append(list, r.WithoutKeep())
		}
	}
	return list
}

func newCheckpoints(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoints",
		Short: "List, make, compare and restore states of the published files",
		Long: `Every publish stores the files it replaces in a checkpoint. Restoring one undoes
that publish and all later ones. A restore also makes a checkpoint, so it can be
undone.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(checkpointsList(s), checkpointsCreate(s), checkpointsDiff(s), checkpointsRestore(s))
	return cmd
}

func checkpointsList(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list --in DIR", Short: "List the checkpoints, the newest first", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, wb, err := readFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			r, err := engine.CallAs[engine.CheckpointsResult](cmd.Context(), e, "CheckpointsList", engine.WorkbenchRef{WorkbenchID: wb.ID()})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			if len(r.Checkpoints) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "There are no checkpoints.")
				return nil
			}
			t := newTable(cmd.OutOrStdout())
			for _, c := range r.Checkpoints {
				t.addRow(c.CheckpointID, localTime(c.CreatedAt), c.Reason, files(c.Stats.Files), size(c.Stats.TotalBytes), c.Description)
			}
			return t.print()
		},
	}
	jsonFlag(cmd, &asJSON)
	return inFolder(cmd, &in)
}

func checkpointsCreate(s *settings) *cobra.Command {
	var in string
	return inFolder(&cobra.Command{
		Use: "create DESCRIPTION --in DIR", Short: "Store the whole published state with a description", Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			wb, err := e.OpenFolder(cmd.Context(), in)
			if err != nil {
				return err
			}
			r, err := engine.CallAs[engine.CheckpointInfo](cmd.Context(), e, "CheckpointCreate", engine.CheckpointCreateParams{WorkbenchID: wb.ID(), Description: strings.Join(args, " ")})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Kept %s (%s) in checkpoint %s.\n", files(r.Stats.Files), size(r.Stats.TotalBytes), r.CheckpointID)
			return nil
		},
	}, &in)
}

func checkpointsDiff(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "diff ID --in DIR", Short: "Show what restoring a checkpoint would change", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, wb, err := readFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			r, err := engine.CallAs[engine.CheckpointGetResult](cmd.Context(), e, "CheckpointGet", engine.CheckpointParams{WorkbenchID: wb.ID(), CheckpointID: args[0]})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			if len(r.Changes) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "Restoring it would change nothing.")
			}
			for _, c := range r.Changes {
				note := ""
				if c.ChangedOutside {
					note = "  (changed outside since the last publish; kept when restored)"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-8s  %s  %s → %s%s\n", c.ChangeType, name(c.Path), size(c.OldSize), size(c.NewSize), note)
			}
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return inFolder(cmd, &in)
}

func checkpointsRestore(s *settings) *cobra.Command {
	var in string
	return inFolder(&cobra.Command{
		Use: "restore ID --in DIR", Short: "Restore the published files of a checkpoint", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, wb, err := openFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			r, err := engine.CallAs[engine.CheckpointRestoreResult](cmd.Context(), e, "CheckpointRestore", engine.CheckpointParams{WorkbenchID: wb.ID(), CheckpointID: args[0]})
			if err != nil {
				return err
			}
			for _, p := range r.Restored {
				fmt.Fprintln(cmd.OutOrStdout(), "restored", name(p))
			}
			if r.CheckpointID == "" {
				fmt.Fprintln(cmd.OutOrStdout(), "The files are so already.")
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "What was replaced is kept in checkpoint %s.\n", r.CheckpointID)
			return nil
		},
	}, &in)
}

func newGC(s *settings) *cobra.Command {
	var in string
	var older time.Duration
	var dry bool
	cmd := &cobra.Command{
		Use: "gc --in DIR", Short: "Remove stored contents that nothing refers to",
		Long: `Removes contents that no draft, checkpoint, version or undo step needs. With
--older-than, older checkpoints and undo steps are deleted first. Stored pages for
previews are removed too; they are made again when needed.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, wb, err := openFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			r, err := e.GC(cmd.Context(), wb, workshop.GCOptions{OlderThan: older, DryRun: dry})
			if err != nil {
				return err
			}
			verb := "Removed"
			if dry {
				verb = "Would remove"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %d contents (%s) and %d checkpoints.\n", verb, r.Objects, size(r.Bytes), r.Checkpoints)
			n, bytes, err := e.Previews().Clear(dry)
			if err != nil {
				return err
			}
			if n > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "%s the pages of %d documents kept for previews (%s).\n", verb, n, size(bytes))
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&older, "older-than", 0, "also delete history older than this, such as 2160h")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be removed")
	return inFolder(cmd, &in)
}

// localTime formats a time of the protocol in the local time zone.
func localTime(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return s
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
