package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

// numberHeadingsArgs are the members of number_headings.
type numberHeadingsArgs struct {
	Format  string       `json:"format" usage:"format" jsonschema:"{ops}: decimal (1, 1.1, 1.1.1), legal (1., 1.1.), article (Article I, Section 1.1, (a)), chapter (Chapter 1, 1.1), section (§ 1, § 1.1), roman (I., A., 1.) or none"`
	Labels  []string     `json:"labels" usage:"labels?" jsonschema:"{ops}: own labels by level, %1 is the number of Heading 1, %2 of Heading 2: [\"Part %1\",\"%1.%2\"]"`
	Level   *lenient.Int `json:"level" usage:"level? (deepest heading level, 1 to 9)" jsonschema:"{ops}: 0 to 8"`
	StartAt *lenient.Int `json:"start_at" jsonschema:"{ops}: number of the first Heading 1"`
}

// headingForm is the numbering of headings: the format and the label of each level
// (17.9.17, 17.9.11); levels where legal holds show all numbers as decimals.
type headingForm struct {
	formats []string
	labels  []string
	legal   []bool
}

// headingForms are the formats that number_headings knows.
var headingForms = map[string]headingForm{
	"decimal": {[]string{"decimal"}, dotted("", ""), nil},
	"legal":   {[]string{"decimal"}, dotted("", "."), nil},
	"section": {[]string{"decimal"}, dotted("§ ", ""), nil},
	"chapter": {[]string{"decimal"}, append([]string{"Chapter %1"}, dotted("", "")[1:]...), nil},
	"article": {[]string{"upperRoman", "decimal", "lowerLetter", "lowerRoman", "decimal", "lowerLetter", "lowerRoman", "lowerLetter", "lowerRoman"},
		[]string{"Article %1", "Section %1.%2", "(%3)", "(%4)", "%5)", "%6)", "%7)", "%8.", "%9."}, []bool{false, true}},
	"roman": {[]string{"upperRoman", "upperLetter", "decimal", "lowerLetter", "decimal", "lowerLetter", "lowerRoman", "lowerLetter", "lowerRoman"},
		[]string{"%1.", "%2.", "%3.", "%4)", "(%5)", "(%6)", "(%7)", "(%8)", "(%9)"}, nil},
}

// dotted returns labels such as %1.%2 for all levels.
func dotted(before, after string) []string {
	out := make([]string, maxLevels)
	for at := range out {
		out[at] = before + strings.TrimSuffix("%1.%2.%3.%4.%5.%6.%7.%8.%9."[:3*(at+1)], ".") + after
	}
	return out
}

var labelNumber = lazyregexp.New(`%(\d?)`)

// numberHeadings links a multilevel list with the heading styles (17.9.23), gives
// the list of headings another form, or takes it away. Definitions and styles are
// not recorded as tracked changes.
func (e *editing) numberHeadings(ctx context.Context, op numberHeadingsArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	form, deepest, err := op.form()
	if err != nil {
		return rep, err
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the numbering of headings is not recorded as a tracked change")
	}
	ids, missing := e.headingStyles(deepest)
	if len(ids) == 0 {
		return rep, formats.Errorf(formats.CodeInvalid, "the document has no heading styles; give headings a style such as Heading 1 first")
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return rep, err
	}
	num := e.headingList(nb)
	if form == nil {
		err = e.dropHeadingList(ctx, &rep)
	} else {
		if len(missing) > 0 {
			rep.Notes = append(rep.Notes, "the document has no style "+strings.Join(missing, ", ")+"; headings of these levels get a number once it has")
		}
		err = e.makeHeadingList(ctx, *form, op, num, ids, &rep)
	}
	if err != nil {
		return rep, err
	}
	return rep, e.tellHeadings(ctx, &rep)
}

