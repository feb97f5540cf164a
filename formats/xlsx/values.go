package xlsx

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// display turns cells into what a person sees in them.
type display struct {
	styles  *stylesheet.Formats
	strings *sharedStrings
	shared  map[int]sharedFormula // of the sheet being read
	twice   bool                  // shared is no full account: a group has two masters, or there are too many
	noted   int                   // bytes in shared
	braces  bool                  // array formulas show as {=…}
	members map[int]placedHash    // of long ones of shared

	room *allowance // for formulas of members; nil: no bound
	cut  bool       // the formula asked for last has no text, since there was no room
}

// sharedFormula is the master of a group (18.3.1.40).
type sharedFormula struct {
	text     string
	row, col int
}

func (wb *baseBook) display(ctx context.Context) (*display, error) {
	st, err := wb.styles(ctx)
	if err != nil {
		return nil, err
	}
	ss, err := wb.strings(ctx)
	if err != nil {
		return nil, err
	}
	return &display{styles: st, strings: ss}, nil
}

// maxNoted bounds the formulas remembered of one sheet, in bytes.
const maxNoted = 16 << 20

// note remembers the master of a shared formula, for its later members.
func (d *display) note(s *sheetml.RowScanner) {
	c := &s.Cell
	if !c.Formula.OK() || c.FormulaTag.End-c.FormulaTag.Start < 8 {
		return
	}
	if fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag)); fa.Kind == "shared" && fa.SharedIndex >= 0 && c.Formula.End > c.Formula.Start {
		if d.shared == nil {
			d.shared = map[int]sharedFormula{}
		}
		text := sheetml.CharData(s.Text(c.Formula))
		if len(text) > formula.MaxLength && utf8.RuneCountInString(text) > formula.MaxLength {
			return // longer than any formula: its members show none
		}
		if d.noted += c.Formula.End - c.Formula.Start; d.noted > maxNoted {
			d.twice = true
			return
		}
		_, again := d.shared[fa.SharedIndex]
		d.twice = d.twice || again
		d.shared[fa.SharedIndex] = sharedFormula{text, c.Row, c.Col}
	}
}

// formula is the text of the cell's formula without '=', also for a member of
// a shared one.
func (d *display) formula(s *sheetml.RowScanner) string {
	c := &s.Cell
	d.cut = false
	if c.Formula.OK() && c.Formula.End > c.Formula.Start {
		return sheetml.CharData(s.Text(c.Formula))
	}
	if fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag)); fa.Kind == "shared" {
		if m, ok := d.shared[fa.SharedIndex]; ok {
			if d.cut = !d.room.take(len(m.text)); d.cut {
				return ""
			}
			return formula.Move(m.text, c.Row-m.row, c.Col-m.col)
		}
	}
	return ""
}

// show is the value of the scanner's cell as displayed, "" for a blank
// one. A formula without a cached value shows as =FORMULA.
func (d *display) show(s *sheetml.RowScanner) string {
	c := &s.Cell
	if c.NoValue() {
		return d.showFormula(s)
	}
	switch c.Type {
	case sheetml.TypeInline:
		if c.Inline.OK() {
			return d.styles.Format(c.Style).Text(sheetml.PlainText(s.Text(c.Inline)))
		}
		return d.styles.Format(c.Style).Text(sheetml.Unescape(sheetml.CharData(s.Text(c.Value))))
	case sheetml.TypeShared:
		return d.styles.Format(c.Style).Text(d.strings.held(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))))
	case sheetml.TypeString:
		return d.styles.Format(c.Style).Text(sheetml.Unescape(sheetml.CharData(s.Text(c.Value))))
	case sheetml.TypeBool:
		if v := sheetml.TrimSpace(s.Text(c.Value)); len(v) > 0 {
			if sheetml.IsTrue(string(v)) {
				return "TRUE"
			}
			return "FALSE"
		}
		return ""
	case sheetml.TypeError:
		return sheetml.CharData(s.Text(c.Value))
	}
	return d.showNumber(s)
}

func (d *display) showFormula(s *sheetml.RowScanner) string {
	if f := d.formula(s); f != "" {
		if d.braces && sheetml.ReadFormulaAttrs(s.Text(s.Cell.FormulaTag)).Kind == "array" {
			return "{=" + formula.Shown(f) + "}"
		}
		return "=" + formula.Shown(f)
	}
	return ""
}

func (d *display) showNumber(s *sheetml.RowScanner) string {
	c := &s.Cell
	raw := strings.TrimSpace(sheetml.CharData(s.Text(c.Value)))
	if raw == "" {
		return ""
	}
	f := d.styles.Format(c.Style)
	if c.Type == sheetml.TypeDate {
		v, ok := numfmt.ISOSerial(raw, d.styles.Date1904)
		if !ok || !f.IsDate() {
			return raw
		}
		return f.Number(v, d.styles.Date1904)
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return raw
	}
	if f.General && plainInt(raw) {
		return raw
	}
	return f.Number(v, d.styles.Date1904)
}

// plainInt reports whether a number shows as it is written.
func plainInt(s string) bool {
	if len(s) > 15 || len(s) > 1 && s[0] == '0' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
