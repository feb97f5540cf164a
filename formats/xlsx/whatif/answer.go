package whatif

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
)

// Answer is what cells would be.
type Answer struct {
	Calc      string    `json:"calc"`               // formats.CalcAtelier
	Language  string    `json:"language,omitempty"` // that texts were calculated in; "" when none is known, several separated by "|" when it is one of them
	Goal      *Reached  `json:"goal,omitempty"`
	Scenarios []Outcome `json:"scenarios,omitempty"`
	*Outcome            // of Question.Set and Question.Goal
	Cells     []Cell    `json:"cells"`
	More      int       `json:"more,omitempty"` // cells beyond MaxRead
	Notes     []string  `json:"notes,omitempty"`
}

// Outcome counts what a set of changes does.
type Outcome struct {
	Name    string `json:"name,omitempty"`
	Changed int    `json:"formulas_changed"`
	Errors  int    `json:"new_errors,omitempty"` // formulas that would give an error and do not
	Unknown int    `json:"unknown,omitempty"`    // formulas that may change and cannot be calculated
}

// Cell is a cell that was read. With scenarios WouldBe and Unknown are by their names.
type Cell struct {
	At      string `json:"cell"`
	Now     any    `json:"now"` // as the file has it; a formula without a value is calculated
	WouldBe any    `json:"would_be,omitempty"`
	Unknown any    `json:"unknown,omitempty"` // why a value is not known
}

// Ask answers a question about a workbook. Errors are *formats.Error, such as
// CodeTooLarge for a workbook that is too large to calculate here, or those of ctx.
func Ask(ctx context.Context, src formats.Source, question Question) (*Answer, error) {
	wb, err := book.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	q := &asked{Question: question, src: src, wb: wb}
	a, err := q.answer(ctx)
	return a, book.Typed(err, src.Name())
}

