package chartdata

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/tree"
	"atelier/formats/xlsx"
)

// chartData is the data that a chart shall have.
type chartData struct {
	o       *openChart
	labels  []string // nil: those that there are
	numeric bool     // the labels are numbers, as the old ones are
	list    []plannedSeries
	n       int // points
	oldN    int
	block   cellBlock // where the workbook has them; block.cols is by list
	moved   bool      // to cells other than before
}

func newChartData(o *openChart, labels []string, list []plannedSeries) *chartData {
	data := &chartData{o: o, labels: labels, list: list}
	for _, s := range o.series {
		data.oldN = max(data.oldN, pointCount(s.cat), pointCount(s.val))
	}
	data.n = data.oldN
	if labels != nil {
		data.n = len(labels)
	}
	return data
}

// pointCount returns how many points a list of values has; hostile counts do
// not count.
func pointCount(n *node) int {
	out := 0
	for k := range n.All() {
		if k.Is(nsC, "ptCount") {
			out = max(out, intOr(k.Value("val"), 0))
		}
	}
	return min(out, maxPoints)
}

// check says which values do not fit the labels. Without labels and without
// points the values say how many points there are.
func (x *chartData) check() error {
	if x.labels == nil {
		for _, p := range x.list {
			if x.n == 0 && p.values != nil {
				x.n = len(p.values)
			}
		}
	}
	for i, p := range x.list {
		switch {
		case p.values != nil && len(p.values) != x.n:
			return formats.Errorf(formats.CodeInvalid, "series %d has %d values for %d categories; use null where there is none, and categories to change the labels", i+1, len(p.values), x.n)
		case p.values == nil && x.n != x.oldN:
			return formats.Errorf(formats.CodeInvalid, "the chart has %d categories and shall have %d: give the values of the series %s too", x.oldN, x.n, quote(p.name))
		}
	}
	if x.n > maxPoints {
		return formats.Errorf(formats.CodeTooLarge, "%d values are too many; a chart shows at most %d", x.n, maxPoints)
	}
	x.numeric = len(x.o.series) > 0 && isNumericList(x.o.series[0].cat)
	for _, l := range x.labels {
		if _, ok := finite(l); !ok {
			x.numeric = false
		}
	}
	if !x.numeric && x.labels != nil && x.scatter() {
		return formats.Errorf(formats.CodeInvalid, "categories are the x values of this chart and must be numbers")
	}
	return nil
}

