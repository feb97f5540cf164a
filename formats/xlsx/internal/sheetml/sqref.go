package sheetml

import (
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// CutSqrefs removes ranges from the sqref of the elements called local.
// Elements left without cells are removed; when the first cell of an element
// moves, its formulas are adjusted. touched counts the elements that changed.
func CutSqrefs(doc []byte, local string, cut []cellref.Range) (edits []xmlscan.Splice, touched int) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != local || t.Space != Namespace {
			continue
		}
		have := cellref.ParseList(t.AttrLocal("sqref"))
		left, hit := cellref.Subtract(have, cut)
		if !hit {
			continue
		}
		touched++
		end := sc.Skip()
		if len(left) == 0 {
			edits = append(edits, xmlscan.Splice{Start: t.Start, End: end})
			continue
		}
		for a := range t.Attrs() {
			if a.Name == "sqref" {
				edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(cellref.FormatList(left))})
			}
		}
		was, is := cellref.TopLeft(have), cellref.TopLeft(left)
		if was != is {
			edits = append(edits, shiftFormulas(doc[t.Start:end], t.Start, is.Row-was.Row, is.Col-was.Col)...)
		}
	}
	return edits, touched
}

// shiftFormulas moves the relative references of the formulas in an element,
// which begins at offset at.
func shiftFormulas(elem []byte, at, dr, dc int) []xmlscan.Splice {
	var edits []xmlscan.Splice
	sc := xmlscan.New(elem)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Empty || t.Local != "formula" && t.Local != "formula1" && t.Local != "formula2" {
			continue
		}
		end := EndTagStart(elem, sc.Skip())
		old := CharData(elem[t.End:end])
		if now := formula.Move(old, dr, dc); now != old {
			edits = append(edits, xmlscan.Splice{Start: at + t.End, End: at + end, New: []byte(xmlscan.Escape(now))})
		}
	}
	return edits
}
