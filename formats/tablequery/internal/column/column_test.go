package column

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/tablequery/internal/image"
	"atelier/formats/tablequery/internal/lite"
)

// made is a table in both forms.
type made struct {
	names []string
	kinds []image.Kind
	lite  *lite.Database
	table *Table
	built *Table // of a Builder
}

var declared = map[image.Kind]string{image.Int: "INTEGER", image.Float: "REAL", image.Text: "TEXT"}

func build(t require.TestingT, names []string, kinds []image.Kind, rows [][]any) *made {
	var cols []image.Column
	for i, n := range names {
		cols = append(cols, image.Column{Name: n, Type: declared[kinds[i]]})
	}
	w := image.New(cols, 1<<16, 1<<28)
	for _, row := range rows {
		w.Begin()
		for _, v := range row {
			switch v := v.(type) {
			case nil:
				w.Null()
			case int64:
				w.Int(v)
			case float64:
				w.Float(v)
			case string:
				w.Text([]byte(v))
			}
		}
		require.NoError(t, w.End())
	}
	img, err := w.Finish()
	require.NoError(t, err)
	db, err := lite.NewDatabase(img, nil)
	require.NoError(t, err)
	return &made{names, kinds, db, New(db.Bytes, len(rows), w.Longest(), kinds), builtOf(kinds, rows)}
}

// builtOf is the same table without an image.
func builtOf(kinds []image.Kind, rows [][]any) *Table {
	only := make([]bool, len(kinds))
	for i := range only {
		only[i] = true
	}
	b := NewBuilder(kinds, only, len(rows))
	for _, row := range rows {
		for i, v := range row {
			b.Column(i)
			switch v := v.(type) {
			case nil:
				b.Null()
			case int64:
				b.Int(v)
			case float64:
				b.Float(v)
			case string:
				b.Text([]byte(v))
			}
		}
		b.End()
	}
	return b.Table()
}

// sqlite asks SQLite.
func (m *made) sqlite(t require.TestingT, sql string) (rows [][]any, err error) {
	c, err := lite.Open()
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Load("main", m.lite))
	require.NoError(t, c.Lock(1<<20))
	r, err := c.Query(context.Background(), sql, 1<<40)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	n := len(r.Columns())
	for {
		more, err := r.Next()
		if err != nil || !more {
			return rows, err
		}
		row := make([]any, n)
		for i := range row {
			row[i] = r.Value(i)
		}
		rows = append(rows, row)
	}
}

// rounding is SQLite's.
func rounding(t require.TestingT) Rounding {
	return func(v any, digits int) (any, error) {
		c, err := lite.Open()
		require.NoError(t, err)
		defer c.Close()
		r, err := c.Rounder()
		require.NoError(t, err)
		defer r.Close()
		return r.Round(v, digits)
	}
}

// expression asks SQLite for the values of an expression.
func (m *made) expression(t require.TestingT) Expression {
	return func(sql, called string, rows []int) (values []any, err error) {
		for _, row := range rows {
			got, err := m.sqlite(t, fmt.Sprintf(`SELECT %s FROM data AS "%s" WHERE "%s".rowid = %d`, sql, called, called, row+1))
			if err != nil {
				return nil, nil
			}
			values = append(values, got[0][0])
		}
		return values, nil
	}
}

// agree asks both; answered says that the columns gave an answer.
func (m *made) agree(t require.TestingT, sql string) (answered bool) {
	want, err := m.sqlite(t, sql)
	if err != nil {
		// An overflow is SQLite's to report.
		if p, ok := Parse(sql, m.names, []string{"data"}); ok && strings.Contains(err.Error(), "overflow") {
			_, ok, _ := m.table.Run(context.Background(), p, rounding(t), m.expression(t))
			require.False(t, ok, sql)
		}
		return false
	}
	p, ok := Parse(sql, m.names, []string{"data"})
	if !ok {
		return false
	}
	have, ok, err := m.table.Run(context.Background(), p, rounding(t), m.expression(t))
	require.NoError(t, err)
	if len(p.derived) == 0 {
		again, answered, err := m.built.Run(context.Background(), p, rounding(t), nil)
		require.NoError(t, err)
		require.Equal(t, ok, answered, sql)
		require.Equal(t, have, again, sql)
	}
	if !ok {
		return false
	}
	require.Equal(t, len(want), len(have), sql)
	for i := range want {
		require.Equal(t, want[i], have[i], "%s: row %d", sql, i)
	}
	return true
}

