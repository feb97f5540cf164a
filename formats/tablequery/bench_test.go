package tablequery_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/tablequery"
)

var made bool // whether bigCSV was

// bigCSV is a million rows of eight columns, 54 MB; made once per run.
var bigCSV = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "bigcsv")
	if err != nil {
		panic(err)
	}
	made = true
	path := filepath.Join(dir, "big_1m.csv")
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	buf := []byte("id,date,region,category,amount,qty,price,note\n")
	day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for r := 1; r <= 1_000_000; r++ {
		// A fixed sequence that looks random enough for sizes and types.
		x := uint32(r) * 2654435761
		buf = fmt.Appendf(buf, "%d,%s,%s,Cat%d,%.2f,%d,%.2f,note %d\n", r, day.AddDate(0, 0, r%1500).Format(time.DateOnly),
			[]string{"North", "South", "East", "West"}[r%4], r%37, float64(x%1000000)/100, x%100+1, float64(x/1000%9900)/100, r%1000)
		if len(buf) > 1<<20 {
			if _, err := f.Write(buf); err != nil {
				panic(err)
			}
			buf = buf[:0]
		}
	}
	if _, err := f.Write(buf); err != nil {
		panic(err)
	}
	return path
})

func bigSource(b testing.TB) formats.Source {
	if testing.Short() {
		b.Skip("makes a million rows: left out with -short")
	}
	src, err := formats.OpenFile(bigCSV())
	require.NoError(b, err)
	b.Cleanup(func() { src.Close() })
	return src
}

// warm returns a store that has the table loaded already.
func warm(b *testing.B) (formats.Source, *tablequery.Store) {
	src, st := bigSource(b), tablequery.NewStore(0)
	_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: groupBy})
	require.NoError(b, err)
	return src, st
}

const groupBy = "SELECT region, category, sum(amount), avg(price), count(*) FROM data GROUP BY region, category ORDER BY 3 DESC"

func peak() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / (1 << 20)
}

// The peer takes 10.6 s cold and 0.71 s warm (peers.md).
func BenchmarkDescribeCold(b *testing.B) {
	src := bigSource(b)
	for b.Loop() {
		_, err := tablequery.NewStore(0).Describe(context.Background(), tablequery.Ref{Source: src})
		require.NoError(b, err)
	}
	b.ReportMetric(peak(), "MB-sys")
}

func BenchmarkDescribeWarm(b *testing.B) {
	src, st := warm(b)
	for b.Loop() {
		_, err := st.Describe(context.Background(), tablequery.Ref{Source: src})
		require.NoError(b, err)
	}
}

// The peer takes 16.2 s cold and 0.36 s warm (peers.md).
func BenchmarkGroupByCold(b *testing.B) {
	src := bigSource(b)
	for b.Loop() {
		_, err := tablequery.NewStore(0).Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: groupBy})
		require.NoError(b, err)
	}
	b.ReportMetric(peak(), "MB-sys")
}

// A question asked again, such as for its next rows.
func BenchmarkGroupByAgain(b *testing.B) {
	src, st := warm(b)
	for b.Loop() {
		_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: groupBy})
		require.NoError(b, err)
	}
}

// A new question each time about a table that is loaded.
func BenchmarkGroupByLoaded(b *testing.B) {
	src, st := warm(b)
	for n := 0; b.Loop(); n++ {
		_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: fmt.Sprintf("%s LIMIT 100 OFFSET 0 -- %d", groupBy, n)})
		require.NoError(b, err)
	}
}

func BenchmarkOneGroupLoaded(b *testing.B) {
	src, st := warm(b)
	for n := 0; b.Loop(); n++ {
		_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: fmt.Sprintf("SELECT region, sum(amount) FROM data GROUP BY 1 -- %d", n)})
		require.NoError(b, err)
	}
}

func BenchmarkStatsCold(b *testing.B) {
	src := bigSource(b)
	for b.Loop() {
		_, err := tablequery.NewStore(0).Stats(context.Background(), tablequery.Ref{Source: src}, nil)
		require.NoError(b, err)
	}
}

func BenchmarkConditionLoaded(b *testing.B) {
	src, st := warm(b)
	for n := 0; b.Loop(); n++ {
		_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: fmt.Sprintf("SELECT category, count(*), max(price) FROM data WHERE region = 'North' AND qty >= %d GROUP BY category ORDER BY 2 DESC LIMIT 10", n%100)})
		require.NoError(b, err)
	}
}

