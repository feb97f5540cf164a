package revert

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

// errConflict: units cannot go back, since what they need has another meaning in after.
var errConflict = errors.New("what these changes refer to is something else in the edited file")

// builder makes after with some units as they are in before.
type builder struct {
	*sides
	ctx   context.Context
	ed    *opc.Edit
	units []unit
}

// revert returns an edit of after with the units taken back.
func (s *sides) revert(ctx context.Context, units []unit) (*opc.Edit, error) {
	b := &builder{sides: s, ctx: ctx, ed: s.after.Edit(), units: units}
	parts := map[string][]unit{}
	for _, u := range units {
		parts[u.part] = append(parts[u.part], u)
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if err := b.part(name, parts[name]); err != nil {
			return nil, err
		}
	}
	return b.ed, b.dropUnreachable()
}

// part takes the units of one part back, and settles its relationships.
func (b *builder) part(name string, units []unit) error {
	var splices []xmlscan.Splice
	whole := false
	var rels []*implicit
	for _, u := range units {
		splices = append(splices, u.splices...)
		whole = whole || u.whole
		if u.rel != nil {
			rels = append(rels, u.rel)
		}
	}
	var needs map[string]bool // ids of relationships in what comes from before
	switch {
	case whole:
		doc, err := b.before.Read(b.ctx, name)
		if err != nil {
			return err
		}
		b.ed.Set(name, doc)
		if isXML(name) {
			needs = idsOf(doc)
		}
	case len(splices) > 0:
		doc, err := b.after.ReadXML(b.ctx, name)
		if err != nil {
			return err
		}
		if overlap(splices) {
			return errConflict
		}
		needs = map[string]bool{}
		for _, sp := range splices {
			for id := range idsOf(sp.New) {
				needs[id] = true
			}
		}
		old, err := b.before.ReadXML(b.ctx, name)
		if err != nil {
			return err
		}
		now := localNames(old, doc, recounted(xmlscan.Apply(doc, splices)))
		if now == nil || !rowsInOrder(now) {
			return errConflict
		}
		b.ed.Set(name, now)
		if err := b.dropUnnamed(name, doc, now); err != nil {
			return err
		}
	}
	if err := b.addNeeded(name, needs); err != nil {
		return err
	}
	return b.implicitRels(name, rels)
}

// counted are elements of worksheets that say how many children they have.
var counted = map[string]bool{"mergeCells": true, "dataValidations": true, "tableParts": true}

// recounted sets these numbers anew.
func recounted(doc []byte) []byte {
	var edits []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth != 2 || !counted[t.Local] {
			if t.Kind == xmlscan.Start && t.Depth == 2 {
				sc.Skip()
			}
			continue
		}
		var at *xmlscan.Attr
		for a := range t.Attrs() {
			if a.Name == "count" {
				at = &a
			}
		}
		n := 0
		for !t.Empty && sc.Next() && !(sc.Token().Kind == xmlscan.End && sc.Token().Depth == 2) {
			if k := sc.Token(); k.Kind == xmlscan.Start && k.Depth == 3 {
				n++
			}
		}
		if now := strconv.Itoa(n); at != nil && at.Value() != now {
			edits = append(edits, xmlscan.Splice{Start: at.ValStart, End: at.ValEnd, New: []byte(now)})
		}
	}
	return xmlscan.Apply(doc, edits)
}

// rowsInOrder reports whether the rows of a worksheet (ECMA-376-1 18.3.1.73) have
// ascending numbers, and their cells these numbers; other parts have no rows. A row
// that came or went moved the rows below it, so that it cannot go back by itself.
func rowsInOrder(doc []byte) bool {
	sc := xmlscan.New(doc)
	last, number := 0, ""
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start:
		case t.Depth == 1 && t.Local != "worksheet":
			return true
		case t.Depth == 3 && t.Local == "row":
			number = t.AttrLocal("r")
			n, err := strconv.Atoi(number)
			if number != "" && (err != nil || n <= last) {
				return false
			}
			last = n
		case t.Depth == 4 && t.Local == "c" && number != "":
			if ref := t.AttrLocal("r"); ref != "" && strings.TrimLeft(ref, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != number {
				return false
			}
		}
	}
	return true
}

func overlap(splices []xmlscan.Splice) bool {
	list := slices.Clone(splices)
	slices.SortStableFunc(list, func(x, y xmlscan.Splice) int { return x.Start - y.Start })
	for i := 1; i < len(list); i++ {
		if list[i].Start < list[i-1].End {
			return true
		}
	}
	return false
}

