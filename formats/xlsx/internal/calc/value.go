package calc

import (
	"math"

	"atelier/formats/xlsx/internal/cellref"
)

// Kind is the type of a Value.
type Kind uint8

const (
	Empty  Kind = iota // a cell with nothing in it
	Number             // also dates and times
	Text
	Bool
	Err       // one of the Error codes
	ArrayKind // several values
	RefKind   // cells, whose values are not read yet
	LambdaKind
	Missing // an argument left out between commas
	Unknown // it cannot be calculated here; the reason says why
)

// Value is what a cell or a part of a formula has. The zero Value is an empty
// cell.
type Value struct {
	kind Kind
	num  float64
	str  string
	obj  *object
}

// object is what only rare values have.
type object struct {
	array  *Array
	ref    Ref
	lambda *lambda
	reason *Reason
}

// Error is an error value (18.17.3 and [MS-XLSX] 2.2.2.1).
type Error uint8

const (
	ErrNull Error = iota + 1
	ErrDiv0
	ErrValue
	ErrRef
	ErrName
	ErrNum
	ErrNA
	ErrGettingData
	ErrSpill
	ErrConnect
	ErrBlocked
	ErrUnknownType
	ErrField
	ErrCalc
)

var errorTexts = [...]string{"", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!", "#CONNECT!", "#BLOCKED!", "#UNKNOWN!", "#FIELD!", "#CALC!"}

// String returns the text of the error, such as #N/A.
func (e Error) String() string { return errorTexts[e] }

// errorOf returns the error with a text, 0 for another text.
func errorOf(s string) Error {
	for i, t := range errorTexts {
		if i > 0 && t == s {
			return Error(i)
		}
	}
	return 0
}

// Num returns a number; what no cell can hold is #NUM!.
func Num(x float64) Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Fail(ErrNum)
	}
	if x == 0 || math.Abs(x) < math.SmallestNonzeroFloat64*(1<<52) {
		x = 0 // neither -0 nor denormal numbers exist in cells
	}
	return Value{kind: Number, num: x}
}

// Str returns a text.
func Str(s string) Value { return Value{kind: Text, str: s} }

// Boolean returns TRUE or FALSE.
func Boolean(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// Fail returns an error value.
func Fail(e Error) Value { return Value{kind: Err, num: float64(e)} }

// Kind returns the type of the value.
func (v Value) Kind() Kind { return v.kind }

// Num returns the number of a Number or Bool.
func (v Value) Num() float64 { return v.num }

// Int returns the number without its fraction, within the range of 32 bits, so
// that sums of a few of them do not overflow.
func (v Value) Int() int {
	return int(math.Trunc(min(max(v.num, math.MinInt32), math.MaxInt32)))
}

// Text returns the characters of a Text.
func (v Value) Text() string { return v.str }

// Bool returns the truth of a Bool or Number.
func (v Value) Bool() bool { return v.num != 0 }

// Error returns the code of an Err, else 0.
func (v Value) Error() Error {
	if v.kind == Err {
		return Error(v.num)
	}
	return 0
}

// IsError reports whether the value is an error.
func (v Value) IsError() bool { return v.kind == Err }

// Missing reports whether an argument was left out between commas.
func (v Value) Missing() bool { return v.kind == Missing }

// Same reports whether two values of cells are the same.
func (v Value) Same(w Value) bool { return v.kind == w.kind && v.num == w.num && v.str == w.str }

// blank reports whether the value is nothing: an empty cell or argument.
func (v Value) blank() bool { return v.kind == Empty || v.kind == Missing }

// Array returns the values of an ArrayKind.
func (v Value) Array() *Array { return v.obj.array }

// Ref returns the cells of a RefKind.
func (v Value) Ref() Ref { return v.obj.ref }

// Reason returns why an Unknown is not known.
func (v Value) Reason() *Reason {
	if v.obj == nil {
		return nil
	}
	return v.obj.reason
}

// Ref is one or several ranges of cells.
type Ref []Area

// Area is a range of cells in a sheet, given by its index.
type Area struct {
	Sheet int
	cellref.Range
}

// refTo returns a reference to areas.
func refTo(areas ...Area) Value { return Value{kind: RefKind, obj: &object{ref: areas}} }

// cellArea returns the area of one cell.
func cellArea(at Place) Area {
	return Area{at.Sheet, cellref.Block(at.Row, at.Col, at.Row, at.Col)}
}

// rows and cols return the size of an area.
func (a Area) rows() int { return a.R2 - a.R1 + 1 }
func (a Area) cols() int { return a.C2 - a.C1 + 1 }

// one reports whether an area is one cell.
func (a Area) one() bool { return a.R1 == a.R2 && a.C1 == a.C2 }

// Place is the position of a cell in a workbook.
type Place struct {
	Sheet int
	cellref.Cell
}

// At returns the place of a cell; sheets count from 0, rows and columns from 1.
func At(sheet, row, col int) Place { return Place{sheet, cellref.At(row, col)} }

// Reason says why a value is not known.
type Reason struct {
	Code ReasonCode
	Text string // words for a person: "the function FOO is not known"
	From Place  // the formula that could not be calculated itself
}

// ReasonCode is the class of a Reason.
type ReasonCode string

const (
	ReasonFunction ReasonCode = "function" // a function that is not calculated here, or of a macro or add-in
	ReasonName     ReasonCode = "name"     // a name that the workbook lacks
	ReasonExternal ReasonCode = "external" // another workbook
	ReasonVolatile ReasonCode = "volatile" // the time, or a random number
	ReasonCircular ReasonCode = "circular" // a formula that reads itself
	ReasonSyntax   ReasonCode = "syntax"   // a formula that cannot be read
	ReasonLanguage ReasonCode = "language" // the result depends on the language of the program
	ReasonLimit    ReasonCode = "limit"    // it takes too much time or memory
	ReasonForm     ReasonCode = "form"     // a form that is not calculated here
	ReasonNoValue  ReasonCode = "no-value" // it reads a formula without a value that is not to be calculated
)

// unknown returns an Unknown.
func unknown(r *Reason) Value { return Value{kind: Unknown, obj: &object{reason: r}} }
