package xliff

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/workshop/translate/xmlin"
)

// maxDepth bounds how deep elements may stand in each other.
const maxDepth = 200

// Reader reads an XLIFF document file by file and unit by unit, as an archive
// is read: NextFile, then Next until io.EOF, and so on.
type Reader struct {
	dec     *xmlin.Decoder
	srcLang string
	trgLang string
	file    File
	pending *xml.StartElement // read ahead
	path    []element         // open elements from xliff on; two or more inside a file
}

// element is what an open structural element hands down.
type element struct {
	name   string
	locked bool // translate="no"
}

// NewReader reads the beginning of r. A document that isn't XLIFF 2 is a
// CodeInvalid error that says so.
func NewReader(r io.Reader) (*Reader, error) {
	out := &Reader{dec: xmlin.NewDecoder(r)}
	for {
		tok, err := out.dec.Token()
		if err != nil {
			return nil, out.fault(err)
		}
		root, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch {
		case root.Name.Local != "xliff":
			return nil, formats.Errorf(formats.CodeInvalid, "this is not XLIFF: its first element is <%s>", root.Name.Local)
		case root.Name.Space == nsOld, strings.HasPrefix(xmlin.Attr(root, "version"), "1."):
			return nil, formats.Errorf(formats.CodeInvalid, "this is XLIFF %s; have your tool write XLIFF 2.0 or 2.1", xmlin.Attr(root, "version"))
		case root.Name.Space != nsCore:
			return nil, formats.Errorf(formats.CodeInvalid, "this is not XLIFF 2: its namespace is %q instead of %q", root.Name.Space, nsCore)
		}
		out.srcLang, out.trgLang = xmlin.Attr(root, "srcLang"), xmlin.Attr(root, "trgLang")
		if out.srcLang == "und" {
			out.srcLang = ""
		}
		out.path = []element{{name: "xliff"}}
		return out, nil
	}
}

// NextFile passes over what is left of the current file and gives the next,
// io.EOF after the last.
func (r *Reader) NextFile() (File, error) {
	for {
		if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
			return File{}, err
		} else if err != nil {
			break
		}
	}
	for len(r.path) > 0 {
		t, start, err := r.token()
		switch {
		case err != nil:
			return File{}, r.fault(err)
		case start && t.Name.Space == nsCore && t.Name.Local == "file":
			r.file = File{Original: xmlin.Attr(t, "original"), From: r.srcLang, To: r.trgLang}
			r.path = append(r.path, element{"file", locked(t, false)})
			err := r.head()
			return r.file, r.fault(err)
		case start:
			if err := r.dec.Skip(); err != nil {
				return File{}, r.fault(err)
			}
		}
	}
	return File{}, io.EOF
}

// head reads what stands in a file before its first unit or group.
func (r *Reader) head() error {
	for len(r.path) > 1 {
		t, start, err := r.token()
		switch {
		case err != nil:
			return err
		case !start:
		case t.Name.Space == nsCore && (t.Name.Local == "unit" || t.Name.Local == "group"):
			r.pending = &t
			return nil
		case t.Name.Space == nsMetadata && t.Name.Local == "metadata":
			err = r.metadata()
		default:
			err = r.dec.Skip()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Next gives the file's next unit, io.EOF after the last.
func (r *Reader) Next() (Unit, error) {
	for len(r.path) > 1 {
		t, start, err := r.token()
		up := len(r.path) - 1
		switch {
		case err != nil:
			return Unit{}, r.fault(err)
		case !start:
		case t.Name.Space == nsCore && t.Name.Local == "unit":
			u, err := r.unit(t)
			return u, r.fault(err)
		case t.Name.Space == nsCore && t.Name.Local == "group":
			if up >= maxDepth {
				return Unit{}, formats.Errorf(formats.CodeInvalid, "groups stand more than %d deep in each other", maxDepth)
			}
			r.path = append(r.path, element{"group", locked(t, r.path[up].locked)})
		default:
			err = r.dec.Skip()
		}
		if err != nil {
			return Unit{}, r.fault(err)
		}
	}
	return Unit{}, io.EOF
}

// token gives the next beginning (start) or end of an element; an end has
// left its element.
func (r *Reader) token() (t xml.StartElement, start bool, err error) {
	if r.pending != nil {
		t, r.pending = *r.pending, nil
		return t, true, nil
	}
	for {
		r.dec.Renew()
		tok, err := r.dec.Token()
		if err != nil {
			return t, false, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			return tok, true, nil
		case xml.EndElement:
			r.path = r.path[:len(r.path)-1]
			return t, false, nil
		}
	}
}

func locked(t xml.StartElement, inherited bool) bool {
	switch xmlin.Attr(t, "translate") {
	case "no":
		return true
	case "yes":
		return false
	}
	return inherited
}

// metadata takes what NewWriter left in <mda:metadata>.
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
				depth-- // Text has read the end
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
	u := Unit{ID: decodeID(xmlin.Attr(start, "id")), Locked: locked(start, r.path[len(r.path)-1].locked)}
	u.MaxLength, _ = strconv.Atoi(attrOf(start, nsSize, "storageRestriction"))
	var parts []part
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return u, err
		}
		t, ok := tok.(xml.StartElement)
		if _, end := tok.(xml.EndElement); end {
			u.join(parts)
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
			switch xmlin.Attr(t, "category") {
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
	}
}

// fault names where a document is broken.
func (r *Reader) fault(err error) error {
	var typed *formats.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typed):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return formats.Errorf(formats.CodeInvalid, "the XLIFF document ends in the middle (line %d); was it copied whole?", r.dec.Line())
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		if syntax.Msg == "unexpected EOF" {
			return r.fault(io.ErrUnexpectedEOF)
		}
		return formats.Errorf(formats.CodeInvalid, "the XLIFF document is not well-formed XML at line %d: %s", syntax.Line, syntax.Msg)
	}
	return fmt.Errorf("the XLIFF document cannot be read at line %d: %w", r.dec.Line(), err)
}

// Read reads a document with one file.
func Read(in io.Reader) (Document, error) {
	r, err := NewReader(in)
	if err != nil {
		return Document{}, err
	}
	var d Document
	if d.File, err = r.NextFile(); err != nil {
		if errors.Is(err, io.EOF) {
			err = formats.Errorf(formats.CodeInvalid, "the XLIFF document holds no file")
		}
		return d, err
	}
	for {
		u, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return d, err
		}
		d.Units = append(d.Units, u)
	}
	if more, err := r.NextFile(); err == nil {
		return d, formats.Errorf(formats.CodeInvalid, "the XLIFF document holds more than one file: %s and %s", d.Original, more.Original)
	} else if !errors.Is(err, io.EOF) {
		return d, err
	}
	return d, nil
}
