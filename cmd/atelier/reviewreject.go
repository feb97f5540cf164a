package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/quote"
	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/review/textdiff"
)

// listedChange is a change that can be rejected, in one line.
type listedChange struct {
	id, line string
	requires []string
	alone    bool // it can be taken back without the whole file
}

// changesOf lists the changes of one file: facts and items, or hunks of lines. With
// requires it says which go back together, which takes longer.
func changesOf(ctx context.Context, e *engine.Engine, wb *workshop.Workbench, path string, requires bool) ([]listedChange, error) {
	content, err := engine.CallAs[review.ContentDiff](ctx, e, "ReviewGetContentDiff", engine.ReviewContentParams{WorkbenchID: wb.ID(), Path: path, MaxItems: maxRejectable, Requires: requires})
	if err != nil {
		return nil, err
	}
	if content.Message == "" {
		return contentChanges(content), nil
	}
	diffs, err := textDiffs(ctx, e, engine.ReviewTextParams{WorkbenchID: wb.ID(), Path: path}, true)
	var out []listedChange
	for _, d := range diffs {
		for _, h := range d.Hunks {
			if h.ID != "" {
				out = append(out, listedChange{id: h.ID, line: hunkLine(h), alone: true})
			}
		}
	}
	return out, err
}

// maxRejectable is how many changes of a file can be rejected one by one.
const maxRejectable = 5000

func contentChanges(d review.ContentDiff) (out []listedChange) {
	for _, f := range d.Facts {
		if f.Follows() {
			continue
		}
		noun, verb := f.Words()
		out = append(out, listedChange{f.ID, changeLine(verb+" "+noun, f.At, f.Old, f.New), f.Requires, f.Revertible})
	}
	for _, g := range d.Groups {
		for _, it := range g.Items {
			at := strings.TrimSpace(g.Name + " " + it.At)
			out = append(out, listedChange{it.ID, changeLine(string(it.Change), at, it.Old, it.New), it.Requires, it.Revertible})
		}
	}
	return out
}

func changeLine(what, at, old, now string) string {
	old, now = pair(old, now, false)
	switch {
	case old != "" && now != "":
		now = old + " → " + now
	case old != "":
		now = old
	}
	return strings.TrimSpace(oneLine(what) + "  " + oneLine(at) + "  " + now)
}

// hunkLine names a hunk by its first changed lines.
func hunkLine(h textdiff.Hunk) string {
	var old, now string
	line := 0
	for _, l := range h.Lines {
		switch {
		case l.Type == textdiff.Removed && old == "":
			old = l.Text
		case l.Type == textdiff.Added && now == "":
			now = l.Text
		}
		if l.Type != textdiff.Context && line == 0 {
			line = max(l.OldLine, l.NewLine)
		}
	}
	return changeLine("lines", fmt.Sprintf("line %d", line), old, now)
}

// listChanges prints the changes of a file with their numbers.
func listChanges(ctx context.Context, e *engine.Engine, wb *workshop.Workbench, out io.Writer, path string) error {
	list, err := changesOf(ctx, e, wb, path, true)
	if err != nil {
		return err
	}
	for i, c := range list {
		with := ""
		var numbers []string
		for j, o := range list {
			if slices.Contains(c.requires, o.id) {
				numbers = append(numbers, strconv.Itoa(j+1))
			}
		}
		switch {
		case !c.alone:
			with = "  (with the whole file only)"
		case len(numbers) > 0:
			with = "  (with " + strings.Join(numbers, ", ") + ")"
		}
		fmt.Fprintf(out, "%4d  %s%s\n", i+1, c.line, with)
	}
	if len(list) == 0 {
		fmt.Fprintf(out, "%s has no changes that can be taken back one by one.\n", name(path))
	}
	return nil
}

// rejectChanges takes changes of a file back.
func rejectChanges(cmd *cobra.Command, s *settings, in *string, path string, which []string) error {
	ctx := cmd.Context()
	e, wb, err := openFolderOf(cmd, s, in, []string{path})
	if err != nil {
		return err
	}
	defer e.Close()
	if path, err = draftPath(ctx, wb, path); err != nil {
		return err
	}
	list, err := changesOf(ctx, e, wb, path, false)
	if err != nil {
		return err
	}
	var ids []string
	for _, w := range which {
		n, err := strconv.Atoi(w)
		switch {
		case err != nil:
			ids = append(ids, w)
		case n < 1 || n > len(list):
			return fmt.Errorf("%s has no change %d; 'atelier review %s --changes' lists 1 to %d", name(path), n, quote.Argument(path), len(list))
		default:
			ids = append(ids, list[n-1].id)
		}
	}
	r, err := engine.CallAs[engine.DraftRevertChangesResult](ctx, e, "DraftRevertChanges", engine.DraftRevertChangesParams{WorkbenchID: wb.ID(), Path: path, Changes: ids})
	if err != nil {
		return withNumbers(err, list)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "rejected %s of %s", formats.Count(r.Reverted, "change"), name(path))
	if r.Dropped {
		fmt.Fprint(cmd.OutOrStdout(), "; it is as published")
	}
	fmt.Fprintln(cmd.OutOrStdout(), ". 'atelier undo' takes this back.")
	return nil
}

// withNumbers replaces the ids of changes in an error by their numbers.
func withNumbers(err error, list []listedChange) error {
	text := err.Error()
	for i, c := range list {
		text = strings.ReplaceAll(text, c.id, strconv.Itoa(i+1))
	}
	if text == err.Error() {
		return err
	}
	return renumbered{err, text}
}

// renumbered is an error with another text.
type renumbered struct {
	error
	text string
}

func (r renumbered) Error() string { return r.text }
func (r renumbered) Unwrap() error { return r.error }
