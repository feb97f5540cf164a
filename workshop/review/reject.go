package review

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/revert"
	"atelier/formats/text"
	"atelier/workshop"
	"atelier/workshop/review/textdiff"
)

// Rejected is the result of Reject.
type Rejected struct {
	workshop.Rejected
	Changes int
}

// Reject takes changes of one file of the draft back: hunks of Diff or items and facts
// of Content, by their ids. In a csv file these are cells and rows. It is a step of author's that can be undone. A change that
// needs others which are not named is a fault that names these.
func Reject(ctx context.Context, wb *workshop.Workbench, set *formats.Set, p workshop.Path, ids []string, author string) (Rejected, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) == 0 {
		return Rejected{}, workshop.Faultf(workshop.Invalid, "no changes are named; a review lists their ids").OnField("changes")
	}
	c, before, after, err := bothSides(ctx, wb, p)
	if err != nil {
		return Rejected{}, err
	}
	defer before.Close()
	defer after.Close()
	cause := workshop.Cause{Tool: "reject", Author: author}
	rj := workshop.Rejection{Path: p, Hash: c.NewHash, Meta: map[string]any{"changes": ids}}
	if _, err := parseHunk(ids[0], c); err == nil {
		rj.To, err = rejectHunks(ctx, before, after, c, ids)
		rj.Text = rejectText(p, len(ids), nil)
		if err != nil {
			return Rejected{}, err
		}
	} else if t, err := compareTables(ctx, p, before, after); err != nil {
		return Rejected{}, err
	} else if t != nil {
		if err := t.rejectFields(ids, &rj); err != nil {
			return Rejected{}, err
		}
	} else {
		f, err := rejecting(ctx, set, p, after)
		if err != nil {
			return Rejected{}, err
		}
		var done workshop.Rejected
		err = limited(ctx, p, func(ctx context.Context) (err error) {
			if err = rejectItems(ctx, f, before, after, ids, &rj); err == nil {
				done, err = wb.Reject(ctx, cause, rj)
			}
			return err
		})
		return Rejected{done, len(ids)}, err
	}
	done, err := wb.Reject(ctx, cause, rj)
	return Rejected{done, len(ids)}, err
}

// bothSides opens the contents of a file that the draft changes.
func bothSides(ctx context.Context, wb *workshop.Workbench, p workshop.Path) (c workshop.Change, before, after workshop.Source, err error) {
	changes, err := wb.Changes(ctx)
	if err != nil {
		return c, nil, nil, err
	}
	i := slices.IndexFunc(changes, func(c workshop.Change) bool { return c.Path == p })
	switch {
	case i < 0:
		return c, nil, nil, workshop.Faultf(workshop.NotFound, "the draft does not change %s", p).OnField("path")
	case changes[i].Type != "modified" || changes[i].IsDir:
		return c, nil, nil, workshop.Faultf(workshop.Invalid, "%s is not a file that is changed in its content; discard it as a whole", p).OnField("path")
	}
	c = changes[i]
	if before, err = wb.OpenVersion(ctx, p, "published"); err != nil {
		return c, nil, nil, err
	}
	if after, err = wb.OpenVersion(ctx, p, "draft"); err != nil {
		before.Close()
		return c, nil, nil, err
	}
	return c, before, after, nil
}

// rejecting returns the format of a file whose changes can be taken back one by one.
func rejecting(ctx context.Context, set *formats.Set, p workshop.Path, src formats.Source) (*formats.Format, error) {
	f, err := set.Detect(ctx, src)
	if err != nil {
		return nil, err
	}
	switch f.Kind {
	case formats.KindDocx, formats.KindXlsx, formats.KindPptx:
		return f, nil
	}
	return nil, workshop.Faultf(workshop.Invalid, "changes of %s cannot be taken back one by one; discard the file, or undo", p).OnField("path")
}

// rejectItems prepares a rejection of items and facts.
func rejectItems(ctx context.Context, f *formats.Format, before, after formats.Source, ids []string, rj *workshop.Rejection) error {
	d, err := compareContents(ctx, f, before, after, formats.DiffOptions{MaxItems: revert.MaxChanges})
	if err != nil {
		return err
	}
	for _, ft := range d.Facts {
		if ft.Follows() && slices.Contains(ids, ft.ID) {
			return about([]string{ft.ID}, "take the changes of the cells back that they read", "calculated values of %s follow from other changes", rj.Path)
		}
	}
	plan, err := revert.NewPlan(ctx, f, before, after)
	if err != nil {
		return err
	}
	missing, stuck, err := plan.Missing(ids)
	switch {
	case formats.CodeOf(err) == formats.CodeNotFound:
		return workshop.Faultf(workshop.Conflict, "%v", err).OnField("changes")
	case err != nil:
		return err
	case len(stuck) > 0:
		return about(stuck, "discard the file, or undo the message that made the changes",
			"%s of %s can be taken back with the whole file only: %s", formats.Count(len(stuck), "change"), rj.Path, few(stuck))
	case len(missing) > 0:
		return about(missing, "name them as well, or leave out the changes that need them", "these changes of %s have to be taken back too: %s", rj.Path, few(missing))
	}
	calculated := 0
	places := placesOf(d, ids)
	rj.Text = rejectText(rj.Path, len(ids), places)
	rj.Meta["places"] = places[:min(len(places), mostPlaces)]
	rj.To = func(w io.Writer) (err error) {
		calculated, err = plan.Write(ctx, w, ids, formats.ApplyOptions{})
		return err
	}
	rj.Calculated = func() bool { return calculated > 0 }
	return nil
}

