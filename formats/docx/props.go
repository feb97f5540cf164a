package docx

import (
	"strings"

	"atelier/formats/ooxml/element"
)

// The children of CT_PPr, CT_RPr and CT_TblPr (ECMA-376-1, 17.3.1.26, 17.3.2.28,
// 17.4.60), of CT_TcPr and CT_TrPr (17.4.70, 17.4.82), of CT_SectPr (17.6.17).
var (
	pPrSchema    = element.NewSchema("pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange")
	rPrSchema    = element.NewSchema("ins del moveFrom moveTo rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange")
	tblPrSchema  = element.NewSchema("tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription tblPrChange")
	tcPrSchema   = element.NewSchema("cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark headers cellIns cellDel cellMerge tcPrChange")
	trPrSchema   = element.NewSchema("cnfStyle divId gridBefore gridAfter wBefore wAfter cantSplit trHeight tblHeader tblCellSpacing jc hidden ins del trPrChange")
	sectPrSchema = element.NewSchema("headerReference footerReference footnotePr endnotePr type pgSz pgMar paperSrc pgBorders lnNumType pgNumType cols formProt vAlign noEndnote titlePg textDirection bidi rtlGutter docGrid printerSettings sectPrChange")
)

// settingsSchema has the children of CT_Settings (17.15.1.78).
var settingsSchema = element.NewSchema(`
	writeProtection view zoom removePersonalInformation removeDateAndTime doNotDisplayPageBoundaries displayBackgroundShape
	printPostScriptOverText printFractionalCharacterWidth printFormsData embedTrueTypeFonts embedSystemFonts saveSubsetFonts
	saveFormsData mirrorMargins alignBordersAndEdges bordersDoNotSurroundHeader bordersDoNotSurroundFooter gutterAtTop
	hideSpellingErrors hideGrammaticalErrors activeWritingStyle proofState formsDesign attachedTemplate linkStyles
	stylePaneFormatFilter stylePaneSortMethod documentType mailMerge revisionView trackRevisions doNotTrackMoves
	doNotTrackFormatting documentProtection autoFormatOverride styleLockTheme styleLockQFSet defaultTabStop autoHyphenation
	consecutiveHyphenLimit hyphenationZone doNotHyphenateCaps showEnvelope summaryLength clickAndTypeStyle defaultTableStyle
	evenAndOddHeaders bookFoldRevPrinting bookFoldPrinting bookFoldPrintingSheets drawingGridHorizontalSpacing
	drawingGridVerticalSpacing displayHorizontalDrawingGridEvery displayVerticalDrawingGridEvery
	doNotUseMarginsForDrawingGridOrigin drawingGridHorizontalOrigin drawingGridVerticalOrigin doNotShadeFormData
	noPunctuationKerning characterSpacingControl printTwoOnOne strictFirstAndLastChars noLineBreaksAfter noLineBreaksBefore
	savePreviewPicture doNotValidateAgainstSchema saveInvalidXml ignoreMixedContent alwaysShowPlaceholderText
	doNotDemarcateInvalidXml saveXmlDataOnly useXSLTWhenSaving saveThroughXslt showXMLTags alwaysMergeEmptyNamespace
	updateFields hdrShapeDefaults footnotePr endnotePr compat docVars rsids mathPr attachedSchema themeFontLang
	clrSchemeMapping doNotIncludeSubdocsInStats doNotAutoCompressPictures forceUpgrade captions readModeInkLockDown
	smartTagType schemaLibrary shapeDefaults doNotEmbedSmartTags decimalSymbol listSeparator`)

// The properties of paragraphs, runs, tables, rows, cells and sections from
// their XML; "" gives empty ones with that prefix.
func paraProps(raw, prefix string) *element.Element {
	return element.Parse(raw, prefix+"pPr", pPrSchema)
}

func runProps(raw, prefix string) *element.Element {
	return element.Parse(raw, prefix+"rPr", rPrSchema)
}

func tableProps(raw, prefix string) *element.Element {
	return element.Parse(raw, prefix+"tblPr", tblPrSchema)
}

func rowProps(raw, prefix string) *element.Element {
	return element.Parse(raw, prefix+"trPr", trPrSchema)
}

func cellProps(raw, prefix string) *element.Element {
	return element.Parse(raw, prefix+"tcPr", tcPrSchema)
}

func sectProps(raw, prefix string) *element.Element {
	return element.Parse(raw, prefix+"sectPr", sectPrSchema)
}

// setVal sets a child whose only attribute is val; "" drops it.
func setVal(p *element.Element, name, val string) {
	if val == "" {
		p.Drop(name)
		return
	}
	c := element.Parse("", p.Prefix()+name, nil)
	c.SetAttr(p.Prefix()+"val", val)
	p.Set(name, c.String())
}

// setFlag sets an on/off child (17.17.4).
func setFlag(p *element.Element, name string, on bool) {
	c := element.Parse("", p.Prefix()+name, nil)
	if !on {
		c.SetAttr(p.Prefix()+"val", "0")
	}
	p.Set(name, c.String())
}

// attr is an attribute to set; an empty value drops it.
type attr struct{ name, val string }

// setAttrs sets attributes of a child and keeps its others; a child without
// any is dropped.
func setAttrs(p *element.Element, name string, set ...attr) {
	c := element.Parse(p.Get(name), p.Prefix()+name, nil)
	for _, a := range set {
		if a.val == "" {
			c.DropAttrs(p.Prefix() + a.name)
		} else {
			c.SetAttr(p.Prefix()+a.name, a.val)
		}
	}
	if c.Empty() {
		p.Drop(name)
		return
	}
	p.Set(name, c.String())
}

// side returns a side of the page in the words of the document: strict ones
// (ISO/IEC 29500-1) have start and end for left and right.
func side(name string, strict bool) string {
	switch {
	case strict && name == "left":
		return "start"
	case strict && name == "right":
		return "end"
	}
	return name
}

// prefixOf returns the prefix, with colon, of the element that xml begins with.
func prefixOf(xml string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(xml, "<"), ">")
	name, _, _ = strings.Cut(name, " ")
	return name[:strings.IndexByte(name, ':')+1]
}
