package opc

import (
	"archive/zip"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// Edit collects changes to a package. It is not safe for concurrent use.
type Edit struct {
	pkg     *Package
	changed map[string]func(io.Writer) error // by folded name; nil: removed
	data    map[string][]byte                // what Set gave, for Read
	patches map[string]patchedPart
	added   []string // new parts in order, as named
	level   int
	edits   int             // how often a part was set or removed
	store   map[string]bool // changed parts that are not deflated; see StorePlain
	deflate map[string]bool // parts that are deflated also where they stay; see Deflate
}

// Edit starts an edit of p.
func (p *Package) Edit() *Edit {
	return &Edit{pkg: p, changed: map[string]func(io.Writer) error{}, data: map[string][]byte{}, patches: map[string]patchedPart{}, level: flate.DefaultCompression}
}

// NewEdit starts a package from nothing.
func NewEdit() *Edit {
	e := (&Package{src: formats.FromBytes("new", nil), outer: formats.FromBytes("new", nil), zr: &zip.Reader{}, byName: map[string]*zip.File{}}).Edit()
	e.Set(contentTypesName, []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<Types xmlns="`+nsContentTypes+`"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`))
	return e
}

// Package returns the package being edited, as it was before the edit.
func (e *Edit) Package() *Package { return e.pkg }

// Fast makes Write compress little, for a package that is read once and dropped.
func (e *Edit) Fast() { e.level = flate.BestSpeed }

// Set replaces or adds a part.
func (e *Edit) Set(name string, data []byte) {
	e.SetStream(name, func(w io.Writer) error { _, err := w.Write(data); return err })
	e.data[foldName(name)] = data
}

// SetStream replaces or adds a part whose bytes write produces at Write time.
func (e *Edit) SetStream(name string, write func(io.Writer) error) {
	name = strings.TrimPrefix(name, "/")
	k := foldName(name)
	if _, again := e.changed[k]; !again && !e.pkg.Has(name) {
		e.added = append(e.added, name)
	}
	delete(e.data, k)
	delete(e.patches, k)
	e.changed[k] = write
	e.edits++
}

// Remove drops a part. The caller must remove its relationships part, its
// content type override and the relationships to it.
func (e *Edit) Remove(name string) {
	k := foldName(name)
	delete(e.data, k)
	delete(e.patches, k)
	e.changed[k] = nil
	e.edits++
}

// Has reports whether the part will exist after the edit.
func (e *Edit) Has(name string) bool {
	if w, ok := e.changed[foldName(name)]; ok {
		return w != nil
	}
	return e.pkg.Has(name)
}

// Changed reports whether the edit changes anything.
func (e *Edit) Changed() bool { return len(e.changed) > 0 }

// Edits counts how often a part was set or removed so far.
func (e *Edit) Edits() int { return e.edits }

// ReadXML returns a part as it is in the edit, in UTF-8. A part set as a stream
// cannot be read back.
func (e *Edit) ReadXML(ctx context.Context, name string) ([]byte, error) {
	if w, ok := e.changed[foldName(name)]; ok {
		if d, ok := e.data[foldName(name)]; ok && w != nil {
			return d, nil
		}
		return nil, fmt.Errorf("opc: the part %q was removed or is a stream", name)
	}
	return e.pkg.ReadXML(ctx, name)
}

// Rels lists the relationships of source as they are in the edit.
func (e *Edit) Rels(ctx context.Context, source string) ([]Relationship, error) {
	if _, changed := e.changed[foldName(RelsName(source))]; !changed {
		return e.pkg.Rels(ctx, source)
	}
	return relsOf(ctx, e, source)
}

// AddRel adds a relationship from source and returns its new id. r.Target is a
// part name, or a URI with r.External; r.ID is ignored.
func (e *Edit) AddRel(ctx context.Context, source string, r Relationship) (string, error) {
	name := RelsName(source)
	if !e.Has(name) {
		e.Set(name, []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<Relationships xmlns="`+nsRels+`"></Relationships>`))
		if err := e.declareRels(ctx, name); err != nil {
			return "", err
		}
	}
	rels, err := e.Rels(ctx, source)
	if err != nil {
		return "", err
	}
	r.ID = nextRelID(rels)
	if e.pkg.Strict(ctx) {
		r.Type = xmlscan.Strict(r.Type)
	}
	return r.ID, e.insertLast(ctx, name, "Relationships", relXML(r, source))
}

