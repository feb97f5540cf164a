package chart

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// Edit returns a chart part with a change made, and warnings about what the
// change did beside what it says. Elements that the change does not concern keep
// their bytes, extension lists and what other programs added among them.
//
// The errors have a code of package formats: CodeInvalid for values that are
// wrong or that do not apply, CodeNotFound for a series, CodeUnsupported for
// what a kind of chart does not take, CodeCorrupt for a damaged part. Extended
// charts ([MS-ODRAWXML] 2.24.3) take a title only.
func Edit(ctx context.Context, part []byte, c Change) (out []byte, warnings []string, err error) {
	e, err := openEditor(ctx, part)
	if err == ErrExtended {
		return editExtended(ctx, part, c)
	}
	if err != nil {
		return nil, nil, typed(err)
	}
	e.slide = c.Slide
	if err := e.change(c); err != nil {
		return nil, nil, typed(err)
	}
	if e.lostLabels > 0 {
		e.warn(fmt.Sprintf("%s of one point lost what was set for it alone", formats.Count(e.lostLabels, "label", "labels")))
	}
	return e.t.Doc, e.warnings, nil
}

func (e *editor) change(c Change) error {
	if len(c.SeriesOptions) > maxOptions {
		return formats.Errorf(formats.CodeTooLarge, "options of %d series are too many; give at most %d", len(c.SeriesOptions), maxOptions)
	}
	if len(e.groups) > maxGroups {
		return formats.Errorf(formats.CodeUnsupported, "the chart combines %d groups of series; at most %d can be changed", len(e.groups), maxGroups)
	}
	if n := len(e.allSeries()); n > maxEdited {
		return formats.Errorf(formats.CodeTooLarge, "the chart has %d series; one with at most %d can be changed", n, maxEdited)
	}
	if c.Data != nil {
		if err := e.setData(c.Data); err != nil {
			return err
		}
	}
	if err := e.setTypes(c.Type, c.SeriesOptions); err != nil {
		return err
	}
	if c.Title != nil {
		e.setTitle(newlines(*c.Title))
	}
	if c.Legend != "" {
		if err := e.setLegend(c.Legend); err != nil {
			return err
		}
	}
	if err := e.setAxes(&c); err != nil {
		return err
	}
	if err := e.setGroups(c.Options); err != nil {
		return err
	}
	if err := e.setColors(c.Colors); err != nil {
		return err
	}
	if err := e.setEverySeries(c.Options); err != nil {
		return err
	}
	for _, o := range c.SeriesOptions {
		s, err := e.findSeries(string(o.Series))
		if err == nil {
			err = e.setSeries(s, o)
		}
		if err != nil {
			return err
		}
	}
	return e.flush()
}

// setEverySeries sets what an option of the chart means for each series. Where
// some series take it, the others are left as they are.
func (e *editor) setEverySeries(o Options) error {
	_, place, err := labels{place: o.LabelPosition}.check()
	if err != nil {
		return err
	}
	all := e.allSeries()
	some := func(takes func(*plotGroup) bool) bool {
		return slices.ContainsFunc(e.groups, func(g *plotGroup) bool { return len(g.series) > 0 && takes(g) })
	}
	lines := func(g *plotGroup) bool { return g.kind.linear() }
	placed := func(g *plotGroup) bool { return slices.Contains(g.labelPlaces(), place) }
	anyLine, anyPlaced := some(lines), some(placed)
	if err := checkMarkers(o.Markers); err != nil {
		return err
	}
	if !anyLine && (o.Smooth != nil || o.Markers != "") {
		e.warn("only lines are smooth or have markers, and the chart has none")
		o.Smooth, o.Markers = nil, ""
	}
	for _, s := range all {
		one := SeriesOptions{Smooth: o.Smooth, Markers: o.Markers, DataLabels: o.DataLabels, LabelPosition: o.LabelPosition, NumberFormat: o.NumberFormat}
		if anyLine && !lines(s.group) {
			one.Smooth, one.Markers = nil, ""
		}
		if anyPlaced && !placed(s.group) {
			one.LabelPosition = ""
			e.warn(fmt.Sprintf("labels of the series %s, shown as %s, cannot be at %s and stay where they are", quoted(s.name), s.group.kind, o.LabelPosition))
		}
		if err := e.setSeries(s, one); err != nil {
			return err
		}
	}
	return nil
}

// setSeries sets the options of one series.
func (e *editor) setSeries(s *plotSeries, o SeriesOptions) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if o.Color != "" {
		if err := e.setColor(s, o.Color); err != nil {
			return err
		}
	}
	if o.LineWidth != nil {
		if err := e.setWidth(s, float64(*o.LineWidth)); err != nil {
			return err
		}
	}
	points := map[int]string{}
	for _, p := range o.Points {
		if p.Point < 1 || p.Point > maxPoint {
			return formats.Errorf(formats.CodeInvalid, "point %d of the series %s is none; points are counted from 1", int(p.Point), quoted(s.name))
		}
		points[int(p.Point)-1] = p.Color
	}
	if err := e.setPoints(s, points); err != nil {
		return err
	}
	if o.Markers != "" {
		if err := e.setMarkers(s, o.Markers); err != nil {
			return err
		}
	}
	if o.Smooth != nil {
		e.setSmooth(s, bool(*o.Smooth))
	}
	if o.TrendLine != nil {
		if err := e.setTrend(s, *o.TrendLine); err != nil {
			return err
		}
	}
	if l := (labels{o.DataLabels, o.LabelPosition, o.NumberFormat}); !l.empty() {
		return e.setLabels(s, l)
	}
	return nil
}

