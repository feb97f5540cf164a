package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// addContentControlArgs are the members of add_content_control.
type addContentControlArgs struct {
	At      string       `json:"at" usage:"at (the control goes to its end; rich_text goes around it)"`
	Search  *string      `json:"search" usage:"or search (text that the control goes around)" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	Type    string       `json:"type" usage:"type (text, date, dropdown, combo, checkbox, rich_text)" jsonschema:"{ops}: text, date, dropdown, combo, checkbox or rich_text"`
	Name    string       `json:"name" usage:"name (its tag)" jsonschema:"{ops}: of the field"`
	Title   string       `json:"title" usage:"title?" jsonschema:"{ops}: title of the control"`
	Value   *string      `json:"value" usage:"value?" jsonschema:"{ops}: what to fill in"`
	Choices []string     `json:"choices" usage:"choices?" jsonschema:"{ops}: of a dropdown or combo"`
	Format  string       `json:"format" usage:"format? (of a date: dd.MM.yyyy)" jsonschema:"{ops}: of a date, such as d MMMM yyyy"`
	Locked  lenient.Bool `json:"locked" usage:"locked? (the control cannot be deleted)" jsonschema:"{ops}: the control cannot be deleted"`
	matchArgs
}

const (
	nsWord2010 = "http://schemas.microsoft.com/office/word/2010/wordml"
	// maxChoices bounds the entries of a list.
	maxChoices = 500
)

// controlKinds are the kinds of content controls that operations make (17.5.2).
var controlKinds = []string{"text", "date", "dropdown", "combo", "checkbox", "rich_text"}

// check refuses members that do not go together.
func (op addContentControlArgs) check() error {
	lists := op.Type == "dropdown" || op.Type == "combo"
	switch {
	case !slices.Contains(controlKinds, op.Type):
		return formats.Errorf(formats.CodeInvalid, "type %q is not one of %s", clip(op.Type, 40), strings.Join(controlKinds, ", "))
	case strings.TrimSpace(op.Name) == "" || len(op.Name) > 64 || len(op.Title) > 64:
		return formats.Errorf(formats.CodeInvalid, "name is required: the tag by which fill_form_field finds the control; name and title have at most 64 bytes")
	case lists && len(op.Choices) == 0 || !lists && len(op.Choices) > 0:
		return formats.Errorf(formats.CodeInvalid, "choices are required for dropdown and combo, and only there")
	case op.Format != "" && op.Type != "date":
		return formats.Errorf(formats.CodeInvalid, "format is that of a date")
	case op.Type == "rich_text" && op.Search == nil && op.Value != nil:
		return formats.Errorf(formats.CodeInvalid, "rich_text goes around what is there; it takes no value")
	}
	return checkChoices(op.Choices)
}

func checkChoices(list []string) error {
	if len(list) > maxChoices {
		return formats.Errorf(formats.CodeTooLarge, "choices has %d entries; at most %d are taken", len(list), maxChoices)
	}
	seen := map[string]bool{}
	for _, c := range list {
		if strings.TrimSpace(c) == "" || len(c) > 255 || seen[c] {
			return formats.Errorf(formats.CodeInvalid, "choices: %q is empty, there twice, or longer than 255 bytes", clip(c, 40))
		}
		seen[c] = true
	}
	return nil
}

// addContentControl makes a content control: inside a paragraph at its end or
// around a text, or (rich_text) around a paragraph or table. It is not recorded as
// a tracked change.
func (e *editing) addContentControl(ctx context.Context, op addContentControlArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	op.Type = strings.ToLower(op.Type)
	if err := op.check(); err != nil {
		return rep, err
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the new content control is not recorded as a tracked change")
	}
	id, err := e.newControlID(ctx)
	if err != nil {
		return rep, err
	}
	if op.Type == "rich_text" && op.Search == nil {
		return rep, e.controlAround(ctx, op, id, &rep)
	}
	pl, m, err := e.anchor(ctx, anchorArgs{op.At, op.Search, op.matchArgs})
	if err != nil {
		return rep, err
	}
	text := ""
	para := pl.paras[pl.para]
	if op.Search != nil {
		if !para.SameContainer(m.Start, m.End) {
			return rep, formats.Errorf(formats.CodeInvalid, "%q reaches over the edge of a link or a content control; choose a shorter text", *op.Search)
		}
		text = para.Text()[m.Start:m.End]
	}
	rPr := ""
	para.Restyle([]paragraph.Range{{Start: m.Start, End: max(m.Start, m.End)}}, func(r string) string { rPr = cleanRun(r, pl.prefix); return r })
	w := pl.prefix
	empty := text == ""
	if empty {
		text = map[string]string{"dropdown": "Choose an item.", "combo": "Choose an item.", "date": "Choose a date."}[op.Type]
		if text == "" {
			text = "Enter text."
		}
	}
	if op.Type == "checkbox" {
		text, empty = "☐", false
	}
	content := "<" + w + "r>" + rPr + paragraph.Content(paragraph.Word, w, text) + "</" + w + "r>"
	xml := "<" + w + "sdt>" + op.properties(w, id, empty) + "<" + w + "sdtContent>" + content + "</" + w + "sdtContent></" + w + "sdt>"
	rep.Made = e.addressOf(ctx, pl)
	rev := e.rev
	e.rev = nil
	defer func() { e.rev = rev }()
	if op.Search == nil {
		e.put(pl.part, pl.node, pl.innerEnd, pl.innerEnd, xml)
	} else if err := e.putInstead(ctx, pl, m, xml); err != nil {
		return rep, err
	}
	if op.Type == "checkbox" {
		if err := e.declareWord2010(ctx, pl.textPart); err != nil {
			return rep, err
		}
	}
	if op.Value == nil {
		return rep, nil
	}
	return rep, e.fillNew(ctx, op.Name, id, *op.Value)
}

// declareWord2010 binds the prefix w14 in a part.
func (e *editing) declareWord2010(ctx context.Context, tp textPart) error {
	doc, err := e.ed.ReadXML(ctx, tp.name)
	if err != nil {
		return err
	}
	now, err := declared(doc, &needed{uris: map[string]string{"w14": nsWord2010}, ignorable: map[string]bool{"w14": true}})
	if err == nil && len(now) != len(doc) {
		e.set(tp.name, now)
	}
	return err
}

// fillNew fills the control with an id.
func (e *editing) fillNew(ctx context.Context, name string, id int, value string) error {
	all, err := e.formFields(ctx)
	if err != nil {
		return err
	}
	for _, f := range all {
		if f.Name == name && !f.legacy && strings.Contains(f.part.raw(f.props), fmt.Sprintf(`id %sval="%d"`, f.part.prefix, id)) {
			splices, _, err := e.fill(f, value)
			if err != nil {
				return err
			}
			e.document.splice(f.part, splices...)
		}
	}
	return nil
}

// properties writes the sdtPr of a control (17.5.2.38).
func (op addContentControlArgs) properties(w string, id int, placeholder bool) string {
	var sb strings.Builder
	val := func(name, v string) { fmt.Fprintf(&sb, `<%[1]s%[2]s %[1]sval="%[3]s"/>`, w, name, escape(v)) }
	if op.Title != "" {
		val("alias", op.Title)
	}
	val("tag", op.Name)
	val("id", fmt.Sprint(id))
	if op.Locked {
		val("lock", "sdtLocked")
	}
	if placeholder {
		sb.WriteString("<" + w + "showingPlcHdr/>")
	}
	switch op.Type {
	case "text":
		sb.WriteString("<" + w + "text/>")
	case "rich_text":
		sb.WriteString("<" + w + "richText/>")
	case "date":
		format := op.Format
		if format == "" {
			format = "yyyy-MM-dd"
		}
		fmt.Fprintf(&sb, `<%[1]sdate><%[1]sdateFormat %[1]sval="%[2]s"/><%[1]slid %[1]sval="en-US"/><%[1]sstoreMappedDataAs %[1]sval="dateTime"/><%[1]scalendar %[1]sval="gregorian"/></%[1]sdate>`, w, escape(format))
	case "dropdown":
		sb.WriteString("<" + w + "dropDownList>" + listItems(w, op.Choices) + "</" + w + "dropDownList>")
	case "combo":
		sb.WriteString("<" + w + "comboBox>" + listItems(w, op.Choices) + "</" + w + "comboBox>")
	case "checkbox":
		sb.WriteString(`<w14:checkbox><w14:checked w14:val="0"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/><w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/></w14:checkbox>`)
	}
	return "<" + w + "sdtPr>" + sb.String() + "</" + w + "sdtPr>"
}

func listItems(w string, choices []string) string {
	var sb strings.Builder
	for _, c := range choices {
		fmt.Fprintf(&sb, `<%[1]slistItem %[1]sdisplayText="%[2]s" %[1]svalue="%[2]s"/>`, w, escape(c))
	}
	return sb.String()
}

// controlAround puts a control around a block.
func (e *editing) controlAround(ctx context.Context, op addContentControlArgs, id int, rep *formats.OpReport) error {
	pl, err := e.resolve(ctx, op.At)
	if err != nil {
		return err
	}
	if pl.kind != paraNode && pl.kind != tableNode {
		return formats.Errorf(formats.CodeInvalid, "%s is no paragraph or table to put a control around", op.At)
	}
	if strings.Contains(pl.raw(pl.props), "sectPr") {
		return formats.Errorf(formats.CodeUnsupported, "%s ends a section, which a control cannot hold; use another paragraph", op.At)
	}
	w := pl.prefix
	rep.Made = e.addressOf(ctx, pl)
	e.document.splice(pl.part, xmlscan.Splice{Start: pl.start, End: pl.start, New: []byte("<" + w + "sdt>" + op.properties(w, id, false) + "<" + w + "sdtContent>")},
		xmlscan.Splice{Start: pl.end, End: pl.end, New: []byte("</" + w + "sdtContent></" + w + "sdt>")})
	return nil
}

// newControlID returns an id that no control has.
func (e *editing) newControlID(ctx context.Context) (int, error) {
	parts, err := e.textParts(ctx)
	if err != nil {
		return 0, err
	}
	used := map[int]bool{}
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		doc, err := e.ed.ReadXML(ctx, tp.name)
		if err != nil {
			return 0, err
		}
		sc := xmlscan.New(doc)
		for sc.Next() {
			if t := sc.Token(); t.Kind == xmlscan.Start && t.Is(nsW, "id") {
				used[atoi(t.AttrLocal("val"))] = true
			}
		}
	}
	id := 417_000_001
	for used[id] {
		id++
	}
	return id, nil
}

// changeContentControlArgs are the members of change_content_control.
type changeContentControlArgs struct {
	Name    string        `json:"name" usage:"name" jsonschema:"{ops}: of the field"`
	NewName string        `json:"new_name" usage:"new_name?" jsonschema:"{ops}: its new tag"`
	Title   *string       `json:"title" usage:"title?" jsonschema:"{ops}: title of the control"`
	Choices []string      `json:"choices" usage:"choices?" jsonschema:"{ops}: of a dropdown or combo"`
	Format  string        `json:"format" usage:"format? (of a date: dd.MM.yyyy)" jsonschema:"{ops}: of a date, such as d MMMM yyyy"`
	Locked  *lenient.Bool `json:"locked" usage:"locked? (the control cannot be deleted)" jsonschema:"{ops}: the control cannot be deleted"`
	Unlink  lenient.Bool  `json:"unlink" usage:"or unlink (true: the control goes, its content stays)" jsonschema:"{ops}: the result of the field becomes text"`
}

// controlSchema has the children of CT_SdtPr that operations write (17.5.2.38).
var controlSchema = element.NewSchema("rPr alias tag id lock placeholder temporary showingPlcHdr dataBinding label tabIndex equation comboBox date docPartObj docPartList dropDownList picture richText text citation group bibliography checkbox")

// changeContentControl changes the properties of the content controls of a name,
// or takes them away from around their content. It is not recorded as a tracked
// change.
func (e *editing) changeContentControl(ctx context.Context, op changeContentControlArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if op.NewName == "" && op.Title == nil && op.Choices == nil && op.Format == "" && op.Locked == nil && !bool(op.Unlink) {
		return rep, formats.Errorf(formats.CodeInvalid, "say what to change: new_name, title, choices, format, locked or unlink; fill_form_field changes the content")
	}
	if len(op.NewName) > 64 || op.Title != nil && len(*op.Title) > 64 {
		return rep, formats.Errorf(formats.CodeInvalid, "name and title have at most 64 bytes")
	}
	if err := checkChoices(op.Choices); err != nil {
		return rep, err
	}
	all, err := e.formFields(ctx)
	if err != nil {
		return rep, err
	}
	hit := slices.DeleteFunc(slices.Clone(all), func(f *formField) bool {
		return f.legacy || f.props.end == 0 || !strings.EqualFold(f.Name, op.Name) && !strings.EqualFold(f.Title, op.Name)
	})
	if len(hit) == 0 {
		return rep, noField(all, op.Name)
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the change of a content control is not recorded as a tracked change")
	}
	byPart := map[*part][]xmlscan.Splice{}
	for _, f := range hit {
		rep.Hits++
		if op.Unlink {
			byPart[f.part] = append(byPart[f.part], xmlscan.Splice{Start: f.all.start, End: f.content.start}, xmlscan.Splice{Start: f.content.end, End: f.all.end})
			continue
		}
		now, err := op.apply(f)
		if err != nil {
			return rep, err
		}
		byPart[f.part] = append(byPart[f.part], xmlscan.Splice{Start: f.props.start, End: f.props.end, New: []byte(now)})
		if op.Choices != nil && !slices.Contains(op.Choices, f.Value) && !f.Empty {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%q still shows %q, which is none of the choices", f.Name, clip(f.Value, 40)))
		}
	}
	for p, splices := range byPart {
		e.document.splice(p, splices...)
	}
	return rep, nil
}

// apply returns the properties of a control with the changes.
func (op changeContentControlArgs) apply(f *formField) (string, error) {
	w := f.part.prefix
	pr := element.Parse(f.part.raw(f.props), w+"sdtPr", controlSchema)
	if op.NewName != "" {
		setVal(pr, "tag", op.NewName)
	}
	if op.Title != nil {
		if pr.Drop("alias"); *op.Title != "" {
			setVal(pr, "alias", *op.Title)
		}
	}
	if op.Locked != nil {
		if pr.Drop("lock"); bool(*op.Locked) {
			setVal(pr, "lock", "sdtLocked")
		}
	}
	if op.Choices != nil {
		local := map[string]string{"dropdown": "dropDownList", "combo": "comboBox"}[f.Kind]
		if local == "" {
			return "", formats.Errorf(formats.CodeInvalid, "%q is no dropdown or combo (%s), so it has no choices", f.Name, f.Kind)
		}
		pr.Set(local, "<"+w+local+">"+listItems(w, op.Choices)+"</"+w+local+">")
	}
	if op.Format != "" {
		if f.Kind != "date" {
			return "", formats.Errorf(formats.CodeInvalid, "%q is no date (%s), so it has no format", f.Name, f.Kind)
		}
		date := element.Parse(pr.Get("date"), w+"date", element.NewSchema("dateFormat lid storeMappedDataAs calendar"))
		setVal(date, "dateFormat", op.Format)
		pr.Set("date", date.String())
	}
	return pr.String(), nil
}