// finite reads a number as charts store it.
func finite(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func (x *chartData) scatter() bool {
	return x.o.series[0].cat.Is(nsC, "xVal") || x.o.groups[0].Local == "scatterChart"
}

// fill takes the stored values where none were given, for cells that shall have
// them.
func (x *chartData) fill() {
	for i := range x.list {
		if p := &x.list[i]; p.values == nil {
			for _, s := range points(x.o.t, p.old.val, x.n) {
				if v, ok := finite(s); ok {
					p.values = append(p.values, &v)
				} else {
					p.values = append(p.values, nil)
				}
			}
		}
	}
	if x.labels == nil {
		x.labels = append(x.labels, points(x.o.t, x.o.series[0].cat, x.n)...)
		x.numeric = isNumericList(x.o.series[0].cat)
	}
}

// points returns the n stored texts of a list of values, "" where there is none;
// of labels in levels those of the innermost.
func points(t *tree.Tree, n *node, count int) []string {
	out := make([]string, count)
	level := 0
	for k := range n.All() {
		if k.Is(nsC, "lvl") {
			level++
		}
		if i := intOr(k.Value("idx"), -1); k.Is(nsC, "pt") && i >= 0 && i < count && level < 2 {
			out[i] = t.Text(k.Child(nsC, "v"))
		}
	}
	return out
}

// place puts the data into a sheet that has no others.
func (x *chartData) place(sheet string) {
	x.block = cellBlock{sheet: sheet, labels: 0, first: 2, n: x.n}
	for i := range x.list {
		x.block.cols = append(x.block.cols, i+1)
	}
	x.moved = true
}

// fits finds the cells for the data in the block that there is, and reports
// whether those that it grows by are empty.
func (x *chartData) fits(ctx context.Context, book formats.Source, old cellBlock) (bool, error) {
	x.block = cellBlock{sheet: old.sheet, labels: old.labels, first: old.first, n: x.n}
	if old.labels < 0 && x.labels != nil {
		return false, nil
	}
	next := old.labels
	for _, c := range old.cols {
		next = max(next, c)
	}
	for i := range x.list {
		if i < len(old.cols) {
			x.block.cols = append(x.block.cols, old.cols[i])
			continue
		}
		next++
		x.block.cols = append(x.block.cols, next)
	}
	var areas []string
	left, right := old.cols[0], old.cols[0]
	for _, col := range append([]int{max(old.labels, old.cols[0])}, old.cols...) {
		left, right = min(left, col), max(right, col)
	}
	if old.labels >= 0 {
		left = min(left, old.labels)
	}
	last := old.first + x.n - 1
	if x.n > old.n {
		areas = append(areas, fmt.Sprintf("%s%d:%s%d", columnName(left), old.first+old.n, columnName(right), last))
	}
	if len(x.list) > len(old.cols) {
		areas = append(areas, fmt.Sprintf("%s%d:%s%d", columnName(x.block.cols[len(old.cols)]), old.first-1, columnName(next), last))
	}
	for _, area := range areas {
		text, err := xlsx.Format().Reader.Read(ctx, book, formats.Selector{Sheet: old.sheet, Range: area})
		if err != nil || strings.Contains(strings.TrimSpace(text.Text), "\n") {
			return false, err
		}
	}
	x.moved = x.n != old.n || len(x.list) != len(old.cols)
	return true, nil
}

// cellWrite is a cell of set_cells.
type cellWrite struct {
	Cell  string `json:"cell"`
	Value any    `json:"value"`
	Type  string `json:"type,omitempty"`
}

// cellOps returns the operation on the workbook that writes what changed.
func (x *chartData) cellOps(old cellBlock) ([]json.RawMessage, error) {
	var cells []cellWrite
	put := func(col, row int, v any) {
		w := cellWrite{Cell: columnName(col) + strconv.Itoa(row), Value: v}
		if _, isText := v.(string); isText {
			w.Type = "text"
		}
		cells = append(cells, w)
	}
	if len(x.list) < len(old.cols) {
		x.fill()
	}
	for i, p := range x.list {
		col := x.block.cols[i]
		same := p.old != nil && i < len(x.o.series) && x.o.series[i] == p.old
		if !same || p.name != p.old.name {
			put(col, old.first-1, p.name)
		}
		for k, v := range p.values {
			if v == nil {
				put(col, old.first+k, nil)
			} else {
				put(col, old.first+k, *v)
			}
		}
	}
	if x.block.labels >= 0 {
		for k := range x.labels {
			put(x.block.labels, old.first+k, x.label(k))
		}
	}
	for i, col := range append(slices.Clone(old.cols), old.labels) {
		from := old.first + x.n
		switch {
		case col < 0:
			continue
		case i >= len(x.list) && i < len(old.cols):
			from = old.first - 1
		}
		for row := from; row < old.first+old.n && row < from+2*maxPoints; row++ {
			put(col, row, nil)
		}
	}
	if len(cells) == 0 {
		return nil, nil
	}
	op, err := json.Marshal(map[string]any{"op": "set_cells", "sheet": x.block.sheet, "cells": cells})
	return []json.RawMessage{op}, err
}

func (x *chartData) label(k int) any {
	s := x.labels[k]
	if v, ok := finite(s); ok && x.numeric {
		return v
	}
	if s == "" {
		return nil
	}
	return s
}

// sheetOps returns the operations that put the data into a new sheet of the
// workbook.
func (x *chartData) sheetOps(ctx context.Context, book formats.Source) ([]json.RawMessage, error) {
	name := ""
	for i := 1; i <= 1000 && name == ""; i++ {
		try := "Chart data"
		if i > 1 {
			try += " " + strconv.Itoa(i)
		}
		if _, err := xlsx.Format().Reader.Read(ctx, book, formats.Selector{Sheet: try, Range: "A1"}); formats.CodeOf(err) == formats.CodeNotFound {
			name = try
		} else if err != nil {
			return nil, err
		}
	}
	x.fill()
	x.place(name)
	add, err := json.Marshal(map[string]any{"op": "ensure_sheet", "sheet": name})
	if err != nil {
		return nil, err
	}
	set, err := x.rangeOp()
	return []json.RawMessage{add, set}, err
}

// rangeOp returns the operation that writes all data into an empty sheet.
func (x *chartData) rangeOp() (json.RawMessage, error) {
	head := []any{nil}
	for _, p := range x.list {
		head = append(head, p.name)
	}
	rows := [][]any{head}
	for k := range x.n {
		row := []any{x.label(k)}
		for _, p := range x.list {
			if p.values[k] == nil {
				row = append(row, nil)
			} else {
				row = append(row, *p.values[k])
			}
		}
		rows = append(rows, row)
	}
	return json.Marshal(map[string]any{"op": "set_range", "sheet": x.block.sheet, "start": "A1", "values": rows, "literal": true})
}

// series returns the series that the chart shall have.
func (x *chartData) series() []chart.NewSeries {
	var out []chart.NewSeries
	for i, p := range x.list {
		n := chart.NewSeries{Old: -1}
		for k, s := range x.o.series {
			if s == p.old {
				n.Old = k
			}
		}
		if moved := x.moved || p.old == nil; moved || p.name != p.old.name {
			if p.old == nil || p.old.n.Child(nsC, "tx") != nil || p.name != "" {
				n.NameRef = &chart.Data{Formula: x.block.ref(x.block.cols[i], x.block.first-1, 1), Count: 1, Points: []chart.Point{{Index: 0, Text: p.name}}}
			}
		}
		if x.labels != nil && x.block.labels >= 0 {
			n.Categories = &chart.Data{Formula: x.block.ref(x.block.labels, x.block.first, x.n), Numeric: x.numeric, Count: x.n}
			for k, l := range x.labels {
				if l != "" {
					n.Categories.Points = append(n.Categories.Points, chart.Point{Index: k, Text: l})
				}
			}
		}
		n.Values = chart.Data{Formula: x.block.ref(x.block.cols[i], x.block.first, x.n), Numeric: true, Count: x.n}
		for k, text := range x.texts(p) {
			if text != "" {
				n.Values.Points = append(n.Values.Points, chart.Point{Index: k, Text: text})
			}
		}
		n.Keep = n.Old >= 0 && p.values == nil && !x.moved && n.NameRef == nil && n.Categories == nil
		out = append(out, n)
	}
	return out
}

// texts returns the values of a series as charts store them.
func (x *chartData) texts(p plannedSeries) []string {
	if p.values == nil {
		return points(x.o.t, p.old.val, x.n)
	}
	out := make([]string, len(p.values))
	for k, v := range p.values {
		if v != nil {
			out[k] = strconv.FormatFloat(*v, 'g', -1, 64)
		}
	}
	return out
}
