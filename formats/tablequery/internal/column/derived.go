package column

import (
	"math"
	"slices"
	"strings"

	"atelier/formats/tablequery/internal/image"
)

// derived is an expression of columns, such as substr(day, 1, 7). Its values are made
// once for each combination of values of its columns, by SQLite.
type derived struct {
	sql     string // as written
	key     string // the same for expressions that differ in blanks and case only
	columns []int
}

// maxCombinations bounds the combinations of values for which an expression is made.
const maxCombinations = 20_000

// pure are the functions whose value depends on their arguments only, dates those that
// read the clock where they have no value to work on.
var (
	pure  = []string{"substr", "substring", "lower", "upper", "trim", "ltrim", "rtrim", "length", "abs", "round", "coalesce", "ifnull", "nullif", "iif", "instr", "replace"}
	dates = []string{"strftime", "date", "datetime", "julianday"}
	words = []string{"case", "when", "then", "else", "end", "and", "or", "not", "in", "is", "null", "between", "like", "true", "false"}
)

// derivedColumn reads a CASE or a call of a function, and returns its number: those
// of derived columns follow those of the table.
func (p *parser) derivedColumn() int {
	n := p.extent()
	if n == 0 {
		p.fail = true
		return 0
	}
	return p.derive(n)
}

// derive returns the number of the column that the next n tokens derive.
func (p *parser) derive(n int) int {
	toks := p.toks[:n]
	p.toks = p.toks[n:]
	d := derived{sql: p.sql[toks[0].at:toks[n-1].end]}
	for i, t := range toks {
		switch {
		case t.kind == 's' && strings.Contains(strings.ToLower(t.text), "now"):
			p.fail = true // the time of the question
		case t.kind == 'w' && i+1 < n && toks[i+1].is("(") && !t.quoted && !t.is("in") && !slices.Contains(words, strings.ToLower(t.text)):
			p.fail = p.fail || !p.allowed(toks[i:])
		case t.kind == 'w' && (t.quoted || !slices.Contains(words, strings.ToLower(t.text))):
			c := p.findColumn(t)
			if p.fail = p.fail || c < 0; !slices.Contains(d.columns, c) {
				d.columns = append(d.columns, c)
			}
		case t.kind == 'w' && p.findColumn(t) >= 0:
			p.fail = true // a column that is called as a keyword
		}
		text := t.text
		if t.kind == 'w' {
			text = lower(text)
		}
		d.key += string(t.kind) + text + "\x00"
	}
	p.fail = p.fail || len(d.columns) == 0
	at := slices.IndexFunc(p.derived, func(o derived) bool { return o.key == d.key })
	if at < 0 {
		at = len(p.derived)
		p.derived = append(p.derived, d)
	}
	return len(p.columns) + at
}

// clauses are the words that end the conditions on rows.
var clauses = []string{"group", "having", "order", "limit", "window", "union", "intersect", "except", ";"}

// where reads the conditions on rows: those of one column one by one, others as derived
// columns, and all as one where they are joined by OR.
func (p *parser) where() (tests []test) {
	if _, or := p.term(""); or {
		return append(tests, p.derivedTest(""))
	}
	for again := true; again && !p.fail; again = p.accept("and") {
		n, _ := p.term("and")
		simple := *p
		if c := simple.test(); !simple.fail && len(p.toks)-len(simple.toks) == n {
			*p = simple
			tests = append(tests, c)
		} else {
			tests = append(tests, p.derivedTest("and"))
		}
	}
	return tests
}

// derivedTest is a condition up to a word or the end of all conditions.
func (p *parser) derivedTest(until string) test {
	n, _ := p.term(until)
	if n == 0 {
		p.fail = true
		return test{}
	}
	return test{column: p.derive(n), op: "<>", values: []any{int64(0)}}
}

// term returns how many tokens there are up to a word, or up to the end of the conditions,
// and whether an OR is among them. What is in parentheses, in a CASE, or between BETWEEN
// and its AND belongs together.
func (p *parser) term(until string) (n int, or bool) {
	depth, between := 0, 0
	for i, t := range p.toks {
		switch {
		case t.is("(") || t.is("case"):
			depth++
		case t.is(")") || t.is("end"):
			depth--
		case depth > 0:
		case t.is("between"):
			between++
		case t.is("and") && between > 0:
			between--
		case t.is("or"):
			or = true
		case until != "" && t.is(until), !t.quoted && slices.Contains(clauses, strings.ToLower(t.text)) && (t.kind == 'w' || t.kind == 'p'):
			return i, or
		}
	}
	return len(p.toks), or
}

// extent returns how many tokens the CASE or the call at the beginning has, 0 for none.
func (p *parser) extent() int {
	depth, cases := 0, 0
	for i, t := range p.toks {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is("case"):
			cases++
		case t.is("end"):
			cases--
		case i == 0:
			continue // the name of a function
		}
		if depth == 0 && cases == 0 {
			return i + 1
		}
		if depth < 0 || cases < 0 {
			return 0
		}
	}
	return 0
}

