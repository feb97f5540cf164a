package workshop

import (
	"context"
	"slices"
)

// Drafted returns the files that the open draft adds to the published ones and that
// author put there first, sorted.
func (wb *Workbench) Drafted(ctx context.Context, author string) ([]Path, error) {
	first, err := wb.firstAuthors(ctx)
	if err != nil {
		return nil, storageFault(err)
	}
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	var out []Path
	for p, r := range wb.rows {
		if r.kind == rowFile && r.baseHash == "" && first[p] == author {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out, nil
}

// firstAuthors says who first wrote each file that was not published then.
func (wb *Workbench) firstAuthors(ctx context.Context) (map[Path]string, error) {
	rs, err := wb.db.QueryContext(ctx, `SELECT e.path, r.author, min(e.revision) FROM revision_entries e JOIN revisions r ON r.id=e.revision
		WHERE r.draft_id=(SELECT id FROM draft) AND e.kind=? AND e.base_hash='' GROUP BY e.path`, rowFile)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	out := map[Path]string{}
	for rs.Next() {
		var p, author string
		var revision int64
		if err := rs.Scan(&p, &author, &revision); err != nil {
			return nil, err
		}
		out[Path(p)] = author
	}
	return out, rs.Err()
}