func (q *asked) answer(ctx context.Context) (*Answer, error) {
	if err := q.open(ctx); err != nil {
		return nil, err
	}
	if err := q.check(ctx); err != nil {
		return nil, err
	}
	out := &Answer{Calc: formats.CalcAtelier, Language: q.opts.Language, Cells: []Cell{}}
	r := &reading{asked: q, out: out, at: map[calc.Place]int{}}
	if len(q.read) > 0 {
		r.listed()
	}
	if err := r.stale(ctx); err != nil {
		return nil, err
	}
	if len(q.Scenarios) == 0 {
		return out, r.run(ctx, "", q.Set)
	}
	for _, s := range q.Scenarios {
		if err := r.run(ctx, s.Name, q.Set, s.Set); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reading collects the cells of an answer.
type reading struct {
	*asked
	out *Answer
	at  map[calc.Place]int // index in out.Cells
}

// listed adds the cells that were asked for. Empty cells of ranges are left out.
func (r *reading) listed() {
	for _, a := range r.read {
		if a.R1 == a.R2 && a.C1 == a.C2 {
			r.add(calc.At(a.Sheet, a.R1, a.C1))
			continue
		}
		r.book.EachCell(a, func(at calc.Place, _ calc.Value) bool {
			r.add(at)
			return true
		})
	}
}

// add adds a cell with its present value.
func (r *reading) add(at calc.Place) {
	if _, ok := r.at[at]; ok {
		return
	}
	if len(r.out.Cells) == MaxRead {
		r.out.More++
		return
	}
	r.at[at] = len(r.out.Cells)
	c := Cell{At: r.name(at)}
	v := r.book.ValueAt(at)
	if v.Kind() == calc.Unknown {
		c.Unknown = v.Reason().Text
	} else {
		c.Now = shown(v)
	}
	r.out.Cells = append(r.out.Cells, c)
}

// run calculates one set of changes and puts its values into the answer.
func (r *reading) run(ctx context.Context, name string, sets ...map[string]any) error {
	inputs, err := r.inputs(ctx, sets...)
	if err != nil {
		return err
	}
	var t *calc.Trial
	if r.Goal != nil {
		t, r.out.Goal, err = r.seek(ctx, inputs)
	} else if len(inputs) > 0 {
		t, err = r.book.Try(ctx, r.opts, inputs)
	}
	if err == nil && t == nil && name != "" { // a scenario that sets nothing
		r.out.Scenarios = append(r.out.Scenarios, Outcome{Name: name})
		for at, i := range r.at {
			r.out.Cells[i].put(name, r.book.ValueAt(at))
		}
	}
	if err != nil || t == nil {
		return err
	}
	if err := r.refuseSyntax(inputs); err != nil {
		return err
	}
	o := r.outcome(t)
	o.Name = name
	r.filled()
	if name != "" {
		r.out.Scenarios = append(r.out.Scenarios, o)
	} else {
		r.out.Outcome = &o
	}
	for at, i := range r.at {
		r.out.Cells[i].put(name, r.book.ValueAt(at))
	}
	t.Close()
	if t.Resized && name != "" {
		return r.open(ctx)
	}
	return nil
}

// filled adds the cells of the ranges that were asked for which have something now and
// had nothing before. Scenarios before this one left them empty.
func (r *reading) filled() {
	for _, a := range r.read {
		r.book.EachCell(a, func(at calc.Place, _ calc.Value) bool {
			if _, ok := r.at[at]; !ok {
				r.addWas(at, calc.Value{})
				if i, ok := r.at[at]; ok {
					for _, s := range r.out.Scenarios {
						r.out.Cells[i].put(s.Name, calc.Value{})
					}
				}
			}
			return true
		})
	}
}

// outcome counts what changes, and adds the changed formulas where no cells were asked
// for.
func (r *reading) outcome(t *calc.Trial) Outcome {
	var o Outcome
	t.EachDependant(func(at calc.Place, was, now calc.Value) {
		switch {
		case now.Kind() == calc.Unknown:
			o.Unknown++
		case same(was, now):
			return
		default:
			o.Changed++
		}
		if now.IsError() && !was.IsError() {
			o.Errors++
		}
		if len(r.read) == 0 {
			r.addWas(at, was)
		}
	})
	return o
}

// addWas adds a cell whose value was another one before.
func (r *reading) addWas(at calc.Place, was calc.Value) {
	_, known := r.at[at]
	r.add(at)
	if i, ok := r.at[at]; ok && !known {
		c := &r.out.Cells[i]
		c.Now, c.Unknown = nil, nil
		if was.Kind() == calc.Unknown {
			c.Unknown = was.Reason().Text
		} else {
			c.Now = shown(was)
		}
	}
}

// put sets the value of a scenario, or without a name that of the only one.
func (c *Cell) put(name string, v calc.Value) {
	unknown := v.Kind() == calc.Unknown
	switch {
	case name == "" && unknown:
		c.Unknown = v.Reason().Text
	case name == "":
		c.Unknown = nil
		if c.WouldBe = shown(v); c.WouldBe == nil {
			c.WouldBe = json.RawMessage("null") // an empty cell, which omitempty would leave out
		}
	case unknown:
		c.Unknown = withName(c.Unknown, name, v.Reason().Text)
	default:
		c.WouldBe = withName(c.WouldBe, name, shown(v))
	}
}

// withName adds a value to those by scenario.
func withName(to any, name string, v any) map[string]any {
	m, ok := to.(map[string]any)
	if !ok {
		m = map[string]any{}
		if to != nil {
			m["now"] = to
		}
	}
	m[name] = v
	return m
}

// refuseSyntax returns an error for a formula of the question that cannot be read.
func (r *reading) refuseSyntax(inputs []calc.Input) error {
	for _, in := range inputs {
		if v := r.book.ValueAt(in.At); in.Formula != "" && v.Kind() == calc.Unknown && v.Reason().Code == calc.ReasonSyntax && v.Reason().From == in.At {
			return formats.Errorf(formats.CodeInvalid, "the formula for %s is malformed: %s", r.name(in.At), v.Reason().Text)
		}
	}
	return nil
}

// stale notes formulas whose values in the file are not what they give now, before
// anything is changed: what is told to change includes that difference.
func (r *reading) stale(ctx context.Context) error {
	var areas []calc.Area
	sets := []map[string]any{r.Set}
	for _, s := range r.Scenarios {
		sets = append(sets, s.Set)
	}
	for _, set := range sets {
		inputs, err := r.inputs(ctx, set)
		if err != nil {
			return err
		}
		for _, in := range inputs {
			areas = append(areas, one(in.At))
		}
	}
	if r.Goal != nil {
		areas = append(areas, one(r.vary))
	}
	if len(areas) == 0 {
		return nil
	}
	t, err := r.book.Try(ctx, r.opts, nil, areas...)
	if err != nil {
		return err
	}
	n, first := 0, ""
	t.EachDependant(func(at calc.Place, was, now calc.Value) {
		if now.Kind() == calc.Unknown || same(was, now) {
			return
		}
		if n++; n == 1 {
			first = fmt.Sprintf("%s is %v in the file and %v calculated", r.name(at), shown(was), shown(now))
		}
	})
	if n > 0 {
		r.out.Notes = append(r.out.Notes, formats.Count(n, "formula has a value in the file that is not what it gives without any change", "formulas have values in the file that are not what they give without any change")+": "+first)
	}
	t.Close()
	if t.Resized {
		return r.open(ctx)
	}
	return nil
}

// one returns the area of a cell.
func one(at calc.Place) calc.Area {
	a := calc.Area{Sheet: at.Sheet}
	a.R1, a.R2, a.C1, a.C2 = at.Row, at.Row, at.Col, at.Col
	return a
}

// same reports whether two values are shown alike, with 15 digits.
func same(a, b calc.Value) bool { return a.Kind() == b.Kind() && shown(a) == shown(b) }

// shown returns a value for JSON: numbers with 15 digits, nil for an empty cell.
func shown(v calc.Value) any {
	switch v.Kind() {
	case calc.Number:
		x, err := strconv.ParseFloat(strconv.FormatFloat(v.Num(), 'g', 15, 64), 64)
		if err != nil { // rounded beyond the largest number
			return v.Num()
		}
		return x
	case calc.Text:
		return v.Text()
	case calc.Bool:
		return v.Bool()
	case calc.Err:
		return v.Error().String()
	}
	return nil
}
