package diff

import (
	"strings"

	"atelier/formats/xlsx/internal/formula"
)

// maxFollowed bounds the insertions and deletions that references are followed
// through; with more of them, what refers to cells that moved counts as changed.
const maxFollowed = 100

// followers are what makes the old workbook's references those of the new one:
// sheets that were renamed, rows and columns that came or went.
func (x *bookDiff) makeFollowers(sheets []*sheetDiff) {
	names := map[string]string{}
	var order []string
	for _, s := range sheets {
		if s.sheetPair.a >= 0 && s.sheetPair.b >= 0 {
			if was := x.a.Sheets[s.sheetPair.a].Name; was != s.name {
				names[strings.ToLower(was)] = s.name
			}
		}
		order = append(order, strings.ToLower(s.name))
	}
	if len(names) > 0 {
		x.renamed = names
		x.followers = append(x.followers, &formula.Rewriter{Names: names, Order: order})
	}
	n := 0
	for _, s := range sheets {
		n += len(s.rows.shifts) + len(s.cols.shifts)
	}
	if n > maxFollowed {
		return
	}
	for _, s := range sheets {
		for _, m := range []*lineMap{s.rows, s.cols} {
			for i := range m.shifts {
				x.followers = append(x.followers, &formula.Rewriter{Sheet: strings.ToLower(s.name), Shift: &m.shifts[i], Order: order})
			}
		}
	}
}

// follow is an old formula of a sheet as it would read now.
func (x *bookDiff) follow(f, sheet string) string {
	was := f
	for _, fo := range x.followers {
		f, _ = fo.Text(f, formula.Place{Sheet: strings.ToLower(sheet)})
	}
	if broke(was, f) {
		return was
	}
	return f
}

// broke reports whether a formula lost what it refers to, which is to be told.
func broke(was, now string) bool {
	return strings.Count(now, "#REF!") > strings.Count(was, "#REF!")
}

// followName is the same of a defined name.
func (x *bookDiff) followName(f, sheet string) string {
	was := f
	for _, fo := range x.followers {
		f, _ = fo.Text(f, formula.Place{Sheet: strings.ToLower(sheet), Keep: true})
	}
	if broke(was, f) {
		return was
	}
	return f
}
