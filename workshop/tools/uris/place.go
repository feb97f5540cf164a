package uris

import (
	"context"
	"net/url"
	"strings"

	"atelier/workshop"
)

// Place returns the path of a file: URI whether or not there is something: for tools
// that make, move and remove. Segments that exist are found as Resolve finds
// them; others are percent-decoded. "file:///" and "file:" alone are the two
// roots.
func Place(ctx context.Context, view workshop.View, chat bool, uri string) (workshop.Path, error) {
	f, err := placed(uri)
	if err != nil {
		return "", err
	}
	at := workshop.Path("")
	if f.Scope == Chat {
		if !chat {
			return "", invalid("there is no chat context here, so %s names nothing; use file:/// for files of the workspace", uri)
		}
		at = ChatFiles
	}
	absent := false // so is all below, where to look for each would take the square of the segments
	for _, seg := range f.Segments {
		var e *workshop.Entry
		if !absent {
			if e, err = step(ctx, view, at, seg); err != nil && !workshop.IsFault(err, workshop.Invalid) { // below a file; the tool will say so
				return "", err
			}
		}
		name := seg
		switch {
		case e != nil:
			name = e.Name()
		default:
			if dec, err := url.PathUnescape(seg); err == nil {
				name = dec
			}
		}
		if name == ".." || strings.Contains(name, "/") {
			return "", invalid("%s cannot be the name of a file", seg)
		}
		at = workshop.Path(strings.TrimPrefix(string(at)+"/"+name, "/"))
		if e == nil && !absent {
			_, err := view.Stat(ctx, at)
			absent = workshop.IsFault(err, workshop.NotFound)
		}
	}
	p, err := workshop.ParseStrict(string(at))
	if err != nil {
		return "", workshop.AsFault(err).OnField("uri")
	}
	return p, nil
}

// placed is ParseFile, which also takes the roots themselves.
func placed(uri string) (File, error) {
	if err := check(uri); err != nil {
		return File{}, err
	}
	if !IsFile(uri) {
		return File{}, invalid("only file: URIs name files that can be listed and changed")
	}
	switch uri[5:] {
	case "///", "/":
		return File{Scope: Space}, nil
	case "", ChatFiles, ChatFiles + "/":
		return File{Scope: Chat}, nil
	}
	return ParseFile(uri)
}

// URI returns how a path of a view is named from the root of the workspace. Names
// are written as they are, but where that could be read otherwise.
func URI(p workshop.Path) string { return "file:///" + escape(string(p)) }

// ChatURI returns how a path below the chat's files is named. A name that is that of
// the folder itself is given in full.
func ChatURI(below string) string {
	if first, _, _ := strings.Cut(below, "/"); first == ChatFiles {
		below = ChatFiles + "/" + below
	}
	return "file:" + escape(below)
}

func escape(p string) string {
	segs := strings.Split(p, "/")
	for i, s := range segs {
		if strings.ContainsAny(s, "%?#") {
			segs[i] = url.PathEscape(s)
		}
	}
	return strings.Join(segs, "/")
}
