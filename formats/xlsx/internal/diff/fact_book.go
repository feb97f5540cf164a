package diff

import (
	"context"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// bookThings lists what a workbook holds beside its sheets. names gives the
// sheets' names as the new file has them.
func (x *bookDiff) bookThings(ctx context.Context, in *inventory.Inventory, w *bookSide, names []string) error {
	in.Cover(w.Main, w.d.Strings.Part, w.RelPart(book.RelCalcChain), w.RelPart(opc.RelPrefix+"person"))
	var canon inventory.Canonicalizer
	canon.IgnoreAttr = func(_ xmlscan.Token, a string) bool { return a == "uid" }
	canon.Rels = w.Rels
	left := map[string]inventory.Sum{}
	err := sheetml.EachChild(w.XML, func(t xmlscan.Token, raw []byte) error {
		switch t.Local {
		case "sheets", "externalReferences", "pivotCaches", "AlternateContent", "revisionPtr":
			return nil // told by sheets and parts, or where the file was last saved
		case "definedNames":
			return x.names(in, w, raw, names, canon)
		case "bookViews":
			bookViews(in, raw, names)
		case "calcPr":
			calcThings(in, t)
		case "workbookPr":
			bookSettings(in, t)
		case "workbookProtection":
			sum, err := canon.Fragment(w.XML, raw)
			in.Add(inventory.Item{Kind: formats.FactProtection, Key: "workbook", At: "workbook", Text: protectedBook(t), Sum: sum, WarnRemoved: "the workbook is no longer protected"})
			return err
		case "fileSharing":
			sum, err := canon.Fragment(w.XML, raw)
			in.Add(inventory.Item{Kind: formats.FactProtection, Key: "sharing", At: "workbook", Text: "opened for reading only, as a recommendation", Sum: sum})
			return err
		case "fileVersion":
			in.Add(inventory.Item{Kind: formats.FactProperty, Key: "fileVersion", At: "workbook", Text: "last saved by " + strings.TrimSpace(t.AttrLocal("appName")+" "+t.AttrLocal("lastEdited")+" "+t.AttrLocal("rupBuild"))})
		default:
			var err error
			left[t.Local], err = canon.Fragment(w.XML, raw)
			return err
		}
		return nil
	})
	if err != nil {
		return book.Typed(err, w.Main)
	}
	in.Leftover(w.Main, "workbook", left)
	if err := x.styleThings(in, w); err != nil {
		return err
	}
	if err := x.relatedThings(ctx, in, w); err != nil {
		return err
	}
	return in.AddProperties(ctx)
}

// names lists the defined names (18.2.5). Those of a filter follow from it.
func (x *bookDiff) names(in *inventory.Inventory, w *bookSide, raw []byte, names []string, canon inventory.Canonicalizer) error {
	canon.IgnoreAttr = func(_ xmlscan.Token, a string) bool { return a == "uid" || a == "localSheetId" }
	canon.Ignore = nil
	return sheetml.EachChild(raw, func(t xmlscan.Token, e []byte) error {
		name, sheet, at := t.AttrLocal("name"), "", ""
		if i := sheetml.Atoi([]byte(t.AttrLocal("localSheetId"))); i >= 0 && i < len(names) {
			sheet = names[i]
		}
		text := strings.TrimSpace(sheetml.CharData(e))
		if w == x.a {
			text = x.followName(text, sheet)
		}
		if at = name; sheet != "" {
			at = sheet + "!" + name
		}
		th := inventory.Item{Kind: formats.FactName, Key: strings.ToLower(at), At: at, Text: "=" + text}
		switch name {
		case "_xlnm._FilterDatabase":
			return nil
		case "_xlnm.Print_Area":
			th.Kind, th.At, th.Text = formats.FactPageSetup, sheet, "print area "+text
		case "_xlnm.Print_Titles":
			th.Kind, th.At, th.Text = formats.FactPageSetup, sheet, "rows and columns repeated on each page: "+text
		}
		if sheetml.IsTrue(t.AttrLocal("hidden")) {
			th.Text += " (hidden)"
		}
		sum, err := canon.Fragment(w.XML, t.Bytes()[:len(t.Bytes())-1])
		if err != nil {
			sum = inventory.SumOf([]byte(t.AttrLocal("comment")), []byte(t.AttrLocal("function")), []byte(t.AttrLocal("description")))
		}
		th.Sum = sum
		in.Add(th)
		return nil
	})
}

func bookViews(in *inventory.Inventory, raw []byte, names []string) {
	n := 0
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, _ []byte) error {
		n++
		window := ""
		for a := range t.Attrs() {
			th := inventory.Item{Kind: formats.FactView, Key: a.Name, At: "workbook", Text: spaced(a.Name) + " " + a.Value()}
			switch a.Name {
			case "uid", "xr2:uid":
				continue
			case "xWindow", "yWindow", "windowWidth", "windowHeight":
				window += " " + a.Value()
				continue
			case "activeTab", "firstSheet":
				i := sheetml.Atoi([]byte(a.Value()))
				if i <= 0 || i >= len(names) {
					continue
				}
				if th.Text = "opens at sheet " + names[i]; a.Name == "firstSheet" {
					th.Text = "first tab in view: " + names[i]
				}
			case "visibility":
				th.WarnAdded = "the workbook's window is " + a.Value()
			}
			in.Add(th)
		}
		if window != "" {
			in.Add(inventory.Item{Kind: formats.FactView, Key: "window", At: "workbook", Text: "window at" + window})
		}
		return nil
	})
}

