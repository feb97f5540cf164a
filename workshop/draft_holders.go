package workshop

// holders says for each folder how many rows of the draft put something below it. Looking
// through all rows for each new file of a large draft would take time that grows with
// their square.
type holders map[Path]int

func holdersOf(rows map[Path]row) holders {
	h := holders{}
	for p, r := range rows {
		h.count(p, r, 1)
	}
	return h
}

// count adds n for each folder above p when its row is a file or a folder.
func (h holders) count(p Path, r row, n int) {
	if r.kind != rowFile && r.kind != rowDir {
		return
	}
	for q := parent(p); q != ""; q = parent(q) {
		if h[q] += n; h[q] == 0 {
			delete(h, q)
		}
	}
}

// setRow changes a row of the draft in memory. wb.mu is held.
func (wb *Workbench) setRow(p Path, r row) {
	if old, ok := wb.rows[p]; ok {
		wb.holders.count(p, old, -1)
		wb.spellings.drop(wb.folding, p)
	}
	if r.kind == rowAbsent {
		delete(wb.rows, p)
		return
	}
	wb.rows[p] = r
	wb.holders.count(p, r, 1)
	wb.spellings.add(wb.folding, p, r)
}
