package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/workshop"
)

// Change is one path of a draft (RV-01).
type Change struct {
	Path       string `json:"path"`
	ChangeType string `json:"change_type"`           // added, modified, deleted, renamed
	From       string `json:"from,omitempty"`        // for a renamed file: the published path
	CopiedFrom string `json:"copied_from,omitempty"` // for an added file: the path it was copied from
	FileKind   string `json:"file_kind"`
	MIMEType   string `json:"mime_type"`
	IsOpaque   bool   `json:"is_opaque"`
	OldSize    int64  `json:"old_size"`
	SizeBytes  int64  `json:"size_bytes"`
	OldHash    string `json:"old_hash,omitempty"`
	NewHash    string `json:"new_hash,omitempty"`
	Summary    string `json:"summary"`            // "12 cells in 2 sheets", "3 lines of text added, 1 removed"
	Conflict   bool   `json:"conflict,omitempty"` // the published file changed after the draft was based on it
	// ChangedOutside says what happened to the published file in a conflict:
	// changed, deleted, or added where there was none.
	ChangedOutside string `json:"changed_outside,omitempty"`
	// Warnings name what the change makes the document do: access something
	// outside, run code, hide or lose content.
	Warnings []string `json:"warnings,omitempty"`
}

// KindFolder is the file kind of a folder in a change set.
const KindFolder = "folder"

// listings is how often ChangeSet lists the changes when the draft changes meanwhile.
const listings = 10

// ChangeSet lists the changed paths of wb's draft, sorted.
func ChangeSet(ctx context.Context, wb *workshop.Workbench, set *formats.Set) ([]Change, error) {
	for n := 1; ; n++ {
		out, err := changeSet(ctx, wb, set)
		// A file that was listed and is gone: somebody changed the draft.
		var f *workshop.Fault
		if n == listings || !errors.As(err, &f) || f.Code != workshop.NotFound {
			return out, err
		}
	}
}

func changeSet(ctx context.Context, wb *workshop.Workbench, set *formats.Set) ([]Change, error) {
	changes, err := wb.Changes(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(changes))
	for _, c := range changes {
		row := Change{Path: string(c.Path), ChangeType: c.Type, FileKind: string(c.Kind), MIMEType: formats.MIMEOf(string(c.Path), c.Kind),
			IsOpaque: c.Kind == formats.KindBinary, OldSize: c.OldSize, SizeBytes: c.NewSize, OldHash: c.OldHash, NewHash: c.NewHash, Conflict: c.Conflict, From: string(c.From), CopiedFrom: string(c.CopiedFrom), ChangedOutside: c.Outside}
		if c.IsDir {
			row.FileKind, row.MIMEType = KindFolder, ""
		}
		err := limited(ctx, c.Path, func(ctx context.Context) error { return row.describe(ctx, wb, set, c) })
		if message := notCompared(err); message != "" {
			row.Summary, row.Warnings, err = message, []string{message}, nil
		}
		if err != nil {
			return nil, err
		}
		if instructs(c) {
			row.Warnings = append(row.Warnings, instructsWarning)
		}
		out = append(out, row)
	}
	return out, nil
}

// describe fills in the summary and warnings of the change, in the terms of
// the format if it has any.
func (row *Change) describe(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change) error {
	content, err := compareContent(ctx, wb, set, c, ContentOptions{})
	if err != nil {
		return err
	}
	if content.Message == "" {
		row.Summary, row.Warnings = content.Summary, content.Warnings
		if c.Conflict {
			row.Summary += conflictNote(c)
		}
		return nil
	}
	if c.IsDir {
		row.Summary = content.Message
		return nil
	}
	d, err := diffChange(ctx, wb, set, c, TextOptions{MaxLines: countedLines})
	if err != nil {
		return err
	}
	row.Summary, row.Warnings = textSummary(c, d), append(content.Warnings, csvRisks(row.Path, d.Hunks)...)
	return nil
}

// instructsWarning is told of a change of AGENTS.md.
const instructsWarning = "AGENTS.md instructs models: once it is published, you are asked whether later runs follow it"

// instructs reports whether a change is one of the file that instructs models.
func instructs(c workshop.Change) bool {
	return strings.EqualFold(string(c.Path), workshop.AgentsFile) || strings.EqualFold(string(c.From), workshop.AgentsFile)
}

// countedLines limits the lines that a summary counts.
const countedLines = 20_000

// conflictNote says that publishing the change is a conflict, and why.
func conflictNote(c workshop.Change) string {
	return map[string]string{
		"changed": "; the published file has changed since", "deleted": "; the published file has been deleted since",
		"added": "; a published file of that name has been added since",
	}[c.Outside]
}

func renameSummary(c workshop.Change) string {
	return fmt.Sprintf("renamed from %s; the content is the same", c.From)
}

func folderSummary(c workshop.Change) string {
	if c.Type == "deleted" {
		return "the empty folder is removed"
	}
	return "a new folder, empty"
}

func textSummary(c workshop.Change, d TextDiff) string {
	var s string
	switch {
	case c.CopiedHash != "" && c.CopiedHash == c.NewHash:
		s = fmt.Sprintf("copy of %s, unchanged", c.CopiedFrom)
	case d.Message != "":
		s = d.Message
	case d.Added == 0 && d.Removed == 0 && (c.Type == "added" || c.Type == "deleted"):
		s = "an empty file"
	case d.Added == 0 && d.Removed == 0 && d.Note != "":
		s = "the words are the same"
	case d.Added == 0 && d.Removed == 0:
		s = "the text is the same; other content changed, which cannot be told here"
	case d.Next != "":
		s = fmt.Sprintf("more than %s of text added, %d removed", lineCount(d.Added), d.Removed)
	default:
		s = fmt.Sprintf("%s of text added, %d removed", lineCount(d.Added), d.Removed)
	}
	if d.Note != "" {
		s += "; " + d.Note
	}
	if c.CopiedHash != "" && c.CopiedHash != c.NewHash {
		s += fmt.Sprintf("; it was copied from %s and then changed", c.CopiedFrom)
	}
	if c.Conflict {
		s += conflictNote(c)
	}
	return s
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
