package xlsx

import (
	"context"
	"encoding/json"
	"io"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/formula"
)

// stage is a run of operations that turns one workbook into the next. Those
// that only write into places share one, since a plan holds all of them in the
// same coordinates; one that moves places has a stage to itself.
type stage struct {
	first int // index in the call of its first op
	ops   []json.RawMessage
	do    structural // nil: the ops go through a plan
}

// structural does one operation that changes places or names.
type structural func(ctx context.Context, e *structure, op Operation) error

// structurals are the operations that have a stage to themselves.
var structurals = map[string]structural{}

// structuralNames are their names, in the order of the documentation.
var structuralNames = []string{"insert_rows", "delete_rows", "insert_columns", "delete_columns",
	"rename_sheet", "copy_sheet", "move_sheet", "hide_sheet", "unhide_sheet", "hide_rows", "hide_columns",
	"clear_range", "copy_range", "fill", "sort_range", "replace_text", "define_name", "delete_name", "recalculate"}

// structure is a structural operation at work.
type structure struct {
	wb  *workbook
	ed  *opc.Edit
	opt formats.ApplyOptions
	rep formats.OpReport
}

// stagesOf splits the operations of a call; there is at least one stage.
func stagesOf(ops []json.RawMessage) []stage {
	var out []stage
	for i, raw := range ops {
		var head struct {
			Op string `json:"op"`
		}
		_ = json.Unmarshal(raw, &head) // the stage says what is wrong with it
		do := structurals[head.Op]
		if n := len(out); do == nil && n > 0 && out[n-1].do == nil && !freshStage[head.Op] {
			out[n-1].ops = append(out[n-1].ops, raw)
			continue
		}
		out = append(out, stage{first: i, ops: []json.RawMessage{raw}, do: do})
	}
	if out == nil {
		out = []stage{{}}
	}
	return out
}

// fold takes src through the stages to dst. Only the last stage writes to dst,
// and only when nothing can go wrong any more but the writing.
func fold(ctx context.Context, src formats.Source, dst io.Writer, stages []stage, fresh bool, opt formats.ApplyOptions) (formats.Report, error) {
	rep := formats.Report{Ops: []formats.OpReport{}}
	name := src.Name()
	var dropped droppedValues
	var last *spool
	defer func() {
		if last != nil {
			last.Close()
		}
	}()
	for i, st := range stages {
		wb, err := open(ctx, src)
		if err != nil {
			return formats.Report{}, err
		}
		ed := wb.pkg.Edit()
		var part formats.Report
		if st.do != nil {
			part, err = st.structure(ctx, wb, ed, opt)
			fresh = false
		} else {
			part, fresh, err = st.plan(ctx, wb, ed, fresh, opt)
		}
		if err != nil {
			return formats.Report{}, typed(err, name)
		}
		rep.Ops = append(rep.Ops, part.Ops...)
		rep.Warnings = appendNew(rep.Warnings, part.Warnings)
		if dropped.then(wb.dropped); st.calculates() {
			dropped = droppedValues{} // it said what is still without a value
		}
		if i == len(stages)-1 {
			if w := dropped.warning(); w != "" {
				rep.Warnings = appendNew(rep.Warnings, []string{w})
			}
			if err := ed.Write(ctx, dst); err != nil {
				return formats.Report{}, typed(err, name)
			}
			break
		}
		next := &spool{}
		ed.Fast()
		err = ed.Write(ctx, next)
		if last != nil {
			last.Close()
		}
		last = next
		if err != nil {
			return formats.Report{}, typed(err, name)
		}
		src = next.source(name)
	}
	return rep, nil
}

// calculates reports whether the stage is a recalculate.
func (st stage) calculates() bool {
	var head struct {
		Op string `json:"op"`
	}
	return st.do != nil && json.Unmarshal(st.ops[0], &head) == nil && head.Op == "recalculate"
}

func appendNew(list, more []string) []string {
	for _, w := range more {
		if slices.Index(list, w) < 0 && len(list) < maxWarnings {
			list = append(list, w)
		}
	}
	return list
}

// plan collects the ops of the stage and edits the parts once.
func (st stage) plan(ctx context.Context, wb *workbook, ed *opc.Edit, fresh bool, opt formats.ApplyOptions) (formats.Report, bool, error) {
	p := newPlan(wb, fresh)
	p.opt, p.typed = opt, true
	for i, raw := range st.ops {
		if err := p.run(ctx, st.first+i, raw); err != nil {
			return formats.Report{}, false, err
		}
	}
	if len(st.ops) > 0 {
		f := &finisher{plan: p, wb: wb, ed: ed, rw: &formula.Rewriter{}}
		if err := f.finish(ctx); err != nil {
			return formats.Report{}, false, err
		}
	}
	for i := range p.report.Ops {
		p.report.Ops[i].Unchanged = !ed.Changed()
	}
	return p.report, p.fresh, nil
}

// structure does the one op of the stage.
func (st stage) structure(ctx context.Context, wb *workbook, ed *opc.Edit, opt formats.ApplyOptions) (formats.Report, error) {
	op, err := decodeOp(st.ops[0])
	e := &structure{wb: wb, ed: ed, opt: opt, rep: formats.OpReport{Index: st.first, Op: op.Op, Ignored: members.Ignored(st.ops[0])}}
	if err == nil {
		err = st.do(ctx, e, op)
	}
	if err != nil {
		return formats.Report{}, formats.InOp(typed(err, wb.pkg.Source().Name()), st.first, op.Op)
	}
	e.rep.Unchanged = !ed.Changed()
	rep := formats.Report{Ops: []formats.OpReport{e.rep}}
	signed, err := wb.signed(ctx)
	if signed && ed.Changed() {
		rep.Warnings = append(rep.Warnings, signatureWarning)
	}
	return rep, err
}
