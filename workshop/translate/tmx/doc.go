// Package tmx reads and writes Translation Memory eXchange 1.4b (LISA OSCAR,
// 2005; GALA today), unit by unit, so that the size of a file does not matter.
//
//	r, err := tmx.NewReader(file)
//	for {
//		u, err := r.Next() // io.EOF at the end
//		for _, v := range u.Variants { … v.Lang, v.Text … }
//	}
//
// Texts have the inline tags of package tags. <bpt> with its <ept>, and <hi>,
// become <n>…</n>; <ph>, <it>, <ut> and unpaired <bpt> or <ept> become <n/>.
// Corresponding elements in all variants of a unit (by attribute x, else by i,
// else by position) have the same number. The native code inside those elements
// is dropped, and so are translations nested in it (<sub>).
//
// Versions 1.1 to 1.3 are read as well. The document type is not fetched.
package tmx

import "time"

// Unit is a translation unit (<tu>).
type Unit struct {
	ID       string // tuid
	SrcLang  string // srclang of the unit, else of the file; "*all*" if each variant may be the source
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
	Plain   bool   // its tags could not be understood and were removed
	Changed time.Time
	By      string
	Notes   []string
	Props   []Prop
}

// Prop is a property (<prop>) that a tool adds.
type Prop struct{ Type, Text string }

// Prop returns the text of the first property of a type, or "".
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

// stamp is the time format of TMX (ISO 8601, basic format, UTC).
const stamp = "20060102T150405Z"
