package xlsx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/offcrypto"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/password"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// protectArgs are the members of operations that protect. A password is no
// member: calls are stored, so it comes from the person (package password).
type protectArgs struct {
	Password any `json:"password" jsonschema:"{ops}: true: with the password that the person gave to Atelier; never write a password here"`
	removeArgs
}

type protectSheetArgs struct {
	sheetArgs
	Allow  []string `json:"allow" jsonschema:"{ops}: what stays allowed: format_cells, format_columns, format_rows, add_columns, add_rows, add_hyperlinks, remove_columns, remove_rows, sort, filter, pivot_tables, edit_objects, edit_scenarios"`
	Select string   `json:"select" jsonschema:"{ops}: cells that can be selected: all (default), unlocked, none"`
	protectArgs
}

type protectWorkbookArgs struct {
	protectArgs
}

// allowances are the words of allow with the attribute that forbids each
// (18.3.1.85), and its default.
var allowances = []struct{ word, attr, normal string }{
	{"format_cells", "formatCells", "1"}, {"format_columns", "formatColumns", "1"}, {"format_rows", "formatRows", "1"},
	{"add_columns", "insertColumns", "1"}, {"add_rows", "insertRows", "1"}, {"add_hyperlinks", "insertHyperlinks", "1"},
	{"remove_columns", "deleteColumns", "1"}, {"remove_rows", "deleteRows", "1"}, {"sort", "sort", "1"}, {"filter", "autoFilter", "1"},
	{"pivot_tables", "pivotTables", "1"}, {"edit_objects", "objects", "0"}, {"edit_scenarios", "scenarios", "0"},
}

// excelWords turns the words of Excel's dialog into those of allow.
var excelWords = strings.NewReplacer("insert_", "add_", "delete_", "remove_", "autofilter", "filter")

// lockNames are the attributes of a password in an element that protects.
type lockNames struct{ algorithm, hash, salt, spin, legacy string }

var (
	sheetLock = lockNames{"algorithmName", "hashValue", "saltValue", "spinCount", "password"}
	bookLock  = lockNames{"workbookAlgorithmName", "workbookHashValue", "workbookSaltValue", "workbookSpinCount", "workbookPassword"}
)

func (l lockNames) all() []string { return []string{l.algorithm, l.hash, l.salt, l.spin, l.legacy} }

// verifier reads the password of an element; false when it has none.
func (l lockNames) verifier(t xmlscan.Token) (offcrypto.Verifier, bool) {
	if hash := t.AttrLocal(l.hash); hash != "" {
		spin := sheetml.Atoi([]byte(t.AttrLocal(l.spin)))
		return offcrypto.Verifier{Algorithm: t.AttrLocal(l.algorithm), Hash: hash, Salt: t.AttrLocal(l.salt), Spin: max(spin, 0)}, true
	}
	old := t.AttrLocal(l.legacy)
	return offcrypto.Verifier{Hash: strings.ToUpper(strings.Repeat("0", max(0, 4-len(old))) + old)}, old != ""
}

// attrs are the attributes of a password.
func (l lockNames) attrs(v offcrypto.Verifier) string {
	return " " + l.algorithm + `="` + v.Algorithm + `" ` + l.hash + `="` + v.Hash + `" ` + l.salt + `="` + v.Salt + `" ` + l.spin + `="` + strconv.Itoa(v.Spin) + `"`
}

// protection is an element that protects, while an operation changes it.
type protection struct {
	names lockNames
	what  string // such as the sheet "Sales" of book.xlsx
	tag   xmlscan.Token
	has   bool // there is one that protects
}

// mayChange checks the password of a protection that there is.
func (p protection) mayChange(ctx context.Context) error {
	v, locked := p.names.verifier(p.tag)
	if !p.has || !locked {
		return nil
	}
	return password.Check(ctx, p.what, func(pw string) (bool, error) { return v.Matches(ctx, pw) })
}

// lock returns the attributes of the password that the operation asks for, and
// whether they replace those that there are.
func (op protectArgs) lock(ctx context.Context, p protection) (attrs string, replaces bool, err error) {
	given := op.Password
	if s, ok := given.(string); ok && (s == "true" || s == "false") {
		given = s == "true"
	}
	switch given {
	case nil:
		return "", !p.has, nil
	case false:
		return "", true, nil
	case true:
		pw, err := password.Only(ctx, p.what)
		if err != nil {
			return "", false, err
		}
		v, err := offcrypto.NewVerifier(ctx, pw)
		return p.names.attrs(v), true, err
	}
	return "", false, formats.Errorf(formats.CodeInvalid, "password is true or false: calls are stored, so a password is never written here; the person gives it with --password-file or in the app")
}

