package xlsx

import (
	"bytes"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
	"atelier/formats/xlsx/internal/sheetml"
)

// run is a piece of a formatted text: characters of one formatting, or
// something that is not text and is kept whole.
type run struct {
	props  []byte // formatting element as written, nil for none
	text   string
	opaque []byte // set instead of text: a field, a line break, a code
}

// tagged is the text form of runs with what its tags stand for.
type tagged struct {
	text   string
	base   []byte
	props  map[int][]byte
	opaque map[int][]byte
}

// tag writes runs as text with inline tags. The formatting of most of the
// text needs no tag.
func tag(runs []run) tagged {
	runs = merge(runs)
	if len(runs) == 1 && runs[0].opaque == nil { // as nearly all are
		return tagged{text: tags.Escape(runs[0].text), base: runs[0].props}
	}
	t := tagged{props: map[int][]byte{}, opaque: map[int][]byte{}}
	count := map[string]int{}
	best := -1
	for _, r := range runs {
		if r.opaque != nil {
			continue
		}
		count[string(r.props)] += len(r.text)
		if n := count[string(r.props)]; n > best {
			best, t.base = n, r.props
		}
	}
	var toks []tags.Token
	n := 0
	for _, r := range runs {
		text := tags.Token{Kind: tags.Text, Text: r.text}
		switch {
		case r.opaque != nil:
			n++
			t.opaque[n] = r.opaque
			toks = append(toks, tags.Token{Kind: tags.Single, N: n})
		case bytes.Equal(r.props, t.base):
			toks = append(toks, text)
		default:
			n++
			t.props[n] = r.props
			toks = append(toks, tags.Token{Kind: tags.Open, N: n}, text, tags.Token{Kind: tags.Close, N: n})
		}
	}
	t.text = tags.String(toks)
	return t
}

// merge joins neighbours of one kind and drops empty ones.
func merge(runs []run) []run {
	var out []run
	for _, r := range runs {
		if r.opaque == nil && r.text == "" {
			continue
		}
		if n := len(out); n > 0 {
			last := &out[n-1]
			switch {
			case r.opaque != nil && last.opaque != nil:
				last.opaque = append(bytes.Clone(last.opaque), r.opaque...)
				continue
			case r.opaque == nil && last.opaque == nil && (bytes.Equal(r.props, last.props) || strings.TrimSpace(r.text) == ""): // nobody sees a blank's formatting
				last.text += r.text
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// apply turns a target text back into runs; its tags must be those of t.
func (t tagged) apply(target string) ([]run, error) {
	if err := tags.Check(t.text, target); err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "%w", err)
	}
	var out []run
	props := [][]byte{t.base}
	for _, tok := range tags.Parse(target) {
		switch tok.Kind {
		case tags.Text:
			out = append(out, run{props: props[len(props)-1], text: tok.Text})
		case tags.Open:
			props = append(props, t.props[tok.N])
		case tags.Close:
			props = props[:len(props)-1]
		case tags.Single:
			out = append(out, run{opaque: t.opaque[tok.N]})
		}
	}
	return merge(out), nil
}

func plainOf(runs []run) string {
	var sb strings.Builder
	for _, r := range runs {
		sb.WriteString(r.text)
	}
	return sb.String()
}

// rst is a CT_Rst (18.4.8) taken apart. Phonetic runs are dropped when it is
// written, since they belong to the old text.
type rst struct {
	prefix string
	runs   []run
	rest   []byte // phoneticPr
}

func parseRst(raw []byte) rst {
	var r rst
	if i := bytes.IndexByte(raw, '<'); i >= 0 {
		name := raw[i+1:]
		local := sheetml.LocalName(name)
		if n := bytes.Index(name, local); n > 0 {
			r.prefix = string(name[:n])
		}
	}
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth != 1 {
			continue
		}
		end := sc.Skip()
		switch t.Local {
		case "t":
			r.runs = append(r.runs, run{text: sheetml.PlainText(raw[t.Start:end])})
		case "r":
			r.runs = append(r.runs, run{props: childElement(raw[t.Start:end], "rPr"), text: sheetml.PlainText(raw[t.Start:end])})
		case "phoneticPr":
			r.rest = append(r.rest, raw[t.Start:end]...)
		}
	}
	return r
}

// childElement is the first element of that local name in doc, with its tags.
func childElement(doc []byte, local string) []byte {
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == local {
			return doc[t.Start:sc.Skip()]
		}
	}
	return nil
}

// xml writes runs as the content of a CT_Rst.
func (r rst) xml(runs []run) string {
	if len(runs) == 0 || len(runs) == 1 && len(runs[0].props) == 0 {
		return sheetml.TextElement(r.prefix, plainOf(runs)) + string(r.rest)
	}
	var sb strings.Builder
	for _, x := range runs {
		sb.WriteString("<" + r.prefix + "r>")
		sb.Write(x.props)
		sb.WriteString(sheetml.TextElement(r.prefix, x.text))
		sb.WriteString("</" + r.prefix + "r>")
	}
	sb.Write(r.rest)
	return sb.String()
}

// headerRuns splits a page header or footer (18.3.1.39) into text and codes.
func headerRuns(s string) []run {
	var out []run
	for i := 0; i < len(s); {
		n := headerCode(s[i:])
		switch {
		case n > 0 && s[i:i+n] == "&&":
			out = append(out, run{text: "&"})
		case n > 0:
			out = append(out, run{opaque: []byte(s[i : i+n])})
		default:
			n = strings.IndexByte(s[i+1:], '&') + 1
			if n == 0 {
				n = len(s) - i
			}
			out = append(out, run{text: s[i : i+n]})
		}
		i += n
	}
	return out
}

// headerCode is the length of the code at the start of s, 0 when there is none.
func headerCode(s string) int {
	if len(s) < 2 || s[0] != '&' {
		return 0
	}
	switch c := s[1]; {
	case c == '"':
		if n := strings.IndexByte(s[2:], '"'); n >= 0 {
			return n + 3
		}
		return len(s)
	case c >= '0' && c <= '9', c == '+', c == '-':
		n := 2
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return n
	case c == 'K' || c == 'k':
		return min(len(s), 8)
	}
	return 2
}

// headerString writes runs back as a header.
func headerString(runs []run) string {
	var sb strings.Builder
	for _, r := range runs {
		if r.opaque != nil {
			sb.Write(r.opaque)
			continue
		}
		text := strings.ReplaceAll(r.text, "&", "&&")
		// "&12" and "5 days" must not become size 125.
		if s := sb.String(); s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' && text[0] >= '0' && text[0] <= '9' {
			sb.WriteByte(' ')
		}
		sb.WriteString(text)
	}
	return sb.String()
}
