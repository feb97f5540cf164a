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

// segment is the content of a <seg>.
type segment struct {
	tokens []tags.Token
	marks  marks
	turns  map[string]int // of elements without x
	bpts   map[string]int // numbers of <bpt> by i
}

// segment reads the content of a <seg>. plain reports that its tags could not
// be converted to well-formed ones and were removed.
func (t *Reader) segment(marks marks) (text string, plain bool, err error) {
	s := segment{marks: marks, turns: map[string]int{}, bpts: map[string]int{}}
	err = t.d.Content(func(text string) { s.tokens = append(s.tokens, tags.Token{Text: text}) }, func(e xml.StartElement) (func() error, error) {
		if err := s.checkSize(); err != nil {
			return nil, err
		}
		tag := s.tagOf(e)
		s.tokens = append(s.tokens, tag)
		if e.Name.Local != "hi" {
			return nil, t.d.Skip()
		}
		return func() error {
			s.tokens = append(s.tokens, tags.Token{Kind: tags.Close, N: tag.N})
			return nil
		}, nil
	})
	if err == nil {
		err = s.checkSize()
	}
	if err != nil {
		return "", false, err
	}
	text = tags.String(convertHalves(s.tokens))
	if tags.Check(text, text) != nil {
		return tags.Escape(tags.Plain(text)), true, nil
	}
	return text, false, nil
}

func (s *segment) checkSize() error {
	if len(s.tokens) > maxTags {
		return fmt.Errorf("a segment has more than %d tags", maxTags)
	}
	return nil
}

// tagOf returns the tag for an inline element.
func (s *segment) tagOf(e xml.StartElement) tags.Token {
	i := xmlin.Attr(e, "i")
	switch e.Name.Local {
	case "bpt":
		s.bpts[i] = s.number(e)
		return tags.Token{Kind: tags.Open, N: s.bpts[i]}
	case "ept":
		n, ok := s.bpts[i]
		if !ok {
			n = s.number(e)
		}
		return tags.Token{Kind: tags.Close, N: n}
	case "hi":
		return tags.Token{Kind: tags.Open, N: s.number(e)}
	}
	return tags.Token{Kind: tags.Single, N: s.number(e)} // ph, it, ut, and elements that are not TMX
}

func (s *segment) number(e xml.StartElement) int { return s.marks.number(keyOf(e, s.turns)) }

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
