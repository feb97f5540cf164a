package docx

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

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
