package whatif

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"atelier/formats/xlsx/internal/calc"
)

// Reached is how near a goal came.
type Reached struct {
	Cell       string  `json:"cell"`
	ByChanging string  `json:"by_changing"`
	Was        any     `json:"was"`   // the value of the changed cell in the file
	Found      float64 `json:"found"` // its value with which the goal is nearest
	Value      any     `json:"value"` // of the goal's cell with it
	Converged  bool    `json:"converged"`
	Steps      int     `json:"calculations"`
	Why        string  `json:"why,omitempty"` // why it did not converge
}

// How a goal is sought.
const (
	maxSteps  = 200   // calculations
	tolerance = 1e-10 // of the value of the goal, relative
	nearby    = 1e-7  // what is still the goal where numbers are not dense enough
	growth    = 2     // of the steps that look for two values around the goal
)

// seek sets the changing cell so that the goal has its value, and returns the trial in
// which it has, or is nearest.
func (q *asked) seek(ctx context.Context, inputs []calc.Input) (*calc.Trial, *Reached, error) {
	was := q.book.ValueAt(q.vary)
	start := 0.0
	if was.Kind() == calc.Number {
		start = was.Num()
	}
	for i := len(inputs) - 1; i >= 0; i-- {
		if inputs[i].At == q.vary {
			if v := inputs[i].Value; v.Kind() == calc.Number {
				start = v.Num()
			}
			inputs = append(inputs[:i], inputs[i+1:]...)
		}
	}
	low, high := math.Inf(-1), math.Inf(1)
	if q.Goal.Min != nil {
		low = *q.Goal.Min
	}
	if q.Goal.Max != nil {
		high = *q.Goal.Max
	}
	start = min(max(start, low), high)
	t, err := q.book.Try(ctx, q.opts, append(inputs, calc.Input{At: q.vary, Value: calc.Num(start)}))
	if err != nil {
		return nil, nil, err
	}
	s := &search{asked: q, ctx: ctx, trial: t, low: low, high: high, best: math.Inf(1)}
	out := &Reached{Cell: q.name(q.goal), ByChanging: q.name(q.vary), Was: shown(was)}
	if !t.Reaches(q.goal) {
		s.why = "the goal does not read the cell to change"
		s.at = start
	} else {
		s.from(start)
		s.round()
	}
	if s.err != nil {
		return nil, nil, s.err
	}
	if s.last != s.at {
		if err := t.Again(ctx, calc.Num(s.at)); err != nil {
			return nil, nil, err
		}
	}
	v := q.book.ValueAt(q.goal)
	out.Found, out.Value, out.Steps = s.at, shown(v), s.steps
	if v.Kind() == calc.Unknown {
		out.Value, s.why = nil, "the goal cannot be calculated: "+v.Reason().Text
	}
	if out.Converged = s.best <= nearby*s.scale(); !out.Converged {
		if out.Why = s.why; out.Why == "" {
			out.Why = "no value was found with which the goal is reached; this one comes nearest of those tried"
		}
	}
	return t, out, nil
}

// search looks for a number with which the goal is reached.
type search struct {
	*asked
	ctx       context.Context
	trial     *calc.Trial
	low, high float64 // bounds
	steps     int
	last      float64 // the number in the book
	at, best  float64 // the best number, and how far its value is from the goal
	why       string
	err       error
	stop      bool
}

// point is a number with how far above the goal its value is.
type point struct{ x, y float64 }

// around reports whether the goal is between two points.
func (p point) around(o point) bool { return p.y < 0 != (o.y < 0) }

// scale is what differences are relative to.
func (s *search) scale() float64 { return max(1, math.Abs(s.Goal.Value)) }

