// Package fileuri converts between paths and file: URIs (RFC 8089).
//
//	fileuri.Of("/home/ann/a b.md")       // file:///home/ann/a%20b.md
//	fileuri.Of(`C:\Users\ann`)           // file:///C:/Users/ann (appendix E.2)
//	fileuri.Of(`\\server\share\a.md`)    // file://server/share/a.md (E.3.1)
package fileuri

import (
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Of returns the URI of an absolute path.
func Of(p string) string {
	p = filepath.ToSlash(p)
	u := url.URL{Scheme: "file", Path: p}
	if rest, far := strings.CutPrefix(p, "//"); far && runtime.GOOS == "windows" {
		u.Host, u.Path, _ = strings.Cut(rest, "/")
	}
	if !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path
	}
	return u.String()
}

// Path returns the path of a file: URI; false for another URI, and for a file of
// another machine where paths have no machines.
func Path(uri string) (string, bool) { return pathOf(uri, runtime.GOOS == "windows") }

func pathOf(uri string, windows bool) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	p, far := path.Clean(u.Path), u.Host != "" && u.Host != "localhost"
	switch {
	case far && !windows:
		return "", false
	case far:
		p = "//" + u.Host + p
	case windows && len(p) > 2 && p[2] == ':':
		p = p[1:]
	}
	if windows && len(p) == 2 && p[1] == ':' {
		p += "/" // C: alone is the current folder of the drive
	}
	return filepath.FromSlash(p), true
}
