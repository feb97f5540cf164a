package calc

import (
	"math"
	"slices"

	"atelier/formats/xlsx/internal/cellref"
)

// Circular formulas of workbooks that iterate (18.2.2, iterate): they begin with the values
// that they have and are calculated again and again, in reading order, until no value
// changes by iterateDelta or more, at most iterateCount times.
//
// A result is a value that the formulas give again: groups of formulas that read each
// other are repeated one after the other, what reads them is calculated behind them, and
// at the end all are calculated once more to see that they stay. Formulas that do not
// settle keep what they had.

// What iteration may take.
const (
	maxCircular  = 100_000   // formulas
	maxRepeated  = 2_000_000 // calculations of them
	maxEdges     = 2_000_000 // reads among them
	maxReordered = 10        // times that formulas read others than before
)

// Iteration says how circular formulas are calculated; nil of a Book: they are refused.
type Iteration struct {
	Count int     // passes
	Delta float64 // a smaller change counts as none
}

// Repeated is what became of a circular formula, or of one that reads one.
type Repeated uint8

// The outcomes of iteration.
const (
	NotRepeated Repeated = iota
	Settled              // its value is one that the formulas give again
	Kept                 // it did not settle, or reads what did not, and has the value of before
)

// iteration is the calculation of circular formulas.
type iteration struct {
	*Evaluator
	cells     []activeCell
	index     map[Place]int32
	start     []Value   // Unknown where a formula had no value
	reads     [][]int32 // by formula: those that it has read so far
	edges     map[[2]int32]bool
	current   int32 // the formula being calculated
	work      int
	unsettled []bool
}

// iterate calculates the formulas that are unknown because they read themselves. start
// returns the values that they begin with, Empty for none. With keep, formulas that do not
// settle have them again.
func (e *Evaluator) iterate(start func(Place) Value, keep bool) (map[Place]Repeated, error) {
	if e.book.Iterates == nil {
		return nil, nil
	}
	r := &iteration{Evaluator: e, index: map[Place]int32{}, edges: map[[2]int32]bool{}}
	if r.collect(start); len(r.cells) == 0 || len(r.cells) > maxCircular {
		return nil, nil
	}
	r.forgetIndexes()
	r.unsettled, r.reads = make([]bool, len(r.cells)), make([][]int32, len(r.cells))
	e.watch = r.read
	defer func() { e.watch = nil }()
	settled := false
	for range maxReordered {
		r.begin()
		clear(r.unsettled)
		groups, err := r.groups()
		if err != nil {
			return nil, err
		}
		known := len(r.edges)
		for _, g := range groups {
			if err := r.group(g); err != nil {
				return nil, err
			}
		}
		if settled, err = r.stays(); err != nil {
			return nil, err
		}
		// Formulas that read others than before are grouped anew.
		if settled = settled && len(r.edges) == known; settled || r.work > maxRepeated {
			break
		}
	}
	if !settled {
		for i := range r.unsettled {
			r.unsettled[i] = true
		}
	}
	return r.finish(keep), nil
}

// collect finds the formulas, in reading order, and gives them the values to begin with.
func (r *iteration) collect(start func(Place) Value) {
	b := r.book
	for i, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if c.kind != Unknown || c.formula == 0 || b.load(c).Reason().Code != ReasonCircular {
				return true
			}
			if f := b.formulas[c.formula-1]; f.table != nil || f.array && f.block.R1*cellref.MaxCol+f.block.C1 != f.block.R2*cellref.MaxCol+f.block.C2 {
				return true // of several cells
			}
			at := At(i, row, int(c.col))
			r.index[at] = int32(len(r.cells))
			r.cells = append(r.cells, activeCell{at, c})
			return true
		})
	}
	for _, a := range r.cells {
		v := start(a.at)
		if v.kind == Empty || v.kind == Unknown {
			v = Value{}
		}
		r.start = append(r.start, v)
	}
}

// begin gives the formulas the values that they begin with.
func (r *iteration) begin() {
	for i, a := range r.cells {
		r.book.store(a.cell, zeroForEmpty(r.start[i]), iterated)
	}
}

// again returns the value of a formula from those that the others have now.
func (r *iteration) again(i int32) (Value, error) {
	r.work++
	r.current = i
	a := r.cells[i]
	v, err := r.calculateForm(a.at, r.book.formulas[a.cell.formula-1])
	if v.kind == ArrayKind {
		v = zeroForEmpty(v.Array().At(0, 0))
	}
	return v, err
}

// read notes that the current formula reads another one.
func (r *iteration) read(at Place) {
	k, ok := r.index[at]
	if edge := [2]int32{r.current, k}; ok && !r.edges[edge] {
		if len(r.edges) == maxEdges {
			r.work = maxRepeated + 1
			return
		}
		r.edges[edge] = true
		r.reads[r.current] = append(r.reads[r.current], k)
	}
}

