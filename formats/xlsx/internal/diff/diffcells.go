package diff

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// seenCell is a cell as a comparison sees it.
type seenCell struct {
	col     int
	shown   string
	formula string
	text    bool // it holds text, not a number
	blank   bool // it has a format and nothing else
	style   int
	value   string // as it is stored; of a formula its result
	rich    uint64 // hash of the formats within its text; 1: none
	richXML []byte // the XML of such a text
	member  uint64 // of a cell that shares a long formula, what its members have in common
	cut     bool   // its formula is not known: it is one of too many long ones
	like    bool   // a text that reads like a formula
	extra   string
}

// stored appends the value of a cell in a form that is the same in both books;
// nothing for an empty one.
func (w *bookSide) stored(b []byte, s *sheetml.RowScanner) []byte {
	c := &s.Cell
	raw := sheetml.TrimSpace(s.Text(c.Value))
	switch c.Type {
	case sheetml.TypeShared:
		i := sheetml.Atoi(raw)
		if i < 0 || i >= len(w.strings) {
			return b
		}
		if w.strings[i] == 0 {
			w.strings[i] = textHash(w.d.Strings.Text(i))
		}
		if w.strings[i] == emptyText {
			return b
		}
		return binary.LittleEndian.AppendUint64(append(b, 's'), w.strings[i])
	case sheetml.TypeInline, sheetml.TypeString:
		text := sheetml.Unescape(sheetml.CharData(s.Text(c.Value)))
		if c.Type == sheetml.TypeInline && c.Inline.OK() {
			text = sheetml.PlainText(s.Text(c.Inline))
		}
		if text == "" {
			return b
		}
		return binary.LittleEndian.AppendUint64(append(b, 's'), textHash(text))
	case sheetml.TypeNumber:
		if v, err := strconv.ParseFloat(string(raw), 64); err == nil {
			return binary.LittleEndian.AppendUint64(append(b, 'n'), math.Float64bits(v))
		}
	}
	if len(raw) == 0 {
		return b
	}
	return append(append(append(b, byte('0'+c.Type)), raw...), 0)
}

// textHash is never 0.
func textHash(s string) uint64 { return maphash.String(book.HashSeed, s) | 1 }

var emptyText = textHash("")

// seen is the scanner's cell as it is shown.
func (w *bookSide) seen(s *sheetml.RowScanner, d *book.Display) seenCell {
	c := seenCell{col: s.Cell.Col, style: s.Cell.Style, extra: string(s.Extra())}
	if s.Cell.HasFormula {
		if h, ok := d.LongMember(s); ok {
			c.member = h.Form
		}
		c.formula = d.Formula(s)
		c.cut = d.NoRoom
	}
	switch s.Cell.Type {
	case sheetml.TypeShared, sheetml.TypeInline, sheetml.TypeString:
		c.text = true
	}
	if c.shown = d.Show(s); c.shown == "" && c.formula == "" && s.Cell.Value.OK() && s.Cell.Type != sheetml.TypeShared {
		c.shown = sheetml.CharData(s.Text(s.Cell.Value)) // its number format shows nothing
	}
	c.value = string(w.stored(nil, s))
	if c.rich = 1; c.formula == "" {
		if c.rich = w.rich(s); c.rich != 1 && s.Cell.Type == sheetml.TypeShared {
			c.richXML = w.d.Strings.Raw(sheetml.Atoi(sheetml.TrimSpace(s.Text(s.Cell.Value))))
		} else if c.rich != 1 {
			c.richXML = bytes.Clone(s.Text(s.Cell.Inline))
		}
	}
	c.like = c.text && c.formula == "" && w.likeFormula(s, c.shown)
	c.blank = !c.cut && c.shown == "" && c.formula == "" && c.value == ""
	return c
}

// likeFormula reports whether the scanner's text reads like a formula; of a
// shared one it is asked once.
func (w *bookSide) likeFormula(s *sheetml.RowScanner, shown string) bool {
	i := -1
	if s.Cell.Type == sheetml.TypeShared {
		if i = sheetml.Atoi(sheetml.TrimSpace(s.Text(s.Cell.Value))); i >= len(w.likes) {
			i = -1
		}
	}
	if i >= 0 && w.likes[i] != 0 {
		return w.likes[i] > 0
	}
	like := formulaText.MatchString(shown)
	if i >= 0 {
		if w.likes[i] = -1; like {
			w.likes[i] = 1
		}
	}
	return like
}

// content is what a comparison shows of a cell.
func (c seenCell) content() string {
	if c.formula != "" {
		return "=" + formula.Shown(c.formula)
	}
	return c.shown
}

// result is the known result of a formula, "" when the file has none.
func (c seenCell) result() string {
	if c.value == "" || strings.HasPrefix(c.shown, "=") {
		return ""
	}
	return c.shown
}

func rowText(cells []seenCell) string {
	var out []string
	n := 0
	for _, c := range cells {
		s := c.shown
		if n > 300 {
			break
		}
		if s == "" {
			s = "=" + c.formula
		}
		if c.blank {
			continue
		}
		s = s[:min(len(s), 2000)] // far more than is shown
		n += len(s)
		out = append(out, book.OneLine(s))
	}
	return book.Clip(strings.Join(out, ", "), 300)
}

// compareCell compares the contents of two cells that belong together, follow
// giving the old formula as it would read now. A formula whose result changed
// because others did is no change of its own.
func compareCell(a, b seenCell, follow func(string) string) (formats.DiffItem, bool) {
	same := a.formula == b.formula && (a.formula != "" || a.value == b.value)
	if !same && a.formula != "" && b.formula != "" {
		same = follow(a.formula) == b.formula
	}
	switch {
	case a.blank && b.blank:
		return formats.DiffItem{}, false
	case a.blank:
		return formats.DiffItem{Change: formats.Added, New: b.content()}, true
	case b.blank:
		return formats.DiffItem{Change: formats.Removed, Old: a.content()}, true
	case !same && a.formula == "" && b.formula == "" && a.text != b.text && a.shown == b.shown:
		it := formats.DiffItem{Change: formats.Modified, Old: a.content(), New: b.content(), Notes: []string{"text → number"}}
		if b.text {
			it.Notes[0] = "number → text"
		}
		return it, true
	case !same:
		it := formats.DiffItem{Change: formats.Modified, Old: a.content(), New: b.content()}
		if (a.formula != "" || b.formula != "") && a.shown != b.shown && !strings.HasPrefix(a.shown, "=") && !strings.HasPrefix(b.shown, "=") {
			it.Notes = append(it.Notes, "value "+a.shown+" → "+b.shown)
		}
		return it, true
	case !sameKind(a.extra, b.extra):
		return formats.DiffItem{Change: formats.Modified, Old: a.content(), New: b.content(), Notes: []string{sayExtra(a.extra) + " → " + sayExtra(b.extra)}}, true
	}
	return formats.DiffItem{}, false
}

// sayExtra says what kind of formula or value a cell has.
func sayExtra(s string) string {
	switch {
	case s == "":
		return "plain"
	case strings.Contains(s, "t=array"):
		_, of, _ := strings.Cut(s, "ref=")
		of, _, _ = strings.Cut(of, " ")
		if strings.HasPrefix(s, "cm=") {
			return "dynamic array formula of " + of
		}
		return "array formula of " + of
	case strings.Contains(s, "t=dataTable"):
		return "data table"
	}
	return strings.TrimSpace(s)
}
