package image_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/tablequery/internal/image"
	"atelier/formats/tablequery/internal/lite"
)

// build makes an image of rows whose values are nil, int64, float64 or string.
func build(t require.TestingT, cols []image.Column, rows [][]any) []byte {
	w := image.New(cols, 0, 1<<30)
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
	db, err := w.Finish()
	require.NoError(t, err)
	return db
}

// query runs a statement on a database that nothing locks.
func query(t require.TestingT, img []byte, sql string) [][]any {
	db, err := lite.NewDatabase(img, nil)
	require.NoError(t, err)
	c, err := lite.Open()
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Load("main", db))
	r, err := c.Query(context.Background(), sql, 1<<40)
	require.NoError(t, err, sql)
	defer r.Close()
	var out [][]any
	for {
		more, err := r.Next()
		require.NoError(t, err)
		if !more {
			return out
		}
		row := make([]any, len(r.Columns()))
		for i := range row {
			row[i] = r.Value(i)
		}
		out = append(out, row)
	}
}

var sound = [][]any{{"ok"}}

// Whatever is written is a sound database with the same rows in the same order.
func TestImageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := []image.Column{{Name: `a "x"`, Type: "INTEGER"}, {Name: "b", Type: "REAL"}, {Name: "c", Type: "TEXT"}}
		n := rapid.SampledFrom([]int{0, 1, 2, 50, 3000}).Draw(t, "rows")
		ints := rapid.SampledFrom([]int64{0, 1, -1, 127, 128, -129, 32768, 1 << 22, 1 << 23, -1 << 23, -1<<23 - 1, 1 << 31, -1 << 31, 1 << 47, math.MaxInt64, math.MinInt64})
		lens := rapid.SampledFrom([]int{0, 1, 60, 300, 4000, 32700, 32710, 32733, 32734, 36800, 65000, 200000})
		var rows [][]any
		for i := range n {
			row := []any{nil, nil, nil}
			if rapid.Bool().Draw(t, "int") {
				row[0] = ints.Draw(t, "i")
			}
			switch rapid.IntRange(0, 3).Draw(t, "float") {
			case 0:
				row[1] = float64(ints.Draw(t, "whole"))
			case 1:
				row[1] = rapid.Float64Range(-1e9, 1e9).Draw(t, "f")
			}
			if l := lens.Draw(t, "len"); n < 100 || i%100 == 0 || l < 400 {
				row[2] = strings.Repeat(string(rune('a'+i%26)), l)
			}
			rows = append(rows, row)
		}
		db := build(t, cols, rows)
		require.Equal(t, sound, query(t, db, "PRAGMA integrity_check"))
		require.Equal(t, rows, query(t, db, "SELECT * FROM data"))
	})
}

// Many rows make a tree of three levels; single rows are still found.
func TestImageDeepTree(t *testing.T) {
	w := image.New([]image.Column{{Name: "n", Type: "INTEGER"}, {Name: "s", Type: "TEXT"}}, 0, 1<<30)
	pad := []byte(strings.Repeat("x", 16000))
	const n = 5000
	for i := range n {
		w.Begin()
		w.Int(int64(i))
		w.Text(pad)
		require.NoError(t, w.End())
	}
	db, err := w.Finish()
	require.NoError(t, err)
	require.Equal(t, sound, query(t, db, "PRAGMA integrity_check"))
	require.Equal(t, [][]any{{int64(4321)}}, query(t, db, "SELECT n FROM data WHERE rowid=4322"))
	require.Equal(t, [][]any{{int64(n), int64(n * (n - 1) / 2)}}, query(t, db, "SELECT count(*), sum(n) FROM data"))
}

// A definition of any length fits beside the file's head on the first page.
func TestImageWideTable(t *testing.T) {
	for _, n := range []int{1, 127, 600, 900, 1000, 1100, image.MaxColumns} {
		var cols []image.Column
		row := make([]any, n)
		for i := range n {
			cols = append(cols, image.Column{Name: fmt.Sprintf("column with a long name %d", i), Type: "TEXT"})
			row[i] = fmt.Sprint(i)
		}
		db := build(t, cols, [][]any{row})
		require.Equal(t, sound, query(t, db, "PRAGMA integrity_check"), n)
		require.Equal(t, [][]any{row}, query(t, db, "SELECT * FROM data"), n)
	}
}

func TestImageLimit(t *testing.T) {
	w := image.New([]image.Column{{Name: "s", Type: "TEXT"}}, 1<<40, 1<<20)
	var err error
	for range 100 {
		w.Begin()
		w.Text(make([]byte, 20000))
		if err = w.End(); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, image.ErrTooLarge)
}
