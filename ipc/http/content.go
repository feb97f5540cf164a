package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"atelier/engine"
	"atelier/workshop"
)

// uploaded is the result of PUT …/files/content.
type uploaded struct {
	Path      string `json:"path"`
	FileID    string `json:"file_id"`
	VersionID string `json:"version_id"`
	Hash      string `json:"hash"`
	Size      int64  `json:"size"`
}

// download is GET …/files/content?path=…: a file's bytes, for any format.
// version=draft returns the draft's version.
func (s *Server) download(w http.ResponseWriter, r *http.Request, c caller) error {
	path, err := contentPath(r)
	if err != nil {
		return err
	}
	version := r.URL.Query().Get("version")
	if version != "" && version != "draft" && version != "published" {
		return invalidField("version", "version must be draft or published")
	}
	f, err := s.opt.Tools.Open(r.Context(), c.Access.WorkspaceID, path, version == "draft")
	if err != nil {
		return err
	}
	defer f.Close()
	serveFile(w, r, f)
	return nil
}

// serveFile answers with a file's bytes, or the requested range.
func serveFile(w http.ResponseWriter, r *http.Request, f *engine.OpenedFile) {
	h := w.Header()
	h.Set("Content-Type", f.Entry.MIME)
	h.Set("ETag", `"`+f.Entry.Hash+`"`)
	h.Set("Cache-Control", "private, no-cache")
	// A browser must not run a document as a page of this server.
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Entry.Name()}))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(transferTime(f.Size())))
	// Two versions may have the same second, and the next version an earlier time, by the clock
	// of another server. So a time decides nothing: the tag does.
	h.Set("Last-Modified", f.Entry.Modified.UTC().Format(http.TimeFormat))
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(f, 0, f.Size()))
}

// transferTime is how long transferring a file may take on a slow line.
func transferTime(size int64) time.Duration {
	return answerTimeout + time.Duration(size/(64<<10))*time.Second
}

// upload is PUT …/files/content?path=…: the body becomes a new version of the
// file. If-Match and If-None-Match: * are those of RFC 9110, with the hash as
// tag.
func (s *Server) upload(w http.ResponseWriter, r *http.Request, c caller) error {
	path, err := contentPath(r)
	if err != nil {
		return err
	}
	opt, err := conditions(r)
	if err != nil {
		return err
	}
	leave, err := s.uploads.take(w, c.User.ID)
	if err != nil {
		return err
	}
	defer leave()
	body := &uploadReader{r.Body, http.NewResponseController(w)}
	e, err := s.opt.Tools.PutFile(r.Context(), c.Access.WorkspaceID, c.User.ID, path, opt, body)
	if workshop.IsFault(err, workshop.Conflict) && opt != (workshop.PutOptions{}) {
		p := fromFault(workshop.AsFault(err))
		p.status = http.StatusPreconditionFailed
		return p
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return invalid("The request body could not be read to its end; nothing was changed")
	}
	if err != nil {
		return err
	}
	return writeResult(w, uploaded{Path: "/" + string(e.Path), FileID: e.FileID, VersionID: e.VersionID, Hash: e.Hash, Size: e.Size})
}

func contentPath(r *http.Request) (string, error) {
	path := r.URL.Query().Get("path")
	if strings.Trim(path, "/ ") == "" {
		return "", invalid("missing parameter `path`")
	}
	return path, nil
}

// conditions parses If-Match and If-None-Match.
func conditions(r *http.Request) (opt workshop.PutOptions, err error) {
	if tag := strings.TrimSpace(r.Header.Get("If-Match")); tag != "" {
		hash, ok := strings.CutPrefix(strings.TrimSuffix(tag, `"`), `"`)
		if !ok || hash == "" {
			return opt, invalid(`If-Match must be the hash that was read, in quotes`)
		}
		opt.BaseHash = hash
	}
	if none := strings.TrimSpace(r.Header.Get("If-None-Match")); none != "" {
		if none != "*" {
			return opt, invalid("If-None-Match can only be *: the file must not be there")
		}
		opt.CreateOnly = true
	}
	return opt, nil
}

// uploadReader extends the read deadline as long as data arrives.
type uploadReader struct {
	io.Reader
	control *http.ResponseController
}

func (p *uploadReader) Read(b []byte) (int, error) {
	_ = p.control.SetReadDeadline(time.Now().Add(time.Minute)) // not every connection has deadlines
	return p.Reader.Read(b)
}
