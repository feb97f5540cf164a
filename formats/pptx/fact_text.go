package pptx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/internal/seqdiff"
)

// body reports a text body but its paragraphs: the text area, the styles of its
// levels and, where no item of the diff does, the text.
func (p *page) body(s *placedShape, body *node) {
	p.addAttributes(s, formats.FactFormat, "body", "", body)
	p.addKids(s, formats.FactFormat, "body", "", body, func(n *node) bool {
		switch {
		case n.Is(nsA, "bodyPr"):
			p.textArea(s, n)
		case n.Is(nsA, "lstStyle"):
			p.levels(s, "list", n)
		case n.Is(nsA, "p"):
		default:
			return false
		}
		return true
	})
	if !s.inDiff {
		text := p.exactText(body)
		if strings.TrimSpace(text) != "" {
			p.addProperty(s, formats.FactShape, "text", "text "+quotedAll(strings.ReplaceAll(text, "\n", " / ")), inventory.SumOf([]byte(text)))
		}
	}
	p.links(s, body)
}

// exactText returns the text of a body with every blank.
func (p *page) exactText(body *node) string {
	var out []string
	for n := range body.Kids() {
		if n.Is(nsA, "p") {
			out = append(out, p.t.paragraphText(n))
		}
	}
	return strings.Join(out, "\n")
}

var anchors = map[string]string{"t": "at the top", "ctr": "in the middle", "b": "at the bottom", "just": "justified", "dist": "distributed"}

// textArea reports an a:bodyPr (21.1.2.1.1).
func (p *page) textArea(s *placedShape, n *node) {
	for a := range n.Attributes() {
		v := a.Value()
		text := ""
		switch a.Name {
		case "anchor":
			text = "text " + anchors[v]
		case "wrap":
			text = map[string]string{"none": "text is not wrapped", "square": "text is wrapped"}[v]
		case "lIns", "rIns", "tIns", "bIns":
			text = map[string]string{"lIns": "left", "rIns": "right", "tIns": "top", "bIns": "bottom"}[a.Name] + " margin of the text " + hundredths(v, 360000) + " cm"
		case "numCol":
			text = formats.Count(intOr(v, 1), "column") + " of text"
		case "rot":
			text = "text turned by " + degrees(v)
		case "vert":
			text = "direction of the text " + splitCapitals(v)
		case "vertOverflow", "horzOverflow":
			text = "text that does not fit: " + v
		default:
			continue
		}
		p.addProperty(s, formats.FactFormat, "bodyPr "+a.Name, text, inventory.SumOf([]byte(v)))
	}
	p.addAttributes(s, formats.FactFormat, "bodyPr", "text area:", n, "anchor", "wrap", "lIns", "rIns", "tIns", "bIns", "numCol", "rot", "vert", "vertOverflow", "horzOverflow")
	p.addKids(s, formats.FactFormat, "bodyPr", "text area:", n, func(k *node) bool {
		text := ""
		switch k.Local {
		case "noAutofit":
			text = "text is not fitted"
		case "normAutofit":
			if text = "text shrinks to fit"; k.Value("fontScale") != "" {
				text += ", to " + inPercent(k.Value("fontScale"))
			}
		case "spAutoFit":
			text = "the shape grows with its text"
		default:
			return false
		}
		p.addProperty(s, formats.FactFormat, "fit", text, p.sum(nil, k))
		return true
	})
}

// levels reports the paragraph styles of an a:lstStyle or of a master's text
// style, level by level (21.1.2.4.12).
func (p *page) levels(s *placedShape, key string, list *node) {
	p.addAttributes(s, formats.FactFormat, key, "", list)
	p.addKids(s, formats.FactFormat, key, "", list, func(k *node) bool {
		if !strings.HasSuffix(k.Local, "pPr") || k.Space != nsA {
			return false
		}
		level := "level " + strings.TrimSuffix(strings.TrimPrefix(k.Local, "lvl"), "pPr")
		if k.Local == "defPPr" {
			level = "all levels"
		}
		p.addProperty(s, formats.FactStyle, key+" "+k.Local, level+": "+orPlain(p.paragraphWords(k)), p.sum(nil, k))
		return true
	})
}

// textStyles reports the p:txStyles of a master (19.3.1.52).
func (p *page) textStyles(list *node) {
	p.addAttributes(nil, formats.FactStyle, "txStyles", "", list)
	for k := range list.Kids() {
		for l := range k.Kids() {
			text := fmt.Sprintf("%s, level %s: %s", elementName(k.Local), strings.TrimSuffix(strings.TrimPrefix(l.Local, "lvl"), "pPr"), orPlain(p.paragraphWords(l)))
			p.addProperty(nil, formats.FactStyle, k.Local+" "+l.Local, text, p.sum(nil, l))
		}
		p.addAttributes(nil, formats.FactStyle, k.Local, elementName(k.Local), k)
	}
}

