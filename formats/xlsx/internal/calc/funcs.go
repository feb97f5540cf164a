package calc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// Func is a function of formulas: one row of the table of its family.
type Func struct {
	Name string // in upper case, without prefixes
	Min  int    // how many arguments it takes
	Max  int    // -1: as many as a call can have
	// Args says how each argument is taken, a word each; see doc.go. The last
	// Repeat words (1 unless set) are those of all further arguments.
	Args   string
	Repeat int
	// Lazy functions get no values and take their arguments with Call.Arg.
	Lazy bool
	// NoRange functions take single cells only: for a range of several ones in place
	// of a value versions of Excel differ.
	NoRange  bool
	Lambdas  bool   // LAMBDAs may be among the arguments of class A
	Gives    bool   // gives a reference, for several values of its arguments as many
	Each     bool   // takes several references one by one
	Values   bool   // takes the values of arrays one by one, but one of a range
	Volatile string // why it has no fixed value, "" when it has one; see Options.Random
	Call     func(c *Call, a []Value) Value

	takes []take
}

// Call is one call of a function. Its Evaluator reads cells.
type Call struct {
	*Evaluator
	Func *Func
	args []node
}

// take says how an argument is taken.
type take struct {
	class byte // of doc.go: n s b v e a A r
	keeps bool // an argument left out stays Missing
}

// single reports whether the argument is one value, so that arrays lift the
// call.
func (t take) single() bool { return strings.IndexByte("nsbve", t.class) >= 0 }

// functions is the table of all functions by name.
var functions = map[string]*Func{}

// register adds the functions of a family. It panics at start-up where a row is
// wrong, so that a test of the package finds it.
func register(family ...Func) {
	for i := range family {
		f := &family[i]
		for _, word := range strings.Fields(f.Args) {
			rest, keeps := strings.CutSuffix(word, "?")
			if len(rest) != 1 || !strings.Contains("nsbveaAr", rest) {
				panic("calc: " + f.Name + ": unknown argument class " + word)
			}
			f.takes = append(f.takes, take{rest[0], keeps})
		}
		if f.Repeat == 0 {
			f.Repeat = 1
		}
		if functions[f.Name] != nil || f.Call == nil || !f.Lazy && f.Max != 0 && len(f.takes) == 0 {
			panic("calc: bad row of function " + f.Name)
		}
		functions[f.Name] = f
	}
}

// Functions returns the names of the functions whose calls are known, in order. See
// AbsentFunctions for the others.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// take returns how argument i is taken.
func (f *Func) take(i int) take {
	if i < len(f.takes) {
		return f.takes[i]
	}
	over := (i - len(f.takes)) % f.Repeat
	return f.takes[len(f.takes)-f.Repeat+over]
}

// call calls a function of a formula.
func (e *Evaluator) call(n *callNode) Value { return e.callFor(n, false) }

// callFor calls a function of a formula; several: for an argument that takes several
// references, which the result may be then.
func (e *Evaluator) callFor(n *callNode, several bool) Value {
	f := n.fn
	if f == nil {
		return e.callByName(n)
	}
	if f.Volatile != "" {
		e.draws(f)
	}
	c := &Call{e, f, n.args}
	if f.Lazy {
		return f.Call(c, nil)
	}
	args := make([]Value, len(n.args))
	lifts := false
	for i, a := range n.args {
		t := f.take(i)
		switch {
		case t.single():
			if f.NoRange {
				e.oneCell(f, a)
			}
			args[i] = e.operand(a)
			lifts = lifts || args[i].kind == ArrayKind
		case t.class == 'A':
			args[i] = e.forceArray(a)
		case f.Each || f.Values:
			args[i] = e.oneByOne(f, a)
			lifts = lifts || each(args[i])
		default:
			args[i] = e.eval(a)
		}
	}
	switch {
	case !lifts:
		return c.with(args)
	case several:
		return e.liftReferences(c, args)
	case f.Gives:
		e.stop(ReasonForm, "several results of %s where values are expected", f.Name)
	}
	return e.liftCall(c, args)
}