// try calculates with a number. ok is false where the goal has no number there.
func (s *search) try(x float64) (p point, ok bool) {
	if s.stop {
		return p, false
	}
	if s.steps++; s.steps > maxSteps {
		s.stop = true
		return p, false
	}
	if s.steps > 1 || s.last != x {
		if s.err = s.trial.Again(s.ctx, calc.Num(x)); s.err != nil {
			s.stop = true
			return p, false
		}
	}
	s.last = x
	if s.trial.Resized {
		s.stop, s.why = true, "an array formula changes its size with the cell"
	}
	v := s.book.ValueAt(s.goal)
	switch v.Kind() {
	case calc.Number:
	case calc.Unknown:
		s.stop, s.at, s.best = true, x, math.Inf(1)
		return p, false
	default:
		if s.why == "" {
			s.why = fmt.Sprintf("with %v in the cell to change the goal is %v, which is no number", x, shown(v))
		}
		return p, false
	}
	p = point{x, v.Num() - s.Goal.Value}
	if d := math.Abs(p.y); d < s.best || math.IsInf(s.best, 1) {
		s.best, s.at = d, x
	}
	s.stop = s.stop || s.best <= tolerance*s.scale()
	return p, true
}

// from looks for two numbers around the goal, first along the slope at start, then
// farther and farther away from it, and narrows them.
func (s *search) from(start float64) {
	s.last, s.at = start, start
	a, ok := s.try(start)
	if ok && !s.stop {
		s.along(a)
	}
	if s.stop {
		return
	}
	ends := []point{a, a}
	valid := []bool{ok, ok}
	step := max(math.Abs(start)*0.01, 0.01)
	for !s.stop && (ends[0].x > s.low || ends[1].x < s.high) {
		for side, sign := range []float64{-1, 1} {
			x := min(max(start+sign*step, s.low), s.high)
			if x == ends[side].x && valid[side] || math.IsInf(x, 0) {
				continue
			}
			p, ok := s.try(x)
			if ok && valid[side] && p.around(ends[side]) {
				s.narrow(ends[side], p)
				return
			}
			ends[side].x = x
			if valid[side] = ok; ok {
				ends[side] = p
			}
		}
		if step *= growth; math.IsInf(step, 0) {
			return
		}
	}
}

// round takes the number with the fewest digits that is at least as near to the goal.
func (s *search) round() {
	if s.best > nearby*s.scale() || s.err != nil {
		return
	}
	at, best := s.at, s.best
	for digits := 3; digits <= 15; digits += 2 {
		x, err := strconv.ParseFloat(strconv.FormatFloat(at, 'g', digits, 64), 64)
		if err != nil || x < s.low || x > s.high {
			continue
		}
		s.stop = false
		if p, ok := s.try(x); ok && math.Abs(p.y) <= best {
			s.at, s.best = x, math.Abs(p.y)
			return
		}
	}
}

// along follows the slope from a point (secant method) until the goal is between two
// points, which it narrows, or the slope leads nowhere.
func (s *search) along(a point) {
	first := a
	x := a.x + max(math.Abs(a.x)*1e-3, 1e-3)
	if x > s.high {
		x = a.x - max(math.Abs(a.x)*1e-3, 1e-3)
	}
	for range 30 {
		b, ok := s.try(min(max(x, s.low), s.high))
		if !ok || s.stop {
			return
		}
		if b.around(first) {
			s.narrow(first, b)
			return
		}
		if b.y == a.y || b.x == a.x {
			return
		}
		x = b.x - b.y*(b.x-a.x)/(b.y-a.y)
		if a = b; math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
	}
}

// narrow halves the distance between two points around the goal, or does better, until
// the goal is reached or no number is between them (Illinois method, with halving).
func (s *search) narrow(a, b point) {
	for i := 0; !s.stop; i++ {
		x := b.x - b.y*(b.x-a.x)/(b.y-a.y)
		mid := a.x + (b.x-a.x)/2
		if lo, hi := min(a.x, b.x), max(a.x, b.x); i%3 == 2 || math.IsNaN(x) || x <= lo || x >= hi {
			x = mid
		}
		if x == a.x || x == b.x {
			s.stop = true
			if s.why == "" {
				s.why = fmt.Sprintf("the goal jumps over the value near %.10g", x)
			}
			return
		}
		p, ok := s.try(x)
		if !ok {
			s.stop = true
			return
		}
		if p.around(b) {
			a = p
		} else {
			b = p
			a.y /= 2
		}
	}
}
