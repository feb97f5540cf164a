package docs

import (
	"context"
	"io"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// Guard is a view whose active files cannot be changed: what counts of them is
// in the person's editor, which changes them (C-07, C-50). Without active files
// it is v itself.
func Guard(v workshop.View, s *tools.Session) workshop.View {
	if s == nil || s.Docs == nil || len(s.Active.All()) == 0 {
		return v
	}
	g := guarded{v, s}
	x, ok := v.(workshop.Explorer)
	if !ok {
		return g
	}
	return struct {
		guarded
		workshop.Explorer
	}{g, x}
}

type guarded struct {
	workshop.View
	session *tools.Session
}

// check refuses a path whose docPath is active.
func (g guarded) check(ctx context.Context, p workshop.Path) error {
	doc, err := g.session.Docs.DocOf(ctx, g.View, p)
	if err != nil {
		return err
	}
	if _, ok := g.session.ActiveFile(doc); !ok {
		return nil
	}
	f := workshop.Faultf(workshop.Conflict, "%s is active in the user's editor, whose content is newer; it is changed there, not here", p)
	f.Hint, f.Paths = "propose the change to the user, or use workspace_write_patch where it is offered", []string{string(p)}
	return f
}

func (g guarded) Put(ctx context.Context, p workshop.Path, opt workshop.PutOptions, write func(io.Writer) error) (workshop.Entry, error) {
	if err := g.check(ctx, p); err != nil {
		return workshop.Entry{}, err
	}
	return g.View.Put(ctx, p, opt, write)
}

// PutAll implements workshop.Batcher.
func (g guarded) PutAll(ctx context.Context, puts []workshop.Put) ([]workshop.Entry, error) {
	for _, p := range puts {
		if err := g.check(ctx, p.Path); err != nil {
			return nil, err
		}
	}
	b, ok := g.View.(workshop.Batcher)
	if !ok {
		return nil, workshop.Faultf(workshop.Internal, "these files cannot be changed together")
	}
	return b.PutAll(ctx, puts)
}

func (g guarded) Remove(ctx context.Context, p workshop.Path) error {
	if err := g.check(ctx, p); err != nil {
		return err
	}
	return g.View.Remove(ctx, p)
}

func (g guarded) Move(ctx context.Context, from, to workshop.Path) error {
	inside := []workshop.Path{from, to}
	if e, err := g.View.Stat(ctx, from); err == nil && e.IsDir {
		entries, err := g.View.List(ctx, from, workshop.ListOptions{Recursive: true, NoHash: true})
		if err != nil {
			return err
		}
		for _, e := range entries {
			inside = append(inside, e.Path, to+e.Path[len(from):])
		}
	}
	for _, p := range inside {
		if err := g.check(ctx, p); err != nil {
			return err
		}
	}
	return g.View.Move(ctx, from, to)
}

func (g guarded) Touch(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	if err := g.check(ctx, p); err != nil {
		return workshop.Entry{}, err
	}
	return g.View.Touch(ctx, p)
}
