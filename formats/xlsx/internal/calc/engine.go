package calc

import (
	"context"
	"math/rand/v2"
	"time"

	"atelier/formats/xlsx/internal/numfmt"
)

// Options say what a calculation may take for granted.
type Options struct {
	// Language is that of the program the workbook is for, such as "en-US", or several
	// separated by "|" of which it is one; "" when it is not known.
	Language string
	// Otherwise is the language where Language is "" and the values of the workbook show
	// none, or several that it is among.
	Otherwise string
	Now       time.Time // what NOW and TODAY return; zero: they are not known
	// Random is where RAND and its like draw; nil: they have no value. See NewRandom.
	Random *rand.Rand
}

// Evaluator calculates the formulas of a workbook. Not for use by several
// goroutines at once.
type Evaluator struct {
	ctx        context.Context
	book       *Book
	opts       Options
	at         Place // the formula being calculated
	array      bool  // it takes all values of ranges
	forced     bool  // only because it is the argument of a function that does
	env        *env
	steps      int
	nextCheck  int
	own        int // steps of the formula being calculated, as of nextCheck
	live       int // values of arrays of the formulas being calculated
	bytes      int // of texts that they made
	calls      int // LAMBDAs being calculated
	depth      int // parts of formulas being calculated
	stack      []activeCell
	rerooted   bool // a reroot panic is on its way
	indexes    map[columnKey]*columnIndex
	indexed    int              // values in them
	running    running          // totals of ranges that others begin with
	blank      func(Place) bool // see Request
	random     map[Place]bool   // formulas that drew a random value
	locale     *numfmt.Locale   // nil: not known
	locales    []*numfmt.Locale // that it may be
	touched    bool             // the formula asked for it
	tables     map[int32]bool   // numbers of data tables that are due
	watch      func(Place)      // is told of cells of an iteration that are read
	tableSteps int              // that tables took
	onlyStored bool             // formulas without a value are not calculated
	inTable    bool             // a data table is being calculated
	calculated []*cell          // then: the cells calculated for it
}

// activeCell is a formula that is being calculated.
type activeCell struct {
	at   Place
	cell *cell
}

// NewEvaluator returns an Evaluator that ends with ctx.
func NewEvaluator(ctx context.Context, b *Book, opts Options) *Evaluator {
	e := &Evaluator{ctx: ctx, book: b, opts: opts}
	e.setLanguages(opts.Language)
	return e
}

// reroot is the panic with which too many formulas that wait for each other start
// anew from one in their middle. So a chain of any length needs little stack.
type reroot struct{ from activeCell }

// Value returns the value of a cell, which it calculates with all it reads where
// they are due. The error is that of the context.
func (e *Evaluator) Value(at Place) (v Value, err error) {
	c := e.book.find(at)
	if c == nil {
		return Value{}, nil
	}
	work := []activeCell{{at, c}}
	for len(work) > 0 {
		top := work[len(work)-1]
		next, err := e.attempt(top)
		if err != nil {
			return Value{}, err
		}
		if next == nil {
			if work = work[:len(work)-1]; len(work) > 0 {
				work[len(work)-1].cell.state = due
			}
			continue
		}
		top.cell.state = waiting
		work = append(work, *next)
	}
	return e.book.load(c), nil
}

// attempt calculates a cell. It returns another one that has to be calculated
// first, or the error of the context.
func (e *Evaluator) attempt(a activeCell) (next *activeCell, err error) {
	defer func() {
		e.stack, e.rerooted = e.stack[:0], false
		switch r := recover().(type) {
		case nil:
		case reroot:
			next = &r.from
		case cancelled:
			err = e.ctx.Err()
		case stopped:
		default:
			panic(r)
		}
	}()
	e.live, e.bytes, e.calls, e.depth = 0, 0, 0, 0
	e.cellValue(a.at, a.cell)
	return nil, nil
}

// Cell returns the value of a cell. A value that is not known ends the formula
// that reads it.
func (e *Evaluator) Cell(at Place) Value {
	c := e.book.find(at)
	if c == nil {
		return Value{}
	}
	return e.cellValue(at, c)
}

func (e *Evaluator) cellValue(at Place, c *cell) Value {
	switch c.state {
	case due:
		if e.onlyStored {
			e.stop(ReasonNoValue, "it reads %s, which has no value", e.book.placeName(at))
		}
		e.calculate(activeCell{at, c})
	case iterated:
		if e.watch != nil {
			e.watch(at)
		}
	case active, waiting:
		e.stop(ReasonCircular, "it reads itself through %s", e.book.placeName(at))
	}
	if c.kind == Unknown {
		panic(stopped{e.book.load(c).Reason()})
	}
	return e.book.load(c)
}

// calculate calculates the formula of a cell and stores its value.
func (e *Evaluator) calculate(a activeCell) {
	f := e.book.formulas[a.cell.formula-1]
	if f.table != nil {
		e.pendTable(a)
		return
	}
	if f.array && (a.at.Row != f.block.R1 || a.at.Col != f.block.C1) {
		a.at.Row, a.at.Col = f.block.R1, f.block.C1
		a.cell = e.book.find(a.at)
		if a.cell.state == active || a.cell.state == waiting {
			e.stop(ReasonCircular, "it reads itself through %s", e.book.placeName(a.at))
		}
	}
	if len(e.stack) >= maxCells {
		e.rerooted = true
		panic(reroot{e.stack[maxCells/2]})
	}
	a.cell.state = active
	e.stack = append(e.stack, a)
	v := e.settled(f, a)
	e.stack = e.stack[:len(e.stack)-1]
	e.markCalculated(f, a.cell)
	if f.array {
		e.fill(f, v, a.cell.formula)
		return
	}
	e.book.store(a.cell, e.stored(v, a.at), done)
}

