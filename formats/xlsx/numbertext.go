package xlsx

import "atelier/formats/xlsx/internal/numfmt"

// NumberText writes a number in a number format (18.8.31), such as "0.0%", as
// Excel does; the empty format is General. date1904 counts days from 1904. It is
// the chart.NumberText of charts in every kind of file.
func NumberText(value float64, format string, date1904 bool) string {
	return numfmt.Parse(format).Number(value, date1904)
}