// declareRels declares the media type of a new relationships part where the
// package has no default for it, as some producers leave it out.
func (e *Edit) declareRels(ctx context.Context, name string) error {
	doc, err := e.ReadXML(ctx, contentTypesName)
	if err != nil {
		return err
	}
	types, err := parseContentTypes(doc)
	if err != nil || types.typeOf(name) != "" {
		return err
	}
	return e.AddContentType(ctx, name, "application/vnd.openxmlformats-package.relationships+xml")
}

// RemoveRel drops the relationship with that id from source.
func (e *Edit) RemoveRel(ctx context.Context, source, id string) error {
	return e.dropElement(ctx, RelsName(source), "Relationship", func(t xmlscan.Token) bool { return t.AttrLocal("Id") == id })
}

// AddContentType declares the media type of one part.
func (e *Edit) AddContentType(ctx context.Context, part, contentType string) error {
	if err := e.RemoveContentType(ctx, part); err != nil {
		return err
	}
	return e.insertLast(ctx, contentTypesName, "Types", fmt.Sprintf(`Override PartName="/%s" ContentType="%s"/>`, xmlscan.Escape(strings.TrimPrefix(part, "/")), contentType))
}

// RemovePart drops a part with its relationships part and the declarations of both. The
// caller must remove the relationships to it.
func (e *Edit) RemovePart(ctx context.Context, part string) error {
	for _, name := range []string{part, RelsName(part)} {
		if !e.Has(name) {
			continue
		}
		e.Remove(name)
		if err := e.RemoveContentType(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// RemoveContentType drops the declaration of one part, if there is one.
func (e *Edit) RemoveContentType(ctx context.Context, part string) error {
	return e.dropElement(ctx, contentTypesName, "Override", func(t xmlscan.Token) bool { return foldName(t.AttrLocal("PartName")) == foldName(part) })
}

// insertLast puts an element (given without its '<' and prefix) before the end
// tag of the root element, in the root's own prefix.
func (e *Edit) insertLast(ctx context.Context, name, root, elem string) error {
	doc, err := e.ReadXML(ctx, name)
	if err != nil {
		return err
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Depth != 1 || t.Local != root {
			continue
		}
		prefix := t.Prefix
		if prefix != "" {
			prefix += ":"
		}
		switch {
		case t.Kind == xmlscan.Start && t.Empty:
			open := strings.TrimSuffix(strings.TrimRight(string(t.Bytes()), ">"), "/") + ">"
			e.Set(name, xmlscan.Apply(doc, []xmlscan.Splice{{Start: t.Start, End: t.End, New: []byte(open + "<" + prefix + elem + "</" + prefix + root + ">")}}))
			return nil
		case t.Kind == xmlscan.End:
			e.Set(name, xmlscan.Apply(doc, []xmlscan.Splice{{Start: t.Start, End: t.Start, New: []byte("<" + prefix + elem)}}))
			return nil
		}
	}
	if err := sc.Err(); err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", name, err)
	}
	return formats.Errorf(formats.CodeCorrupt, "%s has no <%s>", name, root)
}

func (e *Edit) dropElement(ctx context.Context, name, local string, match func(xmlscan.Token) bool) error {
	if !e.Has(name) {
		return nil
	}
	doc, err := e.ReadXML(ctx, name)
	if err != nil {
		return err
	}
	var cut []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == local && match(t) {
			cut = append(cut, xmlscan.Splice{Start: t.Start, End: sc.Skip()})
		}
	}
	if err := sc.Err(); err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", name, err)
	}
	if len(cut) > 0 {
		e.Set(name, xmlscan.Apply(doc, cut))
	}
	return nil
}

