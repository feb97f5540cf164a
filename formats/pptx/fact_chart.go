package pptx

import (
	"fmt"
	"io"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
)

func readFull(r io.Reader, b []byte) (int, error) { return io.ReadFull(r, b) }

// chart adds items for the chart that n names: its kind, each series with its
// values, its other settings, its data sheet.
func (p *page) chart(s *placedShape, n *node) {
	p.addAttributes(s, formats.FactChart, "chart ref", "", n, "r:id")
	r := p.relByID(n.RelValue("id"))
	if r == nil || r.External || !p.pkg.Has(r.Target) {
		p.addContent(s, formats.FactChart, "a chart that is missing from the file", inventory.Sum{})
		return
	}
	whole, err := inventory.ChartItem(p.ctx, p.pkg, r.Target)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.in.Cover(whole.Parts...)
	c := &page{comparedSide: p.comparedSide, part: r.Target, key: p.key, at: p.at, byID: map[string]int{}, used: map[string]bool{}}
	if c.t, err = p.d.tree(p.ctx, r.Target); err == nil {
		c.rels, err = p.d.Rels(p.ctx, r.Target)
	}
	if err != nil {
		p.addContent(s, formats.FactChart, whole.Text, whole.Sum)
		return
	}
	for i, r := range c.rels {
		c.byID[r.ID] = i
	}
	p.addContent(s, formats.FactChart, whole.Text, inventory.Sum{})
	c.chartElement(s, "", c.t.Root)
	c.chartParts(s)
	p.items = append(p.items, c.items...)
}

// chartElement reports the settings in an element of a chart part.
func (p *page) chartElement(s *placedShape, path string, n *node) {
	p.addAttributes(s, formats.FactChart, "chart"+path, "", n)
	groups := 0
	p.addKids(s, formats.FactChart, "chart"+path, "", n, func(k *node) bool {
		switch {
		case strings.HasSuffix(k.Local, "Chart") && n.Local == "plotArea":
			// By its number, so that a change of its kind is one fact.
			groups++
			group := fmt.Sprintf("%s group %d", path, groups)
			p.addProperty(s, formats.FactChart, "chart"+group+" kind", "shown as "+splitCapitals(strings.TrimSuffix(k.Local, "Chart")), inventory.Sum{})
			p.chartElement(s, group, k)
		case k.Local == "chart" || k.Local == "plotArea" || k.Local == "chartData" || k.Local == "plotAreaRegion":
			p.chartElement(s, fmt.Sprintf("%s %s", path, k.Local), k)
		case k.Is(nsC, "ser"):
			p.series(s, path, k)
		case k.Is(nsA, "extLst") || k.Local == "extLst":
			p.addProperty(s, formats.FactChart, "chart"+path+" extLst", "chart: extension data", p.sum(nil, k))
		case k.Local == "title":
			p.addProperty(s, formats.FactChart, "chart"+path+" title", "title "+quoted(p.t.chartLabel(k.Child(nsC, "tx"))), p.sum(nil, k))
		default:
			return false
		}
		return true
	})
}

// series reports a series: its name, values and categories, and how it looks.
func (p *page) series(s *placedShape, path string, ser *node) {
	name := p.t.chartLabel(ser.Child(nsC, "tx"))
	if name == "" {
		name = "series " + ser.Child(nsC, "idx").Value("val")
	} else {
		name = "series " + quoted(name)
	}
	key := fmt.Sprintf("chart%s ser %s", path, ser.Child(nsC, "idx").Value("val"))
	p.addKids(s, formats.FactChart, key, name+":", ser, func(k *node) bool {
		switch k.Local {
		case "val", "yVal", "xVal", "bubbleSize", "cat":
			what := map[string]string{"val": "values", "yVal": "values", "xVal": "x values", "bubbleSize": "sizes", "cat": "categories"}[k.Local]
			p.addProperty(s, formats.FactChart, key+" "+k.Local, name+", "+what+" "+p.points(k), p.sum(nil, k))
			return true
		}
		return false
	})
}

// points lists the first values of a series.
func (p *page) points(n *node) string {
	var out []string
	total := 0
	for v := range n.All() {
		if v.Is(nsC, "v") {
			if total++; len(out) < 20 {
				out = append(out, clip(oneLine(p.t.Text(v)), 30))
			}
		}
	}
	text := strings.Join(out, ", ")
	if total > len(out) {
		text += fmt.Sprintf(", … %d more", total-len(out))
	}
	return text
}

// chartParts reports the parts that belong to a chart: its data sheet, its
// style, a drawing on top of it.
func (p *page) chartParts(s *placedShape) {
	nth := map[string]int{}
	for _, r := range p.rels {
		kind := path.Base(r.Type)
		text := map[string]string{"package": "the data sheet of the chart", "chartStyle": "style of the chart", "chartColorStyle": "colours of the chart", "chartUserShapes": "drawing on the chart", "themeOverride": "theme of the chart"}[kind]
		if text == "" {
			text = "a part of the chart: " + splitCapitals(kind)
		}
		if r.External {
			text = "data of the chart linked from " + r.Target
		} else if p.pkg.Has(r.Target) && kind == "package" {
			text += ", " + p.fileWords(r.Target, "file")
		}
		p.addProperty(s, formats.FactChart, fmt.Sprintf("chart part %s %d", kind, nth[kind]), text, inventory.SumOf([]byte(p.relSum(r))))
		nth[kind]++
	}
	p.in.Cover(opc.RelsName(p.part))
}
