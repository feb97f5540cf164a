package docx

import (
	"path"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/internal/lazyregexp"
)

// drawing reports a picture, chart, diagram, shape or embedded object, in the
// words of DrawingML (20.4) or VML, then goes into its text.
func (c *collector) drawing(e *el) {
	shown := e
	if choice := e.child("Choice"); e.local == "AlternateContent" && choice != nil {
		shown = choice
	}
	inBox := func(k *el) bool { return k.w("txbxContent") }
	find := func(want func(*el) bool) *el { return shown.find(want, inBox) }
	local := func(names ...string) *el {
		return find(func(k *el) bool {
			for _, n := range names {
				if k.local == n {
					return true
				}
			}
			return false
		})
	}
	d := drawnObject{collector: c, e: e, frame: local("anchor", "inline"), props: local("docPr"), vml: local("shape", "rect", "roundrect", "oval", "line", "group", "polyline"), find: find}
	t := d.item(local)
	t.Key, t.At, t.Was = c.key+" "+t.Key, c.at, c.was
	sum := e.sum(c.relTargets(c.part), boxText(e))
	t.Sum = inventory.SumOf(sum[:], t.Sum[:])
	t.Parts = append(t.Parts, c.partsOf(e)...)
	if d.props.attr("hidden") == "1" || d.props.attr("hidden") == "true" {
		t.WarnAdded = "hidden: " + t.Text
	}
	if t.WarnRemoved == "" {
		t.WarnRemoved = "lost: " + t.Text
	}
	c.in.Add(t)
	c.chartSettings(d.chartPart, t.Key, t.At)
	c.boxes(e)
}

// chartSettings adds the settings of a chart, with its values, which have no
// cells that a review tells of.
func (c *collector) chartSettings(part, of, at string) {
	if part == "" {
		return
	}
	list, err := inventory.ChartSettings(c.ctx, c.pkg, part, of, at, true)
	if err != nil && c.err == nil {
		c.err = err
	}
	c.in.Add(list...)
}

// boxes goes through the text of shapes.
func (c *collector) boxes(e *el) {
	for _, k := range e.kids {
		switch {
		case k.local == "" || k.local == "Fallback":
		case k.w("txbxContent"):
			c.walkBoxes(k)
		default:
			c.boxes(k)
		}
	}
}

// partsOf returns the parts that the relationships in e lead to, without those
// that are reported by themselves.
func (c *collector) partsOf(e *el) []string {
	var out []string
	var walk func(e *el)
	walk = func(e *el) {
		if e.w("txbxContent") {
			return
		}
		for _, a := range e.attrs {
			if a.space != nsR {
				continue
			}
			if r, ok := c.relation(c.part.name, a.value); ok && !r.External && c.partName[r.Target] == "" {
				out = append(out, c.partTarget(r.Target).parts...)
			}
		}
		for _, k := range e.kids {
			walk(k)
		}
	}
	walk(e)
	return out
}

type drawnObject struct {
	*collector
	e, frame, props, vml *el
	chartPart            string // of a chart
	find                 func(func(*el) bool) *el
}

