package uris

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"atelier/internal/lazyregexp"
	"atelier/workshop"
)

// ChatFiles is the folder of the workbench that holds a chat's files (C-41).
const ChatFiles = "files"

// Scope is where a file: URI begins.
type Scope int

// The scopes.
const (
	Space Scope = iota // file:///…, the root of the workbench
	Chat               // file:…, the chat's files
)

// File is a file: URI taken apart.
type File struct {
	Scope    Scope
	Segments []string // as written, without empty ones and "."; not percent-decoded
	Logical  string   // how messages name it: /assets/brand.md, files/notes/a.md
}

// IsFile reports whether a URI has the scheme file.
func IsFile(uri string) bool { return len(uri) >= 5 && strings.EqualFold(uri[:5], "file:") }

// ParseFile takes a file: URI apart (S-02…S-06, S-13, S-14).
func ParseFile(uri string) (File, error) {
	if !IsFile(uri) {
		return File{}, invalid("%q is not a file: URI", uri)
	}
	if !utf8.ValidString(uri) || strings.ContainsRune(uri, 0) {
		return File{}, invalid("Invalid URI, needs to be valid UTF-8 without NUL")
	}
	rest := uri[5:]
	f := File{Scope: Chat}
	switch {
	case strings.HasPrefix(rest, "///"):
		f.Scope = Space
	case strings.HasPrefix(rest, "//"):
		return f, invalid("Invalid URI %q: file:// with a host is reserved; use file:///path for the workspace or file:path for the chat", uri)
	case strings.HasPrefix(rest, "/"):
		f.Scope = Space // file:/a is file:///a (RFC 8089, appendix B)
	}
	for seg := range strings.SplitSeq(rest, "/") {
		if seg != "" && seg != "." {
			f.Segments = append(f.Segments, seg)
		}
	}
	if len(f.Segments) == 0 {
		return f, invalid("Invalid URI %q: it has no path", uri)
	}
	if f.Scope == Space {
		f.Logical = "/" + strings.Join(f.Segments, "/")
		return f, nil
	}
	if f.Segments[0] == ChatFiles { // file:files/x is file:x (S-04)
		f.Segments = f.Segments[1:]
		if len(f.Segments) == 0 {
			return f, invalid("Invalid URI %q: it has no path", uri)
		}
	}
	f.Logical = ChatFiles + "/" + strings.Join(f.Segments, "/")
	return f, nil
}

var scheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// HasScheme reports whether a string begins as a URI does.
func HasScheme(s string) bool { return scheme.MatchString(s) }

// check returns what any URI must fulfil (S-13).
func check(uri string) error {
	if !scheme.MatchString(uri) {
		return invalid("Invalid URI, needs to start with a scheme, such as https://")
	}
	return nil
}

// names returns what a segment may be called, the literal first (S-06).
func names(seg string) []string {
	if dec, err := url.PathUnescape(seg); err == nil && dec != seg && utf8.ValidString(dec) &&
		!strings.ContainsAny(dec, "/\x00") && dec != "" && dec != "." && dec != ".." {
		return []string{seg, dec}
	}
	return []string{seg}
}

func invalid(format string, args ...any) error {
	return workshop.Faultf(workshop.Invalid, format, args...).OnField("uri")
}