// dropUnnamed removes the relationships that the part named and names no more.
func (b *builder) dropUnnamed(name string, was, now []byte) error {
	rels, err := b.after.Rels(b.ctx, name)
	if err != nil || len(rels) == 0 {
		return err
	}
	before, err := b.before.Rels(b.ctx, name)
	if err != nil {
		return err
	}
	old, named := idsIn(was), idsIn(now)
	for _, r := range rels {
		if old[r.ID] && !named[r.ID] && !slices.Contains(before, r) {
			if err := b.ed.RemoveRel(b.ctx, name, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// addNeeded adds the relationships that what comes from before names.
func (b *builder) addNeeded(name string, needs map[string]bool) error {
	if len(needs) == 0 {
		return nil
	}
	before, err := b.before.Rels(b.ctx, name)
	if err != nil {
		return err
	}
	after, err := b.after.Rels(b.ctx, name)
	if err != nil {
		return err
	}
	for _, r := range before {
		if !needs[r.ID] {
			continue
		}
		i := slices.IndexFunc(after, func(o opc.Relationship) bool { return o.ID == r.ID })
		switch {
		case i < 0:
			if err := b.addRel(name, r); err != nil {
				return err
			}
		case after[i] != r:
			return errConflict
		}
	}
	return nil
}

// addRel adds a relationship with its id, and the parts it leads to.
func (b *builder) addRel(source string, r opc.Relationship) error {
	file := opc.RelsName(source)
	if !b.ed.Has(file) {
		doc, err := b.before.Read(b.ctx, file)
		if err != nil {
			return err
		}
		b.ed.Set(file, emptied(doc))
	}
	doc, err := b.ed.ReadXML(b.ctx, file)
	if err != nil {
		return err
	}
	old, err := b.before.ReadXML(b.ctx, opc.RelsName(source))
	if err != nil {
		return err
	}
	raw := relationship(old, r.ID)
	end := bytes.LastIndex(doc, []byte("</"))
	if raw == nil || end < 0 {
		return errConflict
	}
	b.ed.Set(file, slices.Concat(doc[:end], raw, doc[end:]))
	if r.External {
		return nil
	}
	return b.addPart(r.Target)
}

// emptied returns a relationships part without its relationships.
func emptied(doc []byte) []byte {
	i := bytes.Index(doc, []byte("<Relationships"))
	if i < 0 {
		return []byte(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>`)
	}
	end := bytes.IndexByte(doc[i:], '>')
	return slices.Concat(doc[:i+end+1], []byte("</Relationships>"))
}

// relationship returns the element of a relationship with an id.
func relationship(doc []byte, id string) []byte {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if v, _ := t.Attr("Id"); t.Kind == xmlscan.Start && t.Local == "Relationship" && v == id {
			return doc[t.Start:max(sc.Skip(), t.End)]
		}
	}
	return nil
}

// addPart adds a part of before that after does not have, with all it leads to.
func (b *builder) addPart(name string) error {
	if b.ed.Has(name) {
		if b.after.Has(name) && !b.partsA[name] {
			return errConflict
		}
		return nil
	}
	if !b.before.Has(name) {
		return nil
	}
	doc, err := b.before.Read(b.ctx, name)
	if err != nil {
		return err
	}
	b.ed.Set(name, doc)
	if err := b.ed.DeclareType(b.ctx, name, b.before.ContentType(name)); err != nil {
		return err
	}
	rels, err := b.before.Rels(b.ctx, name)
	if err != nil || len(rels) == 0 {
		return err
	}
	if doc, err = b.before.Read(b.ctx, opc.RelsName(name)); err != nil {
		return err
	}
	b.ed.Set(opc.RelsName(name), doc)
	for _, r := range rels {
		if !r.External {
			if err := b.addPart(r.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

// implicitRels takes relationships back that no element names.
func (b *builder) implicitRels(name string, rels []*implicit) error {
	for _, r := range rels {
		if !r.before {
			if err := b.ed.RemoveRel(b.ctx, name, r.ID); err != nil {
				return err
			}
			continue
		}
		after, err := b.ed.Rels(b.ctx, name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(after, func(o opc.Relationship) bool { return o.ID == r.ID }) {
			if err := b.addRel(name, r.Relationship); err != nil {
				return err
			}
			continue
		}
		if err := b.addPart(r.Target); err != nil {
			return err
		}
		if _, err := b.ed.AddRel(b.ctx, name, r.Relationship); err != nil {
			return err
		}
	}
	return nil
}

// dropUnreachable removes the parts that nothing leads to any more.
func (b *builder) dropUnreachable() error {
	now, err := reachable(b.ctx, b.ed.Rels, b.ed.Has)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.partsB)) {
		if now[name] {
			continue
		}
		if err := b.ed.RemovePart(b.ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// source returns the edited package in memory.
func source(ctx context.Context, ed *opc.Edit, name string) (formats.Source, error) {
	ed.Fast()
	var buf bytes.Buffer
	if err := ed.Write(ctx, &buf); err != nil {
		return nil, err
	}
	return formats.FromBytes(name, buf.Bytes()), nil
}
