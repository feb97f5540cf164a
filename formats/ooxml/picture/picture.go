// Package picture reads pictures that are parts of an office package.
//
//	rel := picture.RelID(sc, t, "embed")                 // of a:blip (ECMA-376-1 20.1.8.13)
//	p := picture.Of(ctx, pkg, rels[rel]); p.At = "Sales!B2:F9"
package picture

import (
	"context"
	"io"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

// RelID returns the attribute of a start tag that names a relationship, such as embed or
// link; "" when there is none.
func RelID(sc *xmlscan.Scanner, t xmlscan.Token, local string) string {
	for a := range t.Attrs() {
		if p, l, ok := strings.Cut(a.Name, ":"); ok && l == local && sc.Namespace(p)+"/" == opc.RelPrefix {
			return a.Value()
		}
	}
	return ""
}

// Of describes the picture that a relationship leads to; its place is the caller's to
// fill in.
func Of(ctx context.Context, pkg *opc.Package, r opc.Relationship) formats.Picture {
	p := formats.Picture{Type: strings.TrimPrefix(strings.ToLower(path.Ext(r.Target)), ".")}
	switch {
	case r.External:
		p.Linked = opc.ShownLink(r.Target)
		return p
	case !pkg.Has(r.Target):
		p.Lost = true
		return p
	}
	p.Part, p.Size = r.Target, pkg.Size(r.Target)
	p.Open = func() (io.ReadCloser, error) { return pkg.Stream(ctx, r.Target) }
	return p
}

// Others gives the pictures of a package that are none of seen, by part name: those of
// places that the caller does not know.
func Others(ctx context.Context, pkg *opc.Package, seen map[string]bool, emit func(formats.Picture) error) error {
	for _, name := range pkg.Names() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !strings.HasPrefix(pkg.ContentType(name), "image/") || seen[strings.ToLower(name)] || strings.HasPrefix(name, "docProps/") {
			continue
		}
		p := Of(ctx, pkg, opc.Relationship{Target: name})
		p.At = "elsewhere in the file, part " + name
		if err := emit(p); err != nil {
			return err
		}
	}
	return nil
}

// Seen wraps emit so that it fills seen with the parts that were given.
func Seen(seen map[string]bool, emit func(formats.Picture) error) func(formats.Picture) error {
	return func(p formats.Picture) error {
		if p.Part != "" {
			seen[strings.ToLower(p.Part)] = true
		}
		return emit(p)
	}
}
