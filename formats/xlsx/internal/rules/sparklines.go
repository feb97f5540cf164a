package rules

import (
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// SparklineGroup is a group of sparklines ([MS-XLSX] 2.6.66) in words.
type SparklineGroup struct {
	At   []string // blocks of cells that have the sparklines, such as F2:F9
	Text string   // "line sparklines of Sales!B2:E9, high marked"
}

// maxSparklineBlocks bounds the source blocks that a text names.
const maxSparklineBlocks = 5

// Sparklines says what a sparklineGroup element is.
func Sparklines(raw []byte) SparklineGroup {
	var group xmlscan.Token
	colors := map[string]string{}
	var at, sources []string
	dates := ""
	sheetml.EachStartTag(raw, func(t xmlscan.Token) bool {
		switch {
		case t.Depth == 1:
			group = t
		case strings.HasPrefix(t.Local, "color"):
			colors[t.Local] = colorText(t)
		case t.Local == "f" && t.Depth == 2:
			dates = strings.TrimSpace(sheetml.CharData(raw[t.End : t.End+sheetml.TextEnd(raw[t.End:])]))
		case t.Local == "f" || t.Local == "sqref":
			text := strings.TrimSpace(sheetml.CharData(raw[t.End : t.End+sheetml.TextEnd(raw[t.End:])]))
			if t.Local == "f" {
				sources = append(sources, text)
			} else {
				at = append(at, strings.Fields(text)...)
			}
		}
		return true
	})
	kind := map[string]string{"column": "column", "stacked": "win/loss"}[group.AttrLocal("type")]
	if kind == "" {
		kind = "line"
	}
	sources = joinBlocks(sources)
	if n := len(sources) - maxSparklineBlocks; n > 0 {
		sources = append(sources[:maxSparklineBlocks:maxSparklineBlocks], "…")
	}
	parts := []string{kind + " sparklines of " + strings.Join(sources, ", ")}
	if c := colors["colorSeries"]; c != "" {
		parts[0] += " in " + c
	}
	for _, point := range []string{"markers", "high", "low", "first", "last", "negative"} {
		if !sheetml.IsTrue(group.AttrLocal(point)) {
			continue
		}
		text := point + " marked"
		if c := colors["color"+strings.ToUpper(point[:1])+point[1:]]; c != "" {
			text += " in " + c
		}
		parts = append(parts, text)
	}
	parts = append(parts, axisTexts(group)...)
	if sheetml.IsTrue(group.AttrLocal("dateAxis")) && dates != "" {
		parts = append(parts, "dates from "+dates)
	}
	if w := group.AttrLocal("lineWeight"); w != "" && w != "0.75" {
		parts = append(parts, "line "+w+" pt")
	}
	switch group.AttrLocal("displayEmptyCellsAs") {
	case "", "zero":
		parts = append(parts, "empty cells as zero")
	case "span":
		parts = append(parts, "empty cells connected")
	}
	if sheetml.IsTrue(group.AttrLocal("displayHidden")) {
		parts = append(parts, "hidden cells shown")
	}
	if sheetml.IsTrue(group.AttrLocal("rightToLeft")) {
		parts = append(parts, "right to left")
	}
	return SparklineGroup{At: joinBlocks(at), Text: strings.Join(parts, ", ")}
}

// colorText is a colour (18.3.1.15) in words.
func colorText(t xmlscan.Token) string {
	switch {
	case t.AttrLocal("rgb") != "":
		return strings.TrimPrefix(book.Clip(t.AttrLocal("rgb"), 8), "FF")
	case t.AttrLocal("theme") != "":
		return "theme color " + book.Clip(t.AttrLocal("theme"), 4)
	}
	return ""
}

// axisTexts says the axes of a group.
func axisTexts(group xmlscan.Token) (out []string) {
	if sheetml.IsTrue(group.AttrLocal("displayXAxis")) {
		out = append(out, "axis shown")
	}
	for _, end := range []struct{ kind, value, word string }{{"minAxisType", "manualMin", "minimum"}, {"maxAxisType", "manualMax", "maximum"}} {
		switch group.AttrLocal(end.kind) {
		case "group":
			out = append(out, end.word+" the same for all")
		case "custom":
			out = append(out, end.word+" "+book.Clip(group.AttrLocal(end.value), 20))
		}
	}
	return out
}

// joinBlocks joins references that continue each other: B2:E2 and B3:E3 are B2:E3.
func joinBlocks(refs []string) (out []string) {
	var last cellref.Range
	on := ""
	for _, ref := range refs {
		sheet, rng, ok := cellref.CutSheet(ref)
		if !ok {
			sheet, rng = "", ref
		}
		r := cellref.ParseAttr(strings.ReplaceAll(rng, "$", ""))
		goes := len(out) > 0 && !r.Empty() && !last.Empty() && sheet == on &&
			(r.C1 == last.C1 && r.C2 == last.C2 && r.R1 == last.R2+1 || r.R1 == last.R1 && r.R2 == last.R2 && r.C1 == last.C2+1)
		if !goes {
			out = append(out, ref)
			last, on = r, sheet
			continue
		}
		last = cellref.Block(last.R1, last.C1, r.R2, r.C2)
		out[len(out)-1] = ref[:len(ref)-len(rng)] + last.String()
	}
	return out
}
