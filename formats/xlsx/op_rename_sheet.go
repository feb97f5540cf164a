package xlsx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

const relAppProps = opc.RelPrefix + "extended-properties"

type renameSheetArgs struct {
	sheetArgs
	NewName string `json:"new_name" usage:"new_name" jsonschema:"{ops}"`
}

// renameSheet gives a sheet another name; formulas, names, charts, links and
// pivots that mention it follow.
func renameSheet(ctx context.Context, e *structure, op renameSheetArgs) error {
	i, err := e.sheet(op.Sheet)
	if err != nil {
		return err
	}
	if err := e.freeName(op.NewName, i); err != nil {
		return err
	}
	old := e.wb.Sheets[i].Name
	e.rep.Made = op.NewName
	if old == op.NewName {
		return nil
	}
	g := &following{structure: e, sheet: i, rw: &formula.Rewriter{Names: map[string]string{strings.ToLower(old): op.NewName}}}
	if err := g.look(ctx); err != nil {
		return err
	}
	g.quoted(old)
	if err := g.write(ctx); err != nil {
		return err
	}
	e.lockedWarning()
	return g.appProps(ctx)
}

// freeName checks the name a sheet is to get; own is its index, -1 for a new one.
func (e *structure) freeName(name string, own int) error {
	if strings.TrimSpace(name) == "" {
		return formats.Errorf(formats.CodeInvalid, "new_name is required")
	}
	if err := checkSheetName(name); err != nil {
		return err
	}
	for i, s := range e.wb.Sheets {
		if i != own && strings.EqualFold(s.Name, name) {
			return formats.Errorf(formats.CodeInvalid, "there is a sheet named %q already; choose another name", s.Name)
		}
	}
	return nil
}

func (e *structure) lockedWarning() {
	if e.wb.Locked {
		e.warn("the structure of the workbook is protected; it was changed all the same")
	}
}

// quoted warns of formulas that build a reference from text, which cannot follow.
func (g *following) quoted(old string) {
	n := 0
	for _, fa := range g.facts {
		if fa == nil {
			continue
		}
		for fc := range fa.formulas.all() {
			for t := range formula.Tokens(fc.Text) {
				if t.Kind == formula.String && strings.Contains(strings.ToLower(fc.Text[t.Start:t.End]), strings.ToLower(old)) && strings.Contains(strings.ToUpper(fc.Text), "INDIRECT") && g.rw.Address(fc.Text[t.Start:t.End]) == fc.Text[t.Start:t.End] {
					n++
					break
				}
			}
		}
	}
	if n > 0 {
		g.warn("%d formulas have the name %q in a text (INDIRECT); it was not changed there", n, old)
	}
}

// appProps follows the list of parts in the document properties (22.2.2.29).
func (g *following) appProps(ctx context.Context) error {
	rels, err := g.wb.Package.Rels(ctx, "")
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type != relAppProps || r.External || !g.wb.Package.Has(r.Target) {
			continue
		}
		doc, err := g.wb.Package.ReadXML(ctx, r.Target)
		if err != nil {
			return err
		}
		if edits := titleEdits(g.rw, doc); len(edits) > 0 {
			g.ed.Set(r.Target, xmlscan.Apply(doc, edits))
		}
	}
	return nil
}

// titleEdits rewrites the list of sheets and names in the document properties;
// a damaged part stays.
func titleEdits(rw *formula.Rewriter, doc []byte) (edits []xmlscan.Splice) {
	sc := xmlscan.New(doc)
	in := false
	for sc.Next() {
		t := sc.Token()
		if t.Local == "TitlesOfParts" {
			in = t.Kind == xmlscan.Start
		}
		if !in || t.Kind != xmlscan.Start || t.Empty || t.Local != "lpstr" {
			continue
		}
		end := sheetml.EndTagStart(doc, sc.Skip())
		text := sheetml.CharData(doc[t.End:end])
		now, changed := rw.Text(text, formula.Place{})
		if name, ok := rw.Names[strings.ToLower(text)]; ok {
			now, changed = name, true
		}
		if changed {
			edits = append(edits, xmlscan.Splice{Start: t.End, End: end, New: []byte(xmlscan.Escape(now))})
		}
	}
	if sc.Err() != nil {
		return nil
	}
	return edits
}
