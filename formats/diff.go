package formats

import (
	"context"
	"fmt"
	"strings"
)

// Differ lists what changed between two files of its kind, in terms of that
// kind: cells, paragraphs, slides.
type Differ interface {
	Diff(ctx context.Context, before, after Source, opt DiffOptions) (*Diff, error)
}

// DiffOptions refine a Diff; the zero value is the common case.
type DiffOptions struct {
	MaxItems int // items listed in all; 0 is 1,000. The counts are of all
}

// Limit is MaxItems with its default.
func (o DiffOptions) Limit() int {
	if o.MaxItems > 0 {
		return o.MaxItems
	}
	return 1000
}

// Diff lists the differences between two files.
type Diff struct {
	Summary  string      `json:"summary"` // "12 cells in 2 sheets"
	Groups   []DiffGroup `json:"groups"`  // those with a change, in the order of the new file
	Omitted  int         `json:"omitted,omitempty"`
	Warnings []string    `json:"warnings,omitempty"` // what the change makes the document do
	// Facts are the changes that are not items of a group. A kind of file that
	// with facts has an empty list when there are none.
	Facts        []Fact `json:"facts"`
	FactsOmitted int    `json:"facts_omitted,omitempty"`
}

// DiffGroup is a sheet, a slide, the body of a document, a header.
type DiffGroup struct {
	Name   string     `json:"name"`
	Change Change     `json:"change"`         // of the group itself; Modified when only what is in it changed
	From   string     `json:"from,omitempty"` // Renamed and Moved: what or where it was
	Items  []DiffItem `json:"items"`
}

// DiffItem is one item that changed.
type DiffItem struct {
	ID     string   `json:"id,omitempty"` // depends on the two contents only; see Identify
	Change Change   `json:"change"`
	At     string   `json:"at,omitempty"`   // address in the new file, of a removed item in the old one
	From   string   `json:"from,omitempty"` // Moved: address in the old file
	Old    string   `json:"old,omitempty"`
	New    string   `json:"new,omitempty"`
	Notes  []string `json:"notes,omitempty"` // "bold added", "formula =A1 → =A2"
	// Requires are the IDs of the changes that have to be taken back with this one.
	// Only reviews that ask for it have it and Revertible.
	Requires   []string `json:"requires,omitempty"`
	Revertible bool     `json:"revertible,omitempty"` // it can be taken back without the whole file
	Reason     string   `json:"reason,omitempty"`     // why it cannot, in reviews that ask for Requires
}

// Change says how an item changed.
type Change string

// The changes.
const (
	Added     Change = "added"
	Removed   Change = "removed"
	Modified  Change = "modified"
	Moved     Change = "moved"
	Renamed   Change = "renamed"
	Formatted Change = "formatting" // its text is the same
)

// Identify gives the items their IDs, and facts that share one another: the same change
// of the same place has the same ID in every comparison of the same contents.
func (d *Diff) Identify() {
	seen := map[string]int{}
	for i, g := range d.Groups {
		for j := range g.Items {
			it := &d.Groups[i].Items[j]
			key := strings.Join(append([]string{g.Name, it.At, it.From}, it.Notes...), "\x00")
			it.ID = FactID("item", key, it.Change, it.Old, it.New)
			if n := seen[it.ID]; n > 0 {
				it.ID = FactID("item", fmt.Sprint(key, n), it.Change, it.Old, it.New)
			}
			seen[it.ID]++
		}
	}
	for i, f := range d.Facts {
		if n := seen[f.ID]; n > 0 {
			d.Facts[i].ID = FactID(f.ID, fmt.Sprint(n), f.Change, f.Old, f.New)
		}
		seen[f.ID]++
	}
}

// Count writes a number of items in words. plural is the plural form, "" for
// singular + "s".
func Count(n int, singular string, plural ...string) string {
	if n == 1 {
		return "1 " + singular
	}
	if len(plural) > 0 {
		return fmt.Sprintf("%d %s", n, plural[0])
	}
	return fmt.Sprintf("%d %ss", n, singular)
}

// Phrase joins counts to a summary, "the text is the same; layout, formatting or other parts changed" when there are
// none.
func Phrase(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return "the text is the same; layout, formatting or other parts changed"
	}
	return strings.Join(out, ", ")
}

// Trim keeps the first items of a diff, at most limit in all, and counts the
// others.
func (d *Diff) Trim(limit int) {
	for i := range d.Groups {
		if n := len(d.Groups[i].Items); n > limit {
			d.Omitted += n - limit
			d.Groups[i].Items = d.Groups[i].Items[:limit]
		}
		limit -= len(d.Groups[i].Items)
	}
}
