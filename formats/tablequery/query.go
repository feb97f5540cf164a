package tablequery

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/delimited"
	"atelier/formats/tablequery/internal/image"
	"atelier/formats/tablequery/internal/lite"
)

// Query is a question about tables. The first is called data.
type Query struct {
	Tables []Ref // 1 to MaxTables
	SQL    string
	Offset int   // rows of the result to skip
	Limit  int   // rows to give; 0 is DefaultRows
	Steps  int64 // that SQLite's machine may take for it; 0 is DefaultSteps
}

// Limits of queries.
const (
	MaxTables   = 9
	DefaultRows = 100
	MaxRows     = 10_000
	// DefaultSteps take about ten seconds of one processor.
	DefaultSteps = 400_000_000
	maxCount     = 1_000_000 // rows that are counted after the window
	maxResult    = 8 << 20   // bytes of a window
)

// Result is a window of a query's rows. Values are nil, bool, int64, float64 or
// string.
type Result struct {
	Columns   []ResultColumn
	Rows      [][]any
	Offset    int
	Total     int  // rows of the whole result, when known
	MoreTotal bool // there are more than Total: they were not all counted
	HasMore   bool
	bytes     int64
}

// ResultColumn is a column of a result. Type is "" where it can be anything.
type ResultColumn struct {
	Name string
	Type delimited.Type
}

var typeOf = map[string]delimited.Type{"INTEGER": delimited.Integer, "REAL": delimited.Number, "BOOLEAN_INT": delimited.Boolean, "DATE_TEXT": delimited.Date, "TEXT": delimited.Text}

// Query returns a window of the result's rows. The same query about the same
// content is answered from memory.
func (s *Store) Query(ctx context.Context, q Query) (*Result, error) {
	if q.Limit <= 0 {
		q.Limit = DefaultRows
	}
	q.Limit, q.Offset = min(q.Limit, MaxRows), max(q.Offset, 0)
	key := q.key()
	if r := s.cachedResult(ctx, q, key); r != nil {
		return r, nil
	}
	res := &Result{Offset: q.Offset, Rows: [][]any{}}
	errEnough := errors.New("enough")
	n := 0
	err := s.Each(ctx, q, func(cols []ResultColumn) error {
		res.Columns = cols
		return nil
	}, func(value func(i int) any) error {
		n++
		switch {
		case n <= q.Offset:
		case len(res.Rows) < q.Limit && res.bytes < maxResult:
			row := make([]any, len(res.Columns))
			for i := range row {
				row[i] = value(i)
				res.bytes += 16
				if t, ok := row[i].(string); ok {
					res.bytes += int64(len(t))
				}
			}
			res.Rows = append(res.Rows, row)
		case n > maxCount && n > q.Offset+q.Limit:
			return errEnough
		}
		return nil
	})
	stopped := errors.Is(err, errEnough) || errors.Is(err, lite.ErrSteps) && n > q.Offset+len(res.Rows)
	if err != nil && !stopped {
		return nil, err
	}
	res.Total, res.MoreTotal = n, stopped
	res.HasMore = stopped || q.Offset+len(res.Rows) < n
	if !stopped {
		s.keepResult(ctx, q, key, res)
	}
	return res, nil
}

// Rows returns rows of a table as they are, from a 0-based offset on; columns
// names those wanted, all when it is empty.
func (s *Store) Rows(ctx context.Context, ref Ref, columns []string, offset, limit int) (*Result, error) {
	ctx, mem, err := s.reserve(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	_, sh, err := s.loaded(ctx, ref)
	if err != nil {
		return nil, err
	}
	cols, err := sh.pickColumns(columns)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = image.Quote(c.Name)
	}
	sql := fmt.Sprintf("SELECT %s FROM data WHERE rowid > %d AND rowid <= %d", strings.Join(names, ","), offset, offset+limit)
	r, err := s.Query(ctx, Query{Tables: []Ref{ref}, SQL: sql, Limit: limit})
	if err != nil {
		return nil, err
	}
	r.Offset, r.Total = offset, sh.info.RowCount
	r.HasMore = offset+len(r.Rows) < r.Total
	return r, nil
}

