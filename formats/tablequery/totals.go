package tablequery

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats/delimited"
	"atelier/formats/xlsx"
)

// totals counts rows of a table that look like totals of others: they count as
// rows, which a sum over the table does not expect.
type totals struct {
	rows  int
	label string
}

// maxTotalLabel bounds the text, in bytes, that may say that a row is a total,
// maxNumeral that of a number beside it: longer ones are text that is not looked at.
const (
	maxTotalLabel = 1000
	maxNumeral    = 100
)

func (t *totals) checkRow(cells []cell) {
	var label []byte
	texts := 0
	for i := range cells {
		c := &cells[i]
		if c.kind != typed && c.kind != raw || len(delimited.Trim(c.b)) == 0 {
			continue
		}
		if texts > 0 && len(c.b) <= maxNumeral && isNumeral(c.b) {
			continue
		}
		if len(c.b) > maxTotalLabel {
			return
		}
		if texts++; texts == 1 {
			label = delimited.Trim(c.b)
		} else if texts > 1 {
			return
		}
	}
	if is, _ := xlsx.TotalLabel(string(label)); is {
		t.rows++
		t.label = string(label)
	}
}

var plainNumeral = strings.NewReplacer(",", ".", " ", "", "%", "", "€", "", "$", "")

// isNumeral reports whether a text is a number, an amount or a date in digits. It is
// called for most cells of a table, and most texts have a letter that no number has.
func isNumeral(b []byte) bool {
	digits := true // only signs so far
	for i := 0; i < len(b); {
		c := b[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(b[i:])
			if r != '€' && r != '£' {
				return false
			}
			i += n
			continue
		}
		i++
		switch {
		case c >= '0' && c <= '9' || strings.IndexByte("., -+%$", c) >= 0:
		case strings.IndexByte("abcdefABCDEFxXpPiInNtTyY_", c) >= 0: // of 0x1p4, inf, nan
			digits = false
		default:
			return false
		}
	}
	if digits {
		return true
	}
	_, err := strconv.ParseFloat(plainNumeral.Replace(string(b)), 64)
	return err == nil
}

func (t *totals) warning() string {
	switch t.rows {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("a row looks like a total (%q): it counts as a row; leave it out with WHERE or a range", t.label)
	}
	return fmt.Sprintf("%d rows look like totals (the last: %q): they count as rows; leave them out with WHERE or a range", t.rows, t.label)
}
