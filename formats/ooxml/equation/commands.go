package equation

import "slices"

// command reads a command whose name was taken.
func (p *parser) command(t token, stop func(token) bool, end int) (atom, bool) {
	n, name := p.names, t.text
	arg := func() string { return n.element("e", p.group(`\`+name)) }
	if l, ok := styles[name]; ok {
		return p.styled(name, l), true
	}
	if chr, ok := accents[name]; ok {
		return atom{xml: n.element("acc", n.properties("acc", "chr", chr)+arg())}, true
	}
	if s, ok := symbols[name]; ok {
		if s.class == large {
			return atom{nary: s.text}, true
		}
		return atom{text: s.text, kind: s.class}, true
	}
	if s, ok := spaces[name]; ok {
		return atom{text: s}, s != ""
	}
	if functions[name] {
		return atom{fn: n.run(name, look{sty: "p"}), lim: limits[name]}, true
	}
	switch name {
	case "operatorname":
		return atom{fn: n.run(p.plain(`\operatorname`), look{sty: "p"})}, true
	case "left":
		return p.leftRight(), true
	case "begin":
		return p.environment(), true
	case "sqrt":
		return p.root(), true
	case "not":
		return p.negated(), true
	case "substack":
		return atom{xml: p.group(`\substack`)}, true
	case "displaystyle", "textstyle", "scriptstyle", "limits", "nolimits", "nonumber", "notag", "mathstrut", "hline":
		return atom{}, false
	case "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm", "mathop", "mathbin", "mathrel", "mathord", "mathopen", "mathclose":
		return atom{}, false
	}
	if a, ok := p.structure(name, arg); ok {
		return a, true
	}
	if t.raw && name != "" {
		p.fail(`\%s is not known here`, name)
	} else {
		p.fail(`the command \%s is not known; write its character, such as α or ≤, or \text{…}, \operatorname{…}`, name)
	}
	return atom{}, false
}

// structure reads commands with arguments.
func (p *parser) structure(name string, arg func() string) (atom, bool) {
	n := p.names
	fraction := func(kind string) string {
		pr := ""
		if kind != "" {
			pr = n.properties("f", "type", kind)
		}
		num := n.element("num", p.group(`\`+name))
		return n.element("f", pr+num+n.element("den", p.group(`\`+name)))
	}
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		return atom{xml: fraction("")}, true
	case "sfrac", "nicefrac":
		return atom{xml: fraction("skw")}, true
	case "binom", "dbinom", "tbinom":
		return atom{xml: n.brackets("(", ")", []string{fraction("noBar")})}, true
	case "genfrac":
		for _, want := range []string{"", "", "0pt", ""} {
			if got := p.plain(`\genfrac`); got != want {
				p.fail(`\genfrac is only known as \genfrac{}{}{0pt}{}{…}{…}`)
			}
		}
		return atom{xml: fraction("noBar")}, true
	case "overline":
		return atom{xml: n.element("bar", n.properties("bar", "pos", "top")+arg())}, true
	case "underline":
		return atom{xml: n.element("bar", n.properties("bar", "pos", "bot")+arg())}, true
	case "underbrace":
		return atom{xml: n.element("groupChr", n.properties("groupChr", "chr", "⏟", "pos", "bot", "vertJc", "top")+arg()), lim: true}, true
	case "overbrace":
		return atom{xml: n.element("groupChr", n.properties("groupChr", "chr", "⏞", "pos", "top", "vertJc", "bot")+arg()), lim: true}, true
	case "overset", "stackrel":
		lim := p.group(`\` + name)
		return atom{xml: n.limits(p.group(`\`+name), "", lim)}, true
	case "underset":
		lim := p.group(`\` + name)
		return atom{xml: n.limits(p.group(`\`+name), lim, "")}, true
	case "xrightarrow", "xleftarrow":
		below := p.option()
		chr := map[string]string{"xrightarrow": "⟶", "xleftarrow": "⟵"}[name]
		return atom{xml: n.limits(n.run(chr, look{}), below, p.group(`\`+name))}, true
	case "boxed", "fbox":
		return atom{xml: n.element("borderBox", arg())}, true
	case "phantom":
		return atom{xml: n.element("phant", n.properties("phant", "show", "0")+arg())}, true
	case "prescript":
		sup := n.element("sup", p.group(`\prescript`))
		sub := n.element("sub", p.group(`\prescript`))
		return atom{xml: n.element("sPre", sub+sup+arg())}, true
	case "pmod":
		return atom{xml: n.run("\u2003", look{}) + n.brackets("(", ")", []string{n.run("mod\u2005", look{sty: "p"}) + p.group(`\pmod`)})}, true
	case "bmod", "mod":
		return atom{text: "\u2005mod\u2005", look: look{sty: "p"}}, true
	}
	return atom{}, false
}

// option reads an argument in square brackets; "" when there is none.
func (p *parser) option() string {
	t := p.peek()
	if !t.is("[") || t.match == 0 {
		return ""
	}
	p.i++
	xml := p.list(func(token) bool { return false }, t.match)
	p.i = t.match + 1
	return xml
}

func (p *parser) root() atom {
	n := p.names
	deg := p.option()
	pr := ""
	if deg == "" {
		pr = n.properties("rad", "degHide", "1")
	}
	return atom{xml: n.element("rad", pr+n.element("deg", deg)+n.element("e", p.group(`\sqrt`)))}
}

// negated reads \not with the relation behind it.
func (p *parser) negated() atom {
	t := p.peek()
	p.i++
	text := t.text
	if s, ok := symbols[t.text]; ok && t.command {
		text = s.text
	}
	if text == "=" {
		return atom{text: "≠", kind: operator}
	}
	return atom{text: text + "\u0338", kind: operator}
}

// styled reads the argument of \mathbf and its like, which is letters, or of
// \text.
func (p *parser) styled(name string, l look) atom {
	if l.text || !p.peek().is("{") {
		if l.text {
			return atom{text: p.plain(`\` + name), look: l}
		}
		a, _ := p.atom(func(token) bool { return false }, len(p.ts))
		a.look = l
		return p.alone(a)
	}
	defer p.enter()()
	p.i++
	list := p.atoms(func(t token) bool { return t.is("}") }, len(p.ts))
	p.close(`\` + name)
	for i := range list {
		if list[i].xml == "" && list[i].look == (look{}) {
			list[i].look = l
		}
	}
	if len(list) > 0 && !slices.ContainsFunc(list, func(a atom) bool { return a.xml != "" || a.look != l }) {
		text := ""
		for _, a := range list {
			text += a.text
		}
		return atom{text: text, look: l}
	}
	return atom{xml: orEmpty(p.join(list), p.names)}
}
