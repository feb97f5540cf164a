// Package terms has the rules for translating certain expressions: a glossary of
// terms, read from CSV or TBX, and patterns for text that stays unchanged
// (TR-05).
//
//	g, err := terms.Load("legal.csv")
//	for _, t := range g.In("The <1>Seller</1> delivers the goods.", "es") {
//		// t.Source "seller", t.Target "parte vendedora"
//	}
//
// A term matches whole words, longest term first: in "purchase price", "price" is
// not found. A plural s or es may follow if the source language has such plurals.
// In scripts written without spaces a term matches anywhere. Case is ignored
// except for terms marked as case-sensitive and for acronyms ("IT" is not "it").
//
// A nil *Glossary and a nil *Protected are empty.
package terms
