package pptx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// elementNames are the words of elements whose own names do not say it.
var elementNames = map[string]string{
	"effectLst": "effects", "effectDag": "effects", "outerShdw": "outer shadow", "innerShdw": "inner shadow", "prstShdw": "shadow", "softEdge": "soft edges",
	"scene3d": "3-D scene", "sp3d": "3-D shape", "extLst": "extension data", "ext": "extension", "style": "style from the theme", "bodyPr": "text area",
	"lstStyle": "styles of the levels", "ln": "line", "solidFill": "solid fill", "gradFill": "gradient", "pattFill": "pattern", "blipFill": "picture fill",
	"noFill": "no fill", "grpFill": "fill of the group", "prstGeom": "form", "custGeom": "drawn form", "avLst": "adjustments", "gd": "guide", "blip": "picture", "srcRect": "crop",
	"showPr": "show settings", "prnPr": "print settings", "htmlPubPr": "web publishing", "webPr": "web settings", "clrMru": "recent colours",
	"normalViewPr": "normal view", "slideViewPr": "slide view", "outlineViewPr": "outline view", "notesTextViewPr": "notes view", "notesViewPr": "notes page view", "sorterViewPr": "slide sorter", "gridSpacing": "grid",
	"kiosk": "shown at a kiosk", "present": "presented by a speaker", "browse": "browsed by a person", "sldAll": "all slides", "sldRg": "range of slides", "penClr": "pen colour",
	"defaultTextStyle": "default text style", "photoAlbum": "photo album", "custDataLst": "custom data", "kinsoku": "line breaking rules", "smartTags": "smart tags",
	"titleStyle": "title style", "bodyStyle": "body style", "otherStyle": "style of other text", "clrMap": "colour map", "clrMapOvr": "colour map", "hf": "headers and footers",
	"transition": "transition", "timing": "animation", "spLocks": "locks", "picLocks": "locks", "grpSpLocks": "locks", "cxnSpLocks": "locks", "graphicFrameLocks": "locks",
	"legend": "legend", "catAx": "category axis", "valAx": "value axis", "dateAx": "date axis", "serAx": "series axis", "dLbls": "data labels", "plotVisOnly": "only visible cells plotted",
	"dispBlanksAs": "empty cells", "autoTitleDeleted": "title left out", "txPr": "text format", "spPr": "format", "layout": "arrangement", "externalData": "data sheet", "userShapes": "drawing on top",
	"varyColors": "colour by point", "gapWidth": "gap between bars", "overlap": "overlap of bars", "tblPr": "table style options", "tableStyleId": "table style", "stCxn": "starts at", "endCxn": "ends at",
	"nvGrpSpPr": "names of the slide's root", "grpSpPr": "place of the slide's root", "cNvPr": "identity", "contentPart": "ink", "controls": "controls", "headEnd": "arrow at the start", "tailEnd": "arrow at the end",
	"prstDash": "dashes", "style2": "style", "creationId": "id of its creation", "decorative": "decorative", "svgBlip": "vector picture", "lum": "brightness", "duotone": "two colours", "grayscl": "grey", "alphaModFix": "transparency",
	"biLevel": "black and white", "clrChange": "a colour made transparent", "tileRect": "tiles", "stretch": "stretched", "fillRect": "filled area", "embeddedFont": "embedded font",
}

// elementName returns a word or two for an element: "outerShdw" is "outer
// shadow".
func elementName(local string) string {
	if w := elementNames[local]; w != "" {
		return w
	}
	return splitCapitals(local)
}

// splitCapitals parts a name at its capitals: "showMasterSp" is "show master sp".
func splitCapitals(name string) string {
	var sb strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			sb.WriteByte(' ')
		}
		sb.WriteRune(unicode.ToLower(r))
	}
	return sb.String()
}

// cm says a length in EMU in centimetres.
func cm(emu float64) string {
	return strconv.FormatFloat(math.Round(emu/360000*100)/100, 'f', -1, 64)
}

// hundredths says a value in hundredths: of points, of percent.
func hundredths(s string, of float64) string {
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil {
		return s
	}
	if strings.HasSuffix(s, "%") {
		return s
	}
	return strconv.FormatFloat(math.Round(f/of*100)/100, 'f', -1, 64)
}

func inPercent(s string) string { return strings.TrimSuffix(hundredths(s, 1000), "%") + "%" }