var texts = []string{"", "a", "A", "b", "é", "10", "9", "it's", "TRUE", "a ", "ab", "z\"z", "2024-01-31"}

func genTable(t *rapid.T) *made {
	names := []string{"i", "Big", "f", "s", "n t", "b"}
	kinds := []image.Kind{image.Int, image.Int, image.Float, image.Text, image.Text, image.Int}
	gens := []*rapid.Generator[any]{
		rapid.Map(rapid.Int64Range(-5, 5), func(v int64) any { return v }),
		rapid.Map(rapid.Int64(), func(v int64) any { return v >> 3 }),
		rapid.OneOf(rapid.Map(rapid.Float64Range(-1e6, 1e6), func(v float64) any { return v }), rapid.Map(rapid.Int64Range(-3, 3), func(v int64) any { return float64(v) / 2 })),
		rapid.Map(rapid.SampledFrom(texts), func(v string) any { return v }),
		rapid.Map(rapid.SampledFrom(texts[:4]), func(v string) any { return v }),
		rapid.Map(rapid.Int64Range(0, 1), func(v int64) any { return v }),
	}
	rows := make([][]any, rapid.SampledFrom([]int{0, 1, 3, 40, 3000}).Draw(t, "rows"))
	some := make([][]any, min(len(rows), 60))
	for r := range some {
		for _, g := range gens {
			v := g.Draw(t, "value")
			if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
				v = nil
			}
			some[r] = append(some[r], v)
		}
	}
	for r := range rows {
		rows[r] = some[(r*7+r/60)%len(some)]
	}
	return build(t, names, kinds, rows)
}