// protectSheet protects a sheet, changes what stays allowed, or takes the
// protection away (18.3.1.85).
func protectSheet(ctx context.Context, e *structure, op protectSheetArgs) error {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return err
	}
	if err := op.check(); err != nil {
		return err
	}
	s := e.wb.Sheets[i]
	fa, err := scanSheet(ctx, e.wb.Package, s, scanOptions{})
	if err != nil {
		return err
	}
	w := &sheetWork{skel: fa.skel, prefix: fa.prefix, rep: &e.rep}
	p := protection{names: sheetLock, what: "the sheet " + strconv.Quote(s.Name) + " of " + e.wb.Package.Source().Name()}
	var end int
	p.tag, end, p.has = w.child("sheetProtection")
	there := p.has
	p.has = p.has && sheetml.IsTrue(p.tag.AttrLocal("sheet"))
	if bool(op.Remove) && !there {
		e.warn("the sheet %q is not protected; nothing was changed", s.Name)
		return nil
	}
	if err := p.mayChange(ctx); err != nil {
		return err
	}
	if op.Remove {
		e.rep.Hits = 1
		e.around(ctx, s.Part, fa, []xmlscan.Splice{{Start: p.tag.Start, End: end}})
		return nil
	}
	tag := []byte("<" + fa.prefix + "sheetProtection/>")
	if there {
		tag = p.tag.Bytes()
	}
	lock, replaces, err := op.lock(ctx, p)
	if err != nil {
		return err
	}
	now := sheetml.EditTag(tag, op.attrs(), op.attrNames()...)
	if replaces {
		now = sheetml.EditTag(now, lock, sheetLock.all()...)
	}
	if there && string(now) == string(tag) {
		e.warn("the sheet %q is protected so already; nothing was changed", s.Name)
		return nil
	}
	e.rep.Hits = 1
	e.rep.Notes = append(e.rep.Notes, "cells with locked: false (set_style) can still be changed; protection keeps people from changing cells, it does not encrypt them")
	if n := len(fa.skel.Elements("protectedRange")); n > 0 {
		e.rep.Notes = append(e.rep.Notes, formats.Count(n, "range", "ranges")+" of the sheet may be changed all the same (protectedRanges)")
	}
	if there {
		w.edit(xmlscan.Splice{Start: p.tag.Start, End: p.tag.End, New: now})
	} else {
		w.insert("sheetProtection", string(now))
	}
	fa.skel = w.skel
	e.around(ctx, s.Part, fa, nil)
	return nil
}

// check refuses unknown words.
func (op protectSheetArgs) check() error {
	if op.Remove && (len(op.Allow) > 0 || op.Select != "" || op.Password != nil) {
		return formats.Errorf(formats.CodeInvalid, "remove takes the protection away; allow, select and password belong to one that is made")
	}
	if !slices.Contains([]string{"", "all", "unlocked", "none"}, op.Select) {
		return formats.Errorf(formats.CodeInvalid, "unknown select %s; use all, unlocked or none", cellref.QuoteArg(op.Select))
	}
	for i, word := range op.Allow {
		word = excelWords.Replace(word)
		op.Allow[i] = word
		known := false
		var words []string
		for _, a := range allowances {
			known = known || a.word == word
			words = append(words, a.word)
		}
		if !known {
			return formats.Errorf(formats.CodeInvalid, "unknown word %s in allow; use %s", cellref.QuoteArg(word), strings.Join(words, ", "))
		}
	}
	return nil
}

// attrs are the attributes of what stays allowed.
func (op protectSheetArgs) attrs() string {
	s := ` sheet="1"`
	for _, a := range allowances {
		forbids := "1"
		if slices.Contains(op.Allow, a.word) {
			forbids = "0"
		}
		if forbids != a.normal {
			s += " " + a.attr + `="` + forbids + `"`
		}
	}
	switch op.Select {
	case "unlocked":
		s += ` selectLockedCells="1"`
	case "none":
		s += ` selectLockedCells="1" selectUnlockedCells="1"`
	}
	return s
}

func (protectSheetArgs) attrNames() []string {
	names := []string{"sheet", "selectLockedCells", "selectUnlockedCells"}
	for _, a := range allowances {
		names = append(names, a.attr)
	}
	return names
}

// protectWorkbook protects the list of sheets of a workbook, so that sheets cannot
// be added, deleted, renamed, moved, hidden or shown (18.2.29).
func protectWorkbook(ctx context.Context, e *structure, op protectWorkbookArgs) error {
	if op.Remove && op.Password != nil {
		return formats.Errorf(formats.CodeInvalid, "remove takes the protection away; password belongs to one that is made")
	}
	p := protection{names: bookLock, what: "the workbook " + e.wb.Package.Source().Name()}
	var end int
	sc := xmlscan.New(e.wb.XML)
	prefix := ""
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Depth == 1 {
			prefix = tagPrefix(t)
		}
		if t.Depth == 2 && t.Local == "workbookProtection" {
			p.tag, end, p.has = t, sc.Skip(), true
		}
	}
	if err := sc.Err(); err != nil {
		return book.CorruptPart(err, e.wb.Main)
	}
	if bool(op.Remove) && !p.has {
		e.warn("the workbook is not protected; nothing was changed")
		return nil
	}
	if err := p.mayChange(ctx); err != nil {
		return err
	}
	e.rep.Hits = 1
	if op.Remove {
		e.ed.Set(e.wb.Main, xmlscan.Apply(e.wb.XML, []xmlscan.Splice{{Start: p.tag.Start, End: end}}))
		return nil
	}
	lock, replaces, err := op.lock(ctx, p)
	if err != nil {
		return err
	}
	tag := []byte("<" + prefix + "workbookProtection/>")
	if p.has {
		tag = p.tag.Bytes()
	}
	now := tag
	if !sheetml.IsTrue(sheetml.AttrOf(tag, "lockStructure")) {
		now = sheetml.EditTag(now, ` lockStructure="1"`, "lockStructure")
	}
	if replaces {
		now = sheetml.EditTag(now, lock, bookLock.all()...)
	}
	if p.has && string(now) == string(tag) {
		e.warn("the workbook is protected so already; nothing was changed")
		e.rep.Hits = 0
		return nil
	}
	edit := xmlscan.Splice{Start: p.tag.Start, End: p.tag.End, New: now}
	if !p.has {
		var ok bool
		if edit, ok = element.Insert(e.wb.XML, bookSchema, "workbookProtection", string(now)); !ok {
			return formats.Errorf(formats.CodeCorrupt, "%s has no room for a protection", e.wb.Main)
		}
	}
	e.ed.Set(e.wb.Main, xmlscan.Apply(e.wb.XML, []xmlscan.Splice{edit}))
	return nil
}
