package paragraph

import "atelier/internal/lazyregexp"

// Dialect lists the element names of one vocabulary.
type Dialect struct {
	space          string
	container      map[string]bool    // inline elements that hold runs
	deleted        map[string]bool    // content that is not there for a reader
	mark           map[string]bool    // points without extent: kept, not shown
	skip           map[string]bool    // properties
	through        map[string]bool    // containers that make no difference to a reader
	invisibleProps *lazyregexp.Regexp // of run properties: no difference to a reader
	spaceAttr      bool               // text elements take xml:space
	breakInRun     bool               // br is in runs, not beside them
}

func nameSet(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// Word is WordprocessingML (ECMA-376-1, 17.3).
var Word = &Dialect{
	space:     "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
	container: nameSet("hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml", "dir", "bdo"),
	deleted:   nameSet("del", "moveFrom"),
	mark: nameSet("bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "proofErr", "permStart", "permEnd",
		"moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "customXmlInsRangeStart", "customXmlInsRangeEnd",
		"customXmlDelRangeStart", "customXmlDelRangeEnd", "customXmlMoveFromRangeStart", "customXmlMoveFromRangeEnd", "customXmlMoveToRangeStart", "customXmlMoveToRangeEnd"),
	through:        nameSet("smartTag"),
	skip:           nameSet("pPr", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr"),
	invisibleProps: lazyregexp.New(`<[\w]*:?(?:lang|noProof|webHidden|snapToGrid)(?:\s[^>]*)?/>|\s[\w]*:?(?:rsid\w*|hint)="[^"]*"|(?s:<(\w*:?)rPrChange\s.*</(?:\w*:?)rPrChange>)`),
	spaceAttr:      true,
	breakInRun:     true,
}

// Drawing is DrawingML (ECMA-376-1, 21.1.2).
var Drawing = &Dialect{
	space:          "http://schemas.openxmlformats.org/drawingml/2006/main",
	container:      nameSet(),
	deleted:        nameSet(),
	mark:           nameSet(),
	skip:           nameSet("pPr", "endParaRPr"),
	invisibleProps: lazyregexp.New(`\s(?:lang|altLang|dirty|err|smtClean|noProof|smtId|bmk)="[^"]*"`),
}
