package equation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/ooxml/xmlscan"
)

// node is an element of Office Math; text is that of m:t and w:t.
type node struct {
	local, val string
	kids       []*node
	text       string
}

// maxDepth bounds how deep structures lie in each other.
const maxDepth = 60

// maxText bounds the LaTeX of one equation in bytes; what is longer is cut off.
const maxText = 20_000

// Text returns an m:oMath, or the equations of an m:oMathPara separated by
// "; ", as LaTeX. The prefixes of xml need not be bound in it.
func Text(xml []byte) string {
	root := parseNode(xml)
	if root == nil {
		return ""
	}
	w := &textWriter{}
	if root.local != "oMathPara" {
		return w.cut(w.list(root.kids, 0))
	}
	var all []string
	for _, k := range root.kids {
		if k.local == "oMath" {
			all = append(all, w.list(k.kids, 0))
		}
	}
	return w.cut(strings.Join(all, "; "))
}

// parseNode makes a tree of the first element; it is nil when there is none.
func parseNode(xml []byte) *node {
	var open []*node
	sc := xmlscan.New(xml)
	for sc.Next() {
		t := sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			n := &node{local: t.Local, val: t.AttrLocal("val")}
			if t.Local == "del" || t.Local == "moveFrom" || t.Local == "ctrlPr" {
				sc.Skip()
				continue
			}
			if len(open) > 0 {
				top := open[len(open)-1]
				top.kids = append(top.kids, n)
			}
			switch {
			case !t.Empty:
				open = append(open, n)
			case len(open) == 0:
				return n
			}
		case xmlscan.End:
			if len(open) == 1 {
				return open[0]
			}
			open = open[:len(open)-1]
		case xmlscan.Text:
			if n := len(open); n > 0 && open[n-1].local == "t" {
				open[n-1].text += xmlscan.Unescape(t.Bytes())
			}
		}
	}
	return nil
}

// child returns the first child of a name; nil when there is none.
func (n *node) child(local string) *node {
	if n != nil {
		for _, k := range n.kids {
			if k.local == local {
				return k
			}
		}
	}
	return nil
}

// list returns the children of the argument of a name.
func (n *node) arg(local string) []*node {
	if c := n.child(local); c != nil {
		return c.content()
	}
	return nil
}

// content returns the children without properties.
func (n *node) content() (out []*node) {
	for _, k := range n.kids {
		if !strings.HasSuffix(k.local, "Pr") {
			out = append(out, k)
		}
	}
	return out
}

// prop returns the value of a property; ok is false when it is not there.
func (n *node) prop(local string) (val string, ok bool) {
	if p := n.child(n.local + "Pr").child(local); p != nil {
		return p.val, true
	}
	return "", false
}

// flag reports whether a property is on: an element without a value is.
func (n *node) flag(local string) bool {
	v, ok := n.prop(local)
	return ok && v != "0" && v != "off" && v != "false"
}

// chr returns a property that is a character, or what holds without it.
func (n *node) chr(local, without string) string {
	if v, ok := n.prop(local); ok {
		return v
	}
	return without
}

type textWriter struct {
	size    int
	aligned int // open equation arrays, in which & aligns
}

func (w *textWriter) cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

// list writes elements one after the other.
func (w *textWriter) list(nodes []*node, depth int) string {
	if depth > maxDepth || w.size > maxText {
		return "…"
	}
	var sb strings.Builder
	for _, n := range nodes {
		s := w.element(n, depth+1)
		if s == "" {
			continue
		}
		if startsWithLetter(s) && endsInCommand(sb.String()[max(0, sb.Len()-longestCommand):]) {
			sb.WriteByte(' ')
		}
		sb.WriteString(s)
		w.size += len(s) / 8 // each level copies it
		if w.size > maxText {
			break
		}
	}
	return sb.String()
}

// longestCommand is at least how many bytes a command of Text has that a letter
// may follow.
const longestCommand = 16

