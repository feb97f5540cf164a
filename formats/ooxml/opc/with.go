package opc

import (
	"bytes"
	"io"
)

// With returns the package with other content in some of its parts, by name, as
// a comparison wants them. Parts that the package does not have are ignored.
func (p *Package) With(parts map[string][]byte) *Package {
	q := &Package{src: p.src, outer: p.outer, key: p.key, zr: p.zr, byName: p.byName, types: p.types, overlaid: map[string][]byte{}}
	for k, v := range p.overlaid {
		q.overlaid[k] = v
	}
	for name, b := range parts {
		if p.Has(name) {
			q.overlaid[foldName(name)] = b
		}
	}
	return q
}

func overlay(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }
