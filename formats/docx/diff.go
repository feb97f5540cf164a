package docx

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strings"

	"atelier/formats"
	"atelier/formats/align"
	"atelier/formats/opc"
	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

type differ struct{}

// Diff implements formats.Differ: paragraphs and table cells, aligned, with
// moved ones and changes of formatting; headers, notes and comments too.
func (differ) Diff(ctx context.Context, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	packA, err := opc.Open(ctx, before)
	if err != nil {
		return nil, err
	}
	packB, err := opc.Open(ctx, after)
	if err != nil {
		return nil, err
	}
	a, err := openDocument(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := openDocument(ctx, after)
	if err != nil {
		return nil, err
	}
	was, err := a.stories(ctx)
	if err != nil {
		return nil, err
	}
	now, err := b.stories(ctx)
	if err != nil {
		return nil, err
	}
	d := &formats.Diff{Groups: []formats.DiffGroup{}}
	c := &comparison{}
	for _, s := range now {
		i := slices.IndexFunc(was, func(o storyText) bool { return o.name == s.name })
		var old storyText
		change := formats.Added
		if i >= 0 {
			old, change = was[i], formats.Modified
		}
		if items := c.compare(old, s); len(items) > 0 {
			d.Groups = append(d.Groups, formats.DiffGroup{Name: s.name, Change: change, Items: items})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, o := range was {
		if !slices.ContainsFunc(now, func(s storyText) bool { return s.name == o.name }) {
			if items := c.compare(o, storyText{}); len(items) > 0 {
				d.Groups = append(d.Groups, formats.DiffGroup{Name: o.name, Change: formats.Removed, Items: items})
			}
		}
	}
	d.Summary = c.summary()
	if d.Warnings, err = risks(ctx, packA, packB, a, b); err != nil {
		return nil, err
	}
	d.Trim(opt.Limit())
	return d, nil
}

// storyText is a story with the lines it reads as.
type storyText struct {
	name  string
	part  *part
	lines []line
}

// stories lists the body, then headers, footers, notes and comments.
func (d *document) stories(ctx context.Context) ([]storyText, error) {
	parts, err := d.textParts(ctx)
	if err != nil {
		return nil, err
	}
	v := &view{styles: d.styles}
	var out []storyText
	count := map[string]int{}
	for _, tp := range parts {
		n := count[tp.word]
		count[tp.word]++
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return nil, err
		}
		for _, s := range p.stories {
			if s.noteType != "" && s.noteType != "normal" {
				continue
			}
			base, name := "", "body"
			if tp.word != "" {
				base = storyPrefix(tp, n, s.id)
				name = strings.TrimSuffix(tp.word, "s") + " " + strings.TrimLeft(base, "hfnecm")
				if tp.word == "header" || tp.word == "footer" {
					name = tp.what
				}
			}
			out = append(out, storyText{name, p, v.lines(p, s, base)})
		}
	}
	return out, nil
}

// comparison counts what it finds.
type comparison struct {
	paragraphs, cells, rows, moved, formatted int
}

func (c *comparison) summary() string {
	count := func(n int, word string) string {
		if n == 0 {
			return ""
		}
		return formats.Count(n, word)
	}
	s := []string{count(c.paragraphs, "paragraph"), count(c.cells, "table cell"), count(c.rows, "table row")}
	if c.moved > 0 {
		s = append(s, fmt.Sprintf("%d moved", c.moved))
	}
	if c.formatted > 0 {
		s = append(s, "formatting of "+formats.Count(c.formatted, "paragraph"))
	}
	return formats.Phrase(s...)
}

func (c *comparison) compare(old, now storyText) []formats.DiffItem {
	words := func(ls []line) [][]string {
		out := make([][]string, len(ls))
		for i, l := range ls {
			out[i] = strings.Fields(l.text)
		}
		return out
	}
	wa, wb := words(old.lines), words(now.lines)
	steps := align.Lists(len(old.lines), len(now.lines), align.Options{
		KeyA: func(i int) uint64 { return lineKey(old.lines[i]) },
		KeyB: func(j int) uint64 { return lineKey(now.lines[j]) },
		Similar: func(i, j int) float64 {
			if old.lines[i].node.kind != now.lines[j].node.kind {
				return 0
			}
			return align.Ratio(wa[i], wb[j])
		},
		Twin:       func(i, j int) float64 { return twin(old.lines[i], now.lines[j]) },
		Weightless: func(i int) bool { return len(wa[i]) < 3 },
	})
	var out []formats.DiffItem
	for _, s := range steps {
		switch {
		case s.Kind == align.Added:
			l := now.lines[s.B]
			if l.text == "" {
				continue // an empty paragraph more or less is no news
			}
			c.whole(l)
			out = append(out, formats.DiffItem{Change: formats.Added, At: l.address, New: l.text})
		case s.Kind == align.Removed:
			l := old.lines[s.A]
			if l.text == "" {
				continue
			}
			c.whole(l)
			out = append(out, formats.DiffItem{Change: formats.Removed, At: l.address, Old: l.text})
		case s.Moved:
			c.moved++
			out = append(out, formats.DiffItem{Change: formats.Moved, At: now.lines[s.B].address, From: old.lines[s.A].address, New: now.lines[s.B].text})
		default:
			out = append(out, c.line(old, now, old.lines[s.A], now.lines[s.B])...)
		}
	}
	return out
}

// twin is how well a line can stand for another by its form alone: its kind, its
// style, the cells of a row, its length. Translations keep these (Gale and
// Church, "A program for aligning sentences in bilingual corpora", 1993).
func twin(a, b line) float64 {
	if a.node.kind != b.node.kind || a.node.style != b.node.style || a.text == "" || b.text == "" {
		return 0
	}
	if a.node.kind == rowNode && strings.Count(a.text, "\t") != strings.Count(b.text, "\t") {
		return 0
	}
	short, long := float64(min(len(a.text), len(b.text))), float64(max(len(a.text), len(b.text)))
	return 0.25 + 0.75*short/long
}

// whole counts a line that is new or gone.
func (c *comparison) whole(l line) {
	if l.node.kind == rowNode {
		c.rows++
	} else {
		c.paragraphs++
	}
}

func lineKey(l line) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", l.node.kind, l.text)
	return h.Sum64()
}

// line compares two lines that belong together.
func (c *comparison) line(old, now storyText, a, b line) []formats.DiffItem {
	notes := formatNotes(old.part.rawNode(a.node), now.part.rawNode(b.node))
	if b.node.kind == rowNode {
		return c.row(a, b, notes)
	}
	switch {
	case a.text != b.text:
		c.paragraphs++
		return []formats.DiffItem{{Change: formats.Modified, At: b.address, Old: a.text, New: b.text, Notes: notes}}
	case len(notes) > 0:
		c.formatted++
		return []formats.DiffItem{{Change: formats.Formatted, At: b.address, New: b.text, Notes: notes}}
	}
	return nil
}

// row compares the cells of two rows that belong together.
func (c *comparison) row(a, b line, notes []string) []formats.DiffItem {
	was, now := strings.Split(a.text, "\t"), strings.Split(b.text, "\t")
	if len(was) != len(now) {
		c.rows++
		return []formats.DiffItem{{Change: formats.Modified, At: b.address, Old: a.text, New: b.text, Notes: notes}}
	}
	var out []formats.DiffItem
	for i := range now {
		if was[i] != now[i] {
			c.cells++
			out = append(out, formats.DiffItem{Change: formats.Modified, At: fmt.Sprintf("%s.c%d", b.address, i), Old: was[i], New: now[i]})
		}
	}
	if len(out) == 0 && len(notes) > 0 {
		c.formatted++
		out = append(out, formats.DiffItem{Change: formats.Formatted, At: b.address, New: b.text, Notes: notes})
	}
	return out
}

func (p *part) rawNode(n *node) []byte { return p.doc[n.start:n.end] }

// propertyWords are the properties a person would name.
var propertyWords = map[string]string{
	"pStyle": "style", "jc": "alignment", "spacing": "spacing", "ind": "indent", "numPr": "list", "outlineLvl": "outline level", "pageBreakBefore": "page break before", "shd": "shading", "pBdr": "border",
	"b": "bold", "i": "italic", "u": "underline", "strike": "strikethrough", "sz": "font size", "color": "font colour", "highlight": "highlight", "rFonts": "font", "vertAlign": "super- or subscript", "caps": "capitals", "smallCaps": "small capitals", "vanish": "hidden text", "rStyle": "character style",
}

// formatNotes says how the formatting of two blocks differs, by the properties
// that stand in one and not in the other.
func formatNotes(a, b []byte) []string {
	was, now := properties(a), properties(b)
	diff := map[string]bool{}
	for k := range was {
		if !now[k] {
			diff[strings.SplitN(k, " ", 2)[0]] = true
		}
	}
	for k := range now {
		if !was[k] {
			diff[strings.SplitN(k, " ", 2)[0]] = true
		}
	}
	var out []string
	for name := range diff {
		word := propertyWords[name]
		old, young := valueOf(was, name), valueOf(now, name)
		switch {
		case old == "" && young != "":
			out = append(out, spaced(word, plainValue(young), "added"))
		case old != "" && young == "":
			out = append(out, spaced(word, plainValue(old), "removed"))
		default:
			out = append(out, fmt.Sprintf("%s %s → %s", word, plainValue(old), plainValue(young)))
		}
	}
	sort.Strings(out)
	return out
}

func spaced(words ...string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func plainValue(s string) string {
	if s == "on" {
		return ""
	}
	return s
}

// properties are the properties in a block that a person would name, each with
// its value: "b on", "sz 24".
func properties(block []byte) map[string]bool {
	out := map[string]bool{}
	sc := xmlscan.New(block)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Local == "pPrChange" || t.Local == "rPrChange" || t.Local == "txbxContent" || t.Local == "del" {
			sc.Skip()
			continue
		}
		if propertyWords[t.Local] == "" {
			continue
		}
		var vals []string
		for at := range t.Attrs() {
			_, local, ok := strings.Cut(at.Name, ":")
			if !ok {
				local = at.Name
			}
			if local == "val" {
				vals = append(vals, at.Value())
			} else if !strings.HasPrefix(local, "rsid") {
				vals = append(vals, local+"="+at.Value())
			}
		}
		val := strings.Join(vals, " ")
		if val == "" || val == "1" || val == "true" {
			val = "on"
		}
		out[t.Local+" "+val] = true
	}
	return out
}

// valueOf is the value of a property where a block has but one.
func valueOf(set map[string]bool, name string) string {
	var vals []string
	for k := range set {
		if v, ok := strings.CutPrefix(k, name+" "); ok {
			vals = append(vals, v)
		}
	}
	sort.Strings(vals)
	return strings.Join(vals, ", ")
}
