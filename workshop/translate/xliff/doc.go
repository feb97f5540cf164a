// Package xliff writes and reads XLIFF 2.1 (OASIS Standard, 13 February 2018),
// the exchange format of translation tools, so that people can review and
// correct what a job translated (TR-10), and XLIFF 1.2 (OASIS Standard,
// 1 February 2008) for tools that know no other.
//
//	w, err := xliff.NewWriter(file, xliff.File{Original: "a.docx", Hash: hash, From: "en", To: "es"})
//	for _, u := range units {
//		err = w.Unit(u)
//	}
//	err = w.Close()
//
// One file is one document in one language; a unit is one segment of it. The
// numbered tags of package inline are the standard's inline codes: <1>…</1> is
// <pc id="1">…</pc>, <2/> is <ph id="2"/>. A unit's id is the segment's own,
// written so that it is a name token; what the standard has a place for stands
// there: notes, length limits (size and length restriction module), memory
// suggestions (translation candidates module), terms (glossary module), and
// the hash of the original (metadata module), which tells whether a document
// that comes back belongs to the version at hand.
//
// In 1.2 the codes are <g id="1">…</g> and <x id="2"/>, the states
// needs-translation, translated, needs-review-translation (with a remark),
// signed-off and final; the length is maxwidth, suggestions are alt-trans, the
// rest notes.
//
// Reader accepts what other tools write back: segments split or joined, codes
// as <sc/> and <ec/>, annotations, targets that are missing, any encoding, and
// extensions it doesn't know. A unit it can't take says why in Unit.Problem and
// hinders no other. Merge finds the segments that units belong to.
//
// Both work as streams: memory doesn't grow with the number of units.
package xliff
