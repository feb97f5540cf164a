package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/quote"
	"atelier/workshop"
	"atelier/workshop/review"
)

func newReview(s *settings) *cobra.Command {
	var in, html, open string
	var names, asJSON, all, plain, listed bool
	var reject []string
	cmd := &cobra.Command{
		Use:   "review [PATH…] --in DIR",
		Short: "Show what the draft of a folder changes",
		Long: `Lists the changed files and their differences: cells, paragraphs and slides of
office files, lines of others. PATHs, relative to the folder or as completed by the
shell, limit it to those files. --html writes one page for a browser, with both
sides of each change and pictures of pages; the page loads nothing else. --open
copies the draft's version of one file to a temporary folder and prints its path,
to open it in another program. --changes lists the changes of one file with numbers,
and with the numbers of those that have to be taken back together; --reject takes
changes back, by these numbers or by the ids of --json, as a step that 'atelier undo'
takes back.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if html != "" && (asJSON || names) {
				return usageError{errors.New("--html goes with neither --json nor --names")}
			}
			if (listed || len(reject) > 0) && len(args) != 1 {
				return usageError{errors.New("--changes and --reject need exactly one PATH")}
			}
			if len(reject) > 0 {
				return rejectChanges(cmd, s, &in, args[0], reject)
			}
			named := args
			if open != "" {
				named = append([]string{open}, args...)
			}
			e, wb, err := readFolderOf(cmd, s, &in, named)
			if err != nil {
				return err
			}
			defer e.Close()
			if args, err = draftPaths(cmd.Context(), wb, args); err != nil {
				return err
			}
			if open != "" {
				if open, err = draftPath(cmd.Context(), wb, open); err != nil {
					return err
				}
				return copyDraftFile(cmd.Context(), wb, cmd.OutOrStdout(), open)
			}
			if listed {
				return listChanges(cmd.Context(), e, wb, cmd.OutOrStdout(), args[0])
			}
			if html != "" {
				return reviewHTML(cmd.Context(), e, wb, cmd.OutOrStdout(), htmlOptions{File: html, Only: args, Pictures: !plain})
			}
			return reviewDraft(cmd.Context(), e, wb, cmd.OutOrStdout(), args, names, asJSON, all)
		},
	}
	cmd.Flags().StringVar(&in, "in", ".", "folder to review")
	cmd.Flags().BoolVar(&names, "names", false, "list the files only")
	cmd.Flags().BoolVar(&all, "all", false, "show everything: every changed line of large texts, not the first 2,000 of each, long paragraphs whole, and more than 1,000 changes of a file")
	cmd.ValidArgsFunction = completeDraft(s, &in)
	cmd.Flags().StringVar(&open, "open", "", "copy this file of the draft to a temporary folder and print its path")
	cmd.Flags().StringVar(&html, "html", "", "write the review as a web page to this file")
	cmd.Flags().BoolVar(&listed, "changes", false, "list the changes of one file with numbers for --reject")
	cmd.Flags().StringSliceVar(&reject, "reject", nil, "take these changes of one file back: numbers of --changes, or ids")
	cmd.Flags().BoolVar(&plain, "no-pictures", false, "leave pictures of pages out of the web page, which is faster")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print changes and differences as JSON")
	return cmd
}

// openFolder opens the workbench of a folder that has one.
func openFolder(ctx context.Context, s *settings, dir string) (*engine.Engine, *workshop.Workbench, error) {
	return openWorkbench(ctx, s, false, func(*engine.Engine) string { return dir })
}

// readFolder opens the workbench of a folder for reading, which works while
// another process writes to it (K-08).
func readFolder(ctx context.Context, s *settings, dir string) (*engine.Engine, *workshop.Workbench, error) {
	return openWorkbench(ctx, s, true, func(*engine.Engine) string { return dir })
}

func openWorkbench(ctx context.Context, s *settings, reading bool, of func(*engine.Engine) string) (*engine.Engine, *workshop.Workbench, error) {
	e, err := s.engine()
	if err != nil {
		return nil, nil, err
	}
	dir := of(e)
	var wb *workshop.Workbench
	var found bool
	if reading {
		wb, found, err = e.ReadFolder(ctx, dir)
	} else if _, found, err = e.Home().FindFolder(ctx, dir); err == nil && found {
		wb, err = e.OpenFolder(ctx, dir)
	}
	if err == nil && !found {
		err = noWorkbench(dir)
	}
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	return e, wb, nil
}

func noWorkbench(dir string) error {
	return fmt.Errorf("nothing was ever run on %s, so there is no draft and no history; begin with: atelier run \"…\" --in %s", dir, quote.Argument(dir))
}

type reviewed struct {
	Changes  []review.Change      `json:"changes"`
	Contents []review.ContentDiff `json:"contents,omitempty"` // of formats that have their own terms; of new files what is beside their text
	Diffs    []review.TextDiff    `json:"diffs,omitempty"`    // of the others, and of new files
}

func reviewDraft(ctx context.Context, e *engine.Engine, wb *workshop.Workbench, out io.Writer, only []string, names, asJSON, all bool) error {
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, e, "ReviewGetChangeSet", engine.WorkbenchRef{WorkbenchID: wb.ID()})
	if err != nil {
		return err
	}
	if err := changed(set.Changes, only); err != nil {
		return err
	}
	most := 0
	if all {
		most = math.MaxInt32
	}
	r := reviewed{Changes: []review.Change{}}
	for _, c := range set.Changes {
		if !selected(c.Path, only) {
			continue
		}
		r.Changes = append(r.Changes, c)
		if names {
			continue
		}
		content, err := engine.CallAs[review.ContentDiff](ctx, e, "ReviewGetContentDiff", engine.ReviewContentParams{WorkbenchID: wb.ID(), Path: c.Path, MaxItems: most})
		if err != nil {
			return err
		}
		if content.Message == "" || len(content.Facts) > 0 {
			r.Contents = append(r.Contents, content)
		}
		if content.Message == "" {
			continue
		}
		diffs, err := textDiffs(ctx, e, engine.ReviewTextParams{WorkbenchID: wb.ID(), Path: c.Path}, all)
		if err != nil {
			return err
		}
		r.Diffs = append(r.Diffs, diffs...)
	}
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	if len(r.Changes) == 0 {
		fmt.Fprintln(out, "The draft changes nothing.")
		return nil
	}
	printChanges(out, r.Changes)
	color := colors(out)
	beside := map[string]review.ContentDiff{} // of new files
	for _, d := range r.Contents {
		if d.Message != "" {
			beside[d.Path] = d
			continue
		}
		printContent(out, d, color, all)
	}
	warnings := map[string][]string{}
	for _, c := range r.Changes {
		warnings[c.Path] = c.Warnings
	}
	for _, d := range r.Diffs {
		if firstPart(d) {
			printHead(out, d, color, warnings[d.Path])
			printFacts(out, beside[d.Path], color, all)
		} else {
			fmt.Fprintln(out, "  ⋮")
		}
		printDiff(out, d, color)
	}
	return nil
}

// textDiffs returns the first part of the differences of a text, or all of them.
func textDiffs(ctx context.Context, e *engine.Engine, p engine.ReviewTextParams, all bool) (out []review.TextDiff, err error) {
	for {
		d, err := engine.CallAs[review.TextDiff](ctx, e, "ReviewGetTextDiff", p)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
		if p.Start = d.Next; p.Start == "" || !all {
			return out, nil
		}
	}
}

// changed checks that the draft changes the requested files.
func changed(changes []review.Change, only []string) error {
	for _, p := range only {
		if !slices.ContainsFunc(changes, func(c review.Change) bool { return c.Path == p }) {
			return fmt.Errorf("the draft does not change %s; 'atelier review --names' lists what it changes", name(p))
		}
	}
	return nil
}

func selected(path string, only []string) bool {
	return len(only) == 0 || slices.Contains(only, path)
}