// form checks the members and returns the numbering, nil for none.
func (op numberHeadingsArgs) form() (*headingForm, int, error) {
	deepest := maxLevels
	if op.Level != nil {
		deepest = int(*op.Level)
	}
	name := strings.ToLower(strings.TrimSpace(op.Format))
	if name == "" && len(op.Labels) > 0 {
		name = "decimal"
	}
	form, ok := headingForms[name]
	switch {
	case deepest < 1 || deepest > maxLevels:
		return nil, 0, formats.Errorf(formats.CodeInvalid, "level is %d; for headings it is 1 to %d", deepest, maxLevels)
	case name == listNone && (len(op.Labels) > 0 || op.StartAt != nil || op.Level != nil):
		return nil, 0, formats.Errorf(formats.CodeInvalid, "format none takes no labels, level or start_at")
	case name == listNone:
		return nil, maxLevels, nil
	case !ok:
		return nil, 0, formats.Errorf(formats.CodeInvalid, "format %q is not one of decimal, legal, article, chapter, section, roman, none", clip(op.Format, 40))
	case op.StartAt != nil && (*op.StartAt < 0 || *op.StartAt > 32767):
		return nil, 0, formats.Errorf(formats.CodeInvalid, "start_at is %d; it is 0 to 32767", int(*op.StartAt))
	case len(op.Labels) > maxLevels:
		return nil, 0, formats.Errorf(formats.CodeInvalid, "labels has %d levels; there are %d", len(op.Labels), maxLevels)
	}
	form.labels = slices.Clone(form.labels)
	for at, l := range op.Labels {
		if strings.TrimSpace(l) == "" {
			continue
		}
		own := false
		for _, m := range labelNumber.FindAllStringSubmatch(l, -1) {
			n := atoi(m[1])
			if n < 1 || n > at+1 {
				return nil, 0, formats.Errorf(formats.CodeInvalid, "labels: %q of level %d may have %%1 to %%%d", clip(l, 40), at+1, at+1)
			}
			own = own || n == at+1
		}
		if !own || len(l) > 60 {
			return nil, 0, formats.Errorf(formats.CodeInvalid, "labels: %q of level %d must have %%%d, its own number, and at most 60 characters", clip(l, 40), at+1, at+1)
		}
		form.labels[at] = l
	}
	return &form, deepest, nil
}

// headingStyles returns the ids of the heading styles by level from 0, and the
// names of those up to the deepest in use that the document lacks.
func (e *editing) headingStyles(deepest int) (ids map[int]string, missing []string) {
	ids = map[int]string{}
	last := 0
	for at := range deepest {
		if id, ok := e.styles.find(fmt.Sprintf("heading %d", at+1)); ok {
			ids[at], last = id, at
		}
	}
	for at := range last {
		if ids[at] == "" {
			missing = append(missing, fmt.Sprintf("Heading %d", at+1))
		}
	}
	return ids, missing
}

// headingList returns the instance through which a heading style is numbered, ""
// for none.
func (e *editing) headingList(nb *numbering) string {
	for at := range maxLevels {
		id, ok := e.styles.find(fmt.Sprintf("heading %d", at+1))
		if ok && e.styles[id].list.num != "" && nb.def(e.styles[id].list.num) != nil {
			return e.styles[id].list.num
		}
	}
	return ""
}

// makeHeadingList writes the definition and gives it to the styles. An instance
// that headings have is kept and shows the new definition, so that headings which
// name it themselves go along.
func (e *editing) makeHeadingList(ctx context.Context, form headingForm, op numberHeadingsArgs, num string, ids map[int]string, rep *formats.OpReport) error {
	if err := e.freeHeadingStyles(ctx); err != nil {
		return err
	}
	name, doc, err := e.numberingPart(ctx)
	if err != nil {
		return err
	}
	z, err := readNumberingEnds(doc)
	if err != nil {
		return corrupt(name, err)
	}
	w := z.prefix
	def := e.headingDefinition(z, form, op, ids)
	instance := fmt.Sprintf(`<%[1]snum %[1]snumId="%%s"><%[1]sabstractNumId %[1]sval="%[2]d"/></%[1]snum>`, w, z.nextDef)
	if at, ok := z.rawNum[num]; ok && num != "" {
		// In one round: the old instance is written anew where it stands.
		e.writeNumbering(name, xmlscan.Apply(doc, []xmlscan.Splice{{Start: at.start, End: at.end, New: []byte(fmt.Sprintf(instance, num))}}), shifted(z, at, len(fmt.Sprintf(instance, num))), def, "")
	} else {
		num = fmt.Sprint(z.nextNum)
		e.writeNumbering(name, doc, z, def, fmt.Sprintf(instance, num))
	}
	if err := e.numberStyles(ctx, func(at int) string {
		if ids[at] == "" {
			return ""
		}
		return num
	}); err != nil {
		return err
	}
	rep.Hits = len(ids)
	return nil
}

// shifted returns the ends of a numbering part one of whose instances got another
// length.
func shifted(z numberingEnds, at span, now int) numberingEnds {
	by := now - (at.end - at.start)
	if z.defs > at.start {
		z.defs += by
	}
	if z.nums > at.start {
		z.nums += by
	}
	return z
}