// maxPoint bounds the number of a point, maxOptions the colours and series that
// one change sets, maxGroups and maxEdited the groups and series of a chart that is
// edited.
const (
	maxPoint   = 32_000
	maxOptions = 1000
	maxGroups  = 100
	maxEdited  = 5000
)

// setColors colours the series in order, or the slices of a round chart.
func (e *editor) setColors(colors []string) error {
	if len(colors) > maxOptions {
		return formats.Errorf(formats.CodeTooLarge, "%d colours are too many; give at most %d", len(colors), maxOptions)
	}
	all := e.allSeries()
	if len(all) > 0 && len(colors) > 0 && e.groups[0].kind.round() {
		points := map[int]string{}
		for i, c := range colors {
			points[i] = c
		}
		for _, s := range all {
			if err := e.setPoints(s, points); err != nil {
				return err
			}
		}
		return nil
	}
	for i, c := range colors {
		if i >= len(all) {
			e.warn(fmt.Sprintf("the chart has %s; colours beyond are not used", formats.Count(len(all), "series", "series")))
			break
		}
		if err := e.setColor(all[i], c); err != nil {
			return err
		}
	}
	return nil
}

// setGroups sets what holds for a whole group of series.
func (e *editor) setGroups(o Options) error {
	for _, v := range []struct {
		name, local string
		value       *int
		least, most int
		fits        func(Kind) bool
		only        string
	}{
		{"gap", "gapWidth", o.Gap.Ptr(), 0, 500, Kind.bars, "columns and bars"},
		{"overlap", "overlap", o.Overlap.Ptr(), -100, 100, Kind.bars, "columns and bars"},
		{"hole", "holeSize", o.Hole.Ptr(), 10, 90, func(k Kind) bool { return k.Name == "doughnut" }, "doughnuts"},
	} {
		if v.value == nil {
			continue
		}
		if *v.value < v.least || *v.value > v.most {
			return formats.Errorf(formats.CodeInvalid, "%s is %d; it must be from %d to %d", v.name, *v.value, v.least, v.most)
		}
		found := false
		for _, g := range e.groups {
			if v.fits(g.kind) && !(g.depth && v.local == "overlap") {
				e.set(g.n, groupSchema, v.local, e.xml(fmt.Sprintf(`<c:%s val="%d"/>`, v.local, *v.value)))
				found = true
			}
		}
		if !found {
			e.warn(fmt.Sprintf("%s applies to %s, which the chart does not have", v.name, v.only))
		}
	}
	return nil
}

// editExtended sets the title of an extended chart.
func editExtended(ctx context.Context, part []byte, c Change) ([]byte, []string, error) {
	rest := c
	rest.Title = nil
	if !rest.Empty() {
		return nil, nil, formats.Errorf(formats.CodeUnsupported, "%w; only its title can be changed here, and the cells that it shows", ErrExtended)
	}
	if c.Title == nil {
		return part, nil, nil
	}
	sc := xmlscan.New(part)
	var title, plot xmlscan.Token
	end := 0
	for sc.Next() {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start || t.Depth != 3:
		case t.Local == "title" && title.End == 0:
			title, end = t, sc.Skip()
		case t.Local == "plotArea":
			plot = t
		}
	}
	if err := sc.Err(); err != nil {
		return nil, nil, typed(err)
	}
	if plot.End == 0 {
		return nil, nil, formats.Errorf(formats.CodeUnsupported, "%w; its title has no place", ErrExtended)
	}
	if title.End == 0 {
		title.Start, end = plot.Start, plot.Start
	}
	xml := ""
	if *c.Title != "" {
		p := colon(plot.Prefix)
		xml = `<` + p + `title pos="t" align="ctr" overlay="0"><` + p + `tx><` + p + `rich>` + extendedText(newlines(*c.Title)) + `</` + p + `rich></` + p + `tx></` + p + `title>`
	}
	return xmlscan.Apply(part, []xmlscan.Splice{{Start: title.Start, End: end, New: []byte(xml)}}), nil, nil
}

// extendedText returns the body of a text in an extended chart.
func extendedText(text string) string {
	var sb strings.Builder
	sb.WriteString(`<a:bodyPr xmlns:a="` + nsA + `"/><a:lstStyle xmlns:a="` + nsA + `"/>`)
	for _, line := range strings.Split(text, "\n") {
		sb.WriteString(`<a:p xmlns:a="` + nsA + `"><a:r><a:t>` + escaped(line) + `</a:t></a:r></a:p>`)
	}
	return sb.String()
}
