package tools

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/openfiles"
	"atelier/workshop/retrieval"
)

// Session is the conversation that a call belongs to. A nil one has nothing.
type Session struct {
	ID           string // session_id
	Conversation string // conversation id
	// Active is the files the person has open elsewhere.
	Active *openfiles.List
	// Docs finds files by docPath; nil when there is no way to.
	Docs DocStore
	// Index finds passages of the documents; nil when there is none.
	Index Index
	// Modes keeps plan and build mode; nil when the client says the mode with
	// each call, and answers for its user's consent (C-22).
	Modes Modes
	// Propose gives a patch of active files to the person's editor; nil when
	// nothing listens but the caller, who has it in the result.
	Propose func(Proposal)
}

// Index finds passages of documents (F-35); *retrieval.Index is one.
type Index interface {
	Query(ctx context.Context, v workshop.View, query string, f retrieval.Filters) (retrieval.Result, error)
}

// DocStore is the cloud file set of AGN-007: the files of a workbench by their
// docPath. *workshop.Workbench is one.
type DocStore interface {
	// FindDoc finds the file of a view with a docPath: NotFound when there is
	// none.
	FindDoc(ctx context.Context, v workshop.View, doc workshop.DocPath) (workshop.Path, error)
	DocOf(ctx context.Context, v workshop.View, p workshop.Path) (workshop.DocPath, error)
}

// IDs returns the session's and the conversation's, "" where there is none (T-16).
func (s *Session) IDs() (session, conversation string) {
	if s == nil {
		return "", ""
	}
	return s.ID, s.Conversation
}

// ActiveFile returns the active file with a docPath.
func (s *Session) ActiveFile(doc workshop.DocPath) (openfiles.File, bool) {
	if s == nil {
		return openfiles.File{}, false
	}
	return s.Active.Get(doc)
}
