package xlsx

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
)

// Apply writes an edited copy of src, or a new workbook when src is nil; see
// operations for what it can do. Everything that could fail is found before the
// first byte is written.
func (editor) Apply(ctx context.Context, src formats.Source, dst io.Writer, ops []json.RawMessage, opt formats.ApplyOptions) (formats.Report, error) {
	fresh := src == nil
	if fresh {
		b, err := newWorkbook(ctx)
		if err != nil {
			return formats.Report{}, err
		}
		src = formats.FromBytes("new.xlsx", b)
	}
	e := &edit{src: src, orig: src, name: src.Name(), fresh: fresh, opt: opt, made: namesMade(ops), rep: formats.Report{Ops: []formats.OpReport{}}}
	defer e.close()
	for i, raw := range ops {
		if err := e.apply(ctx, i, raw); err != nil {
			return formats.Report{}, err
		}
	}
	if err := e.write(ctx, dst); err != nil {
		return formats.Report{}, book.Typed(err, e.name)
	}
	return e.rep, nil
}

// edit is one Apply at work. Operations that only write into places share a
// pass, since their plan holds all of them in the same coordinates; any other
// begins a new pass, which reads what the passes before it wrote.
type edit struct {
	src     formats.Source // what the next pass reads
	orig    formats.Source // what was to be edited
	name    string
	fresh   bool // a new workbook whose only sheet has no name of the caller yet
	opt     formats.ApplyOptions
	rep     formats.Report
	op      formats.OpReport // of the present operation
	dropped droppedValues
	former  *formerValues     // values that passes removed; nil unless they are wanted
	due     bool              // a pass left formulas without a value
	stale   map[string]string // pivot tables whose source was changed since they were calculated, by part
	passes  int               // that began
	made    map[string]bool   // names that the operations make, in lower case
	spool   *spool            // src, where a pass wrote it
	pass    *pass             // the present one; nil before the first operation
}

// pass is one way through the parts of a workbook.
type pass struct {
	wb         *workbook
	ed         *opc.Edit
	plan       *plan // of the operations that share the pass; nil for an operation alone
	rep        *formats.Report
	calculated bool // the operation told which formulas still have no value
	changed    bool // an earlier pass of the same operation changed something
}

// passError is an error of reading or finishing a pass, which the present
// operation did not cause.
type passError struct{ error }

func (e passError) Unwrap() error { return e.error }

// apply takes one operation.
func (e *edit) apply(ctx context.Context, index int, raw json.RawMessage) error {
	op, err := operations.Decode(raw)
	e.op = formats.OpReport{Index: index, Op: op.Name, Ignored: op.Ignored}
	if err == nil {
		err = op.Run(ctx, e)
	}
	if _, ok := errors.AsType[passError](err); ok {
		return book.Typed(err, e.name)
	}
	if err != nil {
		return formats.InOp(book.Typed(err, e.name), index, op.Name)
	}
	e.pass.rep.Ops = append(e.pass.rep.Ops, e.op)
	return nil
}

// planned returns the plan that the present operation goes into: that of the
// present pass, unless anew asks for another one.
func (e *edit) planned(ctx context.Context, anew bool) (*plan, error) {
	if e.pass != nil && e.pass.plan != nil && !anew {
		return e.pass.plan, nil
	}
	if err := e.begin(ctx); err != nil {
		return nil, err
	}
	p := newPlan(e.pass.wb, e.fresh)
	p.opt, p.typed, p.made = e.opt, true, e.made
	e.pass.plan, e.pass.rep = p, &p.report
	return p, nil
}

// begin ends the present pass and opens the workbook for the next one.
func (e *edit) begin(ctx context.Context) error {
	if e.pass != nil {
		if err := e.spoolPass(ctx); err != nil {
			return passError{err}
		}
	}
	wb, err := open(ctx, e.src)
	if err != nil {
		return passError{err}
	}
	if e.opt.Calculate {
		if e.former == nil {
			e.former = &formerValues{}
		}
		wb.former = e.former
	}
	e.passes++
	e.pass = &pass{wb: wb, ed: wb.Package.Edit(), rep: &formats.Report{}}
	return nil
}

// spoolPass ends the present pass and makes what it wrote the source.
func (e *edit) spoolPass(ctx context.Context) error {
	if err := e.finish(ctx); err != nil {
		return err
	}
	return e.spoolOut(ctx)
}

// spoolOut makes what the present pass wrote the source.
func (e *edit) spoolOut(ctx context.Context) error {
	next := &spool{}
	e.pass.ed.Fast()
	return e.spoolInto(ctx, next)
}

