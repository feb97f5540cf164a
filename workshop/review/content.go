package review

import (
	"context"
	"errors"

	"atelier/formats"
	"atelier/workshop"
)

// ContentDiff is the change of one file in its format's own terms: cells,
// paragraphs, slides (RV-03).
type ContentDiff struct {
	Path     string `json:"path"`
	FileKind string `json:"file_kind"`
	formats.Diff
	Message string `json:"message,omitempty"` // why there are no groups, where the kind has none
	Missing bool   `json:"baseline_missing"`  // there is no published file: everything is new
}

// FactsTitle heads the list of facts of a file wherever a person reads it.
const FactsTitle = "beside the text"

// Content compares one path of the draft with the published file. A file that
// is new or goes is compared with nothing; a kind without terms of its own gives
// a Message, and its hashes and sizes stand in the change set.
func Content(ctx context.Context, wb *workshop.Workbench, set *formats.Set, p workshop.Path, opt formats.DiffOptions) (ContentDiff, error) {
	changes, err := wb.Changes(ctx)
	if err != nil {
		return ContentDiff{}, err
	}
	for _, c := range changes {
		if c.Path == p {
			return contentOf(ctx, wb, set, c, opt)
		}
	}
	return ContentDiff{}, workshop.Faultf(workshop.NotFound, "the draft does not change %s", p)
}

func contentOf(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change, opt formats.DiffOptions) (ContentDiff, error) {
	out := ContentDiff{Path: string(c.Path), FileKind: string(c.Kind), Missing: c.Type == "added", Diff: formats.Diff{Groups: []formats.DiffGroup{}, Facts: []formats.Fact{}}}
	if c.Type != "modified" {
		out.Message = map[string]string{"added": "a new file", "deleted": "the file is removed", "renamed": renamed(c)}[c.Type]
		return out, nil
	}
	before, err := wb.OpenVersion(ctx, c.Path, "published")
	if err != nil {
		return out, err
	}
	defer before.Close()
	after, err := wb.OpenVersion(ctx, c.Path, "draft")
	if err != nil {
		return out, err
	}
	defer after.Close()
	f, err := set.Detect(ctx, after)
	if err != nil {
		return out, err
	}
	if f.Differ == nil {
		out.Message = "this kind of file is compared by its text, or by size and hash"
		return out, nil
	}
	memo := memoOf(before, after, f.Kind, opt)
	if d := memo.get(); d != nil {
		out.Diff = *d
		return out, nil
	}
	d, err := f.Differ.Diff(ctx, before, after, opt)
	var fe *formats.Error
	if errors.As(err, &fe) {
		out.Message = "it cannot be compared: " + fe.Error()
		return out, nil
	}
	if err != nil {
		return out, err
	}
	memo.put(d)
	out.Diff = *d
	return out, nil
}
