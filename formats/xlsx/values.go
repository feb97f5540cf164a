package xlsx

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
)

// display turns cells into what a person sees in them.
type display struct {
	styles  *styles
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

func (wb *workbook) display(ctx context.Context) (*display, error) {
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
func (d *display) note(s *rowScanner) {
	c := &s.cell
	if !c.f.ok() || c.fTag.end-c.fTag.start < 8 {
		return
	}
	if fa := readFormulaAttrs(s.text(c.fTag)); fa.kind == "shared" && fa.si >= 0 && c.f.end > c.f.start {
		if d.shared == nil {
			d.shared = map[int]sharedFormula{}
		}
		text := charData(s.text(c.f))
		if len(text) > formula.MaxLength && utf8.RuneCountInString(text) > formula.MaxLength {
			return // longer than any formula: its members show none
		}
		if d.noted += c.f.end - c.f.start; d.noted > maxNoted {
			d.twice = true
			return
		}
		_, again := d.shared[fa.si]
		d.twice = d.twice || again
		d.shared[fa.si] = sharedFormula{text, c.row, c.col}
	}
}

// formula is the text of the cell's formula without '=', also for a member of
// a shared one.
func (d *display) formula(s *rowScanner) string {
	c := &s.cell
	d.cut = false
	if c.f.ok() && c.f.end > c.f.start {
		return charData(s.text(c.f))
	}
	if fa := readFormulaAttrs(s.text(c.fTag)); fa.kind == "shared" {
		if m, ok := d.shared[fa.si]; ok {
			if d.cut = !d.room.take(len(m.text)); d.cut {
				return ""
			}
			return formula.Move(m.text, c.row-m.row, c.col-m.col)
		}
	}
	return ""
}

// show is the value of the scanner's cell as displayed, "" for a blank
// one. A formula without a cached value shows as =FORMULA.
func (d *display) show(s *rowScanner) string {
	c := &s.cell
	if c.noValue() {
		return d.showFormula(s)
	}
	switch c.typ {
	case typeInline:
		if c.is.ok() {
			return d.styles.format(c.style).Text(richText(s.text(c.is)))
		}
		return d.styles.format(c.style).Text(unescapeX(charData(s.text(c.v))))
	case typeShared:
		return d.styles.format(c.style).Text(d.strings.held(atoi(trimSpace(s.text(c.v)))))
	case typeString:
		return d.styles.format(c.style).Text(unescapeX(charData(s.text(c.v))))
	case typeBool:
		if v := trimSpace(s.text(c.v)); len(v) > 0 {
			if isTrue(string(v)) {
				return "TRUE"
			}
			return "FALSE"
		}
		return ""
	case typeError:
		return charData(s.text(c.v))
	}
	return d.showNumber(s)
}

func (d *display) showFormula(s *rowScanner) string {
	if f := d.formula(s); f != "" {
		if d.braces && readFormulaAttrs(s.text(s.cell.fTag)).kind == "array" {
			return "{=" + formula.Shown(f) + "}"
		}
		return "=" + formula.Shown(f)
	}
	return ""
}

func (d *display) showNumber(s *rowScanner) string {
	c := &s.cell
	raw := strings.TrimSpace(charData(s.text(c.v)))
	if raw == "" {
		return ""
	}
	f := d.styles.format(c.style)
	if c.typ == typeDate {
		v, ok := numfmt.ISOSerial(raw, d.styles.date1904)
		if !ok || !f.IsDate() {
			return raw
		}
		return f.Number(v, d.styles.date1904)
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return raw
	}
	if f.General && plainInt(raw) {
		return raw
	}
	return f.Number(v, d.styles.date1904)
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