func genSQL(t *rapid.T) string {
	column := rapid.SampledFrom([]string{"i", "BIG", "f", "s", `"n t"`, "[b]", "b", "I"})
	if rapid.IntRange(0, 2).Draw(t, "derives") == 0 {
		column = rapid.SampledFrom([]string{"i", "b", "s", `"n t"`, "substr(s, 1, 1)", "length( s )", "CASE WHEN i > 1 THEN 'big' ELSE 'small' END", "CASE WHEN b = 1 THEN i END",
			"CASE i WHEN 1 THEN 1 WHEN 2 THEN 2.5 ELSE s END", "coalesce(s, 'none')", "strftime('%Y', s)", "upper(s || \"n t\")", "abs(i)", "round(f)", "ifnull(i, 0)",
			"CASE WHEN s IN ('a', 'b') OR s LIKE 'z%' THEN 1 ELSE 0 END", "iif(i BETWEEN 0 AND 2, i + 1, 0 - i)", "date(s)"})
	}
	literal := rapid.OneOf(rapid.SampledFrom([]string{"0", "1", "-2", "2.5", "true", "9007199254740993", "-0.5"}), rapid.Map(rapid.SampledFrom(texts), func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }))
	var group, items []string
	for range rapid.IntRange(0, 2).Draw(t, "groups") {
		group = append(group, column.Draw(t, "group"))
	}
	for _, g := range group {
		if rapid.Bool().Draw(t, "shown") {
			items = append(items, g)
		}
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "items") {
		f := rapid.SampledFrom([]string{"count(*)", "count(%s)", "count(1)", "COUNT(DISTINCT %s)", "sum(%s)", "Avg(%s)", "min(%s)", "max( %s )"}).Draw(t, "fn")
		it := strings.Replace(f, "%s", column.Draw(t, "of"), 1)
		if rapid.IntRange(0, 4).Draw(t, "rounded") == 0 {
			it = fmt.Sprintf(rapid.SampledFrom([]string{"round(%s)", "ROUND( %s, 2)", "round(%s, 0)", "round(%s, 1)"}).Draw(t, "round"), it)
		}
		if rapid.Bool().Draw(t, "named") {
			it += fmt.Sprintf(rapid.SampledFrom([]string{" AS x%d", " x%d", ` AS "x%d"`, " [x%d]"}).Draw(t, "as"), i)
		}
		items = append(items, it)
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM data" + rapid.SampledFrom([]string{"", "", " AS d", " d", " [d]"}).Draw(t, "called")
	for i := range rapid.IntRange(0, 2).Draw(t, "tests") {
		sql += []string{" WHERE ", rapid.SampledFrom([]string{" AND ", " AND ", " OR "}).Draw(t, "joined")}[min(i, 1)]
		if other := rapid.SampledFrom([]string{"", "", "", "s LIKE 'a%'", "(i = 1 OR b = 0)", "NOT i IN (1, 2)", "s NOT IN ('a')", "i + 1 > b", "s", "i BETWEEN 1 AND 2 OR b"}).Draw(t, "other test"); other != "" {
			sql += other
			continue
		}
		sql += column.Draw(t, "test") + " "
		switch op := rapid.SampledFrom([]string{"=", "<>", "!=", "<", "<=", ">", ">=", "IS NULL", "IS NOT NULL", "IN", "BETWEEN"}).Draw(t, "op"); op {
		case "IS NULL", "IS NOT NULL":
			sql += op
		case "IN":
			sql += "IN (" + literal.Draw(t, "a") + "," + literal.Draw(t, "b") + ")"
		case "BETWEEN":
			sql += "BETWEEN " + literal.Draw(t, "a") + " AND " + literal.Draw(t, "b")
		default:
			sql += op + literal.Draw(t, "a")
		}
	}
	if len(group) > 0 {
		sql += "\nGROUP BY " + strings.Join(group, ",")
		aggregate := rapid.Map(rapid.SampledFrom([]string{"count(*)", "sum(f)", "min(s)", "max(i)", "avg(i)", "b", "i", "s"}), func(s string) string { return s })
		if rapid.IntRange(0, 2).Draw(t, "having") == 0 {
			sql += " HAVING " + aggregate.Draw(t, "of") + " " + rapid.SampledFrom([]string{"> 1", "<= 2.5", "= 'a'", "<> 0", "IS NOT NULL", "BETWEEN 0 AND 3", "> 'a' AND count(*) < 30", "IN (1, 2)"}).Draw(t, "condition")
		}
		switch {
		case rapid.IntRange(0, 3).Draw(t, "by") == 0:
			sql += " ORDER BY " + aggregate.Draw(t, "other") + rapid.SampledFrom([]string{"", " DESC"}).Draw(t, "way") + ", 1"
		case rapid.Bool().Draw(t, "ordered"):
			sql += " ORDER BY "
			for range rapid.IntRange(1, 3).Draw(t, "terms") {
				sql += fmt.Sprintf("%d%s,", rapid.IntRange(1, len(items)).Draw(t, "term"), rapid.SampledFrom([]string{"", " DESC", " asc"}).Draw(t, "way"))
			}
			sql = strings.TrimSuffix(sql, ",")
		}
	}
	if rapid.Bool().Draw(t, "cut") {
		sql += " LIMIT 3 OFFSET 1"
	}
	return sql + rapid.SampledFrom([]string{"", ";", " -- end"}).Draw(t, "end")
}

