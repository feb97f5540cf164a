package tablequery_test

import (
	"context"
	"fmt"
	"sync/atomic"
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

// V-03: a question that was stopped at its limit leaves the table loaded: the next one
// does not read the file again.
func TestV03RefusedQuestionKeepsTheTable(t *testing.T) {
	body := []byte("a,b\n")
	for i := range 5000 {
		body = fmt.Appendf(body, "%d,x%d\n", i, i)
	}
	src := &counted{Source: formats.FromBytes("long.csv", body)}
	st := tablequery.NewStore(0)
	ask := func(sql string, steps int64) error {
		_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: sql, Steps: steps})
		return err
	}
	err := ask("SELECT x.a, count(*) FROM data x, data y GROUP BY x.a ORDER BY 2", 1_000_000)
	require.ErrorContains(t, err, "stopped at its limit of 1 million")
	require.ErrorContains(t, err, "table_export allows more")
	read := src.bytes.Load()
	require.NoError(t, ask("SELECT max(a) FROM data", 0))
	require.Less(t, src.bytes.Load()-read, int64(len(body)/10), "only whether the file has a password is looked at")
}

// counted counts the bytes that are read.
type counted struct {
	formats.Source
	bytes atomic.Int64
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Source.ReadAt(p, off)
	c.bytes.Add(int64(n))
	return n, err
}
