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
	ours := false
	for depth := 1; depth > 0; {
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return formats.Errorf(formats.CodeInvalid, "elements stand more than %d deep in each other", maxDepth)
			}
			switch t.Name.Local {
			case "metaGroup":
				ours = xmlin.Attr(t, "category") == "atelier"
			case "meta":
				s, err := r.dec.Text()
				if err != nil {
					return err
				}
				depth-- // Text has read the end tag
				switch kind := xmlin.Attr(t, "type"); {
				case ours && kind == "sha256":
					r.file.Hash = strings.ToLower(strings.TrimSpace(s))
				case ours && kind == "engine":
					r.file.Engine = s
				}
			}
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

// unit reads a unit up to its end.
func (r *Reader) unit(start xml.StartElement) (Unit, error) {
	u := Unit{ID: decodeID(xmlin.Attr(start, "id")), Locked: isLocked(start, r.path[len(r.path)-1].locked)}
	u.MaxLength, _ = strconv.Atoi(attrOf(start, nsSize, "storageRestriction"))
	var parts []part
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return u, err
		}
		t, ok := tok.(xml.StartElement)
		if _, end := tok.(xml.EndElement); end {
			u.joinParts(parts)
			return u, nil
		}
		switch {
		case !ok:
		case t.Name.Space == nsCore && t.Name.Local == "notes":
			err = r.notes(&u)
		case t.Name.Space == nsCore && (t.Name.Local == "segment" || t.Name.Local == "ignorable"):
			var p part
			if p, err = r.part(t); err == nil {
				parts = append(parts, p)
			}
		default:
			err = r.dec.Skip()
		}
		if err != nil {
			return u, err
		}
	}
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
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			s, err := r.dec.Text()
			if err != nil {
				return err
			}
			u.addNote(xmlin.Attr(t, "category"), s)
		}
	}
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
