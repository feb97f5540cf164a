// Package xmlscan finds the tokens of an XML document by byte offset, so that
// an edit can replace a few bytes and keep all others as they were.
//
//	sc := xmlscan.New(part)
//	for sc.Next() {
//		if t := sc.Token(); t.Kind == xmlscan.Start && t.Is(nsW, "t") {
//			edits = append(edits, xmlscan.Splice{Start: t.End, End: sc.EndOf(t), New: text})
//		}
//	}
//	if err := sc.Err(); err != nil { … }
//	out := xmlscan.Apply(part, edits)
//
// It follows XML 1.0 and Namespaces in XML 1.0 as far as office documents use
// them: no DTD is read (a DOCTYPE is an error, which also rules out entity
// bombs), names are not checked letter by letter. Depth is limited.
// Strict OOXML namespaces (ISO/IEC 29500-1) are reported as their transitional
// counterparts (29500-4), so that callers write each name once.
package xmlscan
