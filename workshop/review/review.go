package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"atelier/formats"
	"atelier/workshop"
)

// Change is one path of a draft (RV-01).
type Change struct {
	Path       string `json:"path"`
	ChangeType string `json:"change_type"` // added, modified, deleted
	FileKind   string `json:"file_kind"`
	MIMEType   string `json:"mime_type"`
	IsOpaque   bool   `json:"is_opaque"`
	OldSize    int64  `json:"old_size"`
	SizeBytes  int64  `json:"size_bytes"`
	OldHash    string `json:"old_hash,omitempty"`
	NewHash    string `json:"new_hash,omitempty"`
	Summary    string `json:"summary"`            // "12 cells in 2 sheets", "3 lines of text added, 1 removed"
	Conflict   bool   `json:"conflict,omitempty"` // the published file changed since the draft was based on it
	// Warnings say what the change makes the document do: reach out, run code,
	// hide or lose things.
	Warnings []string `json:"warnings,omitempty"`
}

// TextDiff is the change of one file as hunks of lines (RV-02).
type TextDiff struct {
	Path     string `json:"path"`
	Hunks    []Hunk `json:"hunks"`
	Added    int    `json:"added"`             // lines
	Removed  int    `json:"removed"`           // lines
	TooLarge bool   `json:"too_large"`         // compared only up to the limit
	Message  string `json:"message,omitempty"` // why there are no hunks, when the file has no text
	Missing  bool   `json:"baseline_missing"`  // there is no published file
}

// Hunk is a run of changed lines with their neighbours.
type Hunk struct {
	Lines []Line `json:"lines"`
}

// Line is one line of a hunk. OldLine and NewLine are 1-based, 0 where the
// line is not on that side.
type Line struct {
	Type    string `json:"type"` // context, added, removed
	Text    string `json:"text"` // without its terminator
	OldLine int    `json:"old_line,omitempty"`
	NewLine int    `json:"new_line,omitempty"`
}

// maxText bounds the text compared of each side, in bytes.
const maxText = 8 << 20

// ChangeSet lists the changed paths of wb's draft, sorted.
func ChangeSet(ctx context.Context, wb *workshop.Workbench, set *formats.Set) ([]Change, error) {
	changes, err := wb.Changes(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(changes))
	for _, c := range changes {
		row := Change{Path: string(c.Path), ChangeType: c.Type, FileKind: string(c.Kind), MIMEType: formats.MIMEOfName(string(c.Path)),
			IsOpaque: c.Kind == formats.KindBinary, OldSize: c.OldSize, SizeBytes: c.NewSize, OldHash: c.OldHash, NewHash: c.NewHash, Conflict: c.Conflict}
		if err := row.describe(ctx, wb, set, c); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// describe says what the change is, in the terms of the format where it has any.
func (row *Change) describe(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change) error {
	content, err := contentOf(ctx, wb, set, c, formats.DiffOptions{MaxItems: 1})
	if err != nil {
		return err
	}
	if content.Message == "" {
		row.Summary, row.Warnings = content.Summary, content.Warnings
		if c.Conflict {
			row.Summary += conflictNote
		}
		return nil
	}
	d, err := diffChange(ctx, wb, set, c)
	if err != nil {
		return err
	}
	row.Summary = summary(c, d)
	return nil
}

const conflictNote = "; the published file has changed since"

func summary(c workshop.Change, d TextDiff) string {
	var s string
	switch {
	case d.Message != "":
		s = d.Message
	case d.Added == 0 && d.Removed == 0:
		s = "the text is the same; formatting or other content changed"
	default:
		s = fmt.Sprintf("%s of text added, %d removed", lines(d.Added), d.Removed)
	}
	if c.Conflict {
		s += conflictNote
	}
	return s
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// Diff compares one path of the draft with the published file.
func Diff(ctx context.Context, wb *workshop.Workbench, set *formats.Set, p workshop.Path) (TextDiff, error) {
	changes, err := wb.Changes(ctx)
	if err != nil {
		return TextDiff{}, err
	}
	for _, c := range changes {
		if c.Path == p {
			return diffChange(ctx, wb, set, c)
		}
	}
	return TextDiff{}, workshop.Faultf(workshop.NotFound, "the draft does not change %s", p)
}

func diffChange(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change) (TextDiff, error) {
	d := TextDiff{Path: string(c.Path), Hunks: []Hunk{}, Missing: c.Type == "added"}
	before, cut1, err := sideText(ctx, wb, set, c, "published", c.Type == "added")
	if err == nil {
		var after string
		var cut2 bool
		if after, cut2, err = sideText(ctx, wb, set, c, "draft", c.Type == "deleted"); err == nil {
			d.TooLarge = cut1 || cut2
			return d, d.compare(before, after)
		}
	}
	var fe *formats.Error
	if errors.As(err, &fe) {
		d.Message = "no text to compare: " + fe.Error()
		return d, nil
	}
	return d, err
}

// sideText is the text of one side, "" when that side does not exist.
func sideText(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change, version string, absent bool) (string, bool, error) {
	if absent {
		return "", false, nil
	}
	src, err := wb.OpenVersion(ctx, c.Path, version)
	if err != nil {
		return "", false, err
	}
	defer src.Close()
	f, err := set.Detect(ctx, src)
	if err != nil {
		return "", false, err
	}
	var text string
	switch {
	case f.Kind == formats.KindText:
		b := make([]byte, min(src.Size(), maxText+1))
		if _, err := io.ReadFull(io.NewSectionReader(src, 0, src.Size()), b); err != nil {
			return "", false, err
		}
		text = string(b)
	case f.Reader == nil:
		return "", false, formats.Errorf(formats.CodeUnsupported, "%s files have none", f.Kind)
	default:
		t, err := f.Reader.Read(ctx, src, formats.Selector{})
		if err != nil {
			return "", false, err
		}
		text = t.Text
	}
	if len(text) > maxText {
		return text[:strings.LastIndexByte(text[:maxText], '\n')+1], true, nil
	}
	return text, false, nil
}

// compare fills the hunks from two texts.
func (d *TextDiff) compare(before, after string) error {
	before, after = endLine(before), endLine(after)
	edits := udiff.Lines(before, after)
	u, err := udiff.ToUnifiedDiff("published", "draft", before, edits, 3)
	if err != nil {
		return err
	}
	for _, h := range u.Hunks {
		hunk := Hunk{}
		from, to := h.FromLine, h.ToLine
		for _, l := range h.Lines {
			line := Line{Text: strings.TrimRight(l.Content, "\r\n")}
			switch l.Kind {
			case udiff.Delete:
				line.Type, line.OldLine = "removed", from
				d.Removed++
				from++
			case udiff.Insert:
				line.Type, line.NewLine = "added", to
				d.Added++
				to++
			default:
				line.Type, line.OldLine, line.NewLine = "context", from, to
				from++
				to++
			}
			hunk.Lines = append(hunk.Lines, line)
		}
		d.Hunks = append(d.Hunks, hunk)
	}
	return nil
}

// endLine ends a text with a newline, so that adding a line behind the last
// does not show the last one as changed.
func endLine(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}
