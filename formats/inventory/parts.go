package inventory

import (
	"context"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

const contentTypes = "[Content_Types].xml"

// Differing lists the parts whose content differs between two packages: in one
// only, or not the same by meaning. Either may be nil.
func Differing(ctx context.Context, before, after *opc.Package) ([]string, error) {
	var out []string
	for _, name := range allParts(before, after) {
		same, err := samePart(ctx, before, after, name)
		if err != nil {
			return nil, err
		}
		if !same {
			out = append(out, name)
		}
	}
	return out, nil
}

// allParts returns the parts of both packages, each once, the newer spelling
// first.
func allParts(before, after *opc.Package) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range []*opc.Package{after, before} {
		if p == nil {
			continue
		}
		for _, n := range p.Names() {
			if !seen[foldName(n)] {
				seen[foldName(n)] = true
				out = append(out, n)
			}
		}
	}
	return out
}

func samePart(ctx context.Context, a, b *opc.Package, name string) (bool, error) {
	if a == nil || b == nil || a.Has(name) != b.Has(name) {
		return false, nil
	}
	if a.SamePart(name, b, name) {
		return true, nil
	}
	x, err := PartSum(ctx, a, name)
	if err != nil {
		return false, err
	}
	y, err := PartSum(ctx, b, name)
	return x == y, err
}

// compareParts makes a fact of each part that differs and that nothing else
// reports.
func compareParts(ctx context.Context, before, after *Inventory) ([]formats.Fact, error) {
	var out []formats.Fact
	for _, name := range allParts(before.pkg, after.pkg) {
		// Told on one side is enough: what is an item on the one side is absent
		// on the other, and that is a fact.
		if before.covered[foldName(name)] || after.covered[foldName(name)] || name == contentTypes {
			continue
		}
		if source, ok := relsSource(name); ok {
			f, err := compareRels(ctx, before, after, source)
			if err != nil {
				return nil, err
			}
			out = append(out, f...)
			continue
		}
		same, err := samePart(ctx, before.pkg, after.pkg, name)
		if err != nil {
			return nil, err
		}
		if !same {
			out = append(out, partFact(before, after, name))
		}
	}
	types, err := compareTypes(ctx, before, after)
	return append(out, types...), err
}

func partFact(before, after *Inventory, name string) formats.Fact {
	f := formats.Fact{Kind: formats.FactPart, At: name, Change: formats.Changed, Warning: name + ": changed in a way that cannot be told here"}
	hadIt, hasIt := before.pkg != nil && before.pkg.Has(name), after.pkg != nil && after.pkg.Has(name)
	switch {
	case !hadIt:
		f.Change, f.Warning = formats.Added, name+": a new part whose content cannot be told here"
	case !hasIt:
		f.Change, f.Warning = formats.Removed, "lost: "+name
	}
	f.ID = formats.FactID(f.Kind, name, f.Change, sizeOf(before.pkg, name), sizeOf(after.pkg, name))
	return f
}

// sizeOf tells two states of a part apart in an ID.
func sizeOf(p *opc.Package, name string) string {
	s, err := PartSum(context.Background(), p, name)
	if err != nil {
		return "unreadable"
	}
	return string(s[:])
}

// relsSource returns the part whose relationships the part called name holds.
func relsSource(name string) (string, bool) {
	dir, base := path.Split(name)
	if !strings.HasSuffix(dir, "_rels/") || !strings.HasSuffix(base, ".rels") {
		return "", false
	}
	return strings.TrimSuffix(dir, "_rels/") + strings.TrimSuffix(base, ".rels"), true
}

// compareRels reports the relationships that differ and that nothing else
// reports: links are reported by compareReach, those to a part that came or
// went with it, and those that the XML of a reported part names with that part.
func compareRels(ctx context.Context, before, after *Inventory, source string) ([]formats.Fact, error) {
	if name := opc.RelsName(source); hasPart(before, name) && hasPart(after, name) && before.pkg.SamePart(name, after.pkg, name) {
		return nil, nil
	}
	was, err := relsOf(ctx, before, source)
	if err != nil {
		return nil, err
	}
	now, err := relsOf(ctx, after, source)
	if err != nil {
		return nil, err
	}
	c := relComparison{before: before, after: after, source: source}
	if err := c.addMissing(ctx, now, was, formats.Added); err != nil {
		return nil, err
	}
	if err := c.addMissing(ctx, was, now, formats.Removed); err != nil {
		return nil, err
	}
	return c.out, nil
}

