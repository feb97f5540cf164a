package revert

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

const (
	// maxAligned bounds the XML of a part whose elements are compared, in bytes: of a
	// worksheet without the rows that both sides have. A larger part goes back whole.
	maxAligned = 8 << 20
	// maxPart bounds a part that goes back, in bytes.
	maxPart = 64 << 20
)

// unit is a place where two packages differ.
type unit struct {
	part    string
	splices []xmlscan.Splice // of the part in after
	whole   bool             // the part has the content of before instead
	rel     *implicit
	key     string // names the place, whatever after holds there
	row     int    // of a worksheet that has the place, 0 elsewhere
}

// implicit is a relationship that no element names by its id, such as that to the
// comments of a document, which is on one side only.
type implicit struct {
	opc.Relationship
	before bool // it is in before
}

// sides are the two packages.
type sides struct {
	before, after *opc.Package
	partsA        map[string]bool // reachable from the root of before
	partsB        map[string]bool
}

func openSides(ctx context.Context, before, after formats.Source) (*sides, error) {
	a, err := opc.Open(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := opc.Open(ctx, after)
	if err != nil {
		return nil, err
	}
	s := &sides{before: a, after: b}
	if s.partsA, err = reachable(ctx, a.Rels, a.Has); err != nil {
		return nil, err
	}
	s.partsB, err = reachable(ctx, b.Rels, b.Has)
	return s, err
}

// reachable returns the parts that relationships lead to from the root.
func reachable(ctx context.Context, rels func(context.Context, string) ([]opc.Relationship, error), has func(string) bool) (map[string]bool, error) {
	seen := map[string]bool{"": true}
	for list := []string{""}; len(list) > 0; {
		source := list[len(list)-1]
		list = list[:len(list)-1]
		out, err := rels(ctx, source)
		if err != nil {
			return nil, err
		}
		for _, r := range out {
			if !r.External && !seen[r.Target] && has(r.Target) {
				seen[r.Target] = true
				list = append(list, r.Target)
			}
		}
	}
	delete(seen, "")
	return seen, nil
}

// units lists the places where the packages differ.
func (s *sides) units(ctx context.Context) ([]unit, error) {
	var out []unit
	names := []string{}
	for name := range s.partsA {
		if s.partsB[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range append([]string{""}, names...) {
		rels, err := s.implicitRels(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, r := range rels {
			out = append(out, unit{part: name, rel: &r, key: fmt.Sprint("rel ", name, " ", r.Type, " ", r.Target, " ", r.before)})
		}
		if name == "" || s.before.SamePart(name, s.after, name) {
			continue
		}
		more, err := s.partUnits(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// partUnits compares a part that is on both sides.
func (s *sides) partUnits(ctx context.Context, name string) ([]unit, error) {
	if max(s.before.Size(name), s.after.Size(name)) > maxPart {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s is too large to take single changes back; take the whole file back", name)
	}
	if isXML(name) {
		a, err := s.before.ReadXML(ctx, name)
		if err != nil {
			return nil, err
		}
		b, err := s.after.ReadXML(ctx, name)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(a, b) {
			return nil, nil
		}
		places, err := alignPart(ctx, a, b, maxAligned)
		if err != nil {
			return nil, err
		}
		if places != nil {
			out := make([]unit, len(places))
			for i, p := range places {
				out[i] = unit{part: name, splices: p.splices, key: name + " " + p.key, row: p.row}
			}
			return out, nil
		}
	}
	a, err := s.before.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	b, err := s.after.Read(ctx, name)
	if err != nil || bytes.Equal(a, b) {
		return nil, err
	}
	return []unit{{part: name, whole: true, key: "part " + name}}, nil
}

func isXML(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".xml" || ext == ".vml" || ext == ".rels"
}

// implicitRels lists the implicit relationships of a part that only one side has.
func (s *sides) implicitRels(ctx context.Context, name string) ([]implicit, error) {
	a, err := s.unnamedRels(ctx, s.before, name)
	if err != nil {
		return nil, err
	}
	b, err := s.unnamedRels(ctx, s.after, name)
	if err != nil {
		return nil, err
	}
	key := func(r opc.Relationship) string { return r.Type + "\x00" + r.Target }
	has := func(list []opc.Relationship, r opc.Relationship) bool {
		return slices.ContainsFunc(list, func(o opc.Relationship) bool { return key(o) == key(r) })
	}
	var out []implicit
	for _, r := range a {
		if !has(b, r) {
			out = append(out, implicit{r, true})
		}
	}
	for _, r := range b {
		if !has(a, r) {
			out = append(out, implicit{r, false})
		}
	}
	return out, nil
}

// unnamedRels lists the relationships of a part that its XML does not name.
func (s *sides) unnamedRels(ctx context.Context, p *opc.Package, name string) ([]opc.Relationship, error) {
	rels, err := p.Rels(ctx, name)
	if err != nil || len(rels) == 0 || name == "" {
		return rels, err
	}
	if !isXML(name) || p.Size(name) > maxPart {
		return nil, nil
	}
	doc, err := p.ReadXML(ctx, name)
	if err != nil {
		return nil, err
	}
	named := idsIn(doc)
	return slices.DeleteFunc(rels, func(r opc.Relationship) bool { return named[r.ID] }), nil
}

// idsIn returns the ids of relationships that XML names: the values of attributes with
// a prefix, as r:id, r:embed and o:relid have.
func idsIn(doc []byte) map[string]bool {
	ids := map[string]bool{}
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			for a := range t.Attrs() {
				if strings.Contains(a.Name, ":") && !strings.HasPrefix(a.Name, "xmlns") {
					ids[a.Value()] = true
				}
			}
		}
	}
	return ids
}

// idsOf is idsIn for a part of a document, which has no root.
func idsOf(fragment []byte) map[string]bool {
	ids := map[string]bool{}
	for rest := fragment; ; {
		_, after, ok := bytes.Cut(rest, []byte(`="`))
		if !ok {
			return ids
		}
		value, more, ok := bytes.Cut(after, []byte(`"`))
		if !ok {
			return ids
		}
		if len(value) < 64 {
			ids[string(value)] = true
		}
		rest = more
	}
}
