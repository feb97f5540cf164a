package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// setListArgs are the members of set_list.
type setListArgs struct {
	severalArgs
	Format       string       `json:"format" jsonschema:"{ops}: makes one new list of the paragraphs: bullet, decimal, lower_letter, upper_letter, lower_roman, upper_roman, legal (1. 1.1 1.1.1); none takes them out of their list"`
	Label        string       `json:"label" jsonschema:"{ops}: with format: how an item is labelled, %1 is its number: (%1), %1), Art. %1; of a bullet its character"`
	Level        *lenient.Int `json:"level" jsonschema:"{ops}: 0 to 8"`
	StartAt      *lenient.Int `json:"start_at" jsonschema:"{ops}: number of the first item; without format restarts there, up to the end of the list or count"`
	ContinueFrom string       `json:"continue_from" jsonschema:"{ops}: address of an item whose list to join"`
	trackingArgs
}

// listFormats are the formats of a new list with the numFmt of its levels
// (17.18.59), which repeat.
var listFormats = map[string][]string{
	"bullet":       {"bullet"},
	"decimal":      {"decimal", "lowerLetter", "lowerRoman"},
	"lower_letter": {"lowerLetter", "lowerRoman", "decimal"},
	"upper_letter": {"upperLetter", "decimal", "lowerLetter"},
	"lower_roman":  {"lowerRoman", "lowerLetter", "decimal"},
	"upper_roman":  {"upperRoman", "upperLetter", "decimal"},
	"legal":        {"decimal"},
}

// setList makes paragraphs items of a list, changes their level, starts their
// numbers anew, joins them to another list, or takes them out of theirs
// (17.3.1.19, 17.9). Definitions are in numbering.xml, which is made where there
// is none; they are not recorded as tracked changes, the properties of the
// paragraphs are.
func (e *editing) setList(ctx context.Context, op setListArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if err := op.check(); err != nil {
		return rep, err
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return rep, err
	}
	pl, run, err := e.several(ctx, op.severalArgs)
	if err != nil {
		return rep, err
	}
	if op.Count == nil && op.StartAt != nil && op.Format == "" && op.ContinueFrom == "" {
		if run, err = e.restOfList(nb, pl); err != nil {
			return rep, err
		}
	}
	run = op.itemsOf(pl.part, run, &rep)
	rep.Hits = len(run)
	if strings.EqualFold(op.Format, listNone) {
		return rep, e.relistAll(ctx, pl.part, run, &rep, func(n *node, pPr string) string { return e.unlisted(nb, pPr, pl.prefix) })
	}
	to, err := e.listFor(ctx, nb, op, pl, run)
	if err != nil {
		return rep, err
	}
	indents := 0
	err = e.relistAll(ctx, pl.part, run, &rep, func(n *node, pPr string) string {
		at := 0
		if m, ok := nb.listOf(e.styles, n.style, n.list); ok {
			at = m.level
		} else if to.level >= 0 {
			at = to.level
		}
		if op.Level != nil {
			at = int(*op.Level)
		}
		p := paraProps(pPr, pl.prefix)
		if to.own || op.Level != nil {
			if p.Get("ind") != "" {
				indents++
			}
			p.Drop("ind") // that of the list's level holds
		}
		num := to.num
		if num == "" {
			m, _ := nb.listOf(e.styles, n.style, n.list)
			num = m.num
		}
		p.Set("numPr", numPr(pl.prefix, num, at))
		return p.Optional()
	})
	if indents > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%d paragraphs had an indent of their own; they now have that of the list", indents))
	}
	return rep, err
}