func orPlain(s string) string {
	if s == "" {
		return "no format of its own"
	}
	return s
}

// formatted is a paragraph as its format counts.
type formatted struct {
	text  string
	words string        // its format, said
	sum   inventory.Sum // its format, all of it
	runs  []formattedRun
}

type formattedRun struct {
	text, words string
	sum         inventory.Sum
}

// paragraphs lists the paragraphs of a body. The marks of the spelling check
// are left out.
func (p *page) paragraphs(body *node) []formatted {
	var out []formatted
	for n := range body.Kids() {
		if !n.Is(nsA, "p") {
			continue
		}
		f := formatted{text: p.t.paragraphText(n)}
		var text strings.Builder // of the last run
		flush := func() {
			if n := len(f.runs); n > 0 {
				f.runs[n-1].text = text.String()
				text.Reset()
			}
		}
		ppr := n.Child(nsA, "pPr")
		f.words, f.sum = p.paragraphWords(ppr), p.sum(nil, ppr)
		for k := range n.Kids() {
			if k.Is(nsA, "pPr") || k.Is(nsA, "endParaRPr") {
				continue
			}
			r := p.run(k)
			if n := len(f.runs); n > 0 && f.runs[n-1].sum == r.sum {
				text.WriteString(r.text)
				continue
			}
			flush()
			text.WriteString(r.text)
			f.runs = append(f.runs, r)
		}
		flush()
		out = append(out, f)
	}
	return out
}

func (p *page) run(k *node) formattedRun {
	rpr := k.Child(nsA, "rPr")
	r := formattedRun{words: p.runWords(rpr), sum: p.sumBut(rpr, isLink, spellingMarks...)}
	switch {
	case k.Is(nsA, "r"):
		r.text = p.t.Text(k.Child(nsA, "t"))
	case k.Is(nsA, "br"):
		r.text = "\n"
	case k.Is(nsA, "fld"):
		r.text = p.t.Text(k.Child(nsA, "t"))
		r.words = strings.Trim("field "+fieldWords(k.Value("type"))+", "+r.words, ", ")
		own := p.sumBut(k, func(n *node) bool { return n == rpr || n.Is(nsA, "t") }, "id")
		r.sum = inventory.SumOf(r.sum[:], own[:])
	default:
		r.words = "formula"
		r.sum = p.sum(nil, k)
	}
	if (k.Is(nsA, "r") || k.Is(nsA, "br")) && withoutLook(rpr) {
		r.sum = inventory.Sum{}
	}
	return r
}

// withoutLook reports whether run properties say nothing of the look of a text.
func withoutLook(rpr *node) bool {
	for k := range rpr.Kids() {
		if !isLink(k) {
			return false
		}
	}
	for a := range rpr.Attributes() {
		if !slices.Contains(spellingMarks, a.Name) && !strings.HasPrefix(a.Name, "xmlns") {
			return false
		}
	}
	return true
}

func fieldWords(typ string) string {
	switch {
	case typ == "slidenum":
		return "slide number"
	case strings.HasPrefix(typ, "datetime"):
		return "date and time (" + typ + ")"
	}
	return typ
}

func isLink(n *node) bool { return n.Is(nsA, "hlinkClick") || n.Is(nsA, "hlinkMouseOver") }

// spellingMarks are the attributes that only the spelling check reads.
var spellingMarks = []string{"dirty", "err", "smtClean", "smtId", "noProof"}

// say puts the format of a paragraph in words: with the texts of its runs where
// these are the same on both sides.
func (f formatted) say(texts bool) string {
	out := f.words
	for i, r := range f.runs {
		if r.words == "" && len(f.runs) == 1 {
			continue
		}
		if out != "" && (i == 0 || texts || len(f.runs) == 1) {
			out += "; "
		}
		switch {
		case len(f.runs) == 1:
			out += r.words
		case texts:
			out += "“" + clip(oneLine(r.text), 30) + "” " + orPlain(r.words)
		case i > 0:
			out += ", then " + orPlain(r.words)
		default:
			out += orPlain(r.words)
		}
	}
	return clip(out, 300)
}

func (f formatted) all(texts bool) inventory.Sum {
	sum := f.sum
	for _, r := range f.runs {
		text := ""
		if texts {
			text = r.text
		}
		sum = inventory.SumOf(sum[:], r.sum[:], []byte(text))
	}
	return sum
}

