package uris

import (
	"context"
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// Files is a fetch that answers file: URIs from a view and hands every other
// one to base (S-17). chat is whether there is a chat whose files may be named
// (S-15); text reads a file.
func Files(view workshop.View, chat bool, text Text, base tools.Fetch) tools.Fetch {
	return func(ctx context.Context, uri string) (tools.Fetched, error) {
		if !IsFile(uri) {
			return base(ctx, uri)
		}
		f, err := ParseFile(uri)
		if err != nil {
			return tools.Fetched{}, err
		}
		e, err := find(ctx, view, chat, f)
		if err != nil {
			return tools.Fetched{}, err
		}
		s, err := ReadText(e, f.Logical, text)
		return tools.Fetched{Status: 200, StatusText: "OK", ContentType: "text/plain; charset=utf-8", Text: s}, err
	}
}

// find is what a file: URI names; a fault says which file is missing.
func find(ctx context.Context, view workshop.View, chat bool, f File) (workshop.Entry, error) {
	if f.Scope == Chat && !chat {
		return workshop.Entry{}, invalid("there is no chat context here, so file:%s names nothing; use file:/// for files of the workspace", strings.Join(f.Segments, "/"))
	}
	e, err := Resolve(ctx, view, f)
	switch {
	case err != nil:
		return workshop.Entry{}, err
	case e == nil && f.Scope == Chat:
		return workshop.Entry{}, workshop.Faultf(workshop.NotFound, "Chat file not found at %s", f.Logical).OnField("uri")
	case e == nil:
		return workshop.Entry{}, workshop.Faultf(workshop.NotFound, "Workspace file not found at %s", f.Logical).OnField("uri")
	}
	return *e, nil
}

// Deny is the fetch of an environment without a network (C-42).
func Deny(_ context.Context, uri string) (tools.Fetched, error) {
	return tools.Fetched{}, workshop.Faultf(workshop.Forbidden, "cannot read %.200s: network access is disabled", uri).OnField("uri")
}

// Read is the whole read tool: it knows nothing but its fetch (S-17).
func Read(ctx context.Context, fetch tools.Fetch, uri string) (string, error) {
	if err := check(uri); err != nil {
		return "", err
	}
	r, err := fetch(ctx, uri)
	switch {
	case err != nil:
		return "", err
	case r.Status >= 400:
		return "", workshop.Faultf(workshop.Invalid, "Failed to fetch URL: %d %s", r.Status, r.StatusText).OnField("uri")
	}
	return r.Text, nil
}