// groups finds which formulas read which with the values that they have, and returns
// groups of those that read each other, each behind those that it reads.
func (r *iteration) groups() ([][]int32, error) {
	for i := range r.cells {
		if _, err := r.again(int32(i)); err != nil {
			return nil, err
		}
	}
	return components(r.reads), nil
}

// group calculates formulas that read each other until they settle; one that does not read
// itself once.
func (r *iteration) group(g []int32) error {
	once := len(g) == 1 && !slices.Contains(r.reads[g[0]], g[0])
	slices.Sort(g)
	settled := false
	for pass := 0; pass < r.book.Iterates.Count && !settled && r.work <= maxRepeated; pass++ {
		settled = true
		for _, i := range g {
			v, err := r.again(i)
			if err != nil {
				return err
			}
			settled = r.near(v, r.book.load(r.cells[i].cell)) && settled
			r.put(i, v)
		}
		settled = settled || once
	}
	for _, i := range g {
		r.unsettled[i] = !settled || !once && r.newError(i)
		for _, k := range r.reads[i] {
			r.unsettled[i] = r.unsettled[i] || r.unsettled[k]
		}
	}
	if slices.ContainsFunc(g, func(i int32) bool { return r.unsettled[i] }) {
		for _, i := range g {
			r.unsettled[i] = true
		}
	}
	return nil
}

// newError reports whether a formula of a circle gives an error that it did not begin
// with. Whether a circle gets into an error depends on the formula that is calculated
// first, in which programs differ.
func (r *iteration) newError(i int32) bool {
	v := r.book.load(r.cells[i].cell)
	return v.IsError() && !alike(v, r.start[i])
}

// put stores a value. The texts of the values before are dropped with the book.
func (r *iteration) put(i int32, v Value) {
	a := r.cells[i]
	if was := r.book.load(a.cell); v.kind == Text && was.kind == Text && was.str == v.str {
		return
	}
	r.book.store(a.cell, r.stored(v, a.at), iterated)
}

// near reports whether a value changes by less than the delta.
func (r *iteration) near(a, b Value) bool {
	if a.kind == Number && b.kind == Number {
		return math.Abs(a.num-b.num) < r.book.Iterates.Delta || a.num == b.num
	}
	return alike(a, b)
}

// stays calculates all formulas once more and reports whether they have the same values,
// but for those that are known not to settle.
func (r *iteration) stays() (bool, error) {
	for i, a := range r.cells {
		if r.unsettled[i] {
			continue
		}
		v, err := r.again(int32(i))
		if err != nil {
			return false, err
		}
		if !r.near(v, r.book.load(a.cell)) {
			return false, nil
		}
	}
	return true, nil
}

// finish ends the iteration and says what became of the formulas.
func (r *iteration) finish(keep bool) map[Place]Repeated {
	out := map[Place]Repeated{}
	for i, a := range r.cells {
		switch {
		case !r.unsettled[i]:
			a.cell.state = done
			if a.cell.kind != Unknown {
				out[a.at] = Settled
			}
		case keep && r.start[i].kind != Empty:
			r.book.store(a.cell, r.start[i], done)
			out[a.at] = Kept
		default:
			r.book.store(a.cell, unknown(&Reason{Code: ReasonCircular, Text: "it reads itself, and its value does not settle", From: a.at}), done)
		}
	}
	return out
}

// components returns the strongly connected components of a graph, each behind those that
// it leads to (Tarjan's algorithm, without recursion).
func components(next [][]int32) (out [][]int32) {
	n := len(next)
	number, low, edge := make([]int32, n), make([]int32, n), make([]int, n)
	onStack := make([]bool, n)
	var stack, path []int32
	count := int32(0)
	for root := range n {
		if number[root] != 0 {
			continue
		}
		path = append(path[:0], int32(root))
		for len(path) > 0 {
			v := path[len(path)-1]
			if number[v] == 0 {
				count++
				number[v], low[v], onStack[v] = count, count, true
				stack = append(stack, v)
			}
			if edge[v] < len(next[v]) {
				w := next[v][edge[v]]
				edge[v]++
				if number[w] == 0 {
					path = append(path, w)
				} else if onStack[w] {
					low[v] = min(low[v], number[w])
				}
				continue
			}
			if path = path[:len(path)-1]; len(path) > 0 {
				p := path[len(path)-1]
				low[p] = min(low[p], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			from := len(stack) - 1
			for stack[from] != v {
				from--
			}
			for _, w := range stack[from:] {
				onStack[w] = false
			}
			out = append(out, slices.Clone(stack[from:]))
			stack = stack[:from]
		}
	}
	return out
}
