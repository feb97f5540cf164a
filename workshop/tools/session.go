package tools

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/active"
)

// Session is the conversation that a call belongs to. A nil one has nothing.
type Session struct {
	ID           string // session_id
	Conversation string // conversation id
	// Active is the files the person has open elsewhere.
	Active *active.List
	// Docs finds files by docPath; nil when there is no way to.
	Docs DocStore
	// Modes keeps plan and build mode; nil when the client says the mode with
	// each call, and answers for its user's consent (C-22).
	Modes Modes
}

// DocStore is the cloud file set of AGN-007: the files of a workbench by their
// docPath. *workshop.Workbench is one.
type DocStore interface {
	// FindDoc finds the file of a view with a docPath: NotFound when there is
	// none.
	FindDoc(ctx context.Context, v workshop.View, doc workshop.DocPath) (workshop.Path, error)
	DocOf(ctx context.Context, v workshop.View, p workshop.Path) (workshop.DocPath, error)
}

// IDs are the session's and the conversation's, "" where there is none (T-16).
func (s *Session) IDs() (session, conversation string) {
	if s == nil {
		return "", ""
	}
	return s.ID, s.Conversation
}

// ActiveFile is the active file with a docPath.
func (s *Session) ActiveFile(doc workshop.DocPath) (active.File, bool) {
	if s == nil {
		return active.File{}, false
	}
	return s.Active.Get(doc)
}

// Fetched is the answer to a fetch. Text that came as HTML has been made
// Markdown by whoever fetched it.
type Fetched struct {
	Status      int    // as in HTTP
	StatusText  string // such as "Not Found"
	ContentType string // of Text
	Text        string
}

// Fetch gets the text behind an address (S-17). A status of 400 or more is an
// answer, not an error.
type Fetch func(ctx context.Context, uri string) (Fetched, error)
