package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// fillFormFieldArgs are the members of fill_form_field.
type fillFormFieldArgs struct {
	Name  string  `json:"name" usage:"name (tag or title of the control; get_file_info lists them)" jsonschema:"{ops}: of the field"`
	Value *string `json:"value" usage:"value (text; true or false; a choice; a date as 2026-01-31)" jsonschema:"{ops}: what to fill in"`
}

// fillFormField fills the content controls and legacy form fields of a name, and
// all that show the same data; that data is changed along (17.5.2.6). It is not
// recorded as a tracked change.
func (e *editing) fillFormField(ctx context.Context, op fillFormFieldArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if strings.TrimSpace(op.Name) == "" || op.Value == nil {
		return rep, formats.Errorf(formats.CodeInvalid, "name and value are required: which field to fill with what")
	}
	all, err := e.formFields(ctx)
	if err != nil {
		return rep, err
	}
	hit := fieldsNamed(all, op.Name)
	if len(hit) == 0 {
		return rep, noField(all, op.Name)
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "filled fields are not recorded as tracked changes")
	}
	byPart := map[string][]xmlscan.Splice{}
	stores := map[binding]string{}
	for _, f := range hit {
		splices, stored, err := e.fill(f, *op.Value)
		if err != nil {
			return rep, err
		}
		if f.Locked {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%q is locked against editing; it was filled all the same", f.Name))
		}
		if f.Bound {
			stores[f.by] = stored
		}
		byPart[f.part.name] = append(byPart[f.part.name], splices...)
		rep.Hits++
	}
	for _, splices := range byPart {
		slices.SortStableFunc(splices, func(a, b xmlscan.Splice) int { return a.Start - b.Start })
	}
	for _, f := range hit {
		if splices, ok := byPart[f.part.name]; ok {
			e.document.splice(f.part, splices...)
			delete(byPart, f.part.name)
		}
	}
	left, err := e.writeStores(ctx, stores)
	if left > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%d data of the document that the field shows could not be changed along; applications show the old value there again when they open it", left))
	}
	rep.Warnings = uniqueStrings(rep.Warnings)
	return rep, err
}

// fieldsNamed returns the fields of a name or title, and those that show the same
// data.
func fieldsNamed(all []*formField, name string) []*formField {
	shows := map[binding]bool{}
	is := map[*formField]bool{}
	for _, f := range all {
		if strings.EqualFold(f.Name, name) || f.Title != "" && strings.EqualFold(f.Title, name) {
			is[f] = true
			if f.Bound {
				shows[f.by] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(f *formField) bool { return !is[f] && !(f.Bound && shows[f.by]) })
}

// noField says which fields there are.
func noField(all []*formField, name string) error {
	var names []string
	for _, f := range all {
		if f.Name != "" && !slices.Contains(names, f.Name) && len(names) < 20 {
			names = append(names, clip(f.Name, 40))
		}
	}
	if len(names) == 0 {
		return formats.Errorf(formats.CodeNotFound, "the document has no form fields with a name; replace_text and set_paragraph change its text")
	}
	return formats.Errorf(formats.CodeNotFound, "there is no form field %q; there are %s", clip(name, 60), strings.Join(names, ", "))
}

// fill returns what fills a field, and what is stored for it.
func (e *editing) fill(f *formField, value string) (splices []xmlscan.Splice, stored string, err error) {
	shown, stored := value, value
	switch f.Kind {
	case "picture", "other":
		return nil, "", formats.Errorf(formats.CodeUnsupported, "%q holds no text to fill in (%s)", f.Name, f.Kind)
	case "checkbox":
		on, ok := map[string]bool{"true": true, "1": true, "yes": true, "on": true, "x": true, "false": false, "0": false, "no": false, "off": false, "": false}[strings.ToLower(value)]
		if !ok {
			return nil, "", formats.Errorf(formats.CodeInvalid, "%q is a checkbox: value is true or false, not %q", f.Name, clip(value, 40))
		}
		return f.check(on), fmt.Sprint(on), nil
	case "dropdown", "combo":
		i := slices.IndexFunc(f.Choices, func(c string) bool { return strings.EqualFold(c, value) || strings.EqualFold(f.values[c], value) })
		if i < 0 && f.Kind == "dropdown" {
			return nil, "", formats.Errorf(formats.CodeInvalid, "%q takes one of: %s", f.Name, clip(strings.Join(f.Choices, ", "), 300))
		}
		if i >= 0 && f.legacy {
			return f.setBox("result", fmt.Sprint(i)), "", nil
		}
		if i >= 0 {
			shown, stored = f.Choices[i], f.values[f.Choices[i]]
		}
	case "date":
		day, err := time.Parse("2006-01-02", value)
		if err != nil {
			return nil, "", formats.Errorf(formats.CodeInvalid, "%q is a date: write it as 2026-01-31, not %q", f.Name, clip(value, 40))
		}
		shown, stored = shownDate(day, f.format), value+"T00:00:00"
		splices = f.setDate(value)
	}
	content, err := f.setText(shown)
	if !f.legacy {
		splices = append(splices, f.unplaceholder()...)
	}
	return append(splices, content...), stored, err
}

// writeStores changes the data that filled controls show; left is how many could
// not be changed.
func (e *editing) writeStores(ctx context.Context, values map[binding]string) (left int, err error) {
	if len(values) == 0 {
		return 0, nil
	}
	r := &replacement{document: e.document}
	stores, err := r.stores(ctx)
	if err != nil {
		return 0, err
	}
	for by, value := range values {
		part, ok := stores[by.store]
		if !ok {
			left++
			continue
		}
		doc, err := e.ed.ReadXML(ctx, part)
		if err != nil {
			return left, err
		}
		at, ok := pathElement(doc, by)
		if !ok && at.end > 0 {
			tag := strings.TrimRight(strings.TrimSuffix(string(doc[at.start:at.end]), "/>"), " ")
			name := strings.Fields(tag[1:])[0]
			e.ed.Set(part, xmlscan.Apply(doc, []xmlscan.Splice{{Start: at.start, End: at.end, New: []byte(tag + ">" + xmlscan.Escape(value) + "</" + name + ">")}}))
			continue
		}
		if !ok {
			left++
			continue
		}
		if (value == "true" || value == "false") && len(xmlscan.Unescape(doc[at.start:at.end])) == 1 { // 0 or 1 (3.2.2 of XML Schema)
			value = map[string]string{"true": "1", "false": "0"}[value]
		}
		e.ed.Set(part, xmlscan.Apply(doc, []xmlscan.Splice{{Start: at.start, End: at.end, New: []byte(xmlscan.Escape(value))}}))
	}
	return left, nil
}