// check refuses members that do not go together.
func (op setListArgs) check() error {
	format := strings.ToLower(op.Format)
	switch {
	case format != "" && format != listNone && listFormats[format] == nil:
		return formats.Errorf(formats.CodeInvalid, "format %q is not one of bullet, decimal, lower_letter, upper_letter, lower_roman, upper_roman, legal, none", op.Format)
	case format == "" && op.ContinueFrom == "" && op.Level == nil && op.StartAt == nil:
		return formats.Errorf(formats.CodeInvalid, "say what to do: format (a new list, or none), level, start_at (restart) or continue_from")
	case op.Level != nil && (*op.Level < 0 || *op.Level >= maxLevels):
		return formats.Errorf(formats.CodeInvalid, "level is %d; it is 0 to %d", int(*op.Level), maxLevels-1)
	case op.StartAt != nil && (*op.StartAt < 0 || *op.StartAt > 32767):
		return formats.Errorf(formats.CodeInvalid, "start_at is %d; it is 0 to 32767", int(*op.StartAt))
	case format != "" && op.ContinueFrom != "":
		return formats.Errorf(formats.CodeInvalid, "format makes a new list, continue_from joins another: give one of them")
	case op.ContinueFrom != "" && op.StartAt != nil:
		return formats.Errorf(formats.CodeInvalid, "continue_from goes on with the numbers of another list, start_at starts anew: give one of them")
	case format == listNone && (op.Level != nil || op.StartAt != nil):
		return formats.Errorf(formats.CodeInvalid, "format none takes no level and no start_at")
	case format == "bullet" && op.StartAt != nil:
		return formats.Errorf(formats.CodeInvalid, "bullets have no numbers: leave start_at out")
	}
	return op.checkLabel(format)
}

func (op setListArgs) checkLabel(format string) error {
	switch {
	case op.Label == "":
		return nil
	case format == "" || format == listNone || format == "legal":
		return formats.Errorf(formats.CodeInvalid, "label needs a format that makes a new list, and not legal")
	case format == "bullet" && (strings.Contains(op.Label, "%") || len([]rune(op.Label)) > 3):
		return formats.Errorf(formats.CodeInvalid, "label %q is no bullet; write the character, such as –", clip(op.Label, 40))
	case format != "bullet" && (strings.Count(op.Label, "%1") != 1 || strings.Count(op.Label, "%") != 1 || len(op.Label) > 60):
		return formats.Errorf(formats.CodeInvalid, "label %q must have %%1 once, for the number of the item, such as (%%1)", clip(op.Label, 40))
	}
	return nil
}

// itemsOf leaves out empty paragraphs between others, as Word does.
func (op setListArgs) itemsOf(p *part, run []*node, rep *formats.OpReport) []*node {
	if len(run) == 1 || op.Format == "" {
		return run
	}
	filled := slices.DeleteFunc(slices.Clone(run), func(n *node) bool {
		return strings.TrimSpace(p.paras[n.para].Text()) == "" && describeContents(p.doc[n.inner:n.innerEnd]) == ""
	})
	if len(filled) == 0 {
		return run
	}
	if left := len(run) - len(filled); left > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%d empty paragraphs were left as they are", left))
	}
	return filled
}

// restOfList returns the items that follow one in its story with the same list,
// up to one of a higher level, after which the numbers begin anew by themselves.
func (e *editing) restOfList(nb *numbering, pl place) ([]*node, error) {
	m, ok := nb.listOf(e.styles, pl.style, pl.list)
	if !ok {
		return []*node{pl.node}, nil // listFor says what is wrong
	}
	run := []*node{pl.node}
	if pl.node.parent == nil {
		return run, nil
	}
	all := pl.node.parent.kidsOf(paraNode)
	for _, n := range all[slices.Index(all, pl.node)+1:] {
		other, ok := nb.listOf(e.styles, n.style, n.list)
		switch {
		case !ok || other.num != m.num:
		case other.level < m.level:
			return run, nil
		default:
			run = append(run, n)
		}
	}
	return run, nil
}

// listTarget is the list that paragraphs join.
type listTarget struct {
	num   string // "": each stays in its own
	level int    // of paragraphs that are in no list; -1: 0
	own   bool   // its levels bring their indent
}

