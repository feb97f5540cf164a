package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/review/textdiff"
)

// TextDiff describes the change of one file as hunks of lines (RV-02): all of
// the file, or one window if Window is set.
type TextDiff struct {
	Path     string          `json:"path"`
	Hunks    []textdiff.Hunk `json:"hunks"`
	Added    int             `json:"added"`             // lines in these hunks
	Removed  int             `json:"removed"`           // lines in these hunks
	Window   *TextWindow     `json:"window,omitempty"`  // which part this is, if it is not all
	Next     string          `json:"next,omitempty"`    // start for the next part
	TooLarge bool            `json:"too_large"`         // always false: large files are compared in windows
	Message  string          `json:"message,omitempty"` // why there are no hunks, if the file has no text
	Note     string          `json:"note,omitempty"`    // what the hunks do not show
	Missing  bool            `json:"baseline_missing"`  // no published file exists
}

// TextWindow is the range of lines of a TextDiff, 1-based. A To before its
// From means that the side has no line.
type TextWindow struct {
	OldFrom int `json:"old_from"`
	OldTo   int `json:"old_to"`
	NewFrom int `json:"new_from"`
	NewTo   int `json:"new_to"`
	Percent int `json:"percent"` // of the text up to the end of the window
}

// TextOptions select the part of a text to compare; the zero value starts at
// the beginning.
type TextOptions struct {
	Start    string // Next of the previous part
	MaxLines int    // maximum number of changed lines; 0 is 2,000, at most 20,000
}

func (opt TextOptions) check() error {
	if opt.MaxLines < 0 || opt.MaxLines > countedLines {
		return workshop.Faultf(workshop.Invalid, "invalid max_lines: %d; give 1 to %d", opt.MaxLines, countedLines).OnField("max_lines")
	}
	return nil
}

func newTextDiff(p workshop.Path) TextDiff {
	return TextDiff{Path: string(p), Hunks: []textdiff.Hunk{}}
}

// Diff compares one path of the draft with the published file.
func Diff(ctx context.Context, wb *workshop.Workbench, set *formats.Set, p workshop.Path, opt TextOptions) (TextDiff, error) {
	if err := opt.check(); err != nil {
		return TextDiff{}, err
	}
	changes, err := wb.Changes(ctx)
	if err != nil {
		return TextDiff{}, err
	}
	for _, c := range changes {
		if c.Path == p {
			var d TextDiff
			err := limited(ctx, p, func(ctx context.Context) (err error) {
				d, err = diffChange(ctx, wb, set, c, opt)
				return err
			})
			if message := notCompared(err); message != "" {
				d.Message, err = message, nil
			}
			return d, err
		}
	}
	return TextDiff{}, workshop.Faultf(workshop.NotFound, "the draft does not change %s", p)
}

func diffChange(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change, opt TextOptions) (TextDiff, error) {
	d := newTextDiff(c.Path)
	d.Missing = c.Type == "added"
	if c.Type == "renamed" {
		d.Message = renameSummary(c)
		return d, nil
	}
	if c.IsDir {
		d.Message = folderSummary(c)
		return d, nil
	}
	start, err := parseCursor(opt.Start, c)
	if err != nil {
		return d, err
	}
	before, err := openSide(ctx, wb, set, c, "published", c.Type == "added")
	if err != nil {
		return d.withoutText(err)
	}
	defer before.Close()
	after, err := openSide(ctx, wb, set, c, "draft", c.Type == "deleted")
	if err != nil {
		return d.withoutText(err)
	}
	defer after.Close()
	err = d.compare(ctx, before, after, c, start, opt)
	return d, err
}