// item returns what a drawing is first of all.
func (d *drawnObject) item(local func(...string) *el) inventory.Item {
	named := d.props.attr("name")
	if named == "" {
		named = d.vml.attr("id")
	}
	object, control := local("OLEObject"), d.find(func(k *el) bool { return k.w("control") })
	chart, diagram := d.find(func(k *el) bool { return k.local == "chart" && k.rel("id") != "" }), local("relIds")
	picture := local("blip", "imagedata")
	watermark := d.find(func(k *el) bool { return k.local == "textpath" && k.attr("string") != "" }) // that of the shape's type has none
	switch {
	case object != nil:
		what := strings.TrimSpace(object.attr("ProgID") + " object")
		return inventory.Item{Kind: formats.FactObject, Key: "object " + named, Text: "embedded " + what + d.size(), WarnAdded: "new embedded object: " + what}
	case control != nil:
		return inventory.Item{Kind: formats.FactControl, Key: "activex " + named, Text: "ActiveX control “" + control.attr("name") + "”" + d.size(), WarnAdded: "new control: ActiveX “" + control.attr("name") + "”"}
	case chart != nil:
		return d.chart(chart, named)
	case diagram != nil:
		return d.diagram(diagram, named)
	case watermark != nil && strings.Contains(strings.ToLower(d.vml.attr("id")), "watermark"):
		return inventory.Item{Kind: formats.FactShape, Key: "watermark", Text: "watermark “" + watermark.attr("string") + "”"}
	case picture != nil && d.find(func(k *el) bool { return k.w("txbxContent") }) == nil:
		return d.picture(picture, named)
	}
	return d.shape(local, named)
}

func (d *drawnObject) chart(e *el, named string) inventory.Item {
	t := inventory.Item{Kind: formats.FactChart, Text: "a chart that is missing from the file"}
	if r, ok := d.relation(d.part.name, e.rel("id")); ok && !r.External {
		d.chartPart = r.Target
		made, err := inventory.ChartItem(d.ctx, d.pkg, r.Target)
		if err != nil && d.err == nil {
			d.err = err
		}
		t = made
	}
	t.Key, t.Kind = "chart "+named, formats.FactChart
	t.Text += d.size() + d.alt()
	return t
}

func (d *drawnObject) diagram(e *el, named string) inventory.Item {
	t := inventory.Item{Kind: formats.FactDiagram, Key: "diagram " + named, Text: "SmartArt"}
	var sums [][]byte
	for _, a := range e.attrs {
		r, ok := d.relation(d.part.name, a.value)
		if a.space != nsR || !ok || r.External {
			continue
		}
		lead := d.partTarget(r.Target)
		sums = append(sums, lead.sum[:])
		t.Parts = append(t.Parts, lead.parts...)
		if a.local == "dm" && d.pkg.Has(r.Target) {
			if doc, err := d.pkg.ReadXML(d.ctx, r.Target); err == nil {
				t.Text += " “" + clip(drawnWords(doc), 120) + "”"
			}
		}
	}
	t.Sum = inventory.SumOf(sums...)
	t.Text += d.size() + d.alt()
	return t
}

func (d *drawnObject) picture(e *el, named string) inventory.Item {
	t := inventory.Item{Kind: formats.FactPicture, Text: "a picture without a file"}
	id := e.rel("embed")
	if id == "" {
		id = e.rel("id")
	}
	if r, ok := d.relation(d.part.name, id); ok && !r.External {
		made, err := inventory.PictureItem(d.ctx, d.pkg, r.Target)
		if err != nil && d.err == nil {
			d.err = err
		}
		if t = made; !d.pkg.Has(r.Target) {
			t.WarnAdded = "the file of a picture is missing: " + r.Target
		}
	}
	if r, ok := d.relation(d.part.name, e.rel("link")); ok && r.External {
		t.Text = strings.TrimPrefix(t.Text+", linked to "+r.Target, "a picture without a file, ")
	}
	t.Key, t.Kind = "picture "+named, formats.FactPicture
	t.Text += d.size() + d.crop() + d.placing() + d.alt()
	t.WarnRemoved = "lost: " + t.Text
	return t
}

func (d *drawnObject) shape(local func(...string) *el, named string) inventory.Item {
	what := "shape"
	switch geom := local("prstGeom").attr("prst"); {
	case local("wgp", "group", "wpc") != nil:
		what = "group of shapes"
	case d.e.find(func(k *el) bool { return k.w("txbxContent") }, nil) != nil:
		what = "text box"
	case geom != "":
		what = "shape " + splitWords(geom)
	case d.vml != nil && d.vml.local != "shape":
		what = "shape " + d.vml.local
	case local("hr") != nil || d.vml.attr("hr") != "":
		what = "line"
	}
	text := what
	if named != "" && !strings.HasPrefix(named, "_x0000_") {
		text += " “" + named + "”"
	}
	return inventory.Item{Kind: formats.FactShape, Key: "shape " + named, Text: text + d.size() + d.placing() + d.alt()}
}

