package book

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

// Display turns cells into what a person sees in them.
type Display struct {
	Styles  *stylesheet.Formats
	Strings *SharedStrings
	Shared  map[int]SharedFormula // of the sheet being read
	twice   bool                  // shared is no full account: a group has two masters, or there are too many
	noted   int                   // bytes in shared
	Braces  bool                  // array formulas but for dynamic ones show as {=…}
	members map[int]placedHash    // of long ones of shared

	Room   *Allowance // for formulas of members; nil: no bound
	NoRoom bool       // the formula asked for last has no text, since there was no room
}

// SharedFormula is the master of a group (18.3.1.40).
type SharedFormula struct {
	Text     string
	Row, Col int
}

// Display reads the formats and shared strings that cells are shown with.
func (wb *Workbook) Display(ctx context.Context) (*Display, error) {
	st, err := wb.Styles(ctx)
	if err != nil {
		return nil, err
	}
	ss, err := wb.Strings(ctx)
	if err != nil {
		return nil, err
	}
	return &Display{Styles: st, Strings: ss}, nil
}

// maxNoted bounds the formulas remembered of one sheet, in bytes.
const maxNoted = 16 << 20

// Note remembers the master of a shared formula, for its later members.
func (d *Display) Note(s *sheetml.RowScanner) {
	c := &s.Cell
	if !c.Formula.OK() || c.FormulaTag.End-c.FormulaTag.Start < 8 {
		return
	}
	if fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag)); fa.Kind == "shared" && fa.SharedIndex >= 0 && c.Formula.End > c.Formula.Start {
		if d.Shared == nil {
			d.Shared = map[int]SharedFormula{}
		}
		text := sheetml.CharData(s.Text(c.Formula))
		if len(text) > formula.MaxLength && utf8.RuneCountInString(text) > formula.MaxLength {
			return // longer than any formula: its members show none
		}
		if d.noted += c.Formula.End - c.Formula.Start; d.noted > maxNoted {
			d.twice = true
			return
		}
		_, again := d.Shared[fa.SharedIndex]
		d.twice = d.twice || again
		d.Shared[fa.SharedIndex] = SharedFormula{text, c.Row, c.Col}
	}
}

// Formula is the text of the cell's formula without '=', also for a member of
// a shared one.
func (d *Display) Formula(s *sheetml.RowScanner) string {
	c := &s.Cell
	d.NoRoom = false
	if c.Formula.OK() && c.Formula.End > c.Formula.Start {
		return sheetml.CharData(s.Text(c.Formula))
	}
	if fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag)); fa.Kind == "shared" {
		if m, ok := d.Shared[fa.SharedIndex]; ok {
			if d.NoRoom = !d.Room.take(len(m.Text)); d.NoRoom {
				return ""
			}
			return formula.Move(m.Text, c.Row-m.Row, c.Col-m.Col)
		}
	}
	return ""
}

// Show is the value of the scanner's cell as displayed, "" for a blank
// one. A formula without a cached value shows as =FORMULA.
func (d *Display) Show(s *sheetml.RowScanner) string {
	c := &s.Cell
	if c.NoValue() {
		return d.ShowFormula(s)
	}
	switch c.Type {
	case sheetml.TypeInline:
		if c.Inline.OK() {
			return d.Styles.Format(c.Style).Text(sheetml.PlainText(s.Text(c.Inline)))
		}
		return d.Styles.Format(c.Style).Text(sheetml.Unescape(sheetml.CharData(s.Text(c.Value))))
	case sheetml.TypeShared:
		return d.Styles.Format(c.Style).Text(d.Strings.Held(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))))
	case sheetml.TypeString:
		return d.Styles.Format(c.Style).Text(sheetml.Unescape(sheetml.CharData(s.Text(c.Value))))
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

// ShowFormula is the formula of the scanner's cell with its '=', "" when it is not
// known.
func (d *Display) ShowFormula(s *sheetml.RowScanner) string {
	if f := d.Formula(s); f != "" {
		if d.Braces && sheetml.ReadFormulaAttrs(s.Text(s.Cell.FormulaTag)).Kind == "array" && !s.HasCellMetadata() {
			return "{=" + formula.Shown(f) + "}"
		}
		return "=" + formula.Shown(f)
	}
	return ""
}

func (d *Display) showNumber(s *sheetml.RowScanner) string {
	c := &s.Cell
	raw := strings.TrimSpace(sheetml.CharData(s.Text(c.Value)))
	if raw == "" {
		return ""
	}
	f := d.Styles.Format(c.Style)
	if c.Type == sheetml.TypeDate {
		v, ok := numfmt.ISOSerial(raw, d.Styles.Date1904)
		if !ok || !f.IsDate() {
			return raw
		}
		return f.Number(v, d.Styles.Date1904)
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return raw
	}
	if f.General && plainInt(raw) {
		return raw
	}
	return f.Number(v, d.Styles.Date1904)
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
