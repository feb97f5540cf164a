package pptx

import (
	"strings"

	"atelier/formats/ooxml/element"
)

// The children of a:pPr (21.1.2.2.7), of a:rPr (21.1.2.3.9) and of
// p:presentation (19.2.1.26).
var (
	pPrSchema          = element.NewSchema("lnSpc spcBef spcAft buClrTx buClr buSzTx buSzPct buSzPts buFontTx buFont buNone buAutoNum buChar buBlip tabLst defRPr extLst")
	rPrSchema          = element.NewSchema("ln noFill solidFill gradFill blipFill pattFill grpFill effectLst effectDag highlight uLnTx uLn uFillTx uFill latin ea cs sym hlinkClick hlinkMouseOver rtl extLst")
	presentationSchema = element.NewSchema("sldMasterIdLst notesMasterIdLst handoutMasterIdLst sldIdLst sldSz notesSz smartTags embeddedFontLst custShowLst photoAlbum custDataLst kinsoku defaultTextStyle modifyVerifier extLst")
)

// paraProps and runProps return the properties of a paragraph and of a run from
// their XML; name is theirs where raw is empty.
func paraProps(raw []byte, name string) *element.Element {
	return element.Parse(raw, name, pPrSchema)
}

func runProps(raw []byte, name string) *element.Element {
	return element.Parse(raw, name, rPrSchema)
}

// putChild sets a child of e. raw is written with the prefix a:, for which it
// gets that of e.
func putChild(e *element.Element, local, raw string, instead ...string) {
	e.Set(local, reprefix(raw, "p", strings.TrimSuffix(e.Prefix(), ":")), instead...)
}
