// Package xliff writes and reads XLIFF 2.1 (OASIS Standard, 13 February 2018),
// the exchange format of translation tools, so that people can review and
// correct the translations of a job (TR-10). It also supports XLIFF 1.2 (OASIS
// Standard, 1 February 2008) for tools without 2.1.
//
//	w, err := xliff.NewWriter(file, xliff.File{Original: "a.docx", Hash: hash, From: "en", To: "es"})
//	for _, u := range units {
//		err = w.Unit(u)
//	}
//	err = w.Close()
//
// One file is one document in one language; a unit is one segment of it. The
// numbered tags of package tags become the standard's inline codes: <1>…</1> is
// <pc id="1">…</pc>, <2/> is <ph id="2"/>. A unit's id is the id of the segment,
// encoded as a name token. Data for which the standard has elements uses those:
// notes, length limits (size and length restriction module), suggestions of the
// memory (translation candidates module), terms (glossary module), and the hash
// of the original (metadata module), which tells whether a returned document
// belongs to the current version.
//
// In 1.2 the codes are <g id="1">…</g> and <x id="2"/>, and the states are
// needs-translation, translated, needs-review-translation (with a remark),
// signed-off and final. The length limit is maxwidth, suggestions are alt-trans,
// everything else notes.
//
// Reader accepts the changes that other tools make: segments split or joined,
// codes as <sc/> and <ec/>, annotations, missing targets, other encodings, and
// unknown extensions. A unit that it cannot use has the reason in Unit.Problem
// and does not affect the others. Merge finds the segments of units.
//
// Reader and Writer are streams: memory does not grow with the number of units.
package xliff
