package tablequery

import (
	"context"
	"errors"
	"slices"
	"strings"

	"atelier/formats"
	columns "atelier/formats/tablequery/internal/column"
	"atelier/formats/tablequery/internal/image"
	"atelier/formats/tablequery/internal/lite"
)

// partFrom is the size of a text file from which the first question loads only the
// columns that it reads. Reading a workbook again for the next question costs more than
// its other columns.
const partFrom = 1 << 20

// loadedFor returns a database in which the table has at least the columns that the
// question reads. The first question about a large text file loads those alone where they
// are at most half of the table, the first that needs others loads all. A question that
// columns can answer loads nothing else; whole: they could not.
func (s *Store) loadedFor(ctx context.Context, ref Ref, sql string, whole bool) (*database, *tableShape, error) {
	e, err := s.described(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	defer s.release(e)
	if e.db == nil && ref.Source.Size() >= partFrom && formats.KindOfName(ref.Source.Name()) != formats.KindXlsx {
		if only := e.columnsOf(ctx, ref, sql); only != nil {
			plain := !whole && e.plain(ref, sql)
			if e.part == nil || e.part.bare && !plain {
				if e.part, err = e.loadPart(ctx, ref, only, plain); err != nil {
					return nil, nil, err
				}
				s.keep(ctx, e)
			}
			if e.part.holds(only) {
				return e.part, e.tableShape, nil
			}
		}
	}
	err = s.loadAll(ctx, ref, e)
	return e.db, e.tableShape, err
}

// plain reports whether columns can probably answer a question, without SQLite.
func (s *tableShape) plain(ref Ref, sql string) bool {
	plan, ok := columns.Parse(sql, s.names(), callNames(ref, s))
	return ok && !plan.Derives()
}

// loadPart loads some columns of the table, of a plain question without an image.
func (s *tableShape) loadPart(ctx context.Context, ref Ref, only []bool, plain bool) (*database, error) {
	if plain {
		if db, err := s.loadColumns(ctx, ref, only); db != nil || err != nil {
			return db, err
		}
	}
	return loadTable(ctx, ref, s, only)
}

// errMoreRows says that a file has more rows now than when it was described.
var errMoreRows = errors.New("there are more rows than before")

// loadColumns loads some columns of the table alone; nil where they are too large.
func (s *tableShape) loadColumns(ctx context.Context, ref Ref, only []bool) (*database, error) {
	b := columns.NewBuilder(s.kinds(), only, s.info.RowCount)
	none := s.without()
	if b == nil || none == nil {
		return nil, nil
	}
	longest := 0 // as loadTable counts it
	err := s.eachRow(ctx, ref, func(cells []cell) error {
		size := 0
		for i := range cells {
			size += len(cells[i].b)
		}
		longest = max(longest, size)
		for i := range s.cols {
			if only[i] {
				b.Column(i)
				putValue(b, cells, &s.cols[i])
			}
		}
		if !b.End() {
			return errMoreRows
		}
		return nil
	})
	if errors.Is(err, errMoreRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &database{none, longest, b.Table(), only, true}, nil
}

// without returns the table without rows, nil where that cannot be.
func (s *tableShape) without() *lite.Database {
	img, err := image.New(s.imageColumns(), 1<<12, MaxTable).Finish()
	if err != nil {
		return nil
	}
	none, err := lite.NewDatabase(img, nil)
	if err != nil {
		return nil
	}
	return none
}

// holds says whether the table has the values of these columns.
func (db *database) holds(only []bool) bool {
	for i, wanted := range only {
		if wanted && !db.only[i] {
			return false
		}
	}
	return true
}

// columnsOf returns which columns a question reads or names, as SQLite compiles it for a
// table with the same columns and no rows; nil where they are more than half, or where
// SQLite does not compile it: what is wrong is told when it is asked.
func (s *tableShape) columnsOf(ctx context.Context, ref Ref, sql string) []bool {
	none := s.without()
	if none == nil {
		return nil
	}
	c, err := lite.Open()
	if err != nil {
		return nil
	}
	defer c.Close()
	if c.Load("main", none) != nil || nameTable(c, ref, s, "main", map[string]bool{"data": true}) != nil || c.Lock(0) != nil {
		return nil
	}
	places, names, ok := c.Reads(ctx, sql)
	if !ok {
		return nil
	}
	only := make([]bool, len(s.cols))
	for i := range s.cols {
		only[i] = places[i] || names[strings.ToLower(s.cols[i].Name)]
	}
	if read := len(slices.DeleteFunc(slices.Clone(only), func(b bool) bool { return !b })); 2*read > len(only) {
		return nil
	}
	return only
}
