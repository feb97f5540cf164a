package opc

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// Strict reports whether the package uses the strict namespaces and
// relationship types (ISO/IEC 29500-1, annex A). What an edit adds must be
// written in them too, see [xmlscan.Strict].
func (p *Package) Strict(ctx context.Context) bool {
	if !p.Has(RelsName("")) {
		return false
	}
	doc, err := p.ReadXML(ctx, RelsName(""))
	return err == nil && bytes.Contains(doc, []byte("http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument"))
}

// NewName returns the first name that no part has; pattern holds one %d,
// counted from 1, such as "word/media/image%d.png". A pattern without %d is
// used unchanged when that name is free.
func (e *Edit) NewName(pattern string) string {
	if !strings.Contains(pattern, "%d") {
		if !e.Has(pattern) {
			return pattern
		}
		ext := path.Ext(pattern)
		pattern = strings.TrimSuffix(pattern, ext) + "%d" + ext
	}
	for i := 1; ; i++ {
		if name := fmt.Sprintf(pattern, i); !e.Has(name) {
			return name
		}
	}
}

// AddPart adds a part under a new name and a relationship from source to it.
// A contentType that its extension already has by default is not declared
// again; extensions of media get a default of their own.
func (e *Edit) AddPart(ctx context.Context, source, pattern, relType, contentType string, data []byte) (name, relID string, err error) {
	name = e.NewName(pattern)
	e.Set(name, data)
	if err := e.DeclareType(ctx, name, contentType); err != nil {
		return "", "", err
	}
	relID, err = e.AddRel(ctx, source, Relationship{Type: relType, Target: name})
	return name, relID, err
}

// DeclareType makes contentType the media type of a part: by what its
// extension has, by a default for an extension that has none and is not xml,
// or by an override.
func (e *Edit) DeclareType(ctx context.Context, name, contentType string) error {
	doc, err := e.ReadXML(ctx, contentTypesName)
	if err != nil {
		return err
	}
	types, err := parseContentTypes(doc)
	if err != nil {
		return err
	}
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	switch have := types.typeOf(name); {
	case have == contentType:
		return nil
	case have == "" && ext != "" && ext != "xml":
		return e.insertFirst(ctx, contentTypesName, "Types", fmt.Sprintf(`Default Extension="%s" ContentType="%s"/>`, xmlscan.Escape(ext), contentType))
	}
	return e.AddContentType(ctx, name, contentType)
}

// insertFirst puts an element (given without its '<' and prefix) after the
// start tag of the root element, in the root's own prefix.
func (e *Edit) insertFirst(ctx context.Context, name, root, elem string) error {
	doc, err := e.ReadXML(ctx, name)
	if err != nil {
		return err
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth != 1 || t.Empty {
			continue
		}
		prefix := ""
		if t.Prefix != "" {
			prefix = t.Prefix + ":"
		}
		e.Set(name, xmlscan.Apply(doc, []xmlscan.Splice{{Start: t.End, End: t.End, New: []byte("<" + prefix + elem)}}))
		return nil
	}
	return e.insertLast(ctx, name, root, elem)
}