// compareTexts reports the format of two bodies paragraph by paragraph; those
// next to each other that changed alike are one.
func compareTexts(a *page, sa *placedShape, x *node, b *page, sb *placedShape, y *node, place string) {
	was, now := a.paragraphs(x), b.paragraphs(y)
	type change struct {
		old, new       string
		oldSum, newSum inventory.Sum
		from, to       int
		both, gone     bool
	}
	var list []change
	for _, st := range alignParagraphs(was, now) {
		c := change{from: st.B + 1, to: st.B + 1, both: st.A >= 0 && st.B >= 0, gone: st.B < 0}
		switch {
		case st.A < 0:
			c.new, c.newSum = now[st.B].say(false), now[st.B].all(false)
		case st.B < 0:
			c.from, c.to = st.A+1, st.A+1
			c.old, c.oldSum = was[st.A].say(false), was[st.A].all(false)
		default:
			same := was[st.A].text == now[st.B].text
			c.old, c.oldSum = was[st.A].say(same), was[st.A].all(same)
			c.new, c.newSum = now[st.B].say(same), now[st.B].all(same)
			if c.oldSum == c.newSum {
				continue
			}
		}
		if n := len(list); n > 0 && list[n-1].to == c.from-1 && list[n-1].both == c.both && list[n-1].gone == c.gone && list[n-1].old == c.old && list[n-1].new == c.new {
			last := &list[n-1]
			last.to, last.oldSum, last.newSum = c.to, inventory.SumOf(last.oldSum[:], c.oldSum[:]), inventory.SumOf(last.newSum[:], c.newSum[:])
			continue
		}
		list = append(list, c)
	}
	for _, c := range list {
		at := fmt.Sprintf("%s%s, paragraph %d", sb.at, place, c.from)
		if c.to > c.from {
			at = fmt.Sprintf("%s%s, paragraphs %d–%d", sb.at, place, c.from, c.to)
		}
		key := fmt.Sprintf("%s%s format %d %t", sb.key, place, c.from, c.gone)
		if c.gone {
			at += " before"
		}
		if (c.both || c.gone) && (c.both || c.old != "") {
			a.addItem(inventory.Item{Kind: formats.FactFormat, Key: key, At: at, Text: orPlain(c.old), Sum: c.oldSum})
		}
		if !c.gone && (c.both || c.new != "") {
			b.addItem(inventory.Item{Kind: formats.FactFormat, Key: key, At: at, Text: orPlain(c.new), Sum: c.newSum})
		}
	}
	a.addProofing(sa, x, place)
	b.addProofing(sb, y, place)
}

// addProofing sums what the spelling check and the ends of paragraphs hold.
func (p *page) addProofing(s *placedShape, body *node, place string) {
	sum := inventory.Sum{}
	for n := range body.All() {
		switch n.Local {
		case "endParaRPr":
			own := p.sum(nil, n)
			sum = inventory.SumOf(sum[:], own[:])
		case "rPr":
			for _, m := range spellingMarks {
				if v, ok := n.Attr(m); ok {
					sum = inventory.SumOf(sum[:], []byte(m+v))
				}
			}
		case "fld":
			sum = inventory.SumOf(sum[:], []byte(n.Value("id")))
		}
	}
	p.addProperty(s, formats.FactFormat, "marks"+place, "format of the ends of paragraphs and marks of the spelling check", sum)
}

func alignParagraphs(a, b []formatted) []seqdiff.Step {
	return seqdiff.Lists(len(a), len(b), seqdiff.Options{
		KeyA: func(i int) uint64 { return hashOf([]byte(a[i].text)) }, KeyB: func(j int) uint64 { return hashOf([]byte(b[j].text)) },
		Similar: func(i, j int) float64 { return seqdiff.Ratio(strings.Fields(a[i].text), strings.Fields(b[j].text)) },
		Twin:    func(i, j int) float64 { return 0.5 },
	})
}

var alignWords = map[string]string{"l": "left", "ctr": "centred", "r": "right", "just": "justified", "justLow": "justified low", "dist": "distributed", "thaiDist": "distributed (Thai)"}

