package pptx

import (
	"context"
	"strings"

	"atelier/formats/ooxml/opc"
)

// relIDs returns the relationship ids that a part refers to.
func relIDs(t *tree) map[string]bool {
	ids := map[string]bool{}
	collect := func(n *node) {
		for a := range n.Attrs() {
			if prefix, local := splitName(a.Name); prefix != "" && prefix != "xmlns" && local != "" && n.Namespace(prefix) == nsR {
				ids[a.Value()] = true
			}
		}
	}
	collect(t.Root)
	for n := range t.Root.All() {
		collect(n)
	}
	return ids
}

func splitName(name string) (prefix, local string) {
	for i := range name {
		if name[i] == ':' {
			return name[:i], name[i+1:]
		}
	}
	return "", name
}

// dropUnusedRels drops the relationships that the old part referred to and the
// new one, out, does not, with the parts that nothing uses then.
func (d *deckEdit) dropUnusedRels(ctx context.Context, old *tree, out []byte) error {
	now, err := parse(ctx, old.part, out)
	if err != nil {
		return err
	}
	before, after := relIDs(old), relIDs(now)
	rels, err := d.Rels(ctx, old.part)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if before[r.ID] && !after[r.ID] {
			if err := d.edit.RemoveRel(ctx, old.part, r.ID); err != nil {
				return err
			}
			d.suspect(r)
		}
	}
	return nil
}

// suspect notes a part to which one relationship less leads.
func (d *deckEdit) suspect(r opc.Relationship) {
	if !r.External && r.Target != "" {
		d.suspects = append(d.suspects, r.Target)
	}
}

// sweep drops the suspects that nothing leads to any more, and what only they
// lead to. It runs once, after the last operation.
func (d *deckEdit) sweep(ctx context.Context) error {
	if len(d.suspects) == 0 {
		return nil
	}
	alive, err := d.reach(ctx, []string{""}, nil)
	if err != nil {
		return err
	}
	dead, err := d.reach(ctx, d.suspects, alive)
	if err != nil {
		return err
	}
	for _, part := range dead {
		if !d.Has(part) {
			continue
		}
		if err := d.edit.RemovePart(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// reach lists the parts that relationships lead to from some parts, those
// included, without entering parts in stop. Keys are in lower case, since part
// names compare without it.
func (d *deckEdit) reach(ctx context.Context, from []string, stop map[string]string) (map[string]string, error) {
	seen := map[string]string{}
	queue := from
	for len(queue) > 0 {
		part := queue[0]
		queue = queue[1:]
		key := strings.ToLower(part)
		if _, again := seen[key]; again {
			continue
		}
		if _, ends := stop[key]; ends {
			continue
		}
		seen[key] = part
		rels, err := d.Rels(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, r := range rels {
			if !r.External && d.Has(r.Target) {
				queue = append(queue, r.Target)
			}
		}
	}
	delete(seen, "")
	return seen, nil
}
