package xlsx

// skippable reports whether the cells of the row that begins stay as they are, but for
// texts that are replaced and values that go.
func (p *splicer) skippable() bool {
	e := p.e
	if len(p.cur) > 0 || p.moved != nil || e.styles != nil || e.rewrite != nil || e.results != nil || e.refs != nil || e.allStale || len(e.expand) > 0 {
		return false
	}
	return !p.edited && !e.stale.HasRow(p.s.Row) || e.ordered
}

// aim leads the pass from a column of a row that it may skip through to the next cell
// that can change, or to the end of the row.
func (p *splicer) aim(from int) {
	if !p.skips {
		return
	}
	row := p.s.Row
	for _, col := range p.passed {
		if col > from && (p.e.stale.Has(row, col) || p.e.texts.has(row, col)) {
			p.s.SkipTo(col)
			return
		}
	}
	p.s.RestOfRow()
}
