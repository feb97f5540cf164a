package tablequery_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/tablequery"
)

// partFile is a table of over a mebibyte, of which questions load some columns.
func partFile(t testing.TB) formats.Source {
	body := []byte("id,region,amount,qty,Day,note,a,b\n")
	for i := range 40_000 {
		body = fmt.Appendf(body, "%d,%s,%d.5,%d,2024-%02d-01,note %d,%d,\n", i, []string{"North", "South", "", "West"}[i%4], i%977, i%7, i%12+1, i%50, i%3)
	}
	require.Greater(t, len(body), 1<<20)
	return formats.FromBytes("sales.csv", body)
}

// partQuestions read few columns, in every way that could hide a column from the code that
// finds them.
var partQuestions = []string{
	"SELECT region, sum(amount) FROM data GROUP BY region ORDER BY 1",
	"SELECT region, sum(amount) FROM sales GROUP BY region ORDER BY 1",
	"SELECT d.REGION, count(*) FROM data d WHERE d.qty > 3 GROUP BY d.region ORDER BY d.day, 1",
	"SELECT count(*) FROM data",
	"SELECT sum(note), count(*) FROM data",                              // plain, but columns leave it to SQLite
	"SELECT region, count(*) FROM data WHERE qty < 'x' GROUP BY region", // so too
	"SELECT count(*), max(rowid) FROM data WHERE note LIKE 'note 1%'",
	"SELECT count(*) FROM data x JOIN data y USING (id) WHERE x.qty = 1",
	"SELECT count(*) FROM (SELECT id, qty FROM data) NATURAL JOIN (SELECT id, qty FROM data)",
	"WITH t AS (SELECT region r, avg(amount) m FROM data GROUP BY r) SELECT * FROM t WHERE m > 1 ORDER BY m",
	"SELECT region, (SELECT max(qty) FROM data i WHERE i.rowid = o.rowid) FROM data o WHERE id < 20",
	"SELECT DISTINCT region, day FROM data WHERE b IS NULL ORDER BY 1, 2",
	"SELECT region, sum(amount) FILTER (WHERE qty > 2) FROM data GROUP BY region ORDER BY 1",
	"SELECT id, row_number() OVER (PARTITION BY region ORDER BY amount DESC, id) FROM data ORDER BY 2, 1 LIMIT 20",
	"SELECT strftime('%m', day) m, sum(amount) FROM data GROUP BY m HAVING sum(qty) > 3 ORDER BY m",
	"SELECT sum(CASE WHEN qty > 3 THEN amount ELSE 0 END) FROM data WHERE 1 OR a = 7",
	"SELECT count(*) FROM data WHERE (id, qty) IN (SELECT id, qty FROM data WHERE a = 1)",
	"SELECT count(*) FROM data WHERE EXISTS (SELECT 1 FROM data z WHERE z.note = 'note 3' AND z.id = data.id)",
	"SELECT max(id) FROM data GROUP BY region, qty ORDER BY sum(a) DESC, 1 LIMIT 5",
	"SELECT id FROM data WHERE 0 AND amount > 1",
	"SELECT * FROM data ORDER BY id DESC LIMIT 3",
	"SELECT group_concat(n) FROM (SELECT DISTINCT note n FROM data ORDER BY 1)",
	"SELECT qty FROM data UNION SELECT a FROM data ORDER BY 1",
}

// V-03: a question about a large file, of which only the columns that it reads were
// loaded, has the answer that the whole table gives.
func TestV03QuestionsOfLoadedColumns(t *testing.T) {
	src := &counted{Source: partFile(t)}
	ask := func(st *tablequery.Store, sql string) *tablequery.Result {
		r, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: sql})
		require.NoError(t, err, sql)
		return r
	}
	whole := tablequery.NewStore(0)
	ask(whole, "SELECT * FROM data LIMIT 1")
	shared := tablequery.NewStore(0) // its part becomes the whole on the way
	fewer := 0
	for _, sql := range partQuestions {
		want := ask(whole, sql)
		one := tablequery.NewStore(0)
		require.Equal(t, want, ask(one, sql), sql)
		require.Equal(t, want, ask(one, sql), "asked again: %s", sql)
		require.Equal(t, want, ask(shared, sql), sql)
		before := src.bytes.Load()
		ask(one, "SELECT * FROM data LIMIT 1")
		if src.bytes.Load()-before > src.Size()/2 {
			fewer++
		} else {
			t.Logf("all of the table is loaded for %s", sql)
		}
	}
	require.Equal(t, len(partQuestions)-1, fewer, "questions load less than the table")
	// What a part has is read once.
	st := tablequery.NewStore(0)
	ref := []tablequery.Ref{{Source: src}}
	for i, sql := range []string{"SELECT sum(qty) FROM data", "SELECT max(qty) FROM data", "SELECT max(id) FROM data", "SELECT min(note) FROM data"} {
		before := src.bytes.Load()
		_, err := st.Query(context.Background(), tablequery.Query{Tables: ref, SQL: sql})
		require.NoError(t, err)
		read := float64(src.bytes.Load()-before) / float64(src.Size())
		require.InDelta(t, []float64{4, 0, 2, 0}[i], read, 0.5, sql) // each pass looks for the encoding first
	}
	_, err := st.Query(context.Background(), tablequery.Query{Tables: ref, SQL: "SELECT absent FROM data"})
	require.ErrorContains(t, err, "no such column: absent; the columns are id, region")
}
