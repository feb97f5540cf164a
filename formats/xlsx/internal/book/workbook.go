package book

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
	TypeBook        = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
	TypeBookMacro   = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
	typeBookAddin   = "application/vnd.ms-excel.addin.macroEnabled.main+xml"
	typeTemplate    = "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml"
	typeTemplMacro  = "application/vnd.ms-excel.template.macroEnabled.main+xml"
	TypeBinary      = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
	TypeSheet       = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
	RelWorksheet    = opc.RelPrefix + "worksheet"
	relChartsheet   = opc.RelPrefix + "chartsheet"
	relDialogsheet  = opc.RelPrefix + "dialogsheet"
	relMacrosheet   = "http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet"
	RelStyles       = opc.RelPrefix + "styles"
	RelStrings      = opc.RelPrefix + "sharedStrings"
	RelCalcChain    = opc.RelPrefix + "calcChain"
	RelTable        = opc.RelPrefix + "table"
	RelComments     = opc.RelPrefix + "comments"
	RelThreaded     = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
	RelDrawing      = opc.RelPrefix + "drawing"
	RelPivot        = opc.RelPrefix + "pivotTable"
	relChartEx      = "http://schemas.microsoft.com/office/2014/relationships/chartEx"
	RelChart        = opc.RelPrefix + "chart"
	RelSignature    = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"
	MaxSheetNameLen = 31
)

// What a workbook may list, far above any real one.
const (
	maxSheets = 10_000
	maxNames  = 100_000
	maxBook   = 32 << 20 // bytes of the main part
)

// SheetInfo is one tab of a workbook.
type SheetInfo struct {
	Name    string
	Part    string // "" when its relationship leads nowhere
	Kind    string // "worksheet", "chartsheet", "dialogsheet", "macrosheet"
	State   string // "", "hidden", "veryHidden"
	RelID   string
	SheetID int // sheetId
}

// Worksheet reports whether the tab is a worksheet with a part.
func (s SheetInfo) Worksheet() bool { return s.Kind == "worksheet" && s.Part != "" }

// DefinedName is one entry of definedNames (18.2.5).
type DefinedName struct {
	Name  string
	Local int // index of the sheet it is scoped to, -1: the workbook
	Text  string
}

// Workbook is an open file and what its main part says.
type Workbook struct {
	Package  *opc.Package
	Main     string
	XML      []byte // the main part
	Strict   bool
	Date1904 bool
	Sheets   []SheetInfo
	Names    []DefinedName
	Rels     []opc.Relationship
	Locked   bool // workbook structure is protected
	Iterates bool // circular references are calculated, not refused
	// How often they are, and the change that counts as none (18.2.2).
	IterateCount int
	IterateDelta float64

	Allowance *Allowance
	Layouts   *Layouts // filled by passes of Rows over all rows; nil for none
}

// Open opens a workbook. Errors are *formats.Error, or those of ctx.
func Open(ctx context.Context, src formats.Source) (*Workbook, error) {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return nil, Typed(err, src.Name())
	}
	wb, err := openPackage(ctx, pkg)
	return wb, Typed(err, src.Name())
}

// Typed makes every failure an *formats.Error but for the context's.
func Typed(err error, name string) error {
	var fe *formats.Error
	if err == nil || errors.As(err, &fe) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return formats.Errorf(formats.CodeCorrupt, "%s is damaged: %w", name, err)
}

func openPackage(ctx context.Context, pkg *opc.Package) (*Workbook, error) {
	if main, err := pkg.MainPart(ctx); err == nil && strings.EqualFold(pkg.ContentType(main), TypeBinary) {
		return nil, formats.Errorf(formats.CodeUnsupported, "%s is a binary workbook (xlsb); save it as xlsx first", pkg.Source().Name())
	}
	main, err := pkg.ExpectMain(ctx, formats.KindXlsx, TypeBook, TypeBookMacro, typeTemplate, typeTemplMacro, typeBookAddin)
	if err != nil {
		return nil, err
	}
	wb := &Workbook{Allowance: NewAllowance(MaxWritten), Package: pkg, Main: main}
	if pkg.Size(main) > maxBook {
		return nil, formats.Errorf(formats.CodeTooLarge, "the part %q has %d bytes; the limit is %d", main, pkg.Size(main), maxBook)
	}
	if wb.XML, err = pkg.ReadXML(ctx, main); err != nil {
		return nil, err
	}
	if wb.Rels, err = pkg.Rels(ctx, main); err != nil {
		return nil, err
	}
	return wb, wb.parse()
}

