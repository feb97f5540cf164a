package docx

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/equation"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

// insertEquationArgs are the members of insert_equation.
type insertEquationArgs struct {
	At       string  `json:"at" usage:"at (the equation goes to its end)"`
	Search   *string `json:"search" usage:"or search (text that becomes the equation)" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	Equation string  `json:"equation" usage:"equation (LaTeX)" jsonschema:"{ops}: LaTeX, such as \\frac{a}{b}, x_i^2, \\sqrt{x}, \\sum_{i=1}^{n} i, \\begin{pmatrix}a & b \\\\ c & d\\end{pmatrix}, \\text{…}"`
	Where    string  `json:"where" usage:"where? (before or after: a paragraph of its own)" jsonschema:"before or after at; default after"`
	matchArgs
	trackingArgs
}

// insertEquation puts an equation (22.1.2.77) at the end of a paragraph, in place
// of a text, or in a paragraph of its own beside a block.
func (e *editing) insertEquation(ctx context.Context, op insertEquationArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	var pl place
	var m paragraph.Range
	var err error
	at := 0
	switch {
	case op.Where != "" && op.Search != nil:
		return rep, formats.Errorf(formats.CodeInvalid, "where puts the equation into a paragraph of its own, search into a text: give one of them")
	case op.Where != "":
		pl, at, err = e.beside(ctx, besideArgs{At: op.At, Where: op.Where})
	case op.Search != nil:
		pl, m, err = e.firstMatch(ctx, op.Search, op.At, op.matchArgs)
	default:
		pl, err = e.want(ctx, op.At, paraNode)
	}
	if err != nil {
		return rep, err
	}
	xml, err := equationXML(op.Equation, e.mathNames(pl.part))
	if err != nil {
		return rep, err
	}
	shown := "$" + equation.Text([]byte(xml)) + "$"
	own := op.Where != "" || op.Search == nil && isBlank(pl)
	if own {
		xml, shown = displayed(xml, e.mathNames(pl.part)), "$"+shown+"$"
	}
	w := pl.prefix
	xml = e.recorded(w, "ins", xml)
	rep.Notes = append(rep.Notes, "reads "+clip(shown, 200))
	switch {
	case op.Where != "":
		pPr := ""
		if e.rev != nil {
			pPr = markParagraph("", w, "ins", e.rev)
		}
		rep.Moved = movedBy(e.paragraphAfter(ctx, pl, at), 1)
		e.splice(pl.part, xmlscan.Splice{Start: at, End: at, New: []byte("<" + w + "p>" + pPr + xml + "</" + w + "p>")})
		now, nodes, err := e.writtenAt(ctx, pl.part, at, 1)
		if err == nil && len(nodes) > 0 {
			rep.Made = e.addressOf(ctx, place{now, nodes[0]})
		}
		return rep, err
	case op.Search != nil:
		rep.Made = e.addressOf(ctx, pl)
		if !pl.paras[pl.para].SameContainer(m.Start, m.End) {
			return rep, formats.Errorf(formats.CodeInvalid, "%q reaches over the edge of a link or a content control; choose a shorter text", *op.Search)
		}
		return rep, e.putInstead(ctx, pl, m, xml)
	}
	rep.Made = e.addressOf(ctx, pl)
	e.put(pl.part, pl.node, pl.innerEnd, pl.innerEnd, xml)
	return rep, nil
}

// isBlank reports whether a paragraph has neither text nor objects.
func isBlank(pl place) bool {
	para := pl.paras[pl.para]
	return strings.TrimSpace(para.Text()) == "" && !para.HasOpaque()
}

// equationXML returns the m:oMath of LaTeX.
func equationXML(latex string, names equation.Names) (string, error) {
	xml, err := equation.FromLaTeX(latex, names)
	if err != nil {
		return "", formats.Errorf(formats.CodeInvalid, "equation: %w", err)
	}
	return xml, nil
}

// displayed returns an equation as one that has its own lines (22.1.2.78).
func displayed(oMath string, names equation.Names) string {
	m := names.Math
	return "<" + m + "oMathPara" + names.Declaration() + ">" + oMath + "</" + m + "oMathPara>"
}

// recorded puts what an operation made or deletes into a tracked change where
// changes are tracked.
func (e *editing) recorded(w, kind, xml string) string {
	if e.rev == nil {
		return xml
	}
	return "<" + w + kind + e.rev.Attrs(w) + ">" + xml + "</" + w + kind + ">"
}

// mathNames returns the prefixes for equations in a part.
func (d *document) mathNames(p *part) equation.Names {
	n := equation.Names{Math: "m:", Word: p.prefix, Font: true, Declare: equation.Namespace}
	if d.strict {
		n.Declare = equation.StrictNamespace
	}
	if sc := xmlscan.New(p.doc); root(sc) && sc.Namespace("m") == nsMath {
		n.Declare = ""
	}
	return n
}

// equationPlace is an equation of a paragraph: an m:oMath, with the m:oMathPara
// around it where there is one.
type equationPlace struct {
	span
	para  span // zero without
	alone bool // the only one in para
}

// outer returns the element that stands in the paragraph.
func (q equationPlace) outer() span {
	if q.para.end > 0 {
		return q.para
	}
	return q.span
}

// equationsOf lists the equations of a paragraph but for those that a tracked
// deletion holds.
func (p *part) equationsOf(n *node) []equationPlace {
	raw := p.doc[n.start:n.end]
	if !bytes.Contains(raw, []byte("oMath")) {
		return nil
	}
	var out []equationPlace
	para := span{}
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Empty {
			continue
		}
		switch t.Local {
		case "txbxContent", "Fallback", "del", "moveFrom":
			sc.Skip()
		case "oMathPara":
			para = span{n.start + t.Start, n.start + elementEnd(raw, t)}
		case "oMath":
			q := equationPlace{span: span{n.start + t.Start, n.start + sc.Skip()}}
			if q.start < para.end {
				q.para, q.alone = para, true
				if k := len(out) - 1; k >= 0 && out[k].para == para {
					q.alone, out[k].alone = false, false
				}
			}
			out = append(out, q)
		}
	}
	return out
}

// replaceEquationArgs are the members of replace_equation.
type replaceEquationArgs struct {
	At       string       `json:"at" usage:"at"`
	Equation *string      `json:"equation" usage:"equation (LaTeX; \"\" removes it)" jsonschema:"{ops}: LaTeX, such as \\frac{a}{b}, x_i^2, \\sqrt{x}, \\sum_{i=1}^{n} i, \\begin{pmatrix}a & b \\\\ c & d\\end{pmatrix}, \\text{…}"`
	Number   *lenient.Int `json:"number" usage:"number? (which equation of the paragraph, from 1)" jsonschema:"{ops}: which one of the paragraph, from 1"`
	trackingArgs
}

// replaceEquation writes another equation in place of one, or removes it.
func (e *editing) replaceEquation(ctx context.Context, op replaceEquationArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, err := e.want(ctx, op.At, paraNode)
	if err != nil {
		return rep, err
	}
	if op.Equation == nil {
		return rep, formats.Errorf(formats.CodeInvalid, `equation is required: LaTeX, or "" to remove the equation`)
	}
	all := pl.equationsOf(pl.node)
	i := 0
	switch {
	case len(all) == 0:
		return rep, formats.Errorf(formats.CodeNotFound, "%s has no equation; insert_equation makes one", op.At)
	case op.Number != nil:
		i = int(*op.Number) - 1
	case len(all) > 1:
		return rep, formats.Errorf(formats.CodeInvalid, "%s has %d equations: say with number which one: %s", op.At, len(all), clip(strings.Join(pl.equationList(all), ", "), 300))
	}
	if i < 0 || i >= len(all) {
		return rep, formats.Errorf(formats.CodeInvalid, "number is %d; %s has %d equations", i+1, op.At, len(all))
	}
	q, names := all[i], e.mathNames(pl.part)
	xml := ""
	if strings.TrimSpace(*op.Equation) != "" {
		if xml, err = equationXML(*op.Equation, names); err != nil {
			return rep, err
		}
		rep.Notes = append(rep.Notes, "reads $"+clip(equation.Text([]byte(xml)), 200)+"$")
	}
	was := equation.Text(pl.doc[q.start:])
	if xml != "" && equation.Text([]byte(xml)) == was {
		rep.Notes = append(rep.Notes, "the equation says that already")
		return rep, nil
	}
	rep.Notes = append(rep.Notes, "was $"+clip(was, 200)+"$")
	at := q.span
	if xml == "" && q.alone || e.rev != nil {
		at = q.outer()
	}
	now := xml
	if e.rev != nil {
		if q.para.end > 0 && !(xml == "" && q.alone) {
			now = pl.raw(span{q.para.start, q.start}) + xml + pl.raw(span{q.end, q.para.end})
		}
		deleted := e.recorded(pl.prefix, "del", pl.raw(at))
		if now != "" {
			now = e.recorded(pl.prefix, "ins", now)
		}
		now = deleted + now
	}
	e.splice(pl.part, xmlscan.Splice{Start: at.start, End: at.end, New: []byte(now)})
	return rep, nil
}

// equationList returns equations as a read shows them.
func (p *part) equationList(all []equationPlace) []string {
	var out []string
	for _, q := range all {
		out = append(out, "$"+equation.Text(p.doc[q.start:])+"$")
	}
	return out
}

// mathInText is text that somebody meant as an equation.
var mathInText = lazyregexp.New(`\$[^$\n]*[\\^_][^$\n]*\$`)

// aroundEquations makes a paragraph with equations say a text that names them as
// a read does, between dollars: they stay where the text names them. It is not
// done when the paragraph has none or the text names none; those that the text
// does not name stay, which the answer says.
func (e *editing) aroundEquations(pl place, spec Paragraph, rep *formats.OpReport) (splices []xmlscan.Splice, done bool) {
	all := pl.equationsOf(pl.node)
	if spec.Text == nil && len(spec.Runs) == 0 {
		return nil, false
	}
	all = slices.CompactFunc(all, func(a, b equationPlace) bool { return a.para.end > 0 && a.para == b.para })
	text := spec.plain()
	type named struct {
		at       span // in the part
		pos      int  // in the old text
		from, to int  // in the new one
	}
	var found []named
	rest := 0
	var left []string
	for _, q := range all {
		at := q.outer()
		marker := "$" + equation.Text(pl.doc[at.start:]) + "$"
		if q.para.end > 0 {
			marker = "$" + marker + "$"
		}
		i := strings.Index(text[rest:], marker)
		if i < 0 {
			left = append(left, clip(marker, 60))
			continue
		}
		found = append(found, named{at, pl.paras[pl.para].TextBefore(at.start), rest + i, rest + i + len(marker)})
		rest += i + len(marker)
	}
	plain := text
	for i := len(found) - 1; i >= 0; i-- {
		plain = plain[:found[i].from] + plain[found[i].to:]
	}
	if mathInText.MatchString(plain) {
		rep.Notes = append(rep.Notes, "what stands between dollars was written as text; insert_equation makes an equation of it")
	}
	if len(left) > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf(`the paragraph keeps equations that the text does not name (%s); replace_equation with equation "" removes one`, clip(strings.Join(left, ", "), 200)))
	}
	if len(found) == 0 || len(spec.Runs) > 0 {
		return nil, false
	}
	para := pl.paras[pl.para]
	old := para.Text()
	var ranges []paragraph.Range
	for i := 0; i <= len(found); i++ {
		was, now := span{0, len(old)}, span{0, len(text)}
		if i > 0 {
			was.start, now.start = found[i-1].pos, found[i-1].to
		}
		if i < len(found) {
			was.end, now.end = found[i].pos, found[i].from
		}
		a, b := old[was.start:was.end], text[now.start:now.end]
		switch {
		case a == b:
		case a == "":
			at := found[0].at.start
			if i > 0 {
				at = found[i-1].at.end
			}
			run := "<" + pl.prefix + "r>" + cleanRun(para.FirstProperties(), pl.prefix) + paragraph.Content(paragraph.Word, pl.prefix, b) + "</" + pl.prefix + "r>"
			splices = append(splices, xmlscan.Splice{Start: at, End: at, New: []byte(e.recorded(pl.prefix, "ins", run))})
		default:
			for _, r := range anchored(a, difference(a, b)) {
				ranges = append(ranges, paragraph.Range{Start: was.start + r.Start, End: was.start + r.End, New: r.New})
			}
		}
	}
	if e.rev != nil {
		return append(splices, para.Track(ranges, e.rev)...), true
	}
	return append(splices, para.Replace(ranges)...), true
}
