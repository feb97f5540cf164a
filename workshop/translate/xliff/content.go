package xliff

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/internal/xmlin"
)

// part is a <segment> or an <ignorable> of a unit: tools may split and join
// them.
type part struct {
	ignorable      bool
	state          State
	source, target string
	hasTarget      bool
	order          int // of the target in the unit, 1-based; 0: document order
	problem        string
}

func (r *Reader) part(start xml.StartElement) (part, error) {
	p := part{ignorable: start.Name.Local == "ignorable", state: State(xmlin.Attr(start, "state"))}
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return p, err
		}
		t, ok := tok.(xml.StartElement)
		if _, end := tok.(xml.EndElement); end {
			return p, nil
		}
		switch {
		case !ok:
		case t.Name.Space == nsCore && t.Name.Local == "source":
			var x inlineText
			x, err = r.content()
			p.source = x.tagged.String()
		case t.Name.Space == nsCore && t.Name.Local == "target":
			p.hasTarget = true
			p.order, _ = strconv.Atoi(xmlin.Attr(t, "order"))
			var x inlineText
			x, err = r.content()
			p.target, p.problem = x.tagged.String(), x.problem
		default:
			err = r.dec.Skip()
		}
		if err != nil {
			return p, err
		}
	}
}

// inlineText is the content of a source or a target.
type inlineText struct {
	tagged   strings.Builder
	problem  string            // which code has no numbered tag
	segments map[string]bool   // 1.2: the marked segments by id; true: with text
	begun    map[string]string // 1.2: ids of opening codes by the value their closing codes refer to
}

// writeTag writes a tag with the id of a tag in the source text, and reports
// whether the id is one.
func (x *inlineText) writeTag(t xml.StartElement, id, form string) bool {
	if n, err := strconv.Atoi(id); err != nil || n < 1 || strconv.Itoa(n) != id {
		x.problem = fmt.Sprintf("the code <%s> with the id %q is not one of the source text's tags", t.Name.Local, id)
		return false
	}
	fmt.Fprintf(&x.tagged, form, id)
	return true
}

// writePair writes the first of two tags and returns the second.
func (x *inlineText) writePair(t xml.StartElement, id string) (end string) {
	if x.writeTag(t, id, "<%s>") {
		return "</" + id + ">"
	}
	return ""
}

// opened is an inline element that is not closed yet.
type opened struct {
	end     string // what to write at its end
	segment string // the id, if it is a marked segment
	from    int
}

// content reads inline content up to the end of its element, as tagged text.
func (r *Reader) content() (inlineText, error) {
	var x inlineText
	if r.old {
		x.segments, x.begun = map[string]bool{}, map[string]string{}
	}
	var open []opened
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return x, err
		}
		switch t := tok.(type) {
		case xml.CharData:
			x.tagged.WriteString(tags.Escape(string(t)))
		case xml.EndElement:
			if len(open) == 0 {
				return x, nil
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last.segment != "" {
				x.segments[last.segment] = strings.TrimSpace(x.tagged.String()[last.from:]) != ""
			}
			x.tagged.WriteString(last.end)
		case xml.StartElement:
			if len(open) >= maxDepth {
				return x, formats.Errorf(formats.CodeInvalid, "inline codes stand more than %d deep in each other", maxDepth)
			}
			o, native := opened{}, false
			if r.old {
				o.end, native = x.writeOldCode(t)
			} else {
				o.end = x.writeCode(t)
			}
			if native {
				if err := r.dec.Skip(); err != nil {
					return x, err
				}
				continue
			}
			if t.Name.Local == "mrk" && r.old && xmlin.Attr(t, "mtype") == "seg" {
				o.segment, o.from = xmlin.Attr(t, "mid"), x.tagged.Len()
			}
			open = append(open, o)
		}
	}
}

// writeCode handles a code of 2.x and returns what to write at its end.
func (x *inlineText) writeCode(t xml.StartElement) (end string) {
	id := xmlin.Attr(t, "id")
	switch t.Name.Local {
	case "pc":
		end = x.writePair(t, id)
	case "ph":
		x.writeTag(t, id, "<%s/>")
	case "sc":
		x.writeTag(t, id, "<%s>")
	case "ec":
		if ref := xmlin.Attr(t, "startRef"); ref != "" {
			id = ref // otherwise of a code that begins in another unit
		}
		x.writeTag(t, id, "</%s>")
	case "cp":
		hex := xmlin.Attr(t, "hex")
		c, err := strconv.ParseUint(hex, 16, 32)
		if err != nil || c > 0x10FFFF {
			x.problem = fmt.Sprintf("<cp hex=%q/> is no character", hex)
			break
		}
		x.tagged.WriteString(tags.Escape(string(rune(c))))
	} // mrk, sm and em annotate text; their data belongs to the tool
	return end
}

// joinParts concatenates the parts of a unit.
func (u *Unit) joinParts(parts []part) {
	segments, without := 0, 0
	state := Final
	for _, p := range parts {
		u.Source += p.source
		if p.ignorable {
			continue
		}
		segments++
		if !p.hasTarget || p.target == "" && strings.TrimSpace(p.source) != "" {
			without++
		}
		if p.state.rank() < state.rank() {
			state = p.state
		}
	}
	u.State = state
	if state.rank() == 0 {
		u.State = Initial
	}
	if segments == without { // none, or an empty one, which some tools write instead of none
		return
	}
	u.HasTarget = true
	ordered := inOrder(parts)
	for _, p := range ordered {
		if p.ignorable && !p.hasTarget {
			p.target = p.source // white space between sentences
		}
		u.Target += p.target
		if p.problem != "" {
			u.Problem = p.problem
		}
	}
	if without > 0 {
		u.Problem = missingTarget(without, segments)
	}
}

func missingTarget(without, of int) string {
	return fmt.Sprintf("%d of its %d parts %s no translation", without, of, map[bool]string{true: "has", false: "have"}[without == 1])
}

// inOrder sorts parts by the order of their targets (clause 4.3.1.21): parts
// with an order go to their positions, the others fill the rest.
func inOrder(parts []part) []part {
	if !slices.ContainsFunc(parts, func(p part) bool { return p.order > 0 }) {
		return parts
	}
	out := make([]part, len(parts))
	taken := make([]bool, len(parts))
	var rest []part
	for _, p := range parts {
		if i := p.order - 1; i >= 0 && i < len(parts) && !taken[i] {
			out[i], taken[i] = p, true
		} else {
			rest = append(rest, p)
		}
	}
	for i := range out {
		if !taken[i] {
			out[i], rest = rest[0], rest[1:]
		}
	}
	return out
}
