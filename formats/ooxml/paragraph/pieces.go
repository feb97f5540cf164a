package paragraph

import (
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// piece is a part of a run's content.
type piece struct {
	content string // elements of a run
	own     bool   // it gets its own run, else it continues in the present one
	props   string // own: the run's properties
	open    string // own: what is before and after its run
	close   string
	bare    string // instead of a run: elements beside runs
}

// recutText rewrites each text item with the pieces that cut returns; nil
// leaves it unchanged. Only runs that hold such text are opened, objects in
// them keep their bytes.
func (p *Paragraph) recutText(cut func(it item, pos int) []piece) []xmlscan.Splice {
	var out []xmlscan.Splice
	pos, last := 0, -1 // last: index in p.items of the one rewritten before
	for i, it := range p.items {
		at := pos
		pos += len(it.text)
		if it.kind == opaqueItem || it.run < 0 {
			continue
		}
		pieces := cut(it, at)
		if pieces == nil {
			continue
		}
		r := p.runs[it.run]
		// A neighbour in the same run that was rewritten too shares its splice,
		// so that no empty run is left between them.
		joined := last >= 0 && last == i-1 && p.items[last].run == it.run && p.items[last].end == it.start
		first, final := p.contentStart(r) == it.start, it.end == r.closeStart
		s := xmlscan.Splice{Start: it.start, End: it.end}
		open := true
		switch {
		case joined:
			prev := &out[len(out)-1]
			prev.End = it.end
			if final {
				prev.End = r.end
			}
			// The one before left its run open: its last bytes are the start of
			// a run, which is taken back when an own piece follows.
			prev.New = append(prev.New, p.compose(r, pieces, true, final)...)
			last = i
			continue
		case first:
			s.Start, open = r.start, false
		}
		if final {
			s.End = r.end
		}
		s.New = p.compose(r, pieces, open, final)
		out = append(out, s)
		last = i
	}
	for i := range out {
		out[i].New = p.dropEmptyRuns(out[i].New)
	}
	return out
}

// contentStart returns where the content of a run begins, after its properties.
func (p *Paragraph) contentStart(r run) int {
	if r.rPr.end > 0 {
		return r.rPr.end
	}
	return r.openEnd
}

// emptyRun marks a run boundary that dropEmptyRuns may remove.
const emptyRun = "\x00"

// compose writes pieces; open reports whether the run is open before them,
// final whether it is closed after them.
func (p *Paragraph) compose(r run, pieces []piece, open, final bool) []byte {
	var b strings.Builder
	start := func() {
		if !open {
			b.WriteString(emptyRun + p.runOpen(r))
			open = true
		}
	}
	end := func() {
		if open {
			b.WriteString("</" + p.prefix + "r>" + emptyRun)
			open = false
		}
	}
	for _, pc := range pieces {
		switch {
		case pc.bare != "":
			end()
			b.WriteString(pc.bare)
		case !pc.own:
			if pc.content != "" {
				start()
				b.WriteString(pc.content)
			}
		default:
			end()
			b.WriteString(pc.open + "<" + p.prefix + "r>" + pc.props + pc.content + "</" + p.prefix + "r>" + pc.close)
		}
	}
	if final {
		end()
	} else {
		start()
	}
	return []byte(b.String())
}

// runOpen returns the start of a run with its properties.
func (p *Paragraph) runOpen(r run) string {
	return string(p.doc[r.start:r.openEnd]) + string(p.doc[r.rPr.start:r.rPr.end])
}

// dropEmptyRuns removes runs without content.
func (p *Paragraph) dropEmptyRuns(b []byte) []byte {
	parts := strings.Split(string(b), emptyRun)
	if p.opens == nil {
		p.opens = map[string]bool{}
		for _, r := range p.runs {
			p.opens[p.runOpen(r)] = true
		}
	}
	var sb strings.Builder
	for _, part := range parts {
		if p.isEmptyRun(part) {
			continue
		}
		sb.WriteString(part)
	}
	return []byte(sb.String())
}

func (p *Paragraph) isEmptyRun(s string) bool {
	open, ok := strings.CutSuffix(s, "</"+p.prefix+"r>")
	return ok && p.opens[open]
}

// itemXML returns the content of one item, or of a part of its text.
func (p *Paragraph) itemXML(it item, text string) string {
	if it.kind == breakItem || text == it.text {
		return string(p.doc[it.start:it.end])
	}
	return p.textXML(text)
}
