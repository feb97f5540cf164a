package chart

import (
	"encoding/json"
	"strings"

	"atelier/internal/lenient"
)

// Options are the settings of a chart that operations set. Absent members leave
// what there is.
type Options struct {
	Legend        string          `json:"legend,omitempty" jsonschema:"{ops}: none, bottom, top, left, right or top_right"`
	DataLabels    string          `json:"data_labels,omitempty" jsonschema:"{ops}: none, value, percent, category, series, or several with commas"`
	LabelPosition string          `json:"label_position,omitempty" jsonschema:"{ops}: center, inside_end, inside_base, outside_end, above, below, left, right or best_fit"`
	NumberFormat  string          `json:"number_format,omitempty" jsonschema:"{ops}: of value axis and labels, such as 0.0%"`
	YMin          *lenient.Float  `json:"y_min,omitempty" jsonschema:"{ops}: where the value axis begins"`
	YMax          *lenient.Float  `json:"y_max,omitempty" jsonschema:"{ops}: where it ends"`
	YAuto         lenient.Bool    `json:"y_auto,omitempty" jsonschema:"{ops}: true: the value axis begins and ends where its values do"`
	XAxis         *AxisOptions    `json:"x_axis,omitempty" jsonschema:"{ops}: the label axis, of scatter and bubble charts that of x"`
	YAxis         *AxisOptions    `json:"y_axis,omitempty" jsonschema:"{ops}: the value axis"`
	Y2Axis        *AxisOptions    `json:"y2_axis,omitempty" jsonschema:"{ops}: the secondary value axis"`
	Colors        []string        `json:"colors,omitempty" jsonschema:"{ops}: RRGGBB or accent1 to accent6, of the series in order, of a pie or doughnut those of its slices"`
	Gap           *lenient.Int    `json:"gap,omitempty" jsonschema:"{ops}: between columns or bars, in % of their width, 0 to 500"`
	Overlap       *lenient.Int    `json:"overlap,omitempty" jsonschema:"{ops}: of columns or bars of a category, in %, -100 (apart) to 100 (on top of each other)"`
	Hole          *lenient.Int    `json:"hole,omitempty" jsonschema:"{ops}: of a doughnut, in % of its width, 10 to 90"`
	Smooth        *lenient.Bool   `json:"smooth,omitempty" jsonschema:"{ops}: lines are curves"`
	Markers       string          `json:"markers,omitempty" jsonschema:"{ops}: of the points of lines: none, auto, circle, square, diamond, triangle, x, star, plus, dash or dot"`
	SeriesOptions []SeriesOptions `json:"series_options,omitempty" jsonschema:"{ops}: of single series; type and axis make a combined chart"`
}

// AxisOptions are the settings of an axis.
type AxisOptions struct {
	Title        *string        `json:"title,omitempty" jsonschema:"an empty one removes it"`
	Min          *lenient.Float `json:"min,omitempty"`
	Max          *lenient.Float `json:"max,omitempty"`
	Unit         *lenient.Float `json:"unit,omitempty" jsonschema:"between labels"`
	Auto         lenient.Bool   `json:"auto,omitempty" jsonschema:"min, max and unit are found again"`
	NumberFormat string         `json:"number_format,omitempty"`
	Log          *lenient.Float `json:"log,omitempty" jsonschema:"base of a logarithmic scale, such as 10; 0 for an even one"`
	Reversed     *lenient.Bool  `json:"reversed,omitempty"`
	Gridlines    *lenient.Bool  `json:"gridlines,omitempty"`
	Hidden       *lenient.Bool  `json:"hidden,omitempty"`
}

// SeriesOptions are the settings of one series.
type SeriesOptions struct {
	Series        lenient.Text   `json:"series" jsonschema:"name, or number from 1"`
	Type          string         `json:"type,omitempty" jsonschema:"column, line or area (also stacked_ and percent_stacked_), scatter, scatter_lines or scatter_smooth"`
	Axis          string         `json:"axis,omitempty" jsonschema:"primary or secondary"`
	Color         string         `json:"color,omitempty" jsonschema:"RRGGBB or accent1 to accent6"`
	Points        []PointColor   `json:"points,omitempty" jsonschema:"colours of single points"`
	LineWidth     *lenient.Float `json:"line_width,omitempty" jsonschema:"points; 0: no line"`
	Smooth        *lenient.Bool  `json:"smooth,omitempty"`
	Markers       string         `json:"markers,omitempty"`
	TrendLine     *TrendLine     `json:"trend_line,omitempty"`
	DataLabels    string         `json:"data_labels,omitempty"`
	LabelPosition string         `json:"label_position,omitempty"`
	NumberFormat  string         `json:"number_format,omitempty" jsonschema:"of its labels"`
}

// PointColor is the colour of one point.
type PointColor struct {
	Point lenient.Int `json:"point" jsonschema:"number from 1"`
	Color string      `json:"color" jsonschema:"RRGGBB or accent1 to accent6; empty: that of the series"`
}

// TrendLine is the trend line of a series (21.2.2.211). In JSON its type alone
// may stand for it.
type TrendLine struct {
	Type     string         `json:"type" jsonschema:"linear, exponential, logarithmic, polynomial, power, moving_average or none"`
	Order    *lenient.Int   `json:"order,omitempty" jsonschema:"of a polynomial, 2 to 6"`
	Period   *lenient.Int   `json:"period,omitempty" jsonschema:"points of a moving average, from 2"`
	Forward  *lenient.Float `json:"forward,omitempty" jsonschema:"periods beyond the last point"`
	Backward *lenient.Float `json:"backward,omitempty" jsonschema:"periods before the first"`
	Name     string         `json:"name,omitempty"`
	Equation lenient.Bool   `json:"equation,omitempty"`
	RSquared lenient.Bool   `json:"r_squared,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *TrendLine) UnmarshalJSON(b []byte) error {
	var kind string
	if json.Unmarshal(b, &kind) == nil {
		*l = TrendLine{Type: kind}
		return nil
	}
	type plain TrendLine
	return json.Unmarshal(b, (*plain)(l))
}

// Change is what an operation changes in a chart.
type Change struct {
	Type           string  // a kind as ParseKind reads it; "": as it is
	Title          *string // nil: as it is; "": none
	XTitle, YTitle *string
	Slide          bool        // the chart is on a slide: larger text
	Data           []NewSeries // all series that it shall have; nil: those that it has
	Options
}

// Empty reports whether nothing is to change.
func (c *Change) Empty() bool {
	return c.Type == "" && c.Data == nil && c.Title == nil && c.XTitle == nil && c.YTitle == nil && c.Options.Empty()
}

// Empty reports whether no option is given.
func (o *Options) Empty() bool {
	b, err := json.Marshal(o)
	return err == nil && string(b) == "{}"
}

// axes returns the options of the axes with what the short members say of them.
func (c *Change) axes() (x, y, y2 AxisOptions, given bool) {
	for _, a := range []struct {
		to   *AxisOptions
		from *AxisOptions
	}{{&x, c.XAxis}, {&y, c.YAxis}, {&y2, c.Y2Axis}} {
		if a.from != nil {
			*a.to, given = *a.from, true
		}
	}
	if c.XTitle != nil {
		x.Title, given = c.XTitle, true
	}
	if c.YTitle != nil {
		y.Title, given = c.YTitle, true
	}
	if c.YMin != nil {
		y.Min, given = c.YMin, true
	}
	if c.YMax != nil {
		y.Max, given = c.YMax, true
	}
	if c.YAuto {
		y.Auto, given = true, true
	}
	return x, y, y2, given
}

func newlines(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n").Replace(s)
}
