package calc

import "fmt"

// stopped is the panic that ends the calculation of one formula. It never leaves
// the package: Evaluator.attempt turns it into a value.
type stopped struct{ reason *Reason }

// stop ends the calculation of the current formula, whose value is then unknown.
func (e *Evaluator) stop(code ReasonCode, format string, args ...any) {
	panic(stopped{&Reason{Code: code, Text: fmt.Sprintf(format, args...), From: e.at}})
}

// Limits of one Evaluator and of its formulas.
const (
	maxArray   = 2 << 20     // values of one array
	maxLive    = 6 << 20     // values of the arrays of all formulas being calculated
	maxSteps   = 500_000_000 // of all together
	maxOwn     = 50_000_000  // of one formula, without those it reads
	maxText    = 32767       // characters of a text in a cell
	maxBytes   = 256 << 20   // of the texts that the formulas being calculated make, and of all calculated ones
	maxForms   = 400_000     // different formulas
	maxWritten = 3 << 20     // bytes of them; read they take up to a hundred times as much
	maxCells   = 256         // formulas that wait for each other in one attempt
	maxCalls   = 1024        // LAMBDAs that call each other
	maxDepth   = 50_000      // parts of formulas inside one another, over all that wait for each other
)

// takeRoom counts the values of a new array.
func (e *Evaluator) takeRoom(n int) {
	if e.live += n; n > maxArray || e.live > maxLive {
		e.stop(ReasonLimit, "it needs an array of more than %d values", maxArray)
	}
	e.step(n)
}

// takeText counts the bytes of a new text.
func (e *Evaluator) takeText(n int) {
	if e.bytes += n; e.bytes > maxBytes {
		e.stop(ReasonLimit, "it makes more than %d MB of text", maxBytes>>20)
	}
	e.step(n >> 4)
}

// step counts work. It ends everything when the context is done, and the formula
// when all together is too much.
func (e *Evaluator) step(n int) {
	if e.steps += n; e.steps < e.nextCheck {
		return
	}
	e.own += e.steps - e.nextCheck + checkEvery
	e.nextCheck = e.steps + checkEvery
	if e.own > maxOwn {
		e.own = 0
		e.stop(ReasonLimit, "its calculation takes too long")
	}
	if e.ctx.Err() != nil {
		panic(cancelled{})
	}
	if e.steps > maxSteps {
		e.stop(ReasonLimit, "the calculation takes too long")
	}
}

// evalSteps is what a part of a formula counts against a value of an array.
const evalSteps = 4

// checkEvery is how many steps are between two looks at the limits.
const checkEvery = 1 << 16

// cancelled is the panic that ends a calculation whose context is done.
type cancelled struct{}