// listFor finds or makes the list that an operation asks for.
func (e *editing) listFor(ctx context.Context, nb *numbering, op setListArgs, pl place, run []*node) (listTarget, error) {
	level := 0
	if op.Level != nil {
		level = int(*op.Level)
	}
	switch {
	case op.Format != "":
		if op.Level == nil {
			if m, ok := nb.listOf(e.styles, run[0].style, run[0].list); ok {
				level = m.level
			}
		}
		start := -1
		if op.StartAt != nil {
			start = int(*op.StartAt)
		}
		num, err := e.newList(ctx, strings.ToLower(op.Format), op.Label, level, start)
		return listTarget{num, level, true}, err
	case op.ContinueFrom != "":
		from, err := e.want(ctx, op.ContinueFrom, paraNode)
		if err != nil {
			return listTarget{}, err
		}
		m, ok := nb.listOf(e.styles, from.style, from.list)
		if !ok {
			return listTarget{}, formats.Errorf(formats.CodeInvalid, "continue_from: %s is in no list", op.ContinueFrom)
		}
		return listTarget{m.num, m.level, true}, nil
	}
	m := membership{}
	for i, n := range run {
		of, ok := nb.listOf(e.styles, n.style, n.list)
		if !ok {
			return listTarget{}, formats.Errorf(formats.CodeInvalid, "%s is in no list; give format for a new one, or continue_from", e.addressOf(ctx, place{pl.part, n}))
		}
		if i == 0 {
			m = of
		}
	}
	if op.StartAt == nil {
		return listTarget{}, nil
	}
	if op.Level == nil {
		level = m.level
	}
	if l := nb.level(m.num, level); l != nil && l.format == "bullet" {
		return listTarget{}, formats.Errorf(formats.CodeInvalid, "%s has a bullet, which has no number to start at", op.At)
	}
	num, err := e.restartList(ctx, m.num, level, int(*op.StartAt))
	return listTarget{num, level, false}, err
}

// relistAll changes the properties of paragraphs and says which labels they have.
func (e *editing) relistAll(ctx context.Context, p *part, run []*node, rep *formats.OpReport, change func(n *node, pPr string) string) error {
	var splices []xmlscan.Splice
	starts := make([]int, len(run))
	for i, n := range run {
		s, err := e.layoutSplices(place{p, n}, Layout{}, func(pPr string) string { return change(n, pPr) }, rep)
		if err != nil {
			return err
		}
		starts[i] = n.para
		splices = append(splices, s...)
	}
	e.splice(p, splices...)
	now, err := e.load(ctx, p.textPart)
	if err != nil {
		return err
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return err
	}
	labels := e.labels(now, nb)
	var shown []string
	for _, i := range starts {
		if l := labels[now.nodes[i]]; l != "" {
			shown = append(shown, clip(l, 40))
		}
	}
	first := e.addressOf(ctx, place{now, now.nodes[starts[0]]})
	note := first
	if len(run) > 1 {
		note += " to " + e.lastStep(ctx, place{now, now.nodes[starts[len(starts)-1]]})
	}
	switch len(shown) {
	case 0:
		note += ": no list label"
	case 1:
		note += ": label " + shown[0]
	default:
		note += fmt.Sprintf(": labels %s to %s", shown[0], shown[len(shown)-1])
	}
	rep.Notes = append(rep.Notes, note)
	return nil
}

