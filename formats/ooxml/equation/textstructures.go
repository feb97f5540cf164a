package equation

import "strings"

func (w *textWriter) fraction(n *node, depth int) string {
	num, den := w.group(n.arg("num"), depth), w.group(n.arg("den"), depth)
	switch n.chr("type", "bar") {
	case "noBar":
		return `\genfrac{}{}{0pt}{}` + num + den
	case "skw", "lin":
		return num + "/" + den
	}
	return `\frac` + num + den
}

func (w *textWriter) nary(n *node, depth int) string {
	chr := n.chr("chr", "∫")
	out := largeNames[chr]
	if out == "" {
		out = escape(chr)
	}
	if s := w.list(n.arg("sub"), depth); s != "" && !n.flag("subHide") {
		out += "_{" + s + "}"
	}
	if s := w.list(n.arg("sup"), depth); s != "" && !n.flag("supHide") {
		out += "^{" + s + "}"
	}
	return out + w.operand(n.arg("e"), depth)
}

// function writes a function name with its argument (22.1.2.39).
func (w *textWriter) function(n *node, depth int) string {
	return w.name(n.arg("fName"), depth) + w.operand(n.arg("e"), depth)
}

// name writes the name of a function, which may have scripts and limits.
func (w *textWriter) name(nodes []*node, depth int) string {
	if len(nodes) != 1 {
		return `\operatorname{` + w.list(nodes, depth) + "}"
	}
	n := nodes[0]
	switch n.local {
	case "r":
		text := strings.TrimSpace(rawText(n))
		if functions[text] {
			return `\` + text
		}
		return `\operatorname{` + escape(text) + "}"
	case "sSup":
		return w.name(n.arg("e"), depth) + "^" + w.group(n.arg("sup"), depth)
	case "sSub":
		return w.name(n.arg("e"), depth) + "_" + w.group(n.arg("sub"), depth)
	case "sSubSup":
		return w.name(n.arg("e"), depth) + "_" + w.group(n.arg("sub"), depth) + "^" + w.group(n.arg("sup"), depth)
	}
	return w.element(n, depth)
}

func rawText(n *node) string {
	if n == nil {
		return ""
	}
	s := n.text
	for _, k := range n.kids {
		s += rawText(k)
	}
	return s
}

// limit writes what stands below or above something.
func (w *textWriter) limit(n *node, depth int) string {
	e, lim := n.arg("e"), w.group(n.arg("lim"), depth)
	sign := map[string]string{"limLow": "_", "limUpp": "^"}[n.local]
	inner := w.list(e, depth)
	if len(e) == 1 {
		switch text := strings.TrimSpace(rawText(e[0])); {
		case e[0].local == "r" && limits[text]:
			return `\` + text + sign + lim
		case strings.HasPrefix(inner, `\underbrace`) && e[0].local == "groupChr" && sign == "_", strings.HasPrefix(inner, `\overbrace`) && e[0].local == "groupChr" && sign == "^":
			return inner + sign + lim
		case (e[0].local == "limLow" || e[0].local == "limUpp") && e[0].local != n.local && limits[strings.TrimSpace(rawText(e[0].child("e")))]:
			return inner + sign + lim
		}
	}
	return map[string]string{"_": `\underset`, "^": `\overset`}[sign] + lim + "{" + inner + "}"
}

func (w *textWriter) groupChr(n *node, depth int) string {
	chr, pos, e := n.chr("chr", "⏟"), n.chr("pos", "bot"), w.group(n.arg("e"), depth)
	switch {
	case chr == "⏟" && pos != "top":
		return `\underbrace` + e
	case chr == "⏞" && pos == "top":
		return `\overbrace` + e
	case pos == "top":
		return `\overset{` + escape(chr) + "}" + e
	}
	return `\underset{` + escape(chr) + "}" + e
}

// delimiters writes brackets with what is in them (22.1.2.24), and the tables
// that have a name of their own with their brackets.
func (w *textWriter) delimiters(n *node, depth int) string {
	open, shut, sep := n.chr("begChr", "("), n.chr("endChr", ")"), n.chr("sepChr", "|")
	var parts [][]*node
	for _, k := range n.kids {
		if k.local == "e" {
			parts = append(parts, k.content())
		}
	}
	if len(parts) == 1 && len(parts[0]) == 1 {
		only := parts[0][0]
		switch {
		case only.local == "m" && open == "{" && shut == "":
			return `\begin{cases}` + w.matrix(only, depth) + `\end{cases}`
		case only.local == "m" && open == "" && shut == "}":
			return `\begin{rcases}` + w.matrix(only, depth) + `\end{rcases}`
		case only.local == "m":
			for _, name := range []string{"pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix"} {
				if environments[name] == [2]string{open, shut} {
					return `\begin{` + name + "}" + w.matrix(only, depth) + `\end{` + name + "}"
				}
			}
		case only.local == "eqArr" && open == "{" && shut == "":
			return `\begin{cases}` + w.rows(only, depth) + `\end{cases}`
		case only.local == "f" && only.chr("type", "bar") == "noBar" && open == "(" && shut == ")":
			return `\binom` + w.group(only.arg("num"), depth) + w.group(only.arg("den"), depth)
		}
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, w.list(p, depth))
	}
	if len(texts) == 1 {
		switch open + shut {
		case "()", "[]":
			return open + texts[0] + shut
		case "{}":
			return `\{` + texts[0] + `\}`
		}
	}
	out := `\left` + delimiter(open) + strings.Join(texts, `\middle`+delimiter(sep)) + `\right`
	return out + strings.TrimRight(delimiter(shut), " ")
}

// delimiter writes a bracket behind \left and \right.
func delimiter(s string) string {
	switch s {
	case "":
		return "."
	case "{", "}":
		return `\` + s
	}
	return s
}

// matrix writes the rows of a table.
func (w *textWriter) matrix(n *node, depth int) string {
	var rows []string
	for _, r := range n.kids {
		if r.local != "mr" {
			continue
		}
		var cells []string
		for _, e := range r.kids {
			if e.local == "e" {
				cells = append(cells, w.list(e.content(), depth))
			}
		}
		rows = append(rows, strings.Join(cells, " & "))
	}
	return strings.Join(rows, ` \\ `)
}

// rows writes equations below each other.
func (w *textWriter) rows(n *node, depth int) string {
	w.aligned++
	defer func() { w.aligned-- }()
	var rows []string
	for _, e := range n.kids {
		if e.local == "e" {
			rows = append(rows, w.list(e.content(), depth))
		}
	}
	return strings.Join(rows, ` \\ `)
}
