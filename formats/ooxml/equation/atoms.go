package equation

import (
	"slices"
	"strings"
)

// scripted reads an atom with the scripts behind it; ok is false when it is
// nothing that shows.
func (p *parser) scripted(stop func(token) bool, end int) (atom, bool) {
	a, ok := p.atom(stop, end)
	if !ok {
		return a, false
	}
	inside := p.limitsWord(a)
	sub, sup := p.scripts(end)
	n := p.names
	switch {
	case a.nary != "":
		return atom{xml: n.nary(a.nary, inside, sub, sup, p.operand(stop, end, false))}, true
	case a.fn != "":
		name := n.scripts(a.fn, sub, sup)
		if inside {
			name = n.limits(a.fn, sub, sup)
		}
		if arg := p.operand(stop, end, true); arg != "" {
			return atom{xml: n.element("func", n.element("fName", name)+n.element("e", arg))}, true
		}
		return atom{xml: n.element("func", n.element("fName", name)+n.element("e", ""))}, true
	case sub == "" && sup == "":
		return a, true
	case a.lim:
		return atom{xml: n.limits(a.xml, sub, sup)}, true
	}
	base := p.join([]atom{a})
	if base == "" {
		base = n.run(emptyBase, look{})
	}
	return atom{xml: n.scripts(base, sub, sup)}, true
}

// limitsWord takes \limits and \nolimits, and reports whether scripts stand
// above and below: they do at sums, not at integrals.
func (p *parser) limitsWord(a atom) bool {
	inside := a.lim || a.nary != "" && !strings.ContainsAny(a.nary, "∫∬∭∮∯")
	for p.peek().named("limits") || p.peek().named("nolimits") {
		inside = p.peek().text == "limits"
		p.i++
	}
	return inside
}

// scripts reads ^ and _ and primes, one of each at most.
func (p *parser) scripts(end int) (sub, sup string) {
	primes := ""
loop:
	for p.more() && p.i < end {
		t := p.peek()
		switch {
		case t.is("'"):
			primes += "′"
			p.i++
		case t.is("_") && sub == "":
			p.i++
			sub = orEmpty(p.group("_"), p.names)
		case t.is("^") && sup == "":
			p.i++
			sup = orEmpty(p.group("^"), p.names)
		case t.is("_") || t.is("^"):
			p.fail("two %s stand at one place; put the first with what it stands at in braces", t.text)
		default:
			break loop
		}
	}
	if primes != "" {
		sup = p.names.run(primes, look{}) + sup
	}
	return sub, sup
}

// operand reads what a sum or a function applies to: the group behind it, else
// atoms up to the next operator; of a function one atom.
func (p *parser) operand(stop func(token) bool, end int, one bool) string {
	defer p.enter()()
	if p.i < end && p.peek().is("{") {
		return p.group("{")
	}
	var out []atom
	for p.more() && p.i < end && !stop(p.ts[p.i]) && !p.endsOperand(p.ts[p.i]) {
		if a, ok := p.scripted(stop, end); ok {
			if out = append(out, a); one {
				break
			}
		}
	}
	return p.join(out)
}

