package xlsx

import (
	"context"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// filterName is the hidden name Excel keeps beside a sheet's filter.
const filterName = "_xlnm._FilterDatabase"

// sheetFilter is what the hidden name of a sheet's filter refers to, "" for a
// filter that goes.
type sheetFilter struct {
	sheet *planSheet
	text  string
}

type autofilterArgs struct {
	rangeArgs
	removeArgs
}

func (p *plan) autoFilter(_ context.Context, op autofilterArgs) (int, error) {
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	var area cellref.Range
	if op.Range != "" {
		if area, err = cellref.ParseRange(op.Range); err != nil {
			return 0, err
		}
	} else if !op.Remove {
		return 0, formats.Errorf(formats.CodeInvalid, "range is required, for example A1:D20; or give remove:true")
	}
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
		if op.Remove {
			return w.removeFilter()
		}
		return w.filter(ctx, area)
	})
	return 0, nil
}

func (w *sheetWork) removeFilter() error {
	t, end, ok := w.child("autoFilter")
	if !ok {
		w.rep.Warnings = append(w.rep.Warnings, "the sheet has no filter of its own")
		return nil
	}
	w.warnCriteria(t)
	w.rep.Hits = 1
	w.edit(xmlscan.Splice{Start: t.Start, End: end})
	w.f.filters = append(w.f.filters, sheetFilter{sheet: w.sheet})
	return nil
}

// warnCriteria tells of rows that an old filter hides: they stay hidden.
func (w *sheetWork) warnCriteria(t xmlscan.Token) {
	if !t.Empty {
		w.rep.Warnings = append(w.rep.Warnings, "the filter had criteria; rows it had hidden stay hidden")
	}
}

// filter sets the sheet's filter (18.3.1.2).
func (w *sheetWork) filter(ctx context.Context, area cellref.Range) error {
	tabs, err := w.tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tabs {
		if t.Ref.Meets(area) {
			return formats.Errorf(formats.CodeInvalid, "%s overlaps the table %s (%s), which has a filter of its own", area, t.Name, t.Ref)
		}
	}
	if area.R2 == cellref.MaxRow {
		// A whole column means what it holds.
		used := cellref.Range{}
		if err := w.each(ctx, area, func(at cellref.Cell, _ cellView) error { used.Add(at.Row, at.Col); return nil }); err != nil {
			return err
		}
		if used.Empty() {
			return formats.Errorf(formats.CodeInvalid, "%s is empty; a filter needs a header row and values", cellref.ColumnName(area.C1)+":"+cellref.ColumnName(area.C2))
		}
		area.R1, area.R2 = used.R1, used.R2
	}
	xml := "<" + w.prefix + `autoFilter ref="` + area.String() + `"/>`
	if t, end, ok := w.child("autoFilter"); ok {
		if cellref.ParseAttr(t.AttrLocal("ref")) == area {
			w.rep.Warnings = append(w.rep.Warnings, area.String()+" has this filter already")
			return nil
		}
		w.warnCriteria(t)
		w.edit(xmlscan.Splice{Start: t.Start, End: end, New: []byte(xml)})
	} else {
		w.insert("autoFilter", xml)
	}
	w.rep.Hits, w.rep.Made = 1, w.sheet.name+"!"+area.String()
	abs := absolute(area)
	w.f.filters = append(w.f.filters, sheetFilter{w.sheet, formula.QuoteSheet(w.sheet.name) + "!" + abs})
	return nil
}

// absolute writes a block as $A$1:$C$3.
func absolute(r cellref.Range) string {
	one := func(row, col int) string { return "$" + cellref.ColumnName(col) + "$" + strconv.Itoa(row) }
	if r.R1 == r.R2 && r.C1 == r.C2 {
		return one(r.R1, r.C1)
	}
	return one(r.R1, r.C1) + ":" + one(r.R2, r.C2)
}
