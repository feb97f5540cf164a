package tablequery

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/tablequery/internal/image"
	"atelier/formats/tablequery/internal/lite"
)

// partFrom is the size of a text file from which the first question loads only the
// columns that it reads. Reading a workbook again for the next question costs more than
// its other columns.
const partFrom = 1 << 20

// loadedFor returns a database in which the table has at least the columns that the
// question reads. The first question about a large text file loads those alone where they
// are at most half of the table, the first that needs others loads all.
func (s *Store) loadedFor(ctx context.Context, ref Ref, sql string) (*database, *tableShape, error) {
	e, err := s.described(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	defer s.release(e)
	if e.db == nil && ref.Source.Size() >= partFrom && formats.KindOfName(ref.Source.Name()) != formats.KindXlsx {
		if only := e.columnsOf(ctx, ref, sql); only != nil {
			if e.part == nil {
				if e.part, err = loadTable(ctx, ref, e.tableShape, only); err != nil {
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
	img, err := image.New(s.imageColumns(), 1<<12, MaxTable).Finish()
	if err != nil {
		return nil
	}
	none, err := lite.NewDatabase(img, nil)
	if err != nil {
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