// numberingPart returns numbering.xml, made where there is none.
func (e *editing) numberingPart(ctx context.Context) (name string, doc []byte, err error) {
	if name, doc, err = e.related(ctx, "numbering"); err != nil || name != "" {
		return name, doc, err
	}
	content := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<w:numbering xmlns:w="` + nsW + `"></w:numbering>`
	if name, _, err = e.addRelated(ctx, "word/numbering.xml", "numbering", typePrefix+"numbering+xml", content); err != nil {
		return "", nil, err
	}
	doc, err = e.ed.ReadXML(ctx, name)
	return name, doc, err
}

// numberingEnds is where definitions and instances can be added to a numbering
// part, and the first ids that are free (17.9.16).
type numberingEnds struct {
	prefix     string
	empty      span // of its only tag, when it is written as an empty element
	defs, nums int  // offsets
	nextDef    int
	nextNum    int
	rawNum     map[string]span
}

func readNumberingEnds(doc []byte) (numberingEnds, error) {
	z := numberingEnds{defs: -1, nums: -1, nextNum: 1, rawNum: map[string]span{}}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Depth == 1 && t.Kind == xmlscan.Start:
			if z.prefix = colon(t.Prefix); t.Empty {
				z.empty = span{t.Start, t.End}
			}
		case t.Depth == 1 && t.Kind == xmlscan.End || t.Depth == 2 && t.Kind == xmlscan.Start && t.Is(nsW, "numIdMacAtCleanup"):
			if z.nums < 0 {
				z.nums = t.Start
			}
		case t.Depth != 2 || t.Kind != xmlscan.Start || t.Space != nsW:
		case t.Local == "abstractNum":
			z.nextDef = max(z.nextDef, atoi(t.AttrLocal("abstractNumId"))+1)
		case t.Local == "num":
			if z.defs < 0 {
				z.defs = t.Start
			}
			id := t.AttrLocal("numId")
			z.nextNum = max(z.nextNum, atoi(id)+1)
			z.rawNum[id] = span{t.Start, elementEnd(doc, t)}
		}
	}
	if z.defs < 0 {
		z.defs = z.nums
	}
	return z, sc.Err()
}

// writeNumbering adds a definition, "" for none, and an instance.
func (e *editing) writeNumbering(name string, doc []byte, z numberingEnds, def, num string) {
	if z.empty.end > 0 {
		open := strings.TrimRight(strings.TrimSuffix(string(doc[z.empty.start:z.empty.end]), "/>"), " ")
		e.set(name, xmlscan.Apply(doc, []xmlscan.Splice{{Start: z.empty.start, End: z.empty.end, New: []byte(open + ">" + def + num + "</" + z.prefix + "numbering>")}}))
	} else {
		splices := []xmlscan.Splice{{Start: z.nums, End: z.nums, New: []byte(num)}}
		switch {
		case def == "":
		case z.defs == z.nums:
			splices[0].New = []byte(def + num)
		default:
			splices = []xmlscan.Splice{{Start: z.defs, End: z.defs, New: []byte(def)}, splices[0]}
		}
		e.set(name, xmlscan.Apply(doc, splices))
	}
	e.lists = nil
}

// legalIndents are left and hanging indents of the levels of 1.1.1 in
// twentieths of a point, wide enough for their labels.
var legalIndents = [maxLevels][2]int{{360, 360}, {792, 432}, {1224, 504}, {1728, 648}, {2232, 792}, {2736, 936}, {3240, 1080}, {3744, 1224}, {4320, 1440}}

// newList adds a definition with nine levels and an instance of it; start is -1
// for 1.
func (e *editing) newList(ctx context.Context, format, label string, level, start int) (num string, err error) {
	name, doc, err := e.numberingPart(ctx)
	if err != nil {
		return "", err
	}
	z, err := readNumberingEnds(doc)
	if err != nil {
		return "", corrupt(name, err)
	}
	w := z.prefix
	var sb strings.Builder
	kind := "hybridMultilevel"
	if format == "legal" {
		kind = "multilevel"
	}
	fmt.Fprintf(&sb, `<%[1]sabstractNum %[1]sabstractNumId="%[2]d"><%[1]snsid %[1]sval="%08[3]X"/><%[1]smultiLevelType %[1]sval="%[4]s"/>`, w, z.nextDef, 0x41740000+z.nextDef, kind)
	levels := listFormats[format]
	for at := range maxLevels {
		left, hanging := 720*(at+1), 360
		if format == "legal" {
			left, hanging = legalIndents[at][0], legalIndents[at][1]
		}
		numFmt := levels[at%len(levels)]
		if label != "" && at == level && format != "bullet" {
			numFmt = levels[0]
		}
		fmt.Fprintf(&sb, `<%[1]slvl %[1]silvl="%[2]d"><%[1]sstart %[1]sval="1"/><%[1]snumFmt %[1]sval="%[3]s"/><%[1]slvlText %[1]sval="%[4]s"/><%[1]slvlJc %[1]sval="%[5]s"/><%[1]spPr><%[1]sind %[1]s%[5]s="%[6]d" %[1]shanging="%[7]d"/></%[1]spPr></%[1]slvl>`,
			w, at, numFmt, escape(levelText(format, label, at)), side("left", e.strict), left, hanging)
	}
	fmt.Fprintf(&sb, `</%sabstractNum>`, w)
	override := ""
	if start >= 0 {
		override = startOverride(w, level, start)
	}
	num = fmt.Sprint(z.nextNum)
	e.writeNumbering(name, doc, z, sb.String(), fmt.Sprintf(`<%[1]snum %[1]snumId="%[2]s"><%[1]sabstractNumId %[1]sval="%[3]d"/>%[4]s</%[1]snum>`, w, num, z.nextDef, override))
	return num, nil
}

// levelText returns the lvlText of a level of a new list (17.9.11).
func levelText(format, label string, at int) string {
	switch {
	case format == "bullet" && label != "":
		return label
	case format == "bullet":
		return []string{"•", "◦", "▪"}[at%3]
	case format == "legal" && at == 0:
		return "%1."
	case format == "legal":
		return strings.TrimSuffix("%1.%2.%3.%4.%5.%6.%7.%8.%9."[:3*(at+1)], ".")
	case label != "":
		return strings.Replace(label, "%1", fmt.Sprintf("%%%d", at+1), 1)
	case format == "lower_letter":
		return fmt.Sprintf("%%%d)", at+1)
	}
	return fmt.Sprintf("%%%d.", at+1)
}

func startOverride(w string, level, start int) string {
	return fmt.Sprintf(`<%[1]slvlOverride %[1]silvl="%[2]d"><%[1]sstartOverride %[1]sval="%[3]d"/></%[1]slvlOverride>`, w, level, start)
}

// restartList adds an instance of the definition behind a list whose level
// begins with a number (17.9.26). Levels that the instance defines itself are
// carried over.
func (e *editing) restartList(ctx context.Context, of string, level, start int) (num string, err error) {
	name, doc, err := e.numberingPart(ctx)
	if err != nil {
		return "", err
	}
	z, err := readNumberingEnds(doc)
	if err != nil {
		return "", corrupt(name, err)
	}
	w := z.prefix
	at, ok := z.rawNum[of]
	if !ok {
		return "", formats.Errorf(formats.CodeCorrupt, "%s has no list %s", name, of)
	}
	n := element.Parse(string(doc[at.start:at.end]), w+"num", nil)
	n.DropAttrs("w16cid:durableId") // it identifies one list
	kids := []element.Child{}
	for _, k := range n.Children {
		if k.Local == "lvlOverride" {
			k.XML = withoutStart(k.XML, w, level, start)
		}
		if k.XML != "" {
			kids = append(kids, k)
		}
	}
	n.Children = kids
	if !strings.Contains(n.String(), "startOverride") {
		n.Children = append(n.Children, element.Child{Local: "lvlOverride", XML: startOverride(w, level, start)})
	}
	num = fmt.Sprint(z.nextNum)
	n.SetAttr(w+"numId", num)
	e.writeNumbering(name, doc, z, "", n.String())
	return num, nil
}

// withoutStart returns the lvlOverride of an instance for another that begins
// anew at one level only; "" when nothing is left of it.
func withoutStart(raw, w string, level, start int) string {
	o := element.Parse(raw, w+"lvlOverride", nil)
	o.Drop("startOverride")
	if at, _ := o.Attr(w + "ilvl"); levelOf(at) == level {
		begin := element.Parse("", w+"startOverride", nil)
		begin.SetAttr(w+"val", fmt.Sprint(start))
		o.Children = append([]element.Child{{Local: "startOverride", XML: begin.String()}}, o.Children...)
	}
	if len(o.Children) == 0 {
		return ""
	}
	return o.String()
}
