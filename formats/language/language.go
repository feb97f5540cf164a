package language

import "golang.org/x/text/language"

// Slot is the font of a run that a script uses: Office keeps one for each of
// Latin, East Asian and complex scripts (ECMA-376-1, 17.3.2.26 and 21.1.2.3).
type Slot uint8

// The slots.
const (
	Latin Slot = iota
	EastAsian
	Complex
)

// slots maps ISO 15924 codes to font slots. A script that is absent uses the
// Latin slot and is written from left to right.
var slots = map[string]Slot{
	"Hans": EastAsian, "Hant": EastAsian, "Jpan": EastAsian, "Kore": EastAsian, "Hang": EastAsian, "Bopo": EastAsian, "Hani": EastAsian, "Kana": EastAsian, "Hira": EastAsian,
	"Arab": Complex, "Hebr": Complex, "Thaa": Complex, "Syrc": Complex, "Nkoo": Complex, "Adlm": Complex, "Rohg": Complex,
	"Deva": Complex, "Beng": Complex, "Guru": Complex, "Gujr": Complex, "Orya": Complex, "Taml": Complex, "Telu": Complex, "Knda": Complex, "Mlym": Complex, "Sinh": Complex,
	"Thai": Complex, "Laoo": Complex, "Tibt": Complex, "Mymr": Complex, "Khmr": Complex, "Mong": Complex,
}

var rightToLeftScripts = map[string]bool{"Arab": true, "Hebr": true, "Thaa": true, "Syrc": true, "Nkoo": true, "Adlm": true, "Rohg": true}

// scriptOf returns the script that a BCP 47 tag names or implies, "" of a tag
// that cannot be read.
func scriptOf(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return ""
	}
	s, _ := t.Script()
	return s.String()
}

// RightToLeft reports whether a language is written from right to left. The
// pseudo-locale ar-XB is.
func RightToLeft(tag string) bool { return rightToLeftScripts[scriptOf(tag)] }

// SlotOf returns the slot that text in a language uses.
func SlotOf(tag string) Slot { return slots[scriptOf(tag)] }

// Culture returns the tag as Office programs write it, which is with a region:
// "es" is "es-ES", "zh-Hant" is "zh-TW". A tag that names a region, or one that
// cannot be read, stays as it is.
func Culture(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	base, _ := t.Base()
	region, _ := t.Region()
	own, _ := t.Script()
	if region.String() == "ZZ" {
		return t.String()
	}
	if base.String() == "zh" || own.String() == usualScript(base) {
		return base.String() + "-" + region.String()
	}
	return base.String() + "-" + own.String() + "-" + region.String()
}

// usualScript returns the script that a language is usually written in.
func usualScript(base language.Base) string {
	s, _ := language.Make(base.String()).Script()
	return s.String()
}
