package chart

import (
	"strconv"

	"atelier/formats/ooxml/xmlscan"
)

// extendedReader reads an extended chart, such as a waterfall or a treemap
// ([MS-ODRAWXML] 2.24.3): the data come first, and the series name them by id.
type extendedReader struct {
	*partReader
	data map[string]map[string]Data // by id, then type: "cat", "val", "size" …
}

func (r *extendedReader) read() {
	r.data = map[string]map[string]Data{}
	r.children(func(t xmlscan.Token) {
		switch t.Local {
		case "chartData":
			r.children(r.dataSet)
		case "chart":
			r.children(r.chartChild)
		}
	})
}

// dataSet reads a data element (2.24.3.14).
func (r *extendedReader) dataSet(t xmlscan.Token) {
	if t.Local != "data" || len(r.data) > MaxSeries {
		return
	}
	set := map[string]Data{}
	r.data[t.AttrLocal("id")] = set
	r.children(func(t xmlscan.Token) {
		if (t.Local == "strDim" || t.Local == "numDim") && len(set) < maxList {
			set[t.AttrLocal("type")] = r.dimension(t.Local == "numDim")
		}
	})
}

// dimension reads strDim or numDim (2.24.3.66, 2.24.3.44).
func (r *extendedReader) dimension(numeric bool) Data {
	d := Data{Numeric: numeric}
	var levels []Data
	r.children(func(t xmlscan.Token) {
		switch t.Local {
		case "f":
			d.Formula = r.text()
		case "lvl":
			l := Data{}
			l.Count, _ = strconv.Atoi(t.AttrLocal("ptCount"))
			l.Count = max(l.Count, 0)
			d.Format = t.AttrLocal("formatCode")
			r.children(func(t xmlscan.Token) { r.point(&l, t) })
			if len(levels) < maxList {
				levels = append(levels, l)
			}
		}
	})
	switch {
	case len(levels) == 1:
		d.Points, d.Count = levels[0].Points, levels[0].Count
	case len(levels) > 1:
		d.Points, d.Count = joinLevels(levels, 0), levels[0].Count
	}
	return d
}

// chartChild reads a child of chart (2.24.3.8).
func (r *extendedReader) chartChild(t xmlscan.Token) {
	switch t.Local {
	case "title":
		r.out.Title, r.autoTitle = r.title(), true
	case "plotArea":
		r.children(func(t xmlscan.Token) {
			switch t.Local {
			case "plotAreaRegion":
				r.children(func(t xmlscan.Token) {
					if t.Local == "series" {
						r.extendedSeries(t)
					}
				})
			case "axis":
				r.extendedAxis()
			}
		})
	}
}

// extendedSeries reads a series (2.24.3.60).
func (r *extendedReader) extendedSeries(t xmlscan.Token) {
	if len(r.out.Series) >= MaxSeries {
		r.out.SeriesOmitted++
		return
	}
	s := Plotted{Kind: extendedKind(t.AttrLocal("layoutId"))}
	r.out.addKind(s.Kind)
	r.children(func(t xmlscan.Token) {
		switch t.Local {
		case "tx":
			s.Name, s.NameRef = r.label()
		case "dataId":
			set := r.data[t.AttrLocal("val")]
			s.Categories, s.Values = set["cat"], set["val"]
			if size, ok := set["size"]; ok && s.Values.Count == 0 {
				s.Values = size
			}
			if color, ok := set["colorVal"]; ok && s.Values.Count == 0 {
				s.Values = color
			}
		}
	})
	r.out.Series = append(r.out.Series, s)
}

// extendedKind names a layout (2.24.4.16) as programs do.
func extendedKind(layout string) string {
	switch layout {
	case "boxWhisker":
		return "box and whisker"
	case "clusteredColumn":
		return "histogram"
	case "paretoLine":
		return "pareto line"
	case "regionMap":
		return "map"
	}
	return oneLine(layout)
}

// extendedAxis reads an axis (2.24.3.3).
func (r *extendedReader) extendedAxis() {
	a := Axis{Place: "value"}
	r.children(func(t xmlscan.Token) {
		switch t.Local {
		case "catScaling":
			a.Place = "category"
		case "title":
			a.Title = r.title()
		}
	})
	r.out.addAxis(a)
}