// compare finds the differences of two sides from start on.
func (d *TextDiff) compare(ctx context.Context, before, after *side, c workshop.Change, start textdiff.Cursor, opt TextOptions) error {
	if start.Old > before.Size() || start.New > after.Size() || start.OldEnd > before.Size() || start.NewEnd > after.Size() {
		return badCursor(opt.Start)
	}
	w, err := textdiff.Compare(ctx, before, after, textdiff.Options{Start: start, MaxLines: opt.MaxLines})
	if err != nil {
		return err
	}
	if w.Hunks != nil {
		d.Hunks = w.Hunks
	}
	if c.Type == "modified" && before.encoding != "" && after.encoding != "" {
		for i, h := range d.Hunks {
			d.Hunks[i].ID = hunkID(h.Span, c)
		}
	}
	d.Added, d.Removed = w.Added, w.Removed
	if d.Note, err = textNotes(ctx, before, after, c, opt.Start == ""); err != nil {
		return err
	}
	if w.Next != nil {
		d.Next = formatCursor(*w.Next, c)
	}
	if w.Next != nil || opt.Start != "" {
		d.Window = &TextWindow{start.OldLine + 1, w.To.OldLine, start.NewLine + 1, w.To.NewLine, 100}
		if all := before.Size() + after.Size(); w.Next != nil {
			d.Window.Percent = min(99, int(100*(w.To.Old+w.To.New)/all))
		}
	}
	return nil
}

// withoutText turns the error about a file that has no text into a message.
func (d TextDiff) withoutText(err error) (TextDiff, error) {
	var fe *formats.Error
	switch {
	case errors.As(err, &fe):
		d.Message = "no text to compare: " + fe.Error()
		return d, nil
	case errors.Is(err, workshop.ErrDamaged):
		d.Message = err.Error()
		return d, nil
	}
	return d, err
}

// textNotes describes differences that the hunks cannot show.
func textNotes(ctx context.Context, before, after *side, c workshop.Change, first bool) (string, error) {
	var out []string
	if c.Type == "modified" && before.encoding != after.encoding {
		out = append(out, fmt.Sprintf("encoding %s → %s", before.encoding, after.encoding))
	}
	if before.partial != "" || after.partial != "" {
		part := after.partial
		if part == "" {
			part = before.partial
		}
		out = append(out, "compared by a part of its text: "+part)
	}
	if first && c.Type == "modified" && before.encoding != "" && after.encoding != "" {
		a, err := countLineEnds(ctx, before)
		if err != nil {
			return "", err
		}
		b, err := countLineEnds(ctx, after)
		if err != nil {
			return "", err
		}
		out = append(out, lineEndNotes(a, b)...)
	}
	return strings.Join(out, "; "), nil
}

// A cursor has the hashes of both contents and is refused after one of them
// changed.
const cursorForm = "%.8s.%.8s.%d.%d.%d.%d.%d.%d"

func formatCursor(t textdiff.Cursor, c workshop.Change) string {
	return fmt.Sprintf(cursorForm, hashName(c.OldHash), hashName(c.NewHash), t.Old, t.OldLine, t.New, t.NewLine, t.OldEnd, t.NewEnd)
}

// hashName also has a name for a side that does not exist.
func hashName(h string) string {
	if h == "" {
		return "none"
	}
	return h
}

func badCursor(s string) error {
	return workshop.Faultf(workshop.Invalid, "invalid start: %q; give the next of the part before, or nothing to begin at the beginning", s).OnField("start")
}

func parseCursor(s string, c workshop.Change) (textdiff.Cursor, error) {
	var t textdiff.Cursor
	if s == "" {
		return t, nil
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) != 3 {
		return t, badCursor(s)
	}
	n, err := fmt.Sscanf(parts[2], "%d.%d.%d.%d.%d.%d", &t.Old, &t.OldLine, &t.New, &t.NewLine, &t.OldEnd, &t.NewEnd)
	if err != nil || n != 6 || t.Old < 0 || t.New < 0 || t.OldLine < 0 || t.NewLine < 0 || t.OldEnd < 0 || t.NewEnd < 0 {
		return t, badCursor(s)
	}
	if formatCursor(t, c) != s {
		if parts[0] != fmt.Sprintf("%.8s", hashName(c.OldHash)) || parts[1] != fmt.Sprintf("%.8s", hashName(c.NewHash)) {
			return t, workshop.Faultf(workshop.Conflict, "%s has changed since start was given; begin again without start", c.Path).OnField("start")
		}
		return t, badCursor(s)
	}
	return t, nil
}
