package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/textclip"
	"atelier/internal/textsafe"
	"atelier/workshop/review"
)

// How many changes of a file are listed.
const (
	fewItems  = 20  // beside a tool call
	manyItems = 100 // by /review
	maxState  = 300 // characters of one side of a change
)

// review says in Markdown what the draft changes in some files, "" for nothing; no
// paths are all. The words are those of 'atelier review'.
func (s *session) review(ctx context.Context, only []string, items int) (string, error) {
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, s.a.eng, "ReviewGetChangeSet", s.ref())
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, c := range set.Changes {
		if len(only) > 0 && !slices.ContainsFunc(only, func(p string) bool { return strings.TrimPrefix(p, "/") == c.Path }) {
			continue
		}
		fmt.Fprintf(&out, "**%s** (%s): %s\n", name(c.Path), c.ChangeType, textsafe.Text(c.Summary))
		for _, w := range c.Warnings {
			fmt.Fprintf(&out, "- ⚠ %s\n", textsafe.Text(w))
		}
		if c.Conflict {
			fmt.Fprintf(&out, "- ⚠ the file in the folder was %s since the draft was based on it\n", c.ChangedOutside)
		}
		if err := s.reviewFile(ctx, &out, c, items); err != nil {
			return "", err
		}
		out.WriteByte('\n')
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

func (s *session) reviewFile(ctx context.Context, out *strings.Builder, c review.Change, items int) error {
	d, err := engine.CallAs[review.ContentDiff](ctx, s.a.eng, "ReviewGetContentDiff", engine.ReviewContentParams{WorkbenchID: s.id, Path: c.Path, MaxItems: items})
	if err != nil {
		return err
	}
	if d.Message != "" {
		return s.reviewLines(ctx, out, c.Path, items)
	}
	left := items
	for _, f := range d.Facts {
		if left--; left < 0 {
			break
		}
		noun, verb := f.Words()
		fmt.Fprintf(out, "- %s %s", verb, noun)
		if f.At != "" {
			fmt.Fprintf(out, " %s", state(f.At))
		}
		switch {
		case f.Old != "" && f.New != "":
			fmt.Fprintf(out, ": %s → %s", state(f.Old), state(f.New))
		case f.Old+f.New != "":
			fmt.Fprintf(out, ": %s", state(f.Old+f.New))
		}
		out.WriteByte('\n')
	}
	for _, g := range d.Groups {
		for _, it := range g.Items {
			if left--; left >= 0 {
				reviewItem(out, g.Name, it)
			}
		}
	}
	if more := d.Omitted + d.FactsOmitted + max(0, -left); more > 0 {
		fmt.Fprintf(out, "- and %s\n", formats.Count(more, "more change", "more changes"))
	}
	return nil
}

func reviewItem(out *strings.Builder, group string, it formats.DiffItem) {
	at := strings.TrimSpace(group + " " + it.At)
	if len(it.Notes) > 0 {
		at += " (" + strings.Join(it.Notes, "; ") + ")"
	}
	fmt.Fprintf(out, "- %s %s", it.Change, state(at))
	switch {
	case it.Change == formats.Formatted || it.Change == formats.Moved || it.Old+it.New == "":
	case it.Old != "" && it.New != "":
		fmt.Fprintf(out, ": %s → %s", state(it.Old), state(it.New))
	case it.New != "":
		fmt.Fprintf(out, ": + %s", state(it.New))
	default:
		fmt.Fprintf(out, ": - %s", state(it.Old))
	}
	out.WriteByte('\n')
}

// reviewLines shows the changed lines of a text file.
func (s *session) reviewLines(ctx context.Context, out *strings.Builder, path string, lines int) error {
	d, err := engine.CallAs[review.TextDiff](ctx, s.a.eng, "ReviewGetTextDiff", engine.ReviewTextParams{WorkbenchID: s.id, Path: path, MaxLines: lines})
	if err != nil {
		return err
	}
	if d.Note != "" {
		fmt.Fprintf(out, "- %s\n", textsafe.Text(d.Note))
	}
	var sb strings.Builder
	left := lines
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			if sign := map[string]string{"added": "+", "removed": "-"}[l.Type]; sign != "" {
				if left--; left >= 0 {
					fmt.Fprintf(&sb, "%s %s\n", sign, state(l.Text))
				}
			}
		}
	}
	if sb.Len() > 0 {
		fence := "```"
		for strings.Contains(sb.String(), fence) {
			fence += "`"
		}
		fmt.Fprintf(out, "%sdiff\n%s%s\n", fence, sb.String(), fence)
	}
	if d.Next != "" || left < 0 {
		out.WriteString("- and more lines\n")
	}
	return nil
}

// name is a path in a text: what a document's name could make look otherwise is
// spelled out.
func name(p string) string { return textsafe.Text(p) }

// state is one side of a change in a line.
func state(s string) string {
	s = textsafe.Text(strings.Join(strings.Fields(s), " "))
	return textclip.Head(s, maxState)
}
