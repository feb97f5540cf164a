package xlsx

import (
	"slices"
	"sort"
)

// hiddenRun is a run of rows to hide or to show.
type hiddenRun struct {
	from, to int
	hide     bool
}

// hiddenRuns are runs of rows to hide or to show, in order, none over another.
type hiddenRuns []hiddenRun

// at reports whether a row is to hide, and whether it is in a run at all.
func (h hiddenRuns) at(row int) (hide, in bool) {
	i := sort.Search(len(h), func(i int) bool { return h[i].to >= row })
	if i == len(h) || h[i].from > row {
		return false, false
	}
	return h[i].hide, true
}

// set puts a run over those there are.
func (h hiddenRuns) set(run hiddenRun) hiddenRuns {
	first := sort.Search(len(h), func(i int) bool { return h[i].to >= run.from })
	last := sort.Search(len(h), func(i int) bool { return h[i].from > run.to })
	var parts hiddenRuns
	if first < last {
		if before := h[first]; before.from < run.from {
			before.to = run.from - 1
			parts = append(parts, before)
		}
	}
	parts = append(parts, run)
	if first < last {
		if behind := h[last-1]; behind.to > run.to {
			behind.from = run.to + 1
			parts = append(parts, behind)
		}
	}
	return slices.Replace(h, first, last, parts...)
}

// add puts a row behind the others.
func (h hiddenRuns) add(row int, hide bool) hiddenRuns {
	if n := len(h) - 1; n >= 0 && h[n].hide == hide && h[n].to == row-1 {
		h[n].to = row
		return h
	}
	return append(h, hiddenRun{row, row, hide})
}

// rows lists the rows to hide, which are made where the file lacks them.
func (h hiddenRuns) rows() []int {
	n := 0
	for _, run := range h {
		if run.hide {
			n += run.to - run.from + 1
		}
	}
	out := make([]int, 0, n)
	for _, run := range h {
		for r := run.from; run.hide && r <= run.to; r++ {
			out = append(out, r)
		}
	}
	return out
}

// hiddenAttr is the attribute of a row that hides it (18.3.1.73).
func hiddenAttr(hide bool) string {
	if hide {
		return ` hidden="1"`
	}
	return ""
}
