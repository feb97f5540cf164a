package tablequery_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/delimited"
	"atelier/formats/tablequery"
	"atelier/formats/xlsx"
	"atelier/internal/campaign"
)

var ctx = context.Background()

func csvRef(text string) tablequery.Ref {
	return tablequery.Ref{Source: formats.FromBytes("Ventas.csv", []byte(text))}
}

func ask(t require.TestingT, ref tablequery.Ref, sql string) *tablequery.Result {
	r, err := tablequery.NewStore(0).Query(ctx, tablequery.Query{Tables: []tablequery.Ref{ref}, SQL: sql})
	require.NoError(t, err, sql)
	return r
}

const mixed = "id;código;importe;activo;alta;nota\n" +
	"1;007;12,50;true;2024-01-31;=1+1\n" +
	"2;008;1.234,5;false;2024-02-29 10:00;\"a \"\"b\"\";c\"\n" +
	"3;;-3;TRUE;;\n"

func TestDescribeTypes(t *testing.T) {
	info, err := tablequery.NewStore(0).Describe(ctx, csvRef(mixed))
	require.NoError(t, err)
	require.Equal(t, &tablequery.Info{Encoding: "utf-8", Delimiter: ";", HasHeader: true, HeaderRow: 1, RowCount: 3, ColumnCount: 6, Columns: []tablequery.Column{
		{Name: "id", Type: delimited.Integer, Samples: []string{"1", "2", "3"}},
		{Name: "código", Type: delimited.Text, Nulls: 1, Samples: []string{"007", "008"}},
		{Name: "importe", Type: delimited.Number, Samples: []string{"12,50", "1.234,5", "-3"}},
		{Name: "activo", Type: delimited.Boolean, Samples: []string{"true", "false", "TRUE"}},
		{Name: "alta", Type: delimited.Date, Nulls: 1, Samples: []string{"2024-01-31", "2024-02-29 10:00"}},
		{Name: "nota", Type: delimited.Text, Nulls: 1, Samples: []string{"=1+1", `a "b";c`}},
	}}, info)
}

func TestQueryValues(t *testing.T) {
	r := ask(t, csvRef(mixed), "SELECT * FROM data")
	require.Equal(t, [][]any{
		{int64(1), "007", 12.5, true, "2024-01-31", "=1+1"},
		{int64(2), "008", 1234.5, false, "2024-02-29 10:00", `a "b";c`},
		{int64(3), nil, -3.0, true, nil, nil},
	}, r.Rows)
	require.Equal(t, tablequery.ResultColumn{Name: "activo", Type: delimited.Boolean}, r.Columns[3])
	require.Equal(t, [][]any{{int64(3), 1244.0}}, ask(t, csvRef(mixed), "SELECT count(*), sum(importe) FROM ventas").Rows, "by the name of the file")
	require.Equal(t, [][]any{{"007"}}, ask(t, csvRef(mixed), `SELECT "código" FROM data WHERE alta < '2024-02'`).Rows)
	require.Equal(t, [][]any{{int64(2)}}, ask(t, csvRef(mixed), `SELECT count(*) FROM data WHERE activo`).Rows)
}

func TestQueryWindow(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("n\n")
	for i := range 1000 {
		fmt.Fprintln(&sb, i)
	}
	st := tablequery.NewStore(0)
	q := tablequery.Query{Tables: []tablequery.Ref{csvRef(sb.String())}, SQL: "SELECT n FROM data ORDER BY n", Offset: 990, Limit: 7}
	for range 2 { // the second time from memory
		r, err := st.Query(ctx, q)
		require.NoError(t, err)
		require.Len(t, r.Rows, 7)
		require.Equal(t, []any{int64(990)}, r.Rows[0])
		require.Equal(t, 1000, r.Total)
		require.True(t, r.HasMore)
	}
	q.Offset = 995
	r, err := st.Query(ctx, q)
	require.NoError(t, err)
	require.Len(t, r.Rows, 5)
	require.False(t, r.HasMore)
	// A window is given even when counting the rest takes too long.
	q.SQL, q.Offset, q.Steps = "SELECT a.n FROM data a, data b, data c, data d WHERE a.n+b.n+c.n+d.n > 3900", 0, 20_000_000
	q.Tables = []tablequery.Ref{csvRef(sb.String())}
	q.SQL = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x, (SELECT count(*) FROM data WHERE n>x%7) FROM c"
	r, err = st.Query(ctx, q)
	require.NoError(t, err)
	require.Len(t, r.Rows, 7)
	require.True(t, r.MoreTotal && r.HasMore)
}

