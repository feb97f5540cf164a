package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// PageMap is a section of pages (17.6) with its set-up.
type PageMap struct {
	Blocks      string            `json:"blocks"` // addresses of its first and last block: "p0-p12"
	Paper       string            `json:"paper"`  // "A4", or width and height
	Orientation string            `json:"orientation"`
	Margins     string            `json:"margins,omitempty"`
	Columns     int               `json:"columns,omitempty"` // of text, when more than one
	Begins      string            `json:"begins,omitempty"`  // on the same page ("continuous"), an even page … where not on a new one
	Headers     map[string]string `json:"headers,omitempty"` // default, first, even → address
	Footers     map[string]string `json:"footers,omitempty"`
}

// mapPages fills in the sections of pages.
func (d *document) mapPages(ctx context.Context, p *part, m *Map) error {
	_, secs, err := d.sectionsOf(ctx)
	if err != nil {
		return err
	}
	even, err := d.evenPagesDiffer(ctx)
	if err != nil {
		return err
	}
	edges, err := d.edgeAddresses(ctx)
	if err != nil {
		return err
	}
	blocks := sectionBlocks(p, secs)
	refs := map[string]string{} // those of the section before hold on (17.10.1)
	for i, s := range secs {
		if i == formats.MaxMap/16 {
			m.PagesOmitted += len(secs) - i
			break
		}
		for kind, part := range s.refs {
			refs[kind] = part
		}
		e := p.elementAt(s.start, s.end)
		one := PageMap{Blocks: blocks[i]}
		one.Paper, one.Orientation = paperOf(e.child("pgSz"))
		if mar := e.child("pgMar"); mar != nil {
			one.Margins = pageMarginsWord(nil, mar)
		}
		if n := atoi(e.child("cols").attr("num")); n > 1 {
			one.Columns = n
		}
		if v := e.child("type").attr("val"); v != "" && v != "nextPage" {
			one.Begins = plainWord(v)
		}
		first := e.child("titlePg").on()
		one.Headers = m.edgesOf("header", refs, edges, first, even)
		one.Footers = m.edgesOf("footer", refs, edges, first, even)
		m.Pages = append(m.Pages, one)
	}
	m.noteUnused()
	return nil
}

// edgesOf returns the addresses of the headers or footers that pages of a
// section show, and notes at each for which pages it is.
func (m *Map) edgesOf(word string, refs, edges map[string]string, first, even bool) map[string]string {
	out := map[string]string{}
	for _, kind := range []string{"default", "first", "even"} {
		at := edges[refs[word+" "+kind]]
		if at == "" || kind == "first" && !first || kind == "even" && !even {
			continue
		}
		out[kind] = at
		list := m.Headers
		if word == "footer" {
			list = m.Footers
		}
		for i := range list {
			if list[i].At == at && !slices.Contains(strings.Split(list[i].Pages, ", "), kind) {
				list[i].Pages = strings.TrimPrefix(list[i].Pages+", "+kind, ", ")
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// noteUnused says which headers and footers no page shows.
func (m *Map) noteUnused() {
	for _, list := range [][]StoryMap{m.Headers, m.Footers} {
		for i := range list {
			if list[i].Pages == "" {
				list[i].Pages = "none"
			}
		}
	}
}

// edgeAddresses returns the addresses of headers and footers by part.
func (d *document) edgeAddresses(ctx context.Context) (map[string]string, error) {
	parts, err := d.textParts(ctx)
	out, count := map[string]string{}, map[string]int{}
	for _, tp := range parts {
		if tp.word == "header" || tp.word == "footer" {
			out[tp.name] = storyPrefix(tp, count[tp.word], "")
			count[tp.word]++
		}
	}
	return out, err
}

// evenPagesDiffer reports whether even pages have their own headers and footers
// (17.10.1).
func (d *document) evenPagesDiffer(ctx context.Context) (bool, error) {
	_, doc, err := d.related(ctx, "settings")
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Is(nsW, "evenAndOddHeaders") {
			return onOff(t), err
		}
	}
	return false, err
}

// sectionBlocks returns the addresses of the first and last block of each
// section.
func sectionBlocks(p *part, secs []sectionProps) []string {
	out := make([]string, len(secs))
	var count [boxNode + 1]int
	first, last, at := "", "", 0
	done := func() {
		if at < len(out) && first != "" {
			out[at] = first
			if last != first {
				out[at] += "-" + last
			}
		}
		first = ""
		at++
	}
	for _, k := range p.stories[0].kids {
		for at < len(secs) && secs[at].start < k.start {
			done()
		}
		last = fmt.Sprintf("%s%d", kindLetters[k.kind], count[k.kind])
		count[k.kind]++
		if first == "" {
			first = last
		}
		if at < len(secs) && secs[at].start < k.end {
			done()
		}
	}
	done()
	return out
}

// paperOf names a size of page (17.6.13).
func paperOf(size *el) (paper, orientation string) {
	w, h := atoi(size.attr("w")), atoi(size.attr("h"))
	orientation = "portrait"
	if w > h {
		orientation = "landscape"
	}
	short, long := min(w, h), max(w, h)
	for _, name := range []string{"A3", "A4", "A5", "letter", "legal", "tabloid"} {
		// Programs round millimetres and inches in their own ways.
		if s := papers[strings.ToLower(name)]; abs(short-s[0]) < 20 && abs(long-s[1]) < 20 {
			return name, orientation
		}
	}
	if size == nil {
		return "not set", orientation
	}
	return length20(size.attr("w")) + " × " + length20(size.attr("h")), orientation
}

func abs(n int) int { return max(n, -n) }
