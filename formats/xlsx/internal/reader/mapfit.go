package reader

import (
	"encoding/json"

	"atelier/formats"
)

// fit makes the map small enough: each step gives up what matters less than
// what is left, and counts it.
func (m *Map) fit(opt formats.MapOptions) {
	m.limit(regionsShown(opt), headersShown(opt))
	if opt.Sheet == "" && !opt.Detail {
		for i := range m.Sheets {
			m.Sheets[i].dropDetails(0)
		}
	}
	m.namesTo(len(m.Names) / 2 * 2) // an even number halves well
	for _, step := range []func(){
		func() { m.limit(20, 24) },
		func() { m.details(20) },
		func() { m.limit(8, 12) },
		func() { m.details(5) },
		func() { m.namesTo(len(m.Names) / 2) },
		func() { m.limit(3, 8) },
		func() { m.details(0) },
		func() { m.namesTo(len(m.Names) / 4) },
		func() { m.limit(2, 0) },
		func() { m.limit(0, 0) },
		func() { m.namesTo(0) },
		func() { m.tablesTo(10) },
		func() { m.tablesTo(0) },
	} {
		if m.Size() <= formats.MaxMap {
			break
		}
		m.Note = "map one sheet (sheet=NAME) for more about it"
		step()
	}
	m.sheetsToFit()
	if m.SheetsOmitted == 0 && opt.Sheet != "" && m.Note != "" {
		m.Note = "not all of this sheet fits; read it by range"
	}
}

func regionsShown(opt formats.MapOptions) int {
	if opt.Sheet != "" || opt.Detail {
		return 60
	}
	return 6
}

func headersShown(opt formats.MapOptions) int {
	if opt.Sheet != "" || opt.Detail {
		return 100
	}
	return 20
}

// limit keeps the first regions of each sheet and the first headers of each.
func (m *Map) limit(regions, headers int) {
	for i := range m.Sheets {
		s := &m.Sheets[i]
		if n := len(s.Regions); n > regions {
			s.RegionsOmitted += n - regions
			s.Regions = s.Regions[:regions]
		}
		for j := range s.Regions {
			r := &s.Regions[j]
			r.Headers, r.HeadersOmitted = cutHeaders(r.Headers, r.HeadersOmitted, headers)
		}
		for j := range s.Tables {
			t := &s.Tables[j]
			t.Headers, t.HeadersOmitted = cutHeaders(t.Headers, t.HeadersOmitted, headers)
		}
	}
}

func cutHeaders(h []string, omitted, keep int) ([]string, int) {
	if len(h) <= keep {
		return h, omitted
	}
	return h[:keep], omitted + len(h) - keep
}

func (m *Map) details(keep int) {
	for i := range m.Sheets {
		m.Sheets[i].DetailsCut = m.Sheets[i].dropDetails(keep) || m.Sheets[i].DetailsCut
	}
}

// dropDetails keeps the first of each list whose count stands beside it.
func (s *SheetMap) dropDetails(keep int) (cut bool) {
	cut = len(s.Charts) > keep || len(s.Pivots) > keep || len(s.Merged) > keep || len(s.HiddenAt) > keep || len(s.Groups) > keep
	s.Charts = s.Charts[:min(keep, len(s.Charts))]
	s.Pivots = s.Pivots[:min(keep, len(s.Pivots))]
	s.Merged = s.Merged[:min(keep, len(s.Merged))]
	s.HiddenAt = s.HiddenAt[:min(keep, len(s.HiddenAt))]
	s.Groups = s.Groups[:min(keep, len(s.Groups))]
	return cut
}

func (m *Map) namesTo(keep int) {
	if len(m.Names) > keep && m.Size() > formats.MaxMap {
		m.NamesOmitted += len(m.Names) - keep
		m.Names = m.Names[:keep]
	}
}

func (m *Map) tablesTo(keep int) {
	for i := range m.Sheets {
		if s := &m.Sheets[i]; len(s.Tables) > keep {
			s.TablesOmitted += len(s.Tables) - keep
			s.Tables = s.Tables[:keep]
		}
	}
}

// sheetsToFit drops the last sheets: their names can be had with a read.
func (m *Map) sheetsToFit() {
	all := len(m.Sheets)
	for m.Size() > formats.MaxMap && len(m.Sheets) > 1 {
		m.Sheets = m.Sheets[:len(m.Sheets)-max(1, len(m.Sheets)/16)]
		m.SheetsOmitted, m.SheetCount = all-len(m.Sheets), all
	}
}

// Size is the length of the map as JSON.
func (m *Map) Size() int {
	b, err := json.Marshal(m)
	if err != nil {
		return 0
	}
	return len(b)
}
