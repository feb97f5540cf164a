package docx

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"atelier/formats/opc"
	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

// reachingField are fields that get something from outside (17.16.5): data of
// other programs, texts, pictures, databases. A hyperlink with a switch \l alone
// stays inside.
var reachingField = regexp.MustCompile(`(?i)^\s*(DDE|DDEAUTO|LINK|IMPORT|INCLUDE|INCLUDETEXT|INCLUDEPICTURE|DATABASE|RD)\b|^\s*HYPERLINK\s+"?[^\\"\s]`)

// risks says what a changed document could do that the old one could not: reach
// out, run code, hide text; and what it lost.
func risks(ctx context.Context, before, after *opc.Package, a, b *document) ([]string, error) {
	out, err := opc.Risks(ctx, before, after)
	if err != nil {
		return nil, err
	}
	was, err := a.inText(ctx)
	if err != nil {
		return nil, err
	}
	now, err := b.inText(ctx)
	if err != nil {
		return nil, err
	}
	var fields []string
	for f := range now {
		if !was[f] {
			fields = append(fields, f)
		}
	}
	slices.Sort(fields)
	return opc.Clipped(append(fields, out...)), nil
}

// inText lists what the texts themselves do: fields that reach out, hidden
// text.
func (d *document) inText(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	parts, err := d.textParts(ctx)
	if err != nil {
		return nil, err
	}
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return nil, err
		}
		riskyText(p.doc, out)
	}
	return out, nil
}

// riskyText notes the fields of a part that reach out. The words of a field may
// be spread over runs; they are read together, from its begin to its separator
// (17.16.18).
func riskyText(doc []byte, out map[string]bool) {
	note := func(field string) {
		if field = strings.Join(strings.Fields(field), " "); reachingField.MatchString(field) {
			out["new field that reaches out: "+clip(field, 120)] = true
		}
	}
	var open []*strings.Builder // fields that have begun, the innermost last
	instr := false
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Is(nsW, "fldSimple"):
			note(t.AttrLocal("instr"))
		case t.Kind == xmlscan.Start && t.Is(nsW, "fldChar"):
			switch t.AttrLocal("fldCharType") {
			case "begin":
				if len(open) < 32 {
					open = append(open, &strings.Builder{})
				}
			default: // separate, end
				if n := len(open); n > 0 {
					note(open[n-1].String())
					open[n-1].Reset()
					if t.AttrLocal("fldCharType") == "end" {
						open = open[:n-1]
					}
				}
			}
		case t.Kind == xmlscan.Start && t.Is(nsW, "vanish"):
			if v := t.AttrLocal("val"); v != "0" && v != "false" && v != "off" {
				out["new hidden text"] = true
			}
		case t.Is(nsW, "instrText"):
			instr = t.Kind == xmlscan.Start && !t.Empty
		case t.Kind == xmlscan.Text && instr && len(open) > 0:
			if f := open[len(open)-1]; f.Len() < 4096 {
				f.WriteString(xmlscan.Unescape(t.Bytes()))
			}
		}
	}
	for _, f := range open { // cut off
		note(f.String())
	}
}
