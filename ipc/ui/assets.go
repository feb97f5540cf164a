package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

//go:embed page
var pageFiles embed.FS

// asset is one file of the page.
type asset struct {
	kind        string // media type
	plain, gzip []byte
	etag        string
}

var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// Files are the files of the page, for a server that lets its users in itself.
type Files struct{ all map[string]*asset }

// UserFiles returns the files of a page at which users sign in with a token.
func UserFiles() (*Files, error) {
	all, err := readAssets(true)
	return &Files{all}, err
}

// Paths are the paths of the files, "/" for the page itself.
func (f *Files) Paths() []string { return slices.Sorted(maps.Keys(f.all)) }

// ServeHTTP implements http.Handler.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a := f.all[r.URL.Path]; a != nil {
		a.serve(w, r)
		return
	}
	http.NotFound(w, r)
}

// usersMark tells the page that users sign in with a token.
const usersMark = `<meta name="atelier-users" content="token">`

// readAssets returns the files of the page by the path of their address. users says
// whether users sign in with a token.
func readAssets(users bool) (map[string]*asset, error) {
	all := map[string]*asset{}
	err := fs.WalkDir(pageFiles, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := pageFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if users && name == "page/index.html" {
			b = bytes.Replace(b, []byte("</head>"), []byte(usersMark+"\n</head>"), 1)
		}
		kind := kinds[path.Ext(name)]
		if kind == "" {
			return fmt.Errorf("the page has a file of an unknown kind: %s", name)
		}
		var small bytes.Buffer
		z, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err = z.Write(b); err == nil {
			err = z.Close()
		}
		h := sha256.Sum256(b)
		all[strings.TrimPrefix(name, "page")] = &asset{kind: kind, plain: b, gzip: small.Bytes(), etag: `"` + hex.EncodeToString(h[:12]) + `"`}
		return err
	})
	all["/"] = all["/index.html"]
	delete(all, "/index.html")
	return all, err
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.etag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.gzip
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body) // an error means that the browser is gone
	}
}
