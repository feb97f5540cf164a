package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/quote"
	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/review/textdiff"
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

// palette holds terminal escapes; all are empty in a pipe.
type palette struct{ head, add, del, emph, code, off string }

func colors(out io.Writer) palette {
	if _, ok := styled(out); ok && os.Getenv("NO_COLOR") == "" {
		return palette{bold, green, red, italic, cyan, plainText}
	}
	return palette{}
}

func printContent(out io.Writer, d review.ContentDiff, c palette, all bool) {
	fmt.Fprintf(out, "\n%s%s%s  %s\n", c.head, name(d.Path), c.off, d.Summary)
	for _, w := range d.Warnings {
		fmt.Fprintf(out, "%s! %s%s\n", c.del, w, c.off)
	}
	printFacts(out, d, c, all)
	for _, g := range d.Groups {
		note := ""
		if g.Change != formats.Modified {
			note = " (" + string(g.Change)
			if g.From != "" {
				note += ", was " + g.From
			}
			note += ")"
		}
		fmt.Fprintf(out, "  %s%s%s\n", g.Name, note, "")
		for _, it := range g.Items {
			printItem(out, it, c, all)
		}
	}
	if d.Omitted > 0 {
		fmt.Fprintf(out, "  and %s; --all shows everything\n", formats.Count(d.Omitted, "more change", "more changes"))
	}
}

// printFacts lists the changes outside the texts, one line for each fact if
// it fits.
func printFacts(out io.Writer, d review.ContentDiff, c palette, all bool) {
	if len(d.Facts) == 0 {
		return
	}
	fmt.Fprintf(out, "  %s\n", review.FactsTitle)
	for _, f := range d.Facts {
		noun, verb := f.Words()
		sign := " "
		if f.Warning != "" {
			sign = "⚠"
		}
		old, now := pair(f.Old, f.New, all)
		line := fmt.Sprintf("  %s %-9s %s", sign, verb, noun)
		if f.At != "" {
			line += "  " + oneLine(f.At)
		}
		switch {
		case old != "" && now != "" && f.Change == formats.Moved:
			line += "  (was " + old + ")  " + now
		case old != "" && now != "" && len([]rune(old+now)) > maxFactLine:
			fmt.Fprintf(out, "%s\n%s    - %s%s\n%s    + %s%s\n", line, c.del, old, c.off, c.add, now, c.off)
			continue
		case old != "" && now != "":
			line += "  " + old + " → " + now
		default:
			line += "  " + old + now
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	if d.FactsOmitted > 0 {
		fmt.Fprintf(out, "    and %s; --all shows everything\n", formats.Count(d.FactsOmitted, "more of these", "more of these"))
	}
}

// maxFactLine is the maximum length of both states of a fact on one line.
const maxFactLine = 100

func printItem(out io.Writer, it formats.DiffItem, c palette, all bool) {
	at := it.At
	if it.From != "" {
		at += " (was " + it.From + ")"
	}
	if len(it.Notes) > 0 {
		at += "  " + strings.Join(it.Notes, "; ")
	}
	fmt.Fprintf(out, "    %-9s %s\n", it.Change, at)
	before, after := pair(it.Old, it.New, all)
	if it.Old != "" {
		fmt.Fprintf(out, "%s    - %s%s\n", c.del, before, c.off)
	}
	if it.New != "" && it.Change != formats.Formatted && it.Change != formats.Moved {
		fmt.Fprintf(out, "%s    + %s%s\n", c.add, after, c.off)
	}
}

// firstPart reports whether a difference is not a later part of a long one.
func firstPart(d review.TextDiff) bool {
	return d.Window == nil || d.Window.OldFrom == 1 && d.Window.NewFrom == 1
}

func printHead(out io.Writer, d review.TextDiff, c palette, warnings []string) {
	fmt.Fprintf(out, "\n%s%s%s\n", c.head, name(d.Path), c.off)
	for _, w := range warnings {
		fmt.Fprintf(out, "%s! %s%s\n", c.del, w, c.off)
	}
}

func printDiff(out io.Writer, d review.TextDiff, c palette) {
	if d.Note != "" {
		fmt.Fprintln(out, "  "+d.Note)
	}
	if d.Message != "" {
		fmt.Fprintln(out, "  "+d.Message)
	}
	for i, h := range d.Hunks {
		if i > 0 {
			fmt.Fprintln(out, "  ⋮")
		}
		for _, l := range h.Lines {
			switch l.Type {
			case textdiff.Added:
				fmt.Fprintf(out, "%s+ %5d  %s%s\n", c.add, l.NewLine, lineText(l), c.off)
			case textdiff.Removed:
				fmt.Fprintf(out, "%s- %5d  %s%s\n", c.del, l.OldLine, lineText(l), c.off)
			default:
				fmt.Fprintf(out, "  %5d  %s\n", l.NewLine, lineText(l))
			}
		}
	}
	if d.Next != "" {
		fmt.Fprintf(out, "  there is more from line %d on (%d %% of the file is behind); --all shows everything\n", d.Window.NewTo+1, d.Window.Percent)
	}
}

// lineText returns a line of a text with the number of omitted bytes.
func lineText(l textdiff.Line) string {
	s := l.Text
	if l.From > 0 {
		s = fmt.Sprintf("(%d bytes) …%s", l.From, s)
	}
	if l.Cut > 0 {
		s = fmt.Sprintf("%s… (%d bytes)", s, l.Cut)
	}
	return s
}

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
