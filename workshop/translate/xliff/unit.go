package xliff

import (
	"encoding/xml"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/internal/xmlin"
)

// metadata reads the data that NewWriter wrote into <mda:metadata>.
func (r *Reader) metadata() error {
	ours, depth := false, 1
	return r.dec.Content(nil, func(t xml.StartElement) (func() error, error) {
		if depth+1 > maxDepth {
			return nil, formats.Errorf(formats.CodeInvalid, "elements stand more than %d deep in each other", maxDepth)
		}
		switch t.Name.Local {
		case "metaGroup":
			ours = xmlin.Attr(t, "category") == "atelier"
		case "meta":
			s, err := r.dec.Text()
			if ours && err == nil {
				r.setMeta(xmlin.Attr(t, "type"), s)
			}
			return nil, err
		}
		depth++
		return func() error { depth--; return nil }, nil
	})
}

func (r *Reader) setMeta(kind, s string) {
	switch kind {
	case "sha256":
		r.file.Hash = strings.ToLower(strings.TrimSpace(s))
	case "engine":
		r.file.Engine = s
	}
}

// unit reads a unit up to its end.
func (r *Reader) unit(start xml.StartElement) (Unit, error) {
	u := Unit{ID: decodeID(xmlin.Attr(start, "id")), Locked: isLocked(start, r.path[len(r.path)-1].locked)}
	u.MaxLength, _ = strconv.Atoi(attrOf(start, nsSize, "storageRestriction"))
	var parts []part
	err := r.dec.Children(func(t xml.StartElement) (bool, error) {
		switch {
		case t.Name.Space == nsCore && t.Name.Local == "notes":
			return true, r.notes(&u)
		case t.Name.Space == nsCore && (t.Name.Local == "segment" || t.Name.Local == "ignorable"):
			p, err := r.part(t)
			parts = append(parts, p)
			return true, err
		}
		return false, nil
	})
	if err == nil {
		u.joinParts(parts)
	}
	return u, err
}

func attrOf(e xml.StartElement, space, name string) string {
	for _, a := range e.Attr {
		if a.Name.Space == space && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (r *Reader) notes(u *Unit) error {
	return r.dec.Children(func(t xml.StartElement) (bool, error) {
		s, err := r.dec.Text()
		if err == nil {
			u.addNote(xmlin.Attr(t, "category"), s)
		}
		return true, err
	})
}

// addNote adds a note of a category.
func (u *Unit) addNote(category, s string) {
	switch category {
	case placeNote:
		u.Place = s
	case partNote:
		u.Part = s
	case flagNote:
		u.Flags = append(u.Flags, s)
	default:
		u.Notes = append(u.Notes, s)
	}
}
