package uris

import (
	"context"

	"atelier/workshop"
)

// ResolveSpace finds the entry that segments name from the root of the
// workbench, nil when there is none. It creates nothing (S-20).
func ResolveSpace(ctx context.Context, view workshop.View, segments []string) (*workshop.Entry, error) {
	return resolve(ctx, view, "", segments)
}

// ResolveChat finds the entry that segments name among the chat's files, nil
// when there is none or the chat has no files. It creates nothing.
func ResolveChat(ctx context.Context, view workshop.View, segments []string) (*workshop.Entry, error) {
	root, err := child(ctx, view, "", ChatFiles)
	if root == nil || err != nil {
		return nil, err
	}
	return resolve(ctx, view, root.Path, segments)
}

// Resolve finds what a file: URI names, nil when there is nothing.
func Resolve(ctx context.Context, view workshop.View, f File) (*workshop.Entry, error) {
	if f.Scope == Chat {
		return ResolveChat(ctx, view, f.Segments)
	}
	return ResolveSpace(ctx, view, f.Segments)
}

func resolve(ctx context.Context, view workshop.View, dir workshop.Path, segments []string) (*workshop.Entry, error) {
	at := &workshop.Entry{Path: dir, IsDir: true}
	for _, seg := range segments {
		if !at.IsDir {
			return nil, nil
		}
		next, err := step(ctx, view, at.Path, seg)
		if next == nil || err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// step is one segment: the child of that name, else of the decoded name.
func step(ctx context.Context, view workshop.View, dir workshop.Path, seg string) (*workshop.Entry, error) {
	for _, name := range names(seg) {
		if e, err := child(ctx, view, dir, name); e != nil || err != nil {
			return e, err
		}
	}
	return nil, nil
}

// child returns the entry of exactly that name in a folder, nil when there is none.
// The listing decides, so that a file system that ignores case, or the form of
// accents, does not (S-05).
func child(ctx context.Context, view workshop.View, dir workshop.Path, name string) (*workshop.Entry, error) {
	entries, err := view.List(ctx, dir, workshop.ListOptions{NoHash: true})
	if workshop.IsFault(err, workshop.NotFound) {
		return nil, nil
	}
	for _, e := range entries {
		if e.Name() == name {
			return &e, nil
		}
	}
	return nil, err
}
