package acp

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/internal/fileuri"
)

// maxBlocks is how many parts a prompt may have.
const maxBlocks = 1000

// message is a prompt as Atelier stores it.
type message struct {
	text   string
	files  []engine.AttachmentParams // that are not in the folder
	stored string                    // id of a message that is stored already
	typed  string                    // the text parts alone, for commands and answers
}

// message reads a prompt. Files of the folder are named by their paths: the model
// reads them, through the editor where it can. Others come with the message.
func (s *session) message(blocks []sdk.ContentBlock) (message, error) {
	var m message
	if len(blocks) > maxBlocks {
		return m, refused(codeInvalidParams, fmt.Sprintf("a prompt has at most %d parts", maxBlocks))
	}
	var text, typed strings.Builder
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
			typed.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			text.WriteString(m.link(s, b.ResourceLink.Uri, b.ResourceLink.Name))
		case b.Resource != nil:
			text.WriteString(m.resource(s, b.Resource.Resource))
		case b.Image != nil:
			text.WriteString(m.image(s, b.Image))
		default:
			return m, refused(codeInvalidParams, "a prompt takes text, images, resources and links; audio is not supported")
		}
	}
	m.text, m.typed = strings.TrimSpace(text.String()), strings.TrimSpace(typed.String())
	if m.text == "" && len(m.files) > 0 {
		m.text = "(see the attached files)"
	}
	if m.text == "" {
		return m, refused(codeInvalidParams, "the prompt is empty")
	}
	return m, nil
}

// attach adds a file with a name that no other has, and returns what stands for it
// in the text.
func (m *message) attach(f engine.AttachmentParams) string {
	base, ext := strings.TrimSuffix(f.Name, path.Ext(f.Name)), path.Ext(f.Name)
	for n := 2; ; n++ {
		free := true
		for _, other := range m.files {
			free = free && !strings.EqualFold(other.Name, f.Name)
		}
		if free {
			break
		}
		f.Name = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
	m.files = append(m.files, f)
	return "[attached: " + f.Name + "]"
}

func (m *message) link(s *session, uri, title string) string {
	file, isFile := localFile(uri)
	if !isFile {
		return "[" + title + "](" + uri + ")"
	}
	if rel, ok := s.inFolder(file); ok {
		return "`" + rel + "`"
	}
	return m.attach(engine.AttachmentParams{Name: filepath.Base(file), Path: file})
}

func (m *message) resource(s *session, r sdk.EmbeddedResourceResource) string {
	uri, content, kind := "", "", ""
	switch {
	case r.TextResourceContents != nil:
		uri = r.TextResourceContents.Uri
		content = base64.StdEncoding.EncodeToString([]byte(r.TextResourceContents.Text))
		kind = value(r.TextResourceContents.MimeType)
	case r.BlobResourceContents != nil:
		uri, content, kind = r.BlobResourceContents.Uri, r.BlobResourceContents.Blob, value(r.BlobResourceContents.MimeType)
	}
	if file, isFile := localFile(uri); isFile {
		if rel, ok := s.inFolder(file); ok {
			if r.TextResourceContents != nil {
				s.editor.told(rel, r.TextResourceContents.Text)
			}
			return "`" + rel + "`"
		}
	}
	return m.attach(engine.AttachmentParams{Name: fileName(uri, kind, "resource"), Content: content})
}

func (m *message) image(s *session, b *sdk.ContentBlockImage) string {
	if file, isFile := localFile(value(b.Uri)); isFile && b.Data == "" {
		return m.link(s, value(b.Uri), filepath.Base(file))
	}
	return m.attach(engine.AttachmentParams{Name: fileName(value(b.Uri), b.MimeType, "image"), Content: b.Data})
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// fileName makes a name of a URI and a media type.
func fileName(uri, kind, otherwise string) string {
	base := otherwise
	if u, err := url.Parse(uri); err == nil && u.Path != "" {
		if b := path.Base(u.Path); b != "/" && b != "." {
			base = b
		}
	}
	if path.Ext(base) == "" {
		known := map[string]string{"text/plain": ".txt", "text/markdown": ".md", "image/jpeg": ".jpg", "image/png": ".png"}
		if ext := known[kind]; ext != "" {
			return base + ext
		}
		if exts, err := mime.ExtensionsByType(kind); err == nil && len(exts) > 0 {
			return base + exts[0]
		}
		return base + ".txt"
	}
	return base
}

// localFile returns the path of a file: URI, or of an absolute path.
func localFile(uri string) (string, bool) {
	if filepath.IsAbs(uri) {
		return filepath.Clean(uri), true
	}
	return fileuri.Path(uri)
}

// inFolder returns the path of a file below the folder of the session.
func (s *session) inFolder(file string) (string, bool) {
	for _, f := range []string{file, resolved(file)} {
		if rel, err := filepath.Rel(s.root, f); err == nil && filepath.IsLocal(rel) && rel != "." {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// resolved returns a path without links, as the folder's is.
func resolved(file string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		return filepath.Join(dir, filepath.Base(file))
	}
	return file
}