// headingDefinition returns the abstractNum of headings.
func (e *editing) headingDefinition(z numberingEnds, form headingForm, op numberHeadingsArgs, ids map[int]string) string {
	w := z.prefix
	var sb strings.Builder
	fmt.Fprintf(&sb, `<%[1]sabstractNum %[1]sabstractNumId="%[2]d"><%[1]snsid %[1]sval="%08[3]X"/><%[1]smultiLevelType %[1]sval="multilevel"/>`, w, z.nextDef, 0x41750000+z.nextDef)
	for at := range maxLevels {
		start := 1
		if at == 0 && op.StartAt != nil {
			start = int(*op.StartAt)
		}
		style, legal, suffix := "", "", ""
		if ids[at] != "" {
			style = fmt.Sprintf(`<%[1]spStyle %[1]sval="%[2]s"/>`, w, escape(ids[at]))
		}
		if at < len(form.legal) && form.legal[at] {
			legal = "<" + w + "isLgl/>"
		}
		left := 432 + 144*at
		hanging := left
		words := strings.TrimSpace(labelNumber.ReplaceAllString(form.labels[at], ""))
		if len(strings.Trim(words, ".()§ ")) > 1 { // words: too long for a fixed indent
			suffix, left, hanging = fmt.Sprintf(`<%[1]ssuff %[1]sval="space"/>`, w), 0, 0
		}
		fmt.Fprintf(&sb, `<%[1]slvl %[1]silvl="%[2]d"><%[1]sstart %[1]sval="%[3]d"/><%[1]snumFmt %[1]sval="%[4]s"/>%[5]s%[6]s%[7]s<%[1]slvlText %[1]sval="%[8]s"/><%[1]slvlJc %[1]sval="%[9]s"/><%[1]spPr><%[1]sind %[1]s%[9]s="%[10]d" %[1]shanging="%[11]d"/></%[1]spPr></%[1]slvl>`,
			w, at, start, form.formats[at%len(form.formats)], style, legal, suffix, escape(form.labels[at]), side("left", e.strict), left, hanging)
	}
	fmt.Fprintf(&sb, `</%sabstractNum>`, w)
	return sb.String()
}

// freeHeadingStyles takes the heading styles out of the definitions that name
// them: only one list may (17.9.23).
func (e *editing) freeHeadingStyles(ctx context.Context) error {
	name, doc, err := e.related(ctx, "numbering")
	if err != nil || name == "" {
		return err
	}
	headings := map[string]bool{}
	for at := range maxLevels {
		if id, ok := e.styles.find(fmt.Sprintf("heading %d", at+1)); ok {
			headings[id] = true
		}
	}
	if now := dropElements(doc, func(t xmlscan.Token) bool { return t.Is(nsW, "pStyle") && headings[t.AttrLocal("val")] }); len(now) != len(doc) {
		e.set(name, now)
		e.lists = nil
	}
	return nil
}

// styleSchema has the children of CT_Style (17.7.4.17).
var styleSchema = element.NewSchema("name aliases basedOn next link autoRedefine hidden uiPriority semiHidden unhideWhenUsed qFormat locked personal personalCompose personalReply rsid pPr rPr tblPr trPr tcPr tblStylePr")

// numberStyles gives each heading style the list that of returns for its level,
// "" for none.
func (e *editing) numberStyles(ctx context.Context, of func(at int) string) error {
	name, doc, err := e.related(ctx, "styles")
	if err != nil || name == "" {
		return err
	}
	spans := styleElements(doc)
	root, err := rootOf(doc)
	if err != nil {
		return corrupt(name, err)
	}
	w := root.prefix
	var splices []xmlscan.Splice
	for at := range maxLevels {
		id, ok := e.styles.find(fmt.Sprintf("heading %d", at+1))
		where, there := spans[id]
		if !ok || !there {
			continue
		}
		st := element.Parse(string(doc[where.start:where.end]), w+"style", styleSchema)
		pPr := paraProps(st.Get("pPr"), w)
		num := of(at)
		switch {
		case num != "":
			pPr.Set("numPr", numPr(w, num, at))
		case e.inheritsNumber(id):
			pPr.Set("numPr", numPr(w, "0", 0))
		default:
			pPr.Drop("numPr")
		}
		if raw := pPr.Optional(); raw == "" {
			st.Drop("pPr")
		} else {
			st.Set("pPr", raw)
		}
		splices = append(splices, xmlscan.Splice{Start: where.start, End: where.end, New: []byte(st.String())})
	}
	e.set(name, xmlscan.Apply(doc, splices))
	e.styles, err = e.readStyles(ctx)
	e.lists = nil
	return err
}

// inheritsNumber reports whether a style gets a list from one that is no heading
// style.
func (e *editing) inheritsNumber(id string) bool {
	for _, st := range e.styles.chain(id)[1:] {
		if st.list.num != "" && st.list.num != "0" && !strings.HasPrefix(strings.ToLower(st.name), "heading ") {
			return true
		}
	}
	return false
}

// dropHeadingList takes the headings out of their list.
func (e *editing) dropHeadingList(ctx context.Context, rep *formats.OpReport) error {
	before := 0
	for at := range maxLevels {
		if id, ok := e.styles.find(fmt.Sprintf("heading %d", at+1)); ok && e.styles[id].list.num != "" && e.styles[id].list.num != "0" {
			before++
		}
	}
	if rep.Hits = before; before == 0 {
		rep.Notes = append(rep.Notes, "no heading style was numbered")
		return nil
	}
	if err := e.freeHeadingStyles(ctx); err != nil {
		return err
	}
	return e.numberStyles(ctx, func(int) string { return "" })
}
