package docx

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// What text needs at least, in twentieths of a point, without reading fonts:
// letters of 10 points.
const (
	leastLetter = 90  // width of a character on average
	leastLine   = 230 // height of a line
	cellEdges   = 216 // margins of a cell at both sides
	// A table may be wider than the text by its outer cell margins.
	tableSlack = 300
)

// tableFit says how a table of the body fits its pages.
type tableFit struct {
	at          string
	head        uint64 // of the text of its first row
	width, room int    // in twentieths of a point
	rows        int
	tall, low   map[int]bool // rows higher than a page, and of a fixed height too low for their text
}

func (t *tableFit) wide() bool { return t.room > 0 && t.width > t.room+tableSlack }

// textArea is the space for text on the pages of a section, in twentieths of a
// point; zero where it is not known.
type textArea struct{ width, height int }

var fitSeed = maphash.MakeSeed()

// tableFits measures the tables of the body.
func (d *document) tableFits(ctx context.Context, p *part) ([]tableFit, error) {
	var out []tableFit
	var secs []sectionProps
	areas := map[int]textArea{}
	sec := 0
	for i, t := range p.stories[0].kidsOf(tableNode) {
		if i == 0 {
			var err error
			if _, secs, err = d.sectionsOf(ctx); err != nil {
				return nil, err
			}
		}
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for sec < len(secs) && secs[sec].start < t.start {
			sec++
		}
		area, ok := areas[sec]
		if !ok {
			raw := ""
			if sec < len(secs) {
				raw = p.raw(secs[sec].span)
			}
			area = areaOf(raw, p.prefix)
			areas[sec] = area
		}
		fit, err := p.fitOf(ctx, t, area)
		if err != nil {
			return nil, err
		}
		fit.at = "t" + strconv.Itoa(i)
		out = append(out, fit)
	}
	return out, nil
}

// areaOf returns the text area of the section with properties; zero where it has
// lengths in other units.
func areaOf(raw, prefix string) textArea {
	pr := sectProps(raw, prefix)
	size, err := lengthsOf(pr.Get("pgSz"), map[string]int{"w": papers["a4"][0], "h": papers["a4"][1]})
	if err != nil {
		return textArea{}
	}
	mar, err := lengthsOf(pr.Get("pgMar"), map[string]int{"top": 1417, "right": 1417, "bottom": 1417, "left": 1417, "gutter": 0})
	if err != nil {
		return textArea{}
	}
	cols, err := lengthsOf(pr.Get("cols"), map[string]int{"num": 1, "space": 720})
	if err != nil {
		return textArea{}
	}
	n := max(1, cols["num"])
	width := size["w"] - mar["left"] - mar["right"] - mar["gutter"]
	return textArea{(width - (n-1)*cols["space"]) / n, size["h"] - max(0, mar["top"]) - max(0, mar["bottom"])}
}

// fitOf measures one table.
func (p *part) fitOf(ctx context.Context, t *node, area textArea) (tableFit, error) {
	rows := t.kidsOf(rowNode)
	fit := tableFit{room: max(0, area.width), rows: len(rows), tall: map[int]bool{}, low: map[int]bool{}}
	columns := p.gridOf(t)
	if !strings.Contains(p.raw(t.props), `type="pct"`) { // a share of the text always fits
		for _, w := range columns {
			fit.width += w
		}
	}
	for i, r := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return fit, ctx.Err()
		}
		if i == 0 {
			fit.head = maphash.String(fitSeed, p.text(r))
		}
		height, exact := p.rowHeight(r)
		if r.end-r.start < 1000 && height == 0 {
			continue // it is low
		}
		needs := p.rowNeeds(r, columns)
		switch {
		case exact && needs*10 > height*13:
			fit.low[i] = true
		case area.height > 0 && (height > area.height || !exact && needs > area.height):
			fit.tall[i] = true
		}
	}
	return fit, nil
}