func points(s string) string { return hundredths(s, 100) + " pt" }

// degrees says an angle (20.1.10.3).
func degrees(s string) string { return hundredths(s, 60000) + "°" }

// plainColors are the names of colours by their value.
var plainColors = func() map[string]string {
	out := map[string]string{"FF0000": "red", "00FF00": "bright green"}
	for name, rgb := range namedColors {
		if name != "grey" && out[rgb] == "" {
			out[rgb] = name
		}
	}
	return out
}()

var schemeNames = map[string]string{"bg1": "the background colour", "tx1": "the text colour", "bg2": "the second background colour", "tx2": "the second text colour", "lt1": "the light colour", "dk1": "the dark colour", "lt2": "the second light colour", "dk2": "the second dark colour", "hlink": "the colour of links", "folHlink": "the colour of visited links", "phClr": "the style's colour"}

func hexName(rgb string) string {
	rgb = strings.ToUpper(rgb)
	if w := plainColors[rgb]; w != "" {
		return w
	}
	return "#" + rgb
}

// colorWords says the colour in a fill, a line, an effect (20.1.2.3).
func colorWords(parent *node) string {
	for c := range parent.Kids() {
		val, out := c.Value("val"), ""
		switch c.Local {
		case "srgbClr":
			out = hexName(val)
		case "schemeClr":
			if out = schemeNames[val]; out == "" {
				out = val
			}
		case "sysClr":
			out = hexName(c.Value("lastClr"))
		case "prstClr":
			out = splitCapitals(val)
		case "scrgbClr", "hslClr":
			out = "a colour"
			for a := range c.Attributes() {
				out += " " + a.Name + " " + a.Value()
			}
		default:
			continue
		}
		var mods []string
		for m := range c.Kids() {
			word := splitCapitals(m.Local)
			if w := colorMods[m.Local]; w != "" {
				word = w
			}
			if v := m.Value("val"); v != "" {
				word += " " + inPercent(v)
			}
			mods = append(mods, word)
		}
		if len(mods) > 0 {
			out += " (" + strings.Join(mods, ", ") + ")"
		}
		return out
	}
	return "no colour"
}

var colorMods = map[string]string{"lumMod": "brightness", "lumOff": "brightness +", "alpha": "opacity", "satMod": "saturation"}

func isFill(n *node) bool {
	switch n.Local {
	case "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill":
		return n.Space == nsA
	}
	return false
}

func (p *page) fillWords(n *node) string {
	switch n.Local {
	case "noFill":
		return "none"
	case "solidFill":
		return colorWords(n)
	case "gradFill":
		var stops []string
		for gs := range n.Child(nsA, "gsLst").Kids() {
			stops = append(stops, colorWords(gs))
		}
		return "gradient " + clip(strings.Join(stops, " → "), 100)
	case "pattFill":
		return "pattern " + n.Value("prst") + " of " + colorWords(n.Child(nsA, "fgClr")) + " on " + colorWords(n.Child(nsA, "bgClr"))
	case "blipFill":
		return p.blipWords(n.Child(nsA, "blip"))
	case "grpFill":
		return "that of the group"
	}
	return elementName(n.Local)
}

// lineWords says an outline (20.1.2.2.24).
func (p *page) lineWords(n *node) string {
	var out []string
	if w := n.Value("w"); w != "" {
		out = append(out, hundredths(w, 12700)+" pt")
	}
	for k := range n.Kids() {
		switch {
		case isFill(k):
			out = append(out, p.fillWords(k))
		case k.Local == "prstDash":
			out = append(out, "dashes "+splitCapitals(k.Value("val")))
		case k.Local == "headEnd" || k.Local == "tailEnd":
			typ := k.Value("type")
			if typ == "" || typ == "none" {
				typ = "none"
			}
			out = append(out, elementName(k.Local)+" "+typ)
		case k.Local == "round" || k.Local == "bevel" || k.Local == "miter":
			out = append(out, k.Local+" corners")
		default:
			out = append(out, elementName(k.Local))
		}
	}
	if len(out) == 0 {
		return "as the style has it"
	}
	return strings.Join(out, ", ")
}

func quoted(s string) string { return "“" + clip(oneLine(s), 80) + "”" }

func frameWords(f frame) string {
	return fmt.Sprintf("%s cm from the left, %s cm from the top; %s × %s cm", cm(f.x), cm(f.y), cm(f.w), cm(f.h))
}