// cachedResult returns an earlier result, nil when there is none.
func (s *Store) cachedResult(ctx context.Context, q Query, key string) *Result {
	if key == "" {
		return nil
	}
	e, err := s.acquire(ctx, q.Tables[0].key())
	if err != nil {
		return nil
	}
	defer s.release(e)
	if r := e.res[key]; r != nil {
		c := *r
		return &c
	}
	return nil
}

// keepResult stores a result with its first table, up to a few results.
func (s *Store) keepResult(ctx context.Context, q Query, key string, r *Result) {
	if key == "" || r.bytes > 1<<20 {
		return
	}
	e, err := s.acquire(ctx, q.Tables[0].key())
	if err != nil {
		return
	}
	defer s.release(e)
	if len(e.res) >= 32 {
		clear(e.res)
	}
	c := *r
	e.res[key] = &c
}

// key tells apart questions; "" when the answer depends on more than them.
func (q Query) key() string {
	low := strings.ToLower(q.SQL)
	for _, word := range []string{"random", "now", "current_", "date(", "time(", "julianday", "unixepoch"} {
		if strings.Contains(low, word) {
			return ""
		}
	}
	parts := []string{q.SQL, strconv.Itoa(q.Offset), strconv.Itoa(q.Limit)}
	for _, t := range q.Tables {
		parts = append(parts, t.key(), t.Name, t.Source.Name())
	}
	return strings.Join(parts, "\x01")
}

// Each runs a query and calls row for every row of its result; value gives
// column i of that row and is good until row returns. Limit and Offset are not
// looked at. An error of columns or row ends it and is returned.
func (s *Store) Each(ctx context.Context, q Query, columns func([]ResultColumn) error, row func(value func(i int) any) error) error {
	switch {
	case strings.TrimSpace(q.SQL) == "":
		return formats.Errorf(formats.CodeInvalid, "query is required")
	case len(q.Tables) == 0 || len(q.Tables) > MaxTables:
		return formats.Errorf(formats.CodeInvalid, "a query reads 1 to %d tables, not %d", MaxTables, len(q.Tables))
	}
	ctx, mem, err := s.reserve(ctx, q.Tables...)
	if err != nil {
		return err
	}
	defer mem.Release()
	if q.Steps <= 0 {
		q.Steps = DefaultSteps
	}
	done, err := s.each(ctx, q, false, columns, row)
	if !done && err == nil { // what was loaded for columns alone does not answer it
		_, err = s.each(ctx, q, true, columns, row)
	}
	return err
}

// each does the work of Each; done is false where it has to be done with whole tables.
func (s *Store) each(ctx context.Context, q Query, whole bool, columns func([]ResultColumn) error, row func(value func(i int) any) error) (done bool, err error) {
	c, first, shapes, err := s.connect(ctx, q, whole)
	if err != nil {
		return true, err
	}
	defer c.Close()
	r, err := c.Query(ctx, q.SQL, q.Steps)
	if err == nil {
		defer r.Close()
		if done, err = s.grouped(ctx, c, r, q, first, shapes[0], columns, row); !done && err == nil {
			if first.bare {
				return false, nil
			}
			err = eachRow(r, columns, row)
		}
	}
	return true, explainError(ctx, err, q, shapes)
}

func eachRow(r *lite.Rows, columns func([]ResultColumn) error, row func(value func(i int) any) error) error {
	cols := resultColumns(r)
	if err := columns(cols); err != nil {
		return err
	}
	value := func(i int) any { return shownValue(r.Value(i), cols[i]) }
	for {
		more, err := r.Next()
		if err != nil || !more {
			return err
		}
		if err := row(value); err != nil {
			return err
		}
	}
}

func resultColumns(r *lite.Rows) (cols []ResultColumn) {
	for _, col := range r.Columns() {
		cols = append(cols, ResultColumn{col.Name, typeOf[col.Type]})
	}
	return cols
}