func (wb *Workbook) parse() error {
	sc := xmlscan.New(wb.XML)
	taken := map[string]bool{}
	for sc.Next() {
		if len(wb.Sheets) > maxSheets || len(wb.Names) > maxNames {
			return formats.Errorf(formats.CodeTooLarge, "the workbook has more than %d sheets or %d defined names", maxSheets, maxNames)
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Space != sheetml.Namespace {
			continue
		}
		switch t.Local {
		case "workbook":
			wb.Strict = bytes.Contains(t.Bytes(), []byte("http://purl.oclc.org/ooxml/spreadsheetml/main"))
		case "workbookPr":
			wb.Date1904 = sheetml.IsTrue(t.AttrLocal("date1904"))
		case "calcPr":
			wb.readIteration(t)
		case "workbookProtection":
			wb.Locked = sheetml.IsTrue(t.AttrLocal("lockStructure"))
		case "sheet":
			wb.addSheet(sc, t, taken)
		case "definedName":
			d := DefinedName{Name: t.AttrLocal("name"), Local: -1}
			if n, err := strconv.Atoi(t.AttrLocal("localSheetId")); err == nil {
				d.Local = n
			}
			end := sc.Skip()
			if !t.Empty {
				d.Text = sheetml.CharData(wb.XML[t.End:sheetml.EndTagStart(wb.XML, end)])
			}
			wb.Names = append(wb.Names, d)
		}
	}
	if err := sc.Err(); err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", wb.Main, err)
	}
	return nil
}

func (wb *Workbook) addSheet(sc *xmlscan.Scanner, t xmlscan.Token, taken map[string]bool) {
	s := SheetInfo{State: t.AttrLocal("state"), Name: t.AttrLocal("name"), Kind: "worksheet"}
	if s.State == "visible" {
		s.State = ""
	}
	s.SheetID, _ = strconv.Atoi(t.AttrLocal("sheetId"))
	for a := range t.Attrs() {
		if p, l, ok := strings.Cut(a.Name, ":"); ok && l == "id" && sc.Namespace(p) == sheetml.RelNamespace {
			s.RelID = a.Value()
		}
	}
	for _, r := range wb.Rels {
		if r.ID != s.RelID || r.External {
			continue
		}
		switch r.Type {
		case relChartsheet:
			s.Kind = "chartsheet"
		case relDialogsheet:
			s.Kind = "dialogsheet"
		case relMacrosheet:
			s.Kind = "macrosheet"
		}
		if wb.Package.Has(r.Target) && !taken[r.Target] {
			s.Part = r.Target
			taken[r.Target] = true // a second sheet over one part would be read again and again
		}
	}
	wb.Sheets = append(wb.Sheets, s)
}

// RelPart is the part the workbook's first relationship of a type leads to, ""
// when there is none.
func (wb *Workbook) RelPart(typ string) string {
	for _, r := range wb.Rels {
		if r.Type == typ && !r.External && wb.Package.Has(r.Target) {
			return r.Target
		}
	}
	return ""
}

// Find is the index of a sheet by name in any case, -1 when there is none.
func (wb *Workbook) Find(name string) int {
	for i, s := range wb.Sheets {
		if s.Name == name {
			return i
		}
	}
	for i, s := range wb.Sheets {
		if strings.EqualFold(s.Name, name) {
			return i
		}
	}
	return -1
}

// UnknownSheet is the error for a name that no sheet has.
func UnknownSheet(name string) error {
	return formats.Errorf(formats.CodeNotFound, "unknown sheet: %s", name)
}

// SheetOrder returns the names of all sheets in lower case, in order.
func (wb *Workbook) SheetOrder() []string {
	out := make([]string, len(wb.Sheets))
	for i, s := range wb.Sheets {
		out[i] = strings.ToLower(s.Name)
	}
	return out
}

// readIteration reads how circular formulas are calculated from the element calcPr.
func (wb *Workbook) readIteration(t xmlscan.Token) {
	wb.Iterates, wb.IterateCount, wb.IterateDelta = sheetml.IsTrue(t.AttrLocal("iterate")), 100, 0.001
	if n, err := strconv.Atoi(t.AttrLocal("iterateCount")); err == nil && n > 0 {
		wb.IterateCount = min(n, 32767)
	}
	if x, err := strconv.ParseFloat(t.AttrLocal("iterateDelta"), 64); err == nil && x >= 0 {
		wb.IterateDelta = x
	}
}
