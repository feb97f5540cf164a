package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/password"
	"atelier/workshop"
)

// ContentDiff describes the change of one file in the terms of its format:
// cells, paragraphs, slides (RV-03).
type ContentDiff struct {
	Path     string `json:"path"`
	FileKind string `json:"file_kind"`
	formats.Diff
	CopiedFrom string `json:"copied_from,omitempty"` // for a new file: the file whose content the groups compare it with
	Message    string `json:"message,omitempty"`     // why there are no groups, if there are none
	Missing    bool   `json:"baseline_missing"`      // no published file exists; everything is new except what was copied
}

// FactsTitle is the heading of a file's list of facts wherever the program
// shows it.
const FactsTitle = "beside the text"

// ContentOptions refine Content.
type ContentOptions struct {
	formats.DiffOptions
	// Requires asks for Requires and Revertible of all changes (see Reject), which takes
	// many comparisons.
	Requires bool
}

// Content compares one path of the draft with the published file. It compares
// a copied new file with the content it was copied from. Other new files and
// deleted files are not compared. If the format has no terms of its own,
// Message says so, and the change set still has the hashes and sizes.
func Content(ctx context.Context, wb *workshop.Workbench, set *formats.Set, p workshop.Path, opt ContentOptions) (ContentDiff, error) {
	changes, err := wb.Changes(ctx)
	if err != nil {
		return ContentDiff{}, err
	}
	for _, c := range changes {
		if c.Path == p {
			var out ContentDiff
			err := limited(ctx, p, func(ctx context.Context) (err error) {
				out, err = compareContent(ctx, wb, set, c, opt)
				return err
			})
			if message := notCompared(err); message != "" {
				out.Message, out.Warnings = message, []string{message}
				return out, nil
			}
			return out, err
		}
	}
	return ContentDiff{}, workshop.Faultf(workshop.NotFound, "the draft does not change %s", p)
}

func compareContent(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change, opt ContentOptions) (ContentDiff, error) {
	out := ContentDiff{Path: string(c.Path), FileKind: string(c.Kind), Missing: c.Type == "added", Diff: formats.Diff{Groups: []formats.DiffGroup{}, Facts: []formats.Fact{}}}
	version := "published"
	switch {
	case c.Type == "added" && c.CopiedHash != "":
		version, out.CopiedFrom = "copied", string(c.CopiedFrom)
	case c.IsDir:
		out.FileKind, out.Message = KindFolder, folderSummary(c)
		return out, nil
	case c.Type != "modified":
		out.Message = map[string]string{"added": "a new file", "deleted": "the file is removed", "renamed": renameSummary(c)}[c.Type]
		if c.Type != "added" {
			return out, nil
		}
		if err := addFactsOfNewFile(ctx, wb, set, c, opt.DiffOptions, &out.Diff); err != nil {
			return out.withDamage(err)
		}
		return out, nil
	}
	before, err := wb.OpenVersion(ctx, c.Path, version)
	if err != nil {
		return out.withDamage(err)
	}
	defer before.Close()
	after, err := wb.OpenVersion(ctx, c.Path, "draft")
	if err != nil {
		return out.withDamage(err)
	}
	defer after.Close()
	if t, err := compareTables(ctx, c.Path, before, after); err != nil {
		return out, err
	} else if t != nil {
		if out.Diff = *t.diff(opt.Limit()); out.CopiedFrom != "" {
			out.Summary = copySummary(c, &out.Diff)
		}
		return out, nil
	}
	d, message, err := compareInFormat(ctx, set, before, after, opt.DiffOptions)
	if err != nil || message != "" {
		out.Message = message
		return out, err
	}
	if out.Diff = *d; opt.Requires && c.Type == "modified" {
		if err := requirements(ctx, set, c.Path, before, after, &out.Diff); err != nil {
			return out, err
		}
	}
	if out.CopiedFrom != "" {
		out.Summary = copySummary(c, d)
	}
	return out, nil
}

// withDamage turns the error about stored content that cannot be read into a
// message and a warning, so that the review continues with the other files.
func (d ContentDiff) withDamage(err error) (ContentDiff, error) {
	if !errors.Is(err, workshop.ErrDamaged) {
		return d, err
	}
	d.Message, d.Warnings = err.Error(), []string{err.Error()}
	return d, nil
}

