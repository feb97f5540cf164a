package chart

import (
	"strings"

	"atelier/formats/ooxml/element"
)

// The order of the children of c:chartSpace (21.2.2.29), c:chart (21.2.2.27), c:plotArea
// (21.2.2.145), groups of series (21.2.2.16 and on), series (21.2.2.170 and on),
// axes (21.2.2.25, 21.2.2.226), c:scaling (21.2.2.160), c:legend (21.2.2.93),
// c:dLbls (21.2.2.49) and c:title (21.2.2.210). Elements of several kinds share
// one list, in which the order of each of them is kept.
var (
	spaceSchema   = element.NewSchema("date1904 lang roundedCorners AlternateContent style clrMapOvr pivotSource protection chart spPr txPr externalData printSettings userShapes extLst")
	chartSchema   = element.NewSchema("title autoTitleDeleted pivotFmts view3D floor sideWall backWall plotArea legend plotVisOnly dispBlanksAs showDLblsOverMax extLst")
	plotSchema    = element.NewSchema("layout chart axis dTable spPr extLst")
	groupSchema   = element.NewSchema("wireframe barDir ofPieType radarStyle scatterStyle grouping varyColors ser dLbls dropLines gapWidth overlap splitType splitPos custSplit secondPieSize serLines gapDepth shape hiLowLines upDownBars marker smooth bubble3D bubbleScale showNegBubbles sizeRepresents firstSliceAng holeSize axId extLst")
	seriesSchema  = element.NewSchema("idx order tx spPr invertIfNegative pictureOptions marker explosion dPt dLbls trendline errBars cat xVal val yVal bubbleSize shape smooth bubble3D extLst")
	axisSchema    = element.NewSchema("axId scaling delete axPos majorGridlines minorGridlines title numFmt majorTickMark minorTickMark tickLblPos spPr txPr crossAx crosses crossesAt crossBetween auto lblAlgn lblOffset baseTimeUnit tickLblSkip tickMarkSkip noMultiLvlLbl majorUnit majorTimeUnit minorUnit minorTimeUnit dispUnits extLst")
	scalingSchema = element.NewSchema("logBase orientation max min extLst")
	legendSchema  = element.NewSchema("legendPos legendEntry layout overlay spPr txPr extLst")
	labelsSchema  = element.NewSchema("dLbl delete numFmt spPr txPr dLblPos showLegendKey showVal showCatName showSerName showPercent showBubbleSize separator showLeaderLines leaderLines extLst")
	titleSchema   = element.NewSchema("tx layout overlay spPr txPr extLst")
	pointSchema   = element.NewSchema("idx invertIfNegative marker bubble3D explosion spPr pictureOptions extLst")
	markerSchema  = element.NewSchema("symbol size spPr extLst")
	shapeSchema   = element.NewSchema("xfrm custGeom prstGeom noFill solidFill gradFill blipFill pattFill grpFill ln effectLst effectDag scene3d sp3d extLst")
	lineSchema    = element.NewSchema("noFill solidFill gradFill pattFill prstDash custDash round bevel miter headEnd tailEnd extLst")
)

// fills are the children of spPr and ln that fill.
var fills = []string{"noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"}

// schemaOf returns the order of the children of an element.
func schemaOf(n *node) *element.Schema {
	switch {
	case n.Local == "chartSpace":
		return spaceSchema
	case n.Local == "chart":
		return chartSchema
	case n.Local == "plotArea":
		return plotSchema
	case n.Local == "ser":
		return seriesSchema
	case strings.HasSuffix(n.Local, "Ax"):
		return axisSchema
	case strings.HasSuffix(n.Local, "Chart"):
		return groupSchema
	}
	return nil
}
