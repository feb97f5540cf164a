package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

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
