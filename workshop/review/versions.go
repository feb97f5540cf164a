package review

import (
	"context"

	"atelier/formats"
	"atelier/workshop"
)

// VersionDiff describes the difference of two versions of a file.
type VersionDiff struct {
	From    string       `json:"from"` // version ids
	To      string       `json:"to"`
	Same    bool         `json:"same"`              // both versions have the same bytes
	Content *ContentDiff `json:"content,omitempty"` // in the terms of the format, if it has any
	Text    *TextDiff    `json:"text,omitempty"`    // otherwise the text diff
}

// VersionOptions configure how two versions are compared.
type VersionOptions struct {
	MaxItems int // of Content
	Text     TextOptions
}

// Versions compares two versions of a file.
func Versions(ctx context.Context, wb *workshop.Workbench, set *formats.Set, ref workshop.FileRef, from, to string, opt VersionOptions) (VersionDiff, error) {
	a, before, err := wb.OpenFileVersion(ctx, ref, from)
	if err != nil {
		return VersionDiff{}, err
	}
	defer before.Close()
	b, after, err := wb.OpenFileVersion(ctx, ref, to)
	if err != nil {
		return VersionDiff{}, err
	}
	defer after.Close()
	out := VersionDiff{From: a.ID, To: b.ID, Same: a.Hash == b.Hash}
	if out.Same {
		return out, nil
	}
	var d *formats.Diff
	var message string
	err = limited(ctx, b.Path, func(ctx context.Context) (err error) {
		d, message, err = compareInFormat(ctx, set, before, after, formats.DiffOptions{MaxItems: opt.MaxItems})
		return err
	})
	if slow := notCompared(err); slow != "" {
		out.Content = &ContentDiff{Path: string(b.Path), FileKind: string(formats.KindOfName(string(b.Path))), Message: slow, Diff: formats.Diff{Groups: []formats.DiffGroup{}, Facts: []formats.Fact{}, Warnings: []string{slow}}}
		return out, nil
	}
	if err != nil {
		return out, err
	}
	f, err := set.Detect(ctx, after)
	if err != nil {
		return out, err
	}
	if message == "" {
		out.Content = &ContentDiff{Path: string(b.Path), FileKind: string(f.Kind), Diff: *d}
		return out, nil
	}
	text, err := textOfVersions(ctx, wb, set, ref, a, b, opt.Text)
	out.Text = &text
	return out, err
}

func textOfVersions(ctx context.Context, wb *workshop.Workbench, set *formats.Set, ref workshop.FileRef, a, b workshop.FileVersion, opt TextOptions) (TextDiff, error) {
	d := newTextDiff(b.Path)
	if err := opt.check(); err != nil {
		return d, err
	}
	c := workshop.Change{Path: b.Path, Type: "modified", OldHash: a.Hash, NewHash: b.Hash, OldSize: a.Size, NewSize: b.Size}
	start, err := parseCursor(opt.Start, c)
	if err != nil {
		return d, err
	}
	var sides [2]*side
	for i, v := range []workshop.FileVersion{a, b} {
		_, src, err := wb.OpenFileVersion(ctx, ref, v.ID)
		if err != nil {
			return d, err
		}
		if sides[i], err = newSide(ctx, set, src); err != nil {
			return d.withoutText(err)
		}
		defer sides[i].Close()
	}
	err = d.compare(ctx, sides[0], sides[1], c, start, opt)
	return d, err
}
