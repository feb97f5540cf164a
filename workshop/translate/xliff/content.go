package xliff

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/inline"
	"atelier/workshop/translate/xmlin"
)

// part is a <segment> or an <ignorable> of a unit: tools may split and join them.
type part struct {
	ignorable      bool
	state          State
	source, target string
	hasTarget      bool
	order          int // of the target in the unit, 1-based; 0: as it stands
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
			p.source, _, err = r.content()
		case t.Name.Space == nsCore && t.Name.Local == "target":
			p.hasTarget = true
			p.order, _ = strconv.Atoi(xmlin.Attr(t, "order"))
			p.target, p.problem, err = r.content()
		default:
			err = r.dec.Skip()
		}
		if err != nil {
			return p, err
		}
	}
}

// content reads inline content up to the end of its element, as tagged text.
// The problem says which code has no numbered tag.
func (r *Reader) content() (tagged, problem string, err error) {
	var b strings.Builder
	var open []string // what to write at each end
	tag := func(t xml.StartElement, attr, form string) string {
		id := xmlin.Attr(t, attr)
		if n, err := strconv.Atoi(id); err != nil || n < 1 || strconv.Itoa(n) != id {
			problem = fmt.Sprintf("the code <%s> with the id %q is not one of the source text's tags", t.Name.Local, id)
			return ""
		}
		return fmt.Sprintf(form, id)
	}
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return "", "", err
		}
		switch t := tok.(type) {
		case xml.CharData:
			b.WriteString(inline.Escape(string(t)))
		case xml.EndElement:
			if len(open) == 0 {
				return b.String(), problem, nil
			}
			b.WriteString(open[len(open)-1])
			open = open[:len(open)-1]
		case xml.StartElement:
			if len(open) >= maxDepth {
				return "", "", formats.Errorf(formats.CodeInvalid, "inline codes stand more than %d deep in each other", maxDepth)
			}
			end := ""
			switch t.Name.Local {
			case "pc":
				b.WriteString(tag(t, "id", "<%s>"))
				end = tag(t, "id", "</%s>")
			case "ph":
				b.WriteString(tag(t, "id", "<%s/>"))
			case "sc":
				b.WriteString(tag(t, "id", "<%s>"))
			case "ec":
				ref := "startRef"
				if xmlin.Attr(t, ref) == "" {
					ref = "id" // of a code that begins in another unit
				}
				b.WriteString(tag(t, ref, "</%s>"))
			case "cp":
				hex := xmlin.Attr(t, "hex")
				c, err := strconv.ParseUint(hex, 16, 32)
				if err != nil || c > 0x10FFFF {
					problem = fmt.Sprintf("<cp hex=%q/> is no character", hex)
					break
				}
				b.WriteString(inline.Escape(string(rune(c))))
			} // mrk, sm and em mark text; what they say of it is the tool's own
			open = append(open, end)
		}
	}
}

// join puts the parts of a unit together again.
func (u *Unit) join(parts []part) {
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
	if segments == without { // none, or an empty one, which some tools write for none
		return
	}
	u.HasTarget = true
	ordered := inOrder(parts)
	for _, p := range ordered {
		if p.ignorable && !p.hasTarget {
			p.target = p.source // blanks between sentences
		}
		u.Target += p.target
		if p.problem != "" {
			u.Problem = p.problem
		}
	}
	if without > 0 {
		u.Problem = fmt.Sprintf("%d of its %d parts %s no translation", without, segments, map[bool]string{true: "has", false: "have"}[without == 1])
	}
}

// inOrder sorts parts as their targets are ordered (clause 4.3.1.21): those
// with an order go to their places, the others fill what is left.
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
