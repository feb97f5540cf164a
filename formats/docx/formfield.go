package docx

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// FormFieldMap is a content control (17.5.2) or a legacy form field (17.16.17).
type FormFieldMap struct {
	Name    string   `json:"name"`            // tag, else title; of a legacy field its name
	Title   string   `json:"title,omitempty"` // where it is not the name
	Kind    string   `json:"kind"`            // text, date, checkbox, dropdown, combo, picture, other
	Value   string   `json:"value"`
	Choices []string `json:"choices,omitempty"`
	Empty   bool     `json:"empty,omitempty"`  // it shows a placeholder
	Bound   bool     `json:"bound,omitempty"`  // it shows data of the document
	Locked  bool     `json:"locked,omitempty"` // against editing
	Part    string   `json:"part,omitempty"`   // where it is not in the body: header 1
}

// formField is a field of a form with where it stands in its part.
type formField struct {
	FormFieldMap
	part    *part
	all     span // the w:sdt, or from the run of a legacy field's begin on
	props   span // sdtPr or ffData
	content span // inside sdtContent; of a legacy field its result
	by      binding
	legacy  bool
	values  map[string]string // of choices: what is stored for what is shown
	format  string            // dateFormat
	box     [2]span           // legacy checkbox: the element to set
}

// maxFormFields bounds what is listed and filled.
const maxFormFields = 5000

// formFields lists the fields of all parts.
func (d *document) formFields(ctx context.Context) ([]*formField, error) {
	parts, err := d.textParts(ctx)
	if err != nil {
		return nil, err
	}
	var out []*formField
	for _, tp := range parts {
		if tp.dialect != paragraph.Word || tp.word == "comments" {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(p.doc, []byte("sdtPr")) && !bytes.Contains(p.doc, []byte("ffData")) {
			continue
		}
		found, err := formFieldsOf(ctx, p)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
		if len(out) > maxFormFields {
			return nil, formats.Errorf(formats.CodeTooLarge, "the document has more than %d form fields", maxFormFields)
		}
	}
	return out, nil
}

// mapForms lists the form fields.
func (d *document) mapForms(ctx context.Context, m *Map) error {
	all, err := d.formFields(ctx)
	if formats.CodeOf(err) == formats.CodeTooLarge {
		m.FormsOmitted = maxFormFields
		return nil
	}
	for _, f := range all {
		one := f.FormFieldMap
		one.Name, one.Title, one.Value = clip(one.Name, 60), clip(one.Title, 60), clip(one.Value, 80)
		one.Choices = slices.Clone(one.Choices[:min(20, len(one.Choices))])
		for i, c := range one.Choices {
			one.Choices[i] = clip(c, 40)
		}
		m.FormFields = append(m.FormFields, one)
	}
	return err
}

// formReader reads the fields of a part.
type formReader struct {
	part   *part
	out    []*formField
	open   []*formField // content controls
	depth  []int
	fields []*formField // begun complex fields; nil entries have no form data
	text   []*strings.Builder
	inText bool
	run    span
}

func formFieldsOf(ctx context.Context, p *part) ([]*formField, error) {
	r := &formReader{part: p}
	sc := xmlscan.New(p.doc)
	for n := 0; sc.Next(); n++ {
		if n%8192 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			if t.Local == "Fallback" {
				sc.Skip()
				continue
			}
			r.start(t, sc)
		case xmlscan.End:
			r.end(t)
		case xmlscan.Text:
			for i := range r.open {
				if r.inText {
					r.text[i].WriteString(xmlscan.Unescape(t.Bytes()))
				}
			}
		}
		if len(r.out) > maxFormFields {
			break
		}
	}
	return r.out, corrupt(p.name, sc.Err())
}

func (r *formReader) start(t xmlscan.Token, sc *xmlscan.Scanner) {
	switch {
	case t.Space != nsW:
	case t.Local == "sdt" && !t.Empty:
		f := &formField{part: r.part, all: span{start: t.Start}, FormFieldMap: FormFieldMap{Kind: "text", Part: r.part.what}}
		r.open, r.depth, r.text = append(r.open, f), append(r.depth, t.Depth), append(r.text, &strings.Builder{})
		r.out = append(r.out, f)
	case t.Local == "sdtPr" && len(r.open) > 0 && t.Depth == r.depth[len(r.depth)-1]+1 && !t.Empty:
		f := r.open[len(r.open)-1]
		f.props = span{t.Start, elementEnd(r.part.doc, t)}
		f.readControl(r.part.doc)
		sc.Skip()
	case t.Local == "sdtContent" && len(r.open) > 0 && t.Depth == r.depth[len(r.depth)-1]+1 && !t.Empty:
		r.open[len(r.open)-1].content.start = t.End
	case t.Local == "r":
		r.run = span{t.Start, 0}
	case t.Local == "t":
		r.inText = !t.Empty
	case t.Local == "fldChar":
		r.fieldChar(t)
	}
}