// genDistinct asks for different rows.
func genDistinct(t *rapid.T) string {
	columns := rapid.SliceOfN(rapid.SampledFrom([]string{"i", "BIG", "f", "s", `"n t"`, "b", "substr(s, 1, 1)", "CASE WHEN i > 0 THEN s END"}), 1, 3).Draw(t, "columns")
	sql := "SELECT DISTINCT " + strings.Join(columns, ", ") + " FROM data" + rapid.SampledFrom([]string{"", " WHERE i > 0", " WHERE s <> 'a' AND b IS NOT NULL"}).Draw(t, "where")
	if rapid.Bool().Draw(t, "ordered") {
		sql += " ORDER BY "
		for i := range rapid.IntRange(1, len(columns)).Draw(t, "terms") {
			sql += fmt.Sprintf("%d%s,", len(columns)-i, rapid.SampledFrom([]string{"", " DESC"}).Draw(t, "way"))
		}
		sql = strings.TrimSuffix(sql, ",")
	}
	return sql + rapid.SampledFrom([]string{"", " LIMIT 3", " LIMIT 4 OFFSET 2"}).Draw(t, "cut")
}

// V-03: different rows are those of SQLite, in its order.
func TestV03DistinctAsSQLite(t *testing.T) {
	asked, answered := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := genTable(t)
		for range 4 {
			asked++
			if m.agree(t, genDistinct(t)) {
				answered++
			}
		}
	})
	require.Greater(t, answered*2, asked)
}

// V-03: answers are SQLite's to the last bit.
func TestV03ColumnsAgreeWithSQLite(t *testing.T) {
	asked, answered := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := genTable(t)
		for range 8 {
			asked++
			if m.agree(t, genSQL(t)) {
				answered++
			}
		}
	})
	t.Logf("%d of %d answered from columns", answered, asked)
	require.Greater(t, answered*4, asked, "the test is of little use when SQLite answers nearly all")
}