// paragraphWords says an a:pPr or the properties of a level (21.1.2.2.7).
func (p *page) paragraphWords(n *node) string {
	var out []string
	if n == nil {
		return ""
	}
	for a := range n.Attributes() {
		v := a.Value()
		switch a.Name {
		case "lvl":
			out = append(out, fmt.Sprintf("level %d", intOr(v, 0)+1))
		case "algn":
			out = append(out, alignWords[v])
		case "marL", "marR", "indent":
			out = append(out, map[string]string{"marL": "left margin", "marR": "right margin", "indent": "first line"}[a.Name]+" "+hundredths(v, 360000)+" cm")
		case "rtl":
			if isTrue(v) {
				out = append(out, "right to left")
			}
		default:
			if !strings.HasPrefix(a.Name, "xmlns") {
				out = append(out, attrWords(a.Name, v))
			}
		}
	}
	for k := range n.Kids() {
		switch k.Local {
		case "lnSpc", "spcBef", "spcAft":
			out = append(out, map[string]string{"lnSpc": "line spacing", "spcBef": "space before", "spcAft": "space after"}[k.Local]+" "+spacingWords(k))
		case "buNone":
			out = append(out, "no bullet")
		case "buChar":
			out = append(out, "bullet "+k.Value("char"))
		case "buAutoNum":
			out = append(out, "numbered "+splitCapitals(k.Value("type")))
		case "buBlip":
			out = append(out, "bullet with a picture")
		case "buClr":
			out = append(out, "bullet colour "+colorWords(k))
		case "buFont":
			out = append(out, "bullet font "+k.Value("typeface"))
		case "buSzPct":
			out = append(out, "bullet size "+inPercent(k.Value("val")))
		case "defRPr":
			if w := p.runWords(k); w != "" {
				out = append(out, w)
			}
		default:
			out = append(out, p.describeElement(k, 80))
		}
	}
	return strings.Join(slices.DeleteFunc(out, func(s string) bool { return s == "" }), ", ")
}

func spacingWords(n *node) string {
	for k := range n.Kids() {
		if k.Local == "spcPct" {
			return inPercent(k.Value("val"))
		}
		return points(k.Value("val"))
	}
	return "none"
}

// runWords says the format of a run (21.1.2.3.9).
func (p *page) runWords(n *node) string {
	var out []string
	if n == nil {
		return ""
	}
	onOff := func(v, what string) string {
		if isTrue(v) {
			return what
		}
		return "not " + what
	}
	for a := range n.Attributes() {
		v := a.Value()
		switch a.Name {
		case "b":
			out = append(out, onOff(v, "bold"))
		case "i":
			out = append(out, onOff(v, "italic"))
		case "u":
			out = append(out, map[bool]string{true: "not underlined", false: strings.TrimSpace("underlined " + strings.TrimPrefix(splitCapitals(v), "sng"))}[v == "none"])
		case "strike":
			out = append(out, map[bool]string{true: "not struck through", false: "struck through"}[v == "noStrike"])
		case "sz":
			out = append(out, points(v))
		case "cap":
			out = append(out, map[string]string{"all": "capitals", "small": "small capitals", "none": "no capitals"}[v])
		case "baseline":
			if v == "0" {
				out = append(out, "on the line")
			} else if strings.HasPrefix(v, "-") {
				out = append(out, "subscript")
			} else {
				out = append(out, "superscript")
			}
		case "lang":
			out = append(out, "language "+v)
		case "spc":
			out = append(out, "spacing "+points(v))
		default:
			if !slices.Contains(spellingMarks, a.Name) && !strings.HasPrefix(a.Name, "xmlns") {
				out = append(out, attrWords(a.Name, v))
			}
		}
	}
	for k := range n.Kids() {
		switch {
		case isLink(k):
		case isFill(k):
			out = append(out, "colour "+p.fillWords(k))
		case k.Local == "latin":
			out = append(out, "font "+fontName(k.Value("typeface")))
		case k.Local == "ea", k.Local == "cs", k.Local == "sym":
			out = append(out, map[string]string{"ea": "East Asian font", "cs": "complex script font", "sym": "symbol font"}[k.Local]+" "+fontName(k.Value("typeface")))
		case k.Local == "highlight":
			out = append(out, "highlighted "+colorWords(k))
		case k.Local == "ln":
			out = append(out, "outline "+p.lineWords(k))
		default:
			out = append(out, p.describeElement(k, 80))
		}
	}
	return strings.Join(slices.DeleteFunc(out, func(s string) bool { return s == "" }), ", ")
}

func fontName(s string) string {
	switch {
	case strings.HasPrefix(s, "+mj"):
		return "of headings"
	case strings.HasPrefix(s, "+mn"):
		return "of the body"
	}
	return s
}

var attrNames = map[string]string{"defTabSz": "tab stops every", "eaLnBrk": "East Asian line breaking", "latinLnBrk": "breaking words", "hangingPunct": "hanging punctuation", "fontAlgn": "fonts aligned", "kern": "kerning", "altLang": "second language", "showMasterSp": "shapes of the master shown", "showMasterPhAnim": "animations of the master shown", "userDrawn": "drawn by a person", "bwMode": "in black and white", "txBox": "text box", "preserve": "kept when unused"}

// attrWords says an attribute that has no words of its own.
func attrWords(name, value string) string {
	w := attrNames[name]
	if w == "" {
		w = splitCapitals(name)
	}
	switch value {
	case "1", "true":
		return w
	case "0", "false":
		return w + " off"
	}
	return w + " " + clip(oneLine(value), 80)
}
