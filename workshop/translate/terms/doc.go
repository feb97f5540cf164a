// Package terms holds what a translation must say in a certain way: a glossary
// of terms, read from CSV or TBX, and patterns of what stays as it is (TR-05).
//
//	g, err := terms.Load("legal.csv")
//	for _, t := range g.In("The <1>Seller</1> delivers the goods.", "es") {
//		// t.Source "seller", t.Target "parte vendedora"
//	}
//
// A glossary's text is found as whole words, longest term first: where
// "purchase price" stands, "price" is not found. A plural's s or es may follow
// where the source language has such. In scripts written without
// blanks a term is found wherever its letters stand. Case does not matter but
// for terms marked so and for acronyms ("IT" is not "it").
//
// A nil *Glossary and a nil *Protected hold nothing.
package terms