// calcAttr is how a fact tells an attribute of calcPr.
type calcAttr struct {
	tells      func(value string) bool // the value is not the default
	text, warn string                  // text "": the name and the value
}

var calcAttrs = map[string]calcAttr{
	"fullCalcOnLoad": {sheetml.IsTrue, "all formulas are calculated when the file is opened", ""},
	"iterate":        {sheetml.IsTrue, "formulas that refer to themselves are repeated", "formulas that refer to themselves are repeated instead of refused"},
	"fullPrecision":  {isOff, "values are as precise as they are shown", "values lose what their formats do not show"},
	"calcOnSave":     {isOff, "", ""},
	"concurrentCalc": {isOff, "", ""},
	"calcCompleted":  {isOff, "", ""},
	"forceFullCalc":  {sheetml.IsTrue, "", ""},
	"calcMode":       {isNot("auto"), "mode %", ""},
}

// calcThings tells how the workbook is calculated (18.2.2).
func calcThings(in *inventory.Inventory, t xmlscan.Token) {
	for a := range t.Attrs() {
		v := a.Value()
		known, ok := calcAttrs[a.Name]
		if ok && !known.tells(v) {
			continue
		}
		th := inventory.Item{Kind: formats.FactProperty, Key: "calc " + a.Name, At: "calculation", Text: spaced(a.Name) + " " + v, WarnAdded: known.warn}
		if known.text != "" {
			th.Text = strings.Replace(known.text, "%", v, 1)
		}
		if a.Name == "calcMode" && v == "manual" {
			th.Text, th.WarnAdded = "only when asked for", "formulas are calculated only when a person asks for it"
		}
		in.Add(th)
	}
}

func bookSettings(in *inventory.Inventory, t xmlscan.Token) {
	for a := range t.Attrs() {
		v := a.Value()
		th := inventory.Item{Kind: formats.FactProperty, Key: "setting " + a.Name, At: "workbook", Text: spaced(a.Name) + " " + v}
		if strings.HasPrefix(a.Name, "xmlns") {
			continue
		}
		if a.Name == "date1904" {
			if !sheetml.IsTrue(v) {
				continue
			}
			th.Text = "dates count from 1904"
			th.WarnAdded, th.WarnRemoved = "dates count from 1904 now: all stored dates show four years later", "dates no longer count from 1904: all stored dates show four years earlier"
		}
		in.Add(th)
	}
}

func protectedBook(t xmlscan.Token) string {
	var what []string
	for _, a := range []string{"lockStructure", "lockWindows", "lockRevision"} {
		if sheetml.IsTrue(t.AttrLocal(a)) {
			what = append(what, strings.TrimPrefix(spaced(a), "lock "))
		}
	}
	if len(what) == 0 {
		return "not protected"
	}
	with := ""
	if t.AttrLocal("workbookPassword") != "" || t.AttrLocal("workbookHashValue") != "" {
		with = " with a password"
	}
	return "protected" + with + ": " + strings.Join(what, ", ")
}

// styleThings lists named styles and what the style part holds beside the formats
// of cells, rules and tables, which these tell.
func (x *bookDiff) styleThings(in *inventory.Inventory, w *bookSide) error {
	if w.book.Part == "" {
		return nil
	}
	for _, n := range w.book.Named {
		in.Add(inventory.Item{Kind: formats.FactStyle, Key: "cell style " + n.Name, At: "cell style " + n.Name, Text: n.Look.Say(), Sum: inventory.SumOf([]byte(n.Look.Rest))})
	}
	left := map[string]inventory.Sum{}
	err := sheetml.EachChild(w.book.Doc, func(t xmlscan.Token, raw []byte) error {
		switch t.Local {
		case "numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs":
			return nil
		case "tableStyles":
			return sheetml.EachChild(raw, func(e xmlscan.Token, style []byte) error {
				sum, err := inventory.Canonicalizer{IgnoreAttr: ignoreDxf}.Fragment(w.book.Doc, style)
				dxf := (&sheetSide{book: w}).dxfSums(style)
				in.Add(inventory.Item{Kind: formats.FactStyle, Key: "table style " + e.AttrLocal("name"), At: "table style " + e.AttrLocal("name"), Text: "table style", Sum: inventory.SumOf(sum[:], dxf[:])})
				return err
			})
		case "colors":
			sum, err := inventory.Canonicalizer{Ignore: func(e xmlscan.Token) bool { return e.Local == "mruColors" }}.Fragment(w.book.Doc, raw)
			in.Add(inventory.Item{Kind: formats.FactStyle, Key: "colors", At: "workbook", Text: "palette of colours", Sum: sum})
			return err
		}
		var err error
		left[t.Local], err = inventory.Canonicalizer{}.Fragment(w.book.Doc, raw)
		return err
	})
	in.Leftover(w.book.Part, "styles", left)
	return book.Typed(err, w.book.Part)
}

