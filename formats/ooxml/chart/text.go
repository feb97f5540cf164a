package chart

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/internal/textclip"
)

// maxNumber is how many characters of a number in its format are written.
const maxNumber = 60

// NumberText writes a number in a number format, such as "0.0%"; see
// xlsx.NumberText.
type NumberText func(value float64, format string, date1904 bool) string

// Text describes the chart in a few lines:
//
//	column chart "Sales", 2 series; horizontal axis "Quarter"
//	categories Data!$A$2:$A$4: Q1, Q2, Q3
//	series "North" (Data!$B$1), Data!$B$2:$B$4: 3, 4, (empty)
//	series "South" (Data!$C$1), Data!$C$2:$C$4: 5, 6, 7
//	legend at the bottom; y axis begins at 0; series "North": linear trend line
//
// Categories are written where they differ from those of the series before. A
// list longer than MaxPoints ends in "… N more". number writes the values; nil
// writes them as they are stored.
func (c *Content) Text(number NumberText) string {
	var sb strings.Builder
	sb.WriteString(c.Heading())
	var before Data
	for i := range c.Series {
		s := &c.Series[i]
		if i == 0 || !reflect.DeepEqual(s.Categories, before) {
			if s.Categories.Formula != "" || s.Categories.Count > 0 {
				c.line(&sb, s.categoriesWord(), s.Categories, number)
			}
			before = s.Categories
		}
		c.line(&sb, c.seriesLabel(s), s.Values, number)
		if s.Sizes.Count > 0 {
			c.line(&sb, "sizes", s.Sizes, number)
		}
	}
	if c.SeriesOmitted > 0 {
		fmt.Fprintf(&sb, "\n… %d more series", c.SeriesOmitted)
	}
	if len(c.Looks) > 0 {
		sb.WriteString("\n" + strings.Join(c.Looks, "; "))
	}
	return sb.String()
}

// Heading is the first line of Text: kinds, title, number of series, axes.
func (c *Content) Heading() string {
	out := strings.TrimSpace(strings.Join(c.Kinds, " and ") + " chart")
	if c.Title != "" {
		out += " " + quoted(c.Title)
	}
	out += ", " + formats.Count(len(c.Series)+c.SeriesOmitted, "series", "series")
	if c.Pivot != "" {
		out += ", of pivot table " + c.Pivot
	}
	for _, a := range c.Axes {
		out += "; " + a.Place + " axis " + quoted(a.Title)
	}
	return out
}

func quoted(s string) string { return `"` + s + `"` }

func (s *Plotted) categoriesWord() string {
	if strings.HasSuffix(s.Kind, "scatter") || strings.HasSuffix(s.Kind, "bubble") {
		return "x values"
	}
	return "categories"
}

// seriesLabel names a series: its name, the cells of it, and what is special.
func (c *Content) seriesLabel(s *Plotted) string {
	out := "series"
	if s.Name != "" {
		out += " " + quoted(s.Name)
	}
	var more []string
	if s.NameRef != "" {
		more = append(more, s.NameRef)
	}
	if len(c.Kinds) > 1 && s.Kind != "" {
		more = append(more, s.Kind)
	}
	if s.Second {
		more = append(more, "second axis")
	}
	if len(more) > 0 {
		out += " (" + strings.Join(more, ", ") + ")"
	}
	if s.Values.Formula != "" {
		out += ","
	}
	return out
}

// line writes a list of values on a line.
func (c *Content) line(sb *strings.Builder, label string, d Data, number NumberText) {
	sb.WriteString("\n" + label)
	if d.Formula != "" {
		sb.WriteString(" " + d.Formula)
	}
	if len(d.Points) == 0 {
		sb.WriteString(": (no values are stored in the chart)")
		return
	}
	sb.WriteString(": ")
	shown := min(d.Count, MaxPoints)
	cells := make([]string, shown)
	for _, p := range d.Points {
		if p.Index < shown {
			cells[p.Index] = c.cell(d, p.Text, number)
		}
	}
	for i := range cells {
		if cells[i] == "" {
			cells[i] = "(empty)"
		}
	}
	sb.WriteString(strings.Join(cells, ", "))
	if more := d.Count - shown; more > 0 {
		fmt.Fprintf(sb, ", … %d more", more)
	}
}

// cell writes one value; a text that looks like several is quoted.
func (c *Content) cell(d Data, text string, number NumberText) string {
	if v, err := strconv.ParseFloat(text, 64); err == nil && d.Numeric && number != nil {
		text = textclip.Head(number(v, d.Format, c.Date1904), maxNumber)
	}
	if strings.ContainsAny(text, ",\"") && !d.Numeric {
		return strconv.Quote(text)
	}
	return text
}
