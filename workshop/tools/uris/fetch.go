package uris

import (
	"context"
	"strings"

	"atelier/workshop"
	"atelier/workshop/web"
)

// Files answers file: URIs from a view and hands every other one to Base
// (S-17). It implements web.Fetcher.
type Files struct {
	View workshop.View
	Chat bool // there is a chat whose files may be named (S-15)
	Text Text // reads a file
	Base web.Fetcher
}

// Fetch implements web.Fetcher.
func (fs Files) Fetch(ctx context.Context, uri string) (*web.Response, error) {
	if !IsFile(uri) {
		return fs.Base.Fetch(ctx, uri)
	}
	f, err := ParseFile(uri)
	if err != nil {
		return nil, err
	}
	e, err := find(ctx, fs.View, fs.Chat, f)
	if err != nil {
		return nil, err
	}
	s, err := ReadText(e, f.Logical, fs.Text)
	if err != nil {
		return nil, err
	}
	return &web.Response{URL: uri, Status: 200, StatusText: "OK", ContentType: "text/plain; charset=utf-8", Body: []byte(s)}, nil
}

// find returns what a file: URI names; a fault says which file is missing.
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

// Read returns the whole read tool: it knows nothing but its fetch (S-17). What a
// file holds is given as it is (S-08), pages are made readable (S-18).
func Read(ctx context.Context, fetch web.Fetcher, uri string) (string, error) {
	if err := check(uri); err != nil {
		return "", err
	}
	if !IsFile(uri) {
		doc, err := web.Read(ctx, fetch, uri)
		return doc.Text, err
	}
	res, err := fetch.Fetch(ctx, uri)
	if err != nil {
		return "", err
	}
	return string(res.Body), nil
}
