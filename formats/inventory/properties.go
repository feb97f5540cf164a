package inventory

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/textclip"
)

// propertyParts hold the properties of a document (ECMA-376-2 clause 8, ECMA-376-1
// 22.2 and 22.3).
var propertyParts = []string{"docProps/core.xml", "docProps/app.xml", "docProps/custom.xml"}

// AddProperties adds the document's properties: title, author, company, custom
// ones. Their places are those that office programs use.
func (in *Inventory) AddProperties(ctx context.Context) error {
	for _, part := range propertyParts {
		if !in.pkg.Has(part) {
			continue
		}
		in.Cover(part)
		doc, err := in.pkg.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		sc := xmlscan.New(doc)
		for sc.Next() {
			t := sc.Token()
			if t.Kind != xmlscan.Start || t.Depth != 2 {
				continue
			}
			name := t.AttrLocal("name")
			if name == "" {
				name = t.Local
			}
			elem := doc[t.Start:max(t.End, sc.Skip())]
			sum, err := Canonicalizer{}.Element(withNamespaces(doc, elem))
			if err != nil {
				return err
			}
			in.Add(Item{Kind: formats.FactProperty, Key: part + " " + name, At: "document properties", Text: name + " “" + textclip.Head(plainText(elem), 200) + "”", Sum: sum})
		}
		if err := sc.Err(); err != nil {
			return err
		}
	}
	return nil
}

// withNamespaces puts an element into the root it came from, so that its
// prefixes are bound.
func withNamespaces(doc, elem []byte) []byte {
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			root := append([]byte{}, doc[t.Start:t.End]...)
			if t.Empty {
				return root
			}
			name := t.Local
			if t.Prefix != "" {
				name = t.Prefix + ":" + t.Local
			}
			return append(append(root, elem...), []byte("</"+name+">")...)
		}
	}
	return elem
}

// Fragment returns the Sum of elem, an element that stands somewhere in doc.
func (c Canonicalizer) Fragment(doc, elem []byte) (Sum, error) {
	return c.Element(withNamespaces(doc, elem))
}

// plainText returns the character data of an element, its parts separated by
// blanks.
func plainText(elem []byte) string {
	var out []string
	sc := xmlscan.New(elem)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Text || t.Kind == xmlscan.CData {
			if s := strings.TrimSpace(textOf(t)); s != "" {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, " ")
}
