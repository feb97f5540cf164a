package paragraph

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"atelier/formats/ooxml/xmlscan"
)

// Revision is the author and date of tracked changes (ECMA-376-1, 17.13.5).
type Revision struct {
	Author string
	Date   time.Time
	NextID func() int // gives each change a number that the document does not have
}

// Attrs returns the attributes of a tracked change; prefix is that of the
// vocabulary, with colon.
func (r *Revision) Attrs(prefix string) string {
	return fmt.Sprintf(` %[1]sid="%[2]d" %[1]sauthor="%[3]s" %[1]sdate="%[4]s"`, prefix, r.NextID(), xmlscan.Escape(r.Author), r.Date.UTC().Format("2006-01-02T15:04:05Z"))
}

// Track is Replace with each range recorded as a deletion and an insertion.
// The ranges are ascending and do not overlap; an empty one inserts. It is for
// WordprocessingML.
func (p *Paragraph) Track(ranges []Range, rev *Revision) []xmlscan.Splice {
	if len(ranges) == 0 {
		return nil
	}
	if p.Text() == "" {
		return p.insertTracked(ranges, rev)
	}
	return p.recutText(func(it item, pos int) []piece {
		return p.trackItem(it, pos, rangesTouching(ranges, pos, pos+len(it.text)), rev)
	})
}

// insertTracked puts text into a paragraph that has none.
func (p *Paragraph) insertTracked(ranges []Range, rev *Revision) []xmlscan.Splice {
	var sb strings.Builder
	for _, r := range ranges {
		sb.WriteString(r.New)
	}
	if sb.Len() == 0 {
		return nil
	}
	return p.SetContent("<"+p.prefix+"ins"+rev.Attrs(p.prefix)+"><"+p.prefix+"r>"+p.contentXML(sb.String(), -1)+"</"+p.prefix+"r></"+p.prefix+"ins>", nil)
}

// trackItem cuts the text of one item at the ranges.
func (p *Paragraph) trackItem(it item, pos int, ranges []Range, rev *Revision) []piece {
	if it.text == "" {
		return nil
	}
	var out []piece
	at := 0 // in it.text
	props := p.properties(it.run)
	keep := func(to int) {
		if to > at {
			out = append(out, piece{content: p.itemXML(it, it.text[at:to])})
			at = to
		}
	}
	changed := false
	for _, r := range ranges {
		from, to := r.Start-pos, r.End-pos
		begins := from >= 0 && from < len(it.text)
		if r.Start == r.End { // a point belongs to the text that ends there, or begins the paragraph
			begins = from > 0 && from <= len(it.text) || pos == 0 && from == 0
		}
		if !begins && (to <= 0 || from >= len(it.text)) {
			continue
		}
		changed = true
		keep(max(from, 0))
		if end := min(to, len(it.text)); end > at {
			content := ""
			if it.kind == textItem {
				content = p.deletedXML(it, it.text[at:end])
			} else {
				content = string(p.doc[it.start:it.end])
			}
			out = append(out, piece{own: true, props: props, content: content, open: "<" + p.prefix + "del" + rev.Attrs(p.prefix) + ">", close: "</" + p.prefix + "del>"})
			at = end
		}
		if begins && r.New != "" {
			out = append(out, piece{own: true, props: props, content: p.contentXML(r.New, it.run), open: "<" + p.prefix + "ins" + rev.Attrs(p.prefix) + ">", close: "</" + p.prefix + "ins>"})
		}
	}
	if !changed {
		return nil
	}
	keep(len(it.text))
	return out
}

// deletedXML returns a part of an item's text as deleted text.
func (p *Paragraph) deletedXML(it item, text string) string {
	w := p.prefix
	if it.ruby && text == it.text { // with its guide
		return strings.NewReplacer("<"+w+"t>", "<"+w+"delText>", "<"+w+"t ", "<"+w+"delText ", "</"+w+"t>", "</"+w+"delText>").Replace(string(p.doc[it.start:it.end]))
	}
	return "<" + w + `delText xml:space="preserve">` + xmlscan.Escape(text) + "</" + w + "delText>"
}

// Insert is text to put into a paragraph at a byte offset of Text, or XML that
// is beside runs, such as the start of a comment's range.
type Insert struct {
	Pos   int
	XML   string
	After bool // it belongs to the character before Pos, not to the one after
}

