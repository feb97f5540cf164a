package retrieval

import (
	"context"
	"strings"

	"atelier/internal/quote"
	"atelier/workshop"
)

// match searches the index in its current state. It sets ChunkPath to the
// place only.
func (ix *Index) match(ctx context.Context, view workshop.View, query string, f Filters) ([]Chunk, error) {
	exprs := queryExpressions(parseQuery(query))
	if len(exprs) == 0 {
		return nil, nil
	}
	where, args, err := ix.filterCondition(ctx, view, f)
	if err != nil || where == noDocuments {
		return nil, err
	}
	ix.store.RLock()
	defer ix.store.RUnlock()
	var out []Chunk
	seen := map[int64]bool{}
	for _, e := range exprs {
		if f.Kind != "" {
			e = "(" + e + ") AND kind:" + quote.Double(kindWord(f.Kind))
		}
		ids, err := ix.ranked(ctx, where, append([]any{e}, args...), f.limit()+len(seen))
		if err != nil {
			return out, err
		}
		for _, id := range ids {
			if seen[id.chunk] || len(out) == f.limit() {
				continue
			}
			seen[id.chunk] = true
			c, err := ix.loadChunk(ctx, id.chunk)
			if err != nil {
				return out, err
			}
			c.Score = -id.rank
			out = append(out, c)
		}
		if len(out) == f.limit() {
			break
		}
	}
	return out, nil
}

// noDocuments is the SQL condition for a search in no documents.
const noDocuments = " AND 0"

// filterCondition returns the SQL condition for the filters, with its arguments.
func (ix *Index) filterCondition(ctx context.Context, view workshop.View, f Filters) (where string, args []any, err error) {
	if f.Dir != "" { // paths in a folder are between its name with "/" and with "0", the next character
		where += " AND fts.rowid IN (SELECT id FROM chunks WHERE path > ? AND path < ?)"
		args = append(args, string(f.Dir)+"/", string(f.Dir)+"0")
	}
	if len(f.Docs) == 0 {
		return where, args, nil
	}
	var marks []string
	for _, doc := range f.Docs {
		p, err := ix.opt.Names.FindDoc(ctx, view, doc)
		if workshop.IsFault(err, workshop.NotFound) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		marks, args = append(marks, "?"), append(args, string(p))
	}
	if len(marks) == 0 {
		return noDocuments, nil, nil
	}
	return where + " AND fts.rowid IN (SELECT id FROM chunks WHERE path IN (" + strings.Join(marks, ",") + "))", args, nil
}

// ranking is a chunk that matches an expression; a lower rank is better.
type ranking struct {
	chunk int64
	rank  float64
}

func (ix *Index) ranked(ctx context.Context, where string, args []any, limit int) ([]ranking, error) {
	// rowids are in the order in which files happened to be indexed
	q := `SELECT fts.rowid, bm25(fts, ` + weights + `) FROM fts CROSS JOIN chunks ON chunks.id = fts.rowid WHERE fts MATCH ?` + where + ` ORDER BY 2, chunks.path, chunks.first LIMIT ?`
	rows, err := ix.db.QueryContext(ctx, q, append(args, limit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []ranking
	for rows.Next() {
		var r ranking
		if err := rows.Scan(&r.chunk, &r.rank); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

func (ix *Index) loadChunk(ctx context.Context, id int64) (Chunk, error) {
	c := Chunk{Source: SourceSnippet}
	var p string
	err := ix.db.QueryRowContext(ctx, `SELECT path, place, first, last, complete, content FROM chunks WHERE id=?`, id).
		Scan(&p, &c.ChunkPath, &c.StartLine, &c.EndLine, &c.IsFullFile, &c.Content)
	c.Path = workshop.Path(p)
	if c.IsFullFile {
		c.Source = SourceFull
	}
	return c, err
}