// endsInCommand reports whether a letter behind s would belong to a command.
func endsInCommand(s string) bool {
	i := strings.LastIndexByte(s, '\\')
	if i < 0 || i == len(s)-1 {
		return false
	}
	for _, r := range s[i+1:] {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

func startsWithLetter(s string) bool {
	return s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z'
}

// group writes elements in braces.
func (w *textWriter) group(nodes []*node, depth int) string {
	return "{" + w.list(nodes, depth) + "}"
}

// base writes what scripts stand at: in braces unless it is one character or
// one structure that ends visibly.
func (w *textWriter) base(nodes []*node, depth int) string {
	s := w.list(nodes, depth)
	if utf8.RuneCountInString(s) == 1 || len(nodes) == 1 && (nodes[0].local == "d" || nodes[0].local == "acc" || nodes[0].local == "r" && strings.HasPrefix(s, `\`)) {
		return s
	}
	return "{" + s + "}"
}

// operand writes what follows a sum or a function.
func (w *textWriter) operand(nodes []*node, depth int) string {
	s := w.list(nodes, depth)
	switch {
	case s == "":
		return ""
	case len(nodes) == 1 && nodes[0].local == "d":
		return s
	case utf8.RuneCountInString(s) == 1, len(nodes) == 1 && nodes[0].local != "r" && !strings.HasPrefix(s, "{"):
		return " " + s
	}
	return "{" + s + "}"
}

// element writes one element.
func (w *textWriter) element(n *node, depth int) string {
	arg := func(local string) string { return w.group(n.arg(local), depth) }
	switch n.local {
	case "r":
		return w.run(n)
	case "f":
		return w.fraction(n, depth)
	case "sSup":
		return w.base(n.arg("e"), depth) + "^" + arg("sup")
	case "sSub":
		return w.base(n.arg("e"), depth) + "_" + arg("sub")
	case "sSubSup":
		return w.base(n.arg("e"), depth) + "_" + arg("sub") + "^" + arg("sup")
	case "sPre":
		return `\prescript` + arg("sup") + arg("sub") + arg("e")
	case "rad":
		if deg := w.list(n.arg("deg"), depth); deg != "" && !n.flag("degHide") {
			return `\sqrt[` + deg + "]" + arg("e")
		}
		return `\sqrt` + arg("e")
	case "nary":
		return w.nary(n, depth)
	case "func":
		return w.function(n, depth)
	case "limLow", "limUpp":
		return w.limit(n, depth)
	case "d":
		return w.delimiters(n, depth)
	case "m":
		return `\begin{matrix}` + w.matrix(n, depth) + `\end{matrix}`
	case "eqArr":
		return `\begin{aligned}` + w.rows(n, depth) + `\end{aligned}`
	case "acc":
		chr := n.chr("chr", "\u0302")
		if name := accentNames[chr]; name != "" {
			return `\` + name + arg("e")
		}
		return `\overset{` + escape(chr) + "}" + arg("e")
	case "bar":
		if n.chr("pos", "bot") == "top" {
			return `\overline` + arg("e")
		}
		return `\underline` + arg("e")
	case "groupChr":
		return w.groupChr(n, depth)
	case "borderBox":
		return `\boxed` + arg("e")
	case "phant":
		if v, ok := n.prop("show"); ok && (v == "0" || v == "off" || v == "false") {
			return `\phantom` + arg("e")
		}
		return arg("e")
	case "box":
		return w.list(n.arg("e"), depth)
	case "t":
		return escape(n.text)
	}
	if strings.HasSuffix(n.local, "Pr") {
		return ""
	}
	return w.list(n.kids, depth) // tracked insertions and the like
}

// run writes a run with the look of its letters (22.1.2.87).
func (w *textWriter) run(n *node) string {
	text := ""
	for _, k := range n.kids {
		if k.local == "t" {
			text += k.text
		}
	}
	text = strings.ReplaceAll(text, emptyBase, "")
	if text == "" {
		return ""
	}
	pr := n.child("rPr")
	l := look{text: pr.child("nor") != nil && pr.child("nor").val != "0"}
	if !l.text && pr != nil {
		if c := pr.child("scr"); c != nil {
			l.scr = c.val
		}
		if c := pr.child("sty"); c != nil {
			l.sty = c.val
		}
		if l.scr != "" && l.scr != "roman" {
			l.sty = "p"
		} else {
			l.scr = ""
		}
	}
	switch {
	case l.text:
		return `\text{` + escapeText(text) + "}"
	case w.aligned > 0:
		return w.alignedRun(text, l)
	case l.sty == "p" && l.scr == "" && !strings.ContainsFunc(text, unicode.IsLetter):
		return escape(text)
	case styleNames[l] != "":
		return `\` + styleNames[l] + "{" + escape(text) + "}"
	}
	return escape(text)
}

// alignedRun writes a run of an equation array, where & is what it is aligned at.
func (w *textWriter) alignedRun(text string, l look) string {
	parts := strings.Split(text, "&")
	for i, p := range parts {
		if p == "" {
			continue
		}
		if name := styleNames[l]; name != "" && !(l == look{sty: "p"} && !strings.ContainsFunc(p, unicode.IsLetter)) {
			parts[i] = `\` + name + "{" + escape(p) + "}"
		} else {
			parts[i] = escape(p)
		}
	}
	return strings.Join(parts, "&")
}

// escape writes characters so that LaTeX reads them as themselves.
func escape(s string) string {
	var sb strings.Builder
	for _, r := range s {
		if sb.Len() > 0 && r < 0x80 && startsWithLetter(string(r)) && endsInCommand(sb.String()[max(0, sb.Len()-longestCommand):]) {
			sb.WriteByte(' ')
		}
		switch {
		case r == '\\':
			sb.WriteString(`\backslash`)
		case strings.ContainsRune("{}#$%&_", r):
			sb.WriteString(`\` + string(r))
		case r == '^':
			sb.WriteString(`\text{^}`)
		case spaceNames[r] != "":
			sb.WriteString(spaceNames[r])
		default:
			sb.WriteRune(r)
		}
	}
	return sb.String()
}

// escapeText is escape for text.
func escapeText(s string) string {
	return strings.NewReplacer(`\`, `\backslash `, "{", `\{`, "}", `\}`, "$", `\$`).Replace(s)
}
