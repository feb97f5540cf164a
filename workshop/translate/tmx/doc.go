// Package tmx reads and writes Translation Memory eXchange 1.4b (LISA OSCAR,
// 2005; GALA today), a unit at a time, so that a file's size does not matter.
//
//	r, err := tmx.NewReader(file)
//	for {
//		u, err := r.Next() // io.EOF at the end
//		for _, v := range u.Variants { … v.Lang, v.Text … }
//	}
//
// Texts have the inline tags of package inline. Of TMX's, <bpt> with its <ept>,
// and <hi>, become <n>…</n>; <ph>, <it>, <ut> and halves without their other
// half <n/>. What stands for the same in all variants of a unit (attribute x,
// else i, else its turn) has the same number. The native code inside those
// elements is dropped, and so are translations nested in it (<sub>).
//
// Versions 1.1 to 1.3 are read as well. The document type is not fetched.
package tmx

import "time"

// Unit is a translation unit (<tu>).
type Unit struct {
	ID       string // tuid
	SrcLang  string // srclang of the unit, else of the file; "*all*" when each variant may be the source
	Changed  time.Time
	By       string // changeid, else creationid
	Notes    []string
	Props    []Prop
	Variants []Variant
}

// Variant is a unit's text in one language (<tuv>).
type Variant struct {
	Lang    string // as written: "en-US", "EN-GB"
	Text    string // with inline tags
	Plain   bool   // its tags could not be understood and were dropped
	Changed time.Time
	By      string
	Notes   []string
	Props   []Prop
}

// Prop is a property (<prop>) that a tool adds.
type Prop struct{ Type, Text string }

// Prop is the text of the first property of a type, "" when there is none.
func (u Unit) Prop(typ string) string {
	for _, p := range u.Props {
		if p.Type == typ {
			return p.Text
		}
	}
	return ""
}

// AllLanguages is the SrcLang of units that name no source language.
const AllLanguages = "*all*"

// stamp is how TMX writes times (ISO 8601, basic format, UTC).
const stamp = "20060102T150405Z"
