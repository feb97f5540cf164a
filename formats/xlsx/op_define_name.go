package xlsx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

type nameArgs struct {
	Name  string `json:"name" usage:"name" jsonschema:"{ops}"`
	Scope string `json:"scope" jsonschema:"{ops}: the sheet a name is limited to; default the workbook"`
}

type defineNameArgs struct {
	Name     string `json:"name" usage:"name" jsonschema:"{ops}"`
	RefersTo string `json:"refers_to" usage:"refers_to" jsonschema:"{ops}: such as Sheet1!$A$1:$B$9, or a formula"`
	Scope    string `json:"scope" jsonschema:"{ops}: the sheet a name is limited to; default the workbook"`
}

// defineName gives a range or formula a name, or an existing name another
// meaning; scope is a sheet, else the name is known everywhere (18.2.5).
func defineName(ctx context.Context, e *structure, op defineNameArgs) error {
	local, err := e.scope(nameArgs{op.Name, op.Scope})
	if err != nil {
		return err
	}
	if err := checkName(op.Name); err != nil {
		return err
	}
	for i := range e.wb.Sheets {
		tabs, err := e.wb.TablesOf(ctx, e.wb.Sheets[i].Part)
		if err != nil {
			return err
		}
		for _, t := range tabs {
			if strings.EqualFold(t.Name, op.Name) {
				return formats.Errorf(formats.CodeInvalid, "there is a table named %q; choose another name", t.Name)
			}
		}
	}
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(op.RefersTo), "="))
	if text == "" {
		return formats.Errorf(formats.CodeInvalid, "refers_to is required, such as Sheet1!$A$1:$B$9")
	}
	if err := checkFormula(text); err != nil {
		return err
	}
	for t := range formula.Tokens(text) {
		if t.Sheet != "" && t.Body > t.Start && e.wb.Find(t.Sheet) < 0 {
			return book.UnknownSheet(t.Sheet)
		}
		if t.Kind == formula.Ref && t.Sheet == "" {
			return formats.Errorf(formats.CodeInvalid, "refers_to needs the sheet before each reference, such as Sheet1!%s", text[t.Start:t.End])
		}
	}
	if relative(text) {
		e.warn("the reference has no $ signs, so the name means other cells in each cell it is used in")
	}
	e.rep.Made = op.Name
	return e.changeName(ctx, book.DefinedName{Name: op.Name, Local: local, Text: formula.Stored(text)}, true)
}

// deleteName takes a name out.
func deleteName(ctx context.Context, e *structure, op nameArgs) error {
	local, err := e.scope(op)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(e.wb.Names, func(n book.DefinedName) bool { return n.Local == local && strings.EqualFold(n.Name, op.Name) }) {
		where := "the workbook"
		if local >= 0 {
			where = fmt.Sprintf("the sheet %q", e.wb.Sheets[local].Name)
		}
		return formats.Errorf(formats.CodeNotFound, "no name %s is defined for %s", cellref.QuoteArg(op.Name), where)
	}
	return e.changeName(ctx, book.DefinedName{Name: op.Name, Local: local}, false)
}

// scope is the index of the sheet a name belongs to, -1 for the workbook.
func (e *structure) scope(op nameArgs) (int, error) {
	if strings.TrimSpace(op.Name) == "" {
		return 0, formats.Errorf(formats.CodeInvalid, "name is required")
	}
	if strings.TrimSpace(op.Scope) == "" || strings.EqualFold(op.Scope, "workbook") && e.wb.Find(op.Scope) < 0 {
		return -1, nil
	}
	return e.sheet(op.Scope)
}

// checkName holds a name against the rules of Excel.
func checkName(s string) error {
	bad := func(why string) error {
		return formats.Errorf(formats.CodeInvalid, "invalid name %s: %s", cellref.QuoteArg(s), why)
	}
	for i, r := range s {
		letter := unicode.IsLetter(r) || r == '_' || r == '\\'
		if !letter && (i == 0 || !unicode.IsDigit(r) && r != '.' && r != '?') {
			return bad("it begins with a letter or _ and holds letters, digits, _ and . only")
		}
	}
	up := strings.ToUpper(s)
	switch {
	case sheetml.UTF16Len(s) > 255:
		return bad("it has more than 255 characters")
	case cellref.ParseEnd(s).Kind == cellref.CellEnd, up == "R", up == "C", up == "TRUE", up == "FALSE", strings.HasPrefix(up, "_XLNM."):
		return bad("it looks like a cell, or is kept by Excel")
	case !formula.PlainName(s) && strings.HasPrefix(up, "R") || !formula.PlainName(s) && strings.HasPrefix(up, "C"):
		if strings.Trim(up, "RC0123456789") == "" {
			return bad("it looks like a cell")
		}
	}
	return nil
}

