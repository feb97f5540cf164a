package column

import (
	"slices"
	"strconv"
	"strings"
)

// Plan is a question that a Table may be able to answer.
type Plan struct {
	items         []item
	shown         int  // items of the result; those after it are for having and order
	distinct      bool // each row of the result once, in the order of their first rows in the table
	where         []test
	having        []test // of items: column is the index of one
	group         []int  // columns
	order         []term
	limit, offset int // limit -1: none
	derived       []derived
	called        string // the name by which the question calls the table
}

// item is an expression of the result: a column of the group ("" for fn), or a
// function of a column; count(*) has column -1.
type item struct {
	fn     string // count, distinct, sum, avg, min, max
	column int
	round  bool // its value is rounded to so many digits
	digits int
}

// test is a condition: column op value, or one of the values for op "in".
type test struct {
	column int
	op     string // = <> < <= > >= in null notnull
	values []any  // int64, float64 or string
}

type term struct {
	item int
	desc bool
}

// parser reads tokens; fail says that the question is not one of ours.
type parser struct {
	toks    []token
	columns []string
	alias   []string // of items, lower case
	items   []item
	sql     string
	derived []derived
	fail    bool
}

// Derives reports whether the values of expressions are needed, which SQLite makes of rows.
func (p Plan) Derives() bool { return len(p.derived) > 0 }

// Parse reads a question about a table with the given columns, which goes by
// the given names (lower case). It must be valid: that is for SQLite to say.
// ok is false when it is none that this package answers.
func Parse(sql string, columns, names []string) (p Plan, ok bool) {
	toks, ok := lex(sql)
	if !ok {
		return p, false
	}
	if toks, p.called, ok = unqualified(toks, names); !ok {
		return p, false
	}
	ps := &parser{toks: toks, columns: columns, sql: sql}
	ps.expect("select")
	p.distinct = ps.accept("distinct")
	for again := true; again && !ps.fail; again = ps.accept(",") {
		ps.item()
	}
	p.shown = len(ps.items)
	ps.expect("from")
	ps.next() // the table
	p.limit = -1
	if ps.accept("where") {
		p.where = ps.where()
	}
	if ps.accept("group") {
		ps.expect("by")
		for again := true; again && !ps.fail; again = ps.accept(",") {
			p.group = append(p.group, ps.groupTerm())
		}
		if ps.accept("having") {
			for again := true; again && !ps.fail; again = ps.accept("and") {
				p.having = append(p.having, ps.condition(ps.itemTerm()))
			}
		}
	}
	if ps.accept("order") {
		ps.expect("by")
		for again := true; again && !ps.fail; again = ps.accept(",") {
			p.order = append(p.order, ps.orderTerm())
		}
	}
	if ps.accept("limit") {
		p.limit = ps.count()
		if ps.accept("offset") {
			p.offset = ps.count()
		}
	}
	for ps.accept(";") {
	}
	p.items, p.derived = ps.items, ps.derived
	return p, !ps.fail && len(ps.toks) == 0 && p.groupsDistinct() && p.valid()
}

// unqualified takes out the name that a question gives the table, and the names of
// the table before columns; ok is false where it reads another table, or several.
func unqualified(toks []token, names []string) (out []token, name string, ok bool) {
	at := slices.IndexFunc(toks, func(t token) bool { return t.is("from") })
	if at < 0 || at+1 >= len(toks) || toks[at+1].kind != 'w' || !slices.Contains(names, strings.ToLower(toks[at+1].text)) {
		return nil, "", false
	}
	name = toks[at+1].text
	rest := toks[at+2:]
	as := len(rest) > 1 && rest[0].is("as")
	if as {
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0].kind == 'w' && (as || rest[0].quoted || !slices.Contains(afterTable, strings.ToLower(rest[0].text))) {
		name, rest = rest[0].text, rest[1:]
	} else if as {
		return nil, "", false
	}
	all := slices.Concat(toks[:at+2], rest)
	for i := 0; i < len(all); i++ {
		if i+2 < len(all) && all[i].kind == 'w' && lower(all[i].text) == lower(name) && all[i+1].is(".") && all[i+2].kind == 'w' {
			i += 2
			all[i].quoted = true // no keyword
		}
		out = append(out, all[i])
	}
	return out, name, true
}

