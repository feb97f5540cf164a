package docx

import (
	"bytes"
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx"
)

// The bounds of what a read says of objects.
const (
	objectText  = 1500   // characters of one object
	objectTexts = 12_000 // characters of all; beyond, only the kind is named
)

// objects describes what is drawn or embedded in a paragraph or row, in words.
type objects struct {
	*document
	ctx  context.Context
	rels map[string]map[string]opc.Relationship // by part and id
	room int
	err  error // the first
}

// objectsOf returns how a read describes objects.
func (d *document) objectsOf(ctx context.Context) *objects {
	return &objects{document: d, ctx: ctx, rels: map[string]map[string]opc.Relationship{}, room: objectTexts}
}

// in lists the objects of a line in their order: charts, diagrams and embedded
// objects. Text boxes in it are lines of their own.
func (o *objects) in(l line) []string {
	raw := l.part.doc[l.node.start:l.node.end]
	if o.err != nil || !bytes.Contains(raw, []byte("drawing")) && !bytes.Contains(raw, []byte("object")) {
		return nil
	}
	var out []string
	sc := xmlscan.New(raw)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && o.ctx.Err() != nil {
			o.err = o.ctx.Err()
			return nil
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		said := ""
		switch t.Local { // the namespaces are declared outside this stretch
		case "Fallback", "txbxContent":
			sc.Skip()
		case "chart":
			said = o.chart(o.target(l.part, t))
		case "relIds":
			said = o.diagram(o.relation(l.part, t.AttrLocal("dm")))
		case "OLEObject":
			said = o.embedded(t.AttrLocal("ProgID"), o.target(l.part, t))
		}
		if said != "" {
			out = append(out, o.bounded(said))
		}
	}
	return out
}

// bounded returns the words for one object on a line, within the room there is.
func (o *objects) bounded(said string) string {
	said = clip(strings.NewReplacer("\n", "; ", "\t", " ", "[", "(", "]", ")").Replace(said), objectText)
	if o.room -= len(said); o.room < 0 {
		kind, _, _ := strings.Cut(said, ":")
		said = kind + ": not shown; read fewer paragraphs at once"
	}
	return "[" + said + "]"
}

// target returns the relationship that the attribute r:id of an element names.
func (o *objects) target(p *part, t xmlscan.Token) opc.Relationship {
	for a := range t.Attrs() {
		if strings.HasSuffix(a.Name, ":id") {
			return o.relation(p, a.Value())
		}
	}
	return opc.Relationship{}
}

// relation returns a relationship of a part to a part that is there, the zero
// value for none.
func (o *objects) relation(p *part, id string) opc.Relationship {
	all, ok := o.rels[p.name]
	if !ok {
		list, err := o.ed.Rels(o.ctx, p.name)
		if err != nil && o.err == nil {
			o.err = err
		}
		all = map[string]opc.Relationship{}
		for _, r := range list {
			all[r.ID] = r
		}
		o.rels[p.name] = all
	}
	if r := all[id]; !r.External && o.ed.Has(r.Target) {
		return r
	}
	return opc.Relationship{}
}

// chart describes a chart part with its cached values.
func (o *objects) chart(r opc.Relationship) string {
	const missing = "chart: missing from the file"
	if r.Target == "" {
		return missing
	}
	doc, err := o.ed.ReadXML(o.ctx, r.Target)
	if err == nil {
		var c *chart.Content
		if c, err = chart.Read(o.ctx, doc); err == nil {
			return "chart: " + evenly(c.Text(xlsx.NumberText), objectText)
		}
	}
	if o.ctx.Err() != nil {
		o.err = o.ctx.Err()
	}
	return "chart: it cannot be read: " + err.Error()
}

// evenly clips the lines of a text so that all together have at most so many
// characters: each keeps its beginning.
func evenly(text string, most int) string {
	lines := strings.Split(text, "\n")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	for i, l := range lines {
		lines[i] = clip(l, max(20, most/len(lines)-2))
	}
	return strings.Join(lines, "\n")
}

// diagram lists the texts of a SmartArt diagram.
func (o *objects) diagram(r opc.Relationship) string {
	if r.Target == "" {
		return "diagram: missing from the file"
	}
	p, err := o.load(o.ctx, textPart{name: r.Target, word: "diagram", dialect: paragraph.Drawing})
	if err != nil {
		if o.ctx.Err() != nil {
			o.err = o.ctx.Err()
		}
		return "diagram: it cannot be read: " + err.Error()
	}
	var texts []string
	size := 0
	for _, para := range p.paras {
		if t := strings.TrimSpace(para.Text()); t != "" && size <= objectText {
			texts, size = append(texts, t), size+len(t)
		}
	}
	return "diagram: " + strings.Join(texts, "; ")
}

// embedded names an embedded object.
func (o *objects) embedded(program string, r opc.Relationship) string {
	out := "embedded object: " + clip(program, 60)
	if r.Target != "" {
		out += ", " + clip(path.Base(r.Target), 80)
	}
	return out
}

// asShownKinds are what a read as shown describes in its place.
var asShownKinds = map[string]bool{"charts": true, "diagrams": true, "equations": true}

// leaves reports whether a read leaves out objects of a kind.
func leaves(sel formats.Selector, kind string) bool { return !sel.AsShown || !asShownKinds[kind] }
