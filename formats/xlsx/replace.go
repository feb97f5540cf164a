package xlsx

import (
	"context"
	"fmt"
	"io"
	"strings"

	"atelier/formats"
	"atelier/formats/xmlscan"
)

// Replace writes a copy of src with the named segments replaced. Table column
// names follow their header cells; where two translations would be equal in
// one table the later one gets a number, as Excel does it. Formulas that may
// depend on a changed cell are calculated anew on load.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, _ formats.ReplaceOptions) error {
	wb, err := open(ctx, src)
	if err != nil {
		return err
	}
	ed := wb.pkg.Edit()
	if len(targets) > 0 {
		c, err := wb.collect(ctx)
		if err != nil {
			return typed(err, src.Name())
		}
		r := &replacer{collector: c, runs: map[*unit][]run{}}
		if err := r.take(targets); err != nil {
			return err
		}
		f := &finisher{plan: newPlan(wb, false), wb: wb, ed: ed, rw: &rewriter{}}
		if err := r.write(ctx, f); err != nil {
			return typed(err, src.Name())
		}
	}
	return typed(ed.Write(ctx, dst), src.Name())
}

type replacer struct {
	*collector
	runs map[*unit][]run // of the units that change
}

// take checks all targets before anything is written.
func (r *replacer) take(targets map[string]string) error {
	byID := make(map[string]*unit, len(r.units))
	for _, u := range r.units {
		byID[u.seg.ID] = u
	}
	for id, target := range targets {
		u := byID[id]
		if u == nil {
			return formats.Errorf(formats.CodeInvalid, "there is no segment %s", quoteArg(id))
		}
		if target == u.seg.Text {
			continue
		}
		runs, err := u.runsFor(target)
		if err != nil {
			return err
		}
		if len(r.headers[u]) > 0 && strings.TrimSpace(plainOf(runs)) == "" {
			return formats.Errorf(formats.CodeInvalid, "segment %s: the header of a table must not be empty", id)
		}
		r.runs[u] = runs
	}
	r.distinctHeaders()
	return nil
}

// distinctHeaders numbers translated column names that would be equal.
func (r *replacer) distinctHeaders() {
	byTable := map[*table]map[int]*unit{}
	for u, uses := range r.headers {
		if r.runs[u] == nil {
			continue
		}
		for _, h := range uses {
			if byTable[h.table] == nil {
				byTable[h.table] = map[int]*unit{}
			}
			byTable[h.table][h.column] = u
		}
	}
	for _, tables := range r.tables {
		for _, t := range tables {
			r.distinct(t, byTable[t])
		}
	}
}

// distinct makes the new names of a table's columns differ.
func (r *replacer) distinct(t *table, renamed map[int]*unit) {
	if len(renamed) == 0 {
		return
	}
	taken := map[string]bool{}
	for i, c := range t.columns {
		if renamed[i] == nil {
			taken[strings.ToLower(c.name)] = true
		}
	}
	for i := range t.columns {
		u := renamed[i]
		if u == nil {
			continue
		}
		name := plainOf(r.runs[u])
		for n := 2; taken[strings.ToLower(plainOf(r.runs[u]))]; n++ {
			r.runs[u] = []run{{text: fmt.Sprintf("%s%d", name, n)}}
		}
		taken[strings.ToLower(plainOf(r.runs[u]))] = true
	}
}

// write hands the changes to the finisher.
func (r *replacer) write(ctx context.Context, f *finisher) error {
	if len(r.runs) == 0 {
		return nil
	}
	f.strs, f.strText = map[int]bool{}, map[int]string{}
	splices := map[string][]xmlscan.Splice{}
	for u, runs := range r.runs {
		switch {
		case u.hf != "":
			s := f.sheets[u.sheet]
			if s.hf == nil {
				s.hf = map[string]string{}
			}
			s.hf[u.hf] = headerString(runs)
		case u.sst >= 0:
			f.strs[u.sst], f.strText[u.sst] = true, plainOf(runs)
			sp := r.strings.items[u.sst]
			splices[r.strings.part] = append(splices[r.strings.part], xmlscan.Splice{Start: sp.start, End: sp.end, New: []byte(u.rst.xml(runs))})
		case u.sheet >= 0:
			f.sheets[u.sheet].set(u.at, value{valRich, u.rst.xml(runs)})
		case u.plain:
			splices[u.part] = append(splices[u.part], xmlscan.Splice{Start: u.span.start, End: u.span.end, New: []byte(xmlscan.Escape(plainOf(runs)))})
		case u.paraP != "" || u.rst.runs == nil:
			splices[u.part] = append(splices[u.part], xmlscan.Splice{Start: u.span.start, End: u.span.end, New: []byte(u.paragraphXML(runs))})
		default:
			splices[u.part] = append(splices[u.part], xmlscan.Splice{Start: u.span.start, End: u.span.end, New: []byte(u.rst.xml(runs))})
		}
	}
	for part, edits := range splices {
		doc, err := f.wb.pkg.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		f.ed.Set(part, xmlscan.Apply(doc, edits))
	}
	return f.finish(ctx)
}