var vmlLength = lazyregexp.New(`(?:^|;)\s*(width|height):\s*([0-9.]+)(pt|in|cm|mm|px)?`)

// size returns how large it is drawn.
func (d *drawnObject) size() string {
	if x := d.frame.child("extent"); x != nil {
		return ", " + centimetres(x.attr("cx")) + " × " + centimetres(x.attr("cy")) + " cm"
	}
	have := map[string]string{}
	for _, m := range vmlLength.FindAllStringSubmatch(d.vml.attr("style"), -1) {
		have[m[1]] = m[2] + " " + m[3]
	}
	if have["width"] == "" {
		return ""
	}
	return ", " + have["width"] + " × " + have["height"]
}

func centimetres(v string) string { return ratio(v, 360000) }

func (d *drawnObject) alt() string {
	alt := d.props.attr("descr")
	if alt == "" {
		alt = d.vml.attr("alt")
	}
	if alt == "" {
		return ""
	}
	return ", alt “" + clip(alt, 120) + "”"
}

// crop returns what is cut off, in parts of a hundred thousand (20.1.8.55).
func (d *drawnObject) crop() string {
	r := d.find(func(k *el) bool { return k.local == "srcRect" })
	var out []string
	for _, s := range []struct{ attr, word string }{{"l", "left"}, {"t", "top"}, {"r", "right"}, {"b", "bottom"}} {
		if n, err := strconv.Atoi(r.attr(s.attr)); err == nil && n != 0 {
			out = append(out, s.word+" "+ratio(r.attr(s.attr), 1000)+" %")
		}
	}
	if len(out) == 0 {
		return ""
	}
	return ", cropped " + strings.Join(out, ", ")
}

// placing returns how it stands to the text (20.4.2.3).
func (d *drawnObject) placing() string {
	if d.frame == nil || d.frame.local != "anchor" {
		return ""
	}
	out := ", floating"
	for _, k := range d.frame.kids {
		switch {
		case k.local == "wrapNone" && d.frame.attr("behindDoc") == "1":
			out = ", behind the text"
		case k.local == "wrapNone":
			out = ", in front of the text"
		}
	}
	for _, s := range []struct{ name, word string }{{"positionH", "from the left of the "}, {"positionV", "below the top of the "}} {
		p := d.frame.child(s.name)
		if off := p.child("posOffset"); off != nil {
			out += ", " + centimetres(strings.TrimSpace(off.plain())) + " cm " + s.word + p.attr("relativeFrom")
		} else if a := p.child("align"); a != nil {
			out += ", " + strings.TrimSpace(a.plain()) + " of the " + p.attr("relativeFrom")
		}
	}
	return out
}

// drawnWords returns the text of a DrawingML part.
func drawnWords(doc []byte) string {
	p := &part{doc: doc}
	root := p.root()
	var out []string
	var walk func(e *el)
	walk = func(e *el) {
		for _, k := range e.kids {
			if k.is(nsA, "t") {
				out = append(out, k.plain())
			} else {
				walk(k)
			}
		}
	}
	walk(root)
	return strings.Join(out, ", ")
}

// partsBelow returns the parts that a part leads to.
func (s *comparedSide) partsBelow(name string) []string {
	var out []string
	rels, err := s.pkg.Rels(s.ctx, name)
	if err != nil && s.err == nil {
		s.err = err
	}
	for _, r := range rels {
		if !r.External {
			out = append(out, s.partTarget(r.Target).parts...)
		}
	}
	return out
}

func kindOfRel(t string) string { return path.Base(t) }