// gridOf returns the widths of a table's columns (17.4.49).
func (p *part) gridOf(t *node) (widths []int) {
	if t.grid().end == 0 {
		return nil
	}
	sc := xmlscan.New(p.doc[t.grid().start:t.grid().end])
	for sc.Next() && len(widths) < 10*maxColumns {
		switch t := sc.Token(); {
		case t.Kind == xmlscan.Start && t.Local == "tblGridChange":
			return widths
		case t.Kind == xmlscan.Start && t.Local == "gridCol":
			widths = append(widths, max(0, atoi(t.AttrLocal("w"))))
		}
	}
	return widths
}

// rowHeight returns the height that a row has at least, or exactly (17.4.80).
func (p *part) rowHeight(r *node) (height int, exact bool) {
	if r.props.end == 0 {
		return 0, false
	}
	sc := xmlscan.New([]byte(rowProps(p.raw(r.props), p.prefix).Get("trHeight")))
	if !sc.Next() {
		return 0, false
	}
	t := sc.Token()
	return max(0, atoi(t.AttrLocal("val"))), t.AttrLocal("hRule") == "exact"
}

// rowNeeds returns the height that the text of a row takes at least.
func (p *part) rowNeeds(r *node, columns []int) int {
	most, at := 0, 0
	for _, c := range r.kidsOf(cellNode) {
		width := 0
		for _, w := range columns[min(at, len(columns)):min(at+c.span, len(columns))] {
			width += w
		}
		at += c.span
		if width == 0 {
			continue
		}
		letters := max(1, (width-cellEdges)/leastLetter)
		lines := 0
		for _, k := range c.kids {
			if k.kind == paraNode {
				for l := range strings.SplitSeq(p.text(k), "\n") {
					lines += max(1, (utf8.RuneCountInString(l)+letters-1)/letters)
				}
			}
		}
		most = max(most, lines*leastLine)
	}
	return most
}

// tableEffects says which tables an edit made wider than the text, and which
// rows higher than a page or too low.
func tableEffects(before, after []tableFit) []string {
	type headed struct {
		head uint64
		nth  int
	}
	byHead, seen := map[headed]*tableFit{}, map[uint64]int{}
	for i := range before {
		b := &before[i]
		byHead[headed{b.head, seen[b.head]}] = b
		seen[b.head]++
	}
	clear(seen)
	var wide, tall, low places
	for i := range after {
		a := &after[i]
		old := byHead[headed{a.head, seen[a.head]}]
		seen[a.head]++
		if old == nil && len(before) == len(after) {
			old = &before[i] // its first row was edited
		}
		if old == nil {
			old = &tableFit{}
		}
		if a.wide() && !old.wide() {
			wide.add(fmt.Sprintf("%s (%s of %s)", a.at, length20(strconv.Itoa(a.width)), length20(strconv.Itoa(a.room))))
		}
		for r := range a.rows {
			tall.addIf(a.tall[r] && !old.had(old.tall, r, a), a.at, r)
			low.addIf(a.low[r] && !old.had(old.low, r, a), a.at, r)
		}
	}
	return slices.Concat(wide.say("table is wider than the text of its pages", "tables are wider than the text of their pages"),
		tall.say("row is higher than a page", "rows are higher than a page"),
		low.say("row has a fixed height that is too low for its text", "rows have a fixed height that is too low for their text"))
}

// had reports whether a row was among those of the table before; where rows were
// added or removed, whether as many were.
func (t *tableFit) had(rows map[int]bool, r int, now *tableFit) bool {
	if t.rows == now.rows {
		return rows[r]
	}
	return len(rows) >= max(len(now.tall), len(now.low))
}

// places lists where something is: how many there are, and the first of them.
type places struct {
	count int
	first []string
}

func (l *places) add(said string) {
	if l.count++; len(l.first) < maxNotes {
		l.first = append(l.first, said)
	}
}

func (l *places) addIf(is bool, table string, row int) {
	if is {
		l.add(fmt.Sprintf("%s.r%d", table, row))
	}
}

func (l *places) say(one, several string) []string {
	if l.count == 0 {
		return nil
	}
	said := formats.Count(l.count, one, several) + ": " + strings.Join(l.first, ", ")
	if l.count > len(l.first) {
		said += " …"
	}
	return []string{said}
}
