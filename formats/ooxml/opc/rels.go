package opc

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

const (
	contentTypesName = "[Content_Types].xml"
	nsContentTypes   = "http://schemas.openxmlformats.org/package/2006/content-types"
	nsRels           = "http://schemas.openxmlformats.org/package/2006/relationships"

	// RelOfficeDocument is the relationship type of the main part.
	RelOfficeDocument = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
	// RelPrefix begins the transitional relationship types of office parts.
	RelPrefix = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// Relationship is one link from a part (ECMA-376-2 6.5).
type Relationship struct {
	ID       string
	Type     string // transitional form, also in strict files
	Target   string // internal: the part name, without leading slash; external: as written
	External bool
}

// RelsName returns the name of the part that holds the relationships of part
// source; source "" is the package itself.
func RelsName(source string) string {
	source = strings.TrimPrefix(source, "/")
	dir, base := path.Split(source)
	return dir + "_rels/" + base + ".rels"
}

// Rels lists the relationships of the part source ("": the package's), none
// when it has no relationship part. It keeps some, because callers ask for those of
// one part by one type after another.
func (p *Package) Rels(ctx context.Context, source string) ([]Relationship, error) {
	if len(p.overlaid) > 0 {
		return relsOf(ctx, p, source)
	}
	p.relsMu.Lock()
	defer p.relsMu.Unlock()
	if list, ok := p.rels[source]; ok {
		return slices.Clone(list), ctx.Err()
	}
	packed := p.packedRels(source)
	list, same := p.sameRels[string(packed)]
	if !same {
		var err error
		if list, err = relsOf(ctx, p, source); err != nil || len(list) > maxRelsKept {
			return list, err
		}
	}
	if p.relsCount += len(list) + 1; p.rels == nil || p.relsCount > maxRelsKept {
		p.rels, p.sameRels, p.relsCount = map[string][]Relationship{}, map[string][]Relationship{}, len(list)+1
	}
	p.rels[source] = list
	if packed != nil && !same {
		p.sameRels[string(packed)] = list
	}
	return slices.Clone(list), ctx.Err()
}

// maxPackedRels bounds the size, packed, of the relationships that are compared.
const maxPackedRels = 1 << 10

// packedRels identifies the relationships of a part by their bytes as they are packed,
// with the folder that their targets are relative to: hundreds of slides have the same.
// nil says that they are not compared.
func (p *Package) packedRels(source string) []byte {
	f := p.byName[foldName(RelsName(source))]
	if f == nil || f.Method != zip.Deflate || f.CompressedSize64 > maxPackedRels {
		return nil
	}
	at, err := f.DataOffset()
	if err != nil {
		return nil
	}
	folder := path.Dir("/" + strings.TrimPrefix(source, "/"))
	key := binary.LittleEndian.AppendUint32(p.relsKey[:0], f.CRC32)
	key = binary.LittleEndian.AppendUint64(key, f.UncompressedSize64)
	key = append(append(key, folder...), 0)
	n := len(key)
	key = slices.Grow(key, int(f.CompressedSize64))[:n+int(f.CompressedSize64)]
	if _, err := p.src.ReadAt(key[n:], at); err != nil {
		return nil
	}
	p.relsKey = key[:0]
	return key
}

// maxRelsKept bounds the relationships that a package keeps.
const maxRelsKept = 10_000

// relReader is what a Package and an Edit have in common.
type relReader interface {
	Has(name string) bool
	ReadXML(ctx context.Context, name string) ([]byte, error)
}

func relsOf(ctx context.Context, p relReader, source string) ([]Relationship, error) {
	name := RelsName(source)
	if !p.Has(name) {
		return nil, nil
	}
	doc, err := p.ReadXML(ctx, name)
	if err != nil {
		return nil, err
	}
	rels, err := parseRels(doc, source)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", name, err)
	}
	return rels, nil
}

func parseRels(doc []byte, source string) ([]Relationship, error) {
	var rels []Relationship
	sc := xmlscan.Pooled(doc)
	defer sc.Release()
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || !t.Is(nsRels, "Relationship") {
			continue
		}
		var r Relationship
		for a := range t.Attrs() {
			switch a.Name {
			case "Id":
				r.ID = a.Value()
			case "Type":
				r.Type = xmlscan.Transitional(a.Value())
			case "Target":
				r.Target = a.Value()
			case "TargetMode":
				r.External = strings.EqualFold(a.Value(), "External")
			}
		}
		if !r.External {
			r.Target = Resolve(source, r.Target)
		}
		rels = append(rels, r)
	}
	return rels, sc.Err()
}

// Resolve turns a relationship target into a part name: relative to the folder
// of source, or absolute when it begins with a slash. It never climbs out.
func Resolve(source, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if !strings.HasPrefix(target, "/") {
		target = path.Join("/", path.Dir("/"+strings.TrimPrefix(source, "/")), target)
	}
	return strings.TrimPrefix(path.Clean(target), "/")
}

// Relative returns the target to write in the relationships of source for a
// part.
func Relative(source, part string) string {
	from := strings.Split(path.Dir("/"+strings.TrimPrefix(source, "/")), "/")[1:]
	if len(from) == 1 && from[0] == "" {
		from = nil
	}
	to := strings.Split(strings.TrimPrefix(part, "/"), "/")
	i := 0
	for i < len(from) && i < len(to)-1 && from[i] == to[i] {
		i++
	}
	return strings.Repeat("../", len(from)-i) + strings.Join(to[i:], "/")
}

type contentTypes struct {
	defaults  map[string]string // by lower-case extension
	overrides map[string]string // by folded part name
}

func parseContentTypes(doc []byte) (contentTypes, error) {
	ct := contentTypes{defaults: map[string]string{}, overrides: map[string]string{}}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Is(nsContentTypes, "Default"):
			ct.defaults[strings.ToLower(t.AttrLocal("Extension"))] = t.AttrLocal("ContentType")
		case t.Is(nsContentTypes, "Override"):
			ct.overrides[foldName(t.AttrLocal("PartName"))] = t.AttrLocal("ContentType")
		}
	}
	return ct, sc.Err()
}

func (ct contentTypes) typeOf(name string) string {
	k := foldName(name)
	if t, ok := ct.overrides[k]; ok {
		return t
	}
	return ct.defaults[strings.TrimPrefix(path.Ext(k), ".")]
}

// nextRelID returns the first free "rIdN".
func nextRelID(rels []Relationship) string {
	used := map[string]bool{}
	for _, r := range rels {
		used[r.ID] = true
	}
	for i := len(rels) + 1; ; i++ {
		if id := "rId" + strconv.Itoa(i); !used[id] {
			return id
		}
	}
}

func relXML(r Relationship, source string) string {
	target, mode := r.Target, ""
	if r.External {
		mode = ` TargetMode="External"`
	} else {
		target = Relative(source, target)
	}
	return fmt.Sprintf(`Relationship Id="%s" Type="%s" Target="%s"%s/>`, r.ID, xmlscan.Escape(r.Type), xmlscan.Escape(target), mode)
}
