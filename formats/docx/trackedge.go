package docx

import (
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// trackEdge writes a header or footer as a revision. Its last paragraph stays
// and takes the last of the new texts: a story ends in a paragraph whose mark
// can be neither inserted nor deleted. The other new paragraphs are inserted
// before it, the other old blocks deleted.
func (e *editing) trackEdge(p *part, story *node, specs []Paragraph, pPr, rPr string, rep *formats.OpReport) error {
	old, last := story.kids, (*node)(nil)
	if n := len(old); n > 0 && old[n-1].kind == paraNode {
		old, last = old[:n-1], old[n-1]
	}
	var splices []xmlscan.Splice
	for _, n := range old {
		splices = append(splices, e.trackDelete(p, n)...)
	}
	if last == nil {
		content, err := e.write(p.prefix, specs, pPr, rPr, rep)
		if err != nil {
			return err
		}
		if story.empty {
			e.put(p, story, 0, 0, content)
			return nil
		}
		e.splice(p, append(splices, xmlscan.Splice{Start: story.innerEnd, End: story.innerEnd, New: []byte(content)})...)
		return nil
	}
	final := len(specs) - 1
	before, err := e.write(p.prefix, specs[:final], pPr, rPr, rep)
	if err != nil {
		return err
	}
	splices = append(splices, xmlscan.Splice{Start: last.start, End: last.start, New: []byte(before)})
	rewritten, err := e.trackRewrite(place{p, last}, specs[final], pPr, rPr, rep)
	if err != nil {
		return err
	}
	e.splice(p, append(splices, rewritten...)...)
	return nil
}

// trackRewrite records all content of a paragraph as deleted and that of spec
// as inserted, and what its layout was.
func (e *editing) trackRewrite(pl place, spec Paragraph, pPr, rPr string, rep *formats.OpReport) ([]xmlscan.Splice, error) {
	if spec.Style != "" {
		pPr, rPr = "", "" // a style brings its own look
	}
	props, err := e.pPr(pPr, pl.prefix, spec.Layout, rep)
	if err != nil {
		return nil, err
	}
	props = e.trackProps(pl, props)
	runs, err := runsXML(pl.prefix, spec, rPr)
	if err != nil {
		return nil, err
	}
	if runs != "" {
		runs = "<" + pl.prefix + "ins" + e.rev.Attrs(pl.prefix) + ">" + runs + "</" + pl.prefix + "ins>"
	}
	if pl.empty {
		tag := strings.TrimRight(strings.TrimSuffix(string(pl.doc[pl.start:pl.end]), "/>"), " ")
		return []xmlscan.Splice{{Start: pl.start, End: pl.end, New: []byte(tag + ">" + props + runs + "</" + pl.prefix + "p>")}}, nil
	}
	out := append(propsSplice(pl, props), pl.paras[pl.para].TrackDelete(e.rev)...)
	return append(out, xmlscan.Splice{Start: pl.innerEnd, End: pl.innerEnd, New: []byte(runs)}), nil
}

// trackProps makes paragraph properties those of now; what belongs to the
// paragraph's mark stays.
func (e *editing) trackProps(pl place, now string) string {
	before := pl.raw(pl.props)
	was := paraProps(before, pl.prefix)
	p := paraProps(now, pl.prefix)
	for _, own := range []string{"rPr", "pPrChange"} {
		if xml := was.Get(own); xml != "" {
			p.Set(own, xml)
		}
	}
	if p.Optional() == was.Optional() {
		return before
	}
	return trackLayout(before, p.Optional(), pl.prefix, e.rev)
}
