package xlsx

import (
	"context"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"sort"
	"strings"

	"atelier/formats/opc"
	"atelier/formats/xmlscan"
)

// formatHashes is a hash of what each cell format (18.8.10) shows, so that formats of
// two workbooks can be compared.
func (wb *workbook) formatHashes(ctx context.Context) ([]uint64, error) {
	name := ""
	for _, r := range wb.rels {
		if r.Type == relStyles && !r.External && wb.pkg.Has(r.Target) {
			name = r.Target
		}
	}
	if name == "" {
		return nil, nil
	}
	doc, err := wb.pkg.ReadXML(ctx, name)
	if err != nil {
		return nil, err
	}
	lists := map[string][]string{}
	codes := map[string]string{}
	var out []uint64
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Depth == 3 && t.Local == "numFmt":
			codes[t.AttrLocal("numFmtId")] = t.AttrLocal("formatCode")
		case t.Depth == 3 && (t.Local == "font" || t.Local == "fill" || t.Local == "border"):
			lists[t.Local] = append(lists[t.Local], string(doc[t.Start:sc.Skip()]))
		case t.Depth == 2 && t.Local == "cellStyleXfs":
			sc.Skip()
		case t.Depth == 3 && t.Local == "xf":
			h := fnv.New64a()
			for _, part := range []string{"font", "fill", "border"} {
				i := atoi([]byte(t.AttrLocal(part + "Id")))
				if i >= 0 && i < len(lists[part]) {
					fmt.Fprintf(h, "%s\x00", lists[part][i])
				}
			}
			id := t.AttrLocal("numFmtId")
			if code, ok := codes[id]; ok {
				id = code
			}
			inner := string(doc[t.End:max(t.End, sc.Skip())])
			fmt.Fprintf(h, "%s\x00%s", id, inner)
			out = append(out, h.Sum64())
		}
	}
	return out, sc.Err()
}

// reachingFunctions are those by which a formula gets or sends data, and the
// form of a DDE link.
var reachingFunctions = regexp.MustCompile(`(?i)\b(WEBSERVICE|HYPERLINK|IMAGE|RTD|CALL|REGISTER\.ID|FILTERXML|IMPORTDATA|IMPORTXML|IMPORTHTML)\s*\(|[A-Za-z0-9_.]+\|[^!]*!`)

// formulaText is text that a spreadsheet takes for a formula when it is typed,
// pasted or read from csv.
var formulaText = regexp.MustCompile(`^\s*(=|[+@]\s*[A-Za-z(]|-\s*[A-Za-z(].*[(!|])`)

// reaching notes the formulas among new cells that get or send data, and text
// that would become one.
func (x *bookDiff) reaching(row int, cells []seenCell) {
	for _, c := range cells {
		if c.text && c.formula == "" && len(x.reach) <= 2*opc.MaxRisks && formulaText.MatchString(c.shown) {
			x.reach = append(x.reach, fmt.Sprintf("the text in %s!%s reads like a formula: %s", x.sheet, cellName(row, c.col), clip(c.shown, 100)))
		}
		if c.formula != "" && len(x.reach) <= 2*opc.MaxRisks && reachingFunctions.MatchString(c.formula) {
			x.reach = append(x.reach, fmt.Sprintf("the formula in %s!%s reaches out: %s", x.sheet, cellName(row, c.col), clip(c.value(), 100)))
		}
	}
}

// risks says what the new workbook could do that the old one could not, and
// what it lost.
func (x *bookDiff) risks(ctx context.Context) ([]string, error) {
	visible := map[string]bool{}
	for _, s := range x.a.sheets {
		visible[strings.ToLower(s.name)] = s.state == ""
	}
	var out []string
	for _, s := range x.b.sheets {
		if old, known := visible[strings.ToLower(s.name)]; s.state != "" && (!known || old) {
			out = append(out, fmt.Sprintf("the sheet %q is hidden now", s.name))
		}
	}
	sort.Strings(x.reach)
	out = append(out, x.reach...)
	was, err := x.a.dataLinks(ctx)
	if err != nil {
		return nil, err
	}
	now, err := x.b.dataLinks(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range now {
		if !slices.Contains(was, l) {
			out = append(out, l)
		}
	}
	rest, err := opc.Risks(ctx, x.a.pkg, x.b.pkg)
	return opc.Clipped(append(out, rest...)), err
}

// dataLinks lists the DDE and OLE links of a workbook (18.14.5, 18.14.10): they
// start other programs.
func (wb *workbook) dataLinks(ctx context.Context) ([]string, error) {
	var out []string
	for _, r := range wb.rels {
		if r.External || !strings.HasSuffix(r.Type, "/externalLink") || !wb.pkg.Has(r.Target) {
			continue
		}
		doc, err := wb.pkg.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		sc := xmlscan.New(doc)
		for sc.Next() && len(out) <= opc.MaxRisks {
			switch t := sc.Token(); {
			case t.Kind != xmlscan.Start:
			case t.Local == "ddeLink":
				out = append(out, fmt.Sprintf("new DDE link, which can start programs: %s|%s", clip(t.AttrLocal("ddeService"), 60), clip(t.AttrLocal("ddeTopic"), 100)))
			case t.Local == "oleLink":
				out = append(out, "new OLE link, which can start programs: "+clip(t.AttrLocal("progId"), 60))
			}
		}
	}
	return out, nil
}