// What only SQLite answers.
func BenchmarkExpressionLoaded(b *testing.B) {
	src, st := warm(b)
	for n := 0; b.Loop(); n++ {
		_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: fmt.Sprintf("SELECT region, sum(amount * qty) FROM data GROUP BY region -- %d", n)})
		require.NoError(b, err)
	}
}

// forms are questions as models write them. %d stands for a number that makes each
// question a new one.
var forms = []struct{ name, sql string }{
	{"group", "SELECT region, sum(amount) AS total FROM data GROUP BY region -- %d"},
	{"alias-without-AS", "SELECT region r, sum(amount) total FROM data GROUP BY r ORDER BY total DESC -- %d"},
	{"table-alias", "SELECT d.region, count(*) n FROM data d GROUP BY d.region ORDER BY n -- %d"},
	{"having", "SELECT category, count(*) AS n FROM data GROUP BY category HAVING n > %d"},
	{"having-sum", "SELECT category, sum(amount) AS total FROM data GROUP BY category HAVING sum(amount) > %d ORDER BY total DESC LIMIT 5"},
	{"round", "SELECT region, round(sum(amount), 2) AS total, round(avg(price), 2) FROM data GROUP BY region -- %d"},
	{"case", "SELECT region, sum(CASE WHEN qty > 50 THEN amount ELSE 0 END) AS big FROM data GROUP BY region -- %d"},
	{"case-key", "SELECT CASE WHEN qty > 50 THEN 'big' ELSE 'small' END AS size, count(*) FROM data GROUP BY size -- %d"},
	{"month", "SELECT strftime('%%Y-%%m', date) AS month, sum(amount) FROM data GROUP BY month ORDER BY month -- %d"},
	{"month-substr", "SELECT substr(date, 1, 7) AS month, sum(amount) FROM data GROUP BY 1 ORDER BY 1 -- %d"},
	{"distinct", "SELECT DISTINCT region, category FROM data ORDER BY 1, 2 -- %d"},
	{"count-distinct", "SELECT region, count(DISTINCT category) FROM data GROUP BY region -- %d"},
	{"where-in", "SELECT category, sum(qty) FROM data WHERE region IN ('North', 'East') AND qty > 7 GROUP BY category -- %d"},
	{"where-like", "SELECT region, count(*) FROM data WHERE note LIKE 'note 9%%' GROUP BY region -- %d"},
	{"where-between", "SELECT region, sum(amount) FROM data WHERE date BETWEEN '2021-01-01' AND '2021-12-31' GROUP BY region -- %d"},
	{"where-or", "SELECT region, sum(amount) FROM data WHERE region = 'North' OR qty > 90 GROUP BY region -- %d"},
	{"product", "SELECT region, sum(amount * qty) FROM data GROUP BY region -- %d"},
	{"subquery", "SELECT region, max(total) FROM (SELECT region, category, sum(amount) AS total FROM data GROUP BY region, category) GROUP BY region -- %d"},
	{"cte", "WITH t AS (SELECT region, category, sum(amount) AS total FROM data GROUP BY region, category) SELECT * FROM t WHERE total > 1000 ORDER BY total DESC LIMIT 10 -- %d"},
	{"share", "SELECT region, sum(amount) * 100.0 / (SELECT sum(amount) FROM data) AS share FROM data GROUP BY region -- %d"},
	{"window-over-groups", "SELECT region, sum(amount) AS total, rank() OVER (ORDER BY sum(amount) DESC) AS place FROM data GROUP BY region -- %d"},
	{"window-over-rows", "SELECT * FROM (SELECT id, region, amount, row_number() OVER (PARTITION BY region ORDER BY amount DESC) AS place FROM data) WHERE place <= 3 -- %d"},
	{"top-rows", "SELECT id, amount FROM data ORDER BY amount DESC LIMIT 10 -- %d"},
	{"totals", "SELECT count(*), sum(amount), min(date), max(date) FROM data -- %d"},
}

// BenchmarkForms asks new questions about a table that is loaded.
func BenchmarkForms(b *testing.B) {
	src, st := warm(b)
	n := 0
	for _, f := range forms {
		b.Run(f.name, func(b *testing.B) {
			for b.Loop() {
				n++
				_, err := st.Query(context.Background(), tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: fmt.Sprintf(f.sql, n)})
				require.NoError(b, err)
			}
		})
	}
}
