package inventory

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
)

// Compare lists what differs between two inventories: their items, what the
// packages reach outside of themselves, and the parts that neither reports.
func Compare(ctx context.Context, before, after *Inventory) ([]formats.Fact, error) {
	facts := compareItems(before.items, after.items)
	reach, err := compareReach(ctx, before, after, facts)
	if err != nil {
		return nil, err
	}
	parts, err := compareParts(ctx, before, after)
	if err != nil {
		return nil, err
	}
	return append(append(facts, reach...), parts...), nil
}

type itemKey struct {
	kind, key string
	nth       int
}

func keysOf(things []Item) []itemKey {
	seen := map[itemKey]int{}
	out := make([]itemKey, len(things))
	for i, t := range things {
		k := itemKey{t.Kind, t.Key, 0}
		out[i] = itemKey{t.Kind, t.Key, seen[k]}
		seen[k]++
	}
	return out
}

// compareItems pairs items by kind and key, then what is left by content: these
// moved.
func compareItems(before, after []Item) []formats.Fact {
	keysA, keysB := keysOf(before), keysOf(after)
	was := make(map[itemKey]int, len(before))
	for i, k := range keysA {
		was[k] = i
	}
	pair := make([]int, len(after)) // index in before, -1 for none
	taken := make([]bool, len(before))
	for j, k := range keysB {
		i, ok := was[k]
		if pair[j] = -1; ok {
			pair[j], taken[i] = i, true
		}
	}
	pairByContent(before, after, taken, pair)
	var out []formats.Fact
	ofA, ofB := ownersOf(before), ownersOf(after)
	for j, t := range after {
		if pair[j] < 0 && t.Of != "" && !ofA[itemKey{t.Kind, t.Of, 0}] {
			continue
		}
		if pair[j] < 0 {
			out = append(out, added(t, keysB[j]))
		} else if f, ok := changed(before[pair[j]], t, keysB[j]); ok {
			out = append(out, f)
		}
	}
	for i, t := range before {
		if !taken[i] && (t.Of == "" || ofB[itemKey{t.Kind, t.Of, 0}]) {
			out = append(out, removed(t, keysA[i]))
		}
	}
	return out
}

// ownersOf returns the keys of items that others are settings of.
func ownersOf(items []Item) map[itemKey]bool {
	named := map[itemKey]bool{}
	for _, t := range items {
		if t.Of != "" {
			named[itemKey{t.Kind, t.Of, 0}] = true
		}
	}
	out := map[itemKey]bool{}
	for _, t := range items {
		if k := (itemKey{t.Kind, t.Key, 0}); named[k] {
			out[k] = true
		}
	}
	return out
}

// pairByContent pairs items of the same kind and content.
func pairByContent(before, after []Item, taken []bool, pair []int) {
	type content struct {
		kind, text string
		sum        Sum
	}
	free := map[content][]int{}
	for i, t := range before {
		if !taken[i] && t.Of == "" {
			c := content{t.Kind, t.Text, t.Sum}
			free[c] = append(free[c], i)
		}
	}
	for j, t := range after {
		c := content{t.Kind, t.Text, t.Sum}
		if list := free[c]; pair[j] < 0 && len(list) > 0 && t.Of == "" && t.Kind != formats.FactPart {
			pair[j], free[c] = list[0], list[1:]
			taken[list[0]] = true
		}
	}
}

func itemState(t Item) string { return t.At + "\x00" + t.Text + "\x00" + string(t.Sum[:]) }

func (k itemKey) String() string { return fmt.Sprintf("%s %d", k.key, k.nth) }

func added(t Item, k itemKey) formats.Fact {
	return formats.Fact{ID: formats.FactID(t.Kind, k.String(), formats.Added, "", itemState(t)), Kind: t.Kind, Change: formats.Added, At: t.At, New: t.Text, Warning: placeWarning(t, t.WarnAdded), Revertible: t.Revertible}
}

func removed(t Item, k itemKey) formats.Fact {
	t.At = placeBefore(t)
	return formats.Fact{ID: formats.FactID(t.Kind, k.String(), formats.Removed, itemState(t), ""), Kind: t.Kind, Change: formats.Removed, At: t.At, Old: t.Text, Warning: placeWarning(t, t.WarnRemoved), Revertible: t.Revertible}
}

func changed(a, b Item, k itemKey) (formats.Fact, bool) {
	f := formats.Fact{ID: formats.FactID(b.Kind, k.String(), formats.Changed, itemState(a), itemState(b)), Kind: b.Kind, Change: formats.Changed, At: b.At, Old: a.Text, New: b.Text, Revertible: a.Revertible && b.Revertible}
	switch {
	case a.Text == b.Text && a.Sum == b.Sum && a.At == b.At:
		return f, false
	case a.Text == b.Text && a.Sum == b.Sum:
		f.Change, f.Old, f.New = formats.Moved, placeBefore(a), b.Text
		return f, true
	case a.Text == b.Text:
		f.New += " (in its details)"
		f.New = strings.TrimSpace(f.New)
	}
	if b.WarnAdded != a.WarnAdded || b.Kind == formats.FactPart {
		f.Warning = placeWarning(b, b.WarnAdded)
	}
	return f, true
}

func placeBefore(t Item) string {
	if t.Was != "" {
		return t.Was
	}
	return t.At
}

// placeWarning puts the place before a warning.
func placeWarning(t Item, w string) string {
	if w == "" || t.At == "" {
		return w
	}
	return t.At + ": " + w
}
