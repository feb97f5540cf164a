package pptx

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Texts are measured by estimate, since no fonts are read: letters are about half as wide as
// the font is high, wide ones as wide as high.
const (
	letterWidth = 0.47
	lineHeight  = 1.2 // of a font
	emuPerPoint = 12700
	defaultSize = 18   // points
	lineSlack   = 0.12 // of a line, by which a text may be narrower than the estimate
)

// measuring estimates the measures of texts on a slide.
type measuring struct {
	t           *tree
	lay, master *layout
	defaults    *node // p:defaultTextStyle of the presentation
	chains      map[int][]*node
	of          *shape  // which the chains are of
	plain       *spaces // of its paragraphs without properties
}

// measuring returns what measures the texts of a slide.
func (d *deck) measuring(ctx context.Context, t *tree) (*measuring, error) {
	lay, err := d.layoutOf(ctx, t.part)
	if err != nil {
		return nil, err
	}
	m := &measuring{t: t, lay: lay, defaults: d.textStyle}
	if lay != nil {
		m.master, err = d.masterOf(ctx, lay.part)
	}
	return m, err
}

// frame returns where a shape is, which is at p.
func (m *measuring) frame(s *shape, p place) (frame, bool) {
	if f, ok := frameOf(s.xfrm()); ok {
		return p.of(f), true
	}
	return inheritedFrame(s, m.lay, m.master)
}

// props lists where the properties of a paragraph come from, the nearest first.
func (m *measuring) props(s *shape, p *node) []*node {
	own := p.Child(nsA, "pPr")
	lvl := min(maxLevel, max(0, intOr(own.Value("lvl"), 0)))
	if m.of != s {
		m.of, m.chains, m.plain = s, map[int][]*node{}, nil
	}
	chain, ok := m.chains[lvl]
	if !ok {
		chain = inheritedProps(s, m.lay, m.master, lvl)
		chain = append(chain, m.defaults.Child(nsA, "lvl"+strconv.Itoa(lvl+1)+"pPr"))
		m.chains[lvl] = chain
	}
	return append([]*node{own}, chain...)
}

// spaces are the properties of a paragraph that its measures depend on.
type spaces struct {
	size          float64 // of text that sets none, in hundredths of a point
	left          float64 // EMU
	line          float64 // parts of a line
	before, after float64 // points
	align         string
}

func spacesOf(chain []*node) spaces {
	return spaces{sizeOf(chain), indent(chain), spacing(chain, "lnSpc", 1), pointsOf(chain, "spcBef"), pointsOf(chain, "spcAft"), alignOf(chain)}
}

// spaces returns what the properties of a paragraph say.
func (m *measuring) spaces(s *shape, p *node) spaces {
	if m.of == s && m.plain != nil && p.Child(nsA, "pPr") == nil {
		return *m.plain
	}
	chain := m.props(s, p)
	out := spacesOf(chain)
	if chain[0] == nil {
		m.plain = &out
	}
	return out
}

// bodies lists the properties of the text of a shape, the nearest first.
func (m *measuring) bodies(s *shape) []*node {
	out := []*node{s.body.Child(nsA, "bodyPr")}
	if s.ph != nil && m.lay != nil {
		if like := m.lay.match(s); like != nil && like.body != nil {
			out = append(out, like.body.Child(nsA, "bodyPr"))
		}
	}
	if s.ph != nil && m.master != nil {
		if like := m.master.bodies[masterType(s.phType())]; like != nil {
			out = append(out, like.body.Child(nsA, "bodyPr"))
		}
	}
	return out
}

// measured is what a text takes up in its shape, in EMU.
type measured struct {
	sideways bool    // its lines do not run from left to right
	wraps    bool    // lines end at the edge of the shape
	fit      string  // how text and shape are fitted to each other
	total    float64 // height of the text
	need     float64 // the same without empty lines at its end
	inner    frame   // where the text may be
	anchor   string  // t, ctr, b
	align    string  // of its first paragraph: l, ctr, r …
	scale    float64 // of the font sizes, by which the text was made to fit
	lines    []lines // of paragraphs that show something
}

// lines are those of a paragraph, from the first to the last that shows something.
type lines struct {
	from, to float64 // below the top of the text
	wide     float64
	align    string
}

// inkMost is how many paragraphs of a text are told apart by their place.
const inkMost = 48

