package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine"
	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// The URIs of resources: the path of a file follows, each part percent-encoded.
const (
	draftURI   = "atelier://draft/"   // the text of a file, as the draft has it
	folderURI  = "atelier://folder/"  // the text of a file of the folder
	contentURI = "atelier://content/" // the bytes of a file, as the draft has it
	reviewURI  = "atelier://review"   // what the draft changes
)

const (
	pageSize = 200       // resources, tools or prompts in one answer
	textMax  = 256 << 10 // bytes of a text; read_file gives the rest
	bytesMax = 10 << 20  // bytes of a file
)

func (s *Server) addResources() error {
	s.sdk.AddResource(s.reviewResource(), s.readReview)
	for _, t := range []*mcp.ResourceTemplate{
		{URITemplate: draftURI + "{+path}", Name: "draft", Title: "File of the draft", Description: "The text of a file as the draft has it; of a document, what a model reads of it."},
		{URITemplate: folderURI + "{+path}", Name: "folder", Title: "File of the folder", Description: "The text of a file of the folder, without the draft."},
		{URITemplate: contentURI + "{+path}", Name: "content", Title: "Bytes of a file", Description: "The bytes of a file as the draft has it, at most 10 MiB."},
	} {
		s.sdk.AddResourceTemplate(t, s.readResource)
	}
	return nil
}

func (s *Server) reviewResource() *mcp.Resource {
	return &mcp.Resource{URI: reviewURI, Name: "review", Title: "What the draft changes", MIMEType: "application/json"}
}

// uriOf returns the URI of a file.
func uriOf(base, path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return base + strings.Join(parts, "/")
}

// pathOf returns the base and the path of a URI of a file.
func pathOf(uri string) (base, path string, ok bool) {
	for _, base := range []string{draftURI, folderURI, contentURI} {
		if rest, found := strings.CutPrefix(uri, base); found {
			path, err := url.PathUnescape(rest)
			return base, path, err == nil && path != ""
		}
	}
	return "", "", false
}

// private says that results are for one user (SEP-2549), and for now.
var private = mcp.Cacheable{CacheScope: "private"}

// listResources lists the files of the draft by path, a page at a time; the cursor is the
// last path of the page before.
func (s *Server) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	after := ""
	if req.Params != nil && req.Params.Cursor != "" {
		b, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is not one of this server"}
		}
		after = string(b)
	}
	id, err := s.workbench(ctx, req, req.Session)
	if err != nil {
		return nil, protocolError(err)
	}
	files, err := s.files(ctx, id)
	if err != nil {
		return nil, protocolError(err)
	}
	res := &mcp.ListResourcesResult{Cacheable: private, Resources: []*mcp.Resource{}}
	if after == "" {
		res.Resources = append(res.Resources, s.reviewResource())
	}
	from, found := slices.BinarySearchFunc(files, after, func(f engine.FileInfo, p string) int { return strings.Compare(f.Path, p) })
	if found {
		from++
	}
	for i, f := range files[from:] {
		if i == pageSize {
			res.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(files[from+i-1].Path))
			break
		}
		r := &mcp.Resource{URI: uriOf(draftURI, f.Path), Name: f.Path, MIMEType: textType(f.FileKind, f.MIMEType), Size: f.Size}
		if f.InDraft {
			r.Description = "changed in the draft"
		}
		res.Resources = append(res.Resources, r)
	}
	return res, nil
}

// files lists the files of the draft that can be read, sorted by path.
func (s *Server) files(ctx context.Context, id string) ([]engine.FileInfo, error) {
	list, err := engine.CallAs[engine.FilesListResult](ctx, s.opt.Engine, "WorkbenchFilesList", engine.WorkbenchRef{WorkbenchID: id})
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(list.Files, func(f engine.FileInfo) bool { return f.Refused != "" })
	slices.SortFunc(files, func(a, b engine.FileInfo) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// textType is the type of what draftURI gives: documents are given as text.
func textType(kind, mime string) string {
	if strings.HasPrefix(mime, "text/") || strings.HasPrefix(mime, "image/") || mime == "application/json" {
		return mime
	}
	return "text/plain"
}

// readResource reads a file.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	base, path, ok := pathOf(req.Params.URI)
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	id, err := s.workbench(ctx, req, req.Session)
	if err != nil {
		return nil, protocolError(err)
	}
	mime := formats.MIMEOf(path, formats.KindOfName(path))
	if base == contentURI || base == draftURI && strings.HasPrefix(mime, "image/") {
		return s.readBytes(ctx, id, req.Params.URI, path, mime)
	}
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return nil, err
	}
	r, err := s.opt.Engine.Guest(ctx, engine.GuestCall{Workbench: id, Catalogue: catalogue.Workshop(), Tool: "read_file", Args: args, Published: base == folderURI,
		Client: nameOf(req.ClientInfo()), ID: "mcp-" + uuid.Must(uuid.NewV7()).String(), ResultMax: textMax})
	switch {
	case err != nil:
		return nil, protocolError(err)
	case !r.Success && workshop.IsFault(r.Fault, workshop.NotFound):
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	case !r.Success:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: strings.TrimPrefix(r.Text, "Error: ")}
	}
	text, meta := r.Text, mcp.Meta(nil)
	if p, ok := r.Data.(tools.Part); ok {
		text = p.Text
		if p.Chunk != nil {
			meta = mcp.Meta{"atelier/part": p.Chunk}
		}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: textType("", mime), Text: text, Meta: meta}}}, nil
}

// readBytes reads the bytes of a file of the draft.
func (s *Server) readBytes(ctx context.Context, id, uri, path, mime string) (*mcp.ReadResourceResult, error) {
	if err := s.opt.Engine.GuestRead(ctx, id, "read_file", path, nil); err != nil {
		return nil, protocolError(err)
	}
	f, err := s.opt.Engine.Live().Open(ctx, id, path, true)
	if workshop.IsFault(err, workshop.NotFound) {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, protocolError(err)
	}
	defer f.Close()
	if f.Size() > bytesMax {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the file is larger than 10 MiB; read its text, or parts of it with the tools"}
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err != nil {
		return nil, protocolError(err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Blob: b}}}, nil
}

// readReview reads what the draft changes.
func (s *Server) readReview(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, err := s.workbench(ctx, req, req.Session)
	if err != nil {
		return nil, protocolError(err)
	}
	r, err := s.review(ctx, ownCall{id: id}, reviewArgs{})
	if err != nil {
		return nil, protocolError(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: reviewURI, MIMEType: "application/json", Text: string(b)}}}, nil
}

// protocolError returns an error of a request that is no tool call.
func protocolError(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: wordsOf(err)}
}
