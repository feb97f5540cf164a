// Package calc calculates the formulas of workbooks (ECMA-376 Part 1, 18.17) as
// Excel does.
//
// # How it works
//
// A Book holds the cells of a workbook, its names and tables. Each distinct
// formula is parsed once into nodes (ast.go), in which relative references are
// distances, so that cells with alike formulas share them. An Evaluator
// calculates the cells that are due, and first what they read. Formulas that wait
// for each other are calculated by recursion up to maxCells, then anew from one in
// their middle, so that a chain of any length needs little stack.
//
// What cannot be calculated is Unknown and has a Reason; a formula that reads it
// is unknown too, whatever it does with the value. No number is guessed: where
// programs or languages differ, call Evaluator.stop.
//
// Numbers and dates as text are those of Evaluator.locale (locale.go); call c.known for
// it. Data tables (datatable.go) and circular formulas (iterate.go) are calculated when
// all others are.
//
// # How to write a function
//
// A function is a row of the table of its family (fn_math.go, fn_text.go …): a
// Func that the init function of the file registers.
//
//	register(
//		Func{Name: "POWER", Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value { return c.power(a[0].Num(), a[1].Num()) }},
//	)
//
// Name is in upper case and has no prefix such as _xlfn. A call with fewer than
// Min or more than Max arguments (-1: any number) is no formula.
//
// Args says how each argument is taken, by a letter each, separated by blanks; the
// last one (or the last Repeat ones) is that of all further arguments:
//
//	n  one number: text is read as a number, TRUE is 1, empty is 0
//	s  one text: numbers become text
//	b  one truth value
//	v  one value of any type but an error
//	e  one value of any type, errors too
//	a  as given: a range stays a reference, an array an array
//	A  as given, but calculated as in an array formula also outside of one, as
//	   SUMPRODUCT does; use it where Excel needs no Ctrl+Shift+Enter
//	r  a reference; anything else is #VALUE!
//
// A letter with "?" keeps an argument that is left out between commas Missing;
// without it that is 0, "" or FALSE. An argument at the end that is not there is
// not in the slice: look at len(a), or use optional(a, i, otherwise).
//
// For n, s, b and v an error among the arguments is the result, and the function
// is not called. For these and e a range gives the value in line with the formula
// (in array formulas all of its values), and an array makes the function be called
// for each of its values: the function sees one value at a time.
//
// Values are made by Num (NaN and infinity become #NUM!), Str, Boolean, Fail and,
// for arrays, c.NewArray(rows, cols) with Set and Result. Texts that may be longer
// than a cell can hold go through c.text. They are read by Kind, Num, Int, Text,
// Bool, Error, Array and Ref. Of arguments taken by a or A:
//
//   - c.EachNumber(a, f) and c.Numbers(a): numbers as SUM takes them
//   - c.EachNumberA(a, f): as AVERAGEA takes them
//   - c.reduce(kind, a): sums and counts of them; those of a range that grows by a
//     row with each formula are not begun anew (running.go)
//   - c.Each(v, f): every value that is not an empty cell
//   - c.ArrayOf(v): an array, of which the rows behind those with values take no
//     memory; loop over At(row, col) or Index(i), i < Len(), with c.step(1)
//   - c.arrays(a): arrays of one size
//   - c.vectorOf(v), c.blockOf(v) and c.part: to look something up, and to return
//     a part of a range as a reference
//   - c.criterion(v).matches(x), c.newPattern(s): conditions and wildcards
//   - c.matrix(v), c.sorted(v), c.numberPairs(x, y): a matrix of numbers, numbers
//     in rising order, numbers at the same places of two arguments
//   - number(a, i, otherwise), flag(a, i, otherwise): arguments that may be left out
//   - c.Apply(f, values…): call a LAMBDA, a Value of LambdaKind given for a
//
// Dates: c.calendar, c.dayOf, c.addMonths, clock, monthDays; c.book.Date1904.
// Numbers: roundDigits, digits15, snap.
//
// A Lazy function calculates its arguments itself with c.Arg(i), c.ArgValues(i)
// (the values of a reference) and c.N(); IF is one. It uses c.decider(i) for an
// argument on which it depends which others are calculated. A Volatile one
// has a value only where Options.Random is set, which it draws from.
//
// A loop over what a document has calls c.step(1), so that the context ends it. A
// function that cannot tell what Excel does calls c.stop(ReasonForm, "…").
//
// Zeros and inverses: c.rateOf, c.between, c.inverse. Special functions: special.go.
// Days of securities: daycount.go.
//
// # What is not calculated
//
// Functions whose values in Excel are not known well enough stay unknown; absent.go
// lists them with the reasons. Of others some arguments do: places with a fraction in
// LARGE, several possible rates in IRR, rates below zero in XIRR, parts of periods in
// VDB, years of basis 1 in DISC, odd periods of securities with days after the 28th, MD
// and YD of DATEDIF where Excel's documentation warns of them, binary searches in values
// without order, and SORT where the language decides.
//
// # How to test a function
//
// Tables of formulas and values, as fn_math_test.go has them:
//
//	func TestMath(t *testing.T) {
//		b := sheetOf("1|2|x", "3|=A1+1|'5") // A1:C2; ' makes a text
//		checkFormulas(t, b,
//			`SUM(A1:C2,"4")`, `12`,
//			`{=A1:A2*2}`, `{2;6}`, // an array formula
//		)
//	}
//
// Values are written 1.5 (12 digits), "text", TRUE, #N/A, {1,2;3,4}, and ?code for
// what is not known, with the code of its Reason. Take expected values from
// Excel's documentation, from a workbook that Excel saved, or from LibreOffice
// where both agree. TestOracle compares with the values of real workbooks, and
// TestFunctionsAgreeWithLibreOffice calculates the formulas of
// testdata/libreoffice.txt, one a line, with LibreOffice too.
package calc
