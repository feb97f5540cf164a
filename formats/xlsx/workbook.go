package xlsx

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	typeBook        = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
	typeBookMacro   = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
	typeBookAddin   = "application/vnd.ms-excel.addin.macroEnabled.main+xml"
	typeTemplate    = "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml"
	typeTemplMacro  = "application/vnd.ms-excel.template.macroEnabled.main+xml"
	typeBinary      = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
	typeSheet       = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
	relWorksheet    = opc.RelPrefix + "worksheet"
	relChartsheet   = opc.RelPrefix + "chartsheet"
	relDialogsheet  = opc.RelPrefix + "dialogsheet"
	relMacrosheet   = "http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet"
	relStyles       = opc.RelPrefix + "styles"
	relStrings      = opc.RelPrefix + "sharedStrings"
	relCalcChain    = opc.RelPrefix + "calcChain"
	relTable        = opc.RelPrefix + "table"
	relComments     = opc.RelPrefix + "comments"
	relThreaded     = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
	relDrawing      = opc.RelPrefix + "drawing"
	relPivot        = opc.RelPrefix + "pivotTable"
	relChartEx      = "http://schemas.microsoft.com/office/2014/relationships/chartEx"
	relChart        = opc.RelPrefix + "chart"
	relSignature    = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"
	maxSheetNameLen = 31
)

// What a workbook may list, far above any real one.
const (
	maxSheets = 10_000
	maxNames  = 100_000
	maxBook   = 32 << 20 // bytes of the main part
)

// sheetInfo is one tab of a workbook.
type sheetInfo struct {
	name   string
	part   string // "" when its relationship leads nowhere
	kind   string // "worksheet", "chartsheet", "dialogsheet", "macrosheet"
	state  string // "", "hidden", "veryHidden"
	relID  string
	sheetN int // sheetId
}

func (s sheetInfo) worksheet() bool { return s.kind == "worksheet" && s.part != "" }

// definedName is one entry of definedNames (18.2.5).
type definedName struct {
	name  string
	local int // index of the sheet it is scoped to, -1: the workbook
	text  string
}

// baseBook is an open file and what its main part says.
type baseBook struct {
	pkg      *opc.Package
	main     string
	xml      []byte // the main part
	strict   bool
	date1904 bool
	sheets   []sheetInfo
	names    []definedName
	rels     []opc.Relationship
	locked   bool // workbook structure is protected

	allowance *allowance
}

func openBook(ctx context.Context, src formats.Source) (*baseBook, error) {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return nil, typed(err, src.Name())
	}
	wb, err := openPackage(ctx, pkg)
	return wb, typed(err, src.Name())
}

// typed makes every failure an *formats.Error but for the context's.
func typed(err error, name string) error {
	var fe *formats.Error
	if err == nil || errors.As(err, &fe) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return formats.Errorf(formats.CodeCorrupt, "%s is damaged: %w", name, err)
}

func openPackage(ctx context.Context, pkg *opc.Package) (*baseBook, error) {
	if main, err := pkg.MainPart(ctx); err == nil && strings.EqualFold(pkg.ContentType(main), typeBinary) {
		return nil, formats.Errorf(formats.CodeUnsupported, "%s is a binary workbook (xlsb); save it as xlsx first", pkg.Source().Name())
	}
	main, err := pkg.ExpectMain(ctx, formats.KindXlsx, typeBook, typeBookMacro, typeTemplate, typeTemplMacro, typeBookAddin)
	if err != nil {
		return nil, err
	}
	wb := &baseBook{allowance: newAllowance(maxWritten), pkg: pkg, main: main}
	if pkg.Size(main) > maxBook {
		return nil, formats.Errorf(formats.CodeTooLarge, "the part %q has %d bytes; the limit is %d", main, pkg.Size(main), maxBook)
	}
	if wb.xml, err = pkg.ReadXML(ctx, main); err != nil {
		return nil, err
	}
	if wb.rels, err = pkg.Rels(ctx, main); err != nil {
		return nil, err
	}
	return wb, wb.parse()
}

func (wb *baseBook) parse() error {
	sc := xmlscan.New(wb.xml)
	taken := map[string]bool{}
	for sc.Next() {
		if len(wb.sheets) > maxSheets || len(wb.names) > maxNames {
			return formats.Errorf(formats.CodeTooLarge, "the workbook has more than %d sheets or %d defined names", maxSheets, maxNames)
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Space != sheetml.Namespace {
			continue
		}
		switch t.Local {
		case "workbook":
			wb.strict = bytes.Contains(t.Bytes(), []byte("http://purl.oclc.org/ooxml/spreadsheetml/main"))
		case "workbookPr":
			wb.date1904 = sheetml.IsTrue(t.AttrLocal("date1904"))
		case "workbookProtection":
			wb.locked = sheetml.IsTrue(t.AttrLocal("lockStructure"))
		case "sheet":
			wb.addSheet(sc, t, taken)
		case "definedName":
			d := definedName{name: t.AttrLocal("name"), local: -1}
			if n, err := strconv.Atoi(t.AttrLocal("localSheetId")); err == nil {
				d.local = n
			}
			end := sc.Skip()
			if !t.Empty {
				d.text = sheetml.CharData(wb.xml[t.End:sheetml.EndTagStart(wb.xml, end)])
			}
			wb.names = append(wb.names, d)
		}
	}
	if err := sc.Err(); err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", wb.main, err)
	}
	return nil
}

func (wb *baseBook) addSheet(sc *xmlscan.Scanner, t xmlscan.Token, taken map[string]bool) {
	s := sheetInfo{state: t.AttrLocal("state"), name: t.AttrLocal("name"), kind: "worksheet"}
	if s.state == "visible" {
		s.state = ""
	}
	s.sheetN, _ = strconv.Atoi(t.AttrLocal("sheetId"))
	for a := range t.Attrs() {
		if p, l, ok := strings.Cut(a.Name, ":"); ok && l == "id" && sc.Namespace(p) == sheetml.RelNamespace {
			s.relID = a.Value()
		}
	}
	for _, r := range wb.rels {
		if r.ID != s.relID || r.External {
			continue
		}
		switch r.Type {
		case relChartsheet:
			s.kind = "chartsheet"
		case relDialogsheet:
			s.kind = "dialogsheet"
		case relMacrosheet:
			s.kind = "macrosheet"
		}
		if wb.pkg.Has(r.Target) && !taken[r.Target] {
			s.part = r.Target
			taken[r.Target] = true // a second sheet over one part would be read again and again
		}
	}
	wb.sheets = append(wb.sheets, s)
}

// relPart is the part the workbook's first relationship of a type leads to, ""
// when there is none.
func (wb *baseBook) relPart(typ string) string {
	for _, r := range wb.rels {
		if r.Type == typ && !r.External && wb.pkg.Has(r.Target) {
			return r.Target
		}
	}
	return ""
}

// find is the index of a sheet by name in any case, -1 when there is none.
func (wb *baseBook) find(name string) int {
	for i, s := range wb.sheets {
		if s.name == name {
			return i
		}
	}
	for i, s := range wb.sheets {
		if strings.EqualFold(s.name, name) {
			return i
		}
	}
	return -1
}

func unknownSheet(name string) error {
	return formats.Errorf(formats.CodeNotFound, "unknown sheet: %s", name)
}

// sheetOrder returns the names of all sheets in lower case, in order.
func (wb *baseBook) sheetOrder() []string {
	out := make([]string, len(wb.sheets))
	for i, s := range wb.sheets {
		out[i] = strings.ToLower(s.name)
	}
	return out
}