// draws notes that the formula has a random value. Without a source of random numbers
// it stops the formula.
func (e *Evaluator) draws(f *Func) {
	if e.opts.Random == nil {
		e.stop(ReasonVolatile, "%s: %s", f.Name, f.Volatile)
	}
	if e.random == nil {
		e.random = map[Place]bool{}
	}
	e.random[e.at] = true
}

// oneCell ends the formula for an argument that is a range of several cells.
func (e *Evaluator) oneCell(f *Func, n node) {
	if r, ok := n.(*refNode); ok && (r.from != r.to || r.from.Kind != cellref.CellEnd) {
		e.stop(ReasonForm, "%s of a range", f.Name)
	}
}

// forceArray calculates a part as in an array formula.
func (e *Evaluator) forceArray(n node) Value {
	array, forced := e.array, e.forced
	e.array, e.forced = true, forced || !array
	v := e.eval(n)
	e.array, e.forced = array, forced
	return v
}

// liftCall calls a function once for each value of arrays given for arguments
// that are one value.
func (e *Evaluator) liftCall(c *Call, args []Value) Value {
	var at []int
	var over []Value
	for i, v := range args {
		if v.kind == ArrayKind && (c.Func.take(i).single() || each(v)) {
			at, over = append(at, i), append(over, v)
		}
	}
	one := make([]Value, len(args))
	return e.lift(over, func(a []Value) Value {
		copy(one, args)
		for k, i := range at {
			one[i] = a[k]
		}
		return e.values(c.with(one))
	})
}

// with calls the function with arguments, which it converts first. The first
// argument that is an error and should not be is the result.
func (c *Call) with(args []Value) Value {
	for i := range args {
		t := c.Func.take(i)
		if t.keeps && args[i].kind == Missing {
			continue
		}
		if args[i] = c.convert(t, args[i]); args[i].kind == Err && t.class != 'e' && t.class != 'a' && t.class != 'A' {
			return args[i]
		}
	}
	return c.Func.Call(c, args)
}

func (c *Call) convert(t take, v Value) Value {
	if v.kind == LambdaKind && t.class != 'a' && !(c.Func.Lambdas && t.class == 'A') {
		return Fail(ErrCalc)
	}
	switch t.class {
	case 'n':
		return c.toNumber(v)
	case 's':
		return c.toText(v)
	case 'b':
		return c.toBool(v)
	case 'v', 'e':
		if v.kind == Missing {
			return Value{}
		}
	case 'r':
		if v.kind != RefKind && v.kind != Err {
			return Fail(ErrValue)
		}
	}
	return v
}

// callByName calls a variable or defined name that is a LAMBDA.
func (e *Evaluator) callByName(n *callNode) Value {
	name := &nameNode{sheet: own, low: strings.ToLower(n.name), name: n.name}
	for s := e.env; s != nil; s = s.outer {
		if s.low == name.low {
			return e.apply(s.value, n.args)
		}
	}
	if d := e.book.definition(name, e.at.Sheet); d != nil {
		if v := e.defined(name, d); v.kind == LambdaKind {
			return e.apply(v, n.args)
		}
	}
	what := "it is of a macro or an add-in"
	if reason := absentReason(n.name); reason != "" {
		what = reason
	} else if formula.Known(n.name) {
		what = "it is not calculated here"
	}
	e.stop(ReasonFunction, "%s", fmt.Sprintf("the function %s: %s", n.name, what))
	return Value{}
}

// N returns how many arguments a lazy function has.
func (c *Call) N() int { return len(c.args) }

// Arg calculates argument i of a lazy function: one value, an array or a
// reference.
func (c *Call) Arg(i int) Value { return c.eval(c.args[i]) }

// ArgValues is Arg with the values of a reference.
func (c *Call) ArgValues(i int) Value { return c.operand(c.args[i]) }