// settled returns the value of a formula, which is the same in all languages that the
// program may have.
func (e *Evaluator) settled(f *form, a activeCell) Value {
	if len(e.locales) < 2 {
		return e.formula(f, a)
	}
	// The formula may be read by one that is calculated in another language.
	locale, touched := e.locale, e.touched
	e.locale, e.touched = e.locales[0], false
	defer func() { e.locale, e.touched = locale, touched }()
	v := e.formula(f, a)
	if e.touched && v.kind != Unknown {
		v = e.inLanguages(f, a, v)
	}
	return v
}

// stored counts the texts of results; over the limit they are unknown.
func (e *Evaluator) stored(v Value, at Place) Value {
	if v.kind != Text {
		return v
	}
	if e.book.calculated += len(v.str); e.book.calculated > maxBytes {
		return unknown(&Reason{Code: ReasonLimit, Text: "the texts of all results are too long", From: at})
	}
	return v
}

// formula returns the value of a formula in a cell: an array for an array
// formula, and Unknown where it cannot be calculated.
func (e *Evaluator) formula(f *form, a activeCell) (v Value) {
	saved := *e
	e.at, e.array, e.forced, e.env, e.own = a.at, f.array, false, nil, 0
	defer func() {
		e.at, e.array, e.forced, e.env, e.live = saved.at, saved.array, saved.forced, saved.env, saved.live
		e.calls, e.depth, e.own, e.bytes = saved.calls, saved.depth, saved.own, saved.bytes
		if e.rerooted {
			a.cell.state = due
			return
		}
		switch r := recover().(type) {
		case nil:
		case stopped:
			e.stack = e.stack[:len(saved.stack)]
			v = unknown(r.reason)
		default:
			a.cell.state = due
			panic(r)
		}
	}()
	if f.table != nil {
		e.stop(ReasonForm, "a data table")
	}
	if f.reason != nil {
		e.stop(f.reason.Code, "%s", f.reason.Text)
	}
	if e.steps > maxSteps {
		e.stop(ReasonLimit, "the calculation takes too long")
	}
	return e.result(e.eval(f.root))
}

// result is what a formula puts into its cells.
func (e *Evaluator) result(v Value) Value {
	v = e.values(v)
	if v.kind == ArrayKind && !e.array {
		v = v.Array().At(0, 0)
	}
	switch v.kind {
	case Empty, Missing:
		return Value{kind: Number}
	case LambdaKind:
		return Fail(ErrCalc)
	}
	return v
}

// fill puts the result of an array formula into its cells.
func (e *Evaluator) fill(f *form, v Value, index int32) {
	if f.spills && v.kind != Unknown {
		v = e.resize(f, v, index)
	}
	e.book.sheets[f.sheet].grid.each(f.block, func(row int, c *cell) bool {
		if c.formula == 0 || e.book.formulas[c.formula-1] != f {
			return true
		}
		x := v
		if v.kind == ArrayKind {
			if x = v.Array().pick(row-f.block.R1, int(c.col)-f.block.C1); x.blank() {
				x = Value{kind: Number}
			}
		}
		e.book.store(c, e.stored(x, At(f.sheet, row, int(c.col))), done)
		return true
	})
}

// resize notes a result that has another size than the cells of its formula, and
// returns what it is then: #SPILL! where something is in the way.
func (e *Evaluator) resize(f *form, v Value, index int32) Value {
	f.blocked = ""
	now := f.newBlock(v)
	if now == f.block {
		return v
	}
	f.blocked, f.wanted = e.book.blockedBy(f, now), now
	if f.blocked != "" {
		v = Fail(ErrSpill)
		now = f.newBlock(v)
	}
	if now == f.block {
		return v
	}
	if e.book.spilled += (now.R2 - now.R1 + 1) * (now.C2 - now.C1 + 1); e.book.spilled > maxSpill {
		return unknown(&Reason{Code: ReasonLimit, Text: "the arrays fill too many cells", From: At(f.sheet, f.block.R1, f.block.C1)})
	}
	e.book.resized = append(e.book.resized, resized{f, index, v})
	return v
}

// calculateForm returns the value of a formula in a place, all values of an array
// formula, without storing it.
func (e *Evaluator) calculateForm(at Place, f *form) (v Value, err error) {
	defer func() {
		e.stack, e.rerooted = e.stack[:0], false
		if r := recover(); r != nil {
			next, ok := r.(reroot)
			if _, ends := r.(cancelled); ends {
				err = e.ctx.Err()
				return
			} else if !ok {
				panic(r)
			}
			if _, err = e.Value(next.from.at); err == nil {
				v, err = e.calculateForm(at, f)
			}
		}
	}()
	e.live, e.bytes, e.calls, e.depth = 0, 0, 0, 0
	return e.formula(f, activeCell{at, &cell{}}), nil
}