func (r *formReader) end(t xmlscan.Token) {
	if t.Space != nsW {
		return
	}
	n := len(r.open) - 1
	switch {
	case t.Local == "t":
		r.inText = false
	case t.Local == "sdtContent" && n >= 0 && t.Depth == r.depth[n]+1:
		r.open[n].content.end = t.Start
	case t.Local == "sdt" && n >= 0 && t.Depth == r.depth[n]:
		f := r.open[n]
		f.all.end = t.End
		if f.Kind != "checkbox" && !f.Empty {
			f.Value = r.text[n].String()
		}
		r.open, r.depth, r.text = r.open[:n], r.depth[:n], r.text[:n]
	case t.Local == "r" && len(r.fields) > 0:
		if f := r.fields[len(r.fields)-1]; f != nil && f.content.start < 0 {
			f.content.start = t.End // behind the run with the separator
		}
	}
}

// readControl takes the properties of a content control.
func (f *formField) readControl(doc []byte) {
	tag := ""
	f.values = map[string]string{}
	sc := xmlscan.New(doc[f.props.start:f.props.end])
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		val := t.AttrLocal("val")
		switch t.Local {
		case "rPr":
			sc.Skip()
		case "tag":
			tag = val
		case "alias":
			f.Title = val
		case "lock":
			f.Locked = val == "contentLocked" || val == "sdtContentLocked"
		case "showingPlcHdr":
			f.Empty = onOff(t)
		case "dataBinding":
			f.Bound = true
			f.by = binding{strings.ToUpper(t.AttrLocal("storeItemID")), t.AttrLocal("xpath"), t.AttrLocal("prefixMappings")}
		case "date":
			f.Kind = "date"
		case "dateFormat":
			f.format = val
		case "checkbox":
			f.Kind, f.Value = "checkbox", "false"
		case "checked":
			if val == "1" || val == "true" || val == "on" {
				f.Value = "true"
			}
		case "dropDownList":
			f.Kind = "dropdown"
		case "comboBox":
			f.Kind = "combo"
		case "picture":
			f.Kind = "picture"
		case "group", "docPartObj", "docPartList", "citation", "bibliography", "equation", "repeatingSection", "repeatingSectionItem":
			f.Kind = "other"
		case "listItem":
			shown, stored := t.AttrLocal("displayText"), t.AttrLocal("value")
			if shown == "" {
				shown = stored
			}
			if len(f.Choices) < 200 && shown != "" {
				f.Choices = append(f.Choices, shown)
				f.values[shown] = stored
			}
		}
	}
	if f.Name = tag; tag == "" {
		f.Name, f.Title = f.Title, ""
	}
}

// fieldChar takes the parts of a legacy field.
func (r *formReader) fieldChar(t xmlscan.Token) {
	n := len(r.fields) - 1
	switch t.AttrLocal("fldCharType") {
	case "begin":
		var f *formField
		if !t.Empty {
			at := span{t.Start, elementEnd(r.part.doc, t)}
			if bytes.Contains(r.part.doc[at.start:at.end], []byte("ffData")) {
				f = &formField{part: r.part, all: span{start: r.run.start}, props: at, content: span{start: 0}, legacy: true, FormFieldMap: FormFieldMap{Kind: "text", Part: r.part.what}}
				f.readLegacy(r.part.doc)
			}
		}
		r.fields = append(r.fields, f)
	case "separate":
		if n >= 0 && r.fields[n] != nil {
			r.fields[n].content.start = -1
		}
	case "end":
		if n < 0 {
			return
		}
		if f := r.fields[n]; f != nil {
			f.all.end = r.run.start
			if f.content.start > 0 {
				f.content.end = r.run.start
				if f.Kind == "text" {
					f.Value = plainText(r.part.doc[f.content.start:f.content.end])
				}
			}
			r.out = append(r.out, f)
		}
		r.fields = r.fields[:n]
	}
}

// plainText returns the text of runs.
func plainText(xml []byte) string {
	var sb strings.Builder
	in := false
	sc := xmlscan.New(xml)
	for sc.Next() {
		switch t := sc.Token(); t.Kind {
		case xmlscan.Start:
			in = t.Local == "t" && !t.Empty
		case xmlscan.End:
			in = false
		case xmlscan.Text:
			if in {
				sb.WriteString(xmlscan.Unescape(t.Bytes()))
			}
		}
	}
	return strings.Trim(sb.String(), "\u2002 ") // Word fills empty ones with wide blanks
}

// readLegacy takes the form data of a field (17.16.17).
func (f *formField) readLegacy(doc []byte) {
	sc := xmlscan.New(doc[f.props.start:f.props.end])
	result, def, def2 := -1, 0, ""
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		val := t.AttrLocal("val")
		at := span{f.props.start + t.Start, f.props.start + t.End}
		switch t.Local {
		case "name":
			f.Name = val
		case "checkBox":
			f.Kind, f.Value = "checkbox", "false"
			f.box[0] = at
		case "ddList":
			f.Kind = "dropdown"
			f.box[0] = at
		case "default":
			if f.Kind == "checkbox" && onOff(t) {
				def2 = "true"
			}
			def = max(0, atoi(val))
		case "checked":
			def2 = fmt.Sprint(onOff(t))
			f.box[1] = at
		case "result":
			result, f.box[1] = atoi(val), at
		case "listEntry":
			f.Choices = append(f.Choices, val)
		case "enabled":
			f.Locked = !onOff(t)
		}
	}
	switch {
	case f.Kind == "checkbox" && def2 != "":
		f.Value = def2
	case f.Kind == "dropdown" && len(f.Choices) > 0:
		if result < 0 {
			result = def
		}
		f.Value = f.Choices[min(result, len(f.Choices)-1)]
	}
}

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