// Write writes the edited package to dst: untouched entries raw and in order,
// new parts last. A package that was encrypted is encrypted with the same password
// and parameters.
func (e *Edit) Write(ctx context.Context, dst io.Writer) error {
	if !e.Changed() && len(e.deflate) == 0 {
		_, err := io.Copy(dst, &ctxReader{ctx, io.NewSectionReader(e.pkg.outer, 0, e.pkg.outer.Size())})
		return err
	}
	if e.pkg.key == nil {
		return e.writeZip(ctx, dst)
	}
	w, err := e.pkg.key.Encrypt(ctx, dst)
	if err != nil {
		return err
	}
	if err := e.writeZip(ctx, w); err != nil {
		return err
	}
	return w.Close()
}

func (e *Edit) writeZip(ctx context.Context, dst io.Writer) error {
	zw := zip.NewWriter(dst)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return newDeflater(w, e.level) })
	if err := zw.SetComment(e.pkg.zr.Comment); err != nil {
		return err
	}
	done := map[string]bool{}
	var buf []byte // to copy entries
	for _, f := range e.pkg.zr.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		write, changed := e.changed[foldName(f.Name)]
		var err error
		switch {
		case changed && (write == nil || done[foldName(f.Name)]):
			continue // removed, or a second entry of a name that is written already
		case changed:
			done[foldName(f.Name)] = true
			h := zip.FileHeader{Name: f.Name, Comment: f.Comment, Modified: f.Modified, ExternalAttrs: f.ExternalAttrs, CreatorVersion: f.CreatorVersion}
			if p, ok := e.patches[foldName(f.Name)]; ok && f == e.pkg.byName[foldName(f.Name)] && asciiName(f.Name+f.Comment) {
				err = e.writePatched(ctx, zw, f, h, p)
			} else {
				err = writeEntry(ctx, zw, h, e.method(f.Name), write)
			}
		case strings.HasSuffix(f.Name, "/"):
			// Writer.Copy refuses directory entries that carry data.
			_, err = zw.CreateHeader(&zip.FileHeader{Name: f.Name, Modified: f.Modified, ExternalAttrs: f.ExternalAttrs})
		case e.deflate[foldName(f.Name)] && f.Method == zip.Store:
			h := zip.FileHeader{Name: f.Name, Comment: f.Comment, Modified: f.Modified, ExternalAttrs: f.ExternalAttrs, CreatorVersion: f.CreatorVersion}
			err = writeEntry(ctx, zw, h, zip.Deflate, func(w io.Writer) error { return e.copyPart(ctx, w, f) })
		default:
			if buf == nil {
				buf = make([]byte, 32<<10)
			}
			err = copyRaw(ctx, zw, f, buf)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range e.added {
		if write := e.changed[foldName(name)]; write != nil {
			if err := writeEntry(ctx, zw, zip.FileHeader{Name: name}, zip.Deflate, write); err != nil {
				return err
			}
		}
	}
	return zw.Close()
}

func copyRaw(ctx context.Context, zw *zip.Writer, f *zip.File, buf []byte) error {
	h := f.FileHeader
	w, err := zw.CreateRaw(&h)
	if err != nil {
		return err
	}
	r, err := f.OpenRaw()
	if err != nil {
		return formats.Errorf(formats.CodeCorrupt, "the entry %q is damaged: %w", f.Name, err)
	}
	_, err = io.CopyBuffer(w, &ctxReader{ctx, r}, buf)
	return err
}

func writeEntry(ctx context.Context, zw *zip.Writer, h zip.FileHeader, method uint16, write func(io.Writer) error) error {
	h.Method = method
	w, err := zw.CreateHeader(&h)
	if err != nil {
		return err
	}
	return write(ctxWriter{ctx, w})
}

// ctxWriter ends a write when its context is done.
type ctxWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c ctxWriter) Write(b []byte) (int, error) {
	done := 0
	for {
		if err := c.ctx.Err(); err != nil {
			return done, err
		}
		n, err := c.w.Write(b[done : done+min(len(b)-done, 64<<10)])
		done += n
		if err != nil || done == len(b) {
			return done, err
		}
	}
}

// ctxReader ends a copy when its context is done.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
