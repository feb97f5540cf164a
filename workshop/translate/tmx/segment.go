package tmx

import (
	"encoding/xml"
	"fmt"
	"strconv"

	"atelier/formats/tags"
	"atelier/internal/xmlin"
)

// marks numbers corresponding tags across the variants of a unit.
type marks map[string]int

func (m marks) number(key string) int {
	if m[key] == 0 {
		m[key] = len(m) + 1
	}
	return m[key]
}

// segment reads the content of a <seg>. plain reports that its tags could not
// be converted to well-formed ones and were removed.
func (t *Reader) segment(marks marks) (text string, plain bool, err error) {
	var out []tags.Token
	turns := map[string]int{} // of elements without x
	bpts := map[string]int{}  // numbers of <bpt> by i
	var his []int             // numbers of open <hi>
	for {
		tok, err := t.d.Token()
		if err != nil {
			return "", false, err
		}
		if len(out) > maxTags {
			return "", false, fmt.Errorf("a segment has more than %d tags", maxTags)
		}
		switch e := tok.(type) {
		case xml.CharData:
			out = append(out, tags.Token{Text: string(e)})
		case xml.StartElement:
			name := e.Name.Local
			tag := tags.Token{Kind: tags.Single}
			switch name {
			case "bpt":
				tag.Kind, tag.N = tags.Open, marks.number(keyOf(e, turns))
				bpts[xmlin.Attr(e, "i")] = tag.N
			case "ept":
				n, ok := bpts[xmlin.Attr(e, "i")]
				if !ok {
					n = marks.number(keyOf(e, turns))
				}
				tag.Kind, tag.N = tags.Close, n
			case "hi":
				tag.Kind, tag.N = tags.Open, marks.number(keyOf(e, turns))
				his = append(his, tag.N)
			default: // ph, it, ut, and elements that are not TMX
				tag.N = marks.number(keyOf(e, turns))
			}
			out = append(out, tag)
			if name != "hi" {
				if err := t.d.Skip(); err != nil {
					return "", false, err
				}
			}
		case xml.EndElement:
			if e.Name.Local == "hi" && len(his) > 0 {
				out = append(out, tags.Token{Kind: tags.Close, N: his[len(his)-1]})
				his = his[:len(his)-1]
				continue
			}
			text = tags.String(convertHalves(out))
			if tags.Check(text, text) != nil {
				return tags.Escape(tags.Plain(text)), true, nil
			}
			return text, false, nil
		}
	}
}

// keyOf returns a key that is the same for corresponding elements of all
// variants: its x, else its i for pairs, else its position.
func keyOf(e xml.StartElement, turns map[string]int) string {
	kind := e.Name.Local
	if kind == "ept" {
		kind = "bpt"
	}
	if x := xmlin.Attr(e, "x"); x != "" {
		return kind + " x" + x
	}
	if i := xmlin.Attr(e, "i"); i != "" && kind == "bpt" {
		return kind + " i" + i
	}
	turns[kind]++
	return kind + " " + strconv.Itoa(turns[kind])
}

// convertHalves converts an unpaired tag to <n/>.
func convertHalves(tokens []tags.Token) []tags.Token {
	opened, closed := map[int]bool{}, map[int]bool{}
	for _, t := range tokens {
		opened[t.N] = opened[t.N] || t.Kind == tags.Open
		closed[t.N] = closed[t.N] || t.Kind == tags.Close
	}
	for i, t := range tokens {
		if t.Kind == tags.Open && !closed[t.N] || t.Kind == tags.Close && !opened[t.N] {
			tokens[i].Kind = tags.Single
		}
	}
	return tokens
}
