package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
)

// Kind is a kind of chart as operations name it.
type Kind struct {
	Name     string // one of Kinds
	Grouping string // of column, bar, line and area: "", "stacked" or "percent"
	Style    string // of scatter: "", "lines" or "smooth"; of radar: "" or "filled"
}

// stackable are the kinds whose values can be added up.
var stackable = []string{"column", "bar", "line", "area"}

var kindAliases = map[string]string{"donut": "doughnut", "xy": "scatter", "scatter_markers": "scatter", "scatter_line": "scatter_lines", "xy_scatter": "scatter",
	"scatter_smooth_lines": "scatter_smooth", "radar_filled": "filled_radar", "high_low_close": "stock", "hlc": "stock", "barh": "bar", "col": "column"}

// ParseKind reads the name of a kind: one of Kinds, stacked_ and
// percent_stacked_ before column, bar, line or area, scatter_lines,
// scatter_smooth or filled_radar. The error has CodeInvalid.
func ParseKind(name string) (Kind, error) {
	s := strings.NewReplacer("-", "_", " ", "_", "100%_", "percent_", "100_", "percent_").Replace(strings.ToLower(strings.TrimSpace(name)))
	if a := kindAliases[s]; a != "" {
		s = a
	}
	var k Kind
	if rest, ok := strings.CutPrefix(s, "percent_"); ok {
		k.Grouping, s = "percent", strings.TrimPrefix(rest, "stacked_")
	} else if rest, ok := strings.CutPrefix(s, "stacked_"); ok {
		k.Grouping, s = "stacked", rest
	}
	switch s {
	case "scatter_lines", "scatter_smooth":
		s, k.Style = "scatter", strings.TrimPrefix(s, "scatter_")
	case "filled_radar":
		s, k.Style = "radar", "filled"
	}
	k.Name = s
	if !slices.Contains(Kinds, s) || k.Grouping != "" && !slices.Contains(stackable, s) {
		return Kind{}, formats.Errorf(formats.CodeInvalid, "unknown chart type %s; use %s, scatter_lines, scatter_smooth or filled_radar, or stacked_ or percent_stacked_ with one of %s", quoted(name), strings.Join(Kinds, ", "), strings.Join(stackable, ", "))
	}
	return k, nil
}

// String is the name that ParseKind reads.
func (k Kind) String() string {
	switch {
	case k.Grouping == "percent":
		return "percent_stacked_" + k.Name
	case k.Grouping != "":
		return "stacked_" + k.Name
	case k.Name == "radar" && k.Style == "filled":
		return "filled_radar"
	case k.Style != "" && k.Name == "scatter":
		return "scatter_" + k.Style
	}
	return k.Name
}

// round reports whether the kind has slices and no axes.
func (k Kind) round() bool { return k.Name == "pie" || k.Name == "doughnut" }

// bars reports whether the kind draws columns or bars.
func (k Kind) bars() bool { return k.Name == "column" || k.Name == "bar" }

// xy reports whether both axes of the kind have values.
func (k Kind) xy() bool { return k.Name == "scatter" || k.Name == "bubble" }

// element is the name of the element of a group of series.
func (k Kind) element() string {
	if k.Name == "column" {
		return "barChart"
	}
	return k.Name + "Chart"
}

// grouping is the value of the element grouping (21.2.2.76, 21.2.2.77).
func (k Kind) grouping() string {
	switch {
	case k.Grouping == "percent":
		return "percentStacked"
	case k.Grouping != "":
		return "stacked"
	case k.bars():
		return "clustered"
	}
	return "standard"
}

// finite reads a number as charts store it.
func finite(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// groupHead is what a group has before its series.
func (k Kind) groupHead() string {
	vary := `<c:varyColors val="` + boolValue(k.round()) + `"/>`
	switch k.Name {
	case "column":
		return `<c:barDir val="col"/><c:grouping val="` + k.grouping() + `"/>` + vary
	case "bar":
		return `<c:barDir val="bar"/><c:grouping val="` + k.grouping() + `"/>` + vary
	case "line", "area":
		return `<c:grouping val="` + k.grouping() + `"/>` + vary
	case "scatter":
		style := "lineMarker"
		if k.Style == "smooth" {
			style = "smoothMarker"
		}
		return `<c:scatterStyle val="` + style + `"/>` + vary
	case "radar":
		style := "marker"
		if k.Style == "filled" {
			style = "filled"
		}
		return `<c:radarStyle val="` + style + `"/>` + vary
	case "stock":
		return ""
	}
	return vary
}

// groupTail is what a group has between its series and its axes.
func (k Kind) groupTail() string {
	switch k.Name {
	case "column", "bar":
		if k.Grouping != "" {
			return `<c:gapWidth val="80"/><c:overlap val="100"/>`
		}
		return `<c:gapWidth val="80"/>`
	case "line":
		return `<c:marker val="1"/>`
	case "pie":
		return `<c:firstSliceAng val="0"/>`
	case "doughnut":
		return `<c:firstSliceAng val="0"/><c:holeSize val="55"/>`
	case "bubble":
		return `<c:bubbleScale val="100"/><c:showNegBubbles val="0"/>`
	case "stock":
		return `<c:hiLowLines><c:spPr><a:ln w="12700"><a:solidFill><a:srgbClr val="595959"/></a:solidFill></a:ln></c:spPr></c:hiLowLines>`
	}
	return ""
}
