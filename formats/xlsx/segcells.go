package xlsx

import (
	"hash/maphash"
	"slices"
	"strconv"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// entry is a segment in document order. Of cells with a shared string it has only
// where that is, since a workbook may have a million of them: their texts are read
// from the table of strings when they are needed.
type entry struct {
	unit     *unit // nil: the text of the shared string sst, first shown at row and col
	now      int64 // 1 + the place in replacer.written of what the string changes to, 0: nothing
	home     int32
	sst      int32
	row, col int32
}

func (e *entry) at() cellref.Cell { return cellref.Cell{Row: int(e.row), Col: int(e.col)} }

// cell reports whether the entry is the text of cells.
func (e *entry) cell() bool { return e.unit == nil || e.unit.cell() }

func (c *collector) addUnit(u *unit) {
	c.entries = append(c.entries, entry{unit: u, home: int32(u.home)})
}

// sharedCell returns the index of the entry of a shared string, -1 when it is not to
// be translated. It adds the entry at the first cell that shows the string.
func (c *collector) sharedCell(n int, at cellref.Cell) int {
	if n < 0 || n >= len(c.strings.Items) {
		return -1
	}
	if c.seen == nil {
		c.seen = make([]int32, len(c.strings.Items))
	}
	if c.seen[n] == 0 {
		c.seen[n] = -1
		if tags.Translatable(sheetml.PlainText(c.strings.Raw(n))) {
			c.entries = append(c.entries, entry{home: int32(c.home), sst: int32(n), row: int32(at.Row), col: int32(at.Col)})
			c.seen[n] = int32(len(c.entries))
		}
	}
	return max(-1, int(c.seen[n])-1)
}

func (c *collector) sharedID(n int32) string { return "sst:" + strconv.Itoa(int(n)) }

// parse reads the unit of an entry that has none.
func (c *collector) parse(e *entry) *unit {
	r := parseRst(c.strings.Raw(int(e.sst)))
	u := &unit{tag: tag(r.runs), rst: r, sst: int(e.sst), sheet: -1, home: int(e.home)}
	u.seg = formats.Segment{ID: c.sharedID(e.sst), Text: u.tag.text, Place: c.placeOf(int(e.home), e.at()), Part: "cell", MaxLength: maxCellText}
	return u
}

func (c *collector) placeOf(sheet int, at cellref.Cell) string {
	return c.wb.Sheets[sheet].Name + "!" + cellref.Name(at.Row, at.Col)
}

// unitOf returns the unit of an entry, which has its place and its limits; it is not
// kept for the entry.
func (c *collector) unitOf(e *entry) *unit {
	if e.unit != nil {
		return e.unit
	}
	return c.parse(e)
}

// special makes a unit of an entry that is more than the text of cells.
func (c *collector) special(i int) *unit {
	e := &c.entries[i]
	if e.unit == nil {
		e.unit = c.parse(e)
	}
	return e.unit
}

// textIndex finds entries by the texts of their cells. It is made when it is first asked:
// most workbooks repeat no texts of cells elsewhere.
type textIndex struct {
	seed  maphash.Seed
	first map[uint64]int32 // index of the first entry with a text, by the text's hash
	more  map[string]int32 // of texts whose hash another text has
}

// textOf returns the text of an entry's cells, if other places may repeat it.
func (c *collector) textOf(i int) (string, bool) {
	e := &c.entries[i]
	if !e.cell() {
		return "", false
	}
	u := c.unitOf(e)
	return plainOf(u.rst.runs), len(u.seg.Text) <= maxRepeated
}

// index makes the index of all texts of cells, which must be complete.
func (c *collector) index() *textIndex {
	if c.texts != nil {
		return c.texts
	}
	x := &textIndex{maphash.MakeSeed(), map[uint64]int32{}, map[string]int32{}}
	for i := range c.entries {
		text, ok := c.textOf(i)
		if !ok {
			continue
		}
		h := maphash.String(x.seed, text)
		first, taken := x.first[h]
		if !taken {
			x.first[h] = int32(i)
			continue
		}
		if other, _ := c.textOf(int(first)); other != text {
			if _, again := x.more[text]; !again {
				x.more[text] = int32(i)
			}
		}
	}
	c.texts = x
	return x
}

// cellWith returns the index of the first entry of cells with a text, -1 for none.
func (c *collector) cellWith(text string) int {
	x := c.index()
	if i, ok := x.more[text]; ok {
		return int(i)
	}
	if i, ok := x.first[maphash.String(x.seed, text)]; ok {
		if found, _ := c.textOf(int(i)); found == text {
			return int(i)
		}
	}
	return -1
}

// order sorts the entries by their sheets; the index is of the order before.
func (c *collector) order() {
	slices.SortStableFunc(c.entries, func(a, b entry) int { return int(a.home) - int(b.home) })
	c.texts = nil
	for i := range c.entries {
		if e := &c.entries[i]; e.unit == nil || e.unit.sst >= 0 {
			c.seen[e.sst] = int32(i + 1)
		}
	}
}
