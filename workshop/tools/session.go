package tools

import "context"

// Session is the conversation that a call belongs to.
type Session struct {
	ID           string // session_id
	Conversation string // conversation id
}

// IDs are the session's and the conversation's, "" where there is none (T-16).
func (s *Session) IDs() (session, conversation string) {
	if s == nil {
		return "", ""
	}
	return s.ID, s.Conversation
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
