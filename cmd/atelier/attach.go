package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"atelier/engine"
)

func newAttach(s *settings) *cobra.Command {
	var in, from string
	var another bool
	cmd := &cobra.Command{
		Use:   "attach --in DIR [--from OLD | --new]",
		Short: "Choose the draft and conversation of a folder that was moved or replaced",
		Long: `Atelier recognizes a folder by more than its path, so a folder that replaces another
does not get its draft and conversation. If Atelier cannot tell, its commands report it,
and this command decides: DIR continues with the draft and conversation of the folder
that was at its path, with --from OLD of the folder that was at OLD, and with --new it
starts without any. Nothing is removed: a draft and conversation that DIR does not
continue with are kept.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if another && from != "" {
				return usageError{errors.New("--new and --from exclude each other")}
			}
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			dir, err := filepath.Abs(in)
			if err != nil {
				return err
			}
			if another {
				if _, err := engine.CallAs[engine.WorkbenchCreated](ctx, e, "WorkbenchCreate", engine.WorkbenchCreateParams{Name: filepath.Base(dir), Root: dir, Another: true}); err != nil {
					return err
				}
				fmt.Fprintf(out, "%s begins anew: no draft, no conversation.\n", dir)
				return nil
			}
			old := dir
			if from != "" {
				if old, err = filepath.Abs(from); err != nil {
					return err
				}
			}
			id, err := lastAt(ctx, e, old)
			if err != nil {
				return err
			}
			if _, err := engine.CallAs[engine.WorkbenchInfo](ctx, e, "WorkbenchAttach", engine.WorkbenchAttachParams{WorkbenchID: id, Root: dir}); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s continues with the draft and conversation of %s.\n", dir, old)
			return nil
		},
	}
	cmd.Flags().StringVar(&in, "in", ".", "folder")
	cmd.Flags().StringVar(&from, "from", "", "where the folder was before")
	cmd.Flags().BoolVar(&another, "new", false, "start without draft and conversation")
	return cmd
}

// lastAt returns the id of the workbench that was last at dir.
func lastAt(ctx context.Context, e *engine.Engine, dir string) (string, error) {
	list, err := engine.CallAs[engine.WorkbenchListResult](ctx, e, "WorkbenchList", engine.Empty{})
	if err != nil {
		return "", err
	}
	id := ""
	for _, w := range list.Workbenches {
		if real, err := filepath.EvalSymlinks(dir); w.Root == dir || err == nil && w.Root == real {
			id = w.WorkbenchID
		}
	}
	if id == "" {
		return "", fmt.Errorf("there is no draft and no conversation of a folder at %s", dir)
	}
	return id, nil
}