// about is a fault about changes.
func about(ids []string, hint, format string, args ...any) error {
	f := workshop.Faultf(workshop.Invalid, format, args...).OnField("changes")
	f.Changes, f.Hint = ids, hint
	return f
}

// few lists some ids.
func few(ids []string) string {
	const most = 20
	if len(ids) > most {
		return strings.Join(ids[:most], ", ") + fmt.Sprintf(" and %d more", len(ids)-most)
	}
	return strings.Join(ids, ", ")
}

// placesOf lists where changes are.
func placesOf(d *formats.Diff, ids []string) (out []string) {
	add := func(id, at string) {
		if slices.Contains(ids, id) && at != "" && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	for _, g := range d.Groups {
		for _, it := range g.Items {
			add(it.ID, strings.TrimPrefix(g.Name+" "+it.At, "body "))
		}
	}
	for _, f := range d.Facts {
		noun, _ := f.Words()
		add(f.ID, noun+" at "+f.At)
	}
	return out
}

// mostPlaces bounds the places of a rejection that are told.
const mostPlaces = 10

// rejectText is what a model is told.
func rejectText(p workshop.Path, n int, places []string) string {
	at := ""
	if len(places) > 0 {
		at = ": " + strings.Join(places[:min(len(places), mostPlaces)], ", ")
		if len(places) > mostPlaces {
			at += fmt.Sprintf(" and %d more places", len(places)-mostPlaces)
		}
	}
	return fmt.Sprintf("%s%s of %s in the draft%s. They are as in the published file again. Do not make them again unless the user asks for it.]", workshop.RejectMark, formats.Count(n, "change"), p, at)
}

// A hunk's id has its place and the contents that it is of.
const hunkForm = "h%d-%d-%d-%d-%.12s"

func hunkID(s textdiff.Span, c workshop.Change) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %v", c.OldHash, c.NewHash, s))
	return fmt.Sprintf(hunkForm, s.OldStart, s.OldEnd, s.NewStart, s.NewEnd, fmt.Sprintf("%x", sum))
}

// parseHunk reads the id of a hunk; one of other contents is an error.
func parseHunk(id string, c workshop.Change) (s textdiff.Span, err error) {
	var sum string
	if n, err := fmt.Sscanf(id, "h%d-%d-%d-%d-%s", &s.OldStart, &s.OldEnd, &s.NewStart, &s.NewEnd, &sum); n != 5 || err != nil {
		return s, workshop.Faultf(workshop.Invalid, "%q is not the id of a change; a review lists them", id).OnField("changes")
	}
	if hunkID(s, c) != id {
		return s, workshop.Faultf(workshop.Conflict, "%s has changed since it was reviewed; review it again", c.Path).OnField("changes")
	}
	return s, nil
}

// rejectHunks returns what writes the text without some hunks.
func rejectHunks(ctx context.Context, before, after workshop.Source, c workshop.Change, ids []string) (func(io.Writer) error, error) {
	var spans []textdiff.Span
	for _, id := range ids {
		s, err := parseHunk(id, c)
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b textdiff.Span) int { return int(a.NewStart - b.NewStart) })
	old, err := text.OpenEditable(ctx, before)
	if err != nil {
		return nil, err
	}
	now, err := text.OpenEditable(ctx, after)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	at := int64(0)
	for _, s := range spans {
		if s.NewStart < at || s.NewEnd > int64(len(now.Text())) || s.OldEnd > int64(len(old.Text())) || s.OldStart > s.OldEnd {
			return nil, workshop.Faultf(workshop.Invalid, "these changes overlap").OnField("changes")
		}
		out.WriteString(now.Text()[at:s.NewStart])
		out.WriteString(old.Text()[s.OldStart:s.OldEnd])
		at = s.NewEnd
	}
	out.WriteString(now.Text()[at:])
	b, err := now.Bytes(out.String())
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error { _, err := w.Write(b); return err }, nil
}

// Why a change cannot be taken back alone.
const (
	wholeFileOnly = "without it the file would show other changes, so it goes back with the whole file"
	newFileOnly   = "the file is new, so it goes back whole"
	followsOthers = "the value follows from other changes, and goes back with those of the cells that it reads"
)

// requirements says which changes of a file can be taken back, and with which others. It
// sets Requires and Revertible of the items and facts of d.
func requirements(ctx context.Context, set *formats.Set, p workshop.Path, before, after formats.Source, d *formats.Diff) error {
	f, err := rejecting(ctx, set, p, after)
	if workshop.IsFault(err, workshop.Invalid) {
		return nil // of another kind of file no change goes back alone
	}
	if err != nil {
		return err
	}
	plan, err := revert.NewPlan(ctx, f, before, after)
	if err != nil {
		return err
	}
	d.Groups = slices.Clone(d.Groups) // the memo keeps the others
	for i := range d.Groups {
		d.Groups[i].Items = slices.Clone(d.Groups[i].Items)
		for j := range d.Groups[i].Items {
			it := &d.Groups[i].Items[j]
			if it.Requires, it.Revertible = plan.Requires(it.ID); !it.Revertible {
				it.Reason = wholeFileOnly
			}
		}
	}
	d.Facts = slices.Clone(d.Facts)
	for i := range d.Facts {
		ft := &d.Facts[i]
		if ft.Requires, ft.Revertible = plan.Requires(ft.ID); ft.Follows() {
			ft.Revertible, ft.Reason = false, followsOthers
		} else if !ft.Revertible {
			ft.Reason = wholeFileOnly
		}
	}
	return nil
}