// changeName writes a name, or takes it out, and marks what reads it.
func (e *structure) changeName(ctx context.Context, d book.DefinedName, keep bool) error {
	g := &following{structure: e, sheet: -1, rw: &formula.Rewriter{}}
	if err := g.look(ctx); err != nil {
		return err
	}
	uses := 0
	for i, fa := range g.facts {
		if fa == nil || d.Local >= 0 && d.Local != i {
			continue
		}
		for _, fc := range fa.formulas {
			if mentions(fc.Text, d.Name) {
				uses++
				g.dirty[i].Add(fc.Row, fc.Col)
				g.stale[i].Add(fc.Row, fc.Col)
			}
		}
	}
	if uses > 0 {
		g.dependants(ctx)
		if !keep {
			e.warn("%d formulas use the name %s; they show #NAME? from now on", uses, d.Name)
		}
	}
	edits, err := nameEdits(g.wb, d, keep)
	if err != nil {
		return err
	}
	g.extra = edits
	e.rep.Hits = 1
	return g.write(ctx)
}

func mentions(f, name string) bool {
	return slices.ContainsFunc(formula.Lex(f), func(t formula.Token) bool {
		return t.Kind == formula.Name && strings.EqualFold(f[t.Body:t.End], name)
	})
}

// nameEdits returns the changes of the workbook part for one name.
func nameEdits(wb *workbook, d book.DefinedName, keep bool) ([]xmlscan.Splice, error) {
	e := nameChange{wb: wb, d: d, keep: keep}
	listStart, all := 0, 0
	sc := xmlscan.New(wb.XML)
	for sc.Next() {
		t := sc.Token()
		if t.Depth == 2 && (t.Kind == xmlscan.End || t.Empty) {
			if t.Local == "definedNames" && e.found > 0 && e.found == all && !keep {
				return []xmlscan.Splice{{Start: listStart, End: t.End}}, nil
			}
			e.closed(t)
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "workbook":
			if t.Prefix != "" {
				e.prefix = t.Prefix + ":"
			}
		case "definedNames":
			listStart = t.Start
		case "definedName":
			e.name(t, sc.Skip(), all)
			all++
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", wb.Main, err)
	}
	if keep && e.found == 0 {
		e.add()
	}
	return e.edits, nil
}

// nameChange changes, removes or adds one name while it goes through the workbook
// part.
type nameChange struct {
	wb     *workbook
	d      book.DefinedName
	keep   bool   // else the name goes
	prefix string // of the workbook's elements, with its colon
	found  int    // elements of the name
	// Where a list of names goes, and where a name goes into the list; 0 for no list.
	at, listEnd int
	edits       []xmlscan.Splice
}

// closed looks at the end of a child of workbook.
func (e *nameChange) closed(t xmlscan.Token) {
	switch t.Local {
	case "sheets", "functionGroups", "externalReferences":
		e.at = t.End
	case "definedNames":
		e.listEnd = t.Start
		if t.Empty {
			e.edits = append(e.edits, xmlscan.Splice{Start: t.Start, End: t.End})
			e.at, e.listEnd = t.End, 0
		}
	}
}

// name looks at the ith name, whose element ends at end.
func (e *nameChange) name(t xmlscan.Token, end, i int) {
	names := e.wb.Names
	if i >= len(names) || names[i].Local != e.d.Local || !strings.EqualFold(names[i].Name, e.d.Name) {
		return
	}
	e.found++
	switch {
	case !e.keep || e.found > 1:
		e.edits = append(e.edits, xmlscan.Splice{Start: t.Start, End: end})
	case t.Empty:
		e.edits = append(e.edits, xmlscan.Splice{Start: t.Start, End: end, New: []byte(nameXML(e.prefix, e.d))})
	default:
		e.edits = append(e.edits, xmlscan.Splice{Start: t.End, End: sheetml.EndTagStart(e.wb.XML, end), New: []byte(xmlscan.Escape(e.d.Text))})
	}
}

// add adds the name, with a list where the workbook has none.
func (e *nameChange) add() {
	xml, at := nameXML(e.prefix, e.d), e.at
	if e.listEnd > 0 {
		at = e.listEnd
	} else {
		xml = "<" + e.prefix + "definedNames>" + xml + "</" + e.prefix + "definedNames>"
	}
	e.edits = append(e.edits, xmlscan.Splice{Start: at, End: at, New: []byte(xml)})
}

func nameXML(prefix string, d book.DefinedName) string {
	scope := ""
	if d.Local >= 0 {
		scope = fmt.Sprintf(` localSheetId="%d"`, d.Local)
	}
	return fmt.Sprintf(`<%sdefinedName name="%s"%s>%s</%sdefinedName>`, prefix, sheetml.EscapeAttr(d.Name), scope, xmlscan.Escape(d.Text), prefix)
}
