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
	err := r.dec.Children(func(t xml.StartElement) (bool, error) {
		if t.Name.Space != nsCore || t.Name.Local != "source" && t.Name.Local != "target" {
			return false, nil
		}
		x, err := r.content()
		if t.Name.Local == "source" {
			p.source = x.tagged.String()
			return true, err
		}
		p.hasTarget = true
		p.order, _ = strconv.Atoi(xmlin.Attr(t, "order"))
		p.target, p.problem = x.tagged.String(), x.problem
		return true, err
	})
	return p, err
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

// content reads inline content up to the end of its element, as tagged text.
func (r *Reader) content() (*inlineText, error) {
	x := &inlineText{}
	if r.old {
		x.segments, x.begun = map[string]bool{}, map[string]string{}
	}
	depth := 0
	err := r.dec.Content(func(s string) { x.tagged.WriteString(tags.Escape(s)) }, func(t xml.StartElement) (func() error, error) {
		if depth >= maxDepth {
			return nil, formats.Errorf(formats.CodeInvalid, "inline codes stand more than %d deep in each other", maxDepth)
		}
		end, native := "", false
		if r.old {
			end, native = x.writeOldCode(t)
		} else {
			end = x.writeCode(t)
		}
		if native {
			return nil, r.dec.Skip()
		}
		depth++
		from := x.tagged.Len()
		return func() error {
			depth--
			if r.old {
				x.endSegment(t, from)
			}
			x.tagged.WriteString(end)
			return nil
		}, nil
	})
	return x, err
}

// endSegment records a marked segment of 1.2 that begins at from, if t is one.
func (x *inlineText) endSegment(t xml.StartElement, from int) {
	if id := xmlin.Attr(t, "mid"); id != "" && t.Name.Local == "mrk" && xmlin.Attr(t, "mtype") == "seg" {
		x.segments[id] = strings.TrimSpace(x.tagged.String()[from:]) != ""
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
