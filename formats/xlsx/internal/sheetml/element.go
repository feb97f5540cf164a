package sheetml

import "atelier/formats/ooxml/xmlscan"

// IsOn reports whether xml is an on/off element such as <b/> that is not
// switched off by val="0"; "" is none.
func IsOn(xml string) bool {
	val := AttrOf([]byte(xml), "val")
	return xml != "" && (val == "" || IsTrue(val))
}

// AttrOf returns an attribute of the element that raw begins with.
func AttrOf(raw []byte, name string) string {
	sc := xmlscan.New(raw)
	if sc.Next() {
		v, _ := sc.Token().Attr(name)
		return v
	}
	return ""
}