// bookTrees are the parts that a workbook leads to and that are told in a word.
var bookTrees = map[string]struct{ kind, word, lost string }{
	"slicerCache": {formats.FactSlicer, "what a slicer filters", ""}, "timelineCache": {formats.FactSlicer, "what a timeline filters", ""},
	"customXml": {formats.FactProperty, "custom XML data", "lost: custom XML data"}, "sheetMetadata": {formats.FactProperty, "marks of array formulas and rich values", ""},
	"xmlMaps": {formats.FactConnection, "map of XML data", "lost: a map of XML data"}, "attachedToolbars": {formats.FactControl, "toolbars", ""},
}

// relatedThings lists the parts that the workbook leads to beside its sheets.
func (x *bookDiff) relatedThings(ctx context.Context, in *inventory.Inventory, w *bookSide) error {
	for _, r := range w.Rels {
		if r.External || !in.Package().Has(r.Target) {
			continue
		}
		if err := x.relatedThing(ctx, in, w, path.Base(r.Type), r.Target); err != nil {
			return err
		}
	}
	return thumbnails(ctx, in)
}

// relatedThing tells a part that the workbook leads to by a relationship of a
// kind.
func (x *bookDiff) relatedThing(ctx context.Context, in *inventory.Inventory, w *bookSide, kind, part string) (err error) {
	var th inventory.Item
	switch k, ok := bookTrees[kind]; {
	case ok:
		th = inventory.Item{Kind: k.kind, Key: kind, At: "workbook", Text: k.word, WarnRemoved: k.lost}
	case kind == "theme":
		if x.a.Package.Has(part) && x.a.Package.SamePart(part, x.b.Package, part) {
			in.Cover(part)
			return nil
		}
		return book.Typed(in.AddTheme(ctx, part, "theme"), part)
	case kind == "externalLink":
		if th, err = externalThing(ctx, in, part); err != nil {
			return err
		}
	default:
		return nil
	}
	if th.Sum, th.Parts, err = inventory.TreeSum(ctx, in.Package(), part, w.isSheet); err != nil {
		return err
	}
	in.Add(th)
	return nil
}

// thumbnails tells the small pictures of the document.
func thumbnails(ctx context.Context, in *inventory.Inventory) error {
	rels, err := in.Package().Rels(ctx, "")
	if err != nil {
		return err
	}
	for _, r := range rels {
		if path.Base(r.Type) == "thumbnail" && !r.External && in.Package().Has(r.Target) {
			sum, err := inventory.PartSum(ctx, in.Package(), r.Target)
			if err != nil {
				return err
			}
			in.Add(inventory.Item{Kind: formats.FactPicture, Key: "thumbnail", At: "document properties", Text: "small picture of the document", Sum: sum, Parts: []string{r.Target}})
		}
	}
	return nil
}

// externalThing tells a link to another workbook or program (18.14).
func externalThing(ctx context.Context, in *inventory.Inventory, part string) (inventory.Item, error) {
	th := inventory.Item{Kind: formats.FactLink, Key: "external " + part}
	rels, err := in.Package().Rels(ctx, part)
	if err != nil {
		return th, err
	}
	th.Text = "values of another workbook"
	for _, r := range rels {
		if r.External {
			th.Text = "values of " + r.Target
		}
	}
	doc, err := in.Package().ReadXML(ctx, part)
	if err != nil {
		return th, err
	}
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		switch t.Local {
		case "ddeLink":
			th.Text = "DDE link " + book.Clip(t.AttrLocal("ddeService"), 60) + "|" + book.Clip(t.AttrLocal("ddeTopic"), 100)
			th.WarnAdded = "new DDE link, which can start programs: " + book.Clip(t.AttrLocal("ddeService"), 60) + "|" + book.Clip(t.AttrLocal("ddeTopic"), 100)
			return false
		case "oleLink":
			th.Text = "OLE link " + book.Clip(t.AttrLocal("progId"), 60)
			th.WarnAdded = "new OLE link, which can start programs: " + book.Clip(t.AttrLocal("progId"), 60)
			return false
		}
		return true
	})
	return th, nil
}