// relComparison compares the relationships of one part.
type relComparison struct {
	before, after *Inventory
	source        string
	out           []formats.Fact
}

// addMissing adds a fact for each relationship of list that others lacks.
func (c *relComparison) addMissing(ctx context.Context, list, others []opc.Relationship, change formats.Change) error {
	key := func(r opc.Relationship) string { return r.Type + " " + foldName(r.Target) }
	for _, r := range list {
		if slices.ContainsFunc(others, func(o opc.Relationship) bool { return key(o) == key(r) }) {
			continue
		}
		told, err := c.isTold(ctx, r)
		if err != nil {
			return err
		}
		if !told {
			c.add(r, change)
		}
	}
	return nil
}

// isTold reports whether other facts tell of a relationship: those of links, of
// parts that came or went, and of a compared part that names it.
func (c *relComparison) isTold(ctx context.Context, r opc.Relationship) (bool, error) {
	if r.External || hasPart(c.before, r.Target) != hasPart(c.after, r.Target) {
		return true, nil
	}
	if c.source == "" || !c.before.covered[foldName(c.source)] && !c.after.covered[foldName(c.source)] {
		return false, nil
	}
	return namesRel(ctx, c.before.pkg, c.after.pkg, c.source, r.ID)
}

func (c *relComparison) add(r opc.Relationship, change formats.Change) {
	text := path.Base(r.Type) + " → " + r.Target
	name := opc.RelsName(c.source)
	f := formats.Fact{Kind: formats.FactPart, Change: change, At: name, ID: formats.FactID(formats.FactPart, name+r.ID+text, change, "", "")}
	if change == formats.Added {
		f.New = text
	} else {
		f.Old = text
	}
	f.Warning = f.At + ": a relationship was " + string(change) + ": " + text
	c.out = append(c.out, f)
}

func hasPart(in *Inventory, part string) bool { return in.pkg != nil && in.pkg.Has(part) }

func relsOf(ctx context.Context, in *Inventory, source string) ([]opc.Relationship, error) {
	if in.pkg == nil {
		return nil, nil
	}
	return in.pkg.Rels(ctx, source)
}

// namesRel reports whether the XML of a part, on either side, has an attribute
// with the id.
func namesRel(ctx context.Context, a, b *opc.Package, part, id string) (bool, error) {
	for _, p := range []*opc.Package{a, b} {
		if p == nil || !p.Has(part) || p.Size(part) > maxCanonical {
			continue
		}
		doc, err := p.ReadXML(ctx, part)
		if err != nil {
			return false, err
		}
		if hasReference(doc, id) {
			return true, nil
		}
	}
	return false, nil
}

// hasReference reports whether an attribute with a prefix has the value id.
func hasReference(doc []byte, id string) bool {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		for at := range t.Attrs() {
			if at.Value() == id && strings.Contains(at.Name, ":") {
				return true
			}
		}
	}
	return false
}

// compareTypes reports the content types (ECMA-376-2, 6.2.3) of parts that are
// on both sides and have another type.
func compareTypes(ctx context.Context, before, after *Inventory) ([]formats.Fact, error) {
	if before.pkg == nil || after.pkg == nil {
		return nil, nil
	}
	var out []formats.Fact
	for _, name := range after.pkg.Names() {
		if !before.pkg.Has(name) || name == contentTypes {
			continue
		}
		a, b := before.pkg.ContentType(name), after.pkg.ContentType(name)
		if a != b {
			out = append(out, formats.Fact{Kind: formats.FactPart, Change: formats.Changed, At: name, Old: a, New: b, ID: formats.FactID(formats.FactPart, name+" type", formats.Changed, a, b),
				Warning: name + ": its content type changed: " + a + " → " + b})
		}
	}
	return out, ctx.Err()
}