// afterTable are the words that may follow the name of a table instead of a name that
// the question gives it.
var afterTable = []string{"where", "group", "having", "order", "limit", "join", "inner", "left", "right", "full", "cross", "natural", "outer", "on", "using",
	"union", "intersect", "except", "window", "indexed", "not"}

// groupsDistinct makes a question for different rows one that groups by its columns. It
// reports false where it cannot: functions and groups, and an order that leaves open
// which of two rows comes first.
func (p *Plan) groupsDistinct() bool {
	if !p.distinct {
		return true
	}
	if len(p.group) > 0 || len(p.items) > p.shown {
		return false
	}
	for i, it := range p.items {
		if it.fn != "" {
			return false
		}
		if len(p.order) > 0 && !slices.ContainsFunc(p.order, func(t term) bool { return p.items[t.item].column == it.column }) {
			return false
		}
		if slices.IndexFunc(p.items, func(o item) bool { return o.column == it.column }) == i {
			p.group = append(p.group, it.column)
		}
	}
	p.distinct = len(p.order) == 0 // an order says all
	return true
}

// valid: there is something to sum up, and what is not summed up is of the
// group.
func (p *Plan) valid() bool {
	sums := len(p.group) > 0
	for _, it := range p.items {
		sums = sums || it.fn != ""
		if it.fn == "" && !slices.Contains(p.group, it.column) {
			return false
		}
	}
	return sums
}

func (p *parser) next() token {
	if len(p.toks) == 0 {
		p.fail = true
		return token{}
	}
	t := p.toks[0]
	p.toks = p.toks[1:]
	return t
}

func (p *parser) accept(what string) bool {
	if len(p.toks) > 0 && p.toks[0].is(what) {
		p.toks = p.toks[1:]
		return true
	}
	return false
}

func (p *parser) expect(what string) { p.fail = !p.accept(what) || p.fail }

// findColumn returns the column of that name, -1 when there is none; names
// compare without the case of ASCII letters.
func (p *parser) findColumn(t token) int {
	if t.kind != 'w' {
		return -1
	}
	return slices.IndexFunc(p.columns, func(c string) bool { return lower(c) == lower(t.text) })
}

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func (p *parser) column() int {
	if p.isDerived() {
		return p.derivedColumn()
	}
	c := p.findColumn(p.next())
	p.fail = p.fail || c < 0
	return c
}

// expression returns a column or a function of one.
func (p *parser) expression() item {
	if len(p.toks) < 2 || !p.toks[1].is("(") || p.toks[0].quoted || p.isDerived() && !p.roundsFunction() {
		return item{column: p.column()}
	}
	if p.toks[0].is("round") {
		return p.rounded()
	}
	it := item{fn: strings.ToLower(p.next().text), column: -1}
	p.expect("(")
	switch it.fn {
	case "count":
		if p.accept("*") || p.one() {
			break
		}
		if p.accept("distinct") {
			it.fn = "distinct"
		}
		it.column = p.column()
	case "sum", "avg", "min", "max":
		it.column = p.column()
	default:
		p.fail = true
	}
	p.expect(")")
	return it
}

// roundsFunction reports whether what follows rounds a function of a column.
func (p *parser) roundsFunction() bool {
	return len(p.toks) > 3 && p.toks[0].is("round") && p.toks[3].is("(") && slices.Contains([]string{"count", "sum", "avg", "min", "max"}, strings.ToLower(p.toks[2].text))
}

// rounded returns a function of a column that is rounded.
func (p *parser) rounded() item {
	p.next()
	p.expect("(")
	it := p.expression()
	p.fail = p.fail || it.fn == "" || it.round
	it.round = true
	if p.accept(",") {
		it.digits = p.count()
		p.fail = p.fail || it.digits > 30
	}
	p.expect(")")
	return it
}

// one accepts the number 1, which count counts as it counts rows.
func (p *parser) one() bool {
	ok := len(p.toks) > 0 && p.toks[0].kind == 'n' && p.toks[0].text == "1"
	if ok {
		p.toks = p.toks[1:]
	}
	return ok
}

