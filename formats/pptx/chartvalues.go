package pptx

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/xlsx"
	"atelier/internal/textclip"
)

// What a read shows of the values of a chart.
const (
	valuesMax      = 50      // points of a series
	valuesText     = 8 << 10 // bytes of all series
	valuesNumber   = 40      // characters of a number in its format
	valuesKindsMax = 4
)

// chartValues returns the kinds of a chart and the values of its series as they are
// stored in it, a line for each series:
//
//	column chart; North: 3, 4, (empty)
//	South: 5, 6, 7
//
// It is "" where no values are stored.
func (d *deck) chartValues(ctx context.Context, part string) (string, error) {
	doc, err := d.ReadXML(ctx, part)
	if err != nil {
		return "", err
	}
	c, err := chart.Read(ctx, doc)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, chart.ErrNoChart):
		return "", nil
	case err != nil:
		return "", formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", part, err)
	}
	var lines []string
	size, left := 0, c.SeriesOmitted
	for i := range c.Series {
		line := seriesValues(c, i)
		switch {
		case line == "":
		case size+len(line) > valuesText:
			left++
		default:
			size += len(line)
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("… values of %d more series", left))
	}
	kinds := strings.Join(c.Kinds[:min(len(c.Kinds), valuesKindsMax)], " and ")
	return strings.TrimSpace(kinds+" chart") + "; " + strings.Join(lines, "\n"), nil
}

// seriesValues returns the values of a series on a line, "" when none are stored.
func seriesValues(c *chart.Content, i int) string {
	s := &c.Series[i]
	if len(s.Values.Points) == 0 {
		return ""
	}
	name := s.Name
	if name == "" {
		name = "series " + strconv.Itoa(i+1)
	}
	if len(c.Kinds) > 1 && s.Kind != "" {
		name += " (" + s.Kind + ")"
	}
	out := name + ": "
	if xy := strings.HasSuffix(s.Kind, "scatter") || strings.HasSuffix(s.Kind, "bubble"); xy && len(s.Categories.Points) > 0 {
		out += "x " + dataText(c, s.Categories) + "; y "
	}
	out += dataText(c, s.Values)
	if len(s.Sizes.Points) > 0 {
		out += "; sizes " + dataText(c, s.Sizes)
	}
	return out
}

// dataText returns a list of values in their number format.
func dataText(c *chart.Content, data chart.Data) string {
	n := max(0, min(data.Count, valuesMax))
	cells := make([]string, n)
	for _, p := range data.Points {
		if p.Index < 0 || p.Index >= n {
			continue
		}
		cells[p.Index] = p.Text
		if v, err := strconv.ParseFloat(p.Text, 64); err == nil && data.Numeric {
			cells[p.Index] = textclip.Head(xlsx.NumberText(v, data.Format, c.Date1904), valuesNumber)
		}
	}
	for k, s := range cells {
		if s == "" {
			cells[k] = "(empty)"
		}
	}
	out := strings.Join(cells, ", ")
	if more := data.Count - n; more > 0 {
		out += fmt.Sprintf(", … %d more", more)
	}
	return out
}