// shownValue returns a value as it is given out.
func shownValue(v any, c ResultColumn) any {
	switch v := v.(type) {
	case int64:
		if c.Type == delimited.Boolean {
			return v != 0
		}
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	}
	return v
}

// connect opens a connection with the tables of a question and their names, and returns
// the first of them.
func (s *Store) connect(ctx context.Context, q Query, whole bool) (c *lite.Conn, first *database, shapes []*tableShape, err error) {
	if c, err = lite.Open(); err != nil {
		return nil, nil, nil, err
	}
	longest := 0
	taken := map[string]bool{"data": true}
	for i, ref := range q.Tables {
		var db *database
		var sh *tableShape
		if len(q.Tables) == 1 {
			db, sh, err = s.loadedFor(ctx, ref, q.SQL, whole)
		} else {
			db, sh, err = s.loaded(ctx, ref)
		}
		if i == 0 {
			first = db
		}
		if err == nil {
			schema := "main"
			if i > 0 {
				schema = "table_" + string(rune('0'+i))
			}
			if err = c.Load(schema, db.lite); err == nil {
				err = nameTable(c, ref, sh, schema, taken)
			}
		}
		if err != nil {
			c.Close()
			return nil, nil, nil, err
		}
		shapes, longest = append(shapes, sh), max(longest, db.longest)
	}
	if err := c.Lock(longest); err != nil {
		c.Close()
		return nil, nil, nil, err
	}
	return c, first, shapes, nil
}

// nameTable lets SQL call a table by its own name, its sheet's, and its file's.
func nameTable(c *lite.Conn, ref Ref, sh *tableShape, schema string, taken map[string]bool) error {
	base := path.Base(ref.Source.Name())
	names := []string{ref.Name, sh.info.Table, sh.info.Sheet, strings.TrimSuffix(base, path.Ext(base))}
	for i, n := range names {
		low := strings.ToLower(n)
		if n == "" || taken[low] && i > 0 || strings.HasPrefix(low, "sqlite_") {
			continue
		}
		if taken[low] && low != "data" {
			return formats.Errorf(formats.CodeInvalid, "two tables are called %s", n)
		}
		if low == "data" {
			if schema != "main" {
				return formats.Errorf(formats.CodeInvalid, "data is the name of the first table; call this one otherwise")
			}
			continue
		}
		if err := c.View(n, "SELECT * FROM "+schema+".data"); err != nil {
			return err
		}
		taken[low] = true
	}
	return nil
}

// explainError turns an error of SQLite into a message that helps to correct
// the query.
func explainError(ctx context.Context, err error, q Query, shapes []*tableShape) error {
	var le *lite.Error
	switch {
	case err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err
	case errors.Is(err, lite.ErrSteps):
		more := ""
		if q.Steps <= DefaultSteps {
			more = "; table_export allows more"
		}
		return formats.Errorf(formats.CodeInvalid, "%w: it was stopped at its limit of %d million; narrow it with WHERE, or group before joining%s", err, (q.Steps+999_999)/1_000_000, more)
	case errors.Is(err, lite.ErrMemory):
		return formats.Errorf(formats.CodeInvalid, "%w: sort or group fewer rows, or select fewer columns", err)
	case errors.Is(err, lite.ErrNotQuery):
		return formats.Errorf(formats.CodeInvalid, "%w", err)
	case errors.As(err, &le):
		hint := ""
		if strings.HasPrefix(le.Message, "no such column") {
			hint = "; the columns are " + columnNames(shapes) + " (write a text in single quotes)"
		} else if strings.HasPrefix(le.Message, "no such table") {
			hint = "; the table is called data"
		}
		return formats.Errorf(formats.CodeInvalid, "SQL: %w%s", err, hint)
	}
	return err
}

// columnNames lists the columns, as many as fit.
func columnNames(shapes []*tableShape) string {
	var sb strings.Builder
	for _, s := range shapes {
		for _, c := range s.cols {
			if sb.Len() > 500 {
				return sb.String() + " …"
			}
			if sb.Len() > 0 {
				sb.WriteString(", ")
			}
			sb.WriteString(c.Name)
		}
	}
	return sb.String()
}
