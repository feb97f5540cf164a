package opc

import (
	"context"
	"strings"
)

// Uses counts the relationships that lead to each part, by its folded name.
type Uses map[string]int

// Uses counts the relationships of the package as they are in the edit.
func (e *Edit) Uses(ctx context.Context) (Uses, error) {
	names := append([]string{""}, e.added...)
	if e.pkg != nil {
		names = append(names, e.pkg.Names()...)
	}
	uses := Uses{}
	for _, source := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !e.Has(RelsName(source)) {
			continue
		}
		rels, err := e.Rels(ctx, source)
		if err != nil {
			return nil, err
		}
		for _, r := range rels {
			if !r.External {
				uses[strings.ToLower(r.Target)]++
			}
		}
	}
	return uses, nil
}

// RemoveRelated drops a relationship of a part, and the part that it leads to when
// no other one leads there, then what only that part led to. uses is kept up to date.
func (e *Edit) RemoveRelated(ctx context.Context, source, id string, uses Uses) error {
	rels, err := e.Rels(ctx, source)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.ID != id {
			continue
		}
		if err := e.RemoveRel(ctx, source, id); err != nil || r.External {
			return err
		}
		uses[strings.ToLower(r.Target)]--
		return e.removeUnused(ctx, r.Target, uses, 0)
	}
	return nil
}

func (e *Edit) removeUnused(ctx context.Context, part string, uses Uses, depth int) error {
	if depth > 8 || uses[strings.ToLower(part)] > 0 || !e.Has(part) {
		return nil
	}
	rels, err := e.Rels(ctx, part)
	if err != nil {
		return err
	}
	if err := e.RemovePart(ctx, part); err != nil {
		return err
	}
	for _, r := range rels {
		if r.External {
			continue
		}
		uses[strings.ToLower(r.Target)]--
		if err := e.removeUnused(ctx, r.Target, uses, depth+1); err != nil {
			return err
		}
	}
	return nil
}
