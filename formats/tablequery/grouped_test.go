package tablequery_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/tablequery"
)

// V-03: a question answered from columns gives what SQLite gives; HAVING makes
// it SQLite's.
func TestV03GroupedAsSQLite(t *testing.T) {
	src := formats.FromBytes("orders.csv", []byte("paid,day,amount,who\ntrue,2024-01-02,1.5,Ana\nfalse,2024-01-02,2,Bo\ntrue,2024-01-03,,Ana\n,2024-01-03,4,\xff\n"))
	st := tablequery.NewStore(0)
	ask := func(sql string) *tablequery.Result {
		r, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src, Name: "mine"}}, SQL: sql})
		require.NoError(t, err, sql)
		return r
	}
	for _, sql := range []string{
		"SELECT paid, count(*), sum(amount) AS total FROM orders GROUP BY paid",
		"SELECT day, max(paid), avg(amount) FROM data WHERE paid = true GROUP BY day",
		"SELECT who, min(day), count(DISTINCT paid) FROM mine GROUP BY 1",
		"SELECT who FROM mine WHERE amount > 1 GROUP BY who",
	} {
		have, want := ask(sql), ask(sql+" HAVING 1")
		require.Equal(t, want, have, sql)
		require.NotEmpty(t, have.Rows)
	}
	require.Equal(t, []any{true, int64(2), 1.5}, ask("SELECT paid, count(*), sum(amount) FROM data GROUP BY paid ORDER BY paid DESC").Rows[0])
	_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: "SELECT who, sum(amount) FROM absent GROUP BY who"})
	require.ErrorContains(t, err, "no such table")
}