// compareInFormat compares two contents in the terms of their format. If that is
// impossible, message says why.
func compareInFormat(ctx context.Context, set *formats.Set, before, after formats.Source, opt formats.DiffOptions) (d *formats.Diff, message string, err error) {
	f, err := set.Detect(ctx, after)
	if err != nil {
		return nil, "", err
	}
	if f.Differ == nil {
		return nil, "this kind of file is compared by its text, or by size and hash", nil
	}
	d, err = compareContents(ctx, f, before, after, opt)
	var fe *formats.Error
	if errors.As(err, &fe) {
		return nil, "it cannot be compared: " + fe.Error(), nil
	}
	return d, "", err
}

// addFactsOfNewFile adds warnings about what a new file links to, runs, carries and
// hides, and the facts that its text does not show, such as charts, comments and
// protection. It compares the file with an empty one of the same format.
func addFactsOfNewFile(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change, opt formats.DiffOptions, out *formats.Diff) error {
	after, err := wb.OpenVersion(ctx, c.Path, "draft")
	if err != nil {
		return err
	}
	defer after.Close()
	f, err := set.Detect(ctx, after)
	if err != nil || f.Differ == nil || f.Editor == nil {
		return err
	}
	var blank bytes.Buffer
	if _, err := f.Editor.Apply(ctx, nil, &blank, nil, formats.ApplyOptions{}); err != nil {
		return fmt.Errorf("an empty %s: %w", f.Kind, err)
	}
	d, err := compareContents(ctx, f, formats.FromBytes("blank."+string(f.Kind), blank.Bytes()), after, opt)
	var fe *formats.Error
	if errors.As(err, &fe) {
		out.Warnings = []string{"what it leads to and runs could not be looked at: " + fe.Error()}
		return nil
	}
	if err != nil {
		return err
	}
	beside := map[string]bool{} // warnings about differences from the empty file
	for _, fact := range d.Facts {
		switch {
		case fact.Warning == "":
			if fact.Change == formats.Added && ofNewFile[fact.Kind] {
				out.Facts = append(out.Facts, fact)
			}
		case fact.Change == formats.Removed, fact.Kind == formats.FactPart && !strings.Contains(fact.Warning, "too large"):
			beside[fact.Warning] = true
		default:
			out.Facts = append(out.Facts, fact)
		}
	}
	for i := range out.Facts {
		out.Facts[i].Revertible, out.Facts[i].Reason = false, newFileOnly
	}
	for _, w := range d.Warnings {
		if !beside[w] {
			out.Warnings = append(out.Warnings, w)
		}
	}
	out.FactsOmitted = d.FactsOmitted
	return nil
}

// ofNewFile are the kinds of facts that the review of a new file lists: what the text of
// the file does not show. Its looks are not listed.
var ofNewFile = map[string]bool{
	formats.FactHiddenRows: true, formats.FactHiddenColumns: true, formats.FactHiddenSheet: true, formats.FactHiddenSlide: true,
	formats.FactHiddenText: true, formats.FactHiddenShape: true,
	formats.FactChart: true, formats.FactDiagram: true, formats.FactPicture: true, formats.FactTable: true, formats.FactPivot: true,
	formats.FactSlicer: true, formats.FactMedia: true, formats.FactObject: true, formats.FactMacros: true, formats.FactControl: true,
	formats.FactComment: true, formats.FactNote: true, formats.FactEquation: true, formats.FactTracked: true, formats.FactAnimation: true,
	formats.FactValidation: true, formats.FactCondFormat: true, formats.FactFilter: true, formats.FactProtection: true,
	formats.FactName: true, formats.FactConnection: true,
}

// compareContents returns the difference of two contents, from the memo if they were
// compared before.
func compareContents(ctx context.Context, f *formats.Format, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	memo := diffMemoKey(before, after, f.Kind, opt)
	if d := memo.get(); d != nil {
		return d, nil
	}
	ctx, opened := password.Watch(ctx)
	d, err := f.Differ.Diff(ctx, before, after, opt)
	if err != nil {
		return nil, err
	}
	d.Identify()
	if !opened.Any() { // what is in an encrypted file is for who has its password
		memo.put(d)
	}
	return d, nil
}

func copySummary(c workshop.Change, d *formats.Diff) string {
	if c.CopiedHash == c.NewHash {
		return fmt.Sprintf("copy of %s, unchanged", c.CopiedFrom)
	}
	return fmt.Sprintf("copy of %s: %s", c.CopiedFrom, d.Summary)
}