// Questions that look alike and mean something else are left to SQLite, or
// mean the same.
func TestV03LikeButOther(t *testing.T) {
	m := build(t, []string{"a", "b", "total"}, []image.Kind{image.Int, image.Text, image.Float}, [][]any{
		{int64(1), "x", 1.5}, {int64(2), "y", nil}, {int64(1), "x", 2.5}, {nil, nil, 4.0},
	})
	answered := map[string]bool{
		`SELECT b, sum(a) FROM data GROUP BY b`:                                  true,
		`select B, SUM(a) s from DATA group by 1`:                                true, // a name without AS
		`SELECT b, sum(a) AS total FROM data GROUP BY b ORDER BY total`:          false,
		`SELECT b AS b, sum(a) AS s FROM data GROUP BY b ORDER BY s DESC`:        true,
		`SELECT b, sum(a) FROM data GROUP BY b ORDER BY sum(a) DESC`:             true,
		`SELECT b, sum(a) FROM data GROUP BY b ORDER BY max(a) DESC`:             true,
		`SELECT a, b, count(*) FROM data GROUP BY b`:                             false, // a of some row
		`SELECT b, sum(a) FROM data GROUP BY b HAVING sum(a) > 1`:                true,
		`SELECT b, sum(a+1) FROM data GROUP BY b`:                                false,
		`SELECT b, sum(a) FROM data WHERE a = 1 OR a = 2 GROUP BY b`:             true,
		`SELECT b, sum(a) FROM data WHERE a = 1 OR b = 'y' AND a > 1 GROUP BY b`: true,
		`SELECT b, sum(a) FROM data WHERE b LIKE 'X%' AND total > 1 GROUP BY b`:  true,
		`SELECT b, sum(a) FROM data WHERE b IN (SELECT b FROM data) GROUP BY b`:  false,
		`SELECT b, sum(a) FROM data WHERE b > 1 GROUP BY b`:                      false,
		`SELECT b, sum(a) FROM data WHERE a > '1' GROUP BY b`:                    false,
		`SELECT sum(a) FROM data WHERE "b" = "x"`:                                false,
		`SELECT count(*), sum(a), min(b), avg(total) FROM data WHERE a > 100`:    true,
		`SELECT b, count(*) FROM data WHERE a IN (1, 2.5) GROUP BY b`:            true,
		`SELECT DISTINCT b FROM data GROUP BY b`:                                 false,
		`SELECT b FROM data GROUP BY b LIMIT 1, 2`:                               false,
		`SELECT a FROM data`:                                                                            false,
		`SELECT sum(b) FROM data`:                                                                       false,
		`SELECT b, count(*) FROM sqlite_schema GROUP BY b`:                                              false,
		`SELECT b, group_concat(a) FROM data GROUP BY b`:                                                false,
		`SELECT b /* c */, count(*) FROM data GROUP BY b`:                                               false,
		`SELECT b, count(*) FROM data GROUP BY b COLLATE NOCASE`:                                        false,
		`SELECT b, count(*) FROM data GROUP BY b ORDER BY 1 DESC NULLS FIRST`:                           false,
		`WITH data AS (SELECT 1 AS b) SELECT b, count(*) FROM data GROUP BY b`:                          false,
		`SELECT b, count(*) FROM data AS d GROUP BY b`:                                                  true,
		`SELECT d.b, count(*) n FROM data d GROUP BY d."b" ORDER BY n DESC`:                             true,
		`SELECT data.b, count(1) FROM data GROUP BY data.b`:                                             true,
		`SELECT data.b, count(*) FROM data d GROUP BY 1`:                                                false, // SQLite refuses it
		`SELECT b, count(*) FROM data, data e GROUP BY b`:                                               false,
		`SELECT b, count(*) FROM data NATURAL JOIN data e GROUP BY b`:                                   false,
		`SELECT b, sum(a) FROM data GROUP BY b HAVING a > 1`:                                            false,
		`SELECT b, sum(a) s FROM data GROUP BY b HAVING s > 1 AND b = 'x'`:                              true,
		`SELECT b, sum(a) s FROM data GROUP BY b HAVING b > 1`:                                          false,
		`SELECT b, sum(a) s FROM data GROUP BY b HAVING s IN (1, '2')`:                                  false,
		`SELECT substr(b, 1, 1) AS k, sum(a) FROM data GROUP BY k`:                                      true,
		`SELECT substr(b,1,1), sum(a) FROM data GROUP BY substr( B, 1, 1 )`:                             true,
		`SELECT d.b, sum(CASE WHEN d.a = 1 THEN 1 ELSE 0 END) s FROM data d GROUP BY d.b ORDER BY s`:    true,
		`SELECT b, count(*) FROM data WHERE upper(b) = 'X' GROUP BY b`:                                  true,
		`SELECT strftime('%Y') AS y, count(*) FROM data GROUP BY y`:                                     false, // the time of the question
		`SELECT date(b, 'now') AS y, count(*) FROM data GROUP BY y`:                                     false,
		`SELECT substr(b, 1, 1) AS k, sum(a) FROM data GROUP BY b`:                                      false,
		`SELECT substr(b, 1, random()) AS k, sum(a) FROM data GROUP BY k`:                               false,
		`SELECT CASE WHEN a = 1 THEN 1 ELSE 0.5 END AS k, sum(a) FROM data GROUP BY k`:                  false, // numbers of two types
		`SELECT CASE WHEN a > (SELECT avg(a) FROM data) THEN 1 END AS k, count(*) FROM data GROUP BY k`: false,
		`SELECT substr(b, 1, 1) AS a, count(*) FROM data GROUP BY a`:                                    false, // by the column
		`SELECT coalesce(sum(a), 0) FROM data`:                                                          false,
		`SELECT round(a) FROM data GROUP BY a`:                                                          false,
		`SELECT b, round(sum(a) + 1, 2) FROM data GROUP BY b`:                                           false,
		`SELECT b, round(sum(a), 2) + 1 FROM data GROUP BY b`:                                           false,
		`SELECT b, round(sum(a), -1) FROM data GROUP BY b`:                                              false,
		`SELECT b, round(max(b), 1) FROM data GROUP BY b`:                                               false,
		`SELECT b, round(avg(total), 1) r FROM data GROUP BY b ORDER BY r`:                              true,
		`SELECT DISTINCT b, a FROM data`:                                                                true,
		`SELECT DISTINCT b FROM data ORDER BY a`:                                                        false,
		`SELECT DISTINCT a, b FROM data ORDER BY b`:                                                     false,
		`SELECT DISTINCT count(*) FROM data`:                                                            false,
		`SELECT count(*), DISTINCT b FROM data`:                                                         false,
		`SELECT DISTINCT b + 1 FROM data`:                                                               false,
		`SELECT b, count(2) FROM data GROUP BY b`:                                                       false,
		`SELECT count(*) FILTER (WHERE a = 1) FROM data GROUP BY b`:                                     false,
		`SELECT b, count(*) OVER () FROM data GROUP BY b`:                                               false,
	}
	for sql, want := range answered {
		require.Equal(t, want, m.agree(t, sql), sql)
	}
}