// measure estimates what the text of a shape takes up.
func (m *measuring) measure(s *shape, f frame) measured {
	bodies := m.bodies(s)
	inset := func(name string, def int) float64 { return float64(intOr(bodyValue(bodies, name), def)) }
	out := measured{fit: autofit(bodies), anchor: cmp.Or(bodyValue(bodies, "anchor"), "t"), scale: fontScale(bodies), wraps: bodyValue(bodies, "wrap") != "none"}
	v := bodyValue(bodies, "vert")
	out.sideways = v != "" && v != "horz"
	left, top := inset("lIns", 91440), inset("tIns", 45720)
	out.inner = frame{f.x + left, f.y + top, f.w - left - inset("rIns", 91440), f.h - top - inset("bIns", 45720)}
	columns := float64(min(16, max(1, intOr(bodyValue(bodies, "numCol"), 1))))
	across := out.inner.w / columns
	if !out.wraps {
		across = math.Inf(1)
	}
	for i, p := range paragraphs(s.body) {
		sp := m.spaces(s, p)
		if i == 0 {
			out.align = sp.align
		}
		at := m.paragraph(p, sp, across, i > 0)
		if at.to > at.from {
			out.need = out.total + at.to
			out.addLines(lines{out.total + at.from, out.total + at.to, at.wide, sp.align})
		}
		out.total += at.height
	}
	if out.anchor != "t" && len(out.lines) > 0 {
		out.need -= out.lines[0].from // empty lines above push nothing out of the shape
	}
	if columns > 1 {
		out.total, out.need = out.total/columns, out.need/columns
		out.lines = []lines{{0, out.need, out.inner.w, "l"}}
	}
	return out
}

// addLines adds those of a paragraph, beyond inkMost to those before.
func (o *measured) addLines(l lines) {
	n := len(o.lines) - 1
	if n+1 < inkMost {
		o.lines = append(o.lines, l)
		return
	}
	o.lines[n].to, o.lines[n].wide = l.to, math.Max(o.lines[n].wide, l.wide)
}

// ink returns where the letters of a text are, a frame for each paragraph.
func (o measured) ink() []frame {
	total := o.total
	shrink := 1.0
	if o.fit == "normAutofit" && total > o.inner.h && o.inner.h > 0 {
		shrink = o.inner.h / total
		total = o.inner.h
	}
	top := o.inner.y
	switch o.anchor {
	case "ctr":
		top += (o.inner.h - total) / 2
	case "b":
		top += o.inner.h - total
	}
	var out []frame
	for _, l := range o.lines {
		f := frame{o.inner.x, top + l.from*shrink, l.wide, (l.to - l.from) * shrink}
		switch l.align {
		case "ctr":
			f.x += (o.inner.w - l.wide) / 2
		case "r":
			f.x += o.inner.w - l.wide
		}
		out = append(out, f)
	}
	return out
}

// bodyValue returns an attribute of the nearest a:bodyPr that has it.
func bodyValue(bodies []*node, name string) string {
	for _, b := range bodies {
		if v := b.Value(name); v != "" {
			return v
		}
	}
	return ""
}

// autofit returns how a shape and its text are fitted to each other (21.1.2.1.1 to 3).
func autofit(bodies []*node) string {
	for _, b := range bodies {
		for _, name := range []string{"noAutofit", "normAutofit", "spAutoFit"} {
			if b.Child(nsA, name) != nil {
				return name
			}
		}
	}
	return ""
}

// fontScale returns by what the sizes of a text were multiplied to make it fit.
func fontScale(bodies []*node) float64 {
	if fit := bodies[0].Child(nsA, "normAutofit"); fit != nil {
		if v := percentage(fit.Value("fontScale")); v > 0 {
			return v
		}
	}
	return 1
}

// percentage reads 92500 or 92.5% as 0.925; 0 for anything else.
func percentage(s string) float64 {
	if n := len(s) - 1; n > 0 && s[n] == '%' {
		v, _ := strconv.ParseFloat(s[:n], 64)
		return v / 100
	}
	v, _ := strconv.ParseFloat(s, 64)
	return v / 100_000
}

// alignOf returns the alignment of a paragraph.
func alignOf(chain []*node) string {
	for _, c := range chain {
		if v := c.Value("algn"); v != "" {
			return v
		}
	}
	return "l"
}

// sizeOf returns the size of text that sets none, in hundredths of a point.
func sizeOf(chain []*node) float64 {
	for _, c := range chain[1:] {
		if sz := intOr(c.Child(nsA, "defRPr").Value("sz"), 0); sz > 0 {
			return float64(sz)
		}
	}
	return defaultSize * 100
}

// paragraphLines is what a paragraph takes up, in EMU.
type paragraphLines struct {
	height   float64
	from, to float64 // of the lines that show something
	wide     float64
}

