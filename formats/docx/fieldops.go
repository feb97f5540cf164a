package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// insertFieldArgs are the members of insert_field.
type insertFieldArgs struct {
	At     string  `json:"at" usage:"at (the field goes to its end)"`
	Search *string `json:"search" usage:"or search (text that becomes the field)" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	Code   string  `json:"code" usage:"code" jsonschema:"{ops}: code of the field, such as DATE \\@ \"d MMMM yyyy\", PAGE, NUMPAGES, AUTHOR, TITLE, FILENAME, SEQ Figure, STYLEREF \"Heading 1\", REF bookmark, MERGEFIELD Name, IF 1 = 1 \"yes\" \"no\", = SUM(ABOVE)"`
	Result *string `json:"result" usage:"result?" jsonschema:"{ops}: what the field shows until it is updated; default what Atelier can tell"`
	matchArgs
	trackingArgs
}

// fieldNames are the fields that operations write (17.16.5).
var fieldNames = strings.Fields("DATE TIME CREATEDATE SAVEDATE PRINTDATE PAGE NUMPAGES SECTION SECTIONPAGES NUMWORDS NUMCHARS AUTHOR TITLE SUBJECT KEYWORDS COMMENTS LASTSAVEDBY FILENAME SEQ STYLEREF REF PAGEREF NOTEREF MERGEFIELD IF DOCPROPERTY QUOTE =")

// maxFieldCode bounds the code of a field in bytes.
const maxFieldCode = 1000

// checkCode returns the code of a field taken apart, and refuses those that
// operations do not write.
func checkCode(code string) (instruction, error) {
	code = strings.TrimSpace(code)
	if rest, ok := strings.CutPrefix(code, "{"); ok {
		code = strings.TrimSpace(strings.TrimSuffix(rest, "}"))
	}
	in := parseInstruction(formulaSpaced(code))
	other := map[string]string{"HYPERLINK": "add_hyperlink", "TOC": "add_table_of_contents", "FORMTEXT": "fill_form_field", "FORMCHECKBOX": "fill_form_field", "FORMDROPDOWN": "fill_form_field"}[in.name]
	switch {
	case code == "":
		return in, formats.Errorf(formats.CodeInvalid, "code is required: the code of the field, such as PAGE or DATE \\@ \"d MMMM yyyy\"")
	case len(code) > maxFieldCode:
		return in, formats.Errorf(formats.CodeInvalid, "code has %d bytes; a field has at most %d", len(code), maxFieldCode)
	case strings.ContainsAny(code, "{}"):
		return in, formats.Errorf(formats.CodeUnsupported, "fields in fields cannot be written")
	case other != "":
		return in, formats.Errorf(formats.CodeInvalid, "%s is written by %s", in.name, other)
	case !slices.Contains(fieldNames, in.name):
		return in, formats.Errorf(formats.CodeUnsupported, "the field %q cannot be written; there are %s", clip(in.name, 40), strings.Join(fieldNames, ", "))
	case len(in.args) == 0 && slices.Contains([]string{"SEQ", "STYLEREF", "REF", "PAGEREF", "NOTEREF", "MERGEFIELD", "DOCPROPERTY", "IF", "="}, in.name):
		return in, formats.Errorf(formats.CodeInvalid, "%s needs a name or an expression behind it", in.name)
	case in.name == "SEQ":
		return in, checkSequence(in.args[0])
	}
	return in, nil
}

// formulaSpaced puts a blank behind the = of a formula.
func formulaSpaced(code string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(code), "="); ok {
		return "= " + rest
	}
	return code
}

// insertField puts a field at the end of a paragraph or in place of a text. It
// shows what it will where that is known; else it is marked to be updated when the
// document is opened, and the answer says so.
func (e *editing) insertField(ctx context.Context, op insertFieldArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	in, err := checkCode(op.Code)
	if err != nil {
		return rep, err
	}
	pl, m, err := e.anchor(ctx, anchorArgs{op.At, op.Search, op.matchArgs})
	if err != nil {
		return rep, err
	}
	para := pl.paras[pl.para]
	if op.Search != nil && !para.SameContainer(m.Start, m.End) {
		return rep, formats.Errorf(formats.CodeInvalid, "%q reaches over the edge of a link or a content control; choose a shorter text", *op.Search)
	}
	at := pl.innerEnd
	if op.Search != nil {
		at = pl.start
	}
	r, err := e.resultOf(ctx, in, pl, at)
	if err != nil {
		return rep, err
	}
	if op.Result != nil {
		r = fieldResult{text: *op.Result, dirty: r.dirty || r.text != *op.Result}
	}
	rPr := ""
	para.Restyle([]paragraph.Range{{Start: max(0, m.Start-1), End: max(m.Start, m.End)}}, func(r string) string { rPr = cleanRun(r, pl.prefix); return r })
	xml := e.recorded(pl.prefix, "ins", fieldRuns(pl.prefix, rPr, " "+codeText(op.Code)+" ", r.text, r.dirty))
	rep.Made = e.addressOf(ctx, pl)
	if op.Search == nil {
		e.put(pl.part, pl.node, pl.innerEnd, pl.innerEnd, xml)
	} else if err := e.putInstead(ctx, pl, m, xml); err != nil {
		return rep, err
	}
	r.tell(&rep)
	return rep, e.renumber(ctx, in, &rep)
}

// codeText returns the code of a field without what may be written around it.
func codeText(code string) string {
	code = strings.TrimSpace(code)
	if rest, ok := strings.CutPrefix(code, "{"); ok {
		code = strings.TrimSpace(strings.TrimSuffix(rest, "}"))
	}
	return strings.Join(strings.FieldsFunc(code, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
}

// renumber corrects the numbers of the sequence that a field belongs to.
func (e *editing) renumber(ctx context.Context, in instruction, rep *formats.OpReport) error {
	if in.name != "SEQ" {
		return nil
	}
	n, err := e.renumberSequence(ctx, in.args[0])
	if n > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s of the sequence %s got the number that follows; references to them show the old one until they are updated", formats.Count(n, "other field", "other fields"), in.args[0]))
	}
	return err
}

// changeFieldArgs are the members of change_field.
type changeFieldArgs struct {
	At     string       `json:"at" usage:"at"`
	Number *lenient.Int `json:"number" usage:"number? (which field of the paragraph, from 1)" jsonschema:"{ops}: which one of the paragraph, from 1"`
	Code   string       `json:"code" usage:"code?" jsonschema:"{ops}: code of the field, such as DATE \\@ \"d MMMM yyyy\", PAGE, NUMPAGES, AUTHOR, TITLE, FILENAME, SEQ Figure, STYLEREF \"Heading 1\", REF bookmark, MERGEFIELD Name, IF 1 = 1 \"yes\" \"no\", = SUM(ABOVE)"`
	Result *string      `json:"result" usage:"or result?" jsonschema:"{ops}: what the field shows until it is updated; default what Atelier can tell"`
	Unlink lenient.Bool `json:"unlink" usage:"or unlink (true: its result becomes text)" jsonschema:"{ops}: the result of the field becomes text"`
}

// changeField gives a field another code or result, shows anew what it shows, or
// makes its result text (17.16.18). It is not recorded as a tracked change.
func (e *editing) changeField(ctx context.Context, op changeFieldArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, err := e.want(ctx, op.At, paraNode)
	if err != nil {
		return rep, err
	}
	f, err := e.fieldIn(ctx, pl, op)
	if err != nil {
		return rep, err
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the change of a field is not recorded as a tracked change")
	}
	if op.Unlink {
		if op.Code != "" || op.Result != nil {
			return rep, formats.Errorf(formats.CodeInvalid, "unlink makes the result text; it takes no code and no result")
		}
		e.document.splice(pl.part, f.unlinked()...)
		rep.Notes = append(rep.Notes, fmt.Sprintf("was the field %s; it stays as text", clip(oneSpaced(f.instr), 120)))
		return rep, nil
	}
	if f.inner {
		return rep, formats.Errorf(formats.CodeUnsupported, "the field has other fields in its code; change it in Word, or unlink it")
	}
	code := op.Code
	if code == "" {
		code = f.instr
	}
	in, err := checkCode(code)
	if err != nil {
		return rep, err
	}
	r, err := e.resultOf(ctx, in, pl, f.all.start)
	if err != nil {
		return rep, err
	}
	if op.Result != nil {
		r = fieldResult{text: *op.Result, dirty: r.dirty || r.text != *op.Result}
	}
	rPr := resultProps(pl.part, f.result)
	if rPr == "" && !f.simple {
		rPr = resultProps(pl.part, f.code)
	}
	xml := fieldRuns(pl.prefix, rPr, " "+codeText(code)+" ", r.text, r.dirty)
	rep.Notes = append(rep.Notes, fmt.Sprintf("was %s, which showed %q", clip(oneSpaced(f.instr), 120), clip(plainText(pl.doc[f.result.start:f.result.end]), 60)))
	e.document.splice(pl.part, xmlscan.Splice{Start: f.all.start, End: f.all.end, New: []byte(xml)})
	r.tell(&rep)
	return rep, e.renumber(ctx, in, &rep)
}

// fieldIn returns the field of a paragraph that an operation names.
func (e *editing) fieldIn(ctx context.Context, pl place, op changeFieldArgs) (fieldAt, error) {
	all, err := fieldsOf(ctx, pl.doc)
	if err != nil {
		return fieldAt{}, corrupt(pl.name, err)
	}
	all = slices.DeleteFunc(all, func(f fieldAt) bool {
		return f.all.start < pl.start || f.all.end > pl.end || f.form || firstWord(f.instr) == "HYPERLINK"
	})
	slices.SortFunc(all, func(a, b fieldAt) int { return a.all.start - b.all.start })
	i := 0
	switch {
	case len(all) == 0:
		return fieldAt{}, formats.Errorf(formats.CodeNotFound, "%s has no field that begins and ends in it; insert_field makes one", op.At)
	case op.Number != nil:
		i = int(*op.Number) - 1
	case len(all) > 1:
		var list []string
		for _, f := range all {
			list = append(list, clip(oneSpaced(f.instr), 40))
		}
		return fieldAt{}, formats.Errorf(formats.CodeInvalid, "%s has %d fields: say with number which one: %s", op.At, len(all), clip(strings.Join(list, "; "), 300))
	}
	if i < 0 || i >= len(all) {
		return fieldAt{}, formats.Errorf(formats.CodeInvalid, "number is %d; %s has %d fields", i+1, op.At, len(all))
	}
	return all[i], nil
}

// unlinked returns what takes a field away and leaves its result.
func (f fieldAt) unlinked() []xmlscan.Splice {
	switch {
	case f.result.end <= f.result.start:
		return []xmlscan.Splice{{Start: f.all.start, End: f.all.end}}
	case f.simple:
		return []xmlscan.Splice{{Start: f.all.start, End: f.result.start}, {Start: f.result.end, End: f.all.end}}
	}
	return []xmlscan.Splice{{Start: f.all.start, End: f.sep.end}, {Start: f.end.start, End: f.end.end}}
}

// resultProps returns the run properties of the first run in a stretch.
func resultProps(p *part, at span) string {
	if at.end <= at.start {
		return ""
	}
	raw := p.doc[at.start:at.end]
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Local == "rPr" {
			return cleanRun(string(raw[t.Start:sc.Skip()]), p.prefix)
		}
		if t.Local == "t" || t.Local == "instrText" {
			break
		}
	}
	return ""
}
