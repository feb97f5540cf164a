package docx

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

// changeRepeatingSectionArgs are the members of change_repeating_section.
type changeRepeatingSectionArgs struct {
	Name   string            `json:"name" usage:"name" jsonschema:"{ops}: of the field"`
	Values map[string]string `json:"values" usage:"values? (adds an item: {\"control\":\"value\"})" jsonschema:"{ops}: of the controls in the new item, by name"`
	Number *lenient.Int      `json:"number" usage:"number? (the item to add behind, or to delete; from 1)" jsonschema:"{ops}: which item, from 1"`
	Delete lenient.Bool      `json:"delete" usage:"or delete (true: the item goes)" jsonschema:"{ops}: the item goes"`
}

// maxItems bounds the items of a repeating section.
const maxItems = 2000

// changeRepeatingSection adds an item to a repeating section ([MS-DOCX] 2.5.3.11),
// as a copy of one whose controls get values, or deletes one. It is not recorded as
// a tracked change.
func (e *editing) changeRepeatingSection(ctx context.Context, op changeRepeatingSectionArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	all, err := e.formFields(ctx)
	if err != nil {
		return rep, err
	}
	section, items := repeating(all, op.Name)
	switch {
	case section == nil:
		return rep, noField(all, op.Name)
	case len(items) == 0:
		return rep, formats.Errorf(formats.CodeUnsupported, "%q is no repeating section with items", op.Name)
	case section.Bound:
		return rep, formats.Errorf(formats.CodeUnsupported, "the items of %q come from data of the document; applications would make them anew from it", op.Name)
	case len(items) >= maxItems && !bool(op.Delete):
		return rep, formats.Errorf(formats.CodeTooLarge, "%q has %d items; no more than %d are made", op.Name, len(items), maxItems)
	}
	at := len(items)
	if op.Number != nil {
		at = int(*op.Number)
	}
	if at < 1 || at > len(items) {
		return rep, formats.Errorf(formats.CodeInvalid, "number is %d; %q has %d items", at, op.Name, len(items))
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "items of a repeating section are not recorded as tracked changes")
	}
	item := items[at-1]
	if op.Delete {
		if len(items) == 1 {
			return rep, formats.Errorf(formats.CodeInvalid, "%q has one item, which it must keep; fill its controls with fill_form_field", op.Name)
		}
		e.document.splice(item.part, xmlscan.Splice{Start: item.all.start, End: item.all.end})
		rep.Notes = append(rep.Notes, fmt.Sprintf("%q has %d items now", op.Name, len(items)-1))
		return rep, nil
	}
	if err := e.copyItem(ctx, item); err != nil {
		return rep, err
	}
	if all, err = e.formFields(ctx); err != nil {
		return rep, err
	}
	_, items = repeating(all, op.Name)
	rep.Notes = append(rep.Notes, fmt.Sprintf("%q has %d items now; the new one is number %d", op.Name, len(items), at+1))
	return rep, e.fillItem(ctx, op, items[at], all, &rep)
}

// repeating returns the repeating section of a name with its items.
func repeating(all []*formField, name string) (section *formField, items []*formField) {
	has := func(f *formField, local string) bool {
		raw := f.part.raw(f.props)
		return strings.Contains(raw, ":"+local+"/>") || strings.Contains(raw, ":"+local+">") || strings.Contains(raw, ":"+local+" ")
	}
	for _, f := range all {
		if f.legacy || f.props.end == 0 {
			continue
		}
		if section == nil && (strings.EqualFold(f.Name, name) || f.Title != "" && strings.EqualFold(f.Title, name)) && has(f, "repeatingSection") {
			section = f
		}
		if section != nil && f.part == section.part && f.all.start >= section.content.start && f.all.end <= section.content.end && has(f, "repeatingSectionItem") {
			if n := len(items); n == 0 || f.all.start >= items[n-1].all.end { // none in an item
				items = append(items, f)
			}
		}
	}
	return section, items
}

var ownIDs = lazyregexp.New(`\s[\w]+:(?:paraId|textId|anchorId|editId)="[^"]*"`)

// copyItem puts a copy of an item behind it: with ids of its own, and without
// bookmarks, comments and notes, which belong to one place.
func (e *editing) copyItem(ctx context.Context, item *formField) error {
	p := item.part
	raw := dropElements([]byte(ownIDs.ReplaceAllString(p.raw(item.all), "")), func(t xmlscan.Token) bool {
		return slices.Contains([]string{"bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "commentReference", "footnoteReference", "endnoteReference"}, t.Local)
	})
	id, err := e.newControlID(ctx)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	sc := xmlscan.New(raw)
	inProps := 0
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Local == "sdtPr":
			inProps = t.Depth
		case t.Kind == xmlscan.Start && t.Local == "id" && inProps > 0 && t.Depth == inProps+1:
			splices = append(splices, xmlscan.Splice{Start: t.Start, End: sc.Skip(), New: []byte(fmt.Sprintf(`<%[1]sid %[1]sval="%[2]d"/>`, p.prefix, id))})
			id++
		}
	}
	e.document.splice(p, xmlscan.Splice{Start: item.all.end, End: item.all.end, New: xmlscan.Apply(raw, splices)})
	return nil
}

// fillItem fills the controls of a new item; those without a value keep what was
// copied, which the answer says.
func (e *editing) fillItem(ctx context.Context, op changeRepeatingSectionArgs, item *formField, all []*formField, rep *formats.OpReport) error {
	var splices []xmlscan.Splice
	kept, used := []string{}, map[string]bool{}
	for _, f := range all {
		if f.part != item.part || f.all.start <= item.all.start || f.all.end > item.all.end || f.props.end == 0 {
			continue
		}
		name := ""
		for _, n := range slices.Sorted(maps.Keys(op.Values)) {
			if strings.EqualFold(n, f.Name) || f.Title != "" && strings.EqualFold(n, f.Title) {
				name = n
			}
		}
		if name == "" {
			if f.Name != "" && f.Value != "" && f.Kind != "other" {
				kept = append(kept, f.Name)
			}
			continue
		}
		used[name] = true
		s, _, err := e.fill(f, op.Values[name])
		if err != nil {
			return err
		}
		if f.Bound {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%q shows data of the document, which were not changed along", f.Name))
		}
		splices = append(splices, s...)
	}
	for _, n := range slices.Sorted(maps.Keys(op.Values)) {
		if !used[n] {
			return formats.Errorf(formats.CodeNotFound, "values: an item of %q has no control %q", op.Name, clip(n, 40))
		}
	}
	if len(kept) > 0 {
		rep.Notes = append(rep.Notes, "copied with their values: "+clip(strings.Join(kept, ", "), 120))
	}
	e.document.splice(item.part, splices...)
	return ctx.Err()
}