// paragraph estimates what a paragraph takes up with lines of at most that width.
func (m *measuring) paragraph(p *node, sp spaces, across float64, spaced bool) (out paragraphLines) {
	size, left := sp.size, sp.left
	room := math.Max(1, across-left)
	largest, line, count := 0.0, 0.0, 0.0
	first, last, shows := -1.0, 0.0, false
	end := func() {
		out.wide = math.Max(out.wide, math.Min(line, room)+left)
		n := math.Max(1, math.Ceil(line/room-lineSlack))
		if shows {
			if first < 0 {
				first = count
			}
			last = count + n
		}
		count += n
		line, shows = 0, false
	}
	for r := range p.Kids() {
		switch {
		case r.Is(nsA, "br"):
			end()
		case r.Is(nsA, "r") || r.Is(nsA, "fld"):
			text := m.t.Text(r.Child(nsA, "t"))
			sz := float64(cmp.Or(intOr(r.Child(nsA, "rPr").Value("sz"), 0), int(size)))
			if strings.TrimSpace(text) != "" {
				shows = true
				largest = math.Max(largest, sz)
			}
			line += letters(text) * letterWidth * sz / 100 * emuPerPoint
		}
	}
	end()
	if largest == 0 {
		largest = float64(cmp.Or(intOr(p.Child(nsA, "endParaRPr").Value("sz"), 0), int(size)))
	}
	lineHigh := largest / 100 * emuPerPoint * lineHeight * sp.line
	above := 0.0
	if spaced {
		above = sp.before * emuPerPoint
	}
	out.height = above + count*lineHigh + sp.after*emuPerPoint
	if first >= 0 {
		out.from, out.to = above+first*lineHigh, above+last*lineHigh
	}
	return out
}

// letters counts the letters of a text, wide ones twice.
func letters(s string) float64 {
	n := 0.0
	for _, r := range s {
		if r < utf8.RuneSelf {
			n++
			continue
		}
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
		n++
	}
	return n
}

// indent returns the left margin of a paragraph in EMU.
func indent(chain []*node) float64 {
	for _, c := range chain {
		if v := c.Value("marL"); v != "" {
			return float64(max(0, intOr(v, 0)))
		}
	}
	return 0
}

// spacing returns a spacing in parts of a line (21.1.2.2.5); def where it is absent or in
// points.
func spacing(chain []*node, name string, def float64) float64 {
	for _, c := range chain {
		if v := c.Child(nsA, name).Child(nsA, "spcPct").Value("val"); v != "" {
			return percentage(v)
		}
		if c.Child(nsA, name) != nil {
			break
		}
	}
	return def
}

// pointsOf returns a spacing that is given in points.
func pointsOf(chain []*node, name string) float64 {
	for _, c := range chain {
		if n := c.Child(nsA, name); n != nil {
			return float64(intOr(n.Child(nsA, "spcPts").Value("val"), 0)) / 100
		}
	}
	return 0
}

// Margins of table cells where they say nothing (21.1.3.17).
const (
	cellAside = 91440
	cellAbove = 45720
)

// tableHeight estimates how high a table is drawn: rows grow with their texts.
func (m *measuring) tableHeight(s *shape) float64 {
	edges := columnEdges(s.tbl)
	total := 0.0
	for tr := range s.tbl.Kids() {
		if !tr.Is(nsA, "tr") {
			continue
		}
		row, col := float64(max(0, intOr(tr.Value("h"), 0))), 0
		for tc := range tr.Kids() {
			if !tc.Is(nsA, "tc") {
				continue
			}
			last := len(edges) - 1
			from, to := min(col, last), min(col+min(last, max(1, intOr(tc.Value("gridSpan"), 1))), last)
			w := edges[to] - edges[from]
			col++
			if isTrue(tc.Value("hMerge")) || isTrue(tc.Value("vMerge")) || intOr(tc.Value("rowSpan"), 1) > 1 {
				continue
			}
			row = math.Max(row, m.cellHeight(s, tc, w))
		}
		total += row
	}
	return total
}

// columnEdges returns where the columns of an a:tbl begin and the last one ends.
func columnEdges(tbl *node) []float64 {
	out := []float64{0}
	for c := range tbl.Child(nsA, "tblGrid").Kids() {
		if c.Is(nsA, "gridCol") {
			out = append(out, out[len(out)-1]+float64(max(0, intOr(c.Value("w"), 0))))
		}
	}
	return out
}

// cellHeight estimates the height of a cell of a table with its margins.
func (m *measuring) cellHeight(s *shape, tc *node, w float64) float64 {
	body, props := tc.Child(nsA, "txBody"), tc.Child(nsA, "tcPr")
	if v := props.Value("vert"); body == nil || v != "" && v != "horz" {
		return 0
	}
	margin := func(name string, def int) float64 { return float64(intOr(props.Value(name), def)) }
	across := w - margin("marL", cellAside) - margin("marR", cellAside)
	if across <= 0 {
		return 0
	}
	h := margin("marT", cellAbove) + margin("marB", cellAbove)
	for i, p := range paragraphs(body) {
		lvl := strconv.Itoa(level(p) + 1)
		h += m.paragraph(p, spacesOf([]*node{p.Child(nsA, "pPr"), m.defaults.Child(nsA, "lvl"+lvl+"pPr")}), across, i > 0).height
	}
	return h
}
