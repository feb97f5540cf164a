package workshop

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// table returns the rows of a table as text, in their order.
func (r *rig) table(query string) []string {
	r.t.Helper()
	rs, err := r.wb.db.Query(query)
	require.NoError(r.t, err)
	defer rs.Close()
	columns, err := rs.Columns()
	require.NoError(r.t, err)
	var out []string
	for rs.Next() {
		values, at := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		require.NoError(r.t, rs.Scan(at...))
		line := ""
		for _, v := range values {
			line += v.String + "|"
		}
		out = append(out, line)
	}
	require.NoError(r.t, rs.Err())
	return out
}

// A publish of many new files records of each what a publish of it alone records, across
// the sizes at which rows share a statement.
func TestPublishRecordsManyAsOne(t *testing.T) {
	for _, n := range []int{1, bulkRows - 1, bulkRows, 2*bulkRows + 1} {
		together, alone := newRig(t, nil), newRig(t, nil)
		for i := range n {
			p := fmt.Sprintf("d%d/f%03d.txt", i%3, i)
			together.put(p, p)
			alone.put(p, p)
			alone.publish(PublishOptions{Paths: []Path{Path(p)}})
		}
		together.publish(PublishOptions{})
		for _, q := range []string{
			`SELECT path, hash, size, deleted_at FROM files ORDER BY path`,
			`SELECT path, hash, size, author, length(id), length(file_id) FROM versions ORDER BY path`,
			`SELECT path, old_hash, new_hash FROM checkpoint_entries ORDER BY path`,
			`SELECT path, kind, hash FROM revision_entries ORDER BY path, kind`,
			`SELECT * FROM draft_entries`, `SELECT * FROM intent_targets`, `SELECT * FROM intent_rows`,
		} {
			require.Equal(t, alone.table(q), together.table(q), q)
		}
		require.Len(t, together.table(`SELECT * FROM files WHERE id IN (SELECT file_id FROM versions)`), n)
		before := tree(t, together.wb.Published())
		require.Len(t, before, n)
		ids := together.identities()
		together.reopen()
		require.Equal(t, ids, together.identities(), "what is known is what was recorded")
		require.Equal(t, before, tree(t, together.wb.Published()))
	}
}

// identities returns those of the published files.
func (r *rig) identities() map[Path]Identity {
	r.t.Helper()
	es, err := r.wb.Published().List(ctx, "", ListOptions{Recursive: true})
	require.NoError(r.t, err)
	out := map[Path]Identity{}
	for _, e := range es {
		if !e.IsDir {
			require.NotEmpty(r.t, e.FileID)
			require.NotEmpty(r.t, e.VersionID)
			out[e.Path] = e.Identity
		}
	}
	return out
}
