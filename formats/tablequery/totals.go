package tablequery

import (
	"fmt"
	"strconv"
	"strings"

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
	label, texts := "", 0
	for i := range cells {
		c := &cells[i]
		if c.kind != typed && c.kind != raw || len(delimited.Trim(c.b)) == 0 {
			continue
		}
		if label != "" && len(c.b) <= maxNumeral && isNumeral(string(c.b)) {
			continue
		}
		if len(c.b) > maxTotalLabel {
			return
		}
		if texts++; texts == 1 {
			label = string(delimited.Trim(c.b))
		} else if texts > 1 {
			return
		}
	}
	if is, _ := xlsx.TotalLabel(label); is {
		t.rows++
		t.label = label
	}
}

func isNumeral(s string) bool {
	_, err := strconv.ParseFloat(strings.NewReplacer(",", ".", " ", "", "%", "", "€", "", "$", "").Replace(s), 64)
	return err == nil || strings.Trim(s, "0123456789., -+%€$£") == ""
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