func TestQueryErrors(t *testing.T) {
	st := tablequery.NewStore(0)
	for sql, want := range map[string]string{
		"":                   "query is required",
		"SELECT x FROM data": "no such column: x; the columns are id, código",
		`SELECT id FROM data WHERE código = "007"`: `no such column`,
		"SELECT 1 FROM other":                      "no such table: other; the table is called data",
		"SELEC":                                    "SQL: near",
		"DELETE FROM data":                         "not allowed: a query can only read the table",
		"ATTACH '/etc/passwd' AS x":                "ATTACH is not allowed",
		"SELECT 1; SELECT 2":                       "only one SELECT",
		"SELECT count(*) FROM data a, data b, data c, data d, data e, data f, data g, data h, data i, data j, data k, data l, data m, data n, data o, data p, data q, data r": "stopped at its limit of 5 million; narrow it with WHERE, or group before joining; table_export allows more",
	} {
		_, err := st.Query(ctx, tablequery.Query{Tables: []tablequery.Ref{csvRef(mixed)}, SQL: sql, Steps: 5_000_000})
		require.ErrorContains(t, err, want, sql)
		require.NotEmpty(t, formats.CodeOf(err))
	}
	_, err := st.Describe(ctx, tablequery.Ref{Source: formats.FromBytes("a.docx", nil)})
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = st.Query(gone, tablequery.Query{Tables: []tablequery.Ref{csvRef(mixed)}, SQL: "SELECT 1"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestQueryJoinsFiles(t *testing.T) {
	a, b := csvRef("id,name\n1,x\n2,y\n"), csvRef("id,amount\n1,10\n1,5\n2,1\n")
	a.Name, b.Name = "people", "sales"
	r, err := tablequery.NewStore(0).Query(ctx, tablequery.Query{Tables: []tablequery.Ref{a, b}, SQL: "SELECT name, sum(amount) FROM people JOIN sales USING (id) GROUP BY 1 ORDER BY 1"})
	require.NoError(t, err)
	require.Equal(t, [][]any{{"x", int64(15)}, {"y", int64(1)}}, r.Rows)
	b.Name = "PEOPLE"
	_, err = tablequery.NewStore(0).Query(ctx, tablequery.Query{Tables: []tablequery.Ref{a, b}, SQL: "SELECT 1"})
	require.ErrorContains(t, err, "two tables are called PEOPLE")
}

func TestSheetTable(t *testing.T) {
	var out bytes.Buffer
	ops := []json.RawMessage{
		json.RawMessage(`{"op":"set_range","sheet":"Q1 sales","start":"B1","literal":true,"values":[["Report of sales"],[null],["region","amount","day"],["North",10,45000],["=South",2.5,45001],["East",null,null]]}`),
		json.RawMessage(`{"op":"set_style","sheet":"Q1 sales","range":"D4:D6","style":{"number_format":"dd/mm/yyyy"}}`),
	}
	_, err := xlsx.Format().Editor.Apply(ctx, nil, &out, ops, formats.ApplyOptions{})
	require.NoError(t, err)
	ref := tablequery.Ref{Source: formats.FromBytes("book.xlsx", out.Bytes())}
	info, err := tablequery.NewStore(0).Describe(ctx, ref)
	require.NoError(t, err)
	require.Equal(t, &tablequery.Info{Sheet: "Q1 sales", HasHeader: true, HeaderRow: 3, Range: "B3:D6", LeftOut: []string{"row 1 (Report of sales)"}, RowCount: 3, ColumnCount: 3, Columns: []tablequery.Column{
		{Name: "region", Type: delimited.Text, Samples: []string{"North", "=South", "East"}},
		{Name: "amount", Type: delimited.Number, Nulls: 1, Samples: []string{"10", "2.5"}},
		{Name: "day", Type: delimited.Date, Nulls: 1, Samples: []string{"2023-03-15", "2023-03-16"}},
	}}, info)
	require.Equal(t, [][]any{{"=South", 2.5, "2023-03-16"}}, ask(t, ref, `SELECT * FROM "Q1 sales" WHERE amount < 5`).Rows)
	ref.Range = "B5:C5"
	require.Equal(t, [][]any{{"=South", 2.5}}, ask(t, ref, "SELECT B, C FROM data").Rows, "a range without a header")
}

func TestStats(t *testing.T) {
	st := tablequery.NewStore(0)
	got, err := st.Stats(ctx, csvRef("c,n,b,d\nx,1,true,2024-01-01\ny,3,true,2023-01-01\nx,,false,\n"), nil)
	require.NoError(t, err)
	b, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"name":"c","type":"text","count":3,"nulls":0,"distinct":2,"min":"x","max":"y","top":[{"value":"x","count":2},{"value":"y","count":1}]},
		{"name":"n","type":"integer","count":2,"nulls":1,"distinct":2,"min":1,"max":3,"sum":4,"mean":2},
		{"name":"b","type":"boolean","count":3,"nulls":0,"distinct":2,"top":[{"value":"true","count":2},{"value":"false","count":1}]},
		{"name":"d","type":"date","count":2,"nulls":1,"distinct":2,"min":"2023-01-01","max":"2024-01-01"}]`, string(b))
	_, err = st.Stats(ctx, csvRef("a\n1\n"), []string{"x"})
	require.ErrorContains(t, err, `no column "x"; the columns are a`)
}

func TestEncodings(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("país;año\nEspaña;2024\n")
	require.NoError(t, err)
	for _, text := range []string{"país;año\nEspaña;2024\n", "\ufeffpaís;año\nEspaña;2024\n", "pa\xeds;a\xf1o\r\nEspa\xf1a;2024\r\n", utf16} {
		r := ask(t, csvRef(text), `SELECT "país", "año" FROM data`)
		require.Equal(t, [][]any{{"España", int64(2024)}}, r.Rows)
	}
}

// Whatever fields a csv has, its table has them, in order.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "columns")
		field := rapid.OneOf(rapid.StringMatching(`[a-z"\n,; é=+@-]{0,8}`), rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,3})?`), rapid.Just(""), rapid.SampledFrom([]string{"true", "2024-01-01", "007", "1e5"}))
		rows := rapid.SliceOfN(rapid.SliceOfN(field, n, n), 0, 20).Draw(t, "rows")
		var in bytes.Buffer
		w := csv.NewWriter(&in)
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("column %d", i))
		}
		require.NoError(t, w.Write(names))
		require.NoError(t, w.WriteAll(rows))
		r := ask(t, csvRef(in.String()), "SELECT * FROM data")
		require.Len(t, r.Rows, len(rows))
		var out bytes.Buffer
		require.NoError(t, tablequery.WriteCSV(&out, r))
		again := ask(t, csvRef(out.String()), "SELECT * FROM data")
		require.Equal(t, r, again)
		for i, row := range rows {
			for j, v := range row {
				switch got := r.Rows[i][j].(type) {
				case nil:
					require.Empty(t, strings.Trim(v, " \t"))
				case string:
					if r.Columns[j].Type == delimited.Text {
						require.Equal(t, v, got)
					}
				case int64:
					require.Equal(t, v, fmt.Sprint(got))
				}
			}
		}
	})
}

