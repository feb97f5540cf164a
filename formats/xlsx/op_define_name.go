package xlsx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"atelier/formats"
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
	if err := e.noTable(ctx, op.Name); err != nil {
		return err
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
	return e.changeName(ctx, book.DefinedName{Name: op.Name, Local: local, Text: formula.Stored(text)})
}

// noTable refuses the name of a table.
func (e *structure) noTable(ctx context.Context, name string) error {
	for i := range e.wb.Sheets {
		tabs, err := e.wb.TablesOf(ctx, e.wb.Sheets[i].Part)
		if err != nil {
			return err
		}
		for _, t := range tabs {
			if strings.EqualFold(t.Name, name) {
				return formats.Errorf(formats.CodeInvalid, "there is a table named %q; choose another name", t.Name)
			}
		}
	}
	return nil
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
	return e.changeName(ctx, book.DefinedName{Name: op.Name, Local: local})
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
	case strings.HasPrefix(up, "_XLNM.PRINT_"):
		return bad("Excel keeps it for printing; use set_page_setup with print_area or repeat")
	case up == strings.ToUpper(filterName):
		return bad("Excel keeps it for filters; use autofilter or filter_rows")
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

// changeName sets a name, or removes it when its text is empty, and marks what
// reads it.
func (e *structure) changeName(ctx context.Context, d book.DefinedName) error {
	g := &following{structure: e, sheet: -1, rw: &formula.Rewriter{}}
	if err := g.look(ctx); err != nil {
		return err
	}
	uses := 0
	for i, fa := range g.facts {
		if fa == nil || d.Local >= 0 && d.Local != i {
			continue
		}
		for fc := range fa.formulas.all() {
			if mentions(fc.Text, d.Name) {
				uses++
				g.dirty[i].Add(fc.Row, fc.Col)
				g.stale[i].Add(fc.Row, fc.Col)
			}
		}
	}
	if uses > 0 {
		g.dependants(ctx)
		if d.Text == "" {
			e.warn("%d formulas use the name %s; they show #NAME? from now on", uses, d.Name)
		}
	}
	g.name = &d
	e.rep.Hits = 1
	return g.write(ctx)
}

func mentions(f, name string) bool {
	return slices.ContainsFunc(formula.Lex(f), func(t formula.Token) bool {
		return t.Kind == formula.Name && strings.EqualFold(f[t.Body:t.End], name)
	})
}