// InsertBetween puts each XML between runs, splitting the run at its position.
// The inserts are ascending.
func (p *Paragraph) InsertBetween(inserts []Insert) []xmlscan.Splice {
	if p.Text() == "" {
		var sb strings.Builder
		for _, in := range inserts {
			sb.WriteString(in.XML)
		}
		return p.SetContent(sb.String(), nil)
	}
	return p.recutText(func(it item, pos int) []piece {
		var out []piece
		at := 0
		i := sort.Search(len(inserts), func(i int) bool { return inserts[i].Pos >= pos })
		for ; i < len(inserts) && inserts[i].Pos <= pos+len(it.text); i++ {
			in := inserts[i]
			k := in.Pos - pos
			mine := k >= 0 && k < len(it.text)
			if in.After {
				mine = k > 0 && k <= len(it.text)
			}
			if !mine {
				continue
			}
			if k > at {
				out = append(out, piece{content: p.itemXML(it, it.text[at:k])})
				at = k
			}
			out = append(out, piece{bare: in.XML})
		}
		if out == nil {
			return nil
		}
		if at < len(it.text) {
			out = append(out, piece{content: p.itemXML(it, it.text[at:])})
		}
		return out
	})
}

// Restyle returns the text of the ranges, ascending, the run properties that
// change makes of those it has; an empty string is none.
func (p *Paragraph) Restyle(ranges []Range, change func(rPr string) string) []xmlscan.Splice {
	return p.recutText(func(it item, pos int) []piece {
		if it.text == "" {
			return nil
		}
		var out []piece
		at, changed := 0, false
		for _, r := range rangesTouching(ranges, pos, pos+len(it.text)) {
			from, to := max(r.Start-pos, 0), min(r.End-pos, len(it.text))
			if from >= to {
				continue
			}
			changed = true
			if from > at {
				out = append(out, piece{content: p.itemXML(it, it.text[at:from])})
			}
			out = append(out, piece{own: true, props: change(p.properties(it.run)), content: p.itemXML(it, it.text[from:to])})
			at = to
		}
		if !changed {
			return nil
		}
		if at < len(it.text) {
			out = append(out, piece{content: p.itemXML(it, it.text[at:])})
		}
		return out
	})
}

// SetContent puts content (runs, in the vocabulary's own prefix) in place of
// all text of the paragraph. Objects, marks and fields stay; so does formatting
// of the paragraph. With rev the text is recorded as deleted.
func (p *Paragraph) SetContent(content string, rev *Revision) []xmlscan.Splice {
	text := p.Text()
	if len(p.items) == 0 || text == "" {
		at, s := p.bodyPos, content
		if p.closing < 0 { // <w:p/>
			tag := strings.TrimSuffix(string(p.doc[p.Start:p.End]), "/>")
			return []xmlscan.Splice{{Start: p.Start, End: p.End, New: []byte(tag + ">" + s + "</" + p.prefix + "p>")}}
		}
		if len(p.items) > 0 { // behind the objects
			at = p.outerSpan(p.items[len(p.items)-1], false).end
		}
		return []xmlscan.Splice{{Start: at, End: at, New: []byte(s)}}
	}
	var out []xmlscan.Splice
	if rev != nil {
		out = p.Track([]Range{{0, len(text), ""}}, rev)
	} else {
		out = p.recutText(func(it item, _ int) []piece {
			if it.text == "" {
				return nil
			}
			return []piece{{}}
		})
	}
	for _, it := range p.items {
		if it.text == "" {
			continue
		}
		if it.run < 0 {
			out = append(out, xmlscan.Splice{Start: it.start, End: it.end})
			continue
		}
		// Before whatever holds the first text.
		at := p.outerSpan(it, false).start
		return append([]xmlscan.Splice{{Start: at, End: at, New: []byte(content)}}, out...)
	}
	return out
}

// FirstProperties returns the run properties of the first text, "" when it has
// none.
func (p *Paragraph) FirstProperties() string {
	for _, it := range p.items {
		if it.text != "" && it.run >= 0 {
			return p.properties(it.run)
		}
	}
	for i := range p.runs {
		return p.properties(i)
	}
	return ""
}

// SharedProperties returns the run properties that all text of the paragraph
// has, "" for none; shared is false when a reader sees more than one formatting.
func (p *Paragraph) SharedProperties() (rPr string, shared bool) {
	first, key := -1, ""
	for _, it := range p.items {
		if strings.TrimSpace(it.text) == "" || it.run < 0 {
			continue
		}
		switch k := p.runs[it.run].key; {
		case first < 0:
			first, key = it.run, k
		case k != key:
			return "", false
		}
	}
	return p.properties(first), true
}

// SameContainer reports whether the text from start to end, by byte offset, is
// in one inline element, so that another can be put around it.
func (p *Paragraph) SameContainer(start, end int) bool {
	pos, cont, seen := 0, -1, false
	for _, it := range p.items {
		from := pos
		pos += len(it.text)
		if it.text == "" || pos <= start || from >= end {
			continue
		}
		if seen && it.cont != cont {
			return false
		}
		cont, seen = it.cont, true
	}
	return true
}
