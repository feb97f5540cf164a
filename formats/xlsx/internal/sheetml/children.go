package sheetml

import (
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// EachChild calls f for each child of the element that raw is, with its bytes.
func EachChild(raw []byte, f func(t xmlscan.Token, raw []byte) error) error {
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Depth == 2 {
			if err := f(t, raw[t.Start:max(t.End, sc.Skip())]); err != nil {
				return err
			}
		}
	}
	return sc.Err()
}

// TextsOf returns the texts of the elements with those local names.
func TextsOf(raw []byte, locals ...string) []string {
	var out []string
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Empty {
			continue
		}
		for _, l := range locals {
			if t.Local == l {
				out = append(out, strings.TrimSpace(CharData(raw[t.End:EndTagStart(raw, sc.Skip())])))
				break
			}
		}
	}
	return out
}
