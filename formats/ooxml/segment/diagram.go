package segment

// Diagrams are the IDs of the texts of a document's diagrams, which the
// drawings of the diagrams repeat, by text.
type Diagrams map[string]string

// Pair takes the texts of the data of a diagram, and lets those of a drawing
// that say the same follow them. The data must come first.
func (d Diagrams) Pair(p *Part) {
	data, drawing := p.root.Is(nsDgm, "dataModel"), p.DiagramDrawing()
	if !data && !drawing {
		return
	}
	for i := range p.Texts {
		t := &p.Texts[i]
		if t.Para == nil {
			continue
		}
		switch text := t.Tagged(); {
		case drawing && d[text] != "":
			t.Repeats = d[text]
		case data && d[text] == "":
			d[text] = t.ID
		}
	}
}

// DiagramDrawing reports whether the part is the drawing of a diagram.
func (p *Part) DiagramDrawing() bool { return p.root.Is(nsDsp, "drawing") }
