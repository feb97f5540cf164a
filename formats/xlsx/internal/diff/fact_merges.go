package diff

import (
	"context"
	"fmt"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// mergesOf are the merged blocks that elements list, in order and each once.
func mergesOf(list []sheetPart) []cellref.Range {
	var out []cellref.Range
	for _, s := range list {
		if s.local != "mergeCells" {
			continue
		}
		sheetml.EachStartTag(s.raw, func(t xmlscan.Token) bool {
			if t.Local == "mergeCell" {
				if r := cellref.ParseAttr(t.AttrLocal("ref")); !r.Empty() {
					out = append(out, r)
				}
			}
			return true
		})
	}
	slices.SortFunc(out, compareRects)
	return slices.Compact(out)
}

func compareRects(a, b cellref.Range) int {
	for _, d := range []int{a.R1 - b.R1, a.C1 - b.C1, a.R2 - b.R2, a.C2 - b.C2} {
		if d != 0 {
			return d
		}
	}
	return 0
}

// maxMerges bounds the merges that are told one by one.
const maxMerges = 300

// merges tells the blocks that were merged or are no longer, and the values that
// they cover.
func (x *bookDiff) merges(ctx context.Context, s *sheetDiff, was, now []cellref.Range) error {
	added, removed := minusRects(now, was), minusRects(was, now)
	covered, err := x.covered(ctx, s, added[:min(len(added), maxMerges)])
	if err != nil {
		return err
	}
	for i, r := range added {
		if i == maxMerges {
			x.fact(formats.Fact{Kind: formats.FactMerge, Change: formats.Added, At: s.name, New: formats.Count(len(added)-i, "more merged block")})
			break
		}
		f := formats.Fact{Kind: formats.FactMerge, Change: formats.Added, At: s.name + "!" + r.String(), New: formats.Count((r.R2-r.R1+1)*(r.C2-r.C1+1), "cell") + " merged", Revertible: true}
		if list := covered[i]; len(list) > 0 {
			what := listedValues(list)
			f.New += ", covering " + what
			f.Warning = "the merge covers " + what
		}
		x.fact(f)
	}
	for i, r := range removed {
		if i == maxMerges {
			x.fact(formats.Fact{Kind: formats.FactMerge, Change: formats.Removed, At: s.name, Old: formats.Count(len(removed)-i, "more merged block")})
			break
		}
		x.fact(formats.Fact{Kind: formats.FactMerge, Change: formats.Removed, At: s.name + "!" + r.String(), Old: formats.Count((r.R2-r.R1+1)*(r.C2-r.C1+1), "cell") + " merged", Revertible: true})
	}
	return nil
}

// minusRects are the blocks of a that are not in b; both are sorted.
func minusRects(a, b []cellref.Range) []cellref.Range {
	var out []cellref.Range
	for _, r := range a {
		if _, ok := slices.BinarySearchFunc(b, r, compareRects); !ok {
			out = append(out, r)
		}
	}
	return out
}

// covered lists the values of the new sheet that merges cover: all of a block but
// those of its first cell.
func (x *bookDiff) covered(ctx context.Context, s *sheetDiff, merges []cellref.Range) (map[int][]string, error) {
	out := map[int][]string{}
	if len(merges) == 0 || s.sheetPair.b < 0 {
		return out, nil
	}
	last := 0
	for _, r := range merges {
		last = max(last, r.R2)
	}
	err := x.b.eachRow(ctx, x.b.Sheets[s.sheetPair.b], func(row int) int {
		if row > last {
			return -1
		}
		return 1
	}, func(sc *sheetml.RowScanner, d *book.Display) error {
		c := &sc.Cell
		if c.Blank() {
			return nil
		}
		for _, i := range coveredBy(merges, c.Row, c.Col) {
			if v := x.b.seen(sc, d); !v.blank {
				out[i] = append(out[i], cellref.Name(c.Row, c.Col)+" "+book.Clip(book.OneLine(v.shown), 40))
			}
		}
		return nil
	})
	return out, err
}

// coveredBy lists the merges, in order of their first rows, that cover a cell.
func coveredBy(merges []cellref.Range, row, col int) (out []int) {
	for i, r := range merges {
		if r.R1 > row {
			break
		}
		if r.Has(row, col) && (row != r.R1 || col != r.C1) {
			out = append(out, i)
		}
	}
	return out
}

func listedValues(list []string) string {
	const most = 6
	s := ""
	for i, v := range list {
		if i == most {
			return s + fmt.Sprintf(" and %s", formats.Count(len(list)-most, "more value"))
		}
		if i > 0 {
			s += ", "
		}
		s += v
	}
	return s
}