// allowed reports whether the function at the beginning of toks has the same value for
// the same values of columns.
func (p *parser) allowed(toks []token) bool {
	name := strings.ToLower(toks[0].text)
	if slices.Contains(pure, name) {
		return true
	}
	if !slices.Contains(dates, name) {
		return false
	}
	inside := parser{toks: toks, columns: p.columns}
	return slices.ContainsFunc(toks[2:max(2, inside.extent())], func(t token) bool { return t.kind == 'w' && p.findColumn(t) >= 0 })
}

// isDerived reports whether what follows is a CASE or a call of a function that derives
// a column.
func (p *parser) isDerived() bool {
	if len(p.toks) < 2 || p.toks[0].kind != 'w' || p.toks[0].quoted {
		return false
	}
	name := strings.ToLower(p.toks[0].text)
	return name == "case" || p.toks[1].is("(") && (slices.Contains(pure, name) || slices.Contains(dates, name))
}

// Expression returns the values of an expression in rows of the table, given by their
// 0-based numbers in rising order. called is the name by which it may call the table.
type Expression func(sql, called string, rows []int) ([]any, error)

// with returns the table with the derived columns of a plan, nil when there are too many
// values, or values of several types, which SQLite has to compare.
func (t *Table) with(p Plan, eval Expression) (*Table, error) {
	out := &Table{rows: t.rows, types: slices.Clone(t.types), base: t}
	for _, d := range p.derived {
		c, kind, err := t.derive(d, p.called, eval)
		if c == nil || err != nil {
			return nil, err
		}
		out.types, out.derived = append(out.types, kind), append(out.derived, c)
	}
	return out, nil
}

// derive makes the codes of a derived column.
func (t *Table) derive(d derived, called string, eval Expression) (*codes, image.Kind, error) {
	keys, all := make([]*codes, len(d.columns)), 1
	for i, c := range d.columns {
		if keys[i] = t.readCodes(c); keys[i].failed {
			return nil, 0, nil
		}
		if all *= len(keys[i].values); all > maxGroups {
			return nil, 0, nil
		}
	}
	combination := make([]int32, t.rows)
	t.numberGroups(combination, keys)
	place := make([]int32, all) // 1 + the place in firsts
	var firsts []int
	for row, g := range combination {
		if place[g] == 0 {
			firsts = append(firsts, row)
			place[g] = int32(len(firsts))
			if len(firsts) > maxCombinations {
				return nil, 0, nil
			}
		}
	}
	values, err := eval(d.sql, called, firsts)
	if err != nil || len(values) != len(firsts) {
		return nil, 0, err
	}
	kind, ok := oneKind(values)
	if !ok {
		return nil, 0, nil
	}
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, compare)
	sorted = slices.Compact(slices.DeleteFunc(sorted, func(v any) bool { return v == nil }))
	at := map[any]uint16{nil: 0}
	for i, v := range sorted {
		at[v] = uint16(i + 1)
	}
	c := &codes{of: make([]uint16, t.rows), values: append([]any{nil}, sorted...)}
	codeOf := make([]uint16, len(values))
	for i, v := range values {
		codeOf[i] = at[v]
	}
	for row, g := range combination {
		c.of[row] = codeOf[place[g]-1]
	}
	return c, kind, nil
}

// oneKind returns the kind that all values but nil have; ok is false for several.
func oneKind(values []any) (kind image.Kind, ok bool) {
	kind = image.Null
	for _, v := range values {
		k := image.Null
		switch v := v.(type) {
		case string:
			if strings.Contains(v, "\uFFFD") {
				return kind, false // perhaps several texts that are not UTF-8
			}
			k = image.Text
		case int64:
			k = image.Int
		case float64:
			if v == 0 && math.Signbit(v) {
				return kind, false // equal to 0 and shown otherwise
			}
			k = image.Float
		default:
			continue
		}
		if kind != image.Null && kind != k {
			return kind, false
		}
		kind = k
	}
	if kind == image.Null {
		kind = image.Text
	}
	return kind, true
}

// derivedNumbers returns the values of a derived column of numbers by row.
func (t *Table) derivedNumbers(column int) *numbers {
	c, n := t.readCodes(column), &numbers{null: make([]bool, t.rows)}
	if t.types[column] == image.Int {
		n.ints = make([]int64, t.rows)
	} else {
		n.floats = make([]float64, t.rows)
	}
	for row, code := range c.of {
		switch v := c.values[code].(type) {
		case int64:
			n.ints[row] = v
		case float64:
			n.floats[row] = v
		default:
			n.null[row] = true
		}
	}
	return n
}
