package calc

import (
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"math"
)

func init() {
	is := func(name string, test func(v Value) bool) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "e", Call: func(_ *Call, a []Value) Value { return Boolean(test(a[0])) }}
	}
	register(
		is("ISBLANK", func(v Value) bool { return v.kind == Empty }),
		is("ISERR", func(v Value) bool { return v.kind == Err && v.Error() != ErrNA }),
		is("ISERROR", func(v Value) bool { return v.kind == Err }),
		is("ISNA", func(v Value) bool { return v.Error() == ErrNA }),
		is("ISLOGICAL", func(v Value) bool { return v.kind == Bool }),
		is("ISNUMBER", func(v Value) bool { return v.kind == Number }),
		is("ISTEXT", func(v Value) bool { return v.kind == Text }),
		is("ISNONTEXT", func(v Value) bool { return v.kind != Text }),
		Func{Name: "ISREF", Min: 1, Max: 1, Args: "a", Call: func(_ *Call, a []Value) Value { return Boolean(a[0].kind == RefKind) }},
		Func{Name: "ISODD", Min: 1, Max: 1, Args: "v", Call: parity(1)},
		Func{Name: "ISEVEN", Min: 1, Max: 1, Args: "v", Call: parity(0)},
		Func{Name: "ISFORMULA", Min: 1, Max: 1, Args: "r", Call: isFormula},
		Func{Name: "FORMULATEXT", Min: 1, Max: 1, Args: "r", Call: formulaText},
		Func{Name: "NA", Call: func(*Call, []Value) Value { return Fail(ErrNA) }},
		Func{Name: "N", Min: 1, Max: 1, Args: "a", Each: true, Values: true, Call: nFunc},
		Func{Name: "TYPE", Min: 1, Max: 1, Args: "a", Call: typeFunc},
		Func{Name: "ERROR.TYPE", Min: 1, Max: 1, Args: "e", Call: errorType},
		Func{Name: "CELL", Min: 1, Max: 2, Args: "s r", Call: cellFunc},
		Func{Name: "SHEET", Max: 1, Args: "a", Call: sheetFunc},
		Func{Name: "SHEETS", Max: 1, Args: "r", Call: func(c *Call, a []Value) Value {
			if len(a) == 0 {
				return Num(float64(len(c.book.sheets)))
			}
			return Num(float64(len(a[0].Ref())))
		}},
	)
}

// parity tests whether the whole part of a number is odd (1) or even (0).
func parity(want int) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		if a[0].kind == Bool {
			return Fail(ErrValue)
		}
		x := c.toNumber(a[0])
		if x.kind == Err {
			return x
		}
		_, frac := divide(math.Abs(math.Trunc(x.num)), 2)
		return Boolean((frac >= 1) == (want == 1))
	}
}

// formOf returns the formula of the first cell of a reference, nil for none.
func (c *Call) formOf(v Value) *form {
	a := v.Ref()[0]
	cell := c.book.find(At(a.Sheet, a.R1, a.C1))
	if cell == nil || cell.formula == 0 {
		return nil
	}
	return c.book.formulas[cell.formula-1]
}

func isFormula(c *Call, a []Value) Value { return Boolean(c.formOf(a[0]) != nil) }

func formulaText(c *Call, a []Value) Value {
	f := c.formOf(a[0])
	if f == nil {
		return Fail(ErrNA)
	}
	at := a[0].Ref()[0]
	text := f.text
	if !f.array {
		text = formula.Move(f.text, at.R1-f.row, at.C1-f.col)
	}
	text = "=" + formula.Shown(text)
	if f.array && !f.spills {
		text = "{" + text + "}"
	}
	return c.text(text)
}

// first returns one value of an argument: the first of a reference or array.
func (c *Call) first(v Value) Value {
	switch v.kind {
	case RefKind:
		a := v.Ref()[0]
		return c.Cell(At(a.Sheet, a.R1, a.C1))
	case ArrayKind:
		return v.Array().At(0, 0)
	}
	return v
}

func nFunc(c *Call, a []Value) Value {
	switch v := c.first(a[0]); v.kind {
	case Number, Err:
		return v
	case Bool:
		return Num(v.num)
	}
	return Num(0)
}

func typeFunc(c *Call, a []Value) Value {
	v := a[0]
	if v.kind == RefKind {
		if r := v.Ref(); len(r) > 1 || !r[0].one() {
			return Num(64)
		}
		v = c.first(v)
	}
	switch v.kind {
	case Text:
		return Num(2)
	case Bool:
		return Num(4)
	case Err:
		return Num(16)
	case ArrayKind:
		return Num(64)
	case LambdaKind:
		return Num(128)
	}
	return Num(1)
}

func errorType(_ *Call, a []Value) Value {
	if a[0].kind != Err {
		return Fail(ErrNA)
	}
	return Num(a[0].num)
}

func sheetFunc(c *Call, a []Value) Value {
	at := c.at.Sheet
	if len(a) == 1 {
		switch v := a[0]; v.kind {
		case RefKind:
			at = v.Ref()[0].Sheet
		case Text:
			i, ok := c.book.sheetIndex[lower(v.str)]
			if !ok {
				return Fail(ErrNA)
			}
			at = i
		case Err:
			return v
		default:
			return Fail(ErrNA)
		}
	}
	return Num(float64(at + 1))
}

// cellFunc tells about the first cell of a reference what does not depend on the
// format of the cell or on where the file is.
func cellFunc(c *Call, a []Value) Value {
	what := lower(a[0].str)
	if len(a) == 1 {
		c.stop(ReasonVolatile, "CELL without a reference: it is about the cell that was changed last")
	}
	area := a[1].Ref()[0]
	at := At(area.Sheet, area.R1, area.C1)
	switch what {
	case "row":
		return Num(float64(at.Row))
	case "col":
		return Num(float64(at.Col))
	case "address":
		if at.Sheet != c.at.Sheet {
			c.stop(ReasonForm, "CELL with the address of another sheet, which has the name of the file")
		}
		return Str(cellref.End{Kind: cellref.CellEnd, Row: at.Row, Col: at.Col, AbsRow: true, AbsCol: true}.String())
	case "contents":
		if v := c.Cell(at); v.kind != Empty {
			return v
		}
		return Num(0)
	case "type":
		switch c.Cell(at).kind {
		case Empty:
			return Str("b")
		case Text:
			return Str("l")
		}
		return Str("v")
	case "color", "filename", "format", "parentheses", "prefix", "protect", "width":
		c.stop(ReasonForm, "CELL with %s", what)
	}
	c.stop(ReasonLanguage, "CELL with a kind that English programs do not know")
	return Value{}
}
