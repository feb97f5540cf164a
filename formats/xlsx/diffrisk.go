package xlsx

import (
	"context"
	"fmt"
	"hash/fnv"
	"regexp"
	"sort"
	"strings"

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

// reaching notes the formulas among new cells that get or send data.
func (x *bookDiff) reaching(row int, cells []seenCell) {
	for _, c := range cells {
		if c.formula != "" && len(x.reach) <= 2*maxWarnings && reachingFunctions.MatchString(c.formula) {
			x.reach = append(x.reach, fmt.Sprintf("the formula in %s!%s reaches out: %s", x.sheet, cellName(row, c.col), clip(c.value(), 100)))
		}
	}
}

// risks says what the new workbook could do that the old one could not, and
// what it lost.
func (x *bookDiff) risks(ctx context.Context) ([]string, error) {
	was, err := x.a.reaches(ctx)
	if err != nil {
		return nil, err
	}
	now, err := x.b.reaches(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for w := range now {
		if !was[w] && !strings.HasPrefix(w, "part ") {
			out = append(out, w)
		}
	}
	for w := range was {
		if s, ok := strings.CutPrefix(w, "part "); ok && !now[w] {
			out = append(out, "lost: "+s)
		}
	}
	visible := map[string]bool{}
	for _, s := range x.a.sheets {
		visible[strings.ToLower(s.name)] = s.state == ""
	}
	for _, s := range x.b.sheets {
		if old, known := visible[strings.ToLower(s.name)]; s.state != "" && (!known || old) {
			out = append(out, fmt.Sprintf("the sheet %q is hidden now", s.name))
		}
	}
	out = append(out, x.reach...)
	sort.Strings(out)
	if len(out) > maxWarnings {
		out = append(out[:maxWarnings], fmt.Sprintf("and %d more", len(out)-maxWarnings))
	}
	return out, nil
}

// reaches lists external links, macros, embedded objects and connections; and,
// as "part …", what it would be a loss to lose.
func (wb *workbook) reaches(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	parts := []string{wb.main}
	for _, s := range wb.sheets {
		if s.part != "" {
			parts = append(parts, s.part)
		}
	}
	seen := map[string]bool{}
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		if seen[part] {
			continue
		}
		seen[part] = true
		rels, err := wb.pkg.Rels(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, r := range rels {
			kind := r.Type[strings.LastIndexByte(r.Type, '/')+1:]
			switch {
			case r.External:
				out[fmt.Sprintf("new external %s: %s", kind, clip(r.Target, 120))] = true
			case kind == "vbaProject":
				out["new macros"] = true
			case kind == "externalLink":
				out["new link to another workbook: "+r.Target] = true
				parts = append(parts, r.Target)
			case kind == "oleObject" || kind == "package":
				out["new embedded object: "+r.Target] = true
			case kind == "connections":
				out["new data connections"] = true
			case kind == "chart" || kind == "image" || kind == "pivotTable" || kind == "comments" || kind == "table":
				out["part "+r.Target] = true
			case kind == "drawing":
				parts = append(parts, r.Target)
			}
		}
	}
	return out, nil
}
