package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
)

func newPublish(s *settings) *cobra.Command {
	var in string
	var force []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "publish [PATH…] --in DIR",
		Short: "Replace the published files by the draft, all or nothing",
		Long: `Publishes the draft, or only the PATHs named. A file that changed since the draft
was based on it is a conflict: nothing is published until it is named in --force
(the replaced file is kept) or discarded.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, wb, err := openFolderOf(cmd, s, &in, slices.Concat(args, force))
			if err != nil {
				return err
			}
			defer e.Close()
			if args, err = draftPaths(cmd.Context(), wb, args); err != nil {
				return err
			}
			if force, err = draftPaths(cmd.Context(), wb, force); err != nil {
				return err
			}
			return publishDraft(cmd.Context(), e, wb.ID(), cmd.OutOrStdout(), args, force, asJSON)
		},
	}
	cmd.ValidArgsFunction = completeDraft(s, &in)
	cmd.Flags().StringVar(&in, "in", ".", "folder to publish to")
	cmd.Flags().StringSliceVar(&force, "force", nil, "publish these paths even over outside changes")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func publishDraft(ctx context.Context, e *engine.Engine, workbench string, out io.Writer, paths, force []string, asJSON bool) error {
	r, err := engine.CallAs[engine.DraftPublishResult](ctx, e, "DraftPublish", engine.DraftPublishParams{WorkbenchID: workbench, Paths: paths, Force: force})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(out, r)
	}
	if len(r.Published) == 0 {
		fmt.Fprintln(out, "There was nothing to publish.")
		return nil
	}
	for _, p := range r.Published {
		fmt.Fprintln(out, "published", name(p))
	}
	fmt.Fprintf(out, "What was replaced is kept in checkpoint %s.\n", r.CheckpointID)
	return nil
}

func newDiscard(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "discard [PATH…] --in DIR",
		Short: "Discard the draft, or some files of it; published files stay",
		RunE: func(cmd *cobra.Command, args []string) error {
			e, wb, err := openFolderOf(cmd, s, &in, args)
			if err != nil {
				return err
			}
			defer e.Close()
			if args, err = draftPaths(cmd.Context(), wb, args); err != nil {
				return err
			}
			return discardDraft(cmd.Context(), e, wb.ID(), cmd.OutOrStdout(), args, asJSON)
		},
	}
	cmd.ValidArgsFunction = completeDraft(s, &in)
	cmd.Flags().StringVar(&in, "in", ".", "folder whose draft to discard")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// discarded is the output of `discard --json`.
type discarded struct {
	Discarded bool     `json:"discarded"` // false: there was no draft
	Paths     []string `json:"paths"`     // empty: the whole draft
}

func discardDraft(ctx context.Context, e *engine.Engine, workbench string, out io.Writer, paths []string, asJSON bool) error {
	st, err := engine.CallAs[engine.DraftGetStateResult](ctx, e, "DraftGetState", engine.WorkbenchRef{WorkbenchID: workbench})
	if err != nil {
		return err
	}
	there := st.HasDraft || len(paths) > 0
	if there {
		if _, err := engine.CallAs[engine.DraftDiscardResult](ctx, e, "DraftDiscard", engine.DraftDiscardParams{WorkbenchID: workbench, Paths: paths}); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(out, discarded{there, append([]string{}, paths...)})
	}
	what := "The draft was discarded."
	switch {
	case !there:
		what = "There is no draft."
	case len(paths) > 0:
		what = "Discarded from the draft: " + name(strings.Join(paths, ", ")) + "."
	}
	fmt.Fprintln(out, what)
	return nil
}