// One content is read once, and what is too much is forgotten.
func TestStoreKeepsWithinItsLimit(t *testing.T) {
	campaign.Slow(t)
	st := tablequery.NewStore(3 << 20)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range campaign.Of(80, 80) {
				text := "a,b\n" + strings.Repeat(fmt.Sprintf("%d,some text to fill the table\n", (i+g)%10), 20_000)
				r, err := st.Query(ctx, tablequery.Query{Tables: []tablequery.Ref{csvRef(text)}, SQL: "SELECT count(*) FROM data"})
				if err != nil || r.Rows[0][0] != int64(20_000) {
					t.Errorf("%v %v", r, err)
				}
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, st.Used(), int64(3<<20))
}

// The answers about a million rows are right.
func TestBigTable(t *testing.T) {
	campaign.Slow(t)
	r := ask(t, tablequery.Ref{Source: bigSource(t)}, "SELECT count(*), sum(qty), min(date), max(id), count(DISTINCT region) FROM data")
	require.Equal(t, []any{int64(1_000_000), "2020-01-01", int64(1_000_000), int64(4)}, []any{r.Rows[0][0], r.Rows[0][2], r.Rows[0][3], r.Rows[0][4]})
}

func TestMain(m *testing.M) {
	code := m.Run()
	if made {
		os.RemoveAll(filepath.Dir(bigCSV()))
	}
	os.Exit(code)
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte(mixed))
	f.Add([]byte("a,b\n\"x"))
	f.Add([]byte("\xff\xfea\x00,\x001\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ref := tablequery.Ref{Source: formats.FromBytes("a.csv", b)}
		info, err := tablequery.NewStore(0).Describe(ctx, ref)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
			return
		}
		if info.ColumnCount > 0 {
			r := ask(t, ref, "SELECT * FROM data")
			require.Equal(t, info.RowCount, r.Total)
		}
	})
}
