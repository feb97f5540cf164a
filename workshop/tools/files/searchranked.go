package files

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"atelier/workshop"
	"atelier/workshop/doctext"
	"atelier/workshop/provenance"
	"atelier/workshop/retrieval"
	"atelier/workshop/tools"
)

// passages returns the passages of the search index that go best with a question,
// best first.
func passages(ctx context.Context, env *tools.Env, a SearchArgs) (Found, error) {
	if env.Session == nil || env.Session.Index == nil {
		return Found{}, workshop.Faultf(workshop.Invalid, "there is no search index here: leave ranked out").OnField("ranked")
	}
	s, err := ScopeOf(ctx, env, a.Path)
	if err != nil {
		return Found{}, err
	}
	limit := a.Offset + a.Max + 1 // one more tells whether there are more
	if s.File != "" || s.Pattern != "" {
		limit = retrieval.MaxLimit
	}
	res, err := env.Session.Index.Query(ctx, env.View, a.Query, retrieval.Filters{Dir: s.Dir, Limit: limit})
	if err != nil {
		return Found{}, err
	}
	out := Found{Offset: a.Offset, Files: res.Files, Note: res.Note}
	for _, c := range res.Chunks {
		if c.Path == "" || !s.Has(c.Path) {
			continue
		}
		if out.Total++; out.Total <= a.Offset || len(out.Hits) == a.Max {
			continue
		}
		provenance.Found(ctx, c.Path)
		out.Hits = append(out.Hits, passage(ctx, env, c, a.Query))
	}
	out.AtLeast = len(res.Chunks) >= min(limit, retrieval.MaxLimit)
	return out, nil
}

// passage returns a chunk from the line on that has the first word of the query.
func passage(ctx context.Context, env *tools.Env, c retrieval.Chunk, query string) Hit {
	from := lineWith(c.Content, query)
	line := c.StartLine + strings.Count(c.Content[:from], "\n")
	h := Hit{Path: c.Path, At: lineAddress(line), Text: c.Content[from:]}
	ctx = provenance.Aside(ctx)
	if e, src, err := Open(ctx, env, c.Path); err == nil {
		defer src.Close()
		if e.Kind == "text" {
			return h
		}
		if doc, err := env.Document(ctx, src); err == nil && len(doc.Parts) > 0 {
			h.At = cmp.Or(doc.AddressAt(line, c.EndLine), placeOf(doc, line))
		}
	}
	return h
}

// placeOf returns the address of the part that a line is in.
func placeOf(doc doctext.Doc, line int) string {
	for _, p := range doc.Parts {
		if p.Start <= line && line <= p.End {
			return p.Address()
		}
	}
	return ""
}

// lineWith returns where the line of a text begins that has most words of a query,
// the first of several.
func lineWith(text, query string) int {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	best, most, at := 0, 0, 0
	for line := range strings.Lines(text) {
		lower, n := strings.ToLower(line), 0
		for _, w := range words {
			if len(w) > 2 && strings.Contains(lower, w) {
				n++
			}
		}
		if n > most {
			best, most = at, n
		}
		at += len(line)
	}
	return best
}
