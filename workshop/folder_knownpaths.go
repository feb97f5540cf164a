package workshop

import (
	"context"
	"slices"
)

// KnownPaths returns the files the workbench knows or knew of, sorted: those of the
// published folder and of the draft as they are now, and every other one that
// left a trace, such as a hash, a version or a revision.
func (wb *Workbench) KnownPaths(ctx context.Context) ([]Path, error) {
	entries, err := wb.DraftView(Cause{}).List(ctx, "", ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return nil, err
	}
	var out []Path
	for _, e := range entries {
		if !e.IsDir {
			out = append(out, e.Path)
		}
	}
	rs, err := wb.db.QueryContext(ctx, `SELECT path FROM file_hashes UNION SELECT path FROM files WHERE hash<>'' UNION SELECT path FROM versions
		UNION SELECT path FROM draft_entries WHERE kind=?1 UNION SELECT path FROM revision_entries WHERE kind=?1
		UNION SELECT path FROM checkpoint_entries UNION SELECT path FROM snapshot_entries`, rowFile)
	if err != nil {
		return nil, storageFault(err)
	}
	defer rs.Close()
	for rs.Next() {
		var p string
		if err := rs.Scan(&p); err != nil {
			return nil, storageFault(err)
		}
		out = append(out, Path(p))
	}
	slices.Sort(out)
	return slices.Compact(out), storageFault(rs.Err())
}