// spoolPlain is spoolOut for the calculation, which writes most of what it reads again: up
// to a size, changed parts are not deflated. It returns their names.
func (e *edit) spoolPlain(ctx context.Context) (plain []string, err error) {
	e.pass.ed.Fast()
	plain = e.pass.ed.StorePlain(maxPlain)
	next, size := &spool{}, int64(0)
	for _, name := range plain {
		size += e.pass.wb.Package.Size(name)
	}
	if size > maxSpool/2 {
		next.most = maxPlainSpool
	}
	return plain, e.spoolInto(ctx, next)
}

func (e *edit) spoolInto(ctx context.Context, next *spool) error {
	err := e.pass.ed.Write(ctx, next)
	e.close()
	e.spool = next
	if err == nil {
		e.src = next.source(e.name)
	}
	return err
}

// write ends the last pass and writes the workbook.
func (e *edit) write(ctx context.Context, dst io.Writer) error {
	if e.pass == nil { // there are no operations
		if _, err := e.planned(ctx, false); err != nil {
			return err
		}
	}
	if err := e.finish(ctx); err != nil {
		return err
	}
	if e.due && e.opt.Calculate {
		if err := e.calculateAfter(ctx); err != nil {
			return err
		}
	}
	if w := e.stalePivots(); w != "" {
		e.rep.Warnings = appendNew(e.rep.Warnings, []string{w})
	}
	if w := e.dropped.warning(); w != "" {
		e.rep.Warnings = appendNew(e.rep.Warnings, []string{w})
	}
	changed := slices.ContainsFunc(e.rep.Ops, func(o formats.OpReport) bool { return !o.Unchanged })
	if e.opt.Calculate && changed {
		if err := e.chartsFollow(ctx, e.orig); err != nil {
			return err
		}
	}
	return e.pass.ed.Write(ctx, dst)
}

// finish makes the changes of the present pass, all but writing them.
func (e *edit) finish(ctx context.Context) error {
	p := e.pass
	e.fresh = false
	if p.plan != nil {
		if len(p.plan.report.Ops) > 0 {
			f := &finisher{plan: p.plan, wb: p.wb, ed: p.ed, rw: &formula.Rewriter{}}
			if err := f.finish(ctx); err != nil {
				return err
			}
		}
		e.fresh = p.plan.fresh
	}
	for i := range p.rep.Ops {
		p.rep.Ops[i].Unchanged = !p.ed.Changed() && !p.changed
	}
	e.rep.Ops = append(e.rep.Ops, p.rep.Ops...)
	e.rep.Warnings = appendNew(e.rep.Warnings, p.rep.Warnings)
	signed, err := p.wb.signed(ctx)
	if signed && p.ed.Changed() {
		e.rep.Warnings = appendNew(e.rep.Warnings, []string{signatureWarning})
	}
	e.due = e.due || p.wb.due
	e.notePivots(p.wb)
	if e.dropped.then(p.wb.dropped); p.calculated {
		e.dropped, e.due = droppedValues{}, false
	}
	return err
}

// close removes the copy that the last pass but one wrote, and the files of the pass that
// was written.
func (e *edit) close() {
	if e.pass != nil {
		for _, c := range e.pass.wb.temporary {
			c.Close()
		}
		e.pass.wb.temporary = nil
	}
	if e.spool != nil {
		e.spool.Close()
	}
}

func appendNew(list, more []string) []string {
	for _, w := range more {
		if slices.Index(list, w) < 0 && len(list) < maxWarnings {
			list = append(list, w)
		}
	}
	return list
}

// intoPlan runs an operation that goes into the plan.
func intoPlan[A any](ctx context.Context, e *edit, anew bool, args A, do func(p *plan, ctx context.Context, args A) (int, error)) error {
	p, err := e.planned(ctx, anew)
	if err != nil {
		return err
	}
	p.at = e.op
	e.op.Cells, err = do(p, ctx, args)
	e.op.Notes, e.op.Warnings, e.op.Ignored = p.at.Notes, p.at.Warnings, p.at.Ignored
	return err
}

// structure is an operation that has a pass to itself.
type structure struct {
	wb         *workbook
	ed         *opc.Edit
	opt        formats.ApplyOptions
	rep        formats.OpReport
	calculated bool // see pass
}

// runAlone runs an operation that has a pass to itself.
func runAlone[A any](ctx context.Context, e *edit, args A, do func(ctx context.Context, s *structure, args A) error) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	if e.former != nil && e.former.n > 0 { // the operation may move their cells
		*e.former = formerValues{lost: true}
	}
	s := &structure{wb: e.pass.wb, ed: e.pass.ed, opt: e.opt, rep: e.op}
	err := do(ctx, s, args)
	e.op, e.pass.calculated = s.rep, s.calculated
	return err
}
