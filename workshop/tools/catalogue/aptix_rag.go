package catalogue

import (
	"context"
	"fmt"
	"strings"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/retrieval"
	"atelier/workshop/tools"
	"atelier/workshop/tools/docs"
)

type ragArgs struct {
	Query    string       `json:"query" jsonschema:"What to look for: words, \"quoted phrases\", begin* of words"`
	DocPaths []string     `json:"docPaths,omitempty" jsonschema:"Look only in these files"`
	Limit    *lenient.Int `json:"limit,omitempty" jsonschema:"The most results, default 10, at most 100"`
}

// ragResult is the result of a search; its chunks are those of F-30.
type ragResult struct {
	Success      bool       `json:"success"`
	Results      []ragChunk `json:"results"`
	Note         string     `json:"note,omitempty"` // why something may be missing
	SessionID    string     `json:"sessionId"`
	Conversation string     `json:"conversationId"`
}

type ragChunk struct {
	retrieval.Chunk
	// IsActive: the file is open in the user's editor, so that what was found
	// may be older than what counts.
	IsActive bool `json:"isActive,omitempty"`
}

func aptixRag(kind retrieval.Kind, what string) func(*tools.Tool) tools.Binding {
	return func(t *tools.Tool) tools.Binding {
		b := tools.BindFunc("rag_search_"+string(kind), "Find passages in "+what+" of the workspace. Results have docPath, chunkPath and lines, but no SHA: they are for finding and understanding. To edit, fetch the full file by its docPath first.", t,
			func(ctx context.Context, env *tools.Env, a ragArgs, call func(docs.SearchArgs) (retrieval.Result, error)) (any, error) {
				args := docs.SearchArgs{Query: a.Query}
				if strings.TrimSpace(a.Query) == "" {
					return nil, workshop.Faultf(workshop.Invalid, "query must not be blank").OnField("query")
				}
				for i, s := range a.DocPaths {
					doc, err := docArgument(fmt.Sprintf("docPaths[%d]", i), s)
					if err != nil {
						return nil, err
					}
					args.Docs = append(args.Docs, doc)
				}
				if a.Limit != nil {
					if args.Limit = int(*a.Limit); args.Limit < 1 {
						return nil, workshop.Faultf(workshop.Invalid, "limit must be 1 or more").OnField("limit")
					}
				}
				res, err := call(args)
				if err != nil {
					return nil, err
				}
				session, conversation := env.Session.IDs()
				out := ragResult{Success: true, Results: []ragChunk{}, Note: res.Note, SessionID: session, Conversation: conversation}
				for _, c := range res.Chunks {
					_, active := env.Session.ActiveFile(workshop.DocPath(c.DocPath))
					out.Results = append(out.Results, ragChunk{c, active})
				}
				return out, nil
			})
		minimum(b.Schema, "limit", 1)
		return b
	}
}
