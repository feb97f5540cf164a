//lint:file-ignore SA1019 roots and logging belong to revisions before 2026-07-28, which are served too

package mcpserver

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/fileuri"
	"atelier/workshop"
)

// request is what a call knows of its client, whatever its method.
type request interface {
	ClientInfo() *mcp.Implementation
	ClientCapabilities() *mcp.ClientCapabilities
	ProtocolVersion() string
}

// stateless is the first revision in which a server asks the client by an answer that
// needs input, not by a request (SEP-2322).
const stateless = "2026-07-28"

// workbench returns the workbench of a request: the one of the options, else that of the
// folder that the client has as its first root.
func (s *Server) workbench(ctx context.Context, req request, session *mcp.ServerSession) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		return s.id, nil
	}
	folder := s.opt.Folder
	if folder == "" {
		folder = s.folder
	}
	if folder == "" {
		var err error
		if folder, err = s.rootOf(ctx, req, session); err != nil {
			return "", err
		}
	}
	id, err := s.opt.Engine.GuestFolder(ctx, folder)
	if err != nil {
		return "", err
	}
	s.folder, s.id = folder, id
	return id, nil
}

// rootOf returns the client's first root that is a folder of this machine. A client of a
// stateless revision cannot be asked here: it starts the server in its folder.
func (s *Server) rootOf(ctx context.Context, req request, session *mcp.ServerSession) (string, error) {
	caps := req.ClientCapabilities()
	if caps != nil && caps.RootsV2 != nil && req.ProtocolVersion() < stateless && session != nil {
		res, err := session.ListRoots(ctx, nil)
		if err != nil {
			return "", fmt.Errorf("the client does not say its folders: %w; start the server with --in FOLDER", err)
		}
		for _, r := range res.Roots {
			if dir, ok := dirOf(r.URI); ok {
				return dir, nil
			}
		}
	}
	if s.opt.WorkDir == "" {
		return "", workshop.Faultf(workshop.Invalid, "there is no folder to work on: start the server with --in FOLDER")
	}
	return s.opt.WorkDir, nil
}

// rootsChanged has the next call ask for the roots again.
func (s *Server) rootsChanged(context.Context, *mcp.RootsListChangedRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opt.Workbench == "" && s.opt.Folder == "" {
		s.id, s.folder = "", ""
	}
}

// dirOf returns the folder of a file URI.
func dirOf(uri string) (string, bool) {
	path, ok := fileuri.Path(uri)
	if !ok {
		return "", false
	}
	st, err := os.Stat(path)
	return path, err == nil && st.IsDir()
}

// where is the folder in words for the person, "" when it is not known yet.
func (s *Server) where() string {
	if s.opt.Folder != "" {
		return s.opt.Folder
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.folder
}