func (p *parser) item() {
	it, alias := p.expression(), ""
	if p.accept("as") || len(p.toks) > 0 && p.toks[0].kind == 'w' && !p.toks[0].is("from") {
		t := p.next()
		p.fail = p.fail || t.kind != 'w'
		alias = lower(t.text)
		// A name for something else than the column of that name means
		// different things in different places.
		if c := p.findColumn(t); c >= 0 && (it.fn != "" || c != it.column) {
			p.fail = true
		}
	}
	p.items, p.alias = append(p.items, it), append(p.alias, alias)
}

// reference finds an item by its position or its name; -1 when it is none.
func (p *parser) reference() int {
	if len(p.toks) == 0 {
		return -1
	}
	i := -1
	switch t := p.toks[0]; t.kind {
	case 'n':
		n, err := strconv.Atoi(t.text)
		if err != nil || n < 1 || n > len(p.items) {
			p.fail = true
			return -1
		}
		i = n - 1
	case 'w':
		if i = slices.Index(p.alias, lower(t.text)); i < 0 || len(p.toks) > 1 && p.toks[1].is("(") {
			return -1
		}
	default:
		return -1
	}
	p.next()
	return i
}

func (p *parser) groupTerm() int {
	i := p.reference()
	if i < 0 {
		return p.column()
	}
	p.fail = p.fail || p.items[i].fn != ""
	return p.items[i].column
}

func (p *parser) orderTerm() term {
	i := p.reference()
	if i < 0 && !p.fail {
		i = p.hidden(p.expression())
	}
	t := term{item: i, desc: p.accept("desc")}
	if !t.desc {
		p.accept("asc")
	}
	return t
}

// itemTerm returns the index of an item that a condition on groups names, or of one
// that is made for it.
func (p *parser) itemTerm() int {
	if len(p.toks) > 0 && p.toks[0].kind == 'w' {
		if i := p.reference(); i >= 0 {
			return i
		}
	}
	if p.fail {
		return 0
	}
	return p.hidden(p.expression())
}

// hidden returns the index of an item, which is not shown if the result does not have it.
func (p *parser) hidden(it item) int {
	i := slices.Index(p.items, it)
	if i < 0 {
		i = len(p.items)
		p.items, p.alias = append(p.items, it), append(p.alias, "\x00")
	}
	return i
}

func (p *parser) count() int {
	t := p.next()
	n, err := strconv.Atoi(t.text)
	p.fail = p.fail || t.kind != 'n' || err != nil || n > 1<<40
	return n
}

// value returns a literal.
func (p *parser) value() any {
	minus := p.accept("-")
	t := p.next()
	switch {
	case t.kind == 's' && !minus:
		return t.text
	case (t.is("true") || t.is("false")) && !minus && p.findColumn(t) < 0:
		if t.is("true") {
			return int64(1)
		}
		return int64(0)
	case t.kind == 'n':
		if minus {
			t.text = "-" + t.text
		}
		if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
			return n
		}
		// Few digits: both programs read them alike.
		if f, err := strconv.ParseFloat(t.text, 64); err == nil && len(t.text) <= 15 && !strings.ContainsAny(t.text, "eExX_") {
			return f
		}
	}
	p.fail = true
	return nil
}

func (p *parser) test() test { return p.condition(p.column()) }

// condition returns a condition on a column or an item.
func (p *parser) condition(column int) test {
	c := test{column: column}
	switch t := p.next(); {
	case t.kind == 'p' && slices.Contains([]string{"=", "==", "<>", "!=", "<", "<=", ">", ">="}, t.text):
		c.op = map[string]string{"==": "=", "!=": "<>"}[t.text]
		if c.op == "" {
			c.op = t.text
		}
		c.values = []any{p.value()}
	case t.is("is"):
		c.op = "null"
		if p.accept("not") {
			c.op = "notnull"
		}
		p.expect("null")
	case t.is("in"):
		c.op = "in"
		p.expect("(")
		for again := true; again && !p.fail; again = p.accept(",") {
			c.values = append(c.values, p.value())
		}
		p.expect(")")
	case t.is("between"):
		c.op = "between"
		low := p.value()
		p.expect("and")
		c.values = []any{low, p.value()}
	default:
		p.fail = true
	}
	return c
}