// A sum over the range of integers is SQLite's to refuse.
func TestV03Overflow(t *testing.T) {
	m := build(t, []string{"a"}, []image.Kind{image.Int}, [][]any{{int64(1<<63 - 1)}, {int64(1)}})
	require.False(t, m.agree(t, `SELECT sum(a) FROM data`))
	require.True(t, m.agree(t, `SELECT max(a), min(a), count(a) FROM data`))
	require.True(t, m.agree(t, `SELECT count(*) FROM data WHERE a > 9007199254740991`))
}

// Columns of too many different values, and more arrays than are kept.
func TestV03Limits(t *testing.T) {
	rows := make([][]any, 70_000)
	for i := range rows {
		rows[i] = []any{int64(i), fmt.Sprint(i), float64(i % 3)}
	}
	m := build(t, []string{"id", "s", "f"}, []image.Kind{image.Int, image.Text, image.Float}, rows)
	require.False(t, m.agree(t, `SELECT s, count(*) FROM data GROUP BY s`))
	require.False(t, m.agree(t, `SELECT id, count(*) FROM data GROUP BY id`))
	require.True(t, m.agree(t, `SELECT f, sum(id), avg(f) FROM data GROUP BY f`))
	before := m.table.Size()
	require.Positive(t, before)
	m.table.mu.Lock()
	m.table.countBytes(maxBytes)
	m.table.mu.Unlock()
	require.Empty(t, m.table.codes)
	require.True(t, m.agree(t, `SELECT f, sum(id), avg(f) FROM data GROUP BY f`))
	require.Nil(t, New(nil, maxRows+1, 0, nil))
	require.Nil(t, New(nil, 1, image.MaxScan+1, nil))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, ok := Parse(`SELECT f, sum(id) FROM data WHERE id > 3 GROUP BY f`, m.names, []string{"data"})
	require.True(t, ok)
	_, _, err := m.table.Run(ctx, p, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// A table of a Builder answers nothing about columns that it has not.
func TestBuiltColumnsOnly(t *testing.T) {
	kinds := []image.Kind{image.Int, image.Text, image.Int, image.Text}
	b := NewBuilder(kinds, []bool{true, true, false, false}, 2)
	for i := range 2 {
		b.Column(0)
		b.Int(int64(i))
		b.Column(1)
		b.Text([]byte("x"))
		require.True(t, b.End())
	}
	b.Column(0)
	b.Null()
	b.Column(1)
	b.Null()
	require.False(t, b.End())
	require.Nil(t, NewBuilder(kinds, []bool{true, true, true, true}, maxRows+1))
	b = NewBuilder(kinds, []bool{true, true, false, false}, 1)
	b.Column(0)
	b.Int(3)
	b.Column(1)
	b.Null()
	b.End()
	for sql, answered := range map[string]bool{
		"SELECT b, sum(a) FROM data GROUP BY b": true, "SELECT a, count(*) FROM data GROUP BY a": true,
		"SELECT a, sum(c) FROM data GROUP BY a": false, "SELECT d, count(*) FROM data GROUP BY d": false, "SELECT count(*) FROM data WHERE c > 1": false,
	} {
		p, ok := Parse(sql, []string{"a", "b", "c", "d"}, []string{"data"})
		require.True(t, ok, sql)
		_, ok, err := b.Table().Run(context.Background(), p, rounding(t), nil)
		require.NoError(t, err)
		require.Equal(t, answered, ok, sql)
	}
}