// endsOperand reports whether a token is none of the operand before it.
func (p *parser) endsOperand(t token) bool {
	switch {
	case t.command:
		return symbols[t.text].class == operator && !slices.Contains([]string{"cdot", "times", "circ", "div", "ast"}, t.text) || slices.Contains([]string{`\`, "right", "middle", "end", "quad", "qquad", ";"}, t.text)
	case t.raw:
		return t.text == "}"
	}
	return classes[t.text] == operator && t.text != "⋅" && t.text != "×" || strings.Contains(",;&}]) ", t.text)
}

// atom reads one token with its arguments.
func (p *parser) atom(stop func(token) bool, end int) (atom, bool) {
	t := p.peek()
	n := p.names
	switch {
	case t.command:
		p.i++
		return p.command(t, stop, end)
	case t.raw && t.text == "{":
		return p.escapedBraces(stop, end), true
	case t.raw:
		p.i++
		return atom{text: t.text}, true
	case t.is("{"):
		p.i++
		xml := p.list(func(t token) bool { return t.is("}") }, len(p.ts))
		p.close("{")
		return atom{xml: orEmpty(xml, n)}, true
	case t.is("^") || t.is("_"):
		return atom{text: emptyBase}, true
	case (t.is("(") || t.is("[") || t.is("|")) && t.match > 0 && t.match < end:
		p.i++
		inner := p.list(stop, t.match)
		if p.err == nil && p.i != t.match {
			p.fail("%s at character %d is not closed", t.text, t.pos+1)
		}
		p.i = t.match + 1
		return atom{xml: n.brackets(t.text, map[string]string{"(": ")", "[": "]", "|": "|"}[t.text], []string{inner})}, true
	case t.is("~"):
		p.i++
		return atom{text: "\u00a0"}, true
	case t.is("'"):
		p.i++
		return atom{text: "′"}, true
	case classes[t.text] == large:
		p.i++
		return atom{nary: t.text}, true
	}
	p.i++
	return atom{text: t.text, kind: classes[t.text]}, true
}

// orEmpty returns the XML of a group, of an empty one a run that scripts can
// stand at.
func orEmpty(xml string, n Names) string {
	if xml == "" {
		return n.run(emptyBase, look{})
	}
	return xml
}

// escapedBraces reads \{ … \} as brackets where they belong together.
func (p *parser) escapedBraces(stop func(token) bool, end int) atom {
	depth, groups := 0, 0
	for j := p.i; j < min(end, len(p.ts)) && groups >= 0; j++ {
		switch t := p.ts[j]; {
		case t.is("{") || t.named("left") || t.named("begin"):
			groups++
		case t.is("}") || t.named("right") || t.named("end"):
			groups--
		case groups > 0:
		case t.is("&") || t.named(`\`):
			j = end
		case t.raw && t.text == "{":
			depth++
		case t.raw && t.text == "}":
			if depth--; depth > 0 {
				continue
			}
			p.i++
			inner := p.list(stop, j)
			if p.i != j {
				p.fail(`\{ at character %d is not closed`, p.ts[p.i].pos+1)
			}
			p.i = j + 1
			return atom{xml: p.names.brackets("{", "}", []string{inner})}
		}
	}
	p.i++
	return atom{text: "{"}
}

// leftRight reads \left … \middle … \right.
func (p *parser) leftRight() atom {
	open := p.delimiter(`\left`)
	stop := func(t token) bool { return t.named("right") || t.named("middle") || t.is("}") || t.named("end") }
	parts := []string{p.list(stop, len(p.ts))}
	sep := "|"
	for p.peek().named("middle") {
		p.i++
		sep = p.delimiter(`\middle`)
		parts = append(parts, p.list(stop, len(p.ts)))
	}
	if !p.peek().named("right") {
		p.fail(`a \right is missing for \left%s`, open)
	}
	p.i++
	return atom{xml: p.names.delimiters(open, sep, p.delimiter(`\right`), parts)}
}

// delimiter reads the bracket behind \left and its kin; "" for a dot.
func (p *parser) delimiter(of string) string {
	t := p.peek()
	if p.i++; p.i > len(p.ts) {
		p.fail("a bracket is missing behind %s", of)
		return ""
	}
	switch s, known := symbols[t.text]; {
	case t.command && known:
		return s.text
	case t.named("|"):
		return "‖"
	case t.command:
		p.fail(`%s%s is no bracket`, of, t.name())
	case t.is("."):
		return ""
	case t.is("<"):
		return "⟨"
	case t.is(">"):
		return "⟩"
	}
	return t.text
}

// alone returns an atom that nothing is applied to.
func (p *parser) alone(a atom) atom {
	switch {
	case a.fn != "":
		return atom{xml: a.fn}
	case a.nary != "":
		return atom{xml: p.names.run(a.nary, look{})}
	}
	return a
}

// maxColumns bounds the cells of a row.
const maxColumns = 64

// environment reads \begin{…} … \end{…}.
func (p *parser) environment() atom {
	name := p.plain(`\begin`)
	around, table := environments[name]
	if !table && !stacks[name] && name != "equation" && name != "equation*" && name != "displaymath" {
		p.fail(`the environment %s is not known; there are matrix, pmatrix, bmatrix, Bmatrix, vmatrix, Vmatrix, array, cases, aligned, gathered`, name)
		return atom{}
	}
	if name == "array" || strings.HasPrefix(name, "alignedat") {
		p.plain(`\begin{` + name + "}") // the alignment of columns
	}
	cases := name == "cases" || name == "rcases"
	rows := p.table(name, !table && !cases)
	n := p.names
	switch {
	case table && around[0] == "":
		return atom{xml: n.matrix(rows, "center")}
	case table:
		return atom{xml: n.brackets(around[0], around[1], []string{n.matrix(rows, "center")})}
	case cases:
		open, shut := "{", ""
		if name == "rcases" {
			open, shut = "", "}"
		}
		return atom{xml: n.delimiters(open, "|", shut, []string{n.matrix(rows, "left")})}
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = strings.Join(r, "")
	}
	if len(lines) == 1 {
		return atom{xml: lines[0]}
	}
	return atom{xml: n.stack(lines)}
}

// table reads rows of cells up to \end; keep leaves the & between cells, where
// an equation array is aligned.
func (p *parser) table(name string, keep bool) (rows [][]string) {
	stop := func(t token) bool { return t.named(`\`) || t.is("&") || t.named("end") || t.is("}") }
	row := []string{}
	for p.err == nil {
		if len(row) > 2*maxColumns {
			p.fail("a row has more than %d cells", maxColumns)
		}
		row = append(row, p.list(stop, len(p.ts)))
		switch t := p.peek(); {
		case t.is("&"):
			p.i++
			if keep {
				row = append(row, p.names.run("&", look{}))
			}
		case t.named(`\`):
			p.newLine()
			rows, row = append(rows, row), []string{}
		case t.named("end"):
			p.i++
			if got := p.plain(`\end`); got != name {
				p.fail(`\begin{%s} is closed by \end{%s}`, name, got)
			}
			if len(row) > 1 || row[0] != "" || len(rows) == 0 {
				rows = append(rows, row)
			}
			return rows
		default:
			p.fail(`\end{%s} is missing for \begin{%s}`, name, name)
		}
	}
	return rows
}
