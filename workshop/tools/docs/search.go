package docs

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/provenance"
	"atelier/workshop/retrieval"
	"atelier/workshop/tools"
)

// SearchArgs are the arguments of the searches.
type SearchArgs struct {
	Query string
	Docs  []workshop.DocPath // only in these; empty: everywhere
	Limit int                // chunks; 0 is the index's own
}

// Search finds passages by their words, in documents or in source code. Its
// result is a retrieval.Result whose chunks are valid (F-30, F-31) and carry no
// hash: they are for finding, never a base for an edit (F-32).
func Search(kind retrieval.Kind) *tools.Tool {
	return tools.New("rag_search_"+string(kind), "Find passages in "+map[retrieval.Kind]string{retrieval.Docs: "documents", retrieval.Code: "source code"}[kind]+".", tools.Read,
		func(ctx context.Context, env *tools.Env, a SearchArgs) (any, error) {
			if env.Session == nil || env.Session.Index == nil {
				return nil, workshop.Faultf(workshop.Invalid, "there is no search index here")
			}
			res, err := env.Session.Index.Query(ctx, env.View, a.Query, retrieval.Filters{Kind: kind, Docs: a.Docs, Limit: a.Limit})
			if err != nil {
				return nil, err
			}
			for _, c := range res.Chunks {
				if err := c.Validate(); err != nil {
					return nil, &workshop.Fault{Code: workshop.Internal, Message: err.Error(), Err: err}
				}
				if c.Path == "" {
					provenance.AddDoc(ctx, c.DocPath)
				} else {
					provenance.Found(ctx, c.Path)
				}
			}
			return res, nil
		})
}
