package xliff

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"atelier/formats"
	"atelier/internal/xmlin"
)

// maxDepth limits the nesting of elements.
const maxDepth = 200

// Reader reads an XLIFF document file by file and unit by unit, like an
// archive: NextFile, then Next until io.EOF, and so on.
type Reader struct {
	dec     *xmlin.Decoder
	core    string // namespace
	old     bool   // 1.1 or 1.2
	srcLang string
	trgLang string
	file    File
	pending *xml.StartElement // read ahead
	path    []element         // open elements from xliff on; two or more inside a file
}

// element has the properties that an open structural element passes to its
// children.
type element struct {
	name   string
	locked bool // translate="no"
}

// NewReader reads the beginning of r. A document that is not XLIFF 1.2 or 2
// is a CodeInvalid error.
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
		case isOld(root):
			out.old = true
		case root.Name.Space == nsOld, strings.HasPrefix(xmlin.Attr(root, "version"), "1."):
			return nil, formats.Errorf(formats.CodeInvalid, "this is XLIFF %q; have your tool write XLIFF 1.2, 2.0 or 2.1", xmlin.Attr(root, "version"))
		case root.Name.Space != nsCore:
			return nil, formats.Errorf(formats.CodeInvalid, "this is not XLIFF: its namespace is %q instead of %q or %q", root.Name.Space, nsCore, nsOld)
		}
		out.core = root.Name.Space
		out.srcLang, out.trgLang = xmlin.Attr(root, "srcLang"), xmlin.Attr(root, "trgLang")
		out.path = []element{{name: "xliff"}}
		return out, nil
	}
}

// NextFile skips the rest of the current file and returns the next, or io.EOF
// after the last.
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
		case start && r.is(t, "file"):
			r.file = r.fileOf(t)
			r.path = append(r.path, element{"file", isLocked(t, false)})
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

// is reports whether an element is that of the core with this name.
func (r *Reader) is(t xml.StartElement, name string) bool {
	return t.Name.Space == r.core && t.Name.Local == name
}

func (r *Reader) isUnit(t xml.StartElement) bool {
	return r.is(t, map[bool]string{true: "trans-unit", false: "unit"}[r.old])
}

// isGroup reports whether an element contains units and groups.
func (r *Reader) isGroup(t xml.StartElement) bool {
	return r.is(t, "group") || r.old && r.is(t, "body")
}

// fileOf returns the data in the start tag of a file; 1.2 has the languages
// there.
func (r *Reader) fileOf(t xml.StartElement) File {
	f := File{Original: xmlin.Attr(t, "original"), From: r.srcLang, To: r.trgLang}
	if r.old {
		f.Version, f.From, f.To = V12, xmlin.Attr(t, "source-language"), xmlin.Attr(t, "target-language")
	}
	if f.From == "und" {
		f.From = ""
	}
	return f
}

// head reads the elements of a file before its first unit or group.
func (r *Reader) head() error {
	for len(r.path) > 1 {
		t, start, err := r.token()
		switch {
		case err != nil:
			return err
		case !start:
		case r.isUnit(t), r.isGroup(t):
			r.pending = &t
			return nil
		case r.old && r.is(t, "header"):
			err = r.oldHeader()
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

// Next returns the file's next unit, or io.EOF after the last.
func (r *Reader) Next() (Unit, error) {
	for len(r.path) > 1 {
		t, start, err := r.token()
		up := len(r.path) - 1
		switch {
		case err != nil:
			return Unit{}, r.fault(err)
		case !start:
		case r.isUnit(t):
			read := r.unit
			if r.old {
				read = r.oldUnit
			}
			u, err := read(t)
			return u, r.fault(err)
		case r.isGroup(t):
			if up >= maxDepth {
				return Unit{}, formats.Errorf(formats.CodeInvalid, "groups stand more than %d deep in each other", maxDepth)
			}
			r.path = append(r.path, element{"group", isLocked(t, r.path[up].locked)})
		default:
			err = r.dec.Skip()
		}
		if err != nil {
			return Unit{}, r.fault(err)
		}
	}
	return Unit{}, io.EOF
}

// token returns the next start tag (start) or end tag of an element. After an
// end tag the element is closed.
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

func isLocked(t xml.StartElement, inherited bool) bool {
	switch xmlin.Attr(t, "translate") {
	case "no":
		return true
	case "yes":
		return false
	}
	return inherited
}

// fault adds where a document is malformed.
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
